// The picture of a photo that the person has just chosen.

import { element } from "./dom.js";

/**
 * Shows the file at `preview`, a local address, or else the service's picture at `kept`. The browser cannot show some formats that
 * the service reads, such as HEIC. Then the service's picture replaces the file. Without one, the picture is hidden.
 */
export function localPhoto(preview, kept, attributes = {}) {
  const image = element("img", { src: preview ?? kept, alt: "", ...attributes });
  image.addEventListener("error", () => {
    if (kept && image.src !== new URL(kept, location).href) image.src = kept;
    else image.hidden = true;
  });
  return image;
}
