// Stores photos that wait for the server in this browser until they are sent, so that they survive a reload. If the
// browser stores nothing, as in a private window, the photos wait only while the page is open.

const name = "menagerie";
const store = "waiting";

const outcome = (request) => new Promise((resolve, reject) => {
  request.addEventListener("success", () => resolve(request.result), { once: true });
  request.addEventListener("error", () => reject(request.error), { once: true });
});

async function ask(mode, action) {
  const opening = indexedDB.open(name, 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(store, { keyPath: "key" }));
  const database = await outcome(opening);
  try {
    return await outcome(action(database.transaction(store, mode).objectStore(store)));
  } finally {
    database.close();
  }
}

/** Resolves with `[{ key, files, at }]`, oldest first. `at`: milliseconds since 1970. Empty if storage fails. */
export const keptPhotos = () => ask("readonly", (photos) => photos.getAll()).then((all) => all.sort((a, b) => a.at - b.at), () => []);

export const keepPhotos = (key, files) => ask("readwrite", (photos) => photos.put({ key, files, at: Date.now() })).catch(() => {});

export const forgetPhotos = (key) => ask("readwrite", (photos) => photos.delete(key)).catch(() => {});
