// The HTTP interface of the service, as far as the page uses it.

import { language, text } from "./language.js";

/** What the server says went wrong (RFC 9457), in words for the person at the page. */
export class Problem extends Error {
  /** `retryable`: the same request may work later, as when the server is down or busy. */
  constructor(message, retryable = false) {
    super(message);
    this.retryable = retryable;
  }
}

/** What is said in the page's own words: those who read it may not read English. */
const words = {
  "/problems/key-required": "keyRequired", "/problems/key-unknown": "keyUnknown", "/problems/role-required": "roleRequired",
  "/problems/too-many-requests": "tooManyRequests",
};

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Problem(text("unreachable"), true);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  if (body.type === "/problems/key-required") dispatchEvent(new Event("keyrequired"));
  if (Object.hasOwn(words, body.type)) throw new Problem(text(words[body.type]));
  throw new Problem(body.detail ?? body.title ?? `${text("failed")} (${response.status})`, response.status >= 500);
}

async function json(path, options) {
  const response = await call(path, options);
  try {
    return await response.json();
  } catch {
    throw new Problem(text("unreachable"), true);
  }
}

const query = (values) => {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== "" && value !== null);
  return new URLSearchParams(pairs).toString();
};

/** Answers one result for each photo, in order; a result with `status` above 299 is a problem. */
export async function classify(photos) {
  const target = `/classify?${query({ lang: language() })}`;
  if (photos.length === 1) {
    const [photo] = photos;
    const headers = { "Content-Type": photo.type.startsWith("image/") ? photo.type : "application/octet-stream" };
    return [await json(target, { method: "POST", headers, body: photo })];
  }
  const form = new FormData();
  for (const photo of photos) form.append("image", photo, photo.name);
  return (await json(target, { method: "POST", body: form })).results;
}

export const breeds = (filters) => json(`/breeds?${query({ ...filters, lang: language() })}`);

export const breed = (id) => json(`/breeds/${encodeURIComponent(id)}?${query({ lang: language() })}`);

export const history = (cursor) => json(`/history?${query({ limit: 20, cursor, lang: language() })}`);

export const scan = (id) => json(`/history/${encodeURIComponent(id)}?${query({ lang: language() })}`);

/** Whether a key is needed, and who is signed in. */
export const session = () => json("/session");

export const signIn = (key) =>
  json("/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ key }) });

export const signOut = () => call("/session", { method: "DELETE" });

/** Answers the path that takes the deletion back, or null where the server offers none. */
async function remove(path) {
  const response = await call(path, { method: "DELETE" });
  const [, target] = /<(\/[^>]*)>\s*;\s*rel="?undo"?/.exec(response.headers.get("Link") ?? "") ?? [];
  return target ?? null;
}

export const deleteScan = (id) => remove(`/history/${encodeURIComponent(id)}`);

export const deleteAllScans = () => remove("/history");

export const undoDeletion = (path) => call(path, { method: "POST" });
