// A row of links to related views.

import { text } from "../languages/language.js";
import { element } from "./dom.js";
import { icon } from "./icons.js";

/** `entries`: `[{ href, name, symbol, words }]`. `name` is the key of a text, and `words` replaces that text. `current`: the `href` of this view. */
export function segments(label, entries, current) {
  const row = element("nav", { class: "segments", "aria-label": text(label) }, entries.map(({ href, name, symbol, words }) =>
    // The address starts with `./`. A link that is scrolled out of view and starts with `#` would count as a skip link.
    element("a", { href: `./${href}`, "aria-current": href === current ? "page" : null }, symbol ? icon(symbol) : null, words ?? text(name))));
  // On a phone the row may be wider than the screen. It scrolls to the current link.
  new ResizeObserver(() => {
    const chosen = row.querySelector("[aria-current]");
    if (chosen) row.scrollLeft = chosen.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2;
  }).observe(row);
  return row;
}

export const identifySegments = (current) => segments("identifyWays", [
  { href: "#scan", name: "photo", symbol: "photos" }, { href: "#live", name: "live", symbol: "live" },
  { href: "#video", name: "video", symbol: "video" }, { href: "#laps", name: "laps", symbol: "laps" },
], current);
