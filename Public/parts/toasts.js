// Short messages at the edge of the window. They go by themselves, what offers an undo after a minute; bad news stays until it is
// closed. What can be taken back in the view itself goes with the view.

import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { announce, button, element } from "./dom.js";
import { icon } from "./icons.js";

const most = 4;
/** How long a message shows, in milliseconds. */
const briefly = 8000;
const withUndo = 60_000;
const shelf = () => document.getElementById("toasts");

/**
 * Shows `message`; with `undo`, a function that takes back what was done. The focus stays where it is.
 * `isOfView`: whether it goes when the person goes on to another view. `isBrief`: whether it goes after a moment. `link`: `{ href, words }`, where there is more to see.
 */
export function toast(message, { undo, tone = "", isOfView = false, isBrief = !undo && tone !== "bad", link } = {}) {
  const box = element("div", { class: `notice ${tone} ${isOfView ? "of-view" : ""}` }, element("p", {}, message));
  const close = () => {
    const hadFocus = box.contains(document.activeElement);
    box.remove();
    removeEventListener("hashchange", close);
    if (hadFocus) (shelf().querySelector("button") ?? document.getElementById("main")).focus({ preventScroll: true });
  };
  if (link) box.append(element("a", { class: "button", href: link.href }, link.words));
  if (undo) {
    let isUnderWay = false;
    const act = button(text("undo"), async () => {
      // Not disabled meanwhile: that would take the focus away from where the person is.
      if (isUnderWay) return;
      isUnderWay = true;
      try {
        await undo();
        close();
        announce(text("restored"));
      } catch (error) {
        close();
        toast(asProblem(error).message, { tone: "bad" });
      }
    });
    box.append(act);
  }
  box.append(button(icon("cross"), close, { class: "plain", "aria-label": text("close") }));
  if (isOfView) {
    // The view itself takes back what came before.
    for (const old of shelf().querySelectorAll(".of-view")) old.remove();
    addEventListener("hashchange", close);
  }
  shelf().append(box);
  while (shelf().childElementCount > most) shelf().firstElementChild.remove();
  announce(message);
  // Not from under a hand or the focus.
  const goByItself = () => (box.matches(":hover, :focus-within") ? setTimeout(goByItself, briefly) : close());
  if (isBrief || undo) setTimeout(goByItself, isBrief ? briefly : withUndo);
  return box;
}
