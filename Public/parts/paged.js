// A list that loads page by page. It is restored when the person comes back to the view.

import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { announce, button, element, problemBox } from "./dom.js";
import { redraw } from "./redraw.js";

/** Fetches all pages of a list and returns their items. */
export async function allPages(fetchPage) {
  const items = [];
  let cursor = null;
  do {
    const page = await fetchPage(cursor);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return items;
}

/**
 * A list with a button that loads the next page.
 *
 * `fetchPage(cursor, signal)` resolves with `{ items, total, next_cursor }`; the first page has the cursor null.
 * `draw(items, before)` returns the nodes for the items. `before`: the last item that is already shown, or undefined.
 * `counted(total)` returns the text of the count. `empty()` returns the text for an empty list. `restore` takes what `snapshot` returned.
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

  /** Shows at once what was shown before. Then it follows what has changed since, for example in another tab, and resolves. */
  restore(snapshot) {
    Object.assign(this, snapshot);
    this.show();
    return this.update();
  }

  /** Shows a first page that was fetched already. */
  begin({ items, total, next_cursor: cursor }) {
    Object.assign(this, { items, cursor, total });
    this.show();
  }

  /** Fetches what is shown again, and redraws the list if anything has changed. If the server is out of reach, the list stays. */
  async update() {
    if (this.list.hasAttribute("aria-busy")) return;
    const { signal } = this.#running = new AbortController();
    const shown = this.items;
    const items = [];
    let page = { next_cursor: null };
    try {
      do {
        page = await this.fetchPage(page.next_cursor, signal);
        items.push(...page.items);
      } while (items.length < shown.length && page.next_cursor !== null);
    } catch {
      return;
    }
    // The person may have loaded more, or deleted something, meanwhile.
    if (signal.aborted || this.items !== shown) return;
    const { next_cursor: cursor, total } = page;
    const hasChanged = JSON.stringify(items) !== JSON.stringify(shown);
    Object.assign(this, { items, cursor, total });
    if (hasChanged) this.show();
    else this.showEnds();
  }

  show() {
    redraw(this.list, ...this.draw(this.items));
    this.showEnds();
  }

  /** Appends items. The nodes that are already shown stay unchanged, and the first new link or field gets the focus. */
  #append({ items, total, next_cursor: cursor }) {
    const nodes = this.draw(items, this.items.at(-1));
    Object.assign(this, { items: [...this.items, ...items], cursor, total });
    this.list.append(...nodes);
    this.showEnds();
    nodes.map((node) => node.querySelector("a, input")).find(Boolean)?.focus();
  }

  /** Updates the count above the list and the button below it. */
  showEnds() {
    this.more.hidden = this.cursor === null;
    this.count.replaceChildren(this.items.length === 0 && this.empty ? this.empty() : this.counted(this.total));
  }

  /** Fetches the first page, or the next one if `append` is true. A newer call aborts the request of an older one. */
  async load(append = false) {
    this.#running?.abort();
    const running = this.#running = new AbortController();
    this.list.setAttribute("aria-busy", "true");
    try {
      const answer = await this.fetchPage(append ? this.cursor : null, running.signal);
      this.notice.replaceChildren();
      if (append) this.#append(answer);
      else {
        this.begin(answer);
        announce(this.count.textContent);
      }
    } catch (error) {
      if (running.signal.aborted) return;
      this.notice.replaceChildren(problemBox(asProblem(error), () => this.load(append)));
    }
    this.list.removeAttribute("aria-busy");
  }

  /** Removes the items that match `test`, for example after a deletion. */
  remove(test) {
    const kept = this.items.filter((item) => !test(item));
    this.total -= this.items.length - kept.length;
    this.items = kept;
    this.show();
  }

  /** Inserts items in the order of the comparison function `order`, for example after an undo. Skips items that are already listed. */
  insert(items, order) {
    const known = new Set(this.items.map(({ id }) => id));
    const added = items.filter(({ id }) => !known.has(id));
    this.items = [...this.items, ...added].sort(order);
    this.total += added.length;
    this.show();
  }
}
