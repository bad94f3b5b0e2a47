// Takes training photos with the camera. The camera records while a button is held. It turns off when nobody has recorded for a while.

import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { frameGrabber, startCamera, stopCamera } from "./camera.js";
import { announce, button, element, problemBox } from "./dom.js";
import { icon } from "./icons.js";

const millisecondsBetweenPhotos = 150;
const patience = 60_000;

export function webcam() {
  const video = element("video", { muted: true, playsinline: true, "aria-label": text("livePicture") });
  video.muted = true;
  const notice = element("div");
  const hint = element("p", { class: "quiet", hidden: true }, text("recordHint"));
  const node = element("div", { class: "recorder", hidden: true }, video, hint);
  const grab = frameGrabber(video);
  let stream = null;
  let starting = null;
  let idle = null;

  async function start() {
    clearTimeout(idle);
    notice.replaceChildren();
    try {
      // A second press while the camera starts waits for the same stream.
      stream ??= await (starting ??= startCamera(video).finally(() => { starting = null; }));
      if (!node.isConnected) return stop();
      node.hidden = false;
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error)));
    }
  }
  function stop() {
    clearTimeout(idle);
    stopCamera(stream);
    stream = video.srcObject = null;
    node.hidden = true;
  }

  /** A button that records while the pointer or a key holds it. `take(file)`: called with each photo. `name()`: the name of the class. */
  function recordButton(take, name) {
    /** The press that holds the button, or null. */
    let held = null;
    hint.hidden = false;
    const record = button([icon("camera"), text("record")], () => {}, { class: "record", "aria-label": text("recordHint") });
    const hold = async (event) => {
      if (event.type === "keydown" && (event.repeat || ![" ", "Enter"].includes(event.key))) return;
      event.preventDefault();
      record.focus({ preventScroll: true });
      // The camera's picture appears above the button and moves it. The capture keeps the pointer on the button.
      if (event.pointerId !== undefined) record.setPointerCapture(event.pointerId);
      held = event;
      await start();
      if (!node.isConnected) return;
      record.classList.toggle("on", held === event && Boolean(stream));
      let count = 0;
      while (held === event && stream) {
        const frame = await grab();
        if (frame && held === event) {
          count += 1;
          take(new File([frame.picture], `${name() || "photo"}-${Date.now()}.jpg`, { type: "image/jpeg" }));
        }
        await new Promise((resolve) => { setTimeout(resolve, millisecondsBetweenPhotos); });
      }
      announce(text("trainingPhotoCount", { n: count }));
      if (held) return;
      clearTimeout(idle);
      idle = setTimeout(stop, patience);
    };
    const release = () => {
      held = null;
      record.classList.remove("on");
    };
    record.addEventListener("pointerdown", hold);
    record.addEventListener("keydown", hold);
    for (const type of ["pointerup", "pointercancel", "keyup", "blur"]) record.addEventListener(type, release);
    return record;
  }
  return { element: element("div", {}, notice, node), recordButton, grab, start, stop, dispose: stop, get isOn() { return stream !== null; } };
}
