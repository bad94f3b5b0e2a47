// How certain an answer is: as one of four levels, in words and as a percentage.

import { percent, text } from "../languages/language.js";

/** Converts a confidence to `strong`, `fair`, `weak` or `none`. An answer that abstained is `none`. */
export function certainty({ confidence }, abstained = false) {
  if (abstained || confidence < 0.3) return "none";
  if (confidence < 0.6) return "weak";
  return confidence < 0.9 ? "fair" : "strong";
}

const words = { strong: "certaintyStrong", fair: "certaintyFair", weak: "certaintyWeak", none: "certaintyNone" };

/** A few words for the certainty of an animal's name, or for who confirmed or corrected it. */
export function certaintyWords({ level, isSaid, confirms, isWide }) {
  if (isSaid) return text(confirms ? "confirmed" : "corrected");
  return text(isWide && level === "strong" ? "certaintyKind" : words[level]);
}

/** The confidence as a percentage, such as “99.6%”. It is capped at 99.9%, because no answer is completely certain. */
export const share = ({ confidence }) => percent(Math.min(confidence, 0.999));

/** Returns `cat` or `dog` if the photo surely shows one, even if its breed is unsure. Otherwise returns null. */
export const sureKind = ({ species, presence }) => ((species === "cat" || species === "dog") && presence?.[species] > 0.9 ? species : null);

/** The corrected label of a photo that shows no animal. */
export const noAnimal = "no_animal";

export const articleAddress = (url) => `#${url.replace(/^\//, "")}`;
