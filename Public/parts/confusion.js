// The confusion matrix of a trained model as a table, and its most frequent errors in words.

import { number, percent, text } from "../languages/language.js";
import { element } from "./dom.js";

/** `counts[truth][answer]`: the number of photos of class `truth` that were classified as `answer`. `labels`: the class names in order. */
export function confusionMatrix({ labels, counts }) {
  const caption = text("trainingMatrix");
  return element("section", {}, element("h2", {}, caption),
    element("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": caption },
      element("table", { class: "matrix" },
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, text("trainingTruth")), labels.map((label) => element("th", { scope: "col" }, label)))),
        element("tbody", {}, counts.map((row, index) => element("tr", {}, element("th", { scope: "row" }, labels[index]),
          row.map((count, other) => element("td", { class: index === other ? "hit" : count ? "miss" : null }, number(count)))))))));
}

export function worstErrors({ labels, counts }) {
  const errors = counts.flatMap((row, truth) => {
    const sum = row.reduce((total, count) => total + count, 0) || 1;
    return row.map((count, answer) => ({ truth: labels[truth], answer: labels[answer], share: count / sum, isError: truth !== answer && count > 0 }));
  }).filter(({ isError }) => isError).sort((a, b) => b.share - a.share).slice(0, 5);
  if (errors.length === 0) return "";
  return element("section", {}, element("h2", {}, text("trainingWorst")),
    element("ul", {}, errors.map(({ truth, answer, share }) => element("li", {}, text("trainingTaken", { truth, answer, percent: percent(share, 0) })))));
}
