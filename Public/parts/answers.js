// The predictions of an answer: each name with its percentage and a bar.

import { share, articleAddress } from "./certainty.js";
import { shareBar } from "./bars.js";
import { element } from "./dom.js";

/** Confidences below this would be shown as “0.0%”. */
const smallest = 0.0005;

/** Drops the predictions that would show as zero, but always keeps the first. */
const worthShowing = (predictions) => predictions.filter(({ confidence }, index) => index === 0 || confidence >= smallest);

const nameOf = ({ url, name }) => (url ? element("a", { href: articleAddress(url) }, name) : element("span", {}, name));

export const answerList = ({ predictions }) => element("ol", { class: "answers" }, worthShowing(predictions).map((prediction) =>
  element("li", {},
    element("div", { class: "row" }, nameOf(prediction), element("span", { class: "share" }, share(prediction))), shareBar(prediction.confidence))));
