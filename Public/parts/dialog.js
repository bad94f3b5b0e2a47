// A dialog that asks for something.

import { element } from "./dom.js";

/** Shows what `content(done)` builds; answers what `done` is given, or null where the person goes back. */
export function ask(title, content) {
  const dialog = element("dialog", { class: "sheet", "aria-labelledby": "dialog-title" }, element("h2", { id: "dialog-title", tabindex: -1 }, title));
  return new Promise((resolve) => {
    let answer = null;
    dialog.append(content((value) => {
      answer = value;
      dialog.close();
    }));
    const close = () => dialog.close();
    addEventListener("hashchange", close);
    dialog.addEventListener("close", () => {
      removeEventListener("hashchange", close);
      dialog.remove();
      resolve(answer);
    }, { once: true });
    document.body.append(dialog);
    dialog.showModal();
  });
}
