// Bars as plain boxes with a role: browsers draw `meter` and `progress` each in their own way.

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

/** How far something is: `value` from 0 to 1, or null where nobody knows. */
export function progressBar(label) {
  const node = bar("progressbar", label);
  node.value = 0;
  return node;
}

/** A share from 0 to 1. Without a label it only illustrates the words beside it. */
export function shareBar(value, label) {
  const node = bar("meter", label);
  node.value = value;
  if (!label) {
    for (const name of ["role", "aria-valuemin", "aria-valuemax", "aria-valuenow", "aria-valuetext"]) node.removeAttribute(name);
    node.setAttribute("aria-hidden", "true");
  }
  return node;
}
