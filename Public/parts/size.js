// The height of an animal beside a person and a cat, all drawn to the same scale.

import { number, text } from "../languages/language.js";
import { element, svg } from "./dom.js";
import { likeness } from "./drawings.js";

const personCm = 175;
const catCm = 25;
const room = { width: 640, height: 240 };

/** Figures one unit high, centred at x = 0 with the feet at y = 0. An array holds strokes `[path, width]`. A string is an outline to fill. */
const person = "M0-1a.075.075 0 1 1-.001 0zM-.09-.82h.18c.05 0 .06.03.06.08v.3h-.05l-.02-.22V0h-.07l-.01-.42L-.01 0h-.07v-.66l-.02.22h-.05v-.3c0-.05.01-.08.06-.08z";
const bird = "M-.5-.45c.1-.2.3-.3.48-.3.02-.15.1-.25.22-.25s.18.06.2.14l.12.06-.13.04c-.01.3-.13.5-.33.55V0h-.06v-.2h-.08V0h-.06v-.2c-.2 0-.3-.1-.36-.15l-.25.05z";
const crawler = "M-1.6-.3c.5-.3 1-.5 1.6-.5.4 0 .7.1.9.3.2-.2.5-.3.7-.2.2.1.2.3 0 .4-.2.1-.5.1-.7.1l.2.2h-.3l-.2-.2h-1l-.2.2h-.3l.1-.3c-.3 0-.5.1-.8.2z";
const legs = [["M-.5-.5L-.58-.26-.5-.05M-.36-.5V-.05M.28-.5V-.05M.42-.5V-.05", 0.11]];
const cat = [...legs, ["M-.44-.58C-.2-.66 .1-.62 .36-.62", 0.33], ["M.4-.66L.6-.8", 0.2], ["M.62-.8h.03", 0.3], ["M.54-.94L.53-1.02M.7-.94L.73-1.02", 0.08], ["M-.56-.64C-.9-.66-.8-1-.92-1.08", 0.08]];
const dog = [...legs, ["M-.44-.6L.34-.62", 0.36], ["M.4-.68L.58-.86", 0.22], ["M.6-.86h.04", 0.24], ["M.66-.83L.86-.79", 0.13], ["M.54-.9L.48-.74", 0.1], ["M-.58-.68C-.72-.74-.78-.86-.78-.98", 0.08]];
const bigCat = [["M-.74-.6L-.84-.28-.74-.07M-.58-.6V-.07M.4-.6V-.07M.56-.6V-.07", 0.15], ["M-.66-.7C-.3-.78 .1-.7 .46-.72", 0.42], ["M.56-.78L.74-.8", 0.3], ["M.8-.82h.05", 0.34], ["M.72-.98h.01M.9-.98h.01", 0.1], ["M-.82-.74C-1.3-.7-1.2-.2-1.55-.16-1.7-.15-1.78-.22-1.8-.3", 0.13]];
const hoofed = [["M-.46-.5V-.045M-.32-.5V-.045M.24-.5V-.045M.38-.5V-.045", 0.09], ["M-.38-.56L.3-.56", 0.34], ["M.36-.62L.56-.9", 0.17], ["M.57-.9L.74-.82", 0.14], ["M-.55-.62L-.6-.42", 0.06]];
const stout = [["M-.42-.4V-.08M-.2-.4V-.08M.16-.4V-.08M.34-.4V-.08", 0.16], ["M-.32-.58Q0-.74 .26-.56", 0.5], ["M.44-.6L.58-.52", 0.26], ["M.66-.47h.04", 0.12], ["M.4-.76h.01", 0.1]];

function shapeOf({ id, group, kind, species }) {
  if (kind === "fruit") return null;
  if (group === "bird") return bird;
  if (["reptile", "amphibian", "invertebrate"].includes(group)) return crawler;
  if (species === "cat" || species === "dog") return species === "cat" ? cat : dog;
  const looks = likeness(id);
  return { cat: bigCat, dog, hoofed }[looks] ?? (species ? stout : null);
}

export function sizeFigure(article) {
  const shape = shapeOf(article);
  const cm = article.height_cm ? (article.height_cm.min + article.height_cm.max) / 2 : null;
  if (!shape || !cm) return null;
  const tallest = Math.max(personCm, cm);
  const scale = (room.height - 50) / tallest;
  const ground = room.height - 34;
  const figure = (shape, height, x, style) => svg("g", { class: style, transform: `translate(${x} ${ground}) scale(${(height * scale).toFixed(3)})` },
    typeof shape === "string" ? svg("path", { d: shape }) : shape.map(([d, width]) => svg("path", { d, class: "stroke", "stroke-width": width })));
  const label = (words, x) => svg("text", { x, y: ground + 24, "text-anchor": "middle" }, words);
  const names = [text("person"), text("houseCat"), article.name];
  return element("section", { "aria-labelledby": "size-title" },
    element("h2", { id: "size-title" }, text("sizeTitle")),
    svg("svg", {
      class: "size", viewBox: `0 0 ${room.width} ${room.height}`, role: "img",
      "aria-label": text("sizeWords", { name: article.name, cm: number(cm, { maximumFractionDigits: 0 }) }),
    },
    svg("line", { x1: 10, x2: room.width - 10, y1: ground, y2: ground }),
    figure(person, personCm, 60, "other"), figure(cat, catCm, 180, "other"), figure(shape, cm, 460, "this"),
    label(names[0], 60), label(names[1], 180), label(names[2], 460)));
}
