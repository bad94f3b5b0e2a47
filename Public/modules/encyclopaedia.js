// The list of articles with search, and one article.

import * as api from "./api.js";
import { announce, element, problemBox } from "./dom.js";
import { text } from "./language.js";

const sectionOrder = [
  "appearance", "temperament", "behaviour", "habitat", "diet", "taste", "cultivation", "use", "care", "ecology", "health",
];
const traitOrder = [
  "affection", "energy", "playfulness", "trainability", "independence", "vocal", "children", "other_pets", "grooming",
  "shedding",
];
const kinds = { all: {}, cat: { species: "cat" }, dog: { species: "dog" }, species: { kind: "species" }, fruit: { kind: "fruit" } };

/** What was searched last, for whoever comes back from an article. */
const last = { search: "", kind: "all" };

export async function listPage(page) {
  const search = element("input", { type: "search", id: "search", autocomplete: "off", value: last.search });
  const kind = element("select", { id: "kind" },
    Object.keys(kinds).map((name) => element("option", { value: name, selected: name === last.kind }, text(name))));
  const count = element("p", { class: "quiet", role: "status" });
  const list = element("ul", { class: "cards" });
  const more = element("button", { type: "button", hidden: true }, text("more"));
  const notice = element("div");
  page.replaceChildren(
    element("h1", {}, text("searchTitle")),
    element("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
      element("label", { for: "search" }, text("search"), search),
      element("label", { for: "kind" }, text("kind"), kind)),
    count, notice, list, element("div", { class: "actions" }, more));

  let cursor = null;
  let latest = 0;
  async function load(append) {
    const ticket = ++latest;
    Object.assign(last, { search: search.value.trim(), kind: kind.value });
    list.setAttribute("aria-busy", "true");
    try {
      const answer = await api.breeds({ q: last.search, ...kinds[last.kind], limit: 30, cursor: append ? cursor : null });
      if (ticket !== latest) return;
      notice.replaceChildren();
      cursor = answer.next_cursor;
      more.hidden = cursor === null;
      count.textContent = answer.total ? text("found", { n: answer.total }) : text("nothing");
      const cards = answer.items.map((article) =>
        element("li", {},
          element("h2", {}, element("a", { href: `#breeds/${article.id}` }, article.name)),
          element("p", {}, article.summary)));
      if (append) {
        list.append(...cards);
        cards[0]?.querySelector("a").focus();
      } else {
        list.replaceChildren(...cards);
      }
    } catch (problem) {
      if (ticket !== latest) return;
      notice.replaceChildren(problemBox(problem, () => load(append)));
    }
    list.removeAttribute("aria-busy");
  }
  let typing;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => load(false), 150);
  });
  kind.addEventListener("change", () => load(false));
  more.addEventListener("click", () => load(true));
  await load(false);
}

const backLink = () =>
  element("p", {}, element("a", { href: "#breeds", class: "button" }, `← ${text("back")}`));

const range = (value, unit) => (value ? `${value.min}–${value.max} ${unit}` : null);

export async function articlePage(page, id) {
  try {
    const article = await api.breed(id);
    const facts = [
      ["scientific", article.scientific_name && element("i", {}, article.scientific_name)],
      ["alsoCalled", article.aliases.join(", ")],
      ["origin", article.origin],
      ["lifeSpan", range(article.life_span_years, text("years"))],
      ["weight", range(article.weight_kg, "kg")],
      ["height", range(article.height_cm, "cm")],
      ["length", range(article.length_cm, "cm")],
      ["status", article.conservation_status],
    ].filter(([, value]) => value);
    page.replaceChildren(
      backLink(),
      element("article", { lang: article.language },
        element("h1", {}, article.name),
        article.description.split("\n\n").map((paragraph) => element("p", {}, paragraph)),
        element("dl", { class: "facts" },
          facts.map(([name, value]) => [element("dt", {}, text(name)), element("dd", {}, value)]).flat()),
        sectionOrder.filter((name) => article.sections[name]).map((name) =>
          [element("h2", {}, text(name)), element("p", {}, article.sections[name])]).flat(),
        traitTable(article.traits),
        article.look_alikes.length ? element("h2", {}, text("lookAlikes")) : null,
        element("ul", {}, article.look_alikes.map((other) =>
          element("li", {}, element("a", { href: `#breeds/${other.id}` }, other.name), ": ", other.how_to_tell))),
        element("h2", {}, text("sources")),
        element("ul", {}, article.sources.map((source) =>
          element("li", {}, element("a", { href: source.url, rel: "noreferrer" }, source.title))))));
    if (page.isConnected) document.title = `${article.name} – Menagerie`;
    announce(article.name);
  } catch (problem) {
    page.replaceChildren(backLink(), problemBox(problem, () => articlePage(page, id)));
  }
}

const traitTable = (traits) =>
  traits && element("table", { class: "traits" },
    element("caption", {}, element("h2", {}, text("traits"))),
    element("tbody", {}, traitOrder.filter((name) => name in traits).map((name) =>
      element("tr", {},
        element("th", { scope: "row" }, text(name)),
        element("td", {},
          element("meter", { min: 0, max: 5, value: traits[name], "aria-label": `${traits[name]} / 5` }),
          ` ${traits[name]}`)))));
