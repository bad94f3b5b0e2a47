// What was answered in a live session, as a table to take home. It is made here: the service keeps none of it.

/** So many rows are kept; the oldest go. */
const most = 20_000;
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
  #rows = [];
  #last = { name: null, at: -Infinity };

  get isEmpty() {
    return this.#rows.length === 0;
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

  text() {
    return csvLine(heads) + this.#rows.map(csvLine).join("");
  }

  #add(row) {
    this.#rows.push([new Date().toISOString(), ...row]);
    if (this.#rows.length > most) this.#rows.splice(0, this.#rows.length - most);
  }
}

/** Hands the text over as a file. */
export function download(words, name) {
  const address = URL.createObjectURL(new Blob([words], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
