// Lists of long tasks with their states and progress: videos, lap sessions and trainings.

import { formatTime, percent, text } from "../languages/language.js";
import { Problem } from "../services/problem.js";
import * as api from "../services/api.js";
import { element } from "./dom.js";
import { PagedList } from "./paged.js";

/** Fetches a page of tasks. Throws a `Problem` of type `not-here` if the server does not offer this kind of task. */
export async function fetchRuns(kind, cursor) {
  try {
    return await api.list(kind, { limit: 50, cursor });
  } catch (error) {
    if (error.status === 404 || error.status === 405) throw new Problem(text("notHere"), { type: "not-here" });
    throw error;
  }
}

/** The last states of a task. */
export const over = new Set(["done", "failed", "cancelled"]);
const busy = new Set(["working", "looking", "fitting", "saving"]);

export const stateWords = (kind, { state, progress }) =>
  busy.has(state) ? `${text(`${kind}.${state}`)}, ${percent(progress, 0)}` : text(`${kind}.${state}`);

/** The start of the names of a list's states. */
const kinds = { videos: "video", training: "run", laps: "laps" };
const millisecondsBetweenLooks = 3000;

/**
 * A list of links to tasks. `first`: its first page. `restored`: what `snapshot` returned. `source`: the list at the service, which is fetched
 * again while a task is under way. `address`: the start of each link. `title(item)`: its text. `more(item)`: further nodes.
 * `none`: the text of an empty list.
 */
export function runList(first, { source, address, title, more = () => null, none, restored }) {
  const kind = kinds[source];
  const paged = new PagedList({
    list: element("ul", { class: "runs" }),
    fetchPage: (cursor) => fetchRuns(source, cursor),
    draw: (items) => items.map((item) => element("li", {},
      element("a", { href: `${address}/${item.id}` }, title(item)),
      element("span", { class: `state ${item.state}` }, kind === "laps" ? text(item.video ? "video" : `laps.${item.state}`) : stateWords(kind, item)), " ",
      item.created_at ? element("time", { class: "quiet", datetime: item.created_at }, formatTime(item.created_at)) : null,
      more(item))),
    counted: () => "",
    empty: () => none,
  });
  const lookAgain = () => paged.items.some(({ state }) => busy.has(state) || state === "waiting") && setTimeout(async () => {
    // The person has left the view.
    if (!paged.list.isConnected) return;
    await paged.update();
    lookAgain();
  }, millisecondsBetweenLooks);
  if (restored) paged.restore(restored).then(lookAgain);
  else {
    paged.begin(first);
    lookAgain();
  }
  return { element: element("div", {}, paged.element), snapshot: () => paged.snapshot() };
}
