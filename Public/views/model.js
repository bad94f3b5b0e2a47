// One model: its input and output, its speed on this server, and what an administrator can do with it.

import * as administration from "../services/administration.js";
import * as api from "../services/api.js";
import { bytes, formatTime, hasText, number, percent, text } from "../languages/language.js";
import { caller, may } from "../services/api.js";
import { asProblem } from "../services/problem.js";
import { command } from "../parts/command.js";
import { ask } from "../parts/dialog.js";
import { announce, button, confirmed, element, problemBox, style } from "../parts/dom.js";
import { factList } from "../parts/facts.js";
import { allPages } from "../parts/paged.js";
import { linePlot, table } from "../parts/plot.js";
import { redraw } from "../parts/redraw.js";
import { fetchRuns } from "../parts/run-list.js";
import { median, timings } from "../parts/speed.js";
import { taskWords } from "../parts/task.js";
import { toast } from "../parts/toasts.js";
import { go } from "../router.js";

const measurements = 12;

export async function render({ id, signal }) {
  const [first, trainings] = await Promise.all([api.model(id), trainingsOf(id), style("live")]);
  const body = element("div");
  const notice = element("div");
  const attempt = async (action) => {
    notice.replaceChildren(element("p", { class: "progress", role: "status" }, text("modelWorking")));
    try {
      await action();
      draw(await api.model(id));
      notice.replaceChildren();
      announce(text("modelDone"));
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), () => attempt(action)));
    }
  };
  const remove = async () => {
    if (!(await confirmed(text("modelRemoveQuestion", { name: id }), text("modelRemove")))) return;
    try {
      await administration.removeModel(id);
      toast(text("modelRemoved", { name: id }));
      go("#models", signal);
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  };
  const changeNotes = async (model) => {
    const notes = await askForNotes(model);
    if (notes) await attempt(() => administration.annotateModel(id, model.version, notes));
  };
  const draw = (model) => redraw(body, ...[
    element("p", {}, element("span", { class: `state ${model.state}` }, text(`model.${model.state}`)), " ",
      model.default ? element("span", { class: "state done" }, text("modelDefault")) : null),
    model.problem ? element("div", { class: "problem" }, element("p", {}, problemWords(model)), element("p", { lang: "en" }, model.problem)) : null,
    facts(model),
    (model.versions ?? []).some(({ version }) => trainings.has(version)) ? versionTable(model.versions, trainings) : null,
    may("admin") ? element("div", { class: "actions" },
      model.state === "ready" ? button(text("modelUnload"), () => attempt(() => administration.unloadModel(id)))
        : button(text("modelLoad"), () => attempt(() => administration.loadModel(id)), { class: "primary" }),
      model.default || model.state !== "ready" || isDetector(model) ? null : button(text("modelMakeDefault"), () => attempt(() => administration.setDefaultModel(id))),
      (model.versions?.length > 1 ? model.versions : []).filter(({ active }) => !active).map(({ version }) =>
        button(`${text("modelLoad")}: ${version}`, () => attempt(() => administration.loadModel(id, version)))),
      model.removable ? button(text("modelNotesChange"), () => changeNotes(model)) : null,
      model.removable ? button(text("modelRemove"), remove, { class: "danger" }) : null) : element("p", { class: "quiet" }, text("needsAdmin")),
    may("user") && model.state === "ready" && !isDetector(model) ? speed(model, signal) : null,
    element("h2", {}, text("modelCurl")),
    command(curl(model), text("modelCurl")),
  ].filter(Boolean));
  draw(first);
  return {
    title: id,
    element: element("div", {}, element("p", {}, element("a", { class: "back", href: "#models" }, `← ${text("backToModels")}`)),
      element("h1", {}, id), notice, body),
  };
}

/** Asks for the notes in a dialog, one note a line. Resolves with a list, or with null if the person cancels. */
const askForNotes = (model) => ask(text("modelNotes"), (done) => {
  const notes = element("textarea", { id: "model-notes", rows: 6, maxlength: 8000, autofocus: true });
  notes.value = (model.notes ?? []).join("\n");
  return element("form", {
    class: "form", onsubmit: (event) => {
      event.preventDefault();
      done(notes.value.split("\n").map((note) => note.trim()).filter(Boolean));
    },
  }, element("div", { class: "field" }, element("label", { for: "model-notes" }, text("modelNotesHint")), notes),
  element("div", { class: "actions" }, element("button", { class: "primary" }, text("save")), button(text("cancel"), () => done(null))));
});

