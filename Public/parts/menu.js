// A menu that opens from a button with three dots.

import { text } from "../languages/language.js";
import { element } from "./dom.js";

/** `entries`: the buttons and links of the menu. It closes on a choice, on Escape and on a click elsewhere. */
export function menu(entries) {
  const list = element("div", { class: "menu-list" }, entries);
  const opener = element("summary", { class: "button", "aria-label": text("moreActions"), title: text("moreActions") }, "⋯");
  const node = element("details", { class: "menu" }, opener, list);
  const close = () => { node.open = false; };
  const closeAndFocus = () => {
    close();
    opener.focus();
  };
  // This comes before the choice itself, so that a dialog gives the focus back to the menu's button.
  list.addEventListener("click", closeAndFocus, true);
  node.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !node.contains(relatedTarget)) close(); });
  node.addEventListener("keydown", ({ key }) => {
    if (key === "Escape" && node.open) closeAndFocus();
  });
  // A click outside closes the menu. Once the menu has left the page, the listener removes itself.
  document.addEventListener("click", function outside({ target }) {
    if (!node.isConnected) return document.removeEventListener("click", outside);
    if (!node.contains(target)) close();
  });
  return node;
}
