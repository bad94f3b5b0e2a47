// The list of models. Administrators can also add models and compare them.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { may } from "../services/api.js";
import { element, style } from "../parts/dom.js";
import { evaluation } from "../parts/evaluation.js";
import { modelUpload } from "../parts/model-upload.js";
import { taskWords } from "../parts/task.js";

export async function render({ signal }) {
  const [{ items }] = await Promise.all([api.models(), style("live")]);
  signal.throwIfAborted();
  const classifiers = items.filter(({ task }) => task === "classification").sort((one, other) => Number(other.default) - Number(one.default));
  const list = element("ul", { class: "runs" }, rows(items));
  const show = async () => list.replaceChildren(...rows((await api.models()).items));
  const parts = may("admin") ? [modelUpload(show), classifiers.length ? evaluation(classifiers) : null].filter(Boolean) : [];
  return {
    title: text("models"),
    element: element("div", {}, element("h1", {}, text("models")),
      element("p", { class: "lead" }, text("models.about")),
      list,
      parts.map((part) => part.element),
      element("h2", {}, text("modelsPrograms")),
      element("div", { class: "actions" },
        may("admin") ? element("a", { class: "button", href: "/metrics" }, text("modelsMetrics")) : null,
        element("a", { class: "button", href: "/docs/" }, text("docs")))),
    dispose: () => parts.forEach((part) => part.dispose()),
  };
}

const rows = (models) => models.map((model) => element("li", {},
  element("a", { href: `#models/${model.name}` }, model.name),
  model.default ? element("span", { class: "state done" }, text("modelDefault")) : null,
  element("span", { class: `state ${model.state}` }, text(`model.${model.state}`)),
  model.task ? element("span", { class: "quiet" }, taskWords(model)) : null));
