// The form that adds a model. It uploads the files, and the service tests the model before adding it to the list.

import * as api from "../services/api.js";
import { bytes, hasText, percent, text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { transfer } from "../services/transfer.js";
import { progressBar } from "./bars.js";
import { announce, button, element, problemBox } from "./dom.js";
import { chooser, dropPlace } from "./intake.js";
import { asModelName } from "./model-name.js";

const kinds = [".onnx", ".tflite", ".xml", ".pb", ".mlmodel"];
const beside = [".bin", ".txt", ".labels", ".json"];
const isModel = ({ name }) => kinds.some((kind) => name.toLowerCase().endsWith(kind));

/** `signal`: aborts the upload when the person leaves the view. `added(model)`: called when the service has added the model. */
export function modelUpload(signal, added) {
  let files = [];
  const name = element("input", { type: "text", id: "model-name", required: true, autocomplete: "off", maxlength: 128,
    onchange: () => { name.value = asModelName(name.value); } });
  const version = element("input", { type: "text", id: "model-version", value: "1", required: true, autocomplete: "off", maxlength: 64, pattern: "[A-Za-z0-9_\\-][A-Za-z0-9._\\-]*" });
  const chosen = element("ul", { class: "files" });
  const output = element("div");
  const rest = element("form", { class: "form", hidden: true, onsubmit: (event) => { event.preventDefault(); start(); } }, chosen,
    element("div", { class: "pair-of-fields" },
      element("div", { class: "field" }, element("label", { for: "model-name" }, text("modelAddName")), name),
      element("div", { class: "field" }, element("label", { for: "model-version" }, text("modelAddVersion")), version)),
    element("div", { class: "actions" }, element("button", { class: "primary" }, text("modelAddStart"))));
  const show = () => {
    const model = files.find(isModel);
    if (model) name.value = asModelName(model.name.replace(/\.[^.]*$/, ""));
    chosen.replaceChildren(...files.map((file) => element("li", {}, file.name, " ", element("span", { class: "quiet" }, bytes(file.size)))));
    rest.hidden = files.length === 0;
    output.replaceChildren();
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
    show();
  };
  async function start() {
    if (!rest.reportValidity()) return;
    const going = new AbortController();
    signal.addEventListener("abort", () => going.abort(), { once: true });
    const words = element("p", { class: "progress", role: "status" });
    const bar = progressBar(text("modelsOwn"));
    output.replaceChildren(words, bar, element("div", { class: "actions" }, button(text("cancel"), () => going.abort())));
    rest.inert = true;
    const form = new FormData();
    for (const file of files) form.append("file", file);
    try {
      const model = await transfer("POST", `/models?${api.query({ name: name.value, version: version.value })}`, form, {
        signal: going.signal,
        onProgress(fraction) {
          // The service tests the model after the upload. How long that takes is unknown.
          bar.value = fraction < 1 ? fraction : null;
          words.textContent = fraction < 1 ? text("uploading", { percent: percent(fraction, 0) }) : text("modelAddTrying");
        },
      });
      files = [];
      show();
      output.replaceChildren(element("p", { class: "notice" }, element("a", { href: `#models/${model.name}` }, text("modelAdded", { name: model.name }))));
      announce(text("modelAdded", { name: model.name }));
      added(model);
    } catch (error) {
      output.replaceChildren(error.name === "AbortError" ? element("p", {}, text("cancelled")) : complaint(asProblem(error)));
      output.scrollIntoView({ block: "nearest" });
    }
    rest.inert = false;
  }
  return dropPlace(element("section", { class: "panel form", "aria-labelledby": "own-model" },
    element("h2", { id: "own-model" }, text("modelsOwn")), element("p", {}, text("modelsOwnText")),
    element("div", { class: "actions" }, chooser("model-files", text("modelAddFiles"), take, { symbol: "folder", multiple: true, accept: [...kinds, ...beside].join(",") })),
    rest, output), take);
}

/** An error message in the page's own words, with the service's technical detail below for the author of the model. */
function complaint(problem) {
  const words = `modelProblem.${problem.code}`;
  const box = problemBox(hasText(words) ? { message: text(words) } : problem);
  if (problem.status === 422 || problem.status === 400) box.append(element("p", { class: "quiet", lang: "en" }, problem.detail));
  return box;
}
