// One training: its classes, its accuracy curves while it runs, and its result.

import * as api from "../services/api.js";
import { clock, number, percent, text } from "../languages/language.js";
import { may } from "../services/api.js";
import { asProblem, wordsFor } from "../services/problem.js";
import { follow } from "../services/events.js";
import { go } from "../router.js";
import { progressBar } from "../parts/bars.js";
import { announce, button, confirmed, element, problemBox, style } from "../parts/dom.js";
import { allPages } from "../parts/paged.js";
import { linePlot, table } from "../parts/plot.js";
import { redraw } from "../parts/redraw.js";
import { over, stateWords } from "../parts/run-list.js";
import { trainingResult } from "../parts/training-result.js";

export async function render({ id, signal }) {
  const [first, met] = await Promise.all([
    api.item("training", id), allPages((cursor) => api.collection({ limit: 100, cursor })).catch(() => []), style("live"),
  ]);
  const names = new Map(met.map(({ label, name }) => [label, name]));
  /** The name of a class. A training from corrections has encyclopaedia labels, which have names; others do not. */
  const named = (label) => (run.classes.every((each) => names.has(each.label)) ? names.get(label) : null) ?? label;
  let run = first;
  /** The state that was last announced to screen readers. */
  let said = first.state;
  const notice = element("div");
  const words = element("p", { class: "progress" });
  const bar = progressBar(text("trainingTitle"));
  const classes = element("div");
  const curves = element("div");
  const result = element("div");
  const attempt = async (action, message) => {
    notice.replaceChildren();
    try {
      run = await action();
      await show();
      announce(text(message));
      notice.replaceChildren(element("p", { class: "notice" }, text(message)));
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), () => attempt(action, message)));
    }
  };
  const remove = button("", async () => {
    if (!(await confirmed(text("trainingDeleteQuestion")))) return;
    try {
      await api.discard("training", id);
      go("#training", signal);
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  }, { class: "danger" });

  async function show() {
    const left = run.seconds_left ? `\u00a0· ${text("trainingLeft", { time: clock(run.seconds_left * 1000, 0) })}` : "";
    words.textContent = stateWords("run", run) + left;
    bar.hidden = over.has(run.state);
    bar.value = run.progress;
    remove.textContent = text(over.has(run.state) ? "trainingDelete" : "trainingCancel");
    if (run.state !== said) announce(text(`run.${run.state}`));
    said = run.state;
    redraw(classes, ...classTable(run, named));
    redraw(curves, ...curvesOf(run));
    if (run.state === "failed") {
      notice.replaceChildren(element("div", { class: "problem", role: "alert" }, element("p", {}, text("trainingFailed")),
        run.problem ? inWords("p", wordsFor("problem", run.problem), run.problem.detail) : ""));
    }
    if (run.state === "done") {
      redraw(result, ...await trainingResult(run, {
        use: () => attempt(() => api.replace("training", id, "deployment?attach=true", {}), "trainingUsed"),
        rollBack: () => attempt(async () => (await api.discard("training", id, "/deployment")).json(), "trainingRolledBack"),
        named, signal,
      }));
    }
  }
  /** Takes a progress event. Its lists of iterations and skipped files are empty, so `run` keeps its own. */
  const take = ({ iterations: _, skipped: __, ...news }) => { run = { ...run, ...news }; };
  /** Fetches the training again. No event follows the last one, so then a failure is told. A refused stream is opened again. */
  const look = async (name) => {
    try {
      run = await api.item("training", id);
    } catch (error) {
      if (error.status !== 404) return name === "refused" ? null : notice.replaceChildren(problemBox(asProblem(error), look));
      run = { ...run, state: "cancelled" };
    }
    notice.replaceChildren();
    if (over.has(run.state)) events.stop();
    await show();
  };
  const events = over.has(run.state) ? null : follow(`/training/${id}/events`, ["progress", "iteration", ...over], async (name, data) => {
    if (name === "iteration") {
      // After a lost connection the service sends earlier iterations again.
      run = { ...run, iterations: [...run.iterations.filter(({ iteration }) => iteration !== data.iteration), data] };
    } else if (name === "progress") take(data);
    else return look(name);
    if (over.has(run.state)) events.stop();
    await show();
  }, [...over]);
  await show();
  return {
    title: run.name,
    element: element("div", {}, element("p", {}, element("a", { class: "back", href: "#training" }, `← ${text("training")}`)),
      element("h1", {}, run.name), words, bar, notice, result, curves, classes,
      may("admin") ? element("div", { class: "actions" }, remove) : null),
    dispose: () => events?.stop(),
  };
}

function curvesOf({ iterations, state }) {
  // With very few photos, each is compared with the mean of its class. This takes one iteration and gives no curve.
  if (iterations.length === 1 && over.has(state)) return [];
  if (iterations.length === 0) return over.has(state) ? [] : [element("p", { class: "quiet" }, text("trainingLooking"))];
  const points = (name) => iterations.filter((each) => typeof each[name] === "number").map((each) => [each.iteration, each[name]]);
  return [linePlot({
    title: text("trainingCurves"), xTitle: text("trainingIteration"), low: 0, high: 1, yLabel: (value) => percent(value, 0),
    series: [{ name: text("trainingOnTraining"), points: points("training_accuracy") }, { name: text("trainingOnValidation"), points: points("validation_accuracy") }],
  })];
}

/** Shows `words`, or else the service's own text, which is English. */
const inWords = (name, words, english) => (words ? element(name, {}, words) : element(name, { lang: "en" }, english));

const classTable = (run, named) => [
  ...(run.classes.length ? [element("h2", {}, text("trainingClasses")), table({
    caption: text("trainingClasses"), heads: [text("name"), text("trainingPhotos")],
    rows: run.classes.map(({ label, photos }) => [named(label), number(photos)]),
  })] : []),
  ...(run.skipped.length ? [element("details", { class: "skipped" }, element("summary", {}, text("trainingSkipped", { n: run.skipped_count })),
    element("ul", {}, run.skipped.map((each) => element("li", {}, `${each.file}: `, inWords("span", wordsFor("skipped", each), each.why)))))] : []),
];
