// A picture with bounding boxes over its animals. Screen readers skip the boxes, because text beside the picture has the same names.

import { element } from "./dom.js";

const part = (fraction) => `${(Math.max(0, Math.min(1, fraction)) * 100).toFixed(3)}%`;

/** The CSS class of a box's colour. The colours repeat. They are only decoration, because text gives the names too. */
export const hue = (index) => `hue-${index % 6}`;

/** The fraction of a phone's low picture that a label takes. */
const labelHeight = 0.14;

/** Puts the label above or below the box, so that it covers no face. It goes inside only if the box fills the height of the picture. */
const labelOf = (words, { x, y, width, height }) => element("span", {
  class: `box-label ${y > labelHeight ? "above" : y + height < 1 - labelHeight ? "below" : "within"}${x + width / 2 > 0.5 ? " right" : ""}`,
}, words);

function mark({ name, box }, index, { isSeveral, isNamed }) {
  const node = element("div", { class: `box ${hue(box.track ?? index)}${isSeveral ? "" : " corners"}` });
  for (const [side, value] of [["left", box.x], ["top", box.y], ["width", box.width], ["height", box.height]]) node.style[side] = part(value);
  if (isNamed) node.append(labelOf(name, box));
  return node;
}

/**
 * A frame around `picture`, an image or a video. `show(animals, options)` marks each animal that has a box: a single one by corners,
 * several by boxes with names. `unnamed`: a set of tracks whose boxes get no name. `isNamed`: a single animal gets its name too.
 */
export function overlaid(picture, ...more) {
  const layer = element("div", { class: "boxes", "aria-hidden": "true" });
  const frame = element("div", { class: "overlaid" }, picture, layer, ...more);
  return {
    frame,
    show(animals, { unnamed = new Set(), isNamed = false } = {}) {
      const placed = animals.filter(({ box }) => box);
      const isSeveral = placed.length > 1;
      layer.replaceChildren(...placed.map((each, index) =>
        mark(each, index, { isSeveral, isNamed: (isSeveral || isNamed) && !unnamed.has(each.box.track) })));
    },
  };
}
