// Small helpers to build the page. Text only ever enters as text nodes, never as markup.

import { text } from "../languages/language.js";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** `element("a", { href: "#scan" }, "Scan")` */
export const element = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/** The same for drawings. */
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export const button = (label, onclick, attributes = {}) => element("button", { type: "button", onclick, ...attributes }, label);

const millisecondsBetweenAnnouncements = 2000;
let pendingAnnouncement;
let lastAnnouncement = 0;

/** Says something to screen readers without moving the focus: the latest, at most every two seconds. */
export function announce(message) {
  const status = document.getElementById("announcements");
  clearTimeout(pendingAnnouncement);
  const wait = Math.max(50, lastAnnouncement + millisecondsBetweenAnnouncements - performance.now());
  pendingAnnouncement = setTimeout(() => {
    lastAnnouncement = performance.now();
    // A live region is read when it changes: emptied first, so that the same words are read again.
    status.textContent = "";
    requestAnimationFrame(() => { status.textContent = message; });
  }, lastAnnouncement === 0 ? 50 : wait);
}

/** What went wrong, read aloud at once; with a button where trying again may help. */
export const problemBox = (problem, retry) =>
  element("div", { class: "problem", role: "alert" },
    element("p", {}, problem.message),
    problem.retryable && retry ? button(text("retry"), retry) : null);

/** Asks before something is done that takes away; `action`: what the button says that does it. */
export function confirmed(question, action = text("delete")) {
  const dialog = document.getElementById("confirm");
  dialog.querySelector(".danger").textContent = action;
  document.getElementById("confirm-text").textContent = question;
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok"), { once: true });
  });
}

const stops = "a, button, input, select, textarea, summary, [tabindex]";

/** Draws what `parent` holds anew: what was unfolded stays so, and the focus stays at its place. */
export function redraw(parent, ...nodes) {
  const unfolded = [...parent.querySelectorAll("details")].map(({ open }) => open);
  const focused = [...parent.querySelectorAll(stops)].indexOf(document.activeElement);
  parent.replaceChildren(...nodes);
  parent.querySelectorAll("details").forEach((each, index) => { each.open = unfolded[index] ?? each.open; });
  if (focused >= 0) parent.querySelectorAll(stops)[focused]?.focus({ preventScroll: true });
}

const sheets = new Map();

/** Resolves once the stylesheet of that name has come; one that fails leaves the view plain. Those in the body outrank those in the head. */
export function style(name, place = document.head) {
  if (!sheets.has(name)) {
    sheets.set(name, new Promise((resolve) => {
      const link = element("link", { rel: "stylesheet", href: new URL(`../styles/${name}.css`, import.meta.url).href });
      link.addEventListener("load", resolve);
      link.addEventListener("error", resolve);
      place.append(link);
    }));
  }
  return sheets.get(name);
}
