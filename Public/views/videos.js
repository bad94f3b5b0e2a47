// The list of videos, and the upload of a new one.

import { language, number, percent, text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { query } from "../services/api.js";
import { transfer } from "../services/transfer.js";
import { go } from "../router.js";
import { progressBar } from "../parts/bars.js";
import { button, element, problemBox, style } from "../parts/dom.js";
import { chooser } from "../parts/intake.js";
import { fetchRuns, runList } from "../parts/run-list.js";
import { identifySegments } from "../parts/segments.js";
import { toast } from "../parts/toasts.js";
import { videoLaps } from "../parts/video-laps.js";
import { videoName, nameVideo } from "../parts/video-name.js";

/** The uploads, which go on when the person leaves the view and comes back. */
const uploads = element("div");

/** Removes what is said of uploads that have ended. */
const tidy = () => [...uploads.children].filter((row) => !row.querySelector("[role=progressbar]")).forEach((row) => row.remove());

export async function render() {
  await style("live");
  const head = [identifySegments("#video"), element("h1", {}, text("videosTitle")), element("p", { class: "lead" }, text("videosText"))];
  let videos;
  try {
    videos = await fetchRuns("videos");
  } catch (error) {
    return { title: text("video"), element: element("div", {}, head, problemBox(asProblem(error))) };
  }
  const draft = element("div");
  const laps = videoLaps();
  /** Sends the video at once. If laps are wanted, the person draws the finishing line first. */
  const receive = ([file]) => {
    if (!laps.isWanted()) return send(file);
    const sender = button(text("videoSend"), () => laps.isComplete() && send(file), { class: "primary" });
    draft.replaceChildren(element("h2", {}, text("videoLine")), laps.line(file),
      element("div", { class: "actions" }, sender, button(text("cancel"), () => draft.replaceChildren())));
    laps.isComplete();
    draft.scrollIntoView({ block: "nearest" });
  };
  const send = async (file) => {
    const controller = new AbortController();
    const words = element("p", { class: "progress" }, text("uploading", { percent: percent(0, 0) }));
    const bar = progressBar(text("uploadProgress", { name: file.name }));
    const row = element("div", {}, words, bar, button(text("cancel"), () => controller.abort()));
    draft.replaceChildren();
    tidy();
    uploads.append(row);
    try {
      const wanted = await laps.query();
      const video = await transfer("POST", `/videos?${query({ lang: language(), annotate: true, ...wanted })}`, file, {
        headers: { "Content-Type": file.type.startsWith("video/") ? file.type : "video/mp4" }, signal: controller.signal,
        onProgress(fraction) {
          bar.value = fraction;
          words.textContent = text("uploading", { percent: percent(fraction, 0) });
        },
      });
      nameVideo(video.id, file.name);
      const href = `#video/${video.id}`;
      if (uploads.isConnected) go(href);
      else toast(text("videoSent", { name: file.name }), { isBrief: false, link: { href, words: text("liveOpenKept") } });
      row.remove();
    } catch (error) {
      const problem = asProblem(error);
      if (error.name === "AbortError") row.replaceChildren(element("p", {}, text("cancelled")));
      else row.replaceChildren(problemBox(problem, () => send(file)));
      if (!uploads.isConnected) toast(`${file.name}: ${problem.message}`, { tone: "bad", link: { href: "#video", words: text("video") } });
    }
  };
  return {
    title: text("video"),
    element: element("div", {}, head,
      element("div", { class: "panel form" }, laps.element,
        element("div", { class: "actions" }, chooser("video", text("videoChoose"), receive, { style: "primary", symbol: "video", accept: "video/*" })),
        draft, uploads),
      runList(videos.items, {
        source: "videos", address: "#video", kind: "video", none: text("videosNone"), title: videoName,
        more: ({ duration_s: seconds }) => (seconds ? element("span", { class: "quiet" }, ` ${number(seconds, { maximumFractionDigits: 1 })} s`) : null),
      })),
    dispose() {
      tidy();
      laps.dispose();
    },
  };
}
