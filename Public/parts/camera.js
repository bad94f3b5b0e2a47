// The camera's picture, and why it may not come.

import { text } from "../languages/language.js";
import { Problem } from "../services/problem.js";

/** Starts a camera; `device` names one of several. The microphone is never asked for. */
export async function startCamera(video, device) {
  if (!window.isSecureContext || !navigator.mediaDevices) throw new Problem(text("liveSecure"));
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { width: { ideal: 1280 }, ...(device ? { deviceId: { exact: device } } : { facingMode: "environment" }) },
    });
    video.srcObject = stream;
    await video.play();
    return stream;
  } catch (error) {
    if (error.name === "NotAllowedError") throw new Problem(text("liveDenied"));
    if (error.name === "NotFoundError" || error.name === "OverconstrainedError") throw new Problem(text("liveNoCamera"));
    throw error;
  }
}

export const stopCamera = (stream) => stream?.getTracks().forEach((track) => track.stop());

export const cameras = async () =>
  (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput");

/**
 * Gives the video's current picture as a JPEG of at most `longest` pixels with when it was taken, in milliseconds, or null
 * while there is none.
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
