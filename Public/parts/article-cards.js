// Encyclopaedia articles as cards: the person's own photo or a drawing, the name and the summary.

import { breakable } from "../languages/language.js";
import { element } from "./dom.js";
import { portrait } from "./portrait.js";

/** `met`: a set of the article ids that the person has photos of. Without `met`, every portrait asks the service for a photo. */
export const articleCards = (articles, met) => articles.map((article) =>
  element("li", { class: "article-card" }, portrait(article.id, { article, hasPhotos: met?.has(article.id) ?? true }),
    element("div", {},
      element("h2", {}, element("a", { href: `#breeds/${article.id}` }, breakable(article.name))),
      element("p", {}, article.summary))));
