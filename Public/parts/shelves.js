// Favourites, and what was met of all there is to meet.

import * as api from "../services/api.js";
import { formatTime, text } from "../languages/language.js";
import { articleCards } from "./article-cards.js";
import { element, style } from "./dom.js";
import { PagedList } from "./paged.js";

export async function favouritesView({ restored }) {
  await style("encyclopaedia");
  const paged = new PagedList({
    list: element("ul", { class: "cards three" }),
    fetchPage: (cursor) => api.favourites(cursor),
    draw: (items) => articleCards(items.map(({ article }) => article)),
    counted: (n) => text("favouritesCounted", { n }),
    empty: () => text("noFavourites"),
  });
  if (restored) paged.restore(restored);
  else await paged.load();
  return { element: element("div", {}, paged.element), snapshot: () => paged.snapshot() };
}

const groups = ["cats", "dogs", "species", "fruit"];

export async function metView({ restored }) {
  const { progress } = await api.collection({ limit: 1 });
  const paged = new PagedList({
    list: element("ul", { class: "met" }),
    fetchPage: (cursor) => api.collection({ sort: "name", limit: 50, cursor }),
    draw: (items) => items.map((met) => element("li", {},
      element("a", { href: `#${met.url.slice(1)}` }, met.name), " ",
      element("span", { class: "quiet" }, text("metTimes", { n: met.count, date: formatTime(met.last_met, { dateStyle: "medium" }) })))),
    counted: (n) => text("metCounted", { n }),
    empty: () => text("noneMet"),
  });
  if (restored) paged.restore(restored);
  else await paged.load();
  const bars = element("dl", { class: "met-bars" }, groups.filter((name) => progress.groups[name]).flatMap((name) => {
    const { met, of } = progress.groups[name];
    return [
      element("dt", {}, text(`group.${name}`)),
      element("dd", {}, element("meter", { min: 0, max: of, value: met, "aria-label": text(`group.${name}`) }), " ", text("countOf", { n: met, of })),
    ];
  }));
  return { element: element("div", {}, bars, paged.element), snapshot: () => paged.snapshot() };
}
