// What was scanned before, newest first.

import * as api from "./api.js";
import { shortAnswerList } from "./answers.js";
import { announce, confirmed, element } from "./dom.js";
import { formatTime, text } from "./language.js";

export async function historyPage(main) {
  const list = element("ul", { class: "cards" });
  const empty = element("p", { class: "quiet", hidden: true }, text("empty"));
  const clear = element("button", { type: "button", class: "danger", hidden: true }, text("clear"));
  const more = element("button", { type: "button", hidden: true }, text("more"));
  const problem = element("p", { class: "problem", role: "alert", hidden: true });
  main.replaceChildren(
    element("h1", {}, text("historyTitle")), problem, element("div", { class: "actions" }, clear), empty, list, more);

  const attempt = async (action) => {
    try {
      problem.hidden = true;
      await action();
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
    }
  };
  const refreshState = () => {
    const none = list.childElementCount === 0;
    empty.hidden = !none;
    clear.hidden = none;
  };

  let cursor = null;
  const load = () => attempt(async () => {
    const page = await api.history(cursor);
    cursor = page.next_cursor;
    more.hidden = cursor === null;
    list.append(...page.items.map((scan) => card(scan, remove)));
    refreshState();
  });

  const remove = (scan, item) => attempt(async () => {
    if (!(await confirmed(text("deleteQuestion")))) return;
    await api.deleteScan(scan.id);
    item.remove();
    refreshState();
    announce(text("deleted"));
    main.focus();
  });

  clear.addEventListener("click", () => attempt(async () => {
    if (!(await confirmed(text("clearQuestion")))) return;
    await api.deleteAllScans();
    list.replaceChildren();
    more.hidden = true;
    refreshState();
    announce(text("deleted"));
    main.focus();
  }));
  more.addEventListener("click", load);
  await load();
}

function card(scan, remove) {
  const name = scan.predictions[0]?.name ?? scan.species;
  const item = element("li", { class: "scan" },
    element("a", { href: scan.photo_url },
      element("img", { src: scan.thumbnail_url, alt: text("photoOf", { name }), loading: "lazy", width: 128, height: 128 })),
    element("div", {},
      element("p", {}, element("time", { datetime: scan.created_at }, formatTime(scan.created_at))),
      shortAnswerList(scan.predictions)),
    element("button", { type: "button", class: "danger", "aria-label": `${text("deleteScan")}: ${name}` }, text("deleteScan")));
  item.querySelector("button").addEventListener("click", () => remove(scan, item));
  return item;
}
