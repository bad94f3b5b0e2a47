// The row of buttons below a result: confirm it, correct it, or name the animal.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { may } from "../services/api.js";
import { attempts } from "./attempt.js";
import { isKindOfAnimal, isLifeless } from "./animals.js";
import { noAnimal } from "./certainty.js";
import { chooseAnimal } from "./choose-animal.js";
import { button, element } from "./dom.js";
import { icon } from "./icons.js";
import { nameAnimal } from "./name-animal.js";
import { petGuess, petName } from "./pet-name.js";
import { toast } from "./toasts.js";

/** Sends `change` to the service and calls `changed` with the updated scan. A toast shows `message` and an undo. */
export async function update(scan, change, message, changed) {
  const before = Object.fromEntries(Object.keys(change).map((key) => [key, (key === "individual" ? petName(scan) : scan[key]) || null]));
  changed(await api.updateScan(scan.id, change));
  toast(message, { isOfView: true, isBrief: true, undo: async () => changed(await api.updateScan(scan.id, before)) });
}

/** The lines of the person's own note. A thing has no article, so the first line of the note of such a scan is its name. */
const ownNote = ({ corrected_label: label, note }) => (note?.split("\n") ?? []).slice(label === noAnimal ? 1 : 0);

/** Converts a choice of the dialog to a change of the scan. The person's own note stays. */
export function changeOf({ label = noAnimal, thing }, scan) {
  const own = ownNote(scan);
  const name = thing ?? (label === noAnimal && own.length ? text("noAnimal") : null);
  const note = [name, ...own].filter((line) => line !== null).join("\n") || null;
  return { corrected_label: label, ...(note === (scan.note ?? null) ? {} : { note }) };
}

/** The change that confirms the shown answer. Returns null if no correction can express the answer. */
function confirmation({ note }, first) {
  if (first.label) return { corrected_label: first.label };
  if (isKindOfAnimal(first.says)) return { corrected_label: first.says };
  if (!isLifeless(first)) return null;
  return first.isWide && !note ? { corrected_label: noAnimal } : { corrected_label: noAnimal, note: [first.name, note].filter(Boolean).join("\n") };
}

/** The change that removes a correction, and the name of a thing from the note. */
const takenBack = (scan, { name }) => ({ corrected_label: null,
  ...(scan.corrected_label === noAnimal && scan.note?.split("\n")[0] === name ? { note: ownNote(scan).join("\n") || null } : {}) });

/** `animals`: the list from `animalsIn`. `changed(scan)`: called after a change. `more`: nodes for the end of the row. */
export function judgement(scan, animals, changed, more) {
  const notice = element("div");
  const attempt = attempts(notice);
  const say = (change, message = "thanks") => attempt(() => update(scan, change, text(message), changed));
  const [first] = animals;
  const other = async () => {
    const choice = await chooseAnimal(scan, animals);
    if (choice) await say(changeOf(choice, scan));
  };
  const name = async () => {
    const change = await nameAnimal(scan);
    if (change) await say(change, "saved");
  };
  const guess = petGuess(scan);
  const yes = confirmation(scan, first);
  if (!may("user")) return element("div", {}, element("p", { class: "quiet" }, text("readerMay")), more);
  return element("div", { class: "judge" },
    guess && element("p", { class: "pet-guess" }, element("strong", {}, guess.message), " ",
      button([icon("check"), text("petYes", { name: guess.name })], () => say({ individual: guess.name }, "saved"))),
    element("div", { class: "verdict-row", role: "group", "aria-label": text("isItRight") },
      scan.corrected_label ? button([icon("undo"), text("undo")], () => say(takenBack(scan, first), "takenBack"))
        : yes && button([icon("check"), text("right")], () => say(yes), { class: "yes" }),
      button([icon("cross"), text("notRight")], other),
      button([icon("heart"), text(petName(scan) ? "rename" : "nameIt")], name, { class: petName(scan) ? "named" : null }),
      more), notice);
}
