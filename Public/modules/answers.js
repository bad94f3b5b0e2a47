// The list of predictions, the same on the scan page and in the history.

import { element } from "./dom.js";

const articleLink = (prediction) =>
  prediction.url
    ? element("a", { href: `#${prediction.url.replace(/^\//, "")}` }, prediction.name)
    : element("span", {}, prediction.name);

/** Large rows with a bar each. */
export const answerList = (predictions) =>
  element("ol", { class: "answers" }, predictions.map((prediction) =>
    element("li", {},
      element("div", { class: "row" }, articleLink(prediction), element("span", {}, prediction.percent)),
      element("meter", {
        min: 0, max: 1, value: prediction.confidence, "aria-label": `${prediction.name} ${prediction.percent}`,
      }, prediction.percent))));

/** A line each. */
export const shortAnswerList = (predictions) =>
  element("ol", {}, predictions.map((prediction) =>
    element("li", {}, element("div", { class: "row" }, articleLink(prediction), element("span", {}, prediction.percent)))));
