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
import { videoLaps } from "../parts/video-laps.js";
import { videoName, nameVideo } from "../parts/video-name.js";

export async function render() {
  await style("live");
  const head = [identifySegments("#video"), element("h1", {}, text("videosTitle")), element("p", { class: "lead" }, text("videosText"))];
  let videos;
  try {
    videos = await fetchRuns("videos");
  } catch (error) {
    return { title: text("video"), element: element("div", {}, head, problemBox(asProblem(error))) };
  }
  const output = element("div");
  const laps = videoLaps();
  let controller = null;
  /** Sends the video at once. If laps are wanted, the person draws the finishing line first. */
  const receive = ([file]) => {
    if (!laps.isWanted()) return send(file);
    const sender = button(text("videoSend"), () => laps.isComplete() && send(file), { class: "primary" });
    output.replaceChildren(element("h2", {}, text("videoLine")), laps.line(file),
      element("div", { class: "actions" }, sender, button(text("cancel"), () => output.replaceChildren())));
    laps.isComplete();
    output.scrollIntoView({ block: "nearest" });
  };
  const send = async (file) => {
    controller = new AbortController();
    const words = element("p", { class: "progress" }, text("uploading", { percent: percent(0, 0) }));
    const bar = progressBar(text("uploadProgress", { name: file.name }));
    output.replaceChildren(words, bar, button(text("cancel"), () => controller.abort()));
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
      go(`#video/${video.id}`);
    } catch (error) {
      if (error.name === "AbortError") output.replaceChildren(element("p", {}, text("cancelled")));
      else output.replaceChildren(problemBox(asProblem(error), () => send(file)));
    }
  };
  return {
    title: text("video"),
    element: element("div", {}, head,
      element("div", { class: "panel form" }, laps.element,
        element("div", { class: "actions" }, chooser("video", text("videoChoose"), receive, { style: "primary", symbol: "video", accept: "video/*" })),
        output),
      runList(videos.items, {
        address: "#video", kind: "video", none: text("videosNone"), title: videoName,
        more: ({ duration_s: seconds }) => (seconds ? element("span", { class: "quiet" }, ` ${number(seconds, { maximumFractionDigits: 1 })} s`) : null),
      })),
    dispose() {
      controller?.abort();
      laps.dispose();
    },
  };
}
