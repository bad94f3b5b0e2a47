// A text with a title and numbered sections. Each section has a heading.

import { text } from "../languages/language.js";
import { element } from "./dom.js";

export const statement = (name, count) => ({
  title: text(name),
  element: element("div", { class: "statement" },
    element("h1", {}, text(name)),
    Array.from({ length: count }, (_, index) => [
      element("h2", {}, text(`${name}.${index + 1}.title`)), element("p", {}, text(`${name}.${index + 1}`)),
    ])),
});
