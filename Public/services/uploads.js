// The photos on their way to the service: two at a time, with progress, cancel and retry. Those that find no server wait
// and are sent by themselves once it answers again, also after the page was loaded anew.

import { language, text } from "../languages/language.js";
import { query } from "./api.js";
import { asProblem, Problem, unreachable } from "./problem.js";
import { transfer } from "./transfer.js";
import { forgetPhotos, keepPhotos, keptPhotos } from "./waiting.js";

const atOnce = 2;
const secondsBetweenAttempts = 8;

/** Tells of every change with a `change` event. */
export const changes = new EventTarget();
export const uploads = [];

let timer = null;

const changed = () => changes.dispatchEvent(new Event("change"));

/** Random, also where `crypto.randomUUID` is missing, as without HTTPS. */
const randomName = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * One photo, or several of the same animal that get one answer.
 *
 * `state`: `waiting`, `sending`, `looking`, `done`, `failed`, `offline` (waits for the server).
 */
class Upload {
  state = "waiting";
  fraction = 0;
  scan = null;
  problem = null;
  /** Sent again after a broken connection, it is saved once only. */
  key = randomName();
  controller = null;
  /** Whether this browser keeps its photos until they are sent. */
  isKept = false;
  /** Whether its answer led the person to the result, which happens once. */
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

/** Sends photos; `together`: they show the same animal. What was over before leaves the list. Answers the new ones. */
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
  // Views that still show it keep the picture they have loaded. Only its address waits here, not the answer.
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

/** A folder, or a file that went away, is told before anything is sent. */
async function readable(files) {
  try {
    for (const file of files) await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new Problem(text("unreadable"));
  }
}

async function classify(upload) {
  const { controller } = upload;
  // The module is asked for where it may be of use only.
  const sent = upload.bytes > 1_500_000 && navigator.connection
    ? await Promise.all(upload.files.map(async (file) => (await import("./shrink.js")).shrunk(file))) : upload.files.map((file) => ({ file }));
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

function waitForServer() {
  timer ??= setTimeout(() => {
    timer = null;
    sendWaiting();
  }, secondsBetweenAttempts * 1000);
}

function sendWaiting() {
  for (const upload of uploads.filter(({ state }) => state === "offline")) upload.state = "waiting";
  next();
}

/** Takes up the photos that waited when the page was left, and sends them. */
export async function takeUpWaiting() {
  for (const { key, files } of await keptPhotos()) {
    if (uploads.some((upload) => upload.key === key)) continue;
    uploads.push(Object.assign(new Upload(files), { key, state: "offline", isKept: true, problem: unreachable() }));
  }
  if (uploads.some(({ state }) => state === "offline")) sendWaiting();
}

addEventListener("online", sendWaiting);
