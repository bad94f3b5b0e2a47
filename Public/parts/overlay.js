// A picture with boxes over it: drawings for the eye, and a list with the same names for everybody.

import { percent, text } from "../languages/language.js";
import { element, svg } from "./dom.js";

const part = (fraction) => `${(Math.max(0, Math.min(1, fraction)) * 100).toFixed(3)}%`;

/** The breed of a box, where it is more than a guess. */
const breedOf = ({ breed }) => (breed?.confidence >= 0.3 ? breed : null);

/** What a box is called: its breed where it has one. */
const boxName = (box) => breedOf(box)?.name ?? box.name;

/** Colours by track or place; the names are beside the boxes too. */
export const hue = (index) => `hue-${index % 6}`;

/** Draws boxes, fractions of the picture, into an SVG that covers it. */
export function drawBoxes(layer, boxes) {
  layer.replaceChildren(...boxes.flatMap((box, index) => [
    svg("rect", {
      class: hue(box.track ?? index), x: part(box.x), y: part(box.y), width: part(box.width), height: part(box.height), rx: 6,
    }),
  ]));
}

/** Whether two boxes begin so near each other that their labels would cover one another. */
const isNear = (one, other) => Math.abs(one.x - other.x) < 0.3 && Math.abs(one.y - other.y) < 0.1;

/** Labels at the upper left corners of the boxes, or at the lower ones where another label stands; `unnamed`: tracks without one. */
function labelBoxes(layer, boxes, unnamed = new Set()) {
  layer.replaceChildren(...boxes.flatMap((box, index) => {
    if (box.track !== undefined && unnamed.has(box.track)) return [];
    const isBelow = boxes.slice(0, index).some((other) => isNear(box, other));
    const label = element("span", { class: `box-label ${hue(box.track ?? index)}${isBelow ? " below" : ""}` },
      boxes.length > 1 ? `${index + 1} ${boxName(box)}` : boxName(box));
    label.style.left = part(box.x);
    label.style.top = part(isBelow ? box.y + box.height : box.y);
    return [label];
  }));
}

/** A frame around `picture` (an image or a video) with an empty overlay; `show(boxes, unnamed)` fills it. */
export function overlaid(picture, ...more) {
  const drawing = svg("svg", { class: "boxes", "aria-hidden": "true" });
  const labels = element("div", { class: "box-labels", "aria-hidden": "true" });
  const frame = element("div", { class: "overlaid" }, picture, drawing, labels, ...more);
  return {
    frame,
    show(boxes, unnamed) {
      drawBoxes(drawing, boxes);
      labelBoxes(labels, boxes, unnamed);
    },
  };
}

/** The boxes in words. */
export const boxList = (boxes) =>
  element("ul", { class: "box-list" }, boxes.map((box, index) =>
    element("li", {}, element("span", { class: `dot ${hue(box.track ?? index)}`, "aria-hidden": "true" }, `${index + 1}`), " ",
      breedOf(box)?.url ? element("a", { href: `#${box.breed.url.slice(1)}` }, boxName(box)) : boxName(box), " ",
      element("span", { class: "quiet" }, percent((breedOf(box) ?? box).confidence)))));

export const boxesIn = (scan) => scan.animals ?? scan.boxes ?? null;

export const boxesSummary = (boxes) => (boxes.length ? text("boxesFound", { n: boxes.length }) : text("boxesNone"));
