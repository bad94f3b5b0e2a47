// One video: the progress of its analysis, then the player with a row for each track.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { asProblem, problemFrom } from "../services/problem.js";
import { follow } from "../services/events.js";
import { go } from "../router.js";
import { progressBar } from "../parts/bars.js";
import { announce, button, confirmed, element, problemBox, style } from "../parts/dom.js";
import { filmLaps } from "../parts/film-laps.js";
import { identifySegments } from "../parts/segments.js";
import { over, stateWords } from "../parts/run-list.js";
import { timeline } from "../parts/timeline.js";
import { forgetVideo, videoName } from "../parts/video-name.js";
import { warningBoxes } from "../parts/warnings.js";

export async function render({ id, signal }) {
  const [first] = await Promise.all([api.item("videos", id), style("live")]);
  let video = first;
  const body = element("div");
  const notice = element("div");
  const words = element("p", { class: "progress" });
  const bar = progressBar(text("videosTitle"));
  let events = null;
  let isRemoving = false;
  let shown = null;

  const remove = button(text(over.has(video.state) ? "videoDelete" : "cancel"), async () => {
    if (!(await confirmed(text("videoDeleteQuestion")))) return;
    // The person asked for the deletion, so the event about the end of the video is not needed.
    isRemoving = true;
    try {
      await api.discard("videos", id);
      forgetVideo(id);
      events?.stop();
      go("#video", signal);
    } catch (error) {
      isRemoving = false;
      if (events) await look();
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  }, { class: "danger" });

  const ends = element("div", { class: "actions" }, remove);

  async function show() {
    words.textContent = stateWords("video", video);
    bar.hidden = over.has(video.state);
    words.hidden = video.state === "done";
    bar.value = video.progress ?? 0;
    if (video.state === "failed") notice.replaceChildren(problemBox(problemFrom(video.problem ?? {}, video.problem?.status ?? 422)));
    // Show the first frame while the service analyses the video.
    if (video.state === "working" && video.progress > 0 && !body.firstChild) {
      body.append(element("div", { class: "player overlaid" }, element("img", { src: `/videos/${id}/frames/0`, alt: text("videoFirstPicture") })));
    }
    if (over.has(video.state)) remove.textContent = text("videoDelete");
    if (video.state !== "done" || shown) return;
    shown = { dispose() {} };
    const { items } = await api.item("videos", id, "/tracks").catch((error) => {
      shown = null;
      throw error;
    });
    signal.throwIfAborted();
    const { player, node } = video.annotate ? film(id, items[0]?.best.picture_url ?? `/videos/${id}/frames/0`) : stills(id, items[0]?.best.at_ms ?? 0);
    shown = timeline(player, items, (video.duration_s ?? 0) * 1000);
    const frame = element("div", { class: "player overlaid" }, node);
    body.replaceChildren(...warningBoxes(video.warnings), frame, video.laps ? filmLaps(id, video.laps, items, frame) : "", shown.element);
    if (video.annotate) ends.prepend(element("a", { class: "button", href: `/videos/${id}/annotated`, download: `menagerie-${id}.mp4` }, text("videoAnnotated")));
    announce(text("video.done"));
  }
  /** Fetches the video again. No event follows the last one, so then a failure is told. A refused stream is opened again. */
  const look = async (name) => {
    try {
      video = await api.item("videos", id).catch((error) => {
        if (error.status !== 404) throw error;
        return { ...video, state: "cancelled" };
      });
      if (over.has(video.state)) events.stop();
      notice.replaceChildren();
      await show();
    } catch (error) {
      if (!signal.aborted && name !== "refused") notice.replaceChildren(problemBox(asProblem(error), look));
    }
  };
  if (!over.has(video.state)) {
    events = follow(`/videos/${id}/events`, ["progress", "done", "failed", "cancelled"], (name, data) => {
      if (isRemoving) return;
      if (name !== "progress") return look(name);
      video = { ...video, ...data };
      show();
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

/** The player of the annotated video. `poster`: the address of the picture to show until it plays. */
const film = (id, poster) => {
  const player = element("video", { controls: true, preload: "metadata", poster, src: `/videos/${id}/annotated`, "aria-label": text("videoPlayer"), playsinline: true });
  return { player, node: player };
};

/** Replaces the player if there is no annotated video. Shows single frames; `first`: the first one, in milliseconds. */
function stills(id, first) {
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
  player.currentTime = first / 1000;
  return { player, node };
}
