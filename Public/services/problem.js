// Turns errors into messages in the person's language.

import { bytes, hasText, language, listOf, text } from "../languages/language.js";

/** An error that the server reported (RFC 9457) or that the page itself found. */
export class Problem extends Error {
  /**
   * `retryable`: the same request may succeed later, because the server is down or busy. `type`: the stable name of the
   * problem. `code`, `field`: the exact cause, if the service gives one. `errors`: a list with an entry for each error.
   */
  constructor(message, { retryable = false, type = "", status = 0, detail = "", code = "", field = "", errors = [] } = {}) {
    super(message);
    Object.assign(this, { retryable, type, status, detail, code, field, errors });
  }
}

export const unreachable = () => new Problem(text("unreachable"), { retryable: true, type: "unreachable" });

/** The values that the service sends with a code. `size`: the limit in bytes, as text. */
const valuesOf = ({ count, limit, classes, model, field, same_as: file }) =>
  ({ n: count, count, limit, size: limit === undefined ? "" : bytes(limit), classes: listOf(classes ?? []), model, field, file });

/** The page's text for `body.code`, or null. */
export const wordsFor = (kind, body) =>
  (hasText(`${kind}.${body?.code}`) ? text(`${kind}.${body.code}`, valuesOf(body)) : null);

/** Makes a `Problem` from a problem+json body. */
export function problemFrom(body, status) {
  const type = typeof body?.type === "string" ? body.type : "";
  // A proxy answers so while the service does not.
  if (!type && status > 501 && status < 505) return unreachable();
  const name = `problem.${type.split("/").pop()}`;
  // 401: the person signs in and tries again.
  const retryable = status >= 500 || status === 429 || type === "/problems/key-required";
  const detail = body?.detail ?? body?.title ?? "";
  const message = wordsFor("problem", body) ?? (hasText(name) ? text(name) : text("failed", { status }));
  // The server's own explanation is in English.
  const more = !hasText(name) && language() === "en" ? ` ${detail}` : "";
  return new Problem(message + more, { retryable, type, status, detail, code: body?.code, field: body?.field, errors: body?.errors });
}

/** Wraps any other error in a `Problem`. */
export const asProblem = (error) => (error instanceof Problem ? error : new Problem(text("failed", { status: error?.message ?? "" })));
