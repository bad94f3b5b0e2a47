// A dialog for the pet name of an animal and a note about the scan.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { button, element } from "./dom.js";
import { petName } from "./pet-name.js";
import { ask } from "./dialog.js";

/** Resolves with what the person changed of `{ individual, note }`, where an empty field is null. Resolves with null if nothing changed. */
export const nameAnimal = (scan) => ask(text("nameAndNote"), (done) => {
  const known = element("datalist", { id: "pet-names" });
  api.individuals().then((all) => known.replaceChildren(...all.map(({ name }) => element("option", { value: name }))));
  const name = element("input", { type: "text", id: "pet-name", maxlength: 60, pattern: "[^\\/]*", autocomplete: "off", list: "pet-names", value: petName(scan), autofocus: true, "aria-label": text("petName") });
  const note = element("textarea", { id: "note", maxlength: 4000, rows: 2 });
  note.value = scan.note ?? "";
  return element("form", {
    class: "form", onsubmit: (event) => {
      event.preventDefault();
      // A field that the person left alone may have a new value from another tab.
      const changes = [["individual", petName(scan), name], ["note", scan.note ?? "", note]].filter(([, before, field]) => field.value.trim() !== before);
      done(changes.length ? Object.fromEntries(changes.map(([key, , field]) => [key, field.value.trim() || null])) : null);
    },
  }, name, known, element("div", { class: "field" }, element("label", { for: "note" }, text("note")), note),
  element("div", { class: "actions" }, element("button", { class: "primary" }, text("save")), button(text("cancel"), () => done(null))));
});
