// One video: how far it is, then the player with a row for each track.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { asProblem, problemFrom } from "../services/problem.js";
import { follow } from "../services/events.js";
import { go } from "../router.js";
import { progressBar } from "../parts/bars.js";
import { announce, button, confirmed, element, problemBox, style } from "../parts/dom.js";
import { lapTable } from "../parts/lap-table.js";
import { identifySegments } from "../parts/segments.js";
import { stateWords } from "../parts/run-list.js";
import { timeline } from "../parts/timeline.js";
import { forgetVideo, videoName } from "../parts/video-name.js";
import { warningBoxes } from "../parts/warnings.js";

const over = new Set(["done", "failed", "cancelled"]);

export async function render({ id, signal }) {
  const [first] = await Promise.all([api.item("videos", id), style("live")]);
  let video = first;
  const body = element("div");
  const notice = element("div");
  const words = element("p", { class: "progress" });
  const bar = progressBar(text("videosTitle"));
  let events = null;
  let shown = null;

  const remove = button(text(over.has(video.state) ? "videoDelete" : "cancel"), async () => {
    if (!(await confirmed(text("videoDeleteQuestion")))) return;
    // Its end is no news to who asked for it.
    events?.stop();
    try {
      await api.discard("videos", id);
      forgetVideo(id);
      go("#video");
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  }, { class: "danger" });

  const ends = element("div", { class: "actions" }, remove);

  async function show() {
    words.textContent = stateWords("video", video);
    bar.hidden = over.has(video.state);
    bar.value = video.progress ?? 0;
    if (video.state === "failed") notice.replaceChildren(problemBox(problemFrom(video.problem ?? {}, video.problem?.status ?? 422)));
    if (over.has(video.state)) remove.textContent = text("videoDelete");
    if (video.state !== "done" || shown) return;
    shown = { dispose() {} };
    const { items } = await api.item("videos", id, "/tracks");
    signal.throwIfAborted();
    const { player, node } = video.annotate ? film(id) : stills(id);
    shown = timeline(player, items, (video.duration_s ?? 0) * 1000);
    body.replaceChildren(...warningBoxes(video.warnings), element("div", { class: "player" }, node), ...lapsOf(video), shown.element);
    if (video.annotate) ends.prepend(element("a", { class: "button", href: `/videos/${id}/annotated`, download: `menagerie-${id}.mp4` }, text("videoAnnotated")));
    announce(text("video.done"));
  }
  if (!over.has(video.state)) {
    events = follow(`/videos/${id}/events`, ["progress", "done", "failed", "cancelled"], (name, data) => {
      if (name === "progress") {
        video = { ...video, ...data };
        return show();
      }
      api.item("videos", id).then((next) => {
        video = next;
        return show();
      }).catch(() => {});
    }, [...over]);
  }
  await show();
  return {
    title: text("video"),
    element: element("div", {}, identifySegments("#video"), element("h1", {}, videoName(video)),
      words, bar, notice, body, ends),
    dispose() {
      events?.stop();
      shown?.dispose();
    },
  };
}

/** The laps that were asked for; they are corrected in their timer. */
function lapsOf({ laps: timed }) {
  if (!timed) return [];
  const { id, laps, best_ms: best, name, label } = timed;
  return [element("section", { "aria-labelledby": "video-laps-title" },
    element("h2", { id: "video-laps-title" }, text("videoLapsOf", { name: name ?? label })), lapTable(laps, best),
    element("div", { class: "actions" }, element("a", { class: "button", href: `#laps/${id}` }, text("videoLapsTimer")),
      element("a", { class: "button", href: timed.export_url, download: `laps-${id}.csv` }, text("lapsCsv"))))];
}

const film = (id) => {
  const player = element("video", { controls: true, preload: "metadata", src: `/videos/${id}/annotated`, "aria-label": text("videoPlayer"), playsinline: true });
  return { player, node: player };
};

/** For a video that has no file with boxes: the picture of a moment. */
function stills(id) {
  const node = element("img", { alt: text("videoPlayer") });
  let seconds = 0;
  const player = {
    pause() {},
    get currentTime() { return seconds; },
    set currentTime(value) {
      seconds = value;
      node.src = `/videos/${id}/frames/${Math.round(value * 1000)}`;
    },
  };
  player.currentTime = 0;
  return { player, node };
}
