// The HTTP interface of the service, as far as the page uses it.

import { language, text } from "./language.js";

/** What the server says went wrong (RFC 9457), in words for the person at the page. */
export class Problem extends Error {}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Problem(text("unreachable"));
  }
  if (response.status === 204) return null;
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Problem(body.detail ?? body.title ?? `${text("failed")} (${response.status})`);
  return body;
}

const query = (values) => {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== "" && value !== null);
  return new URLSearchParams(pairs).toString();
};

export const classify = (photo) =>
  call(`/classify?${query({ lang: language() })}`, {
    method: "POST",
    headers: { "Content-Type": photo.type || "application/octet-stream" },
    body: photo,
  });

export const breeds = (filters) => call(`/breeds?${query({ ...filters, lang: language() })}`);

export const breed = (id) => call(`/breeds/${encodeURIComponent(id)}?${query({ lang: language() })}`);

export const history = (cursor) => call(`/history?${query({ limit: 20, cursor, lang: language() })}`);

export const deleteScan = (id) => call(`/history/${encodeURIComponent(id)}`, { method: "DELETE" });

export const deleteAllScans = () => call("/history", { method: "DELETE" });
