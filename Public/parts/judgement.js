// Right or not right, a name for the animal, and a note.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { announce, button, element, problemBox } from "./dom.js";
import { icon } from "./icons.js";
import { petGuess, petName } from "./pet-name.js";
import { share } from "./certainty.js";
import { chooseAnimal } from "./choose-animal.js";
import { toast } from "./toasts.js";

/** Changes the scan and tells `changed`; what was there before comes back by the toast's undo. */
async function update(scan, change, message, changed) {
  const before = Object.fromEntries(Object.keys(change).map((key) => [key, (key === "individual" ? petName(scan) : scan[key]) || null]));
  changed(await api.updateScan(scan.id, change));
  toast(message, { isOfView: true, undo: async () => changed(await api.updateScan(scan.id, before)) });
}

export function judgement(scan, changed) {
  const notice = element("div");
  const attempt = async (action) => {
    notice.replaceChildren();
    try {
      await action();
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), () => attempt(action)));
    }
  };
  // The card itself says that it was noted, and has the button that takes it back.
  const correct = (label) => attempt(async () => {
    changed(await api.updateScan(scan.id, { corrected_label: label }));
    announce(text("thanks"));
  });
  const other = async () => {
    const label = await chooseAnimal(scan);
    if (label !== null) await correct(label);
  };
  const [best] = scan.predictions;
  const isSaid = Boolean(scan.corrected_label);
  const buttons = isSaid
    ? [button(text("notRight"), other), button(text("takeBack"), () => correct(null))]
    : [best?.url && !scan.abstained ? button([icon("check"), text("right")], () => correct(best.label)) : null,
      button([icon("cross"), text("notRight")], other)];
  return [
    element("section", { class: "judge", "aria-labelledby": "judge-title" },
      element("p", { id: "judge-title" }, text(isSaid ? "youSaidSo" : "isItRight")),
      element("div", { class: "actions" }, buttons), notice),
    guessed(scan, changed, attempt),
    aboutIt(scan, changed, attempt),
  ];
}

/** Who the service takes it for, with a button that says so. */
function guessed(scan, changed, attempt) {
  const guess = petGuess(scan);
  return guess && element("p", { class: "pet-guess" }, element("strong", {}, guess.message), " ",
    element("span", { class: "quiet" }, share(guess)), " ",
    button([icon("check"), text("petYes", { name: guess.name })], () => attempt(() => update(scan, { individual: guess.name }, text("saved"), changed))));
}

/** The form with name and note. */
function aboutIt(scan, changed, attempt) {
  const [name, note] = [petName(scan), scan.note ?? ""];
  const known = element("datalist", { id: "pet-names" });
  const nameField = element("input", { type: "text", id: "pet-name", maxlength: 60, pattern: "[^\\/]*", autocomplete: "off", list: "pet-names", value: name });
  nameField.addEventListener("focus", async () => {
    known.replaceChildren(...(await api.individuals()).map((each) => element("option", { value: each.name })));
  }, { once: true });
  const noteField = element("textarea", { id: "note", maxlength: 4000, rows: 3 });
  noteField.value = note;
  const save = element("button", {}, text("save"));
  const form = element("form", {
    class: "about-it", onsubmit: (event) => {
      event.preventDefault();
      attempt(() => update(scan, { individual: nameField.value.trim() || null, note: noteField.value.trim() || null }, text("saved"), changed));
    },
  },
  element("div", { class: "field" }, element("label", { for: "pet-name" }, text("petName")), nameField, known),
  element("div", { class: "field" }, element("label", { for: "note" }, text("note")), noteField),
  element("div", { class: "actions" }, save));
  return element("details", { open: Boolean(name || note) }, element("summary", {}, text("nameAndNote")), form);
}
