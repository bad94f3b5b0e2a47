// The live camera with names at the animals.

import { text } from "../languages/language.js";
import { element } from "../parts/dom.js";
import { livePicture } from "../parts/live-picture.js";
import { identifySegments } from "../parts/segments.js";

export async function render() {
  const picture = await livePicture();
  const head = element("div");
  const translate = () => {
    head.replaceChildren(identifySegments("#live"), element("h1", {}, text("liveTitle")), element("p", { class: "lead" }, text("liveHint")));
    picture.translate();
    return text("live");
  };
  const title = translate();
  // Who comes here wants the camera.
  requestAnimationFrame(() => picture.begin());
  return { title, element: element("div", {}, head, picture.element), translate, dispose: picture.dispose };
}
