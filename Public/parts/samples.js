// Sample photos for trying the service, if it has any.

import { language, text } from "../languages/language.js";
import { call } from "../services/api.js";
import { button, element, problemBox } from "./dom.js";

const folder = new URL("../samples/", import.meta.url);
const address = (file) => new URL(file, folder).href;

/** Runs `action` when the browser is idle, because the sample photos are much larger than the rest of the page. */
const whenIdle = (action) => (window.requestIdleCallback ? requestIdleCallback(action) : setTimeout(action, 500));

/**
 * The samples are listed in `index.json`: `[{ file, thumb?, name: { en, fi }, credit }]`. `thumb`: a small version of the photo.
 * The section stays hidden until the list has loaded, and if the list is empty.
 */
export function samplesSection(receive) {
  const list = element("ul", { class: "samples" });
  const notice = element("div");
  const section = element("section", { "aria-labelledby": "samples-title", hidden: true }, element("h2", { id: "samples-title" }, text("samplesTitle")), notice, list);
  const send = async ({ file }, name) => {
    notice.replaceChildren();
    try {
      const blob = await (await call(address(file))).blob();
      receive([new File([blob], `${name}.jpg`, { type: blob.type })]);
    } catch (problem) {
      notice.replaceChildren(problemBox(problem, () => send({ file }, name)));
    }
  };
  fetch(address("index.json")).then((answer) => (answer.ok ? answer.json() : []), () => []).then((samples) => {
    list.replaceChildren(...samples.map((sample) => {
      const name = sample.name[language()] ?? sample.name.en ?? sample.name;
      const image = element("img", { alt: "", width: 160, height: 120, fetchpriority: "low" });
      whenIdle(() => { image.src = address(sample.thumb ?? sample.file); });
      return element("li", {}, button([image, name],
        () => send(sample, name), { title: sample.credit ?? null }));
    }));
    section.hidden = samples.length === 0;
  });
  return section;
}
