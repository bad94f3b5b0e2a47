// Trains the person's own classes from photos collected here, from a ZIP or from corrections. Lists earlier trainings.

import * as api from "../services/api.js";
import { percent, text } from "../languages/language.js";
import { may } from "../services/api.js";
import { asProblem, Problem } from "../services/problem.js";
import { go } from "../router.js";
import { asModelName } from "../parts/model-name.js";
import { classCollector } from "../parts/class-collector.js";
import { button, element, problemBox, style } from "../parts/dom.js";
import { chooser } from "../parts/intake.js";
import { fetchRuns, runList } from "../parts/run-list.js";
import { Sending } from "../parts/sending.js";

const sending = new Sending("#training");
const usual = { name: "my_animals", iterations: 50, deploy: false };
/** What the form holds. It stays, as the photos do, when the person leaves the view or changes the language. */
let kept = usual;

export async function render({ restored, signal }) {
  await style("live");
  const head = [element("h1", {}, text("trainingTitle")), element("p", { class: "lead" }, text("trainingText"))];
  const runs = await fetchRuns("training");
  const { total: corrected } = await api.history({ corrected: true, limit: 1 });
  signal.throwIfAborted();
  const form = may("admin") ? trainingForm(corrected, signal) : { element: element("p", { class: "quiet" }, text("needsAdmin")) };
  const list = runList(runs, {
    source: "training", address: "#training", none: text("trainingNone"), title: (run) => run.name, restored,
    more: ({ result }) => (result ? [
      typeof result.accuracy === "number" ? element("span", { class: "quiet" }, percent(result.accuracy)) : null,
      result.deployed ? element("span", { class: "state done" }, text("trainingInUse")) : null,
    ] : null),
  });
  return {
    title: text("training"),
    element: element("div", {}, head, form.element, element("h2", {}, text("trainingBefore")), list.element),
    snapshot: list.snapshot,
    dispose: () => form.dispose?.(),
  };
}

/** Folds settings that have a good default or are seldom needed. They start open on a wide screen. */
const fold = (title, ...content) =>
  element("details", { open: matchMedia("(min-width: 46rem)").matches }, element("summary", {}, text(title)), content);

/** Makes the form that starts a training. `corrected`: the number of corrected scans. */
function trainingForm(corrected, signal) {
  const name = element("input", {
    type: "text", id: "model-name", value: kept.name, required: true, autocomplete: "off", "aria-describedby": "model-name-hint",
    onchange: () => { name.value = asModelName(name.value); },
  });
  const iterations = element("input", { type: "number", id: "iterations", min: 1, max: 1000, value: kept.iterations });
  const deploy = element("input", { type: "checkbox", id: "deploy", checked: kept.deploy });
  const settings = fold("trainingSettings",
    element("div", { class: "field" }, element("label", { for: "model-name" }, text("trainingName")), name,
      element("p", { id: "model-name-hint", class: "quiet" }, text("trainingNameHint"))),
    element("label", { class: "tick" }, deploy, text("trainingDeploy")),
    element("div", { class: "field" }, element("label", { for: "iterations" }, text("trainingIterations")), iterations));
  const output = element("div", { class: "training-output" });
  const collector = classCollector();
  const options = () => ({ name: asModelName(name.value), iterations: Number(iterations.value), deploy: deploy.checked });

  const attempt = async (action) => {
    // A field inside a closed fold cannot show its error message, so open the fold.
    settings.open ||= !name.checkValidity() || !iterations.checkValidity();
    if (!name.reportValidity() || !iterations.reportValidity()) return;
    output.replaceChildren();
    try {
      await action();
    } catch (error) {
      output.replaceChildren(problemBox(asProblem(error), () => attempt(action)));
      output.scrollIntoView({ block: "nearest" });
    }
  };
  /** `headers`: null for a form, whose type the browser writes. */
  const send = (path, body, headers, sent = () => {}) => sending.start(asModelName(name.value), async ({ send: post }) => {
    const run = await post(path, body, headers && { headers });
    kept = usual;
    sent();
    return { href: `#training/${run.id}`, message: text("videoSent", { name: run.name }) };
  });
  const sendClasses = () => attempt(() => {
    // A second press sends nothing twice. The progress of the first is below the button.
    if (sending.isBusy) return null;
    const classes = collector.classes();
    if (classes.length < 2 || classes.some(({ label, photos }) => !label || photos.length === 0)) throw new Problem(text("trainingTwoClasses"));
    const form = new FormData();
    for (const [key, value] of Object.entries(options())) form.append(key, String(value));
    for (const { label, photos } of classes) for (const photo of photos) form.append(label.replaceAll("/", "-"), photo, photo.name);
    return send("/training", form, null, collector.forget);
  });
  const sendZip = ([file]) => attempt(() => send(`/training?${api.query(options())}`, file, { "Content-Type": "application/zip" }));
  const learn = () => attempt(async () => {
    const run = await api.create("training", { source: "corrections", ...options() });
    go(`#training/${run.id}`, signal);
  });

  return {
    element: element("div", { class: "panel form training-form", oninput: () => { kept = options(); } },
      element("h2", {}, text("trainingCollect")), collector.element,
      element("div", { class: "actions" }, button(text("trainingStart"), sendClasses, { class: "primary" })), sending.element, output,
      settings,
      fold("trainingOtherwise", element("div", { class: "actions" }, collector.folder,
        chooser("zip", text("trainingZip"), sendZip, { symbol: "train", accept: ".zip,application/zip" }),
        button(text("trainingCorrections", { n: corrected }), learn)))),
    dispose() {
      sending.tidy();
      collector.dispose();
    },
  };
}
