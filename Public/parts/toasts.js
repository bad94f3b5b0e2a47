// Toasts: short messages at the edge of the window. A plain toast goes after a few seconds, and one with an undo stays longer.
// An error stays until the person closes it. A toast about the current view goes when the person leaves the view.

import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { announce, button, element } from "./dom.js";
import { icon } from "./icons.js";

const most = 4;
/** `briefly` and `withUndo`: how long a toast stays, in milliseconds. */
const briefly = 8000;
const withUndo = 60_000;
const chooser = document.getElementById("language");
const shelf = () => document.getElementById("toasts");

/**
 * Shows `message` as a toast. The focus stays where it is. `undo`: an async function that reverses the action; it adds a button.
 * After it the window gets an event `undone`, for the view that is shown by then.
 * `isOfView`: the toast goes when the person leaves the view. `isBrief`: it goes after a few seconds. `link`: `{ href, words }` of a related view.
 */
export function toast(message, { undo, tone = "", isOfView = false, isBrief = !undo && tone !== "bad", link } = {}) {
  const words = element("p", {}, message);
  const box = element("div", { class: `notice ${tone} ${isOfView ? "of-view" : ""}` }, words);
  const close = () => {
    const hadFocus = box.contains(document.activeElement);
    box.remove();
    removeEventListener("hashchange", close);
    chooser.removeEventListener("change", close);
    if (hadFocus) (shelf().querySelector("button") ?? document.getElementById("main")).focus({ preventScroll: true });
  };
  if (link) box.append(element("a", { class: "button", href: link.href }, link.words));
  if (undo) {
    const act = button(text("undo"), async () => {
      try {
        await undo();
        close();
        announce(text("restored"));
        dispatchEvent(new Event("undone"));
      } catch (error) {
        const problem = asProblem(error);
        if (problem.retryable) {
          words.textContent = problem.message;
          return announce(problem.message);
        }
        close();
        toast(problem.message, { tone: "bad" });
      }
    });
    box.append(act);
  }
  box.append(button(icon("cross"), close, { class: "plain", "aria-label": text("close") }));
  if (isOfView) {
    // One toast of the view is enough. The view itself can undo the earlier changes.
    for (const old of shelf().querySelectorAll(".of-view")) old.remove();
    addEventListener("hashchange", close);
    // A new language draws the view again.
    chooser.addEventListener("change", close);
  }
  shelf().append(box);
  while (shelf().childElementCount > most) shelf().firstElementChild.remove();
  announce(message);
  // A toast under the pointer or with the focus stays until the person leaves it.
  const goByItself = () => (box.matches(":hover, :focus-within") ? setTimeout(goByItself, briefly) : close());
  if (isBrief || undo) setTimeout(goByItself, isBrief ? briefly : withUndo);
  return box;
}
