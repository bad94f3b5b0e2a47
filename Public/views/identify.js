// Choose, take, drop or paste photos, and see them on their way.

import { text } from "../languages/language.js";
import { addPhotos } from "../services/uploads.js";
import { address, go } from "../router.js";
import { element } from "../parts/dom.js";
import { photoChoosers } from "../parts/intake.js";
import { mascot } from "../parts/mascot.js";
import { samplesSection } from "../parts/samples.js";
import { identifySegments } from "../parts/segments.js";
import { uploadTray } from "../parts/tray.js";

export async function render() {
  const together = element("input", { type: "checkbox", id: "together" });
  const receive = (files) => {
    addPhotos(files, { together: together.checked && files.length > 1 });
    // What shows the answer comes while the photo is under way; the view says it if that fails.
    import("./scan.js").catch(() => {});
  };
  const unsaved = element("div");
  // A scan that is kept has an address of its own; one that is not is shown here.
  const tray = uploadTray(async (upload) => {
    if (upload.scan.id) {
      if (address().name === "scan" && !address().id) go(`#scan/${upload.scan.id}`);
      return;
    }
    const { resultCard } = await import("../parts/result.js");
    unsaved.replaceChildren(resultCard(upload.scan, { preview: upload.preview }).element);
  });
  const view = element("div", {},
    identifySegments("#scan"),
    element("h1", {}, text("scanTitle")),
    element("p", { class: "lead" }, text("firstVisit")),
    element("div", { class: "drop" },
      mascot(),
      element("div", { class: "actions" }, photoChoosers(receive)),
      element("p", {}, text("dropHint")),
      element("label", { class: "tick" }, together, text("together"))),
    tray.element,
    unsaved,
    samplesSection(receive));
  return { title: text("scan"), element: view, dispose: tray.dispose };
}
