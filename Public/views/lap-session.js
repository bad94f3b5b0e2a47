// One lap session: the camera with its line, the clock, and the laps.

import * as api from "../services/api.js";
import { clock, number, text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { follow } from "../services/events.js";
import { go } from "../router.js";
import { announce, button, confirmed, element, problemBox } from "../parts/dom.js";
import { draggableLine } from "../parts/lap-line.js";
import { livePicture } from "../parts/live-picture.js";
import { table } from "../parts/plot.js";
import { identifySegments } from "../parts/segments.js";

export async function render({ id, signal }) {
  let session = await api.item("laps", id);
  const state = element("p", { class: "certainty fair" });
  const clockFace = element("p", { class: "clock", "aria-hidden": "true" });
  const candidate = element("p", { class: "quiet" });
  const laps = element("div");
  const notice = element("div");
  let startedAt = null;
  let frame = 0;

  const attempt = async (action) => {
    notice.replaceChildren();
    try {
      await action();
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  };
  const setState = (name) => attempt(async () => take(await api.replace("laps", id, "state", { state: name })));
  const start = button(text("lapsStart"), () => setState("start"), { class: "primary" });
  const stop = button(text("lapsStop"), () => setState("warm_up"));
  const remove = button(text("lapsDelete"), async () => {
    if (!(await confirmed(text("lapsDeleteQuestion")))) return;
    await attempt(async () => {
      await api.discard("laps", id);
      go("#laps");
    });
  }, { class: "danger" });

  function take(next) {
    session = { ...session, ...next };
    const isWarm = session.state === "warm_up";
    state.textContent = text(`laps.${session.state}`);
    start.hidden = !isWarm;
    stop.hidden = isWarm;
    const [seen] = session.candidates ?? [];
    candidate.textContent = isWarm && seen ? text("lapsCandidate", { name: seen.name ?? seen.label ?? seen }) : "";
    const best = session.best_ms;
    laps.replaceChildren(session.laps?.length ? table({
      caption: text("laps"), heads: [text("lapsNumber"), text("lapsTime"), text("lapsGap"), text("lapsWho")],
      rows: session.laps.map((lap) => [
        number(lap.number), lap.lap_ms === best ? element("strong", {}, clock(lap.lap_ms)) : clock(lap.lap_ms),
        lap.lap_ms === best ? "–" : `+${clock(lap.lap_ms - best)}`,
        lap.photo_url ? element("a", { href: lap.photo_url }, lap.name ?? lap.label) : lap.name ?? lap.label ?? "",
      ]),
    }) : element("p", { class: "quiet" }, text("nothingYet")));
  }
  const refreshSession = async () => take(await api.item("laps", id));
  const heard = (message) => {
    if (message.type === "answer") {
      if (message.laps) take(message.laps);
      else if (session.state === "warm_up" && message.stable) candidate.textContent = text("lapsCandidate", { name: message.stable.name });
    }
    if (message.type !== "lap") return;
    startedAt = performance.now();
    if (message.lap_ms) announce(text("lapsClosed", { n: number(message.number), time: clock(message.lap_ms) }));
    refreshSession();
  };
  const line = draggableLine(session.line, (ends) => attempt(async () => take(await api.replace("laps", id, "line", { line: ends }))));
  const picture = session.video ? null : await livePicture({ settings: { laps: id }, received: heard, above: [line.element] });
  const events = session.video ? null : follow(`/laps/${id}/events`, ["state", "lap"], () => refreshSession(), []);
  const tick = () => {
    if (session.state !== "lapping" && session.state !== "end") startedAt = null;
    else startedAt ??= performance.now();
    clockFace.textContent = clock(startedAt === null ? 0 : performance.now() - startedAt);
    frame = requestAnimationFrame(tick);
  };
  take(session);
  if (picture) tick();
  signal.addEventListener("abort", () => cancelAnimationFrame(frame));
  return {
    title: text("laps"),
    element: element("div", {}, identifySegments("#laps"),
      element("h1", {}, session.name ?? session.label ?? text("lapsTitle")),
      state, candidate, notice, picture ? [clockFace, element("div", { class: "actions" }, start, stop)] : null,
      picture ? [picture.element, element("p", { class: "quiet" }, text("lapsLineHint"))] : element("p", {}, element("a", { href: `#video/${session.video}` }, text("video"))),
      element("h2", {}, text("laps")), laps,
      element("div", { class: "actions" },
        element("a", { class: "button", href: `/laps/${id}/export?format=csv`, download: `laps-${id}.csv` }, text("lapsCsv")), remove)),
    dispose() {
      cancelAnimationFrame(frame);
      events?.stop();
      picture?.dispose();
    },
  };
}
