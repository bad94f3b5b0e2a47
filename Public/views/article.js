// One article: the person's photos or a drawing, facts, sizes to scale, traits, origin, texts and look-alikes.

import * as api from "../services/api.js";
import { language, text } from "../languages/language.js";
import { may } from "../services/api.js";
import { cameFrom } from "../router.js";
import { asProblem } from "../services/problem.js";
import { breedPhotos } from "../parts/breed-photos.js";
import { drawing } from "../parts/drawings.js";
import { announce, button, element, style } from "../parts/dom.js";
import { factList, range } from "../parts/facts.js";
import { icon } from "../parts/icons.js";
import { originMap } from "../parts/map.js";
import { PagedList, allPages } from "../parts/paged.js";
import { sizeFigure } from "../parts/size.js";
import { toast } from "../parts/toasts.js";
import { traitChart } from "../parts/traits.js";

const sectionOrder = [
  "appearance", "temperament", "behaviour", "habitat", "diet", "taste", "cultivation", "use", "care", "ecology", "health",
];

export async function render({ id, restored, signal }) {
  const ownScans = pagesOfOwnScans(id);
  const [article, own, favourites] = await Promise.all([
    api.breed(id, signal), ownScans().catch(() => ({ items: [] })), allPages(api.favourites).catch(() => []), style("article"),
  ]);
  const photos = own.items;
  const isFavourite = favourites.some((each) => each.id === id);
  const inArticle = article.language === language() ? {} : { lang: article.language };
  const list = photos.length < 2 ? null : ownPhotos(ownScans, own, restored, article);
  const view = element("div", {},
    element("p", { class: "noprint" }, element("a", { href: "#breeds", class: "back", onclick: goBack }, `← ${text("back")}`)),
    element("article", { lang: language() },
      element("div", { class: "article-head" },
        photos.length ? ownPhoto(photos[0], article) : drawing(article, { large: true }),
        element("div", {},
          photos.length ? element("span", { class: "peek", "aria-hidden": "true" }, drawing(article)) : null,
          element("h1", {}, article.name),
          article.scientific_name ? element("p", { class: "quiet" }, element("i", { lang: "la" }, article.scientific_name)) : null,
          element("p", { class: "lead" }, article.summary),
          may("user") ? favouriteButton(article, isFavourite) : null)),
      list && element("section", { "aria-labelledby": "own-photos" }, element("h2", { id: "own-photos" }, text("yourPhotos")), list.element),
      element("div", { class: "article-body" },
        facts(article),
        element("div", {},
          element("div", inArticle, article.description.split("\n\n").map((paragraph) => element("p", {}, paragraph))),
          sectionOrder.filter((name) => article.sections[name]).map((name) => [
            element("h2", {}, text(name)), element("p", inArticle, article.sections[name]),
          ])),
        element("div", {}, sizeFigure(article), traitChart(article), originMap(article))),
      lookAlikes(article),
      breedPhotos(article),
      element("h2", {}, text("sources")),
      element("ul", { class: "sources" }, article.sources.map((source) =>
        element("li", {}, element("a", { href: source.url, rel: "noreferrer" }, source.title))))));
  announce(article.name);
  return { title: article.name, element: view, snapshot: () => list?.snapshot() };
}

/** If the person came from the list, goes back in the history. This restores the search and the scroll position. */
function goBack(event) {
  if (cameFrom() !== "breeds") return;
  event.preventDefault();
  history.back();
}

function favouriteButton(article, isFavourite) {
  let now = isFavourite;
  const toggle = button([icon("heart"), element("span", {}, text("favourite"))], async () => {
    try {
      await api.setFavourite(article.id, !now);
      now = !now;
      toggle.setAttribute("aria-pressed", String(now));
      toast(text(now ? "favouriteAdded" : "favouriteRemoved"), { isOfView: true, link: now ? { href: "#history?show=favourites", words: text("favourites") } : null });
    } catch (error) {
      toast(asProblem(error).message, { tone: "bad", isOfView: true });
    }
  }, { "aria-pressed": String(isFavourite), class: "favourite noprint" });
  return element("p", {}, toggle);
}

/** Gives a function that fetches pages of the person's scans of a breed. Scans that were imported without their photo are left out. */
function pagesOfOwnScans(id) {
  let leftOut = 0;
  return async (cursor) => {
    const { items, total, ...page } = await api.ownScans(id, cursor);
    const shown = items.filter(({ photo_url: url }) => url);
    leftOut = (cursor ? leftOut : 0) + items.length - shown.length;
    return { ...page, items: shown, total: total - leftOut };
  };
}

/** The person's newest photo replaces our drawing. */
const ownPhoto = (scan, { name }) => element("a", { href: `#scan/${scan.id}`, class: "own-photo" },
  element("img", { src: scan.photo_url, alt: text("yourPhotoOf", { name, n: 1 }) }));

function ownPhotos(fetchPage, first, restored, { name }) {
  const paged = new PagedList({
    list: element("ul", { class: "own-photos" }),
    fetchPage,
    draw: (scans, before) => scans.map((scan, index) => element("li", {}, element("a", { href: `#scan/${scan.id}` },
      element("img", { src: scan.thumbnail_url, alt: text("yourPhotoOf", { name, n: (before ? paged.items.length : 0) + index + 1 }), width: 160, height: 160, loading: "lazy" })))),
    counted: (n) => text("photosCounted", { n }),
  });
  if (restored) paged.restore(restored);
  else paged.begin(first);
  return paged;
}

function facts(article) {
  return factList([
    ["alsoCalled", article.aliases.join(", ")],
    ["origin", article.origin],
    ["lifeSpan", article.life_span_years && range(article.life_span_years, text("years"))],
    ["weight", article.weight_kg && range(article.weight_kg, "kg")],
    ["height", article.height_cm && range(article.height_cm, "cm")],
    ["length", article.length_cm && range(article.length_cm, "cm")],
    ["status", article.conservation_status && element("span", { class: `status ${article.conservation_status}` },
      `${text(`status.${article.conservation_status}`)} (${article.conservation_status})`)],
  ]);
}

const lookAlikes = ({ look_alikes: others }) =>
  others.length === 0 ? null : element("section", { "aria-labelledby": "tell-apart" },
    element("h2", { id: "tell-apart" }, text("lookAlikes")),
    element("ul", { class: "tell-apart" }, others.map((other) =>
      element("li", {}, drawing(other), element("div", {},
        element("h3", {}, element("a", { href: `#breeds/${other.id}` }, other.name)), element("p", {}, other.how_to_tell))))));
