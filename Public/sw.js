// Caches the page's own files, so that the page opens without a connection and can say that the server is missing. It
// never caches the service's answers, such as photos and scans.

// Each version of the page has its own cache: the worker's address contains the version. Other caches are deleted.
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
  // A full storage has no cache.
  const cache = await caches.open(name).catch(() => null);
  // An address under /assets/ contains the version of the page, so the cached copy is never out of date.
  if (url.pathname.startsWith("/assets/")) {
    const kept = await cache?.match(request).catch(() => null);
    if (kept) return kept;
  }
  try {
    const fresh = await fetch(request);
    if (fresh.ok) cache?.put(request, fresh.clone()).catch(() => {});
    return fresh;
  } catch (error) {
    const kept = await cache?.match(request, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}
