// The photos of a breed, loaded page by page. They come from a folder of the service and, if its operator allows that, from dog.ceo.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { element } from "./dom.js";
import { PagedList } from "./paged.js";

const eachTime = 30;
/** The page shows at most this number of photos. */
const most = 150;

/** A section that stays hidden until photos or an error arrive. It leaves out the person's own scans, which the article shows above. */
export function breedPhotos({ id, name }) {
  const section = element("section", { "aria-labelledby": "breed-photos-title", hidden: true },
    element("h2", { id: "breed-photos-title" }, text("photosOf", { name })));
  const paged = new PagedList({
    list: element("ul", { class: "own-photos breed-photos" }),
    async fetchPage(cursor, running) {
      const { message, total, next_cursor: next } = await api.breedPhotos(id, { limit: eachTime, cursor }, running);
      const items = message.filter((address) => !address.startsWith("/history/"));
      return { items, total: Math.min(most, total - (message.length - items.length)), next_cursor: paged.items.length + items.length < most ? next : null };
    },
    draw: (items) => items.map((src, index) => element("li", {}, element("a", { href: src, target: "_blank", rel: "noopener" },
      element("img", { src, alt: text("photoOf", { name, n: paged.items.indexOf(src) + 1 || paged.items.length + index + 1 }), width: 160, height: 160, loading: "lazy" })))),
    counted: (n) => text("photosCounted", { n }),
  });
  section.append(...paged.element);
  paged.load().then(() => { section.hidden = paged.items.length === 0 && !paged.notice.hasChildNodes(); });
  return section;
}
