// A log of the answers in a live session, saved as a CSV file. The page keeps it; the service stores no log.

/** Finished rows are stored in blobs outside the page's heap. If there are more than `mostBlocks`, the oldest is deleted. */
const rowsInBlock = 100;
const mostBlocks = 200;
/** The time between two rows while the answer stays the same, in milliseconds. */
const rowEvery = 1000;
const heads = ["time", "at_ms", "event", "label", "name", "confidence", "boxes", "latency_ms", "dropped"];

/** Writes a CSV field in the service's format. An apostrophe before a formula keeps a spreadsheet from running it. */
function field(value) {
  const words = String(value ?? "");
  const harmless = typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(words) ? `'${words}` : words;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const csvLine = (values) => `${values.map(field).join(",")}\r\n`;

export class LiveLog {
  #blocks = [];
  #lines = [];
  #last = { name: null, at: -Infinity };

  get isEmpty() {
    return this.#blocks.length + this.#lines.length === 0;
  }

  /** Adds a row if the answer changed or `rowEvery` has passed. `name`: the name that the page shows. */
  answered({ at_ms: at, boxes = [], stable, predictions = [], dropped, timing }, name) {
    if (name === this.#last.name && at - this.#last.at < rowEvery) return;
    this.#last = { name, at };
    const best = stable ?? predictions[0];
    this.#add([at, "answer", best?.label, name, best?.confidence, boxes.length, timing?.latency_ms, dropped]);
  }

  /** Adds a row for an `event` other than an answer, such as the label of a tap. */
  noted(event, { label, name, confidence }) {
    this.#add([this.#last.at > 0 ? this.#last.at : 0, event, label, name, confidence]);
  }

  file() {
    return new Blob([csvLine(heads), ...this.#blocks, ...this.#lines], { type: "text/csv" });
  }

  #add(row) {
    this.#lines.push(csvLine([new Date().toISOString(), ...row]));
    if (this.#lines.length < rowsInBlock) return;
    this.#blocks.push(new Blob(this.#lines.splice(0)));
    if (this.#blocks.length > mostBlocks) this.#blocks.shift();
  }
}
