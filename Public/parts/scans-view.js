// The history of scans with search, selection, deletion and undo. An undo puts scans back in their old places.

import * as api from "../services/api.js";
import { may } from "../services/api.js";
import { text } from "../languages/language.js";
import { keepInAddress } from "../router.js";
import { attempts } from "./attempt.js";
import { button, confirmed, element } from "./dom.js";
import { candidates, deleteAll, exportScans } from "./scan-actions.js";
import { newestFirst, searchHistory } from "./history-search.js";
import { PagedList, allPages } from "./paged.js";
import { scanCards } from "./scan-cards.js";
import { toast } from "./toasts.js";

/** The number of ids that surely fit into one address. */
const mostAtOnce = 100;

/** The date, or an empty text if it is none. The address may hold anything. */
const asDate = (value) => (Number.isNaN(Date.parse(`${value}T00:00`)) ? "" : value);

/** Converts the chosen shelf and dates to query parameters of `GET /history`. */
function filters(shelf, { from, to }) {
  // A day on which the clocks change has 23 or 25 hours.
  const midnight = (value, days) => {
    const time = new Date(`${value}T00:00`);
    time.setDate(time.getDate() + days);
    return time.toISOString();
  };
  return {
    named: shelf === "pets" ? true : undefined, abstained: shelf === "check" ? true : undefined,
    from: from && midnight(from, 0), to: to && midnight(to, 1),
  };
}

export async function scansView({ shelf, query, restored, signal }) {
  const values = { q: query.get("q") ?? "", from: asDate(query.get("from")), to: asDate(query.get("to")) };
  // The times at which a kind of animal was met first. A scan of such a time gets a badge.
  const firsts = new Set(await allPages((cursor) => api.collection({ limit: 100, cursor })).then((met) => met.map(({ first_met: at }) => at), () => []));
  const selected = new Set();
  let isSelecting = false;
  const selection = {
    has: (id) => selected.has(id),
    set: (id, isChosen) => {
      if (isChosen) selected.add(id);
      else selected.delete(id);
      showActions();
    },
  };
  const judged = (id) => paged.remove((scan) => scan.id === id);
  const optionsOf = (scan) => (isSelecting ? { selection } : {
    isFirst: firsts.has(scan.created_at), more: shelf === "check" && may("user") ? candidates(scan, judged) : null,
  });
  const list = element("ul", { class: "scans" });
  const paged = new PagedList({
    list,
    fetchPage: (cursor, signal) => (values.q ? searchHistory(values.q, filters(shelf, values), cursor, signal)
      : api.history({ ...filters(shelf, values), limit: cursor ? 100 : 20, cursor }, signal)),
    draw: (scans, before) => scanCards(scans, optionsOf, before),
    counted: (n) => text("scansCounted", { n }),
    empty: () => emptyWords(shelf, values),
  });
  const showEnds = paged.showEnds.bind(paged);
  paged.showEnds = () => {
    showEnds();
    // Nobody deletes what is not shown.
    const shown = new Set(paged.items.map(({ id }) => id));
    for (const id of selected) if (!shown.has(id)) selected.delete(id);
    showActions();
  };

  const notice = element("div");
  const attempt = attempts(notice);
  const select = button(text("select"), () => {
    isSelecting = !isSelecting;
    selected.clear();
    paged.show();
  }, { "aria-pressed": "false" });
  const everything = button(text("selectAll"), () => {
    for (const { id } of paged.items) selected.add(id);
    paged.show();
  });
  const remove = button(text("deleteSelected"), async () => {
    if (!(await confirmed(text("deleteSomeQuestion", { n: selected.size })))) return;
    await attempt(deleteSelected);
  }, { class: "danger" });
  const takeOut = button(text("exportSelected"), () => attempt(() => exportScans(paged.items.filter(({ id }) => selected.has(id)))));
  const clear = button(text("clear"), () => attempt(async () => {
    if (!(await deleteAll())) return;
    paged.restore({ items: [], cursor: null, total: 0 });
    focusList();
  }), { class: "danger" });

  // The person may have left the view in which the scans were deleted.
  addEventListener("undone", () => paged.update(), { signal });
  const focusList = () => (select.hidden ? document.getElementById("main") : select).focus({ preventScroll: true });
  async function deleteSelected() {
    const ids = [...selected];
    const deleted = new Set();
    const undo = [];
    try {
      while (deleted.size < ids.length) {
        const some = ids.slice(deleted.size, deleted.size + mostAtOnce);
        undo.push(...await api.deleteScans(some));
        for (const id of some) deleted.add(id);
      }
      isSelecting = false;
    } finally {
      // What was deleted before a failure can be undone, too. The rest stays selected.
      if (deleted.size > 0) await tellDeleted(deleted, undo);
    }
    focusList();
  }
  async function tellDeleted(ids, undo) {
    const gone = paged.items.filter(({ id }) => ids.has(id));
    paged.remove(({ id }) => ids.has(id));
    if (paged.items.length === 0 && paged.cursor !== null) await paged.load();
    toast(text("someDeleted", { n: ids.size }), { undo: undo.length > 0 && (async () => {
      await api.undoDeletion(undo);
      paged.insert(gone, newestFirst);
    }) });
  }
  function showActions() {
    const none = paged.items.length === 0;
    select.hidden = none;
    select.textContent = text(isSelecting ? "selectDone" : "select");
    select.setAttribute("aria-pressed", String(isSelecting));
    everything.hidden = remove.hidden = takeOut.hidden = !isSelecting;
    remove.disabled = takeOut.disabled = selected.size === 0;
    remove.textContent = text("deleteSelected", { n: selected.size });
    // The button deletes all scans, so it is hidden while a search shows only some of them.
    clear.hidden = none || isSelecting || Object.values(values).some(Boolean) || shelf !== "all" || !may("admin");
  }

  const [search, dates] = filterFields(values, () => {
    keepInAddress({ show: shelf === "all" ? "" : shelf, ...values }, signal);
    paged.load();
  });
  const view = element("div", {}, search, notice,
    element("div", { class: "bar" }, paged.count, dates, element("div", { class: "actions" }, select, everything, takeOut, remove)),
    paged.element.slice(1), element("div", { class: "actions" }, clear));
  if (restored) paged.restore(restored);
  else await paged.load();
  return { element: view, snapshot: () => paged.snapshot() };
}

function emptyWords(shelf, values) {
  if (Object.values(values).some(Boolean)) return text("nothing");
  const words = text({ all: "empty", pets: "noPets", check: "nothingToCheck" }[shelf]);
  return element("span", {}, words, " ", shelf === "all" ? element("a", { href: "#scan" }, text("scanOne")) : null);
}

function filterFields(values, changed) {
  let typing;
  const field = (name, attributes = {}) => {
    const input = element("input", { id: `filter-${name}`, value: values[name], ...attributes });
    input.addEventListener("input", () => {
      values[name] = attributes.type === "date" ? asDate(input.value) : input.value.trim();
      clearTimeout(typing);
      typing = setTimeout(changed, attributes.type === "search" ? 200 : 0);
    });
    return input;
  };
  const dates = [["from", "fromDate"], ["to", "toDate"]];
  return [
    element("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
      field("q", { type: "search", autocomplete: "off", placeholder: text("searchScans"), "aria-label": text("searchScans") })),
    element("details", { open: Boolean(values.from || values.to) }, element("summary", {}, text("dates")),
      element("div", { class: "fields" }, dates.map(([name, label]) =>
        element("label", { for: `filter-${name}` }, text(label), field(name, { type: "date", max: "9999-12-30" }))))),
  ];
}
