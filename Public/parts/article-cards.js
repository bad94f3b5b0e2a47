// Articles as cards: one's own photo or a drawing, the name and a sentence.

import { breakable } from "../languages/language.js";
import { element } from "./dom.js";
import { portrait } from "./portrait.js";

/** `met`: the ids of those of which there are own photos; where it is not given, each is asked for. */
export const articleCards = (articles, met) => articles.map((article) =>
  element("li", { class: "article-card" }, portrait(article.id, { article, hasPhotos: met?.has(article.id) ?? true }),
    element("div", {},
      element("h2", {}, element("a", { href: `#breeds/${article.id}` }, breakable(article.name))),
      element("p", {}, article.summary))));
