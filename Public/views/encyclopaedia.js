// The list of articles, with a search and filters. The address contains the search and all filters.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { keepInAddress } from "../router.js";
import { articleCards } from "../parts/article-cards.js";
import { element, style } from "../parts/dom.js";
import { PagedList, allPages } from "../parts/paged.js";
import { traits } from "../parts/traits.js";

const kinds = { all: {}, cat: { species: "cat" }, dog: { species: "dog" }, species: { kind: "species" }, fruit: { kind: "fruit" } };
const sizes = ["tiny", "small", "medium", "large", "giant"];
const statuses = ["LC", "NT", "VU", "EN", "CR"];
const sorts = ["name", "weight", "height", "life_span"];
const groups = [
  "shorthair", "semi_longhair", "longhair", "hairless", "terrier", "molosser_and_schnauzer", "companion", "herding",
  "retriever_and_water", "spitz_and_primitive", "scent_hound", "sighthound", "pointing", "mammal", "bird", "reptile", "wild",
];
const names = ["q", "kind", "group", "size", "trait", "status", "sort"];

export async function render({ query, restored, signal }) {
  const [collected] = await Promise.all([allPages((cursor) => api.collection({ limit: 100, cursor })).catch(() => []), style("encyclopaedia")]);
  const met = new Set(collected.map(({ label }) => label));
  signal.throwIfAborted();
  const values = Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
  const paged = new PagedList({
    list: element("ul", { class: "cards three" }),
    fetchPage: (cursor, stop) => {
      const { q, kind, ...rest } = values;
      return api.breeds({ q, ...kinds[kind || "all"], ...rest, limit: 30, cursor }, stop);
    },
    draw: (articles) => articleCards(articles, met),
    counted: (n) => text("found", { n }),
    empty: () => text("nothing"),
  });
  const changed = () => {
    keepInAddress(values, signal);
    paged.load();
  };
  const view = element("div", {},
    element("h1", {}, text("encyclopaedia")),
    element("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
      element("div", { class: "first" }, searchField(values, changed),
        choice("kind", values, Object.keys(kinds).map((name) => [name === "all" ? "" : name, text(name)]), changed)),
      element("details", { open: names.slice(2).some((name) => values[name]) },
        element("summary", {}, text("moreFilters")),
        element("div", { class: "fields" },
          choice("group", values, options(groups, "group."), changed), choice("size", values, options(sizes, "size."), changed),
          choice("trait", values, options(traits, ""), changed), choice("status", values, options(statuses, "status."), changed),
          choice("sort", values, sorts.map((name) => [name === "name" ? "" : name, text(`sort.${name}`)]), changed)))),
    paged.element);
  if (restored) paged.restore(restored);
  else await paged.load();
  return { title: text("encyclopaedia"), element: view, snapshot: () => paged.snapshot() };
}

const options = (values, prefix) => [["", text("any")], ...values.map((value) => [value, text(prefix + value)])];

function searchField(values, changed) {
  let typing;
  const search = element("input", { type: "search", id: "search", autocomplete: "off", value: values.q });
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      values.q = search.value.trim();
      changed();
    }, 150);
  });
  return element("label", { for: "search" }, text("search"), search);
}

function choice(name, values, entries, changed) {
  const select = element("select", { id: name, onchange: () => {
    values[name] = select.value;
    changed();
  } }, entries.map(([value, words]) => element("option", { value, selected: values[name] === value }, words)));
  return element("label", { for: name }, text(`filter.${name}`), select);
}
