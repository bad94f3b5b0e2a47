// Scans as a grid of tiles under their dates.

import { formatDate } from "../languages/language.js";
import { element } from "./dom.js";
import { tile } from "./tile.js";

/** The list items, with a heading for each day. `options(scan)`: of its tile; `before`: the scan that shows before. */
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
