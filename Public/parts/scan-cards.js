// Scans as a grid of tiles, grouped by date.

import { formatDate } from "../languages/language.js";
import { element } from "./dom.js";
import { tile } from "./tile.js";

/** Returns list items with a heading before each day. `options(scan)`: the options of its tile. `before`: the scan that precedes the first one. */
export function scanCards(scans, options, before) {
  let day = before ? formatDate(before.created_at) : null;
  return scans.flatMap((scan) => {
    const date = formatDate(scan.created_at);
    const item = tile(scan, options(scan));
    if (date === day) return [item];
    day = date;
    return [element("li", { class: "day" }, element("h2", {}, date)), item];
  });
}
