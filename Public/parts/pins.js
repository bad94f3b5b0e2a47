// Name labels that a tap pins to animals. A label follows its animal and goes when the animal leaves the picture.

import { text } from "../languages/language.js";
import { certainty } from "./certainty.js";
import { announce, element } from "./dom.js";

const most = 6;
/** How long an animal may be out of sight before its label goes, in milliseconds. */
const patience = 2000;

/** `send(message)`: sends a message to the service over the live connection. */
export class Pins {
  element = element("div", { class: "pins" });
  #taps = new Map();
  #count = 0;

  constructor(send) {
    this.send = send;
  }

  /** The set of tracks that have a pinned label. */
  get tracks() {
    return new Set([...this.#taps.values()].map(({ track }) => track));
  }

  /** Asks the service what is at a point. `x` and `y` are fractions of the picture. */
  tap(x, y) {
    if (this.#taps.size >= most) this.#remove(this.#taps.keys().next().value);
    this.#count += 1;
    this.send({ type: "tap", id: `t${this.#count}`, x, y });
  }

  /**
   * Shows the service's answer to a tap. If nothing was recognised, a temporary label says so.
   * Returns true if the tap gave a name to something that had none.
   */
  pin({ id, track, x, y, name, names, nothing, ...answer }) {
    const isFirst = !this.#taps.get(id)?.isKnown && !(track && this.tracks.has(track));
    this.#taps.get(id)?.label.remove();
    const level = name && !nothing ? certainty(answer) : "none";
    const isKnown = level !== "none";
    const unknown = nothing && name ? name : text("pinNothing");
    const mark = (words) => (level === "weak" ? `${words}?` : words);
    const label = element("div", { class: "pin" }, isKnown
      ? [element("strong", { lang: "en" }, mark(names?.en ?? name)), names && names.fi !== names.en ? element("span", { lang: "fi" }, mark(names.fi)) : null]
      : element("span", {}, unknown));
    const known = this.#taps.get(id);
    this.#taps.set(id, { label, isKnown: isKnown || known?.isKnown, track: isKnown ? track : null, x, y, seenAt: known?.seenAt ?? performance.now() });
    this.element.append(label);
    this.#place(this.#taps.get(id));
    announce(isKnown ? Object.values(names ?? { name }).join(", ") : unknown);
    return isKnown && isFirst;
  }

  /** Moves the labels to the `boxes` of the newest frame. */
  follow(boxes) {
    const now = performance.now();
    for (const [id, tap] of this.#taps) {
      const box = boxes.find(({ track }) => track === tap.track);
      if (box) Object.assign(tap, { x: box.x + box.width / 2, y: box.y, seenAt: now });
      tap.label.hidden = !box && tap.track !== null && tap.track !== undefined;
      if (now - tap.seenAt > patience) this.#remove(id);
      else this.#place(tap);
    }
  }

  clear() {
    this.#taps.clear();
    this.element.replaceChildren();
  }

  #place({ label, x, y }) {
    // The whole label stays in the picture, also on a narrow phone.
    const half = Math.min(0.5, Math.max(0.15, label.offsetWidth / 2 / (this.element.clientWidth || Infinity)));
    label.style.left = `${Math.max(half, Math.min(1 - half, x)) * 100}%`;
    label.style.top = `${Math.max(0.16, y) * 100}%`;
  }

  #remove(id) {
    this.#taps.get(id).label.remove();
    this.#taps.delete(id);
    this.send({ type: "untap", id });
  }
}