/** Maps each version of a model to its training. Empty if it was not trained here or the request fails. */
async function trainingsOf(id) {
  const items = await allPages((cursor) => fetchRuns("training", cursor)).catch(() => []);
  return new Map(items.filter(({ result }) => result?.model === id).map((run) => [run.result.version, run]));
}

/** Compares the versions: the accuracy of each, and the photos and classes it was trained on. */
const versionTable = (versions, trainings) => table({
  caption: text("modelVersions"),
  heads: [text("modelVersions"), text("modelAccuracy"), text("trainingPhotos"), text("trainingClasses"), text("modelMade")],
  rows: versions.map(({ version, active }) => {
    const run = trainings.get(version);
    const name = active ? `${version} ✓` : version;
    if (!run) return [name, "–", "–", "–", "–"];
    const { accuracy, accuracy_interval: interval } = run.result;
    return [
      element("a", { href: `#training/${run.id}` }, name),
      typeof accuracy === "number" ? `${percent(accuracy)}${interval ? ` ± ${percent(interval)}` : ""}` : "–",
      number(run.classes.reduce((sum, { photos }) => sum + photos, 0)), number(run.classes.length), formatTime(run.ended_at ?? run.created_at),
    ];
  }),
});

const isDetector = (model) => model.task === "detection" || Boolean(model.detection);

const curl = (model) => `curl ${caller().key_required ? "-H 'Authorization: Bearer menagerie_…' " : ""}-F image=@photo.jpg `
  + `'${location.origin}/${isDetector(model) ? "detect" : "classify"}?model=${model.name}'`;

const problemWords = ({ problem_code: code }) => text(hasText(`modelProblem.${code}`) ? `modelProblem.${code}` : "modelProblem");

function facts(model) {
  const { input, heads = {}, versions = [] } = model;
  const memory = versions.reduce((sum, version) => sum + (version.memory ?? 0), 0);
  const outputs = isDetector(model) ? text("modelHeads", { name: model.detection?.decoder ?? "boxes", n: model.detection?.classes ?? 0 })
    : Object.entries(heads).map(([name, { classes }]) => text("modelHeads", { name, n: classes })).join("; ");
  return factList([
    ["modelTask", model.task && taskWords(model)], ["modelVersions", versions.map(({ version, active }) => (active ? `${version} ✓` : version)).join(", ")],
    ["modelFormat", model.format],
    ["modelFile", model.bytes ? bytes(model.bytes) : null], ["modelSize", memory ? bytes(memory) : null],
    ["modelInput", input && `${input.channels} ${number(input.width)} × ${number(input.height)}, ${input.layout}, ${input.type}, ${input.scale}${input.mean ? `, mean ${input.mean.join(" ")}` : ""}${input.std ? `, std ${input.std.join(" ")}` : ""}`],
    ["modelOutput", outputs], ["modelLicence", model.licence], ["modelOrigin", model.origin && origins(model)],
    ["modelNotes", model.notes?.length ? element("ul", model.removable ? {} : { lang: "en" }, model.notes.map((note) => element("li", {}, note))) : null],
  ]);
}

/** Lists the sources of the model's networks. The list is folded on a phone, because it would fill the screen. */
function origins({ origin, cascade }) {
  const all = [...new Set([origin, cascade?.origin, ...Object.values(cascade?.specialists ?? {}).map((each) => each.origin)])].filter(Boolean);
  if (all.length === 1) return element("span", { lang: "en" }, origin);
  return element("details", { open: matchMedia("(min-width: 46rem)").matches }, element("summary", {}, text("modelSources", { n: all.length })),
    element("ul", { lang: "en" }, all.map((each) => element("li", {}, each))));
}

/** A button that sends our sample picture to the model several times in a row and plots the inference times. */
function speed(model, signal) {
  const output = element("div", { "aria-live": "polite" });
  const measure = button(text("modelMeasure"), async () => {
    try {
      const measured = await timings(model.name, measurements, signal);
      const written = (name) => number(median(measured.map((each) => each[name])), { maximumFractionDigits: 1 });
      output.replaceChildren(
        element("p", {}, text("modelMeasured", { n: measured.length, ms: written("inference"), total: written("total") })),
        linePlot({
          title: text("modelPlot"), xTitle: text("modelPhotoNumber"), low: 0,
          series: [{ name: model.name, points: measured.map(({ inference }, index) => [index + 1, inference]) }],
        }));
    } catch (error) {
      if (error.name !== "AbortError") output.replaceChildren(problemBox(asProblem(error)));
    }
  });
  return element("section", { "aria-labelledby": "speed" }, element("h2", { id: "speed" }, text("modelSpeed")), measure, output);
}
