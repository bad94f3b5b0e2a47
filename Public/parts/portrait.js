// A breed or species as one knows it: by one's own newest photo of it, or by a drawing.

import * as api from "../services/api.js";
import { element } from "./dom.js";
import { drawing } from "./drawings.js";

/** `article`: where it is known already; `hasPhotos`: whether a photo is worth asking for; `except`: the scan whose photo it is compared with. */
export function portrait(label, { article, hasPhotos = true, except } = {}) {
  const node = element("span", { class: "portrait", "aria-hidden": "true" });
  const draw = async () => node.replaceChildren(drawing(article ?? await api.breed(label)));
  if (article) draw();
  const show = async () => {
    // A guess at what it is shows nobody what it looks like.
    const scans = hasPhotos ? (await api.history({ label, abstained: "false", limit: 2 })).items : [];
    const scan = scans.find(({ id }) => id !== except);
    if (scan?.thumbnail_url) node.replaceChildren(element("img", { src: scan.thumbnail_url, alt: "", width: 128, height: 128 }));
    else if (!article) await draw();
  };
  // Only what comes into sight is asked for: an album has hundreds.
  const watcher = new IntersectionObserver(([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    watcher.disconnect();
    show().catch(() => {});
  });
  if (hasPhotos || !article) watcher.observe(node);
  return node;
}
