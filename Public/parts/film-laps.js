// The lap times of a video. The view explains why there are no laps, and lets the person move the finishing line over the video.

import { number, text } from "../languages/language.js";
import { element } from "./dom.js";
import { countLaps } from "./lap-count.js";
import { draggableLine } from "./lap-line.js";
import { lapTable } from "./lap-table.js";

/** The line that was moved over each film, by the film's id: `{ ends, isOpen }`. It stays when the person leaves the view or changes the language. */
const moved = new Map();

/** `videoId`: the id of the video. `timed`: its `laps` object. `tracks`: its tracks with their boxes. `film`: the frame around the player, which holds the line. */
export function filmLaps(videoId, timed, tracks, film) {
  const kept = moved.get(videoId) ?? { ends: null, isOpen: false };
  moved.set(videoId, kept);
  const { id, name, label, by, line: drawn } = timed;
  const called = name ?? label;
  const seen = tracks.filter((track) => track.label === label).length;
  const output = element("div", { "aria-live": "polite" });
  const show = ({ laps, best, passed }) => output.replaceChildren(laps.length ? lapTable(laps, best) : element("p", { class: "notice" },
    seen === 0 ? text("lapsNoneSeen", { name: called }) : passed === 0 || passed === undefined ? text("lapsNoneCrossed", { n: seen, name: called })
      : text("lapsCrossedOnce", { n: passed })));
  show({ laps: timed.laps, best: timed.best_ms, passed: countLaps(tracks, timed, drawn ?? [[0.5, 0], [0.5, 1]], 0).passed });
  const hasLine = by === "boxes" && seen > 0;
  const count = () => show(countLaps(tracks, timed, kept.ends, timed.minimum_lap_s * 1000));
  const line = hasLine ? draggableLine(kept.ends ?? drawn ?? [[0.5, 0.05], [0.5, 0.95]], (ends) => {
    kept.ends = ends;
    count();
  }) : null;
  if (line && kept.ends) count();
  const mover = hasLine && element("details", {
    open: kept.isOpen,
    ontoggle: () => {
      kept.isOpen = mover.open;
      if (mover.open) film.append(line.element);
      else line.element.remove();
    },
  }, element("summary", {}, text("lapsMoveLine")), element("p", { class: "quiet" }, text("lapsMoveHint", { seconds: number(timed.minimum_lap_s) })));
  return element("section", { "aria-labelledby": "video-laps-title" },
    element("h2", { id: "video-laps-title" }, text("videoLapsOf", { name: called })), output, mover || null,
    id ? element("div", { class: "actions" }, element("a", { class: "button", href: `#laps/${id}` }, text("videoLapsTimer")),
      element("a", { class: "button", href: timed.export_url, download: `laps-${id}.csv` }, text("lapsCsv"))) : null);
}
