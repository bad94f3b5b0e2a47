// A dialog that asks which animal a photo shows. It suggests likely names and look-alikes, searches all articles, and accepts other things.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { possibilities } from "./animals.js";
import { noAnimal } from "./certainty.js";
import { ask } from "./dialog.js";
import { button, element, problemBox } from "./dom.js";
import { portrait } from "./portrait.js";

const mostFound = 6;

/** Resolves with `{ label }` of an article, with `{ thing }` in the person's own words, or with null if cancelled. */
export const chooseAnimal = (scan, [first]) => ask(text("whatIsIt"), (done) => {
  const pick = ({ id, label, name }, article) =>
    element("li", {}, button([portrait(id ?? label, { article, except: scan.id }), name], () => done({ label: id ?? label })));
  const choices = element("ul", { class: "choices", "aria-live": "polite" });
  const notice = element("div");
  const search = element("input", {
    type: "search", id: "animal-search", autocomplete: "off", placeholder: text("searchAll"), "aria-label": text("searchAll"),
    autofocus: !matchMedia("(pointer: coarse)").matches,
  });
  const suggestions = possibilities(scan, first, 0).slice(0, 4);
  const suggest = () => choices.replaceChildren(...suggestions.map((each) => pick(each)));
  suggest();
  if (first.label && first.label !== noAnimal) {
    api.breed(first.label).then(({ look_alikes: others }) => {
      suggestions.push(...others.filter(({ id }) => !suggestions.some(({ label }) => label === id)));
      if (!search.value.trim()) suggest();
    }, () => {});
  }
  let asked = null;
  search.addEventListener("input", async () => {
    asked?.abort();
    asked = new AbortController();
    const words = search.value.trim();
    notice.replaceChildren();
    if (!words) return suggest();
    const thing = element("li", {}, button(text("somethingElse", { words }), () => done({ thing: words })));
    try {
      const { items } = await api.breeds({ q: words, limit: mostFound }, asked.signal);
      choices.replaceChildren(...items.map((article) => pick(article, article)), thing);
    } catch (error) {
      if (error.name === "AbortError") return;
      choices.replaceChildren(thing);
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  });
  return element("div", {}, search, notice, choices,
    element("div", { class: "actions" }, button(text("noAnimal"), () => done({ label: noAnimal })), button(text("cancel"), () => done(null))));
});
