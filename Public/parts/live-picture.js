// The camera with what the service sees in it: boxes, names at the animals, and labels pinned by a tap.

import { language, number, percent, text } from "../languages/language.js";
import { query } from "../services/api.js";
import { asProblem, Problem, problemFrom } from "../services/problem.js";
import { LiveSocket } from "../services/socket.js";
import { certainty, certaintyWords } from "./certainty.js";
import { cameras, frameGrabber, startCamera, stopCamera } from "./camera.js";
import { announce, button, element, problemBox, style } from "./dom.js";
import { icon } from "./icons.js";
import { mascot } from "./mascot.js";
import { overlaid } from "./overlay.js";
import { toast } from "./toasts.js";

/**
 * `settings`: the query of `/live`; `received(message)`: each message besides; `changed(isRunning)`: called when the camera
 * starts or stops, by whatever cause; `above`: nodes laid over the picture;
 * `isForLaps`: whether what the whole picture shows is of no interest, and is neither said nor kept.
 */
export async function livePicture({ settings = {}, received = () => {}, changed = () => {}, above = [], isForLaps = false } = {}) {
  await style("live");
  const video = element("video", { muted: true, playsinline: true, "aria-label": text("livePicture") });
  video.muted = true;
  const pins = element("div", { class: "pins" });
  const stage = overlaid(video, pins, ...above);
  stage.frame.classList.add("stage");
  stage.frame.hidden = true;
  const idle = element("div", { class: "live-idle" }, mascot());
  const answer = element("p", { class: "live-answer" }, "");
  const rate = element("p", { class: "quiet rate" });
  const notice = element("div");
  const grab = frameGrabber(video);
  const state = { stream: null, socket: null, isStarting: false, isFrozen: false, taps: new Map(), times: [], spoken: "" };

  const start = button([icon("live"), text("liveStart")], () => begin(), { class: "primary" });
  const freeze = button([icon("freeze"), element("span", {}, text("liveFreeze"))], () => setFrozen(!state.isFrozen), { hidden: true, "aria-pressed": "false" });
  const keep = button([icon("check"), text("liveKeep")], () => state.socket?.send({ type: "keep" }), { hidden: true });
  const stop = button([icon("cross"), text(isForLaps ? "liveStopCamera" : "liveStop")], () => end(), { hidden: true });
  const choice = element("select", { id: "camera-choice", onchange: () => begin(choice.value) });
  const choiceField = element("label", { class: "camera-choice", for: "camera-choice", hidden: true }, text("cameraChoice"), choice);

  const whileRunning = isForLaps ? [stop] : [freeze, keep, stop];
  const running = (isRunning) => {
    const hadFocus = [start, ...whileRunning].includes(document.activeElement);
    start.hidden = isRunning;
    for (const node of whileRunning) node.hidden = !isRunning;
    stage.frame.hidden = !isRunning;
    idle.hidden = isRunning;
    if (hadFocus) (isRunning ? whileRunning[0] : start).focus({ preventScroll: true });
  };

  async function begin(device) {
    // Not disabled meanwhile: that would take the focus away.
    if (state.isStarting) return;
    end();
    notice.replaceChildren();
    state.isStarting = true;
    try {
      state.stream = await startCamera(video, device);
      running(true);
      await offerCameras();
      answer.textContent = text("liveWaiting");
      state.socket = new LiveSocket(query({ lang: language(), ...settings }), {
        nextFrame: () => (state.isFrozen ? Promise.resolve(null) : grab()), receive, ended,
      });
      // A camera that is unplugged, or that the phone takes for something else.
      state.stream.getVideoTracks()[0].addEventListener("ended", () => ended(true));
      changed(true);
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), () => begin(device)));
      end();
    }
    state.isStarting = false;
  }

  async function offerCameras() {
    const all = await cameras();
    choiceField.hidden = all.length < 2;
    const current = state.stream.getVideoTracks()[0].getSettings().deviceId;
    choice.replaceChildren(...all.map(({ deviceId, label }, index) =>
      element("option", { value: deviceId, selected: deviceId === current }, label || `${text("cameraChoice")} ${index + 1}`)));
  }

  function ended(wasOpen) {
    if (!state.stream) return;
    end();
    const problem = wasOpen ? new Problem(text("liveEnded"), { retryable: true }) : new Problem(text("notHere"), { retryable: true });
    notice.replaceChildren(problemBox(problem, () => begin()));
  }

  function end() {
    const { socket, stream } = state;
    Object.assign(state, { socket: null, stream: null, times: [] });
    socket?.stop();
    stopCamera(stream);
    video.srcObject = null;
    state.taps.clear();
    pins.replaceChildren();
    stage.show([]);
    answer.textContent = rate.textContent = "";
    setFrozen(false);
    running(false);
    if (stream) changed(false);
  }

  function setFrozen(isFrozen) {
    state.isFrozen = isFrozen;
    freeze.setAttribute("aria-pressed", String(isFrozen));
    freeze.querySelector("svg").replaceWith(icon(isFrozen ? "play" : "freeze"));
    freeze.querySelector("span").textContent = text(isFrozen ? "liveGoOn" : "liveFreeze");
    if (isFrozen) video.pause();
    else if (state.stream) video.play();
  }

  function receive(message) {
    if (!state.stream) return;
    if (message.type === "answer") show(message);
    else if (message.type === "label") pin(message);
    else if (message.type === "kept") toast(text("liveKept"), { isOfView: true, link: { href: `#scan/${message.id}`, words: text("liveOpenKept") } });
    else if (message.type === "problem") notice.replaceChildren(problemBox(problemFrom(message, message.status)));
    received(message);
  }

  function show(message) {
    // What is pinned bears its name already.
    stage.show(message.boxes ?? [], new Set([...state.taps.values()].map(({ track }) => track ?? null)));
    for (const tap of state.taps.values()) follow(tap, message.boxes ?? []);
    const best = message.stable ?? (message.abstained ? null : message.predictions?.[0]);
    answer.textContent = best ? `${certaintyWords(best)}: ${best.name}, ${percent(Math.min(best.confidence, 0.999), 0)}` : text("liveNothing");
    const now = performance.now();
    state.times = [...state.times.filter((time) => now - time < 2000), now];
    rate.textContent = text("liveRate", { n: number(state.times.length / 2, { maximumFractionDigits: 0 }) });
    // Read aloud when it becomes another animal, not with each frame.
    if (!isForLaps && message.stable && message.stable.name !== state.spoken) {
      state.spoken = message.stable.name;
      announce(message.stable.name);
    }
  }

  function pin(message) {
    const names = message.names ?? { en: message.name };
    const isSure = ["strong", "fair"].includes(certainty(message));
    const words = (name) => (isSure ? name : `${name}?`);
    const label = element("div", { class: "pin" }, element("strong", { lang: "en" }, words(names.en ?? message.name)),
      names.fi && names.fi !== names.en ? element("span", { lang: "fi" }, words(names.fi)) : null);
    state.taps.get(message.id)?.label.remove();
    const tap = { label, track: message.track, x: message.x, y: message.y };
    state.taps.set(message.id, tap);
    pins.append(label);
    follow(tap, []);
    announce(Object.values(names).join(", "));
  }

  function follow(tap, boxes) {
    const box = tap.track === null || tap.track === undefined ? null : boxes.find(({ track }) => track === tap.track);
    if (box) Object.assign(tap, { x: box.x + box.width / 2, y: box.y });
    tap.label.style.left = `${tap.x * 100}%`;
    tap.label.style.top = `${tap.y * 100}%`;
  }

  let taps = 0;
  stage.frame.addEventListener("click", (event) => {
    if (event.target.closest("button, [role=slider]")) return;
    const room = stage.frame.getBoundingClientRect();
    if (state.taps.size >= 6) {
      const [oldest] = state.taps.keys();
      state.taps.get(oldest).label.remove();
      state.taps.delete(oldest);
    }
    taps += 1;
    state.socket?.send({ type: "tap", id: `t${taps}`, x: (event.clientX - room.left) / room.width, y: (event.clientY - room.top) / room.height });
  });
  return {
    element: element("div", { class: "live" }, notice, idle, stage.frame, isForLaps ? null : answer, rate,
      element("div", { class: "actions" }, start, whileRunning, choiceField)),
    dispose: end,
  };
}
