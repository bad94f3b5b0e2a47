// Choose, drop or paste a photo; see it with its answers.

import * as api from "./api.js";
import { answerList } from "./answers.js";
import { announce, element } from "./dom.js";
import { text } from "./language.js";

let preview = null;

export function scanPage(main) {
  const result = element("section", { "aria-live": "polite" });
  const input = element("input", { type: "file", accept: "image/*", id: "photo" });
  const drop = element("div", { class: "drop" },
    input,
    element("label", { for: "photo", class: "button primary" }, text("choose")),
    element("p", {}, text("dropHint")));

  input.addEventListener("change", () => input.files[0] && scan(input.files[0], result));
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const [file] = event.dataTransfer.files;
    if (file) scan(file, result);
  });
  const paste = (event) => {
    const file = [...event.clipboardData.files].find((candidate) => candidate.type.startsWith("image/"));
    if (file) scan(file, result);
  };
  document.addEventListener("paste", paste);

  main.replaceChildren(element("h1", {}, text("scanTitle")), drop, result);
  return () => document.removeEventListener("paste", paste);
}

async function scan(file, result) {
  if (preview) URL.revokeObjectURL(preview);
  preview = URL.createObjectURL(file);
  result.replaceChildren(element("p", {}, text("looking")));
  try {
    const scan = await api.classify(file);
    result.replaceChildren(
      element("div", { class: "scan-result" },
        element("img", { src: preview, alt: text("scannedPhoto") }),
        element("div", {},
          element("h2", {}, scan.message),
          answerList(scan.predictions),
          scan.id ? element("p", { class: "quiet" }, text("saved")) : null)));
    announce(`${scan.message} ${scan.predictions.map((each) => `${each.name} ${each.percent}`).join(", ")}`);
  } catch (problem) {
    result.replaceChildren(element("p", { class: "problem", role: "alert" }, problem.message));
  }
}
