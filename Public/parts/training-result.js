// The result of a training: its accuracy, its errors, and buttons to try, use and roll back the model.

import * as api from "../services/api.js";
import { language, percent, text } from "../languages/language.js";
import { may } from "../services/api.js";
import { asProblem } from "../services/problem.js";
import { answerList } from "./answers.js";
import { confusionMatrix, worstErrors } from "./confusion.js";
import { button, element, problemBox } from "./dom.js";
import { icon } from "./icons.js";
import { chooser } from "./intake.js";
import { localPhoto } from "./local-photo.js";
import { warningBoxes } from "./warnings.js";
import { webcam } from "./webcam.js";

/** Below this number of held-out photos, an accuracy of 100% says little. */
const fewPhotos = 50;

/** `use`, `rollBack`: the callbacks of the two buttons. `named(label)`: returns the name of a class. `signal`: aborts when the person leaves the view. */
export async function trainingResult(run, { use, rollBack, named, signal }) {
  const { accuracy, macro_f1: f1, held_out_photos: held, model, deployed, attached, errors, warnings } = run.result;
  const report = await api.json(`/training/${run.id}/report`, { signal, headers: { Accept: "application/json" } }).catch(() => null);
  const matrix = report?.matrix.length ? { labels: report.classes.map(({ label }) => named(label)), counts: report.matrix } : null;
  return [
    element("p", { class: "lead result-line" }, typeof accuracy !== "number" ? text("trainingUnmeasured")
      : accuracy === 1 && held < fewPhotos ? text("trainingAllRight", { n: held }) : text("trainingResult", { accuracy: percent(accuracy, 0), n: held })),
    typeof f1 === "number" && accuracy < 1 ? element("p", { class: "quiet" }, text("trainingF1", { f1: percent(f1) })) : "",
    ...warningBoxes(warnings),
    element("div", { class: "actions" },
      may("admin") && !(deployed && attached) ? button(text(deployed ? "trainingAttach" : "trainingUse"), use, { class: "primary" }) : null,
      may("admin") && deployed ? button(text("trainingRollBack"), rollBack) : null,
      element("a", { class: "button", href: `#models/${model}` }, text("trainingModel", { name: model }))),
    deployed ? tryIt(model, signal) : "",
    ...(matrix ? [confusionMatrix(matrix), worstErrors(matrix)] : []),
    errors.length ? wrongPhotos(errors, named) : "",
  ];
}

const wrongPhotos = (errors, named) => element("section", { "aria-labelledby": "wrong-title" },
  element("h2", { id: "wrong-title" }, text("trainingWrong")),
  element("ul", { class: "wrong-photos" }, errors.map(({ truth, answer, confidence, photo_url: url }) =>
    element("li", {}, element("img", { src: url, alt: "", loading: "lazy" }),
      element("p", {}, text("trainingTaken", { truth: named(truth), answer: named(answer), percent: percent(confidence, 0) }))))));

/** A section that tries the new model on a photo or the camera and shows its answer. */
function tryIt(model, signal) {
  const output = element("div", { class: "try-answer", "aria-live": "polite" });
  let preview = null;
  const answerTo = (photo) => api.json(`/classify?${api.query({ model, save: "false", top: 5, lang: language() })}`, {
    method: "POST", body: photo, signal, headers: { "Content-Type": photo.type.startsWith("image/") ? photo.type : "application/octet-stream" },
  });
  const show = (answer) => element("div", {}, answer.abstained ? element("p", { class: "progress" }, text("tryUnsure")) : null, answerList(answer));
  let latest = null;
  const ask = async ([photo]) => {
    latest = photo;
    try {
      const answer = await answerTo(photo);
      if (latest !== photo) return;
      if (preview) URL.revokeObjectURL(preview);
      preview = URL.createObjectURL(photo);
      output.replaceChildren(localPhoto(preview), show(answer));
    } catch (error) {
      if (error.name !== "AbortError") output.replaceChildren(problemBox(asProblem(error), () => ask([photo])));
    }
  };
  const camera = webcam();
  signal.addEventListener("abort", camera.dispose);
  addEventListener("hashchange", camera.dispose, { once: true });
  /** Classifies frames of the camera one after another until the person stops it. */
  const look = async () => {
    await camera.start();
    if (camera.isOn) lensWords.textContent = text("liveStopCamera");
    try {
      // A new state of the training replaces this section.
      for (let frame = await camera.grab(); camera.isOn && output.isConnected; frame = await camera.grab()) {
        if (frame) output.replaceChildren(show(await answerTo(frame.picture)));
        else await new Promise(requestAnimationFrame);
      }
    } catch (error) {
      if (error.name !== "AbortError") output.replaceChildren(problemBox(asProblem(error)));
    }
    camera.stop();
    lensWords.textContent = text("tryCamera");
  };
  const lensWords = element("span", {}, text("tryCamera"));
  return element("section", { class: "panel", "aria-labelledby": "try-title" }, element("h2", { id: "try-title" }, text("trainingTry")),
    element("div", { class: "actions" }, chooser("try", text("choose"), ask, { style: "primary", symbol: "photos" }),
      button([icon("live"), lensWords], () => { camera.isOn ? camera.stop() : look(); })), camera.element, output);
}
