// Shows the view that the address names. Each view is a module that the router imports on first use. Its
// `render({ id, query, restored, signal })` resolves with `{ title, element, dispose?, snapshot?, translate? }`.
// `translate()` writes the view's texts in the current language and returns the title.

import { element, problemBox, style } from "./parts/dom.js";
import { text } from "./languages/language.js";
import { session } from "./services/api.js";
import { asProblem, unreachable } from "./services/problem.js";

const views = {
  scan: (id) => (id ? import("./views/scan.js") : import("./views/identify.js")),
  live: () => import("./views/live.js"),
  laps: (id) => (id ? import("./views/lap-session.js") : import("./views/laps.js")),
  video: (id) => (id ? import("./views/video.js") : import("./views/videos.js")),
  history: () => import("./views/animals.js"),
  breeds: (id) => (id ? import("./views/article.js") : import("./views/encyclopaedia.js")),
  more: () => import("./views/more.js"),
  models: (id) => (id ? import("./views/model.js") : import("./views/models.js")),
  training: (id) => (id ? import("./views/training-run.js") : import("./views/training.js")),
  cameras: () => import("./views/cameras.js"),
  keys: () => import("./views/keys.js"),
  storage: () => import("./views/storage.js"),
  phone: () => import("./views/phone.js"),
  privacy: () => import("./views/privacy.js"),
  terms: () => import("./views/terms.js"),
  about: () => import("./views/about.js"),
};

/** The tab to mark for each view. A view that is not listed belongs to the More tab. */
const tabs = { live: "scan", laps: "scan", video: "scan", scan: "scan", history: "history", breeds: "breeds" };

const main = document.getElementById("main");
let shown = null;
let running = null;
/** The scroll position and snapshot of each history entry that was left, by entry key. Browsers keep 50. */
const left = new Map();
const mostLeft = 50;
let entryKey = null;
/** The view from which the current one was opened. Empty if that view had an id. */
let origin = "";
let shownName = "";

export const cameFrom = () => origin;

/** `#breeds/siamese?q=x` gives `{ name: "breeds", id: "siamese", query }`. A malformed address gives an empty name. */
export function address() {
  const [path, search = ""] = location.hash.slice(1).split("?");
  const [name, ...rest] = path.split("/");
  const query = new URLSearchParams(search);
  try {
    return { name: name || "scan", id: decodeURIComponent(rest.join("/")), query };
  } catch {
    return { name: "", id: "", query };
  }
}

const addressOf = (name, id = "", query = {}) => {
  const pairs = Object.entries(query).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  const search = new URLSearchParams(pairs).toString();
  return `#${name}${id ? `/${encodeURIComponent(id)}` : ""}${search ? `?${search}` : ""}`;
};

// Both do nothing once `signal` has aborted, because the person has left the view that calls them.

export const go = (hash, signal) => { if (!signal?.aborted) location.hash = hash; };

/** Replaces the query in the address without drawing the view again. */
export function keepInAddress(query, signal) {
  if (signal?.aborted) return;
  const { name, id } = address();
  history.replaceState(history.state, "", addressOf(name, id, query));
}

function leave() {
  if (!shown) return;
  left.delete(entryKey);
  left.set(entryKey, { scroll: scrollY, snapshot: shown.snapshot?.() });
  if (left.size > mostLeft) left.delete(left.keys().next().value);
  shown.dispose?.();
  shown = null;
}

/** Draws the current view again, for example in another language. */
export async function refresh() {
  // A view that must keep running, such as the camera, only changes its texts.
  if (shown?.translate) return setTitle(shown.translate());
  left.delete(entryKey);
  shown?.dispose?.();
  shown = null;
  await show({ moveFocus: false });
}

/** The imports that failed because the server was out of reach. */
const lost = new Set();

/** Calls `load`, which imports a module. Throws a `Problem` if the server is out of reach. */
export async function imported(load, ...values) {
  try {
    return await load(...values);
  } catch (error) {
    // An import throws a TypeError if the module could not be downloaded.
    if (!(error instanceof TypeError)) throw error;
    // Firefox never downloads a module again after a failure. Only a new page does.
    if (lost.has(load)) await session().then(() => location.reload(), () => {});
    lost.add(load);
    throw unreachable();
  }
}

const notFound = () => import("./views/not-found.js");

async function load(name, id) {
  const [view] = await Promise.all([imported(Object.hasOwn(views, name) ? views[name] : notFound, id),
    // This stylesheet loads later, because Identify has no result at first.
    name === "scan" && !id ? null : style("result", document.body)]);
  return view;
}

/** Loads the view of a result before it is needed. */
export const loadResult = () => views.scan("any").catch(() => lost.add(views.scan));

async function show({ moveFocus }) {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  leave();
  entryKey = history.state?.key ?? null;
  const before = left.get(entryKey);
  if (entryKey === null) {
    entryKey = `${performance.now()}`;
    history.replaceState({ key: entryKey, origin: shownName }, "");
  }
  const { name, id, query } = address();
  origin = history.state?.origin ?? "";
  shownName = id ? "" : name;
  for (const link of document.querySelectorAll(".tabs a")) {
    if (link.getAttribute("href") === `#${tabs[name] ?? "more"}` && (Object.hasOwn(views, name))) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  // A view that arrives late fills a container that is no longer on the page.
  const page = element("div", { class: "view" }, element("p", { class: "progress" }, text("loading")));
  main.replaceChildren(page);
  if (moveFocus) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  try {
    const view = await (await load(name, id)).render({ id, query, restored: before?.snapshot, signal });
    if (signal.aborted) return view.dispose?.();
    shown = view;
    page.replaceChildren(view.element);
    setTitle(view.title);
    if (before) scrollTo(0, before.scroll);
  } catch (error) {
    if (signal.aborted || error.name === "AbortError") return;
    const problem = asProblem(error);
    setTitle(text("problemTitle"));
    page.replaceChildren(element("h1", {}, text(problem.status === 404 ? "notFoundTitle" : "problemTitle")),
      problemBox(problem, () => refresh()),
      element("p", {}, element("a", { class: "button", href: `#${tabs[name] ?? "more"}` }, text("goBack"))));
  }
}

export function setTitle(title) {
  document.title = `${title} – Menagerie`;
  main.setAttribute("aria-label", title);
}

/** Shows content that has no address, such as the sign-in form. `refresh` brings the view back. */
export function interrupt(title, content) {
  running?.abort();
  running = new AbortController();
  leave();
  main.replaceChildren(element("div", { class: "view" }, content));
  setTitle(title);
}

export function startRouter() {
  history.scrollRestoration = "manual";
  addEventListener("hashchange", () => show({ moveFocus: true }));
}

export const showAddress = () => show({ moveFocus: false });
