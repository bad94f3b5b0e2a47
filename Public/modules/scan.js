// Choose, take, drop or paste photos; see each with its answers.

import * as api from "./api.js";
import { answerList } from "./answers.js";
import { announce, element, problemBox } from "./dom.js";
import { language, text } from "./language.js";

/** The photos last scanned: `{ file, preview, scan, problem, language }`. They outlive a look at another page. */
let photos = [];
let latest = 0;
let busy = null;
let results = null;

// The server takes 32 photos and, unless set otherwise, 32 MiB a request.
const maxPhotosInRequest = 32;
const maxBytesInRequest = 16 << 20;

export async function scanPage(page) {
  results = element("section", { "aria-label": text("results"), "aria-busy": busy !== null });
  page.replaceChildren(
    element("h1", {}, text("scanTitle")),
    element("div", { class: "drop" },
      element("div", { class: "actions" },
        ...chooser("photo", text("choose"), "primary", { multiple: true }),
        ...chooser("camera", text("camera"), "camera", { capture: "environment" })),
      element("p", {}, text("dropHint"))),
    results);
  render();
  await translateResults();
}

/** A real button, and the file input that it opens. */
function chooser(id, label, style, attributes) {
  const input = element("input", { type: "file", accept: "image/*", id, hidden: true, ...attributes });
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = ""; // so that the same photo can be chosen again
    scanPhotos(files);
  });
  return [input, element("button", { type: "button", class: style, onclick: () => input.click() }, label)];
}

export function scanPhotos(files) {
  if (files.length === 0) return;
  for (const photo of photos) URL.revokeObjectURL(photo.preview);
  photos = files.map((file) => ({ file, preview: URL.createObjectURL(file) }));
  scan(photos);
}

function scanFailedAgain() {
  const failed = photos.filter((photo) => photo.problem?.retryable);
  for (const photo of failed) photo.problem = null;
  scan(failed);
}

async function scan(scanned) {
  const ticket = ++latest;
  const say = (done) => {
    busy = scanned.length === 1 ? text("looking") : text("lookingAtMany", { done, n: scanned.length });
    render();
  };
  let done = 0;
  say(done);
  announce(busy);
  for (const group of await requestGroups(scanned)) {
    await classify(group);
    if (ticket !== latest) return;
    done += group.length;
    say(done);
  }
  if (ticket !== latest) return;
  busy = null;
  render();
  if (results.getBoundingClientRect().bottom > innerHeight) results.scrollIntoView();
  announce(scanned.filter((photo) => photo.scan).map(({ scan }) =>
    `${scan.message} ${scan.predictions.map((each) => `${each.name} ${each.percent}`).join(", ")}.`).join(" "));
}

/** Photos that go in one request together. What cannot be read, such as a folder, gets its problem here. */
async function requestGroups(all) {
  const groups = [];
  let bytes = Infinity;
  for (const photo of all) {
    try {
      await photo.file.slice(0, 1).arrayBuffer();
    } catch {
      photo.problem = new api.Problem(text("unreadable"));
      continue;
    }
    bytes += photo.file.size;
    if (bytes > maxBytesInRequest || groups.at(-1).length === maxPhotosInRequest) {
      groups.push([]);
      bytes = photo.file.size;
    }
    groups.at(-1).push(photo);
  }
  return groups;
}

async function classify(group) {
  try {
    const answers = await api.classify(group.map((photo) => photo.file));
    group.forEach((photo, index) => {
      const answer = answers[index];
      photo.language = language();
      if (answer?.predictions) photo.scan = answer;
      else photo.problem = new api.Problem(answer?.detail ?? answer?.title ?? text("failed"), answer?.status >= 500);
    });
  } catch (problem) {
    for (const photo of group) photo.problem = problem;
  }
}

/** Reads saved scans again in the language that was chosen after they were made. */
async function translateResults() {
  const stale = photos.filter((photo) => photo.scan?.id && photo.language !== language());
  await Promise.all(stale.map(async (photo) => {
    try {
      photo.scan = await api.scan(photo.scan.id);
      photo.language = language();
    } catch {
      // Deleted meanwhile, or no server: the answers stay in the language they came in.
    }
  }));
  if (stale.length) render();
}

function render() {
  if (results === null) return; // dropped on another page before this one was ever shown
  results.setAttribute("aria-busy", String(busy !== null));
  results.replaceChildren(
    ...(busy === null ? [] : [element("p", { class: "progress" }, busy)]),
    ...photos.filter((photo) => photo.scan || photo.problem).map(photos.length > 1 ? namedResult : result));
}

const namedResult = (photo) =>
  element("article", {}, element("h2", { class: "file" }, photo.file.name), result(photo));

function result(photo) {
  if (photo.problem) return problemBox(photo.problem, scanFailedAgain);
  const { scan } = photo;
  // Known before the photo has loaded, so that nothing jumps; EXIF orientations from 5 on lie on their side.
  const { width, height, orientation } = scan.image;
  const [imageWidth, imageHeight] = orientation >= 5 ? [height, width] : [width, height];
  const image = element("img", { src: photo.preview, alt: text("scannedPhoto"), width: imageWidth, height: imageHeight });
  image.addEventListener("error", () => {
    // A format that the server reads and this browser does not, such as HEIC.
    if (scan.id) image.src = `/history/${scan.id}/thumbnail`;
    else image.remove();
  }, { once: true });
  return element("div", { class: "scan-result" },
    image,
    element("div", {},
      element(photos.length > 1 ? "h3" : "h2", {}, scan.message),
      answerList(scan.predictions),
      scan.id ? element("p", { class: "quiet" }, text("saved")) : null));
}
