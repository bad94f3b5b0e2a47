// Plots drawn as SVG. A table below each plot has the same figures.

import { number, text } from "../languages/language.js";
import { element, svg } from "./dom.js";

const width = 640;
const height = 280;
const margin = { left: 104, right: 16, top: 20, bottom: 44 };

/** Returns about five round values from `low` to `high`. `least`: the smallest step, for example 1 on an axis of whole numbers. */
function ticks(low, high, least = 0) {
  const raw = Math.max(least, (high - low || 1) / 4);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).filter((each) => !least || Number.isInteger(each)).find((each) => each >= raw);
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.floor((high - first) / step + 1e-9) + 1 }, (_, index) => first + index * step);
}

/**
 * `series`: `[{ name, points: [[x, y]] }]`. `yLabel(value)`: formats a value of the y axis. `left`: the start of the x axis.
 * `low`, `high`: the ends of the y axis. Each of the three is null to fit the data. `dots`: draws points instead of lines.
 */
export function linePlot({ title, series, xTitle, yLabel = (value) => number(value), low = null, high = null, left = null, dots = false }) {
  const all = series.flatMap(({ points }) => points);
  if (all.length === 0) return element("p", { class: "quiet" }, text("nothingYet"));
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  const [x0, x1, y0, y1] = [left ?? Math.min(...xs), Math.max(...xs), low ?? Math.min(...ys), high ?? Math.max(...ys)];
  const x = (value) => margin.left + ((value - x0) / (x1 - x0 || 1)) * (width - margin.left - margin.right);
  const y = (value) => height - margin.bottom - ((value - y0) / (y1 - y0 || 1)) * (height - margin.top - margin.bottom);
  const grid = ticks(y0, y1).flatMap((value) => [
    svg("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y(value), y2: y(value) }),
    svg("text", { class: "tick", x: margin.left - 8, y: y(value) + 5, "text-anchor": "end" }, yLabel(value)),
  ]);
  const marks = ticks(x0, x1, all.every(([each]) => Number.isInteger(each)) ? 1 : 0).map((value) =>
    svg("text", { class: "tick", x: x(value), y: height - 14, "text-anchor": "middle" }, number(value)));
  const lines = series.map(({ points }, index) =>
    dots
      ? points.map(([a, b]) => svg("circle", { class: `point series-${index}`, cx: x(a), cy: y(b), r: 6 }))
      : svg("polyline", { class: `line series-${index}`, points: points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ") }));
  return element("figure", { class: "plot" },
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title }, grid, marks, lines),
    element("figcaption", {}, title, xTitle ? ` (${xTitle})` : "", element("ul", { class: "legend" }, series.map(({ name }, index) =>
      element("li", {}, element("span", { class: `swatch series-${index}`, "aria-hidden": "true" }), name)))),
    dataTable({
      heads: [xTitle ?? "", ...series.map(({ name }) => name)],
      rows: [...new Set(xs)].map((value) => [number(value), ...series.map(({ points }) => {
        const found = points.find(([a]) => a === value);
        return found ? yLabel(found[1]) : "";
      })]),
    }));
}

/** A table that is collapsed at first. */
const dataTable = ({ heads, rows, caption = text("figures") }) =>
  element("details", { class: "figures" }, element("summary", {}, caption), table({ heads, rows, caption }));

export const table = ({ heads, rows, caption }) =>
  element("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": caption },
    element("table", {},
      element("thead", {}, element("tr", {}, heads.map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell, index) =>
        element(index === 0 ? "th" : "td", index === 0 ? { scope: "row" } : {}, cell)))))));
