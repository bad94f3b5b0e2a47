// The models that can answer.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { element, style } from "../parts/dom.js";

export async function render() {
  const [{ items }] = await Promise.all([api.models(), style("live")]);
  return {
    title: text("models"),
    element: element("div", {}, element("h1", {}, text("models")),
      element("p", { class: "lead" }, text("models.about")),
      element("ul", { class: "runs" }, items.map((model) => element("li", {},
        element("a", { href: `#models/${model.name}` }, model.name),
        model.default ? element("span", { class: "state done" }, text("modelDefault")) : null,
        element("span", { class: `state ${model.state}` }, text(`model.${model.state}`)),
        model.task ? element("span", { class: "quiet" }, model.task) : null)))),
  };
}
