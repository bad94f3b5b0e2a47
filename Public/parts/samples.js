// Four pictures to try, drawn by us and sent as photos of the browser's own making.

import { text } from "../languages/language.js";
import { button, element } from "./dom.js";

export const samples = ["strawberry", "banana", "ladybird", "daisy"];

const address = (name) => new URL(`../samples/${name}.svg`, import.meta.url).href;

/** The drawing as a JPEG of 640 by 480, as the service takes photos. */
export async function photograph(name) {
  const image = new Image();
  image.src = address(name);
  await image.decode();
  const canvas = element("canvas", { width: 640, height: 480 });
  canvas.getContext("2d").drawImage(image, 0, 0, 640, 480);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.92));
  return new File([blob], `${text(`sample.${name}`)}.jpg`, { type: "image/jpeg" });
}

export const samplesSection = (receive) =>
  element("section", { "aria-labelledby": "samples-title" },
    element("h2", { id: "samples-title" }, text("samplesTitle")),
    element("ul", { class: "samples" }, samples.map((name) =>
      element("li", {}, button([
        element("img", { src: address(name), alt: "", width: 160, height: 120, loading: "lazy" }), text(`sample.${name}`),
      ], async () => receive([await photograph(name)]))))));
