// Details below the live picture: the five likeliest names, frame rate, latency, memory, the choice of the model, and the log.

import * as api from "../services/api.js";
import { bytes, clock, number, text } from "../languages/language.js";
import { recall, remember } from "../services/store.js";
import { share } from "./certainty.js";
import { button, element } from "./dom.js";
import { download } from "./download.js";
import { icon } from "./icons.js";
import { LiveLog } from "./live-log.js";

const likeliest = 5;
/** The shortest time between two updates in milliseconds. Nobody can read figures that change faster. */
const drawnEvery = 500;

/** Whether the history saves a scan of each tapped animal. */
export const keepsTaps = () => recall("keepTaps") !== "no";

/** `video`: the camera's element. `chosen(model)`: called with the name of the chosen model, or with null for the default models. */
export function liveFigures(video, chosen) {
  const log = new LiveLog();
  const names = element("ol", { class: "top-five" });
  const list = element("dl", { class: "facts" });
  const model = element("select", { id: "live-model", onchange: () => chosen(model.value || null) });
  const tick = element("input", { type: "checkbox", id: "keep-taps", checked: keepsTaps(), onchange: () => remember("keepTaps", tick.checked ? null : "no") });
  const save = button([icon("share"), element("span")], () => download(log.file(), `live-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.csv`));
  const summary = element("summary");
  const modelLabel = element("label", { for: "live-model" });
  const tickLabel = element("span");
  const node = element("details", { class: "live-figures", hidden: true, ontoggle: () => offerModels() },
    summary, names, list, element("div", { class: "field" }, modelLabel, model),
    element("label", { class: "tick" }, tick, tickLabel), element("div", { class: "actions" }, save));
  let startedAt = 0;
  let drawnAt = 0;
  let offered = null;

  const usual = element("option", { value: "" });
  const offerModels = () => offered ??= api.models().then(({ items }) => {
    model.replaceChildren(usual, ...items.filter(({ task, state }) => task === "classification" && state !== "broken")
      .map(({ name }) => element("option", { value: name }, name)));
  }, () => { offered = null; });
  model.append(usual);

  return {
    element: node,
    log,
    /** The name of the chosen model, or null for the default models. */
    model: () => model.value || null,
    translate() {
      const words = [[summary, "liveFigures"], [modelLabel, "liveModel"], [tickLabel, "liveKeepTaps"], [save.querySelector("span"), "liveLog"], [usual, "liveUsualModel"]];
      for (const [each, name] of words) each.textContent = text(name);
    },
    begin() {
      startedAt = performance.now();
      node.hidden = false;
    },
    end() {
      // The log stays available for saving after the camera has stopped.
      node.hidden = log.isEmpty;
    },
    show({ predictions = [], dropped, frame, timing }, rate) {
      const now = performance.now();
      if (!node.open || now - drawnAt < drawnEvery) return;
      drawnAt = now;
      names.replaceChildren(...predictions.slice(0, likeliest).map((each) => element("li", {}, element("span", {}, each.name), " ", element("span", { class: "quiet" }, share(each)))));
      // Dropped frames are those that the page never sent and those that the service skipped.
      const given = video.getVideoPlaybackQuality?.().totalVideoFrames ?? frame;
      const memory = performance.memory?.usedJSHeapSize;
      const rows = [
        ["liveElapsed", clock(now - startedAt, 0)], ["liveRateName", text("liveRate", { n: number(rate, { maximumFractionDigits: 0 }) })],
        ["liveDropped", text("liveDroppedOf", { n: Math.max(0, given - frame + dropped), of: Math.max(given, frame) })],
        ["liveLatency", timing ? text("milliseconds", { n: number(timing.latency_ms, { maximumFractionDigits: 0 }) }) : null],
        ["liveMemory", memory ? bytes(memory) : null],
      ].filter(([, value]) => value);
      list.replaceChildren(...rows.flatMap(([term, value]) => [element("dt", {}, text(term)), element("dd", {}, value)]));
    },
  };
}
