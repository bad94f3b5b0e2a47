// The card of a result: what the animal is, how sure that is, where it is, and what a person says of it.

import { hasText, language, text } from "../languages/language.js";
import { answerList } from "./answers.js";
import { articleAddress, certainty, certaintyWords, share, sureKind, verdict } from "./certainty.js";
import { element } from "./dom.js";
import { icon } from "./icons.js";
import { judgement } from "./judgement.js";
import { petName } from "./pet-name.js";
import { boxesIn, boxesSummary, boxList, overlaid } from "./overlay.js";

/** The picture, upright, never larger than it is, with its boxes. */
function picture(scan, preview) {
  // Known before the photo has loaded, so that nothing jumps; EXIF orientations from 5 on lie on their side.
  const { width, height, orientation } = scan.image;
  const [imageWidth, imageHeight] = orientation >= 5 ? [height, width] : [width, height];
  const image = element("img", { src: preview ?? scan.photo_url, alt: text("scannedPhoto"), width: imageWidth, height: imageHeight });
  image.addEventListener("error", () => {
    // A format that the server reads and this browser does not, such as HEIC.
    if (scan.id && image.src !== new URL(`/history/${scan.id}/photo`, location).href) image.src = `/history/${scan.id}/photo`;
    else image.hidden = true;
  });
  const frame = overlaid(image);
  const words = element("div");
  const show = (boxes) => {
    frame.show(boxes);
    words.replaceChildren(element("p", { class: "quiet" }, boxesSummary(boxes)), boxList(boxes));
  };
  const boxes = boxesIn(scan);
  const said = verdict(scan);
  // A single box is called what the person says that it is.
  if (said?.isSaid && boxes?.length === 1) frame.show(said.url ? [{ ...boxes[0], breed: null, name: said.name ?? scan.corrected_label }] : []);
  else if (boxes?.length) show(boxes);
  return { element: element("figure", { class: "photo" }, frame.frame, words), show, image };
}

/** The animal's own name, where it has one. */
function petPill(scan) {
  const name = petName(scan);
  return name ? element("p", { class: "certainty pet" }, icon("heart"), name) : null;
}

/** That it is a cat or a dog may be sure where the breed is not. */
const unsureTitle = (scan) => (sureKind(scan) ? `unsureBreed.${sureKind(scan)}` : "unsureTitle");

function headline(scan) {
  const said = verdict(scan);
  if (said?.isSaid) {
    return [
      element("p", { class: "certainty strong" }, text("youSay")), petPill(scan),
      element("h1", { tabindex: -1 }, said.url ? element("a", { href: articleAddress(said.url) }, said.name ?? scan.corrected_label) : said.name),
    ];
  }
  const level = certainty(said, scan.abstained);
  const words = element("p", { class: `certainty ${level}` }, certaintyWords(said, scan.abstained));
  if (level === "none") {
    return [words, petPill(scan), element("h1", { class: "unsure", tabindex: -1 }, text(scan.abstained ? unsureTitle(scan) : "onlyGuess", { name: said.name })),
      element("p", { class: "quiet" }, text("tryCloser"))];
  }
  const pet = (scan.species === "cat" || scan.species === "dog") && scan.presence?.[scan.species] > 0.5 && level !== "strong"
    ? element("p", { class: "quiet" }, text(`surely.${scan.species}`, { percent: share({ confidence: scan.presence[scan.species] }) })) : null;
  return [words, petPill(scan), element("h1", { tabindex: -1 },
    said.url ? element("a", { href: articleAddress(said.url) }, said.name) : said.name), pet];
}

/** The service's sentence is kept in the language of whoever asked then; in another one it is said in words of ours. */
function sentence(scan) {
  const { message, head, abstained, predictions } = scan;
  if (verdict(scan)?.isSaid) return text("serviceSaw");
  const isEnglish = /^(This|There|I)\b/.test(message);
  if (isEnglish === (language() === "en")) return message;
  if (predictions.length === 0) return text("saysNothing");
  if (abstained) return text("saysUnsure");
  return text(hasText(`says.${head}`) ? `says.${head}` : "says.other");
}

/** What models that were taught here say beside it; of an answer that is just given alone. */
const addedAnswers = ({ added = {} }) => Object.entries(added).map(([model, { predictions, abstained, unknown }]) =>
  element("section", { class: "added", "aria-label": model },
    unknown ? element("p", {}, text("addedUnknown", { name: model }))
      : [element("h3", {}, text(abstained ? "addedUnsure" : "addedSays", { name: model })), answerList({ predictions, abstained })]));

/** `preview`: the person's own file, shown at once; `changed(scan)`: after a correction, a name or a note. */
export function resultCard(scan, { preview, changed, more } = {}) {
  const photo = picture(scan, preview);
  const card = element("div", { class: "scan-result" },
    photo.element,
    element("div", { class: "verdict" },
      headline(scan),
      element("h2", {}, sentence(scan)),
      answerList(scan),
      addedAnswers(scan),
      scan.id ? judgement(scan, changed) : null,
      more));
  return { element: card, showBoxes: photo.show, image: photo.image };
}

/** What is read aloud of a result. */
export const spoken = (scan) => {
  const said = verdict(scan);
  return `${certaintyWords(said, scan.abstained)}: ${said.name ?? scan.corrected_label}, ${share(scan.predictions[0])}`;
};

/** What a result is called: the animal's own name, what it is, or that nobody knows. */
export function nameFor(scan) {
  const said = verdict(scan);
  const name = petName(scan);
  const what = scan.abstained && !said.isSaid ? text(unsureTitle(scan)) : said.name ?? scan.corrected_label;
  return name ? `${name} (${what})` : what;
}
