// Starts the page: the choice of language, the sign-in, photos that are dropped or pasted anywhere, and the router.

import * as api from "./services/api.js";
import { addPhotos, takeUpWaiting } from "./services/uploads.js";
import { receivePhotos } from "./parts/intake.js";
import { problemBox } from "./parts/dom.js";
import { applyAppearance } from "./services/store.js";
import { language, setLanguage, text, translatePage } from "./languages/language.js";
import { address, go, imported, interrupt, refresh, showAddress, startRouter } from "./router.js";
import { may, setCaller } from "./services/api.js";

const main = document.getElementById("main");
/** Whether the service requires a key and the person has not signed in. */
let isLocked = false;

/** Takes the answer of `/session`. Asks for a key if one is missing, or else sends what waits. */
async function greet(caller) {
  setCaller(caller);
  const wasLocked = isLocked;
  isLocked = caller.key_required && !caller.name;
  if (isLocked) return askForKey();
  if (wasLocked || !may("admin")) await refresh();
  if (wasLocked) main.focus({ preventScroll: true });
  await takeUpWaiting();
}

async function askForKey({ anew = false } = {}) {
  const { signInForm } = await import("./views/sign-in.js");
  // Several calls may be refused at once. A form that is already open keeps what the person typed.
  if (!anew && document.querySelector(".sign-in")) return;
  const form = signInForm(greet);
  interrupt(text("signInTitle"), form.element);
  form.focus();
}

const chooser = document.getElementById("language");
chooser.value = language();
chooser.addEventListener("change", async () => {
  try {
    await imported(setLanguage, chooser.value);
  } catch (problem) {
    chooser.value = language();
    return main.prepend(problemBox(problem));
  }
  await (isLocked ? askForKey({ anew: true }) : refresh());
  if (isLocked) chooser.focus();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("keyrequired", () => greet({ key_required: true }));
receivePhotos((files) => {
  if (isLocked || !may("user")) return;
  addPhotos(files);
  if (address().name !== "scan" || address().id) go("#scan");
});
applyAppearance();
translatePage();
// A key that is pasted into the address of an open page is taken as at its start.
addEventListener("hashchange", () => { if (location.hash.startsWith("#key=")) location.reload(); });
startRouter();
// The code that the service prints carries a key in the fragment, which browsers do not send.
const given = /^#key=(.+)$/.exec(location.hash)?.[1];
if (given) history.replaceState(null, "", "#scan");
showAddress();
// If the server cannot be reached, the page still starts. The next request reports the problem.
(given ? api.signIn(given).catch(() => api.session()) : api.session()).then(greet, takeUpWaiting);
// Browsers allow a worker over HTTPS or on localhost only.
navigator.serviceWorker?.register(new URL("sw.js", import.meta.url), { scope: "/", updateViaCache: "all" }).catch(() => {});
