// The live camera picture with the service's answers: names at the animals, a sentence, and labels that a tap pins.

import { language, number, text } from "../languages/language.js";
import { query, session } from "../services/api.js";
import { asProblem, Problem, problemFrom } from "../services/problem.js";
import { LiveSocket } from "../services/socket.js";
import { animalsIn, headline, isLifeless } from "./animals.js";
import { certaintyWords } from "./certainty.js";
import { cameras, frameGrabber, startCamera, stopCamera } from "./camera.js";
import { announce, button, element, problemBox, style } from "./dom.js";
import { icon } from "./icons.js";
import { keepsTaps, liveFigures } from "./live-figures.js";
import { mascot } from "./mascot.js";
import { overlaid } from "./overlay.js";
import { Pins } from "./pins.js";
import { toast } from "./toasts.js";

/** Converts a live answer to the form of a still photo's answer. `stable`, the name that several frames agree on, comes first. */
const asStill = ({ stable, predictions = [], abstained, ...message }) => ({
  ...message, abstained: stable ? false : abstained,
  head: stable?.head ?? message.head, predictions: stable ? [stable, ...predictions.filter(({ label }) => label !== stable.label)] : predictions,
});

/**
 * `settings`: query parameters of `/live`; the returned `change` replaces some of them at any time. `received(message)`: called with
 * the service's messages. `changed(isRunning)`: called when the camera starts or stops. `above`: nodes over the picture.
 * `pointed(x, y)`: called for a tap, in fractions of the picture. If it returns true, the tap pins no name.
 * `isForLaps`: for a lap timer. The picture then has names at all boxes and no answer about the whole picture.
 */
