// A command line with a button that copies it.

import { text } from "../languages/language.js";
import { announce, button, element } from "./dom.js";

/** `words`: the command. `label`: its name for screen readers. */
export function command(words, label) {
  const copy = button(text("copy"), async () => {
    await navigator.clipboard.writeText(words);
    copy.textContent = text("copied");
    announce(text("copied"));
    setTimeout(() => { copy.textContent = text("copy"); }, 3000);
  });
  return element("div", { class: "command" },
    element("pre", { tabindex: 0, role: "region", "aria-label": label }, element("code", {}, words)),
    // Browsers offer the clipboard only over HTTPS and on localhost.
    navigator.clipboard ? copy : null);
}
