// How sure an answer is, in words before figures.

import { percent, text } from "../languages/language.js";

/** `strong`, `fair`, `weak` or `none`. */
export function certainty({ confidence }, abstained = false) {
  if (abstained || confidence < 0.3) return "none";
  if (confidence < 0.6) return "weak";
  return confidence < 0.9 ? "fair" : "strong";
}

const words = { strong: "certaintyStrong", fair: "certaintyFair", weak: "certaintyWeak", none: "certaintyNone" };

/** One word for how sure the name of an animal is. */
export function certaintyWords({ level, isSaid, confirms, isWide }) {
  if (isSaid) return text(confirms ? "confirmed" : "corrected");
  return text(isWide && level === "strong" ? "certaintyKind" : words[level]);
}

/** “99.6%”; a confidence that rounds to all is said to be nearly all. */
export const share = ({ confidence }) => percent(Math.min(confidence, 0.999));

/** `cat` or `dog` where that is sure, though the breed may not be; null otherwise. */
export const sureKind = ({ species, presence }) => ((species === "cat" || species === "dog") && presence?.[species] > 0.9 ? species : null);

/** What a person says of a photo without any animal. */
export const noAnimal = "no_animal";

export const articleAddress = (url) => `#${url.replace(/^\//, "")}`;
