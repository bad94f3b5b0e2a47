// The history with its filters, with many selected, and with undo that keeps the place.

import * as api from "../services/api.js";
import { may } from "../services/caller.js";
import { text } from "../languages/language.js";
import { keepInAddress } from "../router.js";
import { asProblem } from "../services/problem.js";
import { button, confirmed, element, problemBox } from "./dom.js";
import { PagedList } from "./paged.js";
import { scanCards } from "./scan-cards.js";
import { toast } from "./toasts.js";

const newestFirst = (one, other) => (one.created_at < other.created_at || (one.created_at === other.created_at && one.id < other.id) ? 1 : -1);

/** What the shelf and the fields ask of `GET /history`. */
function filters(shelf, { q, species, label, name, from, to }) {
  const day = (value, plus) => value && new Date(new Date(`${value}T00:00`).getTime() + plus * 86_400_000).toISOString();
  return {
    q, species, label, individual: name, named: shelf === "pets" ? true : undefined, abstained: shelf === "check" ? true : undefined,
    from: day(from, 0), to: day(to, 1),
  };
}

export async function scansView({ shelf, query, restored }) {
  const values = Object.fromEntries(["q", "species", "label", "name", "from", "to"].map((name) => [name, query.get(name) ?? ""]));
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
  const list = element("ul", { class: "scans" });
  const paged = new PagedList({
    list,
    fetchPage: (cursor, signal) => api.history({ ...filters(shelf, values), limit: cursor ? 100 : 20, cursor }, signal),
    draw: (scans, before) => scanCards(scans, isSelecting ? selection : null, before),
    counted: (n) => text("scansCounted", { n }),
    empty: () => emptyWords(shelf, values),
  });
  const showEnds = paged.showEnds.bind(paged);
  paged.showEnds = () => {
    showEnds();
    showActions();
  };

  const notice = element("div");
  const attempt = async (action) => {
    notice.replaceChildren();
    try {
      await action();
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), () => attempt(action)));
    }
  };
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
    const ids = [...selected];
    if (!(await confirmed(text("deleteSomeQuestion", { n: ids.length })))) return;
    await attempt(() => deleteScans(ids));
  }, { class: "danger" });
  const clear = button(text("clear"), async () => {
    if (!(await confirmed(text("clearQuestion")))) return;
    await attempt(async () => {
      const undo = await api.deleteAllScans();
      paged.restore({ items: [], cursor: null, total: 0 });
      toast(text("allDeleted"), { undo: undo && (async () => {
        await api.undoDeletion(undo);
        await paged.load();
      }) });
    });
  }, { class: "danger" });

  async function deleteScans(ids) {
    const gone = paged.items.filter(({ id }) => ids.includes(id));
    const undo = await api.deleteScans(ids);
    selected.clear();
    isSelecting = false;
    paged.remove(({ id }) => ids.includes(id));
    if (paged.items.length === 0 && paged.cursor !== null) await paged.load();
    toast(text("someDeleted", { n: ids.length }), { undo: undo && (async () => {
      await api.undoDeletion(undo);
      paged.insert(gone, newestFirst);
    }) });
    select.focus({ preventScroll: true });
  }
  function showActions() {
    const none = paged.items.length === 0;
    select.hidden = none;
    select.textContent = text(isSelecting ? "selectDone" : "select");
    select.setAttribute("aria-pressed", String(isSelecting));
    everything.hidden = remove.hidden = !isSelecting;
    remove.disabled = selected.size === 0;
    remove.textContent = text("deleteSelected", { n: selected.size });
    clear.hidden = none || isSelecting || shelf !== "all" || !may("admin");
  }

  const [pets, met] = await Promise.all([api.individuals(), api.collection({ sort: "name", limit: 100 }).catch(() => ({ items: [] }))]);
  const fields = filterFields(values, pets, met.items, () => {
    keepInAddress({ show: shelf === "all" ? "" : shelf, ...values });
    paged.load();
  });
  const view = element("div", {}, fields, notice,
    element("div", { class: "bar" }, paged.count, element("div", { class: "actions" }, select, everything, remove)),
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

function filterFields(values, pets, met, changed) {
  let typing;
  const field = (name, label, attributes = {}) => {
    const input = element("input", { id: `filter-${name}`, value: values[name], ...attributes });
    input.addEventListener("input", () => {
      values[name] = input.value.trim();
      clearTimeout(typing);
      typing = setTimeout(changed, attributes.type === "search" ? 200 : 0);
    });
    return element("label", { for: `filter-${name}` }, text(label), input);
  };
  const choice = (name, label, options) => {
    const select = element("select", { id: `filter-${name}`, onchange: () => {
      values[name] = select.value;
      changed();
    } }, options.map(([value, words]) => element("option", { value, selected: values[name] === value }, words)));
    return element("label", { for: select.id }, text(label), select);
  };
  return element("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
    element("details", { open: Object.values(values).some(Boolean) }, element("summary", {}, text("filterTitle")),
      element("div", { class: "fields" },
        field("q", "searchNotes", { type: "search", autocomplete: "off" }),
        choice("species", "kind", [["", text("all")], ["cat", text("cat")], ["dog", text("dog")]]),
        met.length ? choice("label", "animal", [["", text("all")], ...met.map(({ label, name }) => [label, name])]) : null,
        pets.length ? choice("name", "petName", [["", text("all")], ...pets.map(({ name }) => [name, name])]) : null,
        field("from", "fromDate", { type: "date" }), field("to", "toDate", { type: "date" }))));
}
