// Small helpers to build the page. They insert text only as text nodes, never as markup.

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

/** Creates an HTML element. An attribute that begins with `on` is an event listener. */
export const element = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);

/** Creates an SVG element with the same arguments as `element`. */
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

/** A listener that ignores events until `action` has ended, so that a double click starts nothing twice. */
export function once(action) {
  let isBusy = false;
  return async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    try {
      await action(event);
    } finally {
      isBusy = false;
    }
  };
}

export const button = (label, onclick, attributes = {}) => element("button", { type: "button", onclick: once(onclick), ...attributes }, label);

const millisecondsBetweenAnnouncements = 2000;
let pendingAnnouncement;
let lastAnnouncement = 0;

/** Tells screen readers a message without moving the focus. Only the latest one is read. */
export function announce(message) {
  const status = document.getElementById("announcements");
  clearTimeout(pendingAnnouncement);
  const wait = Math.max(50, lastAnnouncement + millisecondsBetweenAnnouncements - performance.now());
  pendingAnnouncement = setTimeout(() => {
    lastAnnouncement = performance.now();
    // Emptying the region first makes a repeated message count as a change.
    status.textContent = "";
    requestAnimationFrame(() => { status.textContent = message; });
  }, lastAnnouncement === 0 ? 50 : wait);
}

export const focusMain = () => document.getElementById("main").focus({ preventScroll: true });

/** Takes the focus of an element that has left the page. */
export const keepFocus = () => { if (document.activeElement === document.body) focusMain(); };

/** An error message that screen readers read at once, with a retry button if a retry may help. */
export const problemBox = (problem, retry) =>
  element("div", { class: "problem", role: "alert" },
    element("p", {}, problem.message),
    problem.retryable && retry ? button(text("retry"), async () => {
      const trying = retry();
      keepFocus();
      await trying;
      keepFocus();
    }) : null);

/** Asks the person to confirm. `action`: the text of the button. Resolves with whether it was pressed. */
export function confirmed(question, action = text("delete")) {
  const dialog = document.getElementById("confirm");
  dialog.querySelector(".danger").textContent = action;
  document.getElementById("confirm-text").textContent = question;
  dialog.returnValue = "cancel";
  dialog.showModal();
  addEventListener("hashchange", () => dialog.close(), { once: true });
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "ok"), { once: true });
  });
}

const sheets = new Map();

/** Loads a stylesheet and resolves when it has loaded or failed. Stylesheets in the body override those in the head. */
export function style(name, place = document.head) {
  if (!sheets.has(name)) {
    sheets.set(name, new Promise((resolve) => {
      const link = element("link", { rel: "stylesheet", href: new URL(`../styles/${name}.css`, import.meta.url).href });
      link.addEventListener("load", resolve);
      link.addEventListener("error", () => {
        // The next call tries again.
        sheets.delete(name);
        link.remove();
        resolve();
      });
      place.append(link);
    }));
  }
  return sheets.get(name);
}
