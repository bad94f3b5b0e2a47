// What went wrong, in the words of the person who reads it.

import { bytes, hasText, language, listOf, text } from "../languages/language.js";

/** A problem that the server named (RFC 9457), or that the page met by itself. */
export class Problem extends Error {
  /** `retryable`: the same request may work later, as when the server is down or busy. `type`: the problem's stable name. `code`, `field`: what of it, where the service names that; `errors`: what was wrong one by one. */
  constructor(message, { retryable = false, type = "", status = 0, detail = "", code = "", field = "", errors = [] } = {}) {
    super(message);
    Object.assign(this, { retryable, type, status, detail, code, field, errors });
  }
}

export const unreachable = () => new Problem(text("unreachable"), { retryable: true, type: "unreachable" });

/** The values that the service gives beside a stable code, as our words take them; `{size}` is a limit in bytes. */
const valuesOf = ({ count, limit, classes, model, field, same_as: file }) =>
  ({ n: count, count, limit, size: limit === undefined ? "" : bytes(limit), classes: listOf(classes ?? []), model, field, file });

/** The words for what has a stable code; null where there are none of ours, as for one that came after this page. */
export const wordsFor = (kind, body) =>
  (hasText(`${kind}.${body?.code}`) ? text(`${kind}.${body.code}`, valuesOf(body)) : null);

/** What a problem+json says, by its `code` or its stable `type`; what has no words of ours speaks as the server does. */
export function problemFrom(body, status) {
  const type = typeof body?.type === "string" ? body.type : "";
  const name = `problem.${type.split("/").pop()}`;
  const retryable = status >= 500 || status === 429;
  const detail = body?.detail ?? body?.title ?? "";
  const message = wordsFor("problem", body) ?? (hasText(name) ? text(name) : text("failed", { status }));
  // The server explains itself in English only.
  const more = !hasText(name) && language() === "en" ? ` ${detail}` : "";
  return new Problem(message + more, { retryable, type, status, detail, code: body?.code, field: body?.field, errors: body?.errors });
}

/** The problem for whatever was thrown. */
export const asProblem = (error) => (error instanceof Problem ? error : new Problem(text("failed", { status: error?.message ?? "" })));
