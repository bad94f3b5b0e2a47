// Other names that an animal may have, each with a picture. A press compares one with the scanned photo and says how to tell them apart.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { possibilities } from "./animals.js";
import { button, element, problemBox } from "./dom.js";
import { drawing } from "./drawings.js";
import { keptPhoto } from "./photo.js";
import { portrait } from "./portrait.js";

const most = 6;
const mostPhotos = 3;

/** A `details` element that is open while the animal's name is unknown. Null if there is no name to show. */
export function otherPossibilities(scan, animal) {
  const likely = possibilities(scan, animal);
  const isKnown = animal.label && animal.label !== "no_animal";
  if (likely.length === 0 && !isKnown) return null;
  const choices = element("ul", { class: "pills" });
  const panel = element("div", { "aria-live": "polite" });
  const node = element("details", { class: "compare noprint", open: !isKnown },
    element("summary", {}, text(isKnown ? "otherIdeas" : "couldBe")), choices, panel);
  const others = new Map(likely.map(({ label, name }) => [label, name]));
  let article = null;
  const draw = () => choices.replaceChildren(...[...others].slice(0, most).map(([id, name]) =>
    element("li", {}, button([portrait(id, { except: scan.id }), name], ({ currentTarget }) => show(id, currentTarget), { "aria-pressed": "false" }))));
  const unfold = async () => {
    article = isKnown ? await api.breed(animal.label).catch(() => null) : null;
    for (const { id, name } of article?.look_alikes ?? []) others.set(id, name);
    draw();
    if (others.size === 0) panel.replaceChildren(element("p", { class: "quiet" }, text("nothingElse")));
  };
  if (node.open) unfold();
  else node.addEventListener("toggle", unfold, { once: true });

  async function show(id, pressed) {
    const isShown = pressed.getAttribute("aria-pressed") === "true";
    for (const each of choices.querySelectorAll("button")) each.setAttribute("aria-pressed", String(!isShown && each === pressed));
    if (isShown) return panel.replaceChildren();
    try {
      const [other, own, photos] = await Promise.all([api.breed(id), api.ownScans(id).then(({ items }) => items, () => []), api.breedPhotos(id, { limit: 3 }).then(({ message }) => message, () => [])]);
      // The person may have pressed another one meanwhile.
      if (pressed.getAttribute("aria-pressed") !== "true") return;
      const theirs = new Set([...own.filter((each) => each.id !== scan.id && each.photo_url).map((each) => each.photo_url), ...photos]);
      panel.replaceChildren(pair(scan, animal, article, other, [...theirs].slice(0, mostPhotos)));
    } catch (error) {
      panel.replaceChildren(problemBox(asProblem(error), () => show(id, pressed)));
    }
  }
  return node;
}

function pair(scan, animal, article, other, photos) {
  const between = [article?.look_alikes.find(({ id }) => id === other.id), other.look_alikes.find(({ id }) => id === animal.label)].filter(Boolean);
  const image = (src, alt) => element("img", { src, alt, loading: "lazy" });
  return element("div", { class: "pair" },
    element("figure", {}, keptPhoto(scan) && image(keptPhoto(scan), text("scannedPhoto")), element("figcaption", {}, animal.name)),
    element("figure", {},
      photos.length ? photos.map((src, index) => image(src, text("photoOf", { name: other.name, n: index + 1 }))) : drawing(other, { large: true }),
      element("figcaption", {}, element("a", { href: `#breeds/${other.id}` }, other.name))),
    element("div", {}, between.length ? between.map(({ how_to_tell: how }) => element("p", {}, how)) : element("p", {}, other.summary)));
}
