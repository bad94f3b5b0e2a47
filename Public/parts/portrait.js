// A small picture of a breed or species: the person's newest photo of it, or a drawing.

import * as api from "../services/api.js";
import { element } from "./dom.js";
import { drawing } from "./drawings.js";

/** `article`: avoids a request if it is known. `hasPhotos`: false if the person has no photos of it. `except`: the id of a scan whose photo is not used. */
export function portrait(label, { article, hasPhotos = true, except } = {}) {
  const node = element("span", { class: "portrait", "aria-hidden": "true" });
  const draw = async () => node.replaceChildren(drawing(article ?? await api.breed(label)));
  if (article) draw();
  const show = async () => {
    // A photo with an unsure answer may show another animal, so it is not used.
    const scans = hasPhotos ? (await api.history({ ...api.surely(label), limit: 2 })).items : [];
    const scan = scans.find(({ id }) => id !== except);
    if (scan?.thumbnail_url) node.replaceChildren(element("img", { src: scan.thumbnail_url, alt: "", width: 128, height: 128 }));
    else if (!article) await draw();
  };
  // An album has hundreds of portraits. Each one loads only when it scrolls into view.
  const watcher = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    watcher.disconnect();
    show().catch(() => {});
  });
  if (hasPhotos || !article) watcher.observe(node);
  return node;
}
