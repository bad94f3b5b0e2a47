// Shows the page that the address names, in the language chosen.

import { articlePage, listPage } from "./modules/encyclopaedia.js";
import { historyPage } from "./modules/history.js";
import { language, setLanguage, text, translatePage } from "./modules/language.js";
import { scanPage } from "./modules/scan.js";

const main = document.getElementById("main");
let leave = null;

async function show(moveFocus) {
  const [page, id] = location.hash.slice(1).split("/");
  if (page === "main") return;
  leave?.();
  leave = null;
  const current = page === "breeds" || page === "history" ? page : "scan";
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${current}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const name = { scan: "scan", breeds: "encyclopaedia", history: "history" }[current];
  document.title = `${text(name)} – Menagerie`;
  if (current === "breeds" && id) await articlePage(main, decodeURIComponent(id));
  else if (current === "breeds") await listPage(main);
  else if (current === "history") await historyPage(main);
  else leave = scanPage(main);
  if (moveFocus) main.focus();
}

const chooser = document.getElementById("language");
chooser.value = language();
chooser.addEventListener("change", () => {
  setLanguage(chooser.value);
  show(false);
});
addEventListener("hashchange", () => show(true));
translatePage();
show(false);
