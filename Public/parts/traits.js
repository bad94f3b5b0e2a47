// The traits of a breed from 1 to 5, drawn as a chart in an accessible table.

import { number, text } from "../languages/language.js";
import { element } from "./dom.js";

export const traits = [
  "affection", "energy", "playfulness", "trainability", "independence", "vocal", "children", "other_pets", "grooming", "shedding",
];

export const traitChart = ({ traits: marks }) =>
  marks ? element("section", { "aria-labelledby": "traits-title" },
    element("h2", { id: "traits-title" }, text("traits")),
    element("table", { class: "traits", "aria-labelledby": "traits-title" },
      element("tbody", {}, traits.filter((name) => name in marks).map((name) =>
        element("tr", {},
          element("th", { scope: "row" }, text(name)),
          element("td", {},
            element("span", { class: "dots", "aria-hidden": "true" }, [1, 2, 3, 4, 5].map((step) =>
              element("span", { class: step <= marks[name] ? "full" : "" }))),
            element("span", {}, text("ofFive", { n: number(marks[name]) })))))))) : null;
