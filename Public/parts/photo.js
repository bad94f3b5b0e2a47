// The photo of a scan with its animals marked. It can zoom in on one of them.

import { text } from "../languages/language.js";
import { element } from "./dom.js";
import { localPhoto } from "./local-photo.js";
import { overlaid } from "./overlay.js";

const closest = 4;
/** The fraction of the stage that an animal fills after zooming in. */
const share = 0.75;

/** `mostCut`: the least fraction of the photo's width that stays visible. `margin`: the space beside the animals, as a fraction of the width. */
const mostCut = 0.6;
const margin = 0.04;

/** The horizontal range of all animals, as `{ x, width }` in fractions of the photo's width. The whole width if any position is unknown. */
function extent(animals) {
  if (animals.length === 0 || animals.some(({ box }) => !box)) return { x: 0, width: 1 };
  const x = Math.max(0, Math.min(...animals.map(({ box }) => box.x)) - margin);
  return { x, width: Math.min(1, Math.max(...animals.map(({ box }) => box.x + box.width)) + margin) - x };
}

/** `[width, height]` of the upright picture in pixels. EXIF orientations 5 to 8 swap width and height. */
const sizeOf = ({ image: { width, height, orientation } }) => (orientation >= 5 ? [height, width] : [width, height]);

/** The address of the service's copy, which an answer that has just arrived does not tell. Null for a scan without a photo. */
export const keptPhoto = ({ id, created_at: at, photo_url: url }) => url ?? (id && !at ? `/history/${id}/photo` : null);

/** `look(box)` zooms in on a box, and `look(null)` shows the whole photo. `preview`: the address of the person's local file, which shows at once. */
export function photoStage(scan, animals, preview) {
  // The scan has the photo's size, so the layout does not jump when the photo loads.
  const [width, height] = sizeOf(scan);
  const kept = keptPhoto(scan);
  const image = localPhoto(preview, kept, { alt: text("scannedPhoto"), width, height, hidden: !preview && !kept });
  const picture = overlaid(image);
  const stage = element("figure", { class: "photo" }, picture.frame);
  for (const node of [stage, picture.frame]) node.style.aspectRatio = `${width} / ${height}`;
  // The sides of a wide photo may be cut off, but only where there is no animal.
  const place = extent(animals);
  stage.style.setProperty("--ratio", width / height);
  stage.style.setProperty("--tall", height / width / Math.max(mostCut, place.width));
  const put = (zoom, x, y) => Object.assign(picture.frame.style, {
    width: zoom ? `${zoom * 100}%` : "", left: `${x * 100}%`, top: `${y * 100}%`, translate: `${-x * 100}% ${-y * 100}%`,
  });
  const centre = (animal) => (animal?.box ? animal.box.y + animal.box.height / 2 : 0.5);
  const whole = () => put(null, place.width < 1 ? place.x / (1 - place.width) : 0.5, centre(animals[0]));
  whole();
  picture.show(animals);
  return {
    element: stage,
    show: picture.show,
    look(box) {
      // Only a zoom by the person is animated. A resized window changes the picture without animation.
      stage.classList.add("looking");
      if (!box) return whole();
      const room = stage.getBoundingClientRect();
      const tall = room.width * (height / width);
      const zoom = Math.max(1, room.height / tall, Math.min(closest, share / box.width, (share * room.height) / (box.height * tall)));
      // Works as `background-position`: 0 aligns the starts, 1 aligns the ends.
      const along = (middle, inner, outer) => (inner > outer ? Math.max(0, Math.min(1, (middle * inner - outer / 2) / (inner - outer))) : 0.5);
      put(zoom, along(box.x + box.width / 2, zoom * room.width, room.width), along(box.y + box.height / 2, zoom * tall, room.height));
    },
  };
}

/** A square crop of the photo around one animal. `preview`: the address of the person's local file. */
export function crop(scan, { box }, preview) {
  const [width, height] = sizeOf(scan);
  const side = Math.max(box.width * width, box.height * height);
  const image = localPhoto(preview, keptPhoto(scan));
  const start = (middle, extent) => `${(-(middle * extent - side / 2) / side) * 100}%`;
  Object.assign(image.style, {
    width: `${(width / side) * 100}%`, left: start(box.x + box.width / 2, width), top: start(box.y + box.height / 2, height),
  });
  return element("span", { class: "crop", "aria-hidden": "true" }, image);
}
