// A picture with the places of its animals over it, for the eye alone: the same names are beside it for everybody.

import { element } from "./dom.js";

const part = (fraction) => `${(Math.max(0, Math.min(1, fraction)) * 100).toFixed(3)}%`;

/** Colours by track or place; the names are beside the boxes too. */
export const hue = (index) => `hue-${index % 6}`;

/** The label stands above the box or below it, so that it covers no face; within it only where the box fills the picture. */
const labelOf = (words, { x, y, width, height }) => element("span", {
  class: `box-label ${y > 0.09 ? "above" : y + height < 0.91 ? "below" : "within"}${x + width / 2 > 0.5 ? " right" : ""}`,
}, words);

function mark({ name, box }, index, { isSeveral, isNamed }) {
  const node = element("div", { class: `box ${hue(box.track ?? index)}${isSeveral ? "" : " corners"}` });
  for (const [side, value] of [["left", box.x], ["top", box.y], ["width", box.width], ["height", box.height]]) node.style[side] = part(value);
  if (isNamed) node.append(labelOf(name, box));
  return node;
}

/**
 * A frame around `picture` (an image or a video); `show(animals, options)` marks those whose place is known: one by its corners,
 * several by boxes with their names. `unnamed`: tracks whose name stands elsewhere; `isNamed`: one alone has its name, too.
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
