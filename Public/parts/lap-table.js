// A table of laps: each time, the gap to the best lap, and who ran it.

import { clock, number, text } from "../languages/language.js";
import { element } from "./dom.js";
import { table } from "./plot.js";

/** `laps`: as the service lists them. `best`: the best time in milliseconds. `correct(lap)`: builds the cell of an optional last column. */
export function lapTable(laps, best, correct) {
  if (laps.length === 0) return element("p", { class: "quiet" }, text("lapsNoneYet"));
  const isSeveral = new Set(laps.map(({ runner }) => runner)).size > 1;
  const row = (lap) => {
    const name = lap.name ?? lap.label;
    const who = isSeveral ? `${name} ${number(lap.runner)}` : name;
    const isBest = lap.lap_ms === best;
    return [
      number(lap.number), isBest ? element("strong", {}, clock(lap.lap_ms)) : clock(lap.lap_ms),
      isBest ? "–" : clock(lap.lap_ms) === clock(best) ? text("lapsEqual") : `+${clock(lap.lap_ms - best)}`,
      lap.photo_url ? element("a", { href: lap.photo_url, class: "lap-photo", target: "_blank", rel: "noopener" }, element("img", { src: lap.photo_url, alt: "", loading: "lazy" }), who) : who,
      ...(correct ? [correct(lap)] : []),
    ];
  };
  return table({
    caption: text("laps"),
    heads: [text("lapsNumber"), text("lapsTime"), text("lapsGap"), text("lapsWho"), ...(correct ? [text("lapsCorrect")] : [])],
    rows: laps.map(row),
  });
}
