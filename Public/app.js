// Shows the page that the address names, in the language chosen.

import * as api from "./modules/api.js";
import { element, problemBox } from "./modules/dom.js";
import { articlePage, listPage } from "./modules/encyclopaedia.js";
import { historyPage } from "./modules/history.js";
import { receivePhotos } from "./modules/intake.js";
import { language, setLanguage, text, translatePage } from "./modules/language.js";
import { scanPage, scanPhotos } from "./modules/scan.js";
import { signInPage } from "./modules/session.js";

const main = document.getElementById("main");
const signOut = document.getElementById("sign-out");
/** Whether the service asks for a key and has none of ours. */
let isLocked = false;

const render = {
  scan: scanPage,
  breeds: (page, id) => (id ? articlePage(page, id) : listPage(page)),
  history: historyPage,
};
const titles = { scan: "scan", breeds: "encyclopaedia", history: "history" };

/** `#breeds/siamese` is ["breeds", "siamese"]; whatever is not known is the scan page. */
function address() {
  const [name, id = ""] = location.hash.slice(1).split("/");
  try {
    return Object.hasOwn(render, name) ? [name, decodeURIComponent(id)] : ["scan", ""];
  } catch {
    return ["breeds", ""];
  }
}

async function show(moveFocus) {
  const [name, id] = address();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${text(titles[name])} – Menagerie`;
  main.setAttribute("aria-label", text(titles[name]));
  // Each page fills a container of its own: one that answers late no longer shows.
  const page = element("div", {}, element("p", { class: "progress" }, text("loading")));
  main.replaceChildren(page);
  if (moveFocus) {
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  if (isLocked) {
    document.title = `${text("signInTitle")} – Menagerie`;
    main.setAttribute("aria-label", text("signInTitle"));
    return signInPage(page, greet);
  }
  try {
    await render[name](page, id);
  } catch (problem) {
    page.replaceChildren(problemBox(problem, () => show(true)));
  }
}

/** Shows the page to whoever the service says we are. */
function greet({ key_required: keyRequired, name }) {
  const wasLocked = isLocked;
  isLocked = keyRequired && !name;
  signOut.hidden = !name;
  if (isLocked !== wasLocked) show(wasLocked);
}

signOut.addEventListener("click", async () => {
  await api.signOut().catch(() => {});
  // What was seen with the key goes with it.
  location.reload();
});
addEventListener("keyrequired", () => greet({ key_required: true }));

const chooser = document.getElementById("language");
chooser.value = language();
chooser.addEventListener("change", () => {
  setLanguage(chooser.value);
  show(false);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
receivePhotos((files) => {
  if (isLocked) return;
  if (address()[0] !== "scan") location.hash = "scan";
  scanPhotos(files);
});
addEventListener("hashchange", () => show(true));
translatePage();
show(false);
// A server that cannot be reached says so when it is asked for something.
api.session().then(greet, () => {});
