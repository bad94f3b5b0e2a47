// Articles as cards: a drawing, the name and a sentence.

import { element } from "./dom.js";
import { drawing } from "./drawings.js";

export const articleCards = (articles) => articles.map((article) =>
  element("li", { class: "article-card" }, drawing(article),
    element("div", {},
      element("h2", {}, element("a", { href: `#breeds/${article.id}` }, article.name)),
      element("p", {}, article.summary))));
