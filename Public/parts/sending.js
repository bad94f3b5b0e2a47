// Files that a view sends to the service. They go on when the person leaves the view, and are in it when the person comes back.

import { percent, text } from "../languages/language.js";
import { EventReader } from "../services/events.js";
import { asProblem, problemFrom, unreachable } from "../services/problem.js";
import { transfer } from "../services/transfer.js";
import { go } from "../router.js";
import { progressBar } from "./bars.js";
import { announce, button, element, problemBox } from "./dom.js";
import { toast } from "./toasts.js";

const asBox = (problem, retry) => [problemBox(problem, retry)];

/** The uploads of the view at `href`. Its module keeps them, and each new view shows their `element`. */
export class Sending {
  element = element("div", { class: "sending" });
  /** What the view that is shown does when something has arrived. */
  arrived = async () => {};

  constructor(href) {
    this.href = href;
  }

  get isBusy() {
    return this.element.querySelector("[role=progressbar]") !== null;
  }

  /** Removes what is said of uploads that have ended. What can be tried again stays, unless `kept` selects only those under way. */
  tidy(kept = "button") {
    for (const row of [...this.element.children]) if (!row.querySelector(kept)) row.remove();
  }

  /**
   * Shows a row with the progress of `work({ send, stream, show, signal })` until it ends. `name`: what is sent. `send(path, body, options)`:
   * posts it. `stream(path, body, type, progress)`: posts it and resolves with what the service's events end with. `show(fraction, words)`: the progress of what follows. `work` resolves with `{ message, href }` of a view that opens, or with
   * `{ message, nodes }` for the row. If the person is elsewhere, a toast shows the message. `complaint(problem, retry)`: the nodes of a failure.
   */
  async start(name, work, complaint = asBox) {
    const controller = new AbortController();
    const { signal } = controller;
    const words = element("p", { class: "progress" });
    const bar = progressBar(text("uploadProgress", { name }));
    const stop = button("", () => controller.abort());
    const row = element("div", {}, words, bar, element("div", { class: "actions" }, stop));
    const show = (fraction, said) => {
      bar.value = fraction;
      words.textContent = said;
      // The person may have changed the language since.
      stop.textContent = text("cancel");
    };
    const onProgress = (fraction) => show(fraction, text("uploading", { percent: percent(fraction, 0) }));
    const send = (path, body, options) => transfer("POST", path, body, { signal, onProgress, ...options });
    const stream = async (path, body, type, progress) => {
      let done = null;
      let problem = null;
      const answer = await send(path, body, {
        headers: { Accept: "text/event-stream", "Content-Type": type },
        events: new EventReader((event, data) => {
          if (event === "progress") progress(data);
          else if (event === "done") done = data;
          else if (event === "failed") problem = data;
        }),
      });
      if (problem) throw problemFrom(problem, problem.status);
      if (!done && !answer) throw unreachable();
      return done ?? answer;
    };
    onProgress(0);
    this.tidy("[role=progressbar]");
    this.element.append(row);
    try {
      const { message, href, nodes = [] } = await work({ send, stream, show, signal });
      row.replaceChildren(...nodes);
      if (nodes.length === 0) row.remove();
      if (!this.element.isConnected) toast(message, { isBrief: false, link: { href: href ?? this.href, words: text("liveOpenKept") } });
      else if (href) go(href);
      else {
        announce(message);
        this.arrived().catch(() => {});
      }
    } catch (error) {
      const problem = asProblem(error);
      const hadFocus = row.contains(document.activeElement);
      if (error.name === "AbortError") row.replaceChildren(element("p", {}, text("cancelled")));
      else row.replaceChildren(...complaint(problem, () => this.start(name, work, complaint)));
      if (hadFocus) (row.querySelector("button") ?? document.getElementById("main")).focus({ preventScroll: true });
      if (!this.element.isConnected) toast(`${name}: ${problem.message}`, { tone: "bad", link: { href: this.href, words: text("liveOpenKept") } });
      else row.scrollIntoView({ block: "nearest" });
    }
  }
}
