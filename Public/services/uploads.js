// Sends photos, a few at a time. If the server cannot be reached, they wait until it answers,
// even after the page was reloaded.

import { language, text } from "../languages/language.js";
import { query } from "./api.js";
import { asProblem, Problem, unreachable } from "./problem.js";
import { transfer } from "./transfer.js";
import { forgetPhotos, keepPhotos, keptPhotos } from "./waiting.js";

const atOnce = 2;
const millisecondsBetweenAttempts = 8000;

/** Dispatches a `change` event after every change in `uploads`. */
export const changes = new EventTarget();
export const uploads = [];

let timer = null;

const changed = () => changes.dispatchEvent(new Event("change"));

/** 32 random hexadecimal digits. Without HTTPS, browsers have no `crypto.randomUUID`. */
const randomName = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * One photo, or several photos of the same animal that get one answer together.
 *
 * `state`: `waiting`, `sending`, `looking` (the service works), `done`, `failed` or `offline` (waits for the server).
 */
class Upload {
  state = "waiting";
  fraction = 0;
  scan = null;
  problem = null;
  /** The idempotency key. With it the service saves the scan once, even if the photo is sent twice. */
  key = randomName();
  controller = null;
  /** Whether the photos are stored in this browser until they are sent. */
  isKept = false;
  /** Whether the page has already opened the result. It does so only once. */
  wasShown = false;
  language = language();

  constructor(files) {
    this.files = files;
    this.name = files.length === 1 ? files[0].name : text("photosOfOne", { n: files.length });
    this.preview = URL.createObjectURL(files[0]);
    this.bytes = files.reduce((sum, file) => sum + file.size, 0);
  }

  get isOver() {
    return this.state === "done" || this.state === "failed";
  }
}

/** Sends photos and returns the new uploads. Removes finished uploads first. `together`: all show the same animal. */
export function addPhotos(files, { together = false } = {}) {
  if (files.length === 0) return [];
  for (const old of uploads.filter((upload) => upload.isOver)) forget(old);
  const added = (together ? [files] : files.map((file) => [file])).map((group) => new Upload(group));
  uploads.push(...added);
  next();
  return added;
}

function forget(upload) {
  const { key, preview } = upload;
  upload.controller?.abort();
  if (upload.isKept) forgetPhotos(key);
  uploads.splice(uploads.indexOf(upload), 1);
  // A view may still load the preview. The timer keeps the address, not the upload.
  setTimeout(() => URL.revokeObjectURL(preview), 60_000);
}

export function cancel(upload) {
  forget(upload);
  next();
}

export function retry(upload) {
  Object.assign(upload, { state: "waiting", problem: null, fraction: 0 });
  next();
}

export const uploadOf = (id) => uploads.find((upload) => upload.scan?.id === id);

function next() {
  const busy = uploads.filter((upload) => upload.state === "sending" || upload.state === "looking").length;
  for (const upload of uploads.filter(({ state }) => state === "waiting").slice(0, Math.max(0, atOnce - busy))) start(upload);
  changed();
}

async function start(upload) {
  upload.state = "sending";
  upload.controller = new AbortController();
  try {
    await readable(upload.files);
    upload.scan = await classify(upload);
    upload.state = "done";
  } catch (error) {
    if (error.name === "AbortError") return;
    upload.problem = asProblem(error);
    upload.state = upload.problem.type === "unreachable" ? "offline" : "failed";
    if (upload.state === "offline") {
      waitForServer();
      if (!upload.isKept) keepPhotos(upload.key, upload.files);
      upload.isKept = true;
    }
  }
  if (upload.isOver && upload.isKept) {
    forgetPhotos(upload.key);
    upload.isKept = false;
  }
  next();
}

/** Throws a `Problem` if a file cannot be read: it is a folder, or it was deleted. */
async function readable(files) {
  try {
    for (const file of files) await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new Problem(text("unreadable"));
  }
}

async function classify(upload) {
  const { controller } = upload;
  // Needed only for large uploads in browsers that tell the speed of the connection.
  const sent = upload.bytes > 1_500_000 && navigator.connection
    ? await Promise.all(upload.files.map((file) => import("./shrink.js").then(({ shrunk }) => shrunk(file), () => ({ file })))) : upload.files.map((file) => ({ file }));
  const files = sent.map(({ file }) => file);
  let body = files[0];
  const headers = { "Idempotency-Key": upload.key };
  if (files.length > 1) {
    body = new FormData();
    for (const file of files) body.append("image", file, file.name);
  } else {
    headers["Content-Type"] = body.type.startsWith("image/") ? body.type : "application/octet-stream";
  }
  upload.language = language();
  const about = files.length > 1 ? { fuse: true } : { animals: "auto", heads: "kinds,presence", top: 5 };
  return transfer("POST", `/classify?${query({ lang: language(), original: sent[0].original, ...about })}`, body, {
    headers, signal: controller.signal,
    onProgress(fraction) {
      upload.fraction = fraction;
      upload.state = fraction < 1 ? "sending" : "looking";
      changed();
    },
  });
}

/** A photo is sent again only once the server answers, so that its error is not read aloud at each attempt. */
function waitForServer() {
  timer ??= setTimeout(async () => {
    timer = null;
    const { ok } = await fetch("/livez", { signal: AbortSignal.timeout(millisecondsBetweenAttempts) }).catch(() => ({}));
    if (ok) sendWaiting();
    else if (uploads.some(({ state }) => state === "offline")) waitForServer();
  }, millisecondsBetweenAttempts);
}

function sendWaiting() {
  for (const upload of uploads.filter(({ state }) => state === "offline")) upload.state = "waiting";
  next();
}

/** Sends the photos that were still waiting when the page was closed, and those that the service refused without a key. */
export async function takeUpWaiting() {
  for (const upload of uploads.filter(({ problem }) => problem?.type === "/problems/key-required")) retry(upload);
  for (const { key, files } of await keptPhotos()) {
    if (uploads.some((upload) => upload.key === key)) continue;
    uploads.push(Object.assign(new Upload(files), { key, state: "offline", isKept: true, problem: unreachable() }));
  }
  if (uploads.some(({ state }) => state === "offline")) sendWaiting();
}

addEventListener("online", sendWaiting);
