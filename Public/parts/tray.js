// The photos on their way: one large with its progress, several as a compact list.

import { bytes, percent, text } from "../languages/language.js";
import { cancel, changes, retry, uploads } from "../services/uploads.js";
import { certainty, certaintyWords, share, unsureShort, verdict } from "./certainty.js";
import { announce, button, element, problemBox } from "./dom.js";
import { icon } from "./icons.js";

/** Where an upload is, in words. */
function stateWords(upload) {
  switch (upload.state) {
    case "waiting": return text("uploadWaiting");
    case "sending": return text("uploadSending", { percent: percent(upload.fraction, 0), size: bytes(upload.bytes) });
    case "looking": return text("looking");
    default: return "";
  }
}

class Row {
  constructor(upload) {
    this.upload = upload;
    this.image = element("img", { src: upload.preview, alt: "", width: 72, height: 72 });
    // A format that this browser cannot show, such as HEIC, leaves its place empty.
    this.image.addEventListener("error", () => { this.image.removeAttribute("src"); }, { once: true });
    this.body = element("div", { class: "tray-body" });
    this.words = element("p", { class: "progress" });
    this.bar = element("progress", { max: 1, value: 0, "aria-label": text("uploadProgress", { name: upload.name }) });
    this.element = element("li", {}, this.image, this.body);
    this.state = null;
    this.update();
  }

  update() {
    const { upload } = this;
    this.words.textContent = stateWords(upload);
    if (upload.state === "sending") this.bar.value = upload.fraction;
    else this.bar.removeAttribute("value");
    if (upload.state === this.state) return;
    this.state = upload.state;
    this.element.className = upload.state;
    this.body.replaceChildren(...this.content());
  }

  content() {
    const { upload } = this;
    const name = element("p", { class: "file" }, upload.name);
    const stop = button([icon("cross"), text("cancel")], () => cancel(upload), { "aria-label": `${text("cancel")}: ${upload.name}` });
    if (upload.state === "done") {
      const { scan } = upload;
      const said = verdict(scan);
      const isWeak = !said.isSaid && certainty(said, scan.abstained) === "none";
      const words = isWeak
        ? [element("strong", {}, unsureShort(scan)), " ", element("span", { class: "quiet" }, `${text("maybe", { name: said.name })}, ${share(said)}`)]
        : [element("strong", {}, said.name), " ", element("span", { class: "quiet" }, said.isSaid ? text("youSay") : `${certaintyWords(said)}, ${share(said)}`)];
      return [scan.id ? element("a", { class: "tray-answer", href: `#scan/${scan.id}` }, words) : element("p", {}, words), name];
    }
    if (upload.state === "failed" || upload.state === "offline") {
      const box = problemBox(upload.problem, () => retry(upload));
      if (upload.state === "offline") box.append(element("p", { class: "quiet" }, text("offlineQueue")));
      return [name, box, stop];
    }
    return [name, this.words, this.bar, stop];
  }
}

/** The tray; `dispose` ends its listening. `finished(upload)` is called when a single photo has its answer. */
export function uploadTray(finished) {
  const list = element("ul", { class: "tray" });
  const summary = element("p", { class: "tray-summary" });
  const section = element("section", { "aria-label": text("results"), "aria-busy": "false" }, summary, list);
  const rows = new Map();
  let wasBusy = false;

  const update = () => {
    for (const [upload, row] of rows) {
      if (uploads.includes(upload)) continue;
      row.element.remove();
      rows.delete(upload);
    }
    for (const upload of uploads) {
      const row = rows.get(upload);
      if (row) row.update();
      else {
        rows.set(upload, new Row(upload));
        list.append(rows.get(upload).element);
      }
    }
    const over = uploads.filter((upload) => upload.isOver);
    const isBusy = over.length < uploads.length;
    section.hidden = uploads.length === 0;
    list.classList.toggle("single", uploads.length === 1);
    section.setAttribute("aria-busy", String(isBusy));
    const done = uploads.filter(({ state }) => state === "done").length;
    summary.hidden = uploads.length < 2;
    const values = { done, n: uploads.length, failed: over.length - done };
    summary.textContent = text(isBusy ? "lookingAtMany" : values.failed ? "manyDoneSomeFailed" : "manyDone", values);
    if (uploads.length > 1) announce(summary.textContent);
    else if (isBusy && !wasBusy) announce(text("looking"));
    const [only] = uploads;
    if (uploads.length === 1 && only.state === "done" && !only.wasShown) {
      only.wasShown = true;
      finished(only);
    }
    wasBusy = isBusy;
  };
  changes.addEventListener("change", update);
  update();
  return { element: section, dispose: () => changes.removeEventListener("change", update) };
}
