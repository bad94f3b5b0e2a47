// How sure an answer is, in words before figures.

import { percent, text } from "../languages/language.js";

/** What is below this would read “0.0%”. */
const smallest = 0.0005;

/** `strong`, `fair`, `weak` or `none`. */
export function certainty({ confidence }, abstained = false) {
  if (abstained || confidence < 0.3) return "none";
  if (confidence < 0.6) return "weak";
  return confidence < 0.9 ? "fair" : "strong";
}

const words = { strong: "certaintyStrong", fair: "certaintyFair", weak: "certaintyWeak", none: "certaintyNone" };

export const certaintyWords = (prediction, abstained) => text(words[certainty(prediction, abstained)]);

/** Those with something to say: never a row of zero, and always the likeliest. */
export const worthShowing = (predictions) => predictions.filter((each, index) => index === 0 || each.confidence >= smallest);

/** “99.6%”; a confidence that rounds to all is said to be nearly all. */
export const share = ({ confidence }) => percent(Math.min(confidence, 0.999));

/** `cat` or `dog` where that is sure, though the breed may not be; null otherwise. */
export const sureKind = ({ species, presence }) => ((species === "cat" || species === "dog") && presence?.[species] > 0.9 ? species : null);

/** What a photo with an unsure answer is called in short. */
export const unsureShort = (scan) => text(sureKind(scan) ? `one.${sureKind(scan)}` : "notSureShort");

/** What a person says of a photo without any animal. */
export const noAnimal = "no_animal";

/** What a person says it is goes before what the model says. */
export function verdict(scan) {
  const corrected = scan.corrected_label;
  if (corrected === noAnimal) return { label: noAnimal, name: text("noAnimal"), url: null, isSaid: true };
  if (corrected) return { label: corrected, name: scan.corrected_name ?? null, url: `/breeds/${corrected}`, isSaid: true };
  return scan.predictions[0] ?? null;
}

export const articleAddress = (url) => `#${url.replace(/^\//, "")}`;
