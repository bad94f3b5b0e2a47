// A small map that shows where an animal comes from. It has simple outlines of the continents and a dot for each country.

import { locale, text, listOf } from "../languages/language.js";
import { element, svg } from "./dom.js";
import { places } from "./places.js";

// Alternating longitudes and latitudes in degrees, for a few corners of each land mass. The map uses an equirectangular projection.
const lands = [
  [-165, 65, -156, 71, -125, 70, -95, 72, -80, 73, -62, 60, -56, 52, -65, 45, -70, 42, -76, 35, -81, 31, -80, 25, -83, 29, -90, 29, -97, 26, -97, 20, -91, 19, -87, 21, -88, 16, -83, 15, -82, 9, -78, 9, -80, 7, -85, 11, -94, 16, -105, 20, -112, 30, -117, 33, -124, 41, -124, 48, -132, 56, -150, 60, -162, 56],
  [-78, 8, -72, 12, -60, 9, -51, 3, -35, -7, -39, -15, -42, -23, -48, -27, -57, -36, -65, -42, -68, -53, -73, -50, -73, -38, -70, -20, -76, -14, -81, -5, -79, 2],
  [-17, 15, -17, 21, -9, 32, -6, 36, 10, 37, 20, 32, 32, 31, 37, 22, 43, 12, 51, 12, 41, -2, 40, -15, 35, -24, 27, -34, 18, -34, 12, -17, 9, -1, 9, 5, -7, 5, -13, 9],
  [-9, 37, -9, 43, -1, 44, -4, 48, 3, 51, 8, 54, 9, 57, 12, 54, 20, 55, 24, 59, 30, 60, 22, 60, 22, 64, 25, 65, 17, 61, 17, 57, 12, 56, 8, 58, 5, 61, 14, 67, 25, 71, 40, 67, 44, 68, 60, 69, 70, 73, 100, 77, 115, 74, 140, 73, 170, 70, 180, 68, 178, 63, 163, 60, 157, 52, 155, 59, 140, 59, 140, 48, 130, 43, 129, 36, 126, 35, 122, 40, 118, 38, 122, 31, 120, 25, 109, 20, 107, 11, 103, 10, 100, 13, 103, 2, 98, 9, 97, 16, 91, 22, 80, 15, 78, 8, 73, 18, 67, 25, 57, 26, 50, 30, 56, 24, 59, 22, 52, 16, 44, 13, 35, 28, 36, 36, 28, 37, 29, 41, 41, 41, 38, 46, 30, 46, 28, 42, 23, 40, 22, 37, 19, 41, 13, 45, 18, 40, 16, 38, 9, 44, 3, 43, -1, 37],
  [114, -22, 122, -18, 129, -15, 136, -12, 141, -17, 142, -11, 146, -19, 153, -26, 150, -37, 141, -38, 131, -32, 118, -35, 115, -33],
  [-53, 65, -60, 76, -35, 83, -20, 78, -25, 70, -43, 60],
  [-5, 50, 1, 51, 0, 54, -3, 58, -6, 58, -4, 54], [-10, 52, -6, 52, -6, 55, -9, 54], [-22, 64, -14, 65, -20, 66],
  [131, 32, 136, 34, 140, 36, 142, 40, 145, 43, 141, 45, 139, 38, 133, 35],
  [95, 5, 104, -3, 106, -6, 99, 0], [109, 1, 117, 7, 118, 1, 114, -4, 110, -3], [131, -2, 141, -3, 150, -9, 142, -9, 134, -4],
  [44, -16, 50, -15, 47, -25, 44, -22], [167, -46, 174, -41, 178, -38, 173, -35, 170, -44], [119, 16, 122, 18, 126, 8, 122, 11], [80, 9, 82, 7, 80, 6],
];

const width = 720;
const height = 330;
const x = (longitude) => ((longitude + 170) / 350) * width;
const y = (latitude) => ((84 - latitude) / 140) * height;

function outline(corners) {
  const points = [];
  for (let index = 0; index < corners.length; index += 2) points.push(`${x(corners[index]).toFixed(1)},${y(corners[index + 1]).toFixed(1)}`);
  return svg("polygon", { points: points.join(" ") });
}

export function originMap({ countries, name }) {
  const known = countries.filter((code) => Object.hasOwn(places, code));
  if (known.length === 0) return null;
  const names = new Intl.DisplayNames([locale()], { type: "region" });
  const words = listOf(known.map((code) => names.of(code)));
  return element("section", { "aria-labelledby": "map-title" },
    element("h2", { id: "map-title" }, text("mapTitle")),
    svg("svg", { class: "map", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text("mapWords", { name, countries: words }) },
      svg("g", { class: "land" }, lands.map(outline)),
      svg("g", { class: "places" }, known.map((code) => svg("circle", { cx: x(places[code][0]), cy: y(places[code][1]), r: 7 })))),
    element("p", { class: "quiet" }, words));
}
