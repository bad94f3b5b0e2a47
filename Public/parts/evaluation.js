// Compares models by accuracy and speed. The person chooses an archive of photos whose classes are known.

import * as api from "../services/api.js";
import { listOf, number, percent, text } from "../languages/language.js";
import { EventReader } from "../services/events.js";
import { Problem, asProblem, problemFrom } from "../services/problem.js";
import { transfer } from "../services/transfer.js";
import { progressBar } from "./bars.js";
import { announce, button, element, problemBox } from "./dom.js";
import { chooser } from "./intake.js";
import { linePlot, table } from "./plot.js";
import { median, timings } from "./speed.js";

const measurements = 5;

/** `models`: the classification models. `signal`: aborts a running evaluation when the person leaves the view. */
export function evaluation(models, signal) {
  const output = element("div");
  const choice = (id, label, names) => {
    const select = element("select", { id }, names.map(([value, words]) => element("option", { value }, words)));
    return [element("div", { class: "field" }, element("label", { for: id }, text(label)), select), select];
  };
  // Only an inactive version needs its number in the list; the plain name means the active version.
  const named = models.flatMap(({ name, versions = [] }) => [[name, name],
    ...versions.filter(({ active }) => !active).map(({ version }) => [`${name}@${version}`, `${name}, ${version}`])]);
  const [modelField, model] = choice("evaluation-model", "evaluationModel", named);
  const [againstField, against] = choice("evaluation-against", "evaluationAgainst", [["", text("evaluationAlone")], ...named]);
  const [headField, head] = choice("evaluation-head", "evaluationHead", []);
  const offerHeads = () => {
    const heads = Object.keys(models.find(({ name }) => name === model.value.split("@")[0])?.heads ?? {});
    headField.hidden = heads.length < 2;
    head.replaceChildren(...[["", text("evaluationAnyHead")], ...heads.map((name) => [name, name])]
      .map(([value, words]) => element("option", { value }, words)));
  };
  model.addEventListener("change", offerHeads);
  offerHeads();
  const measure = async ([file]) => {
    const running = new AbortController();
    signal.addEventListener("abort", () => running.abort(), { once: true });
    const words = element("p", { class: "progress" });
    const bar = progressBar(text("evaluationTitle"));
    output.replaceChildren(words, bar, button(text("cancel"), () => running.abort()));
    try {
      const done = await send(file, { model: model.value, against: against.value, head: head.value }, words, bar, running.signal);
      words.textContent = text("modelSpeed");
      const speeds = [];
      for (const each of done.models) {
        speeds.push(median((await timings(`${each.model}@${each.version}`, measurements, running.signal)).map(({ inference }) => inference)));
      }
      output.replaceChildren(...report(done, speeds));
      announce(text("modelDone"));
    } catch (error) {
      output.replaceChildren(error.name === "AbortError" ? element("p", {}, text("cancelled")) : problemBox(asProblem(error), () => measure([file])));
    }
  };
  return element("section", { class: "panel form", "aria-labelledby": "evaluation-title" },
    element("h2", { id: "evaluation-title" }, text("evaluationTitle")), element("p", {}, text("evaluationText")),
    modelField, headField, againstField,
    element("div", { class: "actions" }, chooser("evaluation-photos", text("evaluationChoose"), measure, { symbol: "model", accept: ".zip,application/zip" })),
    output);
}

/** Uploads the archive and shows the progress. Resolves with the report that the service's event stream ends with. */
async function send(file, models, words, bar, signal) {
  let report = null;
  let problem = null;
  await transfer("POST", `/evaluation?${api.query(models)}`, file, {
    signal, headers: { Accept: "text/event-stream", "Content-Type": "application/zip" },
    onProgress(fraction) {
      bar.value = fraction;
      words.textContent = text("uploading", { percent: percent(fraction, 0) });
    },
    events: new EventReader((name, data) => {
      if (name === "progress") {
        bar.value = data.photos / data.total;
        words.textContent = text("evaluationProgress", { n: data.photos, of: data.total });
      } else if (name === "done") report = data;
      else if (name === "failed") problem = data;
    }),
  });
  if (problem) throw problemFrom(problem, problem.status);
  if (!report) throw new Problem(text("unreachable"), { retryable: true });
  return report;
}

function report({ photos, classes, skipped_count: skipped, models, comparison }, speeds) {
  const named = models.map(({ model, version }) => `${model}@${version}`);
  const milliseconds = (value) => number(value, { maximumFractionDigits: 1 });
  return [
    element("p", { class: "result-line" }, text("evaluationDone", { n: photos, classes: classes.length }), skipped ? ` ${text("trainingSkipped", { n: skipped })}.` : ""),
    comparison ? element("p", { class: "notice" }, text(`evaluation.${comparison.verdict}`, {
      model: named[0], against: named[1], one: comparison.only_model, other: comparison.only_against,
    })) : "",
    ...models.flatMap(({ unknown_classes: unknown }, index) => (unknown.length === 0 ? []
      : element("p", { class: "notice" }, text("evaluationUnknown", { model: named[index], classes: listOf(unknown) })))),
    linePlot({
      title: text("evaluationPlot"), xTitle: text("evaluationTime"), low: 0, high: 1, left: 0, dots: true, yLabel: (value) => percent(value, 0),
      series: models.map((each, index) => ({ name: named[index], points: [[speeds[index], each.accuracy]] })),
    }),
    table({
      caption: text("models"), heads: [text("models"), text("modelAccuracy"), text("evaluationMeanF1"), text("evaluationTime")],
      rows: models.map((each, index) => [
        named[index], `${percent(each.accuracy)} ± ${percent(each.accuracy_interval)}`, percent(each.macro_f1), milliseconds(speeds[index])]),
    }),
  ];
}
