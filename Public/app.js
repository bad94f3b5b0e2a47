// Starts the page: the frame around the views, and what holds in each of them.

import * as api from "./services/api.js";
import { addPhotos, takeUpWaiting } from "./services/uploads.js";
import { receivePhotos } from "./parts/intake.js";
import { applyAppearance } from "./services/store.js";
import { language, setLanguage, text, translatePage } from "./languages/language.js";
import { address, go, interrupt, refresh, showAddress, startRouter } from "./router.js";
import { may, setCaller } from "./services/api.js";

const main = document.getElementById("main");
/** Whether the service asks for a key and has none of ours. */
let isLocked = false;

/** Shows the page to whoever the service says we are. */
async function greet(caller) {
  setCaller(caller);
  const wasLocked = isLocked;
  isLocked = caller.key_required && !caller.name;
  if (isLocked) return askForKey();
  if (wasLocked || caller.role === "reader") await refresh();
  await takeUpWaiting();
}

async function askForKey({ anew = false } = {}) {
  const { signInForm } = await import("./views/sign-in.js");
  // Several calls may have been refused at once: what is typed already stays.
  if (!anew && document.querySelector(".sign-in")) return;
  const form = signInForm(greet);
  interrupt(text("signInTitle"), form.element);
  form.focus();
}

const chooser = document.getElementById("language");
chooser.value = language();
chooser.addEventListener("change", async () => {
  await setLanguage(chooser.value);
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
startRouter();
// A code that the service printed brings the key along in the fragment, which no server is sent.
const given = /^#key=(.+)$/.exec(location.hash)?.[1];
if (given) history.replaceState(null, "", "#scan");
showAddress();
// A server that cannot be reached says so when it is asked for something.
(given ? api.signIn(decodeURIComponent(given)).catch(() => api.session()) : api.session()).then(greet, takeUpWaiting);
// Only where the browser allows it: over HTTPS or on this machine. Its address names the version: nothing is asked for again.
navigator.serviceWorker?.register(new URL("sw.js", import.meta.url), { scope: "/", updateViaCache: "all" }).catch(() => {});
