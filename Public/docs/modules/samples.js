// The call in four languages; which of them is shown holds for all calls.

import { announce, element } from "../../parts/dom.js";
import { LANGUAGES, snippets } from "./snippets.js";

let chosen = "curl";
/** Redraws what shows when the language changes. */
const shown = new Set();

/** `{ view, show(values, withKey) }` */
export function snippetView(document, operation) {
  const code = element("code");
  const buttons = LANGUAGES.map(({ id, name }) =>
    element("button", { type: "button", "data-language": id, onclick: () => choose(id) }, name));
  const copy = element("button", { type: "button", onclick: () => copied(code.textContent) }, "Copy");
  let texts = {};
  const draw = () => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.language === chosen));
    code.textContent = texts[chosen];
  };
  const show = (values, withKey) => {
    texts = snippets(document, operation, { base: location.origin, values, withKey });
    draw();
  };
  show(undefined, false);
  shown.add(draw);
  const view = element("div", { class: "snippets" },
    element("div", { class: "actions", role: "group", "aria-label": "Language" }, ...buttons, copy),
    element("pre", { tabindex: "0" }, code));
  return { view, show };
}

function choose(language) {
  chosen = language;
  for (const draw of shown) draw();
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied.");
  } catch {
    announce("The browser did not allow copying; mark the text and copy it.");
  }
}
