// Things that take their time, each with its state and its progress: videos, lap sessions, trainings.

import { formatTime, percent, text } from "../languages/language.js";
import { Problem } from "../services/problem.js";
import * as api from "../services/api.js";
import { element } from "./dom.js";

/** Fetches a list; where the server does not know the path, says in a plain word that it does not offer this. */
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

/** A list of links; `title(item)` names each. */
export const runList = (items, { address, kind, title, more = () => null, none }) =>
  items.length === 0 ? element("p", { class: "quiet" }, none) : element("ul", { class: "runs" }, items.map((item) =>
    element("li", {},
      element("a", { href: `${address}/${item.id}` }, title(item)),
      element("span", { class: `state ${item.state}` }, kind === "laps" ? text(item.video ? "video" : `laps.${item.state}`) : stateWords(kind, item)), " ",
      item.created_at ? element("time", { class: "quiet", datetime: item.created_at }, formatTime(item.created_at)) : null,
      more(item))));
