// The live camera with names at the animals.

import { text } from "../languages/language.js";
import { element } from "../parts/dom.js";
import { livePicture } from "../parts/live-picture.js";
import { identifySegments } from "../parts/segments.js";

export async function render() {
  const picture = await livePicture();
  return {
    title: text("live"),
    element: element("div", {}, identifySegments("#live"), element("h1", {}, text("liveTitle")),
      element("p", { class: "lead" }, text("liveHint")),
      window.isSecureContext ? null : element("p", { class: "notice" }, text("liveSecure")), picture.element),
    dispose: picture.dispose,
  };
}
