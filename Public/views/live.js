// The live camera view. The picture shows a name at each animal.

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
  // The person opened this view to use the camera, so it starts at once.
  requestAnimationFrame(() => picture.begin());
  return { title, element: element("div", {}, head, picture.element), translate, dispose: picture.dispose };
}
