// The finishing line over a picture. The person drags its two ends or moves them with the arrow keys.

import { number, percent, text } from "../languages/language.js";
import { element, svg } from "./dom.js";

const step = 0.02;

/**
 * `ends`: `[[x1, y1], [x2, y2]]` in fractions of the picture, or null for a line in the middle. `changed(ends)`: called after each move.
 * `lock(true)` hides the handles, so that the line cannot be moved.
 */
export function draggableLine(ends, changed) {
  const points = (ends ?? [[0.5, 0.1], [0.5, 0.9]]).map((each) => [...each]);
  const drawn = svg("line", {});
  const handles = points.map((point, index) => element("span", { class: "line-end", role: "slider", tabindex: 0 }));
  const layer = element("div", { class: "lap-line" }, svg("svg", { "aria-hidden": "true" }, drawn), handles);
  const draw = () => {
    points.forEach(([x, y], index) => {
      drawn.setAttribute(`x${index + 1}`, `${x * 100}%`);
      drawn.setAttribute(`y${index + 1}`, `${y * 100}%`);
      const handle = handles[index];
      handle.style.left = `${x * 100}%`;
      handle.style.top = `${y * 100}%`;
      handle.setAttribute("aria-label", text("lapsLineEnd", { n: number(index + 1) }));
      handle.setAttribute("aria-valuemin", 0);
      handle.setAttribute("aria-valuemax", 100);
      handle.setAttribute("aria-valuenow", Math.round(x * 100));
      handle.setAttribute("aria-valuetext", `${percent(x, 0)}, ${percent(y, 0)}`);
    });
  };
  const move = (index, x, y) => {
    points[index] = [x, y].map((value) => Math.round(Math.max(0, Math.min(1, value)) * 1000) / 1000);
    draw();
  };
  let hasMoved = false;
  handles.forEach((handle, index) => {
    handle.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
      if (!way) return;
      event.preventDefault();
      move(index, points[index][0] + way[0], points[index][1] + way[1]);
      changed(points);
    });
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
    });
    handle.addEventListener("pointermove", (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      hasMoved = true;
      const room = layer.getBoundingClientRect();
      move(index, (event.clientX - room.left) / room.width, (event.clientY - room.top) / room.height);
    });
    handle.addEventListener("pointerup", () => {
      if (hasMoved) changed(points);
      hasMoved = false;
    });
  });
  draw();
  return {
    element: layer,
    translate: draw,
    /** Moves both ends of the line. Does not call `changed`. */
    place: (next) => next.forEach(([x, y], index) => move(index, x, y)),
    lock(isLocked) {
      layer.classList.toggle("locked", isLocked);
      for (const handle of handles) handle.hidden = isLocked;
    },
  };
}
