// A command line with a button that copies it.

import { text } from "../languages/language.js";
import { announce, button, element } from "./dom.js";

/** `words`: the command. `label`: its name for screen readers. */
export function command(words, label) {
  const code = element("code", {}, words);
  const copy = button(text("copy"), async () => {
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      // The browser has refused. The person can copy what is selected.
      return getSelection().selectAllChildren(code);
    }
    copy.textContent = text("copied");
    announce(text("copied"));
    setTimeout(() => { copy.textContent = text("copy"); }, 3000);
  });
  return element("div", { class: "command" },
    element("pre", { tabindex: 0, role: "region", "aria-label": label }, code),
    // Browsers offer the clipboard only over HTTPS and on localhost.
    navigator.clipboard ? copy : null);
}
