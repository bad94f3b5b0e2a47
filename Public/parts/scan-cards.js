// Scans as a grid of photographs under their dates.

import { formatDate, formatTime, text } from "../languages/language.js";
import { certainty, certaintyWords, share, unsureShort, verdict } from "./certainty.js";
import { element } from "./dom.js";
import { petName } from "./pet-name.js";

function card(scan, selection) {
  const said = verdict(scan) ?? { name: scan.species, confidence: 0 };
  const name = petName(scan);
  const what = said.name ?? scan.corrected_label.replaceAll("_", " ");
  const weak = !said.isSaid && (scan.abstained || certainty(said) === "none");
  const time = element("time", { class: "quiet", datetime: scan.created_at }, formatTime(scan.created_at, { timeStyle: "short" }));
  const words = [
    element("strong", {}, name || (weak ? unsureShort(scan) : what)),
    element("span", {}, name ? what : weak ? text("maybe", { name: what }) : ""),
    element("span", { class: "quiet" }, said.isSaid ? text("youSay") : weak && !name ? share(said) : `${certaintyWords(said, scan.abstained)} · ${share(said)}`), time,
  ];
  const image = element("img", { src: scan.thumbnail_url, alt: "", loading: "lazy", width: 256, height: 256 });
  if (!selection) return element("li", { class: "scan" }, element("a", { href: `#scan/${scan.id}` }, image, words));
  const box = element("input", {
    type: "checkbox", checked: selection.has(scan.id), onchange: () => selection.set(scan.id, box.checked),
  });
  return element("li", { class: "scan" }, element("label", {}, image, box, words));
}

/** The list items, with a heading for each day. `selection`: where scans are being chosen; `before`: the scan that shows before. */
export function scanCards(scans, selection, before) {
  let day = before ? formatDate(before.created_at) : null;
  return scans.flatMap((scan) => {
    const date = formatDate(scan.created_at);
    const item = card(scan, selection);
    if (date === day) return [item];
    day = date;
    return [element("li", { class: "day" }, element("h2", {}, date)), item];
  });
}
