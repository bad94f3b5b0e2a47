// The part of the service's HTTP interface that the page uses.

import { language } from "../languages/language.js";
import { problemFrom, unreachable } from "./problem.js";

/** The caller: `{ key_required, name?, role? }`. */
let current = { key_required: false };

export const setCaller = (caller) => { current = caller; };

export const caller = () => current;

/** Whether the caller has at least `role`. Always true without keys. */
export function may(role) {
  const roles = ["reader", "user", "admin"];
  return !current.key_required || roles.indexOf(current.role) >= roles.indexOf(role);
}

/** Sends a request. Throws a `Problem` if it fails, and an `AbortError` if it is cancelled. */
export async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  if (body?.type === "/problems/key-required") dispatchEvent(new Event("keyrequired"));
  throw problemFrom(body, response.status);
}

/** Milliseconds after which a server that hangs counts as out of reach. No list takes that long. */
const PATIENCE = 30_000;

/** The answer, an object. Only what changes nothing may be given up: a change may be made all the same. */
export function json(path, options = {}) {
  const answer = read(path, options);
  if (options.method) return answer;
  return Promise.race([answer, new Promise((_, reject) => setTimeout(() => reject(unreachable()), PATIENCE))]);
}

async function read(path, options) {
  const response = await call(path, options);
  const answer = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
  });
  // A proxy's page, or anything else that is not the service's.
  if (!answer || typeof answer !== "object") throw unreachable();
  return answer;
}

export const send = (method, path, body) =>
  json(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** A query string without empty, null and false values. A list repeats its key. */
export function query(values) {
  const pairs = Object.entries(values)
    .flatMap(([key, value]) => (Array.isArray(value) ? value : [value]).map((each) => [key, each]))
    .filter(([, value]) => value !== undefined && value !== "" && value !== null && value !== false);
  return new URLSearchParams(pairs).toString();
}

const spoken = (values = {}) => query({ ...values, lang: language() });
export const segment = encodeURIComponent;

// Photos

/** Finds the animals and objects in a photo: `boxes`. */
export const detect = (photo, signal) =>
  json(`/detect?${spoken()}`, {
    method: "POST", body: photo, signal, headers: { "Content-Type": photo.type || "application/octet-stream" },
  });

// Encyclopaedia

export const breeds = (filters, signal) => json(`/breeds?${spoken(filters)}`, { signal });

export const breed = (id, signal) => json(`/breeds/${segment(id)}?${spoken()}`, { signal });

/** The filter of scans that surely show a breed or species, which the collection counts too. */
export const surely = (label) => ({ label, abstained: "false" });

/** A page of the person's scans of a breed. */
export const ownScans = (id, cursor) => json(`/history?${spoken({ ...surely(id), limit: 12, cursor })}`);

/** A page of photos of a breed: `{ message, total, next_cursor }`. */
export const breedPhotos = (id, values, signal) => json(`/breeds/${segment(id)}/photos?${query(values)}`, { signal });

export const favourites = (cursor) => json(`/favourites?${spoken({ limit: 100, cursor })}`);

export const setFavourite = (id, isFavourite) =>
  call(`/breeds/${segment(id)}/favourite`, { method: isFavourite ? "PUT" : "DELETE" });

export const collection = (values) => json(`/collection?${spoken(values)}`);

// History

export const history = (filters, signal) => json(`/history?${spoken(filters)}`, { signal });

/** The named individuals. Empty if the request fails. */
export const individuals = async () => (await json("/individuals").catch(() => ({ items: [] }))).items;

export const scan = (id, signal) => json(`/history/${segment(id)}?${spoken()}`, { signal });

export const updateScan = (id, change) => send("PATCH", `/history/${segment(id)}?${spoken()}`, change);

/** Deletes `path`. Resolves with a list of the paths that undo it: one or none. */
async function remove(path) {
  const response = await call(path, { method: "DELETE" });
  const [, target] = /<(\/[^>]*)>\s*;\s*rel="?undo"?/.exec(response.headers.get("Link") ?? "") ?? [];
  return target ? [target] : [];
}

/** `ids`: at most 100, which surely fit into one address. */
export const deleteScans = (ids) => remove(`/history?${query({ id: ids })}`);

export const deleteAllScans = () => remove("/history");

export const undoDeletion = (paths) => Promise.all(paths.map((path) => call(path, { method: "POST" })));

// Session

/** Asks whether a key is required and who is signed in. */
export const session = () => json("/session");

export const signIn = (key) => send("POST", "/session", { key });

export const signOut = () => call("/session", { method: "DELETE" });

// Models

export const models = () => json("/models");

export const model = (name) => json(`/models/${segment(name)}`);

// Laps, videos and trainings

/** Asks for names in the person's language. Trainings have none. */
const words = (kind) => (kind === "training" ? "" : `?${spoken()}`);

export const list = (kind, values = {}) => json(`/${kind}?${kind.startsWith("laps") ? spoken(values) : query(values)}`);

export const item = (kind, id, part = "") => json(`/${kind}/${segment(id)}${part}${words(kind)}`);

export const create = (kind, body) => send("POST", `/${kind}${kind === "laps" ? words(kind) : ""}`, body);

export const replace = (kind, id, part, body) => send("PUT", `/${kind}/${segment(id)}/${part}${words(kind)}`, body);

/** What was deleted already, for example in another tab, is no problem. */
export const discard = (kind, id, part = "") => call(`/${kind}/${segment(id)}${part}`, { method: "DELETE" })
  .catch((error) => { if (error.status !== 404 || part) throw error; });
