// Light, dark, or as the system has it.

import { recall, remember } from "../services/store.js";

export const appearances = ["system", "light", "dark"];

export const appearance = () => (appearances.includes(recall("appearance")) ? recall("appearance") : "system");

export function applyAppearance(name = appearance()) {
  if (name === "system") document.documentElement.removeAttribute("data-appearance");
  else document.documentElement.dataset.appearance = name;
}

export function setAppearance(name) {
  remember("appearance", name === "system" ? null : name);
  applyAppearance(name);
}
