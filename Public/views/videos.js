// The list of videos, and the upload of a new one.

import { language, number, text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { may, query } from "../services/api.js";
import { button, element, keepFocus, problemBox, style } from "../parts/dom.js";
import { chooser, dropPlace } from "../parts/intake.js";
import { fetchRuns, runList } from "../parts/run-list.js";
import { identifySegments } from "../parts/segments.js";
import { Sending } from "../parts/sending.js";
import { videoLaps } from "../parts/video-laps.js";
import { videoName, nameVideo } from "../parts/video-name.js";

const sending = new Sending("#video");

export async function render({ restored, signal }) {
  await style("live");
  const head = [identifySegments("#video"), element("h1", {}, text("videosTitle")), element("p", { class: "lead" }, text("videosText"))];
  const videos = await fetchRuns("videos");
  signal.throwIfAborted();
  const draft = element("div");
  const laps = videoLaps();
  /** Shows the first picture of the video that waits, on which the person draws the finishing line. */
  const offer = () => {
    const file = laps.file();
    if (!file) return draft.replaceChildren();
    const notice = element("div");
    const sender = button(text("videoSend"), async () => {
      notice.replaceChildren();
      if (!laps.isComplete()) return;
      try {
        const wanted = await laps.query();
        drop();
        send(file, wanted);
      } catch (error) {
        notice.replaceChildren(problemBox(asProblem(error)));
      }
    }, { class: "primary" });
    draft.replaceChildren(element("h2", {}, text("videoLine")), element("p", { class: "quiet" }, file.name), laps.line(), notice,
      element("div", { class: "actions" }, sender, button(text("cancel"), drop)));
  };
  const drop = () => {
    laps.drop();
    offer();
    keepFocus();
  };
  /** Sends the videos at once. If laps are wanted, the person first draws the finishing line over each. */
  const receive = (files) => {
    if (!laps.isWanted()) return files.forEach((each) => send(each));
    if (files.length === 0) return;
    laps.take(files);
    offer();
    laps.isComplete();
    draft.scrollIntoView({ block: "nearest" });
  };
  const send = (file, wanted) => {
    sending.start(file.name, async ({ send: post }) => {
      const { id } = await post(`/videos?${query({ lang: language(), annotate: true, ...wanted })}`, file, {
        headers: { "Content-Type": file.type.startsWith("video/") ? file.type : "video/mp4" },
      });
      nameVideo(id, file.name);
      laps.forget();
      const [href, message] = [`#video/${id}`, text("videoSent", { name: file.name })];
      // The person goes on with the next video that waits for its line.
      return laps.file() ? { message, nodes: [element("p", {}, element("a", { href }, message))] } : { href, message };
    });
  };
  offer();
  const list = runList(videos, {
    source: "videos", address: "#video", none: text("videosNone"), title: videoName, restored,
    more: ({ duration_s: seconds }) => (seconds ? element("span", { class: "quiet" }, ` ${number(seconds, { maximumFractionDigits: 1 })} s`) : null),
  });
  return {
    title: text("video"),
    element: element("div", {}, head,
      !may("user") ? element("p", { class: "quiet" }, text("readerMay")) : dropPlace(element("div", { class: "panel form" }, laps.element,
        element("div", { class: "actions" }, chooser("video", text("videoChoose"), receive, { style: "primary", symbol: "video", accept: "video/*" })),
        draft, sending.element), receive),
      list.element),
    snapshot: list.snapshot,
    dispose() {
      sending.tidy();
      laps.dispose();
    },
  };
}
