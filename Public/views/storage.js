// Exports, imports and deletes the history.

import * as api from "../services/api.js";
import { listOf, number, text } from "../languages/language.js";
import { may } from "../services/api.js";
import { asProblem, wordsFor } from "../services/problem.js";
import { announce, button, element, focusMain, problemBox } from "../parts/dom.js";
import { chooser } from "../parts/intake.js";
import { deleteAll } from "../parts/scan-actions.js";
import { Sending } from "../parts/sending.js";

const sending = new Sending("#storage");

const formats = [["zip", "exportZip"], ["csv", "exportCsv"], ["jsonl", "exportJsonl"]];

export async function render({ signal }) {
  const { total } = await api.history({ limit: 1 }, signal);
  signal.throwIfAborted();
  const count = element("p", { class: "lead" }, text("scansCounted", { n: total }));
  const notice = element("div");
  const remove = button(text("clear"), async () => {
    notice.replaceChildren();
    try {
      if (!(await deleteAll())) return;
      await recount();
      focusMain();
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  }, { class: "danger", disabled: total === 0 });
  const recount = async () => {
    const { total: left } = await api.history({ limit: 1 }, signal);
    count.textContent = text("scansCounted", { n: left });
    remove.disabled = left === 0;
  };
  sending.arrived = recount;
  addEventListener("undone", () => recount().catch(() => {}), { signal });
  const view = element("div", {},
    element("h1", {}, text("storage")),
    count,
    element("h2", {}, text("exportTitle")),
    element("p", {}, text("exportText")),
    element("p", { class: "actions" }, formats.map(([format, name]) =>
      element("a", { class: "button", href: `/history/export?format=${format}`, download: `menagerie.${format}` }, text(name)))),
    element("h2", {}, text("importTitle")),
    may("admin") ? importSection() : element("p", { class: "quiet" }, text("needsAdmin")),
    may("admin") ? [element("h2", {}, text("delete")), element("p", {}, text("deleteAllText")), notice, element("div", { class: "actions" }, remove)] : null);
  return { title: text("storage"), element: view, dispose: () => sending.tidy() };
}

/** The section that imports a file. */
function importSection() {
  const take = ([file]) => sending.start(file.name, async ({ stream, show }) => report(await read(file, stream, show)), (problem, retry) => [problemBox(problem, retry), errorList(problem.errors)]);
  return element("div", {}, element("p", {}, text("importText")),
    element("div", { class: "actions" }, chooser("import", text("importChoose"), take, { accept: ".zip,.jsonl,.ndjson,application/zip", symbol: "storage" })),
    element("div", { class: "import" }, sending.element));
}

/** Sends the file and shows the progress. Resolves with the report, `{ imported, skipped, failed, errors }`. */
const read = (file, stream, show) => stream("/history/import", file, /\.zip$/i.test(file.name) ? "application/zip" : "application/x-ndjson", ({ processed, total }) => {
  const words = text("importProgress", { n: processed, of: total ? number(total) : "…" });
  show(total ? processed / total : null, words);
  announce(words);
});

/** Lists each error. An error whose code is newer than this page shows the service's own text. */
const errorList = (errors) => (errors.length === 0 ? "" : element("details", {}, element("summary", {}, text("importErrors", { n: errors.length })),
  element("ul", {}, errors.map(errorLine))));

function errorLine(error) {
  const words = wordsFor("import", error);
  if (!words) return element("li", { lang: "en" }, `${error.place ?? ""} ${error.detail ?? ""}`);
  const place = text(error.file ? "importLineOf" : "importLine", { n: number(error.line), file: error.file });
  return element("li", {}, `${place}: ${words}`);
}

function report({ imported, skipped, failed, errors }) {
  const words = listOf([text("importTaken", { n: imported }), skipped ? text("importKnown", { n: skipped }) : null, failed ? text("importFailed", { n: failed }) : null]
    .filter(Boolean));
  return { message: words, nodes: [element("p", { class: "progress" }, `${words}.`), errorList(errors),
    element("p", {}, element("a", { href: "#history" }, text("history")))] };
}
