// A command to copy.

import { text } from "../languages/language.js";
import { announce, button, element } from "./dom.js";

/** `label`: what it is, for who does not see it. */
export function command(words, label) {
  const copy = button(text("copy"), async () => {
    await navigator.clipboard.writeText(words);
    copy.textContent = text("copied");
    announce(text("copied"));
    setTimeout(() => { copy.textContent = text("copy"); }, 3000);
  });
  return element("div", { class: "command" },
    element("pre", { tabindex: 0, role: "region", "aria-label": label }, element("code", {}, words)),
    // Browsers let a page write there over HTTPS or on this machine alone.
    navigator.clipboard ? copy : null);
}
