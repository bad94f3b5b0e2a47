// The animal beside a person and a cat, all drawn to one scale.

import { number, text } from "../languages/language.js";
import { element, svg } from "./dom.js";

const personCm = 175;
const catCm = 25;
const room = { width: 640, height: 240 };

/** Standing figures, one unit high, drawn around x = 0 with their feet at y = 0. */
const person = "M0-1a.075.075 0 1 1-.001 0zM-.09-.82h.18c.05 0 .06.03.06.08v.3h-.05l-.02-.22V0h-.07l-.01-.42L-.01 0h-.07v-.66l-.02.22h-.05v-.3c0-.05.01-.08.06-.08z";
const fourLegs = "M-.78-.62c.05-.14.2-.22.45-.22h.55c.1 0 .16-.03.2-.16h.14l.08.1.12.02c.04.03.03.1-.02.14l-.14.06c-.04.13-.09.2-.14.24V0h-.11v-.38h-.1V0h-.1v-.34c-.15.05-.4.05-.55 0V0h-.11v-.3L-.62 0h-.11v-.4c-.05-.06-.08-.14-.05-.22l-.14.26-.05-.03z";
const bird = "M-.5-.45c.1-.2.3-.3.48-.3.02-.15.1-.25.22-.25s.18.06.2.14l.12.06-.13.04c-.01.3-.13.5-.33.55V0h-.06v-.2h-.08V0h-.06v-.2c-.2 0-.3-.1-.36-.15l-.25.05z";
const crawler = "M-1.6-.3c.5-.3 1-.5 1.6-.5.4 0 .7.1.9.3.2-.2.5-.3.7-.2.2.1.2.3 0 .4-.2.1-.5.1-.7.1l.2.2h-.3l-.2-.2h-1l-.2.2h-.3l.1-.3c-.3 0-.5.1-.8.2z";

function shapeOf({ group, kind, species }) {
  if (kind === "fruit") return null;
  if (group === "bird") return bird;
  if (["reptile", "amphibian", "invertebrate"].includes(group)) return crawler;
  return species ? fourLegs : null;
}

export function sizeFigure(article) {
  const shape = shapeOf(article);
  const cm = article.height_cm ? (article.height_cm.min + article.height_cm.max) / 2 : null;
  if (!shape || !cm) return null;
  const tallest = Math.max(personCm, cm);
  const scale = (room.height - 50) / tallest;
  const ground = room.height - 34;
  const figure = (path, height, x, style) =>
    svg("path", { d: path, class: style, transform: `translate(${x} ${ground}) scale(${(height * scale).toFixed(3)})` });
  const label = (words, x) => svg("text", { x, y: ground + 24, "text-anchor": "middle" }, words);
  const names = [text("person"), text("houseCat"), article.name];
  return element("section", { "aria-labelledby": "size-title" },
    element("h2", { id: "size-title" }, text("sizeTitle")),
    svg("svg", {
      class: "size", viewBox: `0 0 ${room.width} ${room.height}`, role: "img",
      "aria-label": text("sizeWords", { name: article.name, cm: number(cm, { maximumFractionDigits: 0 }) }),
    },
    svg("line", { x1: 10, x2: room.width - 10, y1: ground, y2: ground }),
    figure(person, personCm, 110, "other"), figure(fourLegs, catCm, 260, "other"), figure(shape, cm, 470, "this"),
    label(names[0], 110), label(names[1], 260), label(names[2], 470)));
}
