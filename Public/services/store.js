// Stores the person's choices in this browser only.

const prefix = "menagerie.";

/** Returns the stored text. Null if nothing is stored, or if the browser blocks storage. */
export function recall(name) {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

/** Stores the text `value`, or deletes it if `value` is null. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // The browser blocks storage. The choice lasts until the page is closed.
  }
}

/** `system` follows the setting of the device. */
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
