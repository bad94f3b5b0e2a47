// The figures behind an answer: a bar and a percentage for each name.

import { share, articleAddress } from "./certainty.js";
import { shareBar } from "./bars.js";
import { element } from "./dom.js";

/** What is below this would read “0.0%”. */
const smallest = 0.0005;

/** Those with something to say: never a row of zero, and always the likeliest. */
const worthShowing = (predictions) => predictions.filter(({ confidence }, index) => index === 0 || confidence >= smallest);

const nameOf = ({ url, name }) => (url ? element("a", { href: articleAddress(url) }, name) : element("span", {}, name));

export const answerList = ({ predictions }) => element("ol", { class: "answers" }, worthShowing(predictions).map((prediction) =>
  element("li", {},
    element("div", { class: "row" }, nameOf(prediction), element("span", { class: "share" }, share(prediction))), shareBar(prediction.confidence))));
