// One training: classes, curves as they grow, and what came of it.

import * as api from "../services/api.js";
import { clock, number, percent, text } from "../languages/language.js";
import { may } from "../services/caller.js";
import { asProblem, problemFrom } from "../services/problem.js";
import { follow } from "../services/events.js";
import { go } from "../router.js";
import { announce, button, confirmed, element, problemBox, style } from "../parts/dom.js";
import { confusionMatrix, worstErrors } from "../parts/confusion.js";
import { linePlot, table } from "../parts/plot.js";
import { stateWords } from "../parts/run-list.js";

const over = new Set(["done", "failed", "cancelled"]);

export async function render({ id }) {
  const [first] = await Promise.all([api.item("training", id), style("live")]);
  let run = first;
  const started = performance.now();
  const startedAt = run.iterations?.length ?? 0;
  const notice = element("div");
  const words = element("p", { class: "progress", role: "status" });
  const bar = element("progress", { max: 1, value: 0, "aria-label": text("trainingTitle") });
  const curves = element("div");
  const result = element("div");
  const attempt = async (action, message) => {
    notice.replaceChildren();
    try {
      await action();
      if (message) announce(text(message));
      if (message) notice.replaceChildren(element("p", { class: "notice" }, text(message)));
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), () => attempt(action, message)));
    }
  };
  const remove = button(text(over.has(run.state) ? "trainingDelete" : "trainingCancel"), async () => {
    if (!(await confirmed(text("trainingDeleteQuestion")))) return;
    await attempt(async () => {
      await api.discard("training", id);
      go("#training");
    });
  }, { class: "danger" });

  function left() {
    const done = (run.iterations?.length ?? 0) - startedAt;
    const wanted = run.total_iterations ?? (run.progress ? (run.iterations?.length ?? 0) / run.progress : 0);
    if (over.has(run.state) || done < 2 || !wanted) return "";
    const each = (performance.now() - started) / done;
    return ` · ${text("trainingLeft", { time: clock(each * Math.max(0, wanted - run.iterations.length), 0) })}`;
  }
  async function show() {
    words.textContent = stateWords("run", run) + left();
    bar.hidden = over.has(run.state);
    bar.value = run.progress ?? 0;
    const points = (name) => (run.iterations ?? []).filter((each) => each[name] !== undefined && each[name] !== null).map((each) => [each.iteration, each[name]]);
    curves.replaceChildren(linePlot({
      title: text("trainingCurves"), xTitle: text("trainingIteration"), low: 0, high: 1, yLabel: (value) => percent(value, 0),
      series: [{ name: text("trainingOnTraining"), points: points("training_accuracy") }, { name: text("trainingOnValidation"), points: points("validation_accuracy") }],
    }));
    if (run.state === "failed") notice.replaceChildren(problemBox(problemFrom(run.problem ?? {}, 422)));
    if (run.state === "done") {
      remove.textContent = text("trainingDelete");
      result.replaceChildren(...await outcome(run, id, attempt));
    }
  }
  const events = over.has(run.state) ? null : follow(`/training/${id}/events`, ["progress", "iteration", "done", "failed"], async (name, data) => {
    if (name === "iteration") run = { ...run, state: "working", iterations: [...(run.iterations ?? []), data], progress: data.progress ?? run.progress };
    else if (name === "progress") run = { ...run, state: "working", ...data };
    else run = await api.item("training", id).catch(() => run);
    if (name === "done") announce(text("run.done"));
    await show();
  });
  await show();
  return {
    title: run.name ?? text("training"),
    element: element("div", {}, element("p", {}, element("a", { class: "button", href: "#training" }, `← ${text("training")}`)),
      element("h1", {}, run.name ?? text("training")), words, bar, notice, classes(run), curves, result,
      may("admin") ? element("div", { class: "actions" }, remove) : null),
    dispose: () => events?.stop(),
  };
}

const classes = (run) => [
  run.classes?.length ? [element("h2", {}, text("trainingClasses")), table({
    caption: text("trainingClasses"), heads: [text("trainingClasses"), text("trainingPhotos")],
    rows: run.classes.map(({ label, photos }) => [label, number(photos)]),
  })] : null,
  run.skipped?.length ? element("details", {}, element("summary", {}, text("trainingSkipped", { n: run.skipped.length })),
    element("ul", {}, run.skipped.map(({ file, why }) => element("li", { lang: "en" }, `${file}: ${why}`)))) : null,
];

async function outcome(run, id, attempt) {
  const { accuracy, macro_f1: f1, confusion_url: confusion, model } = run.result ?? {};
  const matrix = run.result?.confusion ?? (confusion ? await api.json(confusion).catch(() => null) : null);
  return [
    element("p", { class: "lead" }, text("trainingResult", { accuracy: percent(accuracy ?? 0), f1: percent(f1 ?? 0) })),
    may("admin") ? element("div", { class: "actions" },
      button(text("trainingUse"), () => attempt(() => api.replace("training", id, "deployment", {}), "trainingUsed"), { class: "primary" }),
      button(text("trainingRollBack"), () => attempt(() => api.discard("training", id, "/deployment"), "trainingRolledBack"))) : "",
    model ? element("p", {}, element("a", { href: `#models/${model.name ?? model}` }, model.name ?? model)) : "",
    ...(matrix ? [confusionMatrix(matrix)] : []),
    ...(matrix ? [worstErrors(matrix)] : []),
  ];
}
