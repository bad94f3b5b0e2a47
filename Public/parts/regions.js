// An editor for rectangles over a picture. A pointer draws them, and keys move, resize and delete them.

import { text } from "../languages/language.js";
import { button, element } from "./dom.js";
import { icon } from "./icons.js";

const step = 0.02;
const least = 0.02;
const most = 32;
const within = (value, low, high) => Math.max(low, Math.min(high, value));
const round = (value) => Math.round(value * 1000) / 1000;

/** `regions`: `[{ x, y, width, height }]` in fractions of the picture. `picture`: its address, or nothing. `value()` returns the edited regions. */
export function regionEditor(regions, picture) {
  let all = regions.map((each) => ({ ...each }));
  const layer = element("div", { class: "regions" });
  const list = element("div", { class: "actions" });
  const stage = element("div", { class: "region-stage" }, picture ? element("img", { src: picture, alt: "" }) : null, layer);
  const place = (node, { x, y, width, height }) => Object.assign(node.style, { left: `${x * 100}%`, top: `${y * 100}%`, width: `${width * 100}%`, height: `${height * 100}%` });

  function draw(focused = null) {
    layer.replaceChildren(...all.map((region, index) => {
      const node = element("div", { class: "region", role: "group", tabindex: 0, "aria-label": text("cameraIgnoreHere", { n: index + 1 }), "aria-describedby": "region-keys" },
        element("span", { "aria-hidden": "true" }, index + 1));
      place(node, region);
      node.addEventListener("keydown", (event) => {
        if (event.key === "Delete") {
          all.splice(index, 1);
          draw(Math.min(index, all.length - 1));
        }
        const [right, down] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key] ?? [0, 0];
        if (!right && !down) return;
        event.preventDefault();
        if (event.shiftKey) {
          region.width = round(within(region.width + right, least, 1 - region.x));
          region.height = round(within(region.height + down, least, 1 - region.y));
        } else {
          region.x = round(within(region.x + right, 0, 1 - region.width));
          region.y = round(within(region.y + down, 0, 1 - region.height));
        }
        place(node, region);
      });
      return node;
    }));
    list.replaceChildren(
      button(text("cameraIgnoreAdd"), () => {
        all.push({ x: 0.4, y: 0.4, width: 0.2, height: 0.2 });
        draw(all.length - 1);
      }, { disabled: all.length >= most }),
      ...all.map((_, index) => button([icon("cross"), `${index + 1}`], () => {
        all.splice(index, 1);
        draw(all.length);
      }, { "aria-label": text("cameraIgnoreRemove", { n: index + 1 }) })));
    if (focused !== null) (layer.children[focused] ?? list.firstElementChild).focus();
  }

  let from = null;
  const at = (event) => {
    const room = layer.getBoundingClientRect();
    return [within((event.clientX - room.left) / room.width, 0, 1), within((event.clientY - room.top) / room.height, 0, 1)];
  };
  layer.addEventListener("pointerdown", (event) => {
    if (all.length >= most) return;
    event.preventDefault();
    layer.setPointerCapture(event.pointerId);
    from = at(event);
    all.push({ x: from[0], y: from[1], width: 0, height: 0 });
    draw();
  });
  layer.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = at(event);
    const region = all.at(-1);
    Object.assign(region, { x: round(Math.min(x, from[0])), y: round(Math.min(y, from[1])), width: round(Math.abs(x - from[0])), height: round(Math.abs(y - from[1])) });
    place(layer.lastElementChild, region);
  });
  const end = () => {
    if (!from) return;
    from = null;
    // A tap without a drag leaves a tiny rectangle, which is removed.
    all = all.filter(({ width, height }) => width >= least && height >= least);
    draw();
  };
  layer.addEventListener("pointerup", end);
  layer.addEventListener("pointercancel", end);
  draw();
  return {
    element: element("div", {}, element("p", { class: "quiet", id: "region-keys" }, text("cameraIgnoredHint")), stage, list),
    value: () => all,
  };
}
