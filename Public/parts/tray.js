// The photos that are being uploaded. A single photo fills the width and shows its state. `many.js` shows several photos.

import { bytes, percent, text } from "../languages/language.js";
import { imported } from "../router.js";
import { cancel, changes, retry, uploads } from "../services/uploads.js";
import { progressBar } from "./bars.js";
import { announce, button, element, focusMain, problemBox } from "./dom.js";
import { icon } from "./icons.js";

const importMany = () => import("./many.js");

/** Words for the state of an upload. */
function stateWords(upload) {
  switch (upload.state) {
    case "waiting": return text("uploadWaiting");
    case "sending": return text("uploadSending", { percent: percent(upload.fraction, 0), size: bytes(upload.bytes) });
    default: return text("looking");
  }
}

/** An error message for a failed upload, with a retry button if a retry may help. */
export function uploadProblem(upload) {
  const box = problemBox(upload.problem, () => retry(upload));
  if (upload.state === "offline") box.append(element("p", { class: "quiet" }, text("offlineQueue")));
  return box;
}

export const cancelButton = (upload) =>
  button([icon("cross"), text("cancel")], () => {
    cancel(upload);
    focusMain();
  }, { "aria-label": `${text("cancel")}: ${upload.name}` });

class PhotoUnderWay {
  constructor(upload) {
    this.upload = upload;
    const image = element("img", { src: upload.preview, alt: text("scannedPhoto") });
    image.addEventListener("error", () => image.replaceWith(element("p", {}, text("noPicture", upload))), { once: true });
    this.words = element("p", { class: "progress" });
    this.bar = progressBar(text("uploadProgress", { name: upload.name }));
    this.over = element("div", { class: "photo-over" });
    this.element = element("figure", { class: "photo pending" }, image, this.over);
    this.state = null;
  }

  update() {
    const { upload } = this;
    this.words.textContent = stateWords(upload);
    this.bar.value = upload.state === "sending" ? upload.fraction : null;
    if (upload.state === this.state) return;
    this.state = upload.state;
    this.element.dataset.state = upload.state;
    const isStuck = upload.state === "failed" || upload.state === "offline";
    const hadFocus = this.over.contains(document.activeElement);
    this.over.replaceChildren(...(isStuck ? [uploadProblem(upload)] : [this.words, this.bar]), cancelButton(upload));
    if (hadFocus) this.over.lastChild.focus();
  }
}

/** `finished(upload)`: called when a single photo has its answer. `dispose` removes the listener. */
export function uploadTray(finished) {
  const section = element("section", { class: "tray", "aria-label": text("results"), "aria-busy": "false" });
  let shown = null;
  let isOver = false;
  let loading = null;

  async function update() {
    section.hidden = uploads.length === 0;
    const isBusy = uploads.some((upload) => !upload.isOver);
    if (isBusy && section.getAttribute("aria-busy") === "false") announce(text("looking"));
    section.setAttribute("aria-busy", String(isBusy));
    const [only] = uploads;
    if (uploads.length === 1 && !shown?.isMany) {
      if (shown?.upload !== only) {
        shown = new PhotoUnderWay(only);
        section.replaceChildren(shown.element);
      }
      shown.update();
      if (only.state === "done") {
        section.hidden = only.wasShown;
        // A scan that was not saved has no other place.
        if (!only.wasShown || !only.scan.id) finished(only);
        only.wasShown = true;
      }
    } else if (uploads.length > 0) {
      let many = null;
      try {
        loading ??= imported(importMany).finally(() => { loading = null; });
        many = await loading;
      } catch (problem) {
        section.replaceChildren(problemBox(problem, update));
      }
      if (isOver || !many) return;
      if (!shown?.isMany) {
        // The person may have cancelled uploads while the module loaded.
        if (uploads.length < 2) return update();
        shown = new many.PhotosUnderWay();
        section.replaceChildren(shown.element);
      }
      shown.update();
    } else {
      shown = null;
      section.replaceChildren();
    }
  }
  changes.addEventListener("change", update);
  update();
  return {
    element: section,
    dispose() {
      isOver = true;
      changes.removeEventListener("change", update);
    },
  };
}
