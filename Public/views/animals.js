// The My animals view: all scans, named animals, scans to check, favourites, and the album of breeds and species.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { style } from "../parts/dom.js";
import { scansView } from "../parts/scans-view.js";
import { segments } from "../parts/segments.js";
import { element } from "../parts/dom.js";

const shelves = {
  all: () => scansView, pets: () => scansView, check: () => scansView,
  favourites: async () => (await import("../parts/shelves.js")).favouritesView,
  met: async () => (await import("../parts/shelves.js")).albumView,
};

export async function render({ query, restored, signal }) {
  const shelf = Object.hasOwn(shelves, query.get("show") ?? "") ? query.get("show") : "all";
  const href = (name) => (name === "all" ? "#history" : `#history?show=${name}`);
  const [, progress, make] = await Promise.all([
    style("animals"), api.collection({ limit: 1 }).then(({ progress: each }) => each), shelves[shelf](),
  ]);
  signal.throwIfAborted();
  const content = await make({ shelf, query, restored, signal });
  return {
    ...content,
    title: text("historyTitle"),
    element: element("div", {},
      element("h1", {}, text("historyTitle")),
      segments("shelves", [
        { href: href("all"), name: "all" }, { href: href("pets"), name: "pets" }, { href: href("favourites"), name: "favourites" },
        { href: href("met"), words: text("metOf", { n: progress.met, of: progress.of }) }, { href: href("check"), name: "toCheck" },
      ], href(shelf)),
      content.element),
  };
}
