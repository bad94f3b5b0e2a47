// A list of facts: the name of each, and its value.

import { number, text } from "../languages/language.js";
import { element } from "./dom.js";

/** `rows`: `[[key of the name's text, value]]`. A row without a value is left out. */
export const factList = (rows) => element("dl", { class: "facts" }, rows.filter(([, value]) => value)
  .flatMap(([name, value]) => [element("dt", {}, text(name)), element("dd", {}, value)]));

/** A range of values, such as “12–15 kg”. */
export const range = ({ min, max }, unit) => `${min === max ? number(min) : `${number(min)}–${number(max)}`} ${unit}`;
