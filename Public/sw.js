// Keeps a copy of the page's own files, so that it opens without a connection and says what is missing. Answers of the
// service are never kept: photos and scans stay where they are.

// One for each version of the page, whose address the worker's own names: the files of others go.
const name = `menagerie-page-${location.pathname}`;

const isOwnFile = (url) =>
  url.origin === location.origin
  && (url.pathname === "/" || /^\/(assets\/[^/]+\/)?(app|router)\.js$|^\/(assets\/[^/]+\/)?(parts|services|views|languages|styles|samples)\/|\/(icon[^/]*|manifest\.webmanifest)$/.test(url.pathname));

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const each of await caches.keys()) if (each !== name) await caches.delete(each);
    await clients.claim();
  })());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || !isOwnFile(url)) return;
  event.respondWith(answer(request, url));
});

async function answer(request, url) {
  const cache = await caches.open(name);
  // The address names the content: what is kept is what would come.
  if (url.pathname.startsWith("/assets/")) {
    const kept = await cache.match(request);
    if (kept) return kept;
  }
  try {
    const fresh = await fetch(request);
    if (fresh.ok) cache.put(request, fresh.clone());
    return fresh;
  } catch (error) {
    const kept = await cache.match(request, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}
