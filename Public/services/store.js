// What this browser remembers of the person's choices; nothing of it is sent anywhere.

const prefix = "menagerie.";

/** What was remembered, or null; also where storage is blocked. */
export function recall(name) {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

/** Remembers a text; null forgets it. Where storage is blocked it lasts until the page is closed. */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // As said above.
  }
}

/** Light, dark, or as the system has it. */
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
