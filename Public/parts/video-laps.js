// The options for timing laps in a video: the object, the shortest lap and the finishing line.

import { number, text } from "../languages/language.js";
import { element } from "./dom.js";
import { lapObject } from "./lap-object.js";
import { draggableLine } from "./lap-line.js";

const middle = [[0.5, 0], [0.5, 1]];

const usual = { isWanted: false, object: "", label: null, minimum: 3, files: [], ends: middle };
/** What the form holds, and the files that wait for their lines. They stay when the person leaves the view or changes the language. */
const kept = { ...usual };

/**
 * `isWanted()`: whether to time laps. `take(files)`: replaces the files that wait for their lines. `file()`: the first of them. `line()`:
 * the line editor over its first frame. `drop()` forgets both. `query()` resolves with query parameters. `forget()` discards what was entered.
 */
export function videoLaps() {
  const object = lapObject("video-lap-label", "videoLapsObject", kept);
  const minimum = element("input", { type: "number", id: "video-lap-minimum", min: 0.1, step: 0.1, value: kept.minimum, required: true, oninput: () => { kept.minimum = minimum.value; } });
  const fields = element("div", { class: "video-laps", hidden: !kept.isWanted }, object.element,
    element("div", { class: "field" }, element("label", { for: "video-lap-minimum" }, text("lapsMinimum")), minimum));
  const tick = element("input", { type: "checkbox", id: "video-laps", checked: kept.isWanted, onchange: () => {
    kept.isWanted = tick.checked;
    fields.hidden = !tick.checked;
    if (tick.checked) object.input.focus();
  } });
  let address = null;
  const release = () => {
    if (address) URL.revokeObjectURL(address);
    address = null;
  };

  function line() {
    release();
    address = URL.createObjectURL(kept.files[0]);
    const drawn = draggableLine(kept.ends, (next) => {
      kept.ends = next.map((each) => [...each]);
      showNumbers();
    });
    // Some browsers show no frame until the player seeks to a time.
    const film = element("video", { src: `${address}#t=0.01`, playsinline: true, preload: "auto", "aria-label": text("videoFirstPicture") });
    film.muted = true;
    const stage = element("div", { class: "overlaid stage" }, film, drawn.element);
    const hint = element("p", { class: "quiet" }, text("lapsLineHint"));
    film.addEventListener("error", () => {
      stage.hidden = true;
      numbers.open = true;
      hint.textContent = text("videoNoPicture");
    });
    const inputs = kept.ends.flatMap((end, index) => ["X", "Y"].map((way, axis) => {
      const input = element("input", { type: "number", id: `line-${way}${index + 1}`, min: 0, max: 100, step: 0.1, onchange: () => {
        const share = Math.max(0, Math.min(1, input.valueAsNumber / 100));
        kept.ends = kept.ends.map((each, other) => each.map((value, place) => (other === index && place === axis && Number.isFinite(share) ? share : value)));
        drawn.place(kept.ends);
        showNumbers();
      } });
      return { input, label: text(`lineEnd${way}`, { n: number(index + 1) }), index, axis };
    }));
    const showNumbers = () => {
      for (const { input, index, axis } of inputs) input.value = Math.round(kept.ends[index][axis] * 1000) / 10;
    };
    showNumbers();
    const numbers = element("details", {}, element("summary", {}, text("lineInNumbers")),
      element("div", { class: "numbers" }, inputs.map(({ input, label }) =>
        element("div", { class: "field" }, element("label", { for: input.id }, label), input))));
    return element("div", { class: "line-over-film" }, stage, hint, numbers);
  }

  return {
    element: element("div", {}, element("label", { class: "tick" }, tick, text("videoLapsToo")), fields),
    isWanted: () => tick.checked,
    take: (files) => Object.assign(kept, { files, ends: middle }),
    file: () => kept.files[0],
    drop() {
      release();
      Object.assign(kept, { files: kept.files.slice(1), ends: middle });
    },
    /** Another file may wait for its line already. */
    forget: () => { if (!kept.files[0]) Object.assign(kept, usual); },
    /** Whether the fields are valid. The browser marks the first invalid one. */
    isComplete() {
      object.input.required = true;
      return object.input.reportValidity() && minimum.reportValidity();
    },
    line,
    async query() {
      if (!tick.checked) return {};
      const { ends } = kept;
      const { label, by } = await object.wanted();
      // Classification has no boxes that could cross a line. If the line was not moved, the service decides what counts as a lap.
      return { laps: label, minimum_lap_s: minimum.value, line: by === "classification" || ends === middle ? null : ends.flat().map((value) => Math.round(value * 1000) / 1000).join(",") };
    },
    dispose: release,
  };
}
