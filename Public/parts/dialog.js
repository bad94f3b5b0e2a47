// A modal dialog that asks the person for something.

import { element } from "./dom.js";

/** Shows the node that `content(done)` builds. Resolves with the value passed to `done`, or with null if the person closes the dialog. */
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
