// Small helpers to build the page. Text only ever enters as text nodes, never as markup.

import { text } from "./language.js";

/** `element("a", { href: "#scan" }, "Scan")` */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

let pendingAnnouncement;

/** Says something to screen readers without moving the focus. */
export function announce(message) {
  const status = document.getElementById("status");
  // A live region is read when it changes: emptied first, so that the same words are read again.
  status.textContent = "";
  clearTimeout(pendingAnnouncement);
  pendingAnnouncement = setTimeout(() => { status.textContent = message; }, 50);
}

/** What went wrong, read aloud at once; with a button where trying again may help. */
export const problemBox = (problem, retry) =>
  element("div", { class: "problem", role: "alert" },
    element("p", {}, problem.message),
    problem.retryable ? element("button", { type: "button", onclick: retry }, text("retry")) : null);

/** Asks before something is deleted. */
export function confirmed(question) {
  const dialog = document.getElementById("confirm");
  document.getElementById("confirm-text").textContent = question;
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok"), { once: true });
  });
}
