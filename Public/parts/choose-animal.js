// A dialog that asks what an animal is: the runners-up, their look-alikes, or any of the encyclopaedia.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { noAnimal } from "./certainty.js";
import { button, element, problemBox } from "./dom.js";

/** The chosen label, or null. */
export function chooseAnimal(scan) {
  const dialog = element("dialog", { "aria-labelledby": "choose-title" });
  const chosen = new Promise((resolve) => {
    let label = null;
    const pick = (article) => button(article.name, () => {
      label = article.id ?? article.label;
      dialog.close();
    });
    const choices = (articles) => element("ul", { class: "choices" }, articles.map((article) => element("li", {}, pick(article))));
    const runnersUp = scan.predictions.filter(({ url }) => url).slice(scan.corrected_label || scan.abstained ? 0 : 1, 5);
    const found = element("div", { "aria-live": "polite" });
    const alike = element("div");
    const search = element("input", { type: "search", id: "animal-search", autocomplete: "off" });
    let asked = null;
    search.addEventListener("input", async () => {
      asked?.abort();
      asked = new AbortController();
      const words = search.value.trim();
      if (!words) return found.replaceChildren();
      try {
        const { items } = await api.breeds({ q: words, limit: 8 }, asked.signal);
        found.replaceChildren(items.length ? choices(items) : element("p", { class: "quiet" }, text("nothing")));
      } catch (error) {
        if (error.name !== "AbortError") found.replaceChildren(problemBox(asProblem(error)));
      }
    });
    dialog.append(
      element("h2", { id: "choose-title" }, text("whatIsIt")),
      ...(runnersUp.length ? [element("h3", {}, text("runnersUp")), choices(runnersUp)] : []),
      alike,
      element("label", { class: "field", for: "animal-search" }, text("searchAll"), search), found,
      element("div", { class: "actions" },
        scan.corrected_label === noAnimal ? null : button(text("noAnimal"), () => {
          label = noAnimal;
          dialog.close();
        }),
        button(text("cancel"), () => dialog.close())));
    dialog.addEventListener("close", () => {
      asked?.abort();
      dialog.remove();
      resolve(label);
    }, { once: true });
    const [best] = scan.predictions;
    if (best?.url) {
      api.breed(best.label).then(({ look_alikes: others }) => {
        const known = new Set(runnersUp.map(({ label: each }) => each));
        const more = others.filter(({ id }) => !known.has(id));
        if (more.length) alike.append(element("h3", {}, text("lookAlikes")), choices(more));
      }, () => {});
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  return chosen;
}
