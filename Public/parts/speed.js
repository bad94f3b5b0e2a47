// Measures how long a model takes for one photo.

import * as api from "../services/api.js";
import { element } from "./dom.js";

/** A bundled drawing as a JPEG of 640 × 480 pixels, because the service does not take SVG. */
async function photograph() {
  const image = new Image();
  image.src = new URL("../samples/strawberry.svg", import.meta.url).href;
  await image.decode();
  const canvas = element("canvas", { width: 640, height: 480 });
  canvas.getContext("2d").drawImage(image, 0, 0, 640, 480);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.92));
}

/** Sends `count` requests one after another. Returns `[{ inference, total }]` in milliseconds. `total` includes the network. */
export async function timings(model, count, signal) {
  const photo = await photograph();
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
