// Stores the person's choices in this browser only.

const prefix = "menagerie.";
/** The choices of this visit, for a browser that stores nothing. */
const chosen = {};

/** Returns the stored text, or null. */
export function recall(name) {
  try {
    return chosen[name] ?? localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

/** Stores the text `value`, or deletes it if `value` is null. */
export function remember(name, value) {
  chosen[name] = value;
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // Storage is full or blocked.
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
