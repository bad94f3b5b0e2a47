// The timeline below a video player. Each row is a track: when it is visible, and when its name is most certain.

import { clock, text } from "../languages/language.js";
import { button, element } from "./dom.js";
import { trackName } from "./animals.js";
import { hue } from "./overlay.js";

export function timeline(player, tracks, durationMs) {
  const end = durationMs || Math.max(1, ...tracks.map(({ last_ms: last }) => last));
  const jump = (milliseconds) => {
    player.currentTime = milliseconds / 1000;
    player.pause();
  };
  const moments = [...new Set(tracks.flatMap(({ first_ms: first, best }) => [first, best.at_ms]))].sort((a, b) => a - b);
  const step = (way) => {
    const now = player.currentTime * 1000;
    const next = way > 0 ? moments.find((each) => each > now + 40) : moments.findLast((each) => each < now - 40);
    if (next !== undefined) jump(next);
  };
  const keys = (event) => {
    if (event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j" || event.key === "J") step(-1);
    if (event.key === "k" || event.key === "K") step(1);
  };
  document.addEventListener("keydown", keys);
  const rows = tracks.map((track, index) => {
    const span = element("span", { class: `span ${hue(index)}`, "aria-hidden": "true" });
    span.style.left = `${(track.first_ms / end) * 100}%`;
    span.style.width = `${Math.max(0.8, ((track.last_ms - track.first_ms) / end) * 100)}%`;
    const best = element("span", { class: "best", "aria-hidden": "true" });
    best.style.left = `${(track.best.at_ms / end) * 100}%`;
    const name = trackName(track);
    const words = text("videoTrackWords", {
      name, from: clock(track.first_ms, 1), to: clock(track.last_ms, 1), best: clock(track.best.at_ms, 1),
    });
    return element("li", {},
      element("button", { type: "button", class: "track", onclick: () => jump(track.best.at_ms), "aria-label": words },
        element("img", { src: track.best.picture_url, alt: "", loading: "lazy", width: 64, height: 48 }),
        element("span", { class: "track-name" }, name),
        element("span", { class: "lane", "aria-hidden": "true" }, span, best)));
  });
  return {
    element: element("section", { "aria-labelledby": "tracks-title" },
      element("h2", { id: "tracks-title" }, text("videoTracks")),
      tracks.length === 0 ? element("p", { class: "quiet" }, text("videoNoTracks")) : [
        element("div", { class: "actions steps" }, button(text("videoPrevious"), () => step(-1)), button(text("videoNext"), () => step(1))),
        element("p", { class: "quiet keys" }, text("videoKeys")),
        element("ol", { class: "tracks" }, rows),
      ]),
    dispose: () => document.removeEventListener("keydown", keys),
  };
}
