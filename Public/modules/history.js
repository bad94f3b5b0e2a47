// What was scanned before, newest first.

import * as api from "./api.js";
import { shortAnswerList } from "./answers.js";
import { announce, confirmed, element, problemBox } from "./dom.js";
import { formatTime, text } from "./language.js";

export async function historyPage(page) {
  const list = element("ul", { class: "cards" });
  const empty = element("p", { hidden: true }, text("empty"), " ", element("a", { href: "#scan" }, text("scanOne")));
  const clear = element("button", { type: "button", class: "danger", hidden: true }, text("clear"));
  const more = element("button", { type: "button", hidden: true }, text("more"));
  const notice = element("div");
  const title = element("h1", { tabindex: "-1" }, text("historyTitle"));
  page.replaceChildren(title, notice, empty, list, element("div", { class: "actions" }, more, clear));

  const attempt = async (action) => {
    try {
      notice.replaceChildren();
      page.setAttribute("aria-busy", "true");
      await action();
    } catch (problem) {
      notice.replaceChildren(problemBox(problem, () => attempt(action)));
    }
    page.removeAttribute("aria-busy");
  };
  const refreshState = () => {
    const none = list.childElementCount === 0;
    empty.hidden = !none || !more.hidden;
    clear.hidden = none;
  };

  let cursor = null;
  const add = async () => {
    const answer = await api.history(cursor);
    cursor = answer.next_cursor;
    more.hidden = cursor === null;
    list.append(...answer.items.map((scan) => card(scan, remove)));
    refreshState();
  };
  const reload = async () => {
    cursor = null;
    const answer = list.childElementCount;
    list.replaceChildren();
    do await add(); while (cursor !== null && list.childElementCount < answer);
  };

  const offerUndo = (message, path) => {
    announce(message);
    if (path === null) return title.focus();
    const undo = element("button", { type: "button" }, text("undo"));
    undo.addEventListener("click", () => attempt(async () => {
      await api.undoDeletion(path);
      await reload();
      announce(text("restored"));
      title.focus();
    }));
    notice.replaceChildren(element("div", { class: "notice" }, element("p", {}, message), undo));
    undo.focus();
    notice.scrollIntoView({ block: "nearest" });
  };

  const remove = async (scan, item) => {
    if (!(await confirmed(text("deleteQuestion")))) return;
    await attempt(async () => {
      const undo = await api.deleteScan(scan.id);
      item.remove();
      if (list.childElementCount === 0 && cursor !== null) await reload();
      refreshState();
      offerUndo(text("deleted"), undo);
    });
  };

  clear.addEventListener("click", async () => {
    if (!(await confirmed(text("clearQuestion")))) return;
    await attempt(async () => {
      const undo = await api.deleteAllScans();
      cursor = null;
      list.replaceChildren();
      more.hidden = true;
      refreshState();
      offerUndo(text("allDeleted"), undo);
    });
  });
  more.addEventListener("click", () => attempt(add));
  await attempt(add);
}

function card(scan, remove) {
  const name = scan.predictions[0]?.name ?? scan.species;
  const time = formatTime(scan.created_at);
  const item = element("li", { class: "scan" },
    element("a", { href: scan.photo_url },
      element("img", { src: scan.thumbnail_url, alt: text("openPhoto", { name }), loading: "lazy", width: 128, height: 128 })),
    element("div", {},
      element("p", { class: "time" }, element("time", { datetime: scan.created_at }, time)),
      shortAnswerList(scan.predictions)),
    element("button", {
      type: "button", class: "danger", "aria-label": `${text("deleteScan")}: ${name}, ${time}`,
      onclick: () => remove(scan, item),
    }, text("deleteScan")));
  return item;
}
