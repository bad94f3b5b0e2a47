// Exports, imports and deletes the history.

import * as api from "../services/api.js";
import { listOf, number, percent, text } from "../languages/language.js";
import { may } from "../services/api.js";
import { EventReader } from "../services/events.js";
import { Problem, asProblem, problemFrom, wordsFor } from "../services/problem.js";
import { transfer } from "../services/transfer.js";
import { progressBar } from "../parts/bars.js";
import { announce, button, element, problemBox } from "../parts/dom.js";
import { chooser } from "../parts/intake.js";
import { deleteAll } from "../parts/scan-actions.js";

const formats = [["zip", "exportZip"], ["csv", "exportCsv"], ["jsonl", "exportJsonl"]];

export async function render({ signal }) {
  const { total } = await api.history({ limit: 1 }, signal);
  const count = element("p", { class: "lead" }, text("scansCounted", { n: total }));
  const notice = element("div");
  const remove = button(text("clear"), async () => {
    notice.replaceChildren();
    try {
      if (await deleteAll(recount)) await recount();
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  }, { class: "danger", disabled: total === 0 });
  const recount = async () => {
    const { total: left } = await api.history({ limit: 1 }, signal);
    count.textContent = text("scansCounted", { n: left });
    remove.disabled = left === 0;
  };
  const importing = importSection(recount);
  const view = element("div", {},
    element("h1", {}, text("storage")),
    count,
    element("h2", {}, text("exportTitle")),
    element("p", {}, text("exportText")),
    element("p", { class: "actions" }, formats.map(([format, name]) =>
      element("a", { class: "button", href: `/history/export?format=${format}`, download: `menagerie.${format}` }, text(name)))),
    element("h2", {}, text("importTitle")),
    may("admin") ? importing.element : element("p", { class: "quiet" }, text("needsAdmin")),
    may("admin") ? [element("h2", {}, text("delete")), element("p", {}, text("deleteAllText")), notice, element("div", { class: "actions" }, remove)] : null);
  return { title: text("storage"), element: view, dispose: importing.dispose };
}

/** Makes the section that imports a file. Calls `changed` after an import. */
function importSection(changed) {
  const output = element("div", { class: "import" });
  let controller = null;
  const take = async ([file]) => {
    controller = new AbortController();
    const words = element("p", { class: "progress" });
    const bar = progressBar(text("importTitle"));
    output.replaceChildren(words, bar, button(text("cancel"), () => controller.abort()));
    try {
      report(output, await send(file, words, bar, controller.signal));
    } catch (error) {
      if (error.name === "AbortError") output.replaceChildren(element("p", {}, text("cancelled")));
      else output.replaceChildren(problemBox(asProblem(error), () => take([file])), errorList(asProblem(error).errors));
      return;
    }
    await changed().catch(() => {});
  };
  return {
    element: element("div", {}, element("p", {}, text("importText")),
      element("div", { class: "actions" }, chooser("import", text("importChoose"), take, { accept: ".zip,.jsonl,.ndjson,application/zip", symbol: "storage" })),
      output),
    dispose: () => controller?.abort(),
  };
}

/** Sends the file and shows the progress. Resolves with the report, `{ imported, skipped, failed, errors }`. */
async function send(file, words, bar, signal) {
  let report = null;
  let problem = null;
  const answer = await transfer("POST", "/history/import", file, {
    signal,
    headers: { Accept: "text/event-stream", "Content-Type": /\.zip$/i.test(file.name) ? "application/zip" : "application/x-ndjson" },
    onProgress(fraction) {
      bar.value = fraction;
      words.textContent = text("uploading", { percent: percent(fraction, 0) });
    },
    events: new EventReader((name, data) => {
      if (name === "progress") {
        if (data.total) bar.value = data.processed / data.total;
        else bar.value = null;
        words.textContent = text("importProgress", { n: data.processed, of: data.total ? number(data.total) : "…" });
        announce(words.textContent);
      } else if (name === "done") report = data;
      else if (name === "failed") problem = data;
    }),
  });
  if (problem) throw problemFrom(problem, problem.status);
  if (!report && !answer) throw new Problem(text("unreachable"), { retryable: true });
  return report ?? answer;
}

/** Lists each error. An error whose code is newer than this page shows the service's own text. */
const errorList = (errors) => (errors.length === 0 ? "" : element("details", {}, element("summary", {}, text("importErrors", { n: errors.length })),
  element("ul", {}, errors.map(errorLine))));

function errorLine(error) {
  const words = wordsFor("import", error);
  if (!words) return element("li", { lang: "en" }, `${error.place ?? ""} ${error.detail ?? ""}`);
  const place = text(error.file ? "importLineOf" : "importLine", { n: number(error.line), file: error.file });
  return element("li", {}, `${place}: ${words}`);
}

function report(output, { imported, skipped, failed, errors }) {
  const words = listOf([text("importTaken", { n: imported }), skipped ? text("importKnown", { n: skipped }) : null, failed ? text("importFailed", { n: failed }) : null]
    .filter(Boolean));
  output.replaceChildren(element("p", { class: "progress" }, `${words}.`), errorList(errors),
    element("p", {}, element("a", { href: "#history" }, text("history"))));
  announce(words);
}
