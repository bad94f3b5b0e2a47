// Sends a request that reports its progress and can be cancelled. It reads an event stream while it arrives.

import { problemFrom, unreachable } from "./problem.js";

let underWay = 0;
/** Asks before the person leaves the page while something is being sent. */
addEventListener("beforeunload", (event) => {
  if (underWay > 0) event.preventDefault();
});

/**
 * Sends `body`. Resolves with the object of the answer, or with null after an event stream.
 *
 * `onProgress(fraction)` gets the fraction of the body that was sent, 0 to 1. `events`: the `EventReader` of
 * a `text/event-stream`. The promise rejects with a `Problem`, or with an `AbortError` after `signal` aborts.
 */
export function transfer(method, path, body, { headers = {}, onProgress, events, signal } = {}) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (onProgress) {
      request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(total ? loaded / total : 0));
      request.upload.addEventListener("load", () => onProgress(1));
    }
    if (events) {
      let read = 0;
      const readMore = () => {
        if (!/event-stream/.test(request.getResponseHeader("Content-Type") ?? "")) return;
        events.read(request.responseText.slice(read));
        read = request.responseText.length;
      };
      request.addEventListener("progress", readMore);
      request.addEventListener("load", readMore);
    }
    request.addEventListener("load", () => {
      let answer = null;
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        // An event stream, an empty answer or a proxy's error page is not JSON. The status decides.
      }
      if (request.status >= 200 && request.status < 300) {
        return events || (answer && typeof answer === "object") ? resolve(answer) : reject(unreachable());
      }
      if (answer?.type === "/problems/key-required") dispatchEvent(new Event("keyrequired"));
      reject(problemFrom(answer, request.status));
    });
    request.addEventListener("loadend", () => { underWay -= 1; });
    request.addEventListener("error", () => reject(unreachable()));
    request.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    underWay += 1;
    request.send(body);
  });
}
