// A scan as a small card with its photo, its name and its certainty.

import { formatTime, text } from "../languages/language.js";
import { animalsIn, headline } from "./animals.js";
import { certaintyWords } from "./certainty.js";
import { element } from "./dom.js";
import { localPhoto } from "./local-photo.js";
import { petName } from "./pet-name.js";

/**
 * `selection`: `{ has, set }`, given while the person selects scans. `isFirst`: the first scan of its kind. `more`: nodes below.
 * `preview`, `file`: the local address and the file name of a photo that was just sent.
 */
export function tile(scan, { selection, isFirst, more, preview, file } = {}) {
  const animals = animalsIn(scan);
  const what = headline(animals);
  const name = petName(scan);
  const words = [
    element("strong", {}, name || what), name ? element("span", {}, what) : null,
    element("span", { class: "quiet" }, animals.length === 1 ? certaintyWords(animals[0]) : "",
      animals.length === 1 && scan.created_at ? "\u00a0· " : "",
      scan.created_at ? element("time", { datetime: scan.created_at }, formatTime(scan.created_at, { timeStyle: "short" })) : null),
    file ? element("span", { class: "quiet file" }, file) : null,
  ];
  if (isFirst) words.unshift(element("span", { class: "badge" }, text("firstBadge")));
  const image = localPhoto(preview, preview && scan.id ? `/history/${scan.id}/thumbnail` : scan.thumbnail_url, { loading: "lazy", width: 256, height: 256 });
  if (!selection) {
    return element("li", { class: "scan" }, scan.id ? element("a", { href: `#scan/${scan.id}` }, image, words) : element("div", {}, image, words), more);
  }
  const box = element("input", {
    type: "checkbox", checked: selection.has(scan.id), onchange: () => selection.set(scan.id, box.checked),
  });
  return element("li", { class: "scan" }, element("label", {}, image, box, words));
}
