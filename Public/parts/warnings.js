// The warnings of a finished task, translated by their stable codes.

import { wordsFor } from "../services/problem.js";
import { element } from "./dom.js";

/** A warning that the page has no text for shows the service's English detail. */
export const warningBoxes = (warnings) => warnings.map((warning) => {
  const words = wordsFor("warning", warning);
  return element("p", { class: "notice", lang: words ? null : "en" }, words ?? warning.detail);
});
