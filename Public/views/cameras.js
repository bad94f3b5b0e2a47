// The cameras that the service watches: the current picture, the state and the last sighting of each.

import * as administration from "../services/administration.js";
import * as api from "../services/api.js";
import { formatTime, hasText, text } from "../languages/language.js";
import { may } from "../services/api.js";
import { asProblem } from "../services/problem.js";
import { askForCamera } from "../parts/camera-form.js";
import { command } from "../parts/command.js";
import { announce, button, confirmed, element, problemBox, style } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { redraw } from "../parts/redraw.js";
import { toast } from "../parts/toasts.js";

const millisecondsBetweenLooks = 4000;

export async function render({ signal }) {
  await style("cameras");
  const title = text("cameras");
  const head = [element("h1", {}, title), element("p", { class: "lead" }, text("camerasText"))];
  if (!may("admin")) return { title, element: element("div", {}, head, element("p", { class: "quiet" }, text("needsAdmin"))) };
  const { items, enabled } = await administration.cameras(signal);
  if (!enabled) {
    return { title, element: element("div", {}, head, element("p", {}, text("camerasOff")),
      command("menagerie serve --set cameras.enabled=true", title)) };
  }
  const list = element("ul", { class: "cards cameras" });
  const none = element("p", { class: "quiet" }, text("camerasNone"));
  const notice = element("div");
  const outage = element("div");
  const add = button([icon("camera"), text("cameraNew")], () => change(null), { class: "primary" });
  const shown = new Map();
  const show = async (cameras) => {
    if (!cameras) return;
    none.hidden = cameras.length > 0;
    for (const [id, card] of shown) if (!cameras.some((camera) => camera.id === id)) forget(id, card);
    for (const camera of cameras) {
      if (!shown.has(camera.id)) {
        shown.set(camera.id, cameraCard(change, remove));
        list.append(shown.get(camera.id).element);
      }
    }
    await Promise.all(cameras.map((camera) => shown.get(camera.id).show(camera)));
  };
  const forget = (id, card) => {
    const hadFocus = card.element.contains(document.activeElement);
    card.dispose();
    card.element.remove();
    shown.delete(id);
    if (hadFocus) add.focus();
  };
  let asked = 0;
  /** The cameras, or null if they were asked for again meanwhile. An older answer may have a camera that was removed since. */
  const look = async () => {
    const mine = asked += 1;
    const { items: latest } = await administration.cameras(signal);
    return mine === asked ? latest : null;
  };
  const attempt = async (action) => {
    notice.replaceChildren();
    try {
      await action();
      show(await look());
    } catch (error) {
      if (error.name !== "AbortError") notice.replaceChildren(problemBox(asProblem(error)));
    }
  };
  const change = (camera, picture) => attempt(async () => {
    const saved = await askForCamera(camera, picture);
    if (saved) announce(text("saved"));
  });
  const remove = (camera) => attempt(async () => {
    if (!(await confirmed(text("cameraRemoveQuestion", { name: camera.name })))) return;
    await administration.removeCamera(camera.id);
    toast(text("cameraRemoved", { name: camera.name }));
  });
  let timer;
  // The next request follows after the same time, also on one that fails or is slow.
  const lookOn = () => { if (!signal.aborted) timer = setTimeout(() => look().then(show).then(() => outage.replaceChildren(), tell).then(lookOn), millisecondsBetweenLooks); };
  /** Without the service the pictures are old. This is said once, until it answers again. */
  const tell = (error) => { if (!outage.firstChild) outage.append(problemBox(asProblem(error))); };
  show(items).then(lookOn);
  return {
    title,
    element: element("div", {}, head,
      element("div", { class: "actions" }, add),
      outage, notice, none, list),
    dispose() {
      clearTimeout(timer);
      for (const [id, card] of shown) forget(id, card);
    },
  };
}

/** A card that stays in the list as long as its camera. A new picture does not move the layout. */
function cameraCard(change, remove) {
  const picture = element("img", { class: "camera-picture", width: 640, height: 360, hidden: true });
  const waiting = element("p", { class: "camera-picture quiet" }, text("cameraNoPicture"));
  const words = element("div");
  const node = element("li", {}, picture, waiting, words);
  let address = "";
  const showPicture = (bytes) => {
    if (!node.isConnected) return;
    URL.revokeObjectURL(address);
    address = picture.src = URL.createObjectURL(bytes);
    picture.hidden = false;
    waiting.hidden = true;
  };
  return {
    element: node,
    async show(camera) {
      picture.alt = text("cameraPicture", { name: camera.name });
      if (camera.counts.pictures > 0) await api.call(camera.picture_url, { signal: AbortSignal.timeout(30_000) }).then((answer) => answer.blob()).then(showPicture, () => {});
      const { last, total } = await administration.lastSighting(camera.id).catch(() => ({}));
      redraw(words, ...[
        element("h2", {}, camera.name),
        element("p", {}, element("span", { class: `state ${{ watching: "done", away: "failed" }[camera.state] ?? ""}` }, text(`camera.${camera.state}`)), " ",
          element("span", { class: "quiet" }, camera.address)),
        camera.problem ? element("p", { class: "quiet", lang: "en" }, camera.problem) : null,
        last ? await lastOne(last, total) : element("p", { class: "quiet" }, text("cameraNobody")),
        element("div", { class: "actions" },
          button(text("cameraChange"), () => change(camera, address), { "aria-label": text("cameraChangeThis", { name: camera.name }) }),
          button([icon("bin"), text("delete")], () => remove(camera), { class: "danger", "aria-label": text("cameraRemoveThis", { name: camera.name }) })),
      ].filter(Boolean));
    },
    dispose: () => URL.revokeObjectURL(address),
  };
}

/** The name of what the camera saw, in the person's language. An animal's own name is not translated. */
async function nameOf({ individual, breed, label, name }) {
  if (individual) return name;
  if (breed) return (await api.breed(breed.label).catch(() => ({ name }))).name;
  return hasText(`one.${label}`) ? text(`one.${label}`) : name;
}

async function lastOne(last, total) {
  const words = text("cameraLast", { name: await nameOf(last) });
  const inside = [
    element("img", { src: last.picture_url, alt: "", width: 96, height: 96 }),
    element("span", {}, element("strong", {}, words), element("br"),
      element("time", { class: "quiet", datetime: last.last_seen }, formatTime(last.last_seen)), "\u00a0· ", element("span", { class: "quiet" }, text("cameraSightings", { n: total }))),
  ];
  return last.scan_url ? element("a", { class: "last-sighting", href: `#scan/${last.scan_url.split("/").pop()}` }, inside) : element("div", { class: "last-sighting" }, inside);
}
