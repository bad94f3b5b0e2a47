// A picture with boxes over it: drawings for the eye, and a list with the same names for everybody.

import { percent, text } from "../languages/language.js";
import { element, svg } from "./dom.js";

const part = (fraction) => `${(Math.max(0, Math.min(1, fraction)) * 100).toFixed(3)}%`;

/** What a box is called: its breed where it has one. */
export const boxName = (box) => box.breed?.name ?? box.name;

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

/** Labels at the upper left corners of the boxes. */
export function labelBoxes(layer, boxes) {
  layer.replaceChildren(...boxes.map((box, index) => {
    const label = element("span", { class: `box-label ${hue(box.track ?? index)}` },
      boxes.length > 1 ? `${index + 1} ${boxName(box)}` : boxName(box));
    label.style.left = part(box.x);
    label.style.top = part(box.y);
    return label;
  }));
}

/** A frame around `picture` (an image or a video) with an empty overlay; `show(boxes)` fills it. */
export function overlaid(picture, ...more) {
  const drawing = svg("svg", { class: "boxes", "aria-hidden": "true" });
  const labels = element("div", { class: "box-labels", "aria-hidden": "true" });
  const frame = element("div", { class: "overlaid" }, picture, drawing, labels, ...more);
  return {
    frame,
    show(boxes) {
      drawBoxes(drawing, boxes);
      labelBoxes(labels, boxes);
    },
  };
}

/** The boxes in words. */
export const boxList = (boxes) =>
  element("ul", { class: "box-list" }, boxes.map((box, index) =>
    element("li", {}, element("span", { class: `dot ${hue(box.track ?? index)}`, "aria-hidden": "true" }, `${index + 1}`), " ",
      box.breed?.url ? element("a", { href: `#${box.breed.url.slice(1)}` }, boxName(box)) : boxName(box), " ",
      element("span", { class: "quiet" }, percent((box.breed ?? box).confidence)))));

export const boxesIn = (scan) => scan.animals ?? scan.boxes ?? null;

export const boxesSummary = (boxes) => (boxes.length ? text("boxesFound", { n: boxes.length }) : text("boxesNone"));