export async function livePicture({ settings = {}, received = () => {}, changed = () => {}, above = [], pointed = () => false, isForLaps = false } = {}) {
  await style("live");
  const video = element("video", { muted: true, playsinline: true });
  video.muted = true;
  const state = { stream: null, socket: null, isStarting: false, isFrozen: false, times: [], spoken: "" };
  const pins = new Pins((message) => state.socket?.send(message));
  const stage = overlaid(video, pins.element, ...above);
  stage.frame.classList.add("stage");
  // The frame needs the aspect ratio of the video. Otherwise names and taps would miss their animals.
  video.addEventListener("resize", () => stage.frame.style.setProperty("--ratio", video.videoWidth / video.videoHeight || 1.5));
  stage.frame.hidden = true;
  const idle = element("div", { class: "live-idle" }, mascot());
  const answer = element("p", { class: "live-answer" }, "");
  const rate = element("p", { class: "quiet rate" });
  const notice = element("div");
  const grab = frameGrabber(video);
  const figures = isForLaps ? null : liveFigures(video, (model) => state.socket?.send({ type: "settings", model }));

  const control = (symbol, onclick, attributes = {}) => button([icon(symbol), element("span")], onclick, { hidden: true, ...attributes });
  const start = control("live", () => begin(), { class: "primary", hidden: false });
  const freeze = control("freeze", () => setFrozen(!state.isFrozen), { "aria-pressed": "false" });
  const keep = control("check", () => state.socket?.send({ type: "keep" }), { class: "primary keep" });
  const stop = control("cross", () => end());
  const choice = element("select", { id: "camera-choice", onchange: () => begin(choice.value) });
  const choiceField = element("label", { class: "camera-choice", for: "camera-choice", hidden: true }, element("span"), choice);
  /** Sets all texts. It runs again when the language changes, and the camera keeps running. */
  const translate = () => {
    const words = [[start, "liveStart"], [freeze, state.isFrozen ? "liveGoOn" : "liveFreeze"], [keep, "liveKeep"],
      [stop, isForLaps ? "liveStopCamera" : "liveStop"], [choiceField, "cameraChoice"]];
    for (const [node, name] of words) node.querySelector("span").textContent = text(name);
    video.setAttribute("aria-label", text("livePicture"));
    figures?.translate();
    state.socket?.send({ type: "settings", lang: language() });
  };
  translate();

  const whileRunning = isForLaps ? [stop] : [freeze, keep, stop];
  const running = (isRunning) => {
    const hadFocus = [start, ...whileRunning].includes(document.activeElement);
    start.hidden = isRunning;
    for (const node of whileRunning) node.hidden = !isRunning;
    stage.frame.hidden = !isRunning;
    idle.hidden = isRunning;
    node.classList.toggle("on", isRunning && !isForLaps);
    if (hadFocus) (isRunning ? whileRunning[0] : start).focus({ preventScroll: true });
  };

  async function begin(device) {
    // The start button is not disabled meanwhile, because a disabled button loses the focus.
    // The person may have left the view before its first frame.
    if (state.isStarting || !node.isConnected) return;
    end();
    notice.replaceChildren();
    state.isStarting = true;
    try {
      state.stream = await startCamera(video, device);
      if (!node.isConnected) return end();
      await offerCameras();
      running(true);
      answer.textContent = text("liveWaiting");
      figures?.begin();
      state.socket = new LiveSocket(query({ lang: language(), ...settings, ...(figures ? { top: 5, model: figures.model() } : {}) }), {
        nextFrame: () => (state.isFrozen ? Promise.resolve(null) : grab()), receive, ended,
      });
      // The track ends if the camera is unplugged or another app takes it.
      state.stream.getVideoTracks()[0].addEventListener("ended", () => ended(true));
      changed(true);
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), () => begin(device)));
      end();
    } finally {
      state.isStarting = false;
    }
  }

  async function offerCameras() {
    const all = await cameras();
    choiceField.hidden = all.length < 2;
    const current = state.stream.getVideoTracks()[0].getSettings().deviceId;
    choice.replaceChildren(...all.map(({ deviceId, label }, index) =>
      element("option", { value: deviceId, selected: deviceId === current }, label || `${text("cameraChoice")} ${index + 1}`)));
  }

  async function ended(wasOpen) {
    if (!state.stream) return;
    end();
    const tell = (problem) => notice.replaceChildren(problemBox(problem, () => begin()));
    tell(new Problem(text("liveEnded"), { retryable: true }));
    // A socket does not say why it was refused.
    try {
      const caller = await session();
      if (caller.key_required && !caller.name) dispatchEvent(new Event("keyrequired"));
      else if (caller.role === "reader") tell(new Problem(text("readerMay")));
      else if (!wasOpen) tell(new Problem(text("notHere"), { retryable: true }));
    } catch (error) {
      tell(asProblem(error));
    }
  }

  function end() {
    const { socket, stream } = state;
    Object.assign(state, { socket: null, stream: null, times: [] });
    socket?.stop();
    stopCamera(stream);
    video.srcObject = null;
    pins.clear();
    if (stream) figures?.end();
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
    else if (message.type === "label") tapped(message);
    else if (message.type === "kept") toast(text("liveKept"), { isOfView: true, link: { href: `#scan/${message.id}`, words: text("liveOpenKept") } });
    // Neither needs a message. The service dropped the tap already, or it times a frame by its arrival after a jump of the clock.
    else if (["/problems/not-found", "/problems/clock-step"].includes(message.problem)) return;
    else if (message.type === "problem") notice.replaceChildren(problemBox(problemFrom({ ...message, type: message.problem }, message.status)));
    received(message);
  }

  /** Handles the name of a tapped animal. If the person wants that, the history saves the animal once, as soon as it has a name. */
  function tapped(message) {
    const isNew = pins.pin(message);
    if (!isNew || isForLaps) return;
    figures.log.noted("tap", message);
    // The saved scan has the breed or species of the tapped animal. A note makes anything else that was tapped searchable.
    if (keepsTaps()) state.socket.send({ type: "keep", tap: message.id, ...(message.url ? {} : { note: message.name }) });
  }

  function show(message) {
    const boxes = message.boxes ?? [];
    pins.follow(boxes);
    const animals = isForLaps ? boxes.map((box) => ({ name: box.name, box })) : animalsIn(asStill(message));
    // The thing that a lap timer follows gets a box of its own.
    if (message.pointed) animals.push({ name: text("lapsPointed"), box: message.pointed });
    stage.show(animals, { unnamed: pins.tracks, isNamed: true });
    const now = performance.now();
    state.times = [...state.times.filter((time) => now - time < 2000), now];
    const perSecond = state.times.length / 2;
    rate.textContent = text("liveRate", { n: number(perSecond, { maximumFractionDigits: 0 }) });
    if (isForLaps) return;
    figures.log.answered(message, headline(animals));
    figures.show(message, perSecond);
    const [first] = animals;
    const isAlone = animals.length === 1;
    // A weak guess at a lifeless thing is not worth a message while the camera moves around.
    const isNothing = first.kind === "none" || (isLifeless(first) && first.level === "weak");
    const words = isNothing ? text("liveNothing") : isAlone ? `${first.name}. ${certaintyWords(first)}` : headline(animals);
    if (answer.textContent !== words) answer.textContent = words;
    // Screen readers hear only a change of animal, not every frame.
    if (!isNothing && (message.stable || !isAlone) && headline(animals) !== state.spoken) {
      state.spoken = headline(animals);
      announce(state.spoken);
    }
  }

  stage.frame.addEventListener("click", (event) => {
    if (event.target.closest("button, [role=slider]")) return;
    const room = stage.frame.getBoundingClientRect();
    const place = [(event.clientX - room.left) / room.width, (event.clientY - room.top) / room.height];
    if (!state.socket || !pointed(...place)) pins.tap(...place);
  });
  const node = element("div", { class: "live" }, notice, idle, stage.frame, figures?.element ?? null,
    element("div", { class: "live-below" }, isForLaps ? null : answer, element("div", { class: "actions" }, start, whileRunning, choiceField), rate));
  const change = (changed) => {
    Object.assign(settings, changed);
    state.socket?.send({ type: "settings", ...changed });
  };
  return { element: node, begin, translate, change, send: (message) => state.socket?.send(message), dispose: end };
}
