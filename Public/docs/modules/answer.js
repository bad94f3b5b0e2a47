// What was answered: status, header fields, and the body as people read it.

import { element } from "../../parts/dom.js";
import { isJSON } from "./description.js";

/** Bodies up to this many bytes are shown as text. */
const LONGEST = 200_000;

export async function answerView(response, bytes, milliseconds) {
  const type = (response.headers.get("Content-Type") ?? "").split(";")[0];
  const fields = [...response.headers].flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]);
  return element("div", { class: response.ok ? "notice" : "problem" },
    element("p", { class: "status-line" }, `${response.status} ${response.statusText}`.trim(),
      `, ${Math.round(milliseconds)} ms, ${bytes.size} bytes`),
    element("details", {}, element("summary", {}, "Header fields"), element("dl", { class: "fields" }, ...fields)),
    ...(bytes.size ? [await content(type, bytes)] : []));
}

export const failureView = (error) =>
  element("div", { class: "problem" }, element("p", {}, `No answer: ${error.message}. Is the service running?`));

async function content(type, bytes) {
  if (type.startsWith("image/")) {
    return element("img", { src: URL.createObjectURL(bytes), alt: "The picture that was answered" });
  }
  const isText = isJSON(type) || type.startsWith("text/") || type === "application/x-ndjson";
  if (!isText || bytes.size > LONGEST) {
    return element("a", { class: "button", href: URL.createObjectURL(bytes), download: "answer" }, "Save the answer");
  }
  const text = await bytes.text();
  return element("pre", { tabindex: "0" }, element("code", {}, isJSON(type) ? indented(text) : text));
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
