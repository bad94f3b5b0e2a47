// Runs what a person asked for, and shows an error message if it fails.

import { asProblem } from "../services/problem.js";
import { problemBox } from "./dom.js";

/** Returns a function that runs an action. It shows a failure in `notice`, with a retry button if a retry may help. */
export function attempts(notice) {
  const attempt = async (action) => {
    notice.replaceChildren();
    try {
      await action();
    } catch (error) {
      if (error.name !== "AbortError") notice.replaceChildren(problemBox(asProblem(error), () => attempt(action)));
    }
  };
  return attempt;
}
