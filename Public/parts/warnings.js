// What a work warns of although it was done, by its stable code.

import { hasText, listOf, text } from "../languages/language.js";
import { element } from "./dom.js";

/** A code that came after this page speaks as the service does. */
export const warningBoxes = (warnings) => warnings.map(({ code, detail, count, classes = [] }) =>
  (hasText(`warning.${code}`) ? element("p", { class: "notice" }, text(`warning.${code}`, { n: count, classes: listOf(classes) }))
    : element("p", { class: "notice", lang: "en" }, detail)));
