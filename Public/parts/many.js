// The upload of several photos: one progress bar, the newest results as tiles, the failed photos, and a summary.

import * as api from "../services/api.js";
import { language, listOf, text } from "../languages/language.js";
import { addPhotos, cancel, changes, uploads } from "../services/uploads.js";
import { animalsIn, headline } from "./animals.js";
import { progressBar } from "./bars.js";
import { announce, button, element, focusMain, style } from "./dom.js";
import { cancelButton, uploadProblem } from "./tray.js";
import { tile } from "./tile.js";

const mostTiles = 24;
const mostProblems = 10;
const mostNames = 6;

/** A sentence with the most frequent names, such as “Siamese × 3, Two dogs × 2”, and a link to the unsure scans. */
function summary(scans) {
  const counts = new Map();
  for (const scan of scans.filter(({ abstained }) => !abstained)) {
    const name = headline(animalsIn(scan));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const unsure = scans.filter(({ abstained }) => abstained).length;
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, mostNames);
  return element("p", {}, most.length ? [listOf(most.map(([name, n]) => (n > 1 ? text("timesNamed", { name, n }) : name))), ". "] : null,
    unsure ? element("a", { href: "#history?show=check" }, text("toCheckOfMany", { n: unsure })) : null);
}

export class PhotosUnderWay {
  isMany = true;
  #tiles = new Map();
  #problems = new Map();
  #bar = progressBar(text("progressOfAll"));
  #words = element("p", { class: "tray-summary" });
  #wasStopped = false;
  /** The uploads whose answers were fetched again, in the language that was chosen since. */
  #translated = new Set();
  #summary = element("div");
  #stop = button(text("stopAll"), () => {
    uploads.filter((each) => !each.isOver).forEach(cancel);
    this.#wasStopped = true;
    this.update();
    focusMain();
  });
  #together = button(text("together"), () => this.#fuse());
  #list = element("ul", { class: "scans" });
  #failed = element("ul", { class: "tray-problems" });
  element = element("div", {}, this.#words, this.#bar, this.#summary,
    element("div", { class: "actions" }, this.#stop, this.#together, element("a", { class: "button", href: "#history" }, text("history"))), this.#failed, this.#list);

  constructor() {
    style("animals");
  }

  update() {
    const done = uploads.filter(({ state }) => state === "done");
    done.filter((upload) => upload.language !== language()).forEach((upload) => this.#translate(upload));
    const stuck = uploads.filter(({ state }) => state === "failed" || state === "offline");
    const over = uploads.filter((each) => each.isOver).length;
    const isBusy = over < uploads.length;
    const before = this.#words.textContent;
    const values = { done: done.length, n: uploads.length, failed: over - done.length };
    if (isBusy) {
      this.#wasStopped = false;
      this.#words.textContent = uploads.length > 1 ? text("lookingAtMany", values) : text("looking");
    } else if (this.#wasStopped) this.#words.textContent = text("manyStopped", { n: done.length });
    // If the only photo that is left has failed, its error says enough.
    else this.#words.textContent = !values.failed ? text("manyDone", values) : uploads.length > 1 ? text("manyDoneSomeFailed", values) : "";
    this.#summary.replaceChildren(...(isBusy ? [] : [summary(done.map(({ scan }) => scan))]));
    if (this.#words.textContent !== before) announce(this.#words.textContent);
    this.#bar.value = over / uploads.length;
    this.#bar.hidden = this.#stop.hidden = !isBusy;
    this.#together.hidden = uploads.length > 20 || uploads.some(({ files }) => files.length > 1);
    // Only the newest results are shown. The history has the others.
    this.#show(this.#list, this.#tiles, done.slice(-mostTiles).reverse(), ({ scan, preview, name }) => tile(scan, { preview, file: name }));
    this.#show(this.#failed, this.#problems, stuck.slice(0, mostProblems), (upload) =>
      element("li", { class: upload.state }, element("p", { class: "file" }, upload.name), uploadProblem(upload), cancelButton(upload)));
  }

  async #translate(upload) {
    if (!upload.scan.id || this.#translated.has(upload)) return;
    this.#translated.add(upload);
    const wanted = language();
    const scan = await api.scan(upload.scan.id).catch(() => null);
    if (!scan) return;
    Object.assign(upload, { scan, language: wanted });
    this.#tiles.delete(upload);
    this.update();
  }

  #show(list, known, wanted, make) {
    for (const upload of known.keys()) if (!wanted.includes(upload)) known.delete(upload);
    for (const upload of wanted) if (!known.has(upload)) known.set(upload, make(upload));
    const nodes = wanted.map((upload) => known.get(upload));
    if (nodes.some((node, index) => list.children[index] !== node) || list.childElementCount > nodes.length) list.replaceChildren(...nodes);
  }

  /** Scans all photos together. The new scan replaces the separate ones. */
  #fuse() {
    const files = uploads.flatMap((upload) => upload.files);
    const saved = uploads.map(({ scan }) => scan?.id).filter(Boolean);
    for (const each of [...uploads]) cancel(each);
    const [upload] = addPhotos(files, { together: true });
    // The separate scans stay if the photos together are refused, for example because they are too large.
    const settle = () => {
      if (upload.state !== "done" && uploads.includes(upload)) return;
      changes.removeEventListener("change", settle);
      if (upload.state === "done" && saved.length) api.deleteScans(saved).catch(() => {});
    };
    changes.addEventListener("change", settle);
  }
}
