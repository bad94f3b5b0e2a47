// The OpenAPI document as a page to read and to try. The document is fetched once; a call is drawn when it is opened.

import { element } from "../parts/dom.js";
import { groups } from "./modules/description.js";
import { operationView } from "./modules/operation.js";
import { paragraphs } from "./modules/text.js";

const main = document.getElementById("main");

async function start() {
  const response = await fetch("../openapi.json");
  if (!response.ok) throw new Error(`${response.status}`);
  const description = await response.json();
  const all = groups(description);
  main.replaceChildren(
    element("h1", {}, "HTTP interface"),
    element("p", { class: "quiet" }, `${description.info.title} ${description.info.version}: ${description.info.summary}`),
    ...paragraphs(description.info.description),
    ...all.map((group) => section(description, group)));
  document.getElementById("calls").replaceChildren(navigation(all));
  addEventListener("hashchange", open);
  open();
}

function section(description, group) {
  return element("section", { "aria-labelledby": `group-${group.name}` },
    element("h2", { id: `group-${group.name}` }, title(group.name)),
    ...paragraphs(group.description),
    ...group.operations.map((operation) => operationView(description, operation)));
}

const title = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** Every call with its address on this page, and a field that narrows the list down. */
function navigation(all) {
  const rows = all.flatMap((group) => group.operations.map((operation) => ({ group, operation })));
  const lists = new Map(all.map((group) => [group, element("ul")]));
  for (const row of rows) {
    const { id, method, path, summary } = row.operation;
    row.item = element("li", {}, element("a", { href: `#${id}` },
      element("span", { class: `method ${method.toLowerCase()}` }, method), ` ${path} `,
      element("span", { class: "quiet" }, summary)));
    row.text = `${method} ${path} ${summary} ${id}`.toLowerCase();
    lists.get(row.group).append(row.item);
  }
  const blocks = [...lists].map(([group, list]) => element("div", {}, element("h2", {}, title(group.name)), list));
  const search = element("input", {
    id: "search", type: "search", oninput: () => {
      const words = search.value.toLowerCase().split(/\s+/);
      for (const row of rows) row.item.hidden = !words.every((word) => row.text.includes(word));
      for (const block of blocks) block.hidden = !block.querySelector("li:not([hidden])");
    },
  });
  const wide = matchMedia("(min-width: 70rem)");
  const fold = element("details", { open: wide.matches }, element("summary", {}, "All calls"),
    element("label", { for: "search" }, "Find a call"), search, ...blocks);
  wide.addEventListener("change", () => { fold.open = wide.matches; });
  return fold;
}

/** Opens the call that the address names, and goes there. */
function open() {
  const call = document.getElementById(location.hash.slice(1));
  if (!call?.matches("details.call")) return;
  call.open = true;
  call.scrollIntoView();
  call.querySelector("summary").focus({ preventScroll: true });
}

start().catch(() => main.querySelector(".starting")?.classList.replace("starting", "problem"));
