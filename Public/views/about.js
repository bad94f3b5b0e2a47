// The About view: what the program is, its versions and its licences.

import * as api from "../services/api.js";
import { number, text } from "../languages/language.js";
import { element } from "../parts/dom.js";
import { factList } from "../parts/facts.js";

export async function render() {
  const [server, models, articles] = await Promise.all([
    api.json("/v2").catch(() => ({})), api.models().catch(() => ({ items: [] })), api.breeds({ limit: 1 }).catch(() => ({})),
  ]);
  const rows = [
    ["about.version", server.version], ["about.articles", articles.total && number(articles.total)],
    ["about.models", models.items.map(({ name, version, licence }) => `${name} ${version}${licence ? ` (${licence})` : ""}`).join(", ")],
    ["about.licence", "Apache-2.0"],
  ];
  return {
    title: text("about"),
    element: element("div", {},
      element("h1", {}, text("about")),
      element("p", { class: "lead" }, text("about.text")),
      factList(rows),
      element("h2", {}, text("about.partsTitle")), element("p", {}, text("about.parts"))),
  };
}
