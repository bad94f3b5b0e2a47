// The form that adds a model. It uploads the files, and the service tests the model before adding it to the list.

import * as api from "../services/api.js";
import { bytes, hasText, percent, text } from "../languages/language.js";
import { element, once, problemBox } from "./dom.js";
import { chooser, dropPlace } from "./intake.js";
import { asModelName } from "./model-name.js";
import { Sending } from "./sending.js";

const kinds = [".onnx", ".tflite", ".xml", ".pb", ".mlmodel"];
const beside = [".bin", ".txt", ".labels", ".json"];
const sending = new Sending("#models");
/** The chosen files. They stay in memory until they are sent, also when the person leaves the view and comes back. */
let files = [];
const isModel = ({ name }) => kinds.some((kind) => name.toLowerCase().endsWith(kind));

/** `added()`: called when the service has added a model. `dispose` removes what is said of uploads that have ended. */
export function modelUpload(added) {
  const name = element("input", { type: "text", id: "model-name", required: true, autocomplete: "off", maxlength: 128,
    onchange: () => { name.value = asModelName(name.value); } });
  const version = element("input", { type: "text", id: "model-version", value: "1", required: true, autocomplete: "off", maxlength: 64, pattern: "[A-Za-z0-9_\\-][A-Za-z0-9._\\-]*" });
  const chosen = element("ul", { class: "files" });
  const rest = element("form", { class: "form", hidden: true, onsubmit: once(() => start()) }, chosen,
    element("div", { class: "pair-of-fields" },
      element("div", { class: "field" }, element("label", { for: "model-name" }, text("modelAddName")), name),
      element("div", { class: "field" }, element("label", { for: "model-version" }, text("modelAddVersion")), version)),
    element("div", { class: "actions" }, element("button", { class: "primary" }, text("modelAddStart"))));
  const show = () => {
    const model = files.find(isModel);
    if (model) name.value = asModelName(model.name.replace(/\.[^.]*$/, ""));
    chosen.replaceChildren(...files.map((file) => element("li", {}, file.name, " ", element("span", { class: "quiet" }, bytes(file.size)))));
    rest.hidden = files.length === 0;
    describe(files.find(({ name: each }) => each === "manifest.json"));
  };
  /** Takes the name and the version from `manifest.json`, if there is one. An invalid manifest is ignored here, because the service reports it. */
  async function describe(manifest) {
    const said = await manifest?.text().then(JSON.parse).catch(() => null);
    if (!manifest || !files.includes(manifest)) return;
    if (typeof said?.name === "string") name.value = asModelName(said.name);
    if (typeof said?.version === "string") version.value = said.version;
  }
  // New files are added to the earlier ones, because some phones let a person choose only one file at a time.
  const take = (more) => {
    files = [...files.filter((file) => !more.some((other) => other.name === file.name)), ...more];
    sending.tidy();
    show();
  };
  async function start() {
    if (sending.isBusy || !rest.reportValidity()) return;
    const path = `/models?${api.query({ name: name.value, version: version.value })}`;
    const form = new FormData();
    for (const file of files) form.append("file", file);
    await sending.start(name.value, async ({ send, show }) => {
      const onProgress = (fraction) => {
        // The service tests the model after the upload. How long that takes is unknown.
        if (fraction < 1) show(fraction, text("uploading", { percent: percent(fraction, 0) }));
        else show(null, text("modelAddTrying"));
      };
      const model = await send(path, form, { onProgress });
      files = [];
      const message = text("modelAdded", { name: model.name });
      return { message, nodes: [element("p", { class: "notice" }, element("a", { href: `#models/${model.name}` }, message))] };
    }, complaint);
  }
  show();
  sending.arrived = () => {
    show();
    return added();
  };
  return {
    element: dropPlace(element("section", { class: "panel form", "aria-labelledby": "own-model" },
      element("h2", { id: "own-model" }, text("modelsOwn")), element("p", {}, text("modelsOwnText")),
      element("div", { class: "actions" }, chooser("model-files", text("modelAddFiles"), take, { symbol: "folder", multiple: true, accept: [...kinds, ...beside].join(",") })),
      rest, sending.element), take),
    dispose: () => sending.tidy(),
  };
}

/** An error message in the page's own words, with the service's technical detail below for the author of the model. */
function complaint(problem) {
  const words = `modelProblem.${problem.code}`;
  const box = problemBox(hasText(words) ? { message: text(words) } : problem);
  if (problem.status === 422 || problem.status === 400) box.append(element("p", { class: "quiet", lang: "en" }, problem.detail));
  return [box];
}
