// The list of lap sessions, and the form for a new one.

import * as api from "../services/api.js";
import { clock, text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { go } from "../router.js";
import { element, once, problemBox, style } from "../parts/dom.js";
import { lapObject } from "../parts/lap-object.js";
import { fetchRuns, runList } from "../parts/run-list.js";
import { identifySegments } from "../parts/segments.js";

const usual = { object: "", label: null, minimum: 3, threshold: 10 };
/** What the form holds. It stays when the person leaves the view or changes the language. */
const kept = { ...usual };

export async function render({ restored, signal }) {
  await style("live");
  const head = [identifySegments("#laps"), element("h1", {}, text("lapsTitle")), element("p", { class: "lead" }, text("lapsText"))];
  const sessions = await fetchRuns("laps");
  const notice = element("div");
  const field = (name, label, attributes) => {
    const input = element("input", { type: "number", id: `lap-${name}`, required: true, value: kept[name], oninput: () => { kept[name] = input.value; }, ...attributes });
    return element("div", { class: "field" }, element("label", { for: input.id }, text(label)), input);
  };
  const object = lapObject("lap-label", "lapsLabel", kept);
  const form = element("form", {
    class: "panel form", onsubmit: once(async () => {
      const value = (id) => form.querySelector(`#${id}`).value;
      try {
        const wanted = await object.wanted();
        const session = await api.create("laps", {
          label: wanted?.label ?? null,
          minimum_lap_s: Number(value("lap-minimum")), threshold: Number(value("lap-threshold")) / 100,
        });
        Object.assign(kept, usual);
        // An object that is only classified, not detected, has no bounding box that could cross a line.
        go(`#laps/${session.id}${wanted?.by === "classification" ? "?by=sight" : ""}`, signal);
      } catch (error) {
        notice.replaceChildren(problemBox(asProblem(error)));
      }
    }),
  },
  element("h2", {}, text("lapsNew")), notice,
  object.element,
  element("details", {}, element("summary", {}, text("trainingMore")),
    field("minimum", "lapsMinimum", { min: 0.1, step: 0.1 }),
    field("threshold", "lapsThreshold", { min: 1, max: 100 })),
  element("div", { class: "actions" }, element("button", { class: "primary" }, text("lapsCreate"))));
  // Open the folded part if one of its fields is invalid, so that the person sees the field.
  form.addEventListener("invalid", ({ target }) => target.closest("details")?.setAttribute("open", ""), true);
  const list = runList(sessions, {
    source: "laps", address: "#laps", none: text("lapsNone"), title: (session) => session.name ?? session.label ?? text("lapsAnything"), restored,
    more: ({ best_ms: best, laps }) => element("span", { class: "quiet" },
      ` ${text("lapsCount", { n: laps.length })}${best ? `, ${text("lapsBest", { time: clock(best) })}` : ""}`),
  });
  return { title: text("laps"), element: element("div", {}, head, form, list.element), snapshot: list.snapshot };
}
