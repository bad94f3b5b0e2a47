// What a photo could be taken for, laid beside it: photos, a drawing, and how to tell the two apart.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { verdict } from "./certainty.js";
import { button, element, problemBox } from "./dom.js";
import { drawing } from "./drawings.js";

const most = 5;
const mostPhotos = 3;

/** What is beside the photo of `scan`; null where nothing is known of what it shows. */
export function comparison(scan) {
  const said = verdict(scan);
  if (!said?.url || (scan.abstained && !said.isSaid)) return null;
  const choices = element("ul", { class: "pills" });
  const panel = element("div", { "aria-live": "polite" });
  const section = element("section", { class: "compare noprint", "aria-labelledby": "compare-title", hidden: true },
    element("h2", { id: "compare-title" }, text("compareWith")), choices, panel);
  api.breed(said.label).catch(() => null).then((article) => {
    const others = new Map(scan.predictions.filter(({ url, label, confidence }) => url && label !== said.label && confidence > 0.001)
      .map(({ label, name }) => [label, name]));
    for (const { id, name } of article?.look_alikes ?? []) others.set(id, name);
    const buttons = [...others].slice(0, most).map(([id, name]) => button(name, () => show(id), { "aria-pressed": "false", "data-animal": id }));
    choices.replaceChildren(...buttons.map((each) => element("li", {}, each)));
    section.hidden = buttons.length === 0;

    async function show(id) {
      const isShown = buttons.some((each) => each.dataset.animal === id && each.getAttribute("aria-pressed") === "true");
      for (const each of buttons) each.setAttribute("aria-pressed", String(!isShown && each.dataset.animal === id));
      if (isShown) return panel.replaceChildren();
      try {
        const [other, own, photos] = await Promise.all([api.breed(id), api.ownScans(id).catch(() => []), api.breedPhotos(id)]);
        const theirs = new Set([...own.filter((each) => each.id !== scan.id).map((each) => each.photo_url), ...photos]);
        panel.replaceChildren(pair(scan, said, article, other, [...theirs].slice(0, mostPhotos)));
      } catch (error) {
        panel.replaceChildren(problemBox(asProblem(error), () => show(id)));
      }
    }
  });
  return section;
}

function pair(scan, said, article, other, photos) {
  const between = [article?.look_alikes.find(({ id }) => id === other.id), other.look_alikes.find(({ id }) => id === said.label)].filter(Boolean);
  const image = (src, alt) => element("img", { src, alt, loading: "lazy" });
  return element("div", { class: "pair" },
    element("figure", {}, image(`/history/${scan.id}/photo`, text("scannedPhoto")), element("figcaption", {}, said.name ?? article?.name ?? "")),
    element("figure", {},
      photos.length ? photos.map((src, index) => image(src, text("photoOf", { name: other.name, n: index + 1 }))) : drawing(other, { large: true }),
      element("figcaption", {}, element("a", { href: `#breeds/${other.id}` }, other.name))),
    element("div", {}, between.length ? between.map(({ how_to_tell: how }) => element("p", {}, how)) : element("p", {}, other.summary)));
}
