// One lap session: the camera picture with the finishing line, the clock, and the laps.

import * as api from "../services/api.js";
import { clock, number, text } from "../languages/language.js";
import { Problem } from "../services/problem.js";
import { follow } from "../services/events.js";
import { go, keepInAddress } from "../router.js";
import { attempts } from "../parts/attempt.js";
import { announce, button, confirmed, element, problemBox } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { draggableLine } from "../parts/lap-line.js";
import { lapTable } from "../parts/lap-table.js";
import { livePicture } from "../parts/live-picture.js";
import { redraw } from "../parts/redraw.js";
import { identifySegments } from "../parts/segments.js";

/** The milliseconds between two requests for the objects in sight, before the timing starts. */
const candidatesEvery = 1000;
const mostChoices = 5;

export async function render({ id, query, signal }) {
  let session = await api.item("laps", id);
  /** The nodes with words that stay, and the names of the words. The camera runs on when the language changes. */
  const spoken = [];
  const say = (name, tag = "span", attributes = {}) => {
    const node = element(tag, attributes, text(name));
    spoken.push([node, name]);
    return node;
  };
  const state = element("p", { class: "certainty fair", role: "status" });
  const clockFace = element("p", { class: "clock", "aria-hidden": "true" });
  const candidate = element("p", { class: "quiet candidate" });
  const choices = element("div", { class: "lap-choices", role: "group", "aria-labelledby": "laps-which" });
  const title = element("h1");
  /** Whether a lap closes when the object comes into sight anywhere. Then there are no bounding boxes and no line. */
  let isBySight = query.get("by") === "sight";
  const hint = element("p", { class: "quiet" });
  const counting = element("p", { class: "quiet", role: "status" });
  const bySight = element("input", { type: "checkbox", id: "lap-by-sight", checked: isBySight, onchange: () => {
    isBySight = bySight.checked;
    keepInAddress({ by: isBySight ? "sight" : null });
    picture.change({ detect: !isBySight });
    sighted.clear();
    chosen = null;
    take(session);
  } });
  const way = element("label", { class: "tick" }, bySight, say("lapsBySight"));
  /** The objects that were seen since the warm-up began. Maps a label to `{ name, times }`. */
  const sighted = new Map();
  /** The label in `sighted` that the person chose, or null. */
  let chosen = null;
  const laps = element("div");
  const notice = element("div");
  let startedAt = null;
  /** Whether the clock stands still, because laps cannot be seen without the camera. */
  let isPaused = false;
  const paused = element("p", { class: "notice", role: "status" });
  let shownLaps = null;
  let askedAt = 0;
  let frame = 0;

  const attempt = attempts(notice);
  /** During the warm-up, a tap selects the object to time and gives true. `x`, `y`: fractions of the picture. */
  const point = (x, y) => {
    if (session.state !== "warm_up") return false;
    picture.send({ type: "point", x, y });
    return true;
  };
  const unpoint = button(say("lapsUnpoint"), () => picture.send({ type: "unpoint" }));
  const setState = (name) => attempt(() => change(
    api.replace("laps", id, "state", { state: name, ...(name === "start" && !session.label && wanted() ? { label: wanted() } : {}) })));
  /** The number of the latest request for the session, and of the latest answer that was taken. A change counts as both. */
  let asked = 0;
  let taken = 0;
  const change = async (answer) => {
    const next = await answer;
    taken = asked += 1;
    take(next);
  };
  /** The label to time: the person's choice, or else the object that was seen most often. */
  const wanted = () => chosen ?? [...sighted].sort(([, one], [, other]) => other.times - one.times)[0]?.[0];
  const start = button([icon("laps"), say("lapsStart")], () => setState("start"));
  const stop = button([icon("cross"), say("lapsStop")], () => setState("warm_up"));
  const remove = button(say("lapsDelete"), async () => {
    if (!(await confirmed(text("lapsDeleteQuestion")))) return;
    await attempt(async () => {
      await api.discard("laps", id);
      go("#laps", signal);
    });
  }, { class: "danger" });
  const undo = (lap) => attempt(async () => {
    await api.discard("laps", id, `/laps/${lap.number}`);
    await refreshSession();
    announce(text("lapsUndone", { n: number(lap.number) }));
  });

  function take(next) {
    const isWarm = next.state === "warm_up";
    if (isWarm && session.state !== "warm_up") {
      sighted.clear();
      chosen = null;
    }
    session = next;
    title.textContent = session.name ?? session.label ?? text("lapsAnything");
    // A screen reader reads each write aloud, so write only what has changed.
    if (state.textContent !== text(`laps.${session.state}`)) state.textContent = text(`laps.${session.state}`);
    const hadFocus = document.activeElement === start || document.activeElement === stop;
    start.hidden = !isWarm;
    stop.hidden = isWarm;
    hint.hidden = way.hidden = !isWarm;
    hint.textContent = isBySight ? text("lapsBySightHint") : `${text("lapsOrder")} ${text("lapsLineHint")} ${text("lapsPointHint")}`;
    if (line) line.element.hidden = isBySight;
    unpoint.hidden = !isWarm || !session.pointed;
    counting.textContent = session.counting === "sight" ? text("lapsCountsSight") : "";
    counting.hidden = !counting.textContent || isBySight;
    if (hadFocus) (isWarm ? start : stop).focus();
    line?.lock(!isWarm);
    if (isWarm) startedAt = null;
    showPause();
    if (isWarm) for (const { label, name } of session.candidates) sighted.set(label, { name, times: (sighted.get(label)?.times ?? 0) + 1 });
    showCandidates(isWarm);
    showLaps();
  }

  /** Shows the object that would be timed. Other objects that were seen become buttons to choose from. */
  function showCandidates(isWarm) {
    const name = session.label ? session.name ?? session.label : sighted.get(wanted())?.name;
    candidate.textContent = !isWarm || !picture ? "" : name ? text(session.label ? "lapsWaitsFor" : "lapsCandidate", { name }) : text("lapsShow");
    const isChoice = isWarm && picture && !session.label && sighted.size > 1;
    choices.hidden = !isChoice;
    redraw(choices, ...(isChoice ? [...sighted].slice(0, mostChoices).map(([label, each]) => button(each.name, () => {
      chosen = label;
      showCandidates(true);
    }, { "aria-pressed": String(label === wanted()) })) : []));
  }

  /** Draws the table only if a lap was added or removed, so that no button disappears just before it is pressed. */
  function showLaps() {
    const now = JSON.stringify(session.laps);
    if (now === shownLaps) return;
    shownLaps = now;
    redraw(laps, lapTable(session.laps, session.best_ms, (lap) =>
      button(text("lapsUndo"), () => undo(lap), { "aria-label": text("lapsUndoThis", { n: number(lap.number) }) })));
  }
  /** Says that timing is paused if the camera stops during a lap. When it starts again, the clock catches up. */
  function showPause() {
    const words = isPaused && session.state !== "warm_up" ? text("lapsPaused") : "";
    if (paused.textContent !== words) paused.textContent = words;
    paused.hidden = words === "";
    clockFace.classList.toggle("paused", words !== "");
  }
  /** An answer that is older than another one, or than a change such as the start of the timing, is left out. */
  const refreshSession = async () => {
    const mine = asked += 1;
    const next = await api.item("laps", id);
    if (mine < taken) return;
    taken = mine;
    take(next);
  };
  const lookAgain = () => refreshSession().catch(({ status }) => {
    if (status === 404) gone();
  });
  /** A session that was deleted, for example in another tab, has no more to time. */
  const gone = () => {
    events.stop();
    picture.dispose();
    notice.replaceChildren(problemBox(new Problem(text("problem.not-found"))));
  };
  const heard = (message) => {
    if (message.type === "pointed") {
      announce(message.name ? text("lapsWaitsFor", { name: message.name }) : text("lapsPointedNot"));
      lookAgain();
    }
    if (message.type === "answer" && session.state === "warm_up" && performance.now() - askedAt > candidatesEvery) {
      askedAt = performance.now();
      lookAgain();
    }
  };
  const passed = (name, data) => {
    if (name === "started" || name === "lap") startedAt = performance.now();
    if (name === "lap") announce(text("lapsClosed", { n: number(data.number), time: clock(data.lap_ms) }));
    if (name === "deleted") gone();
    else lookAgain();
  };
  /** The line that was drawn last and not sent yet. */
  let drawn = null;
  let isSending = false;
  /** Sends one line after the other, so that the service keeps the one that was drawn last. */
  const sendLine = async (ends) => {
    drawn = ends;
    if (isSending) return;
    isSending = true;
    while (drawn) {
      const next = { line: drawn };
      drawn = null;
      await attempt(() => change(api.replace("laps", id, "line", next)));
    }
    isSending = false;
  };
  const line = session.video ? null : draggableLine(session.line, sendLine);
  const cameraChanged = (isRunning) => {
    isPaused = !isRunning;
    // Nothing can be timed without the camera, so the camera's own button is the primary one until it runs.
    start.classList.toggle("primary", isRunning);
    showPause();
  };
  const picture = session.video ? null : await livePicture({ settings: { laps: id, ...(isBySight ? { detect: "false" } : {}) }, received: heard, changed: cameraChanged, above: [line.element], pointed: point, isForLaps: true });
  const events = session.video ? null : follow(`/laps/${id}/events`, ["state", "started", "lap", "undone", "deleted"], passed, ["deleted"]);
  const head = element("div", {}, identifySegments("#laps"));
  const translate = () => {
    head.replaceChildren(identifySegments("#laps"));
    for (const [node, name] of spoken) node.textContent = text(name);
    line.translate();
    picture.translate();
    shownLaps = null;
    take(session);
    lookAgain();
    return text("laps");
  };
  const tick = () => {
    if (!isPaused) clockFace.textContent = clock(startedAt === null ? 0 : performance.now() - startedAt);
    frame = requestAnimationFrame(tick);
  };
  take(session);
  if (picture) tick();
  return {
    title: text("laps"),
    element: element("div", {}, head, title,
      picture ? element("div", { class: "lap-board" }, element("div", {}, state, candidate), clockFace, element("div", { class: "actions" }, start, stop, unpoint)) : null, counting, picture ? [say("lapsWhich", "span", { id: "laps-which", hidden: true }), choices] : null, picture ? paused : null, notice,
      picture ? [picture.element, way, hint] : element("p", {}, element("a", { class: "button", href: `#video/${session.video}` }, text("lapsVideo"))),
      say("laps", "h2"), laps,
      element("div", { class: "actions" },
        say("lapsCsv", "a", { class: "button", href: `/laps/${id}/export?format=csv`, download: `laps-${id}.csv` }), remove)),
    translate: picture ? translate : undefined,
    dispose() {
      cancelAnimationFrame(frame);
      events?.stop();
      picture?.dispose();
    },
  };
}
