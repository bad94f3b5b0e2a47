// Teaching own classes: from a ZIP of photos or from what was corrected; and what was taught before.

import * as api from "../services/api.js";
import { percent, text } from "../languages/language.js";
import { may } from "../services/caller.js";
import { asProblem } from "../services/problem.js";
import { transfer } from "../services/transfer.js";
import { go } from "../router.js";
import { button, element, problemBox, style } from "../parts/dom.js";
import { chooser } from "../parts/intake.js";
import { fetchRuns, runList } from "../parts/run-list.js";

export async function render() {
  await style("live");
  const head = [element("h1", {}, text("trainingTitle")), element("p", { class: "lead" }, text("trainingText"))];
  let runs;
  try {
    runs = await fetchRuns("training");
  } catch (error) {
    return { title: text("training"), element: element("div", {}, head, problemBox(asProblem(error))) };
  }
  const form = may("admin") ? trainingForm() : { element: element("p", { class: "quiet" }, text("needsAdmin")) };
  return {
    title: text("training"),
    element: element("div", {}, head, form.element,
      runList(runs.items, { address: "#training", kind: "run", none: text("trainingNone"), title: (run) => run.name ?? run.id })),
    dispose: () => form.dispose?.(),
  };
}

function trainingForm() {
  const name = element("input", { type: "text", id: "model-name", value: "my_animals", required: true, pattern: "[a-z0-9_\\-]{1,128}", autocomplete: "off" });
  const iterations = element("input", { type: "number", id: "iterations", min: 1, max: 1000, value: 50 });
  const output = element("div");
  let controller = null;
  const options = () => ({ name: name.value, iterations: Number(iterations.value) });
  const attempt = async (action, again) => {
    if (!name.reportValidity() || !iterations.reportValidity()) return;
    output.replaceChildren();
    try {
      const run = await action();
      go(`#training/${run.id}`);
    } catch (error) {
      if (error.name === "AbortError") output.replaceChildren(element("p", {}, text("cancelled")));
      else output.replaceChildren(problemBox(asProblem(error), again));
    }
  };
  const sendZip = ([file]) => attempt(() => {
    controller = new AbortController();
    const words = element("p", { class: "progress" });
    const bar = element("progress", { max: 1, value: 0, "aria-label": text("trainingZip") });
    output.replaceChildren(words, bar, button(text("cancel"), () => controller.abort()));
    return transfer("POST", `/training?${api.query(options())}`, file, {
      headers: { "Content-Type": "application/zip" }, signal: controller.signal,
      onProgress(fraction) {
        bar.value = fraction;
        words.textContent = text("uploading", { percent: percent(fraction, 0) });
      },
    });
  }, () => sendZip([file]));
  const learn = () => attempt(() => api.create("training", { source: "corrections", ...options() }), learn);
  return {
    element: element("div", { class: "panel form" },
      element("div", { class: "field" }, element("label", { for: "model-name" }, text("trainingName")), name),
      element("div", { class: "field" }, element("label", { for: "iterations" }, text("trainingIterations")), iterations),
      element("div", { class: "actions" }, chooser("zip", text("trainingStart"), sendZip, { style: "primary", symbol: "train", accept: ".zip,application/zip" }),
        button(text("trainingCorrections"), learn)), output),
    dispose: () => controller?.abort(),
  };
}
