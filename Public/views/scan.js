// The result of one scan.

import * as api from "../services/api.js";
import { formatTime, language, text } from "../languages/language.js";
import { may } from "../services/api.js";
import { addPhotos, cancel, uploadOf } from "../services/uploads.js";
import { go, setTitle } from "../router.js";
import { nameFor } from "../parts/animals.js";
import { attempts } from "../parts/attempt.js";
import { announce, button, confirmed, element } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { chooser } from "../parts/intake.js";
import { menu } from "../parts/menu.js";
import { keptPhoto } from "../parts/photo.js";
import { shareCard } from "../parts/share-card.js";
import { spoken, resultCard } from "../parts/result.js";
import { toast } from "../parts/toasts.js";

export async function render({ id, signal }) {
  const upload = uploadOf(id);
  const isFresh = Boolean(upload) && upload.language === language();
  const scan = isFresh ? upload.scan : await api.scan(id, signal);
  const section = element("section", { "aria-label": text("results"), "aria-busy": "false" });
  const notice = element("div");
  let current = scan;
  const attempt = attempts(notice);
  const remove = async () => {
    if (!(await confirmed(text("deleteQuestion")))) return;
    await attempt(async () => {
      const undo = await api.deleteScans([id]);
      // A newer photo may have replaced the upload.
      if (uploadOf(id)) cancel(uploadOf(id));
      toast(text("deleted"), { undo: undo.length > 0 && (async () => {
        await api.undoDeletion(undo);
        go(`#scan/${id}`);
      }) });
      go("#history", signal);
    });
  };
  const find = () => attempt(async () => {
    announce(text("looking"));
    const photo = upload?.files.length === 1 ? upload.files[0] : await (await api.call(keptPhoto(current))).blob();
    const { boxes } = await api.detect(photo, signal);
    draw({ ...current, boxes, animals: undefined });
    if (boxes.length === 0) toast(text("nothing"), { isOfView: true });
  });
  const hand = () => attempt(async () => {
    if (await shareCard(current)) toast(text("cardSaved"), { isOfView: true });
  });

  function draw(next) {
    const { corrected_label, corrected_name, note, individual } = next;
    current = { ...current, ...next, corrected_label, corrected_name, note, individual };
    if (upload) upload.scan = current;
    const card = resultCard(current, {
      preview: upload?.preview, changed: draw,
      more: menu([
        keptPhoto(current) ? button([icon("share"), text("share")], hand) : null, button([icon("print"), text("print")], () => print()),
        current.boxes || !keptPhoto(current) ? null : button([icon("search"), text("whereIsIt")], () => find()),
        may("user") ? button([icon("bin"), text("delete")], remove, { class: "danger", "aria-label": text("deleteScan") }) : null,
      ].filter(Boolean)),
      below: onward(current),
    });
    const reopen = section.contains(document.activeElement);
    section.replaceChildren(card.element, notice);
    if (!signal.aborted) setTitle(nameFor(current));
    if (reopen) section.querySelector("h1").focus({ preventScroll: true });
  }
  draw(scan);
  if (isFresh) announce(spoken(current));
  return { title: nameFor(current), element: element("div", { class: "result-view" }, section) };
}

/** The links below the result: another photo, and the history. */
const onward = ({ created_at: at }) => element("div", { class: "actions noprint" },
  chooser("photo", text("another"), (files) => {
    addPhotos(files);
    go("#scan");
  }, { symbol: "photos", multiple: true }),
  element("a", { class: "button", href: "#history" }, text("history")),
  at ? element("time", { class: "quiet", datetime: at }, formatTime(at)) : null);
