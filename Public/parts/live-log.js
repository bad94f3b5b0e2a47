// What was answered in a live session, as a table to take home. It is made here: the service keeps none of it.

/** Rows that are done wait in blocks outside the page's heap. Of more blocks than these, the oldest goes. */
const rowsInBlock = 100;
const mostBlocks = 200;
/** While nothing changes, a row comes so often, in milliseconds. */
const rowEvery = 1000;
const heads = ["time", "at_ms", "event", "label", "name", "confidence", "boxes", "latency_ms", "dropped"];

/** As the service writes CSV: quoted where it has to be, and with an apostrophe before what a spreadsheet would run. */
function field(value) {
  const words = String(value ?? "");
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(words) ? `'${words}` : words;
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

  /** Notes an answer where it says something else, or once a second; `name`: as the page shows it. */
  answered({ at_ms: at, boxes = [], stable, predictions = [], dropped, timing }, name) {
    if (name === this.#last.name && at - this.#last.at < rowEvery) return;
    this.#last = { name, at };
    const best = stable ?? predictions[0];
    this.#add([at, "answer", best?.label, name, best?.confidence, boxes.length, timing?.latency_ms, dropped]);
  }

  /** Notes a label that a tap got, or the id of what was kept. */
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

export function download(file, name) {
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
