// Access to the device's camera: its video stream, its frames, and error messages that explain why it does not start.

import { text } from "../languages/language.js";
import { Problem } from "../services/problem.js";

/** Shows a camera in `video` and returns its stream. `device`: the device id; without it the rear camera is preferred. The microphone stays off. */
export async function startCamera(video, device) {
  if (!window.isSecureContext || !navigator.mediaDevices) throw new Problem(text("liveSecure"));
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { width: { ideal: 1280 }, ...(device ? { deviceId: { exact: device } } : { facingMode: "environment" }) },
    });
    video.srcObject = stream;
    await video.play();
    return stream;
  } catch (error) {
    // The video does not start if the person has left the view meanwhile.
    stopCamera(stream);
    if (error.name === "NotAllowedError") throw new Problem(text("liveDenied"));
    if (error.name === "NotReadableError") throw new Problem(text("liveBusy"));
    if (error.name === "NotFoundError" || error.name === "OverconstrainedError") throw new Problem(text("liveNoCamera"));
    throw error;
  }
}

export const stopCamera = (stream) => stream?.getTracks().forEach((track) => track.stop());

export const cameras = async () =>
  (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput");

/**
 * Returns a function that grabs the current frame of `video`. The function resolves with `{ picture, takenAt }`, or null while there is
 * no frame. `picture`: a JPEG whose longer side has at most `longest` pixels. `takenAt`: milliseconds on the clock of `performance.now()`.
 */
export function frameGrabber(video, longest = 640) {
  let shownAt = null;
  const note = (now, { captureTime, presentationTime }) => {
    shownAt = captureTime ?? presentationTime;
    video.requestVideoFrameCallback(note);
  };
  video.requestVideoFrameCallback?.(note);
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d", { alpha: false });
  return () => {
    const scale = Math.min(1, longest / Math.max(video.videoWidth, video.videoHeight));
    if (!video.videoWidth) return Promise.resolve(null);
    const [width, height] = [Math.round(video.videoWidth * scale), Math.round(video.videoHeight * scale)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    context.drawImage(video, 0, 0, width, height);
    const takenAt = shownAt ?? performance.now();
    return new Promise((resolve) => canvas.toBlob((picture) => resolve(picture && { picture, takenAt }), "image/jpeg", 0.8));
  };
}
