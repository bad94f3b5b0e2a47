// Lists of long tasks with their states and progress: videos, lap sessions and trainings.

import { formatTime, percent, text } from "../languages/language.js";
import { Problem } from "../services/problem.js";
import * as api from "../services/api.js";
import { element, redraw } from "./dom.js";

/** Fetches a list of tasks. Throws a `Problem` of type `not-here` if the server does not offer this kind of task. */
export async function fetchRuns(kind) {
  try {
    return await api.list(kind, { limit: 50 });
  } catch (error) {
    if (error.status === 404 || error.status === 405) throw new Problem(text("notHere"), { type: "not-here" });
    throw error;
  }
}

const busy = new Set(["working", "looking", "fitting", "saving"]);

export const stateWords = (kind, { state, progress }) =>
  busy.has(state) ? `${text(`${kind}.${state}`)}, ${percent(progress, 0)}` : text(`${kind}.${state}`);

const millisecondsBetweenLooks = 3000;

/**
 * A list of links to tasks. `address`: the start of each link. `title(item)`: its text. `more(item)`: further nodes. `none`: the text of an
 * empty list. `source`: the list at the service. It is fetched again while a task is under way, which lap sessions never are.
 */
export function runList(items, { source, ...options }) {
  const node = element("div", {}, entries(items, options));
  const lookAgain = (latest) => latest.some(({ state }) => busy.has(state) || state === "waiting") && setTimeout(async () => {
    // The person has left the view.
    if (!node.isConnected) return;
    const next = await fetchRuns(source).then((answer) => answer.items, () => latest);
    redraw(node, entries(next, options));
    lookAgain(next);
  }, millisecondsBetweenLooks);
  lookAgain(items);
  return node;
}

const entries = (items, { address, kind, title, more = () => null, none }) =>
  items.length === 0 ? element("p", { class: "quiet" }, none) : element("ul", { class: "runs" }, items.map((item) =>
    element("li", {},
      element("a", { href: `${address}/${item.id}` }, title(item)),
      element("span", { class: `state ${item.state}` }, kind === "laps" ? text(item.video ? "video" : `laps.${item.state}`) : stateWords(kind, item)), " ",
      item.created_at ? element("time", { class: "quiet", datetime: item.created_at }, formatTime(item.created_at)) : null,
      more(item))));
