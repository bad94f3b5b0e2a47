// The views of favourites and of the album. The album lists every breed and species, with the person's own photo or an outline.

import * as api from "../services/api.js";
import { breakable, text } from "../languages/language.js";
import { articleCards } from "./article-cards.js";
import { shareBar } from "./bars.js";
import { element, style } from "./dom.js";
import { PagedList, allPages } from "./paged.js";
import { portrait } from "./portrait.js";

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
const groupOf = ({ kind, species }) => (kind === "fruit" ? "fruit" : kind === "breed" && species === "cat" ? "cats" : kind === "breed" && species === "dog" ? "dogs" : "species");

export async function albumView() {
  const [articles, met, { progress }] = await Promise.all([
    allPages((cursor) => api.breeds({ limit: 100, cursor })), allPages((cursor) => api.collection({ limit: 100, cursor })), api.collection({ limit: 1 }),
  ]);
  const counts = new Map(met.map(({ label, count }) => [label, count]));
  const place = (article) => {
    const count = counts.get(article.id) ?? 0;
    return element("li", { class: count ? "met" : null }, element("a", { href: `#breeds/${article.id}` },
      portrait(article.id, { article, hasPhotos: count > 0 }), breakable(article.name),
      element("span", { class: count > 1 ? "times" : "visually-hidden" }, count > 1 ? text("times", { n: count }) : text(count ? "met" : "unmet"))));
  };
  return {
    element: element("div", {}, groups.filter((name) => progress.groups[name]).map((name) => {
      const { met: n, of } = progress.groups[name];
      const members = articles.filter((article) => groupOf(article) === name);
      return element("section", { "aria-labelledby": `album-${name}` },
        element("h2", { id: `album-${name}` }, text(`group.${name}`)),
        element("p", { class: "album-progress" }, shareBar(n / of, text(`group.${name}`)), text("metOf", { n, of })),
        element("ul", { class: "album" }, members.sort((one, other) => Number(counts.has(other.id)) - Number(counts.has(one.id))).map(place)));
    })),
  };
}
