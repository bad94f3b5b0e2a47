// The ways to give the page a photo: choose a file, use the camera, drop or paste.

import { text } from "../languages/language.js";
import { button, element } from "./dom.js";
import { icon } from "./icons.js";

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");

/** The dropped files. A dropped folder is replaced by the photos in it. */
async function filesOf({ items, files }) {
  // The browser clears both lists as soon as the event is over.
  const all = [...files];
  const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return all;
  return import("./folders.js").then(({ photosIn }) => photosIn(entries)).catch(() => all);
}

/** Calls `receive` with the files that are dropped or pasted anywhere on the page. */
export function receivePhotos(receive) {
  const hint = document.getElementById("drop-here");
  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    hint.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    // Without a related target the pointer has left the window.
    if (!event.relatedTarget) hint.hidden = true;
  });
  addEventListener("drop", (event) => {
    hint.hidden = true;
    if (!carriesFiles(event)) return;
    event.preventDefault();
    filesOf(event.dataTransfer).then(receive);
  });
  addEventListener("paste", (event) => {
    const photos = [...(event.clipboardData?.files ?? [])].filter((file) => file.type.startsWith("image/"));
    if (photos.length === 0) return;
    event.preventDefault();
    receive(photos);
  });
}

/** Makes `node` handle the files that are dropped on it. Returns `node`. */
export function dropPlace(node, receive) {
  const over = (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    document.getElementById("drop-here").hidden = true;
    node.classList.toggle("over", event.type === "dragover");
    if (event.type === "drop") filesOf(event.dataTransfer).then(receive);
  };
  for (const name of ["dragover", "dragleave", "drop"]) node.addEventListener(name, over);
  return node;
}

/** A hidden file input and the button that opens it. `receive` gets the chosen files. */
export function chooser(id, label, receive, { style = "", symbol, accept = "image/*", ...attributes } = {}) {
  const input = element("input", { type: "file", accept, id, hidden: true, ...attributes });
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = ""; // so that the same file can be chosen again
    if (files.length) receive(files);
  });
  const opener = button([symbol ? icon(symbol) : null, label], () => input.click(), { class: style });
  return [input, opener];
}

/** The controls to take a photo and to choose photos. */
export const photoChoosers = (receive) => [
  ...chooser("camera", text("camera"), receive, { style: "camera primary", symbol: "camera", capture: "environment" }),
  ...chooser("photo", text("choose"), receive, { style: "primary", symbol: "photos", multiple: true }),
];
