// What a work warns of although it was done, by its stable code.

import { wordsFor } from "../services/problem.js";
import { element } from "./dom.js";

/** A code that came after this page speaks as the service does. */
export const warningBoxes = (warnings) => warnings.map((warning) => {
  const words = wordsFor("warning", warning);
  return element("p", { class: "notice", lang: words ? null : "en" }, words ?? warning.detail);
});
