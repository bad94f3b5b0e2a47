// One result, at an address of its own.

import * as api from "../services/api.js";
import { language, text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { addPhotos, uploadOf } from "../services/uploads.js";
import { go, setTitle } from "../router.js";
import { comparison } from "../parts/compare.js";
import { announce, button, confirmed, element, problemBox, style } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { chooser } from "../parts/intake.js";
import { shareCard } from "../parts/share-card.js";
import { boxesIn } from "../parts/overlay.js";
import { nameFor, spoken, resultCard } from "../parts/result.js";
import { toast } from "../parts/toasts.js";
import { formatTime } from "../languages/language.js";

export async function render({ id, signal }) {
  const upload = uploadOf(id);
  const isFresh = Boolean(upload) && upload.language === language();
  const [scan] = await Promise.all([isFresh ? upload.scan : api.scan(id, signal), style("article")]);
  const section = element("section", { "aria-label": text("results"), "aria-busy": "false" });
  const notice = element("div");
  let current = scan;

  const draw = async (next, isChange) => {
    const { corrected_label, corrected_name, note, individual } = next;
    current = { ...current, ...next, corrected_label, corrected_name, note, individual };
    if (upload) upload.scan = current;
    const card = resultCard(current, {
      preview: upload?.preview, changed: (changed) => draw(changed, true), more: [comparison(current), actions(current, { remove, find, hand })],
    });
    showBoxes = card.showBoxes;
    const reopen = isChange && section.contains(document.activeElement);
    section.replaceChildren(card.element, notice);
    setTitle(nameFor(current));
    if (reopen) section.querySelector("h1").focus({ preventScroll: true });
  };
  let showBoxes = () => {};

  const remove = async () => {
    if (!(await confirmed(text("deleteQuestion")))) return;
    try {
      const undo = await api.deleteScans([id]);
      toast(text("deleted"), { undo: undo && (async () => {
        await api.undoDeletion(undo);
        go(`#scan/${id}`);
      }) });
      go("#history");
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), remove));
    }
  };
  const find = async () => {
    announce(text("looking"));
    try {
      const photo = upload?.files.length === 1 ? upload.files[0] : await (await api.call(current.photo_url)).blob();
      showBoxes((await api.detect(photo, signal)).boxes);
      notice.replaceChildren();
    } catch (error) {
      if (error.name !== "AbortError") notice.replaceChildren(problemBox(asProblem(error), find));
    }
  };
  const hand = async () => {
    try {
      if (await shareCard(current)) toast(text("cardSaved"), { isOfView: true });
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  };
  await draw(scan);
  if (isFresh) announce(spoken(current));
  return { title: nameFor(current), element: element("div", {}, element("p", { class: "quiet noprint" },
    element("a", { class: "button", href: "#history" }, `← ${text("history")}`), " ",
    current.created_at ? element("time", { datetime: current.created_at }, formatTime(current.created_at)) : null), section) };
}

const actions = (scan, { remove, find, hand }) =>
  element("div", { class: "actions" },
    chooser("photo", text("another"), (files) => {
      addPhotos(files);
      go("#scan");
    }, { style: "primary", symbol: "photos", multiple: true }),
    boxesIn(scan) ? null : button([icon("search"), text("whereIsIt")], find),
    button([icon("share"), text("share")], hand),
    button([icon("print"), text("print")], () => print()),
    button([icon("bin"), text("delete")], remove, { class: "danger", "aria-label": text("deleteScan") }));
