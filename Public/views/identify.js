// The Identify view. The person takes, chooses, drops or pastes photos and sees the progress of the upload.

import { text } from "../languages/language.js";
import { may } from "../services/api.js";
import { addPhotos, changes, uploads } from "../services/uploads.js";
import { address, go, loadResult } from "../router.js";
import { element, style } from "../parts/dom.js";
import { photoChoosers } from "../parts/intake.js";
import { mascot } from "../parts/mascot.js";
import { samplesSection } from "../parts/samples.js";
import { identifySegments } from "../parts/segments.js";
import { uploadTray } from "../parts/tray.js";

export async function render() {
  const receive = (files) => {
    addPhotos(files);
    loadResult();
  };
  const unsaved = element("div");
  // A scan that the service saved has its own address. A scan that was not saved is shown here.
  const tray = uploadTray(async (upload) => {
    if (upload.scan.id) {
      if (address().name === "scan" && !address().id) go(`#scan/${upload.scan.id}`);
      return;
    }
    const { resultCard } = await import("../parts/result.js");
    unsaved.replaceChildren(resultCard(upload.scan, { preview: upload.preview }).element);
    tray.element.hidden = true;
  });
  const view = element("div", { class: "identify" },
    identifySegments("#scan"),
    element("h1", {}, text("scanTitle")),
    tray.element,
    unsaved,
    element("div", { class: "intro" },
      element("p", { class: "lead" }, text("firstVisit")),
      element("div", { class: "drop" }, mascot(), may("user") ? [element("div", { class: "actions" }, photoChoosers(receive)), element("p", {}, text("dropHint"))]
        : element("p", { class: "reader" }, text("readerMay"))),
      may("user") ? samplesSection(receive) : null));
  // While a single photo is sent, the stylesheet hides the introduction.
  const show = () => {
    view.classList.toggle("under-way", uploads.length === 1 && !uploads[0].isOver);
    if (uploads.some(({ isOver }) => !isOver)) unsaved.replaceChildren();
  };
  changes.addEventListener("change", show);
  show();
  style("result", document.body);
  return {
    title: text("scan"), element: view,
    dispose() {
      changes.removeEventListener("change", show);
      tray.dispose();
    },
  };
}
