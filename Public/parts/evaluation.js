// Compares models by accuracy and speed. The person chooses an archive of photos whose classes are known.

import * as api from "../services/api.js";
import { listOf, number, percent, text } from "../languages/language.js";
import { element } from "./dom.js";
import { chooser } from "./intake.js";
import { linePlot, table } from "./plot.js";
import { Sending } from "./sending.js";
import { median, timings } from "./speed.js";

const measurements = 5;

const sending = new Sending("#models");

/** `models`: the classification models. `dispose` removes a report that the person has seen. */
export function evaluation(models) {
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
  const measure = ([file]) => {
    const chosen = { model: model.value, against: against.value, head: head.value };
    sending.start(file.name, async ({ stream, show, signal }) => {
      const done = await stream(`/evaluation?${api.query(chosen)}`, file, "application/zip",
        ({ photos, total }) => show(photos / total, text("evaluationProgress", { n: photos, of: total })));
      show(1, text("modelSpeed"));
      const speeds = [];
      for (const each of done.models) {
        speeds.push(median((await timings(`${each.model}@${each.version}`, measurements, signal)).map(({ inference }) => inference)));
      }
      signal.throwIfAborted();
      return { message: text("modelDone"), nodes: report(done, speeds) };
    });
  };
  return {
    element: element("section", { class: "panel form", "aria-labelledby": "evaluation-title" },
      element("h2", { id: "evaluation-title" }, text("evaluationTitle")), element("p", {}, text("evaluationText")),
      modelField, headField, againstField,
      element("div", { class: "actions" }, chooser("evaluation-photos", text("evaluationChoose"), measure, { symbol: "model", accept: ".zip,application/zip" })),
      sending.element),
    dispose: () => sending.tidy(),
  };
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
