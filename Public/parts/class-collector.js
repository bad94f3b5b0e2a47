// Classes with their photos, collected on the page.

import { text } from "../languages/language.js";
import { button, element } from "./dom.js";
import { icon } from "./icons.js";
import { chooser } from "./intake.js";

const previews = 6;
let lastNumber = 0;

/** `classes()` answers `[{ label, photos }]` of those with a name or a photo. */
export function classCollector() {
  const list = element("ol", { class: "classes" });
  const rows = [];

  function add() {
    lastNumber += 1;
    const id = `class-${lastNumber}`;
    const row = { photos: [], urls: [] };
    row.name = element("input", { type: "text", id, maxlength: 60, autocomplete: "off" });
    const strip = element("div", { class: "strip", "aria-hidden": "true" });
    const count = element("span", { class: "quiet" }, text("trainingPhotoCount", { n: 0 }));
    const receive = (files) => {
      const photos = files.filter((file) => file.type.startsWith("image/") || file.type === "");
      row.photos.push(...photos);
      for (const photo of photos.slice(0, Math.max(0, previews - row.urls.length))) {
        const url = URL.createObjectURL(photo);
        row.urls.push(url);
        strip.append(element("img", { src: url, alt: "" }));
      }
      count.textContent = text("trainingPhotoCount", { n: row.photos.length });
    };
    const remove = button(icon("cross"), () => {
      rows.splice(rows.indexOf(row), 1);
      row.element.remove();
      row.urls.forEach(URL.revokeObjectURL);
      (list.querySelector("input[type=text]") ?? more).focus();
    }, { class: "plain", "aria-label": text("trainingRemoveClass") });
    row.element = element("li", {},
      element("div", { class: "class-head" }, element("div", { class: "field" }, element("label", { for: id }, text("trainingClassName")), row.name), remove),
      element("div", { class: "actions" }, chooser(`${id}-photos`, text("trainingAddPhotos"), receive, { symbol: "photos", multiple: true }), count),
      strip);
    rows.push(row);
    list.append(row.element);
    return row;
  }
  const more = button(text("trainingAddClass"), () => add().name.focus());
  add();
  add();
  return {
    element: element("div", { class: "collector" }, list, element("div", { class: "actions" }, more)),
    classes: () => rows.map(({ name, photos }) => ({ label: name.value.trim(), photos })).filter(({ label, photos }) => label || photos.length),
    dispose: () => rows.forEach(({ urls }) => urls.forEach(URL.revokeObjectURL)),
  };
}
