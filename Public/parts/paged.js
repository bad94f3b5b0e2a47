// A list that comes page by page, and is there again as it was when one comes back to it.

import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { announce, button, element, problemBox } from "./dom.js";

/**
 * A list of which more is fetched on demand.
 *
 * `fetchPage(cursor, signal)` answers `{ items, total, next_cursor }`; `draw(items, before)` gives the nodes for the list,
 * where `before` is the item that stands before them, if any;
 * `counted(total)` says how many there are; `restored` is what `snapshot()` gave.
 */
export class PagedList {
  items = [];
  cursor = null;
  total = 0;
  #running = null;

  constructor({ list, fetchPage, draw, counted, empty }) {
    Object.assign(this, { list, fetchPage, draw, counted, empty });
    this.count = element("p", { class: "quiet count" });
    this.notice = element("div");
    this.more = button(text("more"), () => this.load(true), { hidden: true });
    this.element = [this.count, this.notice, this.list, element("div", { class: "actions more" }, this.more)];
  }

  snapshot() {
    return { items: this.items, cursor: this.cursor, total: this.total };
  }

  restore(snapshot) {
    Object.assign(this, snapshot);
    this.show();
  }

  show() {
    this.list.replaceChildren(...this.draw(this.items));
    this.showEnds();
  }

  /** Adds to what shows, which stays as it is. */
  #append(items) {
    const nodes = this.draw(items, this.items.at(-1));
    this.items = [...this.items, ...items];
    this.list.append(...nodes);
    this.showEnds();
    nodes.map((node) => node.querySelector("a, input")).find(Boolean)?.focus();
  }

  /** What stands above and below the list. */
  showEnds() {
    this.more.hidden = this.cursor === null;
    this.count.replaceChildren(this.items.length === 0 && this.empty ? this.empty() : this.counted(this.total));
  }

  /** Fetches the first page, or the next; what was asked before and comes later is dropped. */
  async load(append = false) {
    this.#running?.abort();
    const running = this.#running = new AbortController();
    this.list.setAttribute("aria-busy", "true");
    try {
      const answer = await this.fetchPage(append ? this.cursor : null, running.signal);
      this.cursor = answer.next_cursor;
      this.total = answer.total;
      this.notice.replaceChildren();
      if (append) this.#append(answer.items);
      else {
        this.items = answer.items;
        this.show();
        announce(this.count.textContent);
      }
    } catch (error) {
      if (running.signal.aborted) return;
      this.notice.replaceChildren(problemBox(asProblem(error), () => this.load(append)));
    }
    this.list.removeAttribute("aria-busy");
  }

  /** Takes items out, as after a deletion, and keeps everything else in its place. */
  remove(test) {
    const kept = this.items.filter((item) => !test(item));
    this.total -= this.items.length - kept.length;
    this.items = kept;
    this.show();
  }

  /** Puts items where they belong by `order`, as after an undo. */
  insert(items, order) {
    const known = new Set(this.items.map(({ id }) => id));
    const added = items.filter(({ id }) => !known.has(id));
    this.items = [...this.items, ...added].sort(order);
    this.total += added.length;
    this.show();
  }
}
