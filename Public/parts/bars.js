// Progress bars and meters as plain elements with an ARIA role, because each browser draws `progress` and `meter` differently.

import { percent } from "../languages/language.js";
import { element } from "./dom.js";

function bar(role, label) {
  const filled = element("span");
  const node = element("div", { class: `bar-${role}`, role, "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 }, filled);
  let current = null;
  Object.defineProperty(node, "value", {
    get: () => current,
    set(value) {
      current = value;
      node.classList.toggle("unknown", value === null);
      if (value === null) return node.removeAttribute("aria-valuenow");
      node.setAttribute("aria-valuenow", Math.round(value * 100));
      node.setAttribute("aria-valuetext", percent(value, 0));
      filled.style.width = `${Math.max(0, Math.min(1, value)) * 100}%`;
    },
  });
  return node;
}

/** A progress bar. Its `value` is a number from 0 to 1, or null if the progress is unknown. */
export function progressBar(label) {
  const node = bar("progressbar", label);
  node.value = 0;
  return node;
}

/** A bar for a fraction from 0 to 1. Without a label the bar is hidden from screen readers, because the text beside it says the same. */
export function shareBar(value, label) {
  const node = bar("meter", label);
  node.value = value;
  if (!label) {
    for (const name of ["role", "aria-valuemin", "aria-valuemax", "aria-valuenow", "aria-valuetext"]) node.removeAttribute(name);
    node.setAttribute("aria-hidden", "true");
  }
  return node;
}
