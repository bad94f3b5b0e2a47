// How long a model takes for one of our pictures.

import * as api from "../services/api.js";
import { photograph } from "./samples.js";

/** Asks so many times, one after the other; milliseconds of the inference and of the whole call. */
export async function timings(model, count, signal) {
  const photo = await photograph("strawberry");
  const measured = [];
  while (measured.length < count && !signal.aborted) {
    const start = performance.now();
    const { timing } = await api.json(`/classify?${api.query({ model, save: "false" })}`, {
      method: "POST", body: photo, headers: { "Content-Type": photo.type }, signal,
    });
    measured.push({ inference: timing.inference_ms, total: performance.now() - start });
  }
  return measured;
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
