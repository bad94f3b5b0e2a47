// A picture of a result for sharing, with the photo, the name, the certainty and the date.

import { formatDate } from "../languages/language.js";
import { animalsIn, nameFor } from "./animals.js";
import { certaintyWords } from "./certainty.js";
import { element } from "./dom.js";
import { download } from "./download.js";
import { keptPhoto } from "./photo.js";

const width = 1080;
const height = 1350;
const margin = 64;

/** Breaks `words` into lines that fit the card. A longer word gets a line of its own. */
const linesOf = (context, words) => words.split(" ").reduce((lines, word) => {
  const longer = `${lines.at(-1)} ${word}`;
  return lines.length && context.measureText(longer).width <= width - 2 * margin ? [...lines.slice(0, -1), longer] : [...lines, word];
}, []);

/** Writes the name in one or two large lines, or in more small ones. */
function writeName(context, name) {
  let lines = [];
  let size;
  for (size of [84, 60]) {
    context.font = `750 ${size}px system-ui, sans-serif`;
    lines = linesOf(context, name);
    if (lines.length < 3) break;
  }
  lines.forEach((line, index) => context.fillText(line, margin, 1000 + size * (index + 1), width - 2 * margin));
}

async function draw(scan) {
  const canvas = element("canvas", { width, height });
  const context = canvas.getContext("2d");
  const image = new Image();
  image.src = keptPhoto(scan);
  await image.decode();
  context.fillStyle = "#fbf8f1";
  context.fillRect(0, 0, width, height);
  const room = { width, height: 900 };
  const scale = Math.max(room.width / image.naturalWidth, room.height / image.naturalHeight);
  const [w, h] = [room.width / scale, room.height / scale];
  context.drawImage(image, (image.naturalWidth - w) / 2, (image.naturalHeight - h) / 2, w, h, 0, 0, room.width, room.height);
  context.fillStyle = "#1d5b41";
  context.font = "600 38px system-ui, sans-serif";
  const animals = animalsIn(scan);
  context.fillText(animals.length === 1 ? certaintyWords(animals[0]) : "", margin, 980);
  context.fillStyle = "#1d211e";
  writeName(context, nameFor(scan));
  context.fillStyle = "#555c56";
  context.font = "400 32px system-ui, sans-serif";
  context.fillText(`Menagerie · ${formatDate(scan.created_at ?? Date.now())}`, margin, 1312);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9));
}

/** Opens the system's share sheet, or saves the picture if there is none or it is refused. Resolves with true if the picture was saved. */
export async function shareCard(scan) {
  const file = new File([await draw(scan)], `${nameFor(scan)}.jpg`, { type: "image/jpeg" });
  if (navigator.canShare?.({ files: [file] })) {
    const error = await navigator.share({ files: [file], title: nameFor(scan) }).catch((each) => each);
    // If the photo came slowly, the browser no longer counts the press of the button and refuses. The picture is saved then.
    if (!error || error.name === "AbortError") return false;
  }
  download(file);
  return true;
}
