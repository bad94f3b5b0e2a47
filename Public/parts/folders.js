// Finds the photos in dropped folders.

import { text } from "../languages/language.js";
import { toast } from "./toasts.js";

/** Systems give no type to some kinds of photos, such as HEIC. */
export const isPhoto = ({ name, type }) => !name.startsWith(".") && (type === "" || type.startsWith("image/"));

/** All entries of a folder. Browsers give at most 100 at once. */
async function entriesOf(folder) {
  const reader = folder.createReader();
  const all = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function filesIn(entry) {
  if (entry.isFile) return [await new Promise((resolve, reject) => { entry.file(resolve, reject); })];
  return (await Promise.all((await entriesOf(entry)).map(filesIn))).flat();
}

/** `entries`: the `FileSystemEntry` objects of a drop. Photos in folders of folders count too. A toast says if there are none. */
export async function photosIn(entries) {
  const photos = (await Promise.all(entries.map(filesIn))).flat().filter(isPhoto);
  if (photos.length === 0) toast(text("nothing"));
  return photos;
}
