// The result of a scan: the photo, a card for each animal, the buttons for corrections, and the details.

import { number, text } from "../languages/language.js";
import { answerList } from "./answers.js";
import { animalCard } from "./animal-card.js";
import { animalsIn, headline } from "./animals.js";
import { certainty, certaintyWords } from "./certainty.js";
import { element } from "./dom.js";
import { judgement } from "./judgement.js";
import { otherPossibilities } from "./possibilities.js";
import { petName } from "./pet-name.js";
import { photoStage } from "./photo.js";

/** The answers of models trained on this service. Unsure answers are left out. So are names from the encyclopaedia if the photo surely shows a thing. */
function addedAnswers({ added = {}, head, abstained, presence }) {
  const isThing = !abstained && head === "objects" && (presence?.other ?? 0) > 0.9;
  const speaks = ({ predictions, abstained: isUnsure, unknown }) =>
    !unknown && !isUnsure && certainty(predictions[0]) !== "none" && !(isThing && predictions[0].url);
  return Object.entries(added).filter(([, each]) => speaks(each)).map(([model, { predictions: [best] }]) =>
    element("p", { class: "added" }, text("addedSays", { name: model }), " ", element("strong", {}, best.name)));
}

/** A collapsed section with the predictions, the model and the sizes. An unsure answer shows no predictions, because they would mislead. */
function details(scan, animals) {
  const { model, timing, image } = scan;
  const lists = scan.abstained ? [] : [scan.predictions, ...animals.slice(1).map(({ box }) => box?.predictions)].filter(Boolean);
  return element("details", { class: "figures" }, element("summary", {}, text("details")),
    lists.map((predictions) => answerList({ predictions })),
    element("p", { class: "quiet" }, text("detailsOf", {
      width: image.width, height: image.height, model: `${model.name} ${model.version}`, ms: number(timing.inference_ms, { maximumFractionDigits: 0 }),
    })),
    image.original ? element("p", { class: "quiet" }, text("detailsOriginal", {
      width: number(image.original.width), height: number(image.original.height),
    })) : null);
}

/**
 * `preview`: the address of the person's local file, which shows at once. `changed(scan)`: called after a correction, a name or a note.
 * `more`: nodes for the row of buttons. `below`: nodes for the end.
 */
export function resultCard(scan, { preview, changed, more, below } = {}) {
  const animals = animalsIn(scan);
  const isAlone = animals.length === 1;
  const photo = photoStage(scan, animals, preview);
  let near = null;
  const look = (animal) => {
    near = near === animal ? null : animal;
    photo.look(near?.box);
  };
  const cards = animals.map((animal) => animalCard(scan, animal, {
    isAlone, name: animal === animals[0] ? petName(scan) : "", preview, onlook: () => look(animal),
  }));
  return {
    element: element("div", { class: "scan-result" }, photo.element,
      element("div", { class: "verdict" },
        isAlone ? null : element("h1", { tabindex: -1 }, headline(animals)),
        element("div", { class: isAlone ? "" : "card-strip", ...(isAlone ? {} : { tabindex: 0, role: "region", "aria-label": text("animalsInPhoto") }) }, cards),
        scan.id ? judgement(scan, animals, changed, more) : null,
        scan.note && scan.note !== animals[0].name ? element("p", { class: "note" }, scan.note) : null,
        addedAnswers(scan),
        scan.id ? otherPossibilities(scan, animals[0]) : null,
        details(scan, animals), below)),
    show: photo.show,
  };
}

/** The text of a result for screen readers. */
export function spoken(scan) {
  const animals = animalsIn(scan);
  return animals.length === 1 ? `${animals[0].name}. ${certaintyWords(animals[0])}` : headline(animals);
}
