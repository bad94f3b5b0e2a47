// The list of predictions, the same for a scan, a video and the live picture.

import { text } from "../languages/language.js";
import { certainty, share, worthShowing, articleAddress } from "./certainty.js";
import { element } from "./dom.js";

export const nameOf = (prediction) =>
  prediction.url
    ? element("a", { href: articleAddress(prediction.url) }, prediction.name)
    : element("span", {}, prediction.name);

const row = (prediction) =>
  element("li", {},
    element("div", { class: "row" }, nameOf(prediction), element("span", { class: "share" }, share(prediction))),
    element("meter", { min: 0, max: 1, value: prediction.confidence, "aria-hidden": "true" }));

/** The likeliest three in rows with a bar each; the rest folded. */
export function answerList(scan) {
  const predictions = worthShowing(scan.predictions);
  const [first, rest] = [predictions.slice(0, 3), predictions.slice(3)];
  const level = certainty(first[0], scan.abstained);
  return [
    element("ol", { class: `answers ${level}` }, first.map(row)),
    rest.length ? element("details", {}, element("summary", {}, text("otherIdeas", { n: rest.length })),
      element("ol", { class: "answers", start: 4 }, rest.map(row))) : null,
  ];
}
