// A text field for the object to be timed. It suggests every object that the lap timer can follow, in the person's language.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { Problem } from "../services/problem.js";
import { element } from "./dom.js";

const asKey = (words) => words.trim().toLowerCase();

/**
 * `kept`: an object of the view's module that keeps what was entered. A known object is kept by its label, so that it can be named in
 * another language. `wanted()` resolves with `{ label, by }`, or with null if the field is empty. It throws a `Problem` for an
 * unknown object.
 */
export function lapObject(id, words, kept) {
  const suggestions = element("datalist", { id: `${id}-names` });
  const input = element("input", { type: "text", id, autocomplete: "off", list: `${id}-names`, value: kept.object });
  let known = null;
  const learn = () => known ??= api.list("laps/labels").then(({ items }) => {
    suggestions.replaceChildren(...items.map(({ name }) => element("option", { value: name })));
    // If two items share a name, the first one wins. The detector follows that one with boxes.
    return new Map([...items].reverse().flatMap((item) => [[asKey(item.label), item], [asKey(item.name), item]]));
  }).catch(() => {
    known = null;
    return new Map();
  });
  input.addEventListener("focus", learn);
  input.addEventListener("input", async () => {
    Object.assign(kept, { object: input.value, label: null });
    kept.label = (await learn()).get(asKey(input.value))?.label ?? null;
  });
  if (kept.label) {
    learn().then((all) => {
      const name = all.get(asKey(kept.label ?? ""))?.name;
      if (name) kept.object = input.value = name;
    });
  }
  return {
    element: element("div", { class: "field" }, element("label", { for: id }, text(words)), input, suggestions),
    input,
    async wanted() {
      const key = asKey(input.value);
      if (!key) return null;
      const all = await learn();
      const { label, by } = all.get(key) ?? {};
      if (!label && all.size) throw new Problem(text("lapsUnknown", { name: input.value.trim() }));
      // If the list of labels did not load, the service checks the label.
      return label ? { label, by } : { label: key.replaceAll(" ", "_") };
    },
  };
}
