// The form that collects the photos of each class for a training.

import { text } from "../languages/language.js";
import { announce, button, element } from "./dom.js";
import { isPhoto } from "./folders.js";
import { icon } from "./icons.js";
import { chooser, dropPlace } from "./intake.js";
import { localPhoto } from "./local-photo.js";
import { webcam } from "./webcam.js";

const previews = 6;
let lastNumber = 0;
/** The classes so far, as `{ label, photos }`. They stay in memory when the person leaves the view and comes back. */
let collected = [];

/** The name of the innermost folder around a file of a chosen folder. Empty if there is no such folder. */
const folderOf = ({ webkitRelativePath: path }) => path.split("/").at(-2) ?? "";

/** `classes()` returns `[{ label, photos }]`, without empty classes. `forget()` discards them. `folder`: the control for a folder of classes, or null. */
export function classCollector() {
  const list = element("ol", { class: "classes" });
  const urls = [];
  const camera = webcam();

  function add(kept = { label: "", photos: [] }) {
    if (!collected.includes(kept)) collected.push(kept);
    lastNumber += 1;
    const id = `class-${lastNumber}`;
    const name = element("input", { type: "text", id, maxlength: 60, autocomplete: "off", value: kept.label, oninput: () => { kept.label = name.value.trim(); } });
    const strip = element("div", { class: "strip", "aria-hidden": "true" });
    const count = element("span", { class: "quiet" });
    const show = () => {
      for (const photo of kept.photos.slice(strip.childElementCount, previews)) {
        urls.push(URL.createObjectURL(photo));
        strip.append(localPhoto(urls.at(-1)));
      }
      count.textContent = text("trainingPhotoCount", { n: kept.photos.length });
    };
    const receive = (files) => {
      kept.photos.push(...files.filter(isPhoto));
      show();
    };
    const remove = button(icon("cross"), () => {
      collected = collected.filter((each) => each !== kept);
      row.remove();
      (list.querySelector("input[type=text]") ?? more).focus();
    }, { class: "plain", "aria-label": text("trainingRemoveClass") });
    const row = dropPlace(element("li", {},
      element("div", { class: "class-head" }, element("div", { class: "field" }, element("label", { for: id }, text("trainingClassName")), name), remove),
      element("div", { class: "actions" }, chooser(`${id}-photos`, text("trainingAddPhotos"), receive, { symbol: "photos", multiple: true }),
        camera.recordButton((photo) => receive([photo]), () => kept.label)),
      count, strip), receive);
    show();
    list.append(row);
    return name;
  }
  function showAll() {
    list.replaceChildren();
    while (collected.length < 2) collected.push({ label: "", photos: [] });
    collected.forEach(add);
  }
  /** Makes one class of each folder that holds photos. */
  function addFolder(files) {
    const photos = files.filter(isPhoto);
    collected = collected.filter((each) => each.label || each.photos.length);
    for (const photo of photos) {
      const label = folderOf(photo);
      let kept = collected.find((each) => each.label === label);
      if (!kept) collected.push(kept = { label, photos: [] });
      kept.photos.push(photo);
    }
    showAll();
    announce(text("trainingPhotoCount", { n: photos.length }));
  }
  const more = button(text("trainingAddClass"), () => add().focus());
  // Some phones cannot choose a folder. The control is left out there.
  const folder = "webkitdirectory" in HTMLInputElement.prototype
    ? chooser("class-folder", text("trainingFolder"), addFolder, { symbol: "folder", accept: null, webkitdirectory: true }) : null;
  showAll();
  return {
    element: element("div", { class: "collector" }, camera.element, list, element("div", { class: "actions" }, more)),
    folder,
    classes: () => collected.filter(({ label, photos }) => label || photos.length),
    forget: () => { collected = []; },
    dispose() {
      camera.dispose();
      urls.forEach(URL.revokeObjectURL);
    },
  };
}
