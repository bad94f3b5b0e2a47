// The photo of a scan, as wide as there is room, with its animals marked; it comes closer to one of them.

import { text } from "../languages/language.js";
import { element } from "./dom.js";
import { overlaid } from "./overlay.js";

const closest = 4;
/** How much of the room an animal takes that one looks at closely. */
const share = 0.75;

/** How much of a picture's width is left at least, and beside its animals. */
const mostCut = 0.6;
const margin = 0.04;

/** From where to where animals stand in the picture, in shares of its width; all of it where nobody knows. */
function extent(animals) {
  if (animals.length === 0 || animals.some(({ box }) => !box)) return { x: 0, width: 1 };
  const x = Math.max(0, Math.min(...animals.map(({ box }) => box.x)) - margin);
  return { x, width: Math.min(1, Math.max(...animals.map(({ box }) => box.x + box.width)) + margin) - x };
}

/** Width and height of the upright picture; EXIF orientations from 5 on lie on their side. */
export const sizeOf = ({ image: { width, height, orientation } }) => (orientation >= 5 ? [height, width] : [width, height]);

/** `look(box)` comes closer to a box, or goes back to the whole with null. `preview`: the person's own file, shown at once. */
export function photoStage(scan, animals, preview) {
  // The size is known before the photo has loaded, so that nothing jumps.
  const [width, height] = sizeOf(scan);
  const image = element("img", { src: preview ?? scan.photo_url, alt: text("scannedPhoto"), width, height });
  const picture = overlaid(image);
  const stage = element("figure", { class: "photo" }, picture.frame);
  for (const node of [stage, picture.frame]) node.style.aspectRatio = `${width} / ${height}`;
  // A wide picture may lose its sides, as far as no animal stands there.
  const place = extent(animals);
  stage.style.setProperty("--ratio", width / height);
  stage.style.setProperty("--tall", height / width / Math.max(mostCut, place.width));
  image.addEventListener("error", () => {
    // A format that the server reads and this browser does not, such as HEIC.
    if (scan.id && image.src !== new URL(`/history/${scan.id}/photo`, location).href) image.src = `/history/${scan.id}/photo`;
    else image.hidden = true;
  });
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
      // Only what a person sets off glides, not a window that becomes narrower.
      stage.classList.add("looking");
      if (!box) return whole();
      const room = stage.getBoundingClientRect();
      const tall = room.width * (height / width);
      const zoom = Math.max(1, room.height / tall, Math.min(closest, share / box.width, (share * room.height) / (box.height * tall)));
      // As with background-position: 0 lays the starts on each other, 1 the ends.
      const along = (middle, inner, outer) => (inner > outer ? Math.max(0, Math.min(1, (middle * inner - outer / 2) / (inner - outer))) : 0.5);
      put(zoom, along(box.x + box.width / 2, zoom * room.width, room.width), along(box.y + box.height / 2, zoom * tall, room.height));
    },
  };
}

/** A square of the photo around one animal. */
export function crop(scan, { box }, source) {
  const [width, height] = sizeOf(scan);
  const side = Math.max(box.width * width, box.height * height);
  const image = element("img", { src: source, alt: "" });
  const start = (middle, extent) => `${(-(middle * extent - side / 2) / side) * 100}%`;
  Object.assign(image.style, {
    width: `${(width / side) * 100}%`, left: start(box.x + box.width / 2, width), top: start(box.y + box.height / 2, height),
  });
  return element("span", { class: "crop", "aria-hidden": "true" }, image);
}
