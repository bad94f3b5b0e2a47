// The welcome drawing of a cat, a dog and a bird.

import { svg } from "./dom.js";

export const mascot = () =>
  svg("svg", { class: "mascot", viewBox: "0 0 220 120", "aria-hidden": "true", focusable: "false" },
    svg("path", { d: "M14 112c-2-40 6-62 34-62s36 22 34 62z", fill: "#c98b4e" }),
    svg("path", { d: "M22 66l-4-36 24 20zM74 66l4-36-24 20z", fill: "#c98b4e" }),
    svg("path", { d: "M25 56l-2-16 12 10zM71 56l2-16-12 10z", fill: "#f2c9a0" }),
    svg("path", { d: "M30 92c4 10 32 10 36 0-2-14-34-14-36 0z", fill: "#f7e6d0" }),
    svg("ellipse", { class: "eye", cx: 36, cy: 72, rx: 5, ry: 6.5, fill: "#2c2a26" }),
    svg("ellipse", { class: "eye", cx: 60, cy: 72, rx: 5, ry: 6.5, fill: "#2c2a26" }),
    svg("path", { d: "M44 84h8l-4 5z", fill: "#a4553f" }),
    svg("path", { d: "M16 84l-14-3M16 90l-14 2M80 84l14-3M80 90l14 2", stroke: "#7b5f45", "stroke-width": 1.6, "stroke-linecap": "round" }),
    svg("path", { d: "M94 112c-2-46 4-72 36-72s38 26 36 72z", fill: "#8a6248" }),
    svg("path", { d: "M100 50c-16-6-18 22-14 40 12 0 18-14 18-30zM160 50c16-6 18 22 14 40-12 0-18-14-18-30z", fill: "#5f4231" }),
    svg("path", { d: "M112 88c0-16 36-16 36 0s-8 22-18 22-18-6-18-22z", fill: "#f3e3cf" }),
    svg("circle", { class: "eye", cx: 117, cy: 68, r: 5.5, fill: "#221d19" }),
    svg("circle", { class: "eye", cx: 143, cy: 68, r: 5.5, fill: "#221d19" }),
    svg("path", { d: "M121 82h18c0 8-6 11-9 11s-9-3-9-11z", fill: "#2a221d" }),
    svg("path", { d: "M176 112c-2-34 4-50 19-50s21 16 19 50z", fill: "#3f7f95" }),
    svg("path", { d: "M184 112c0-18 4-26 11-26s11 8 11 26z", fill: "#e7eef0" }),
    svg("circle", { class: "eye", cx: 188, cy: 76, r: 4, fill: "#1a2327" }),
    svg("circle", { class: "eye", cx: 203, cy: 76, r: 4, fill: "#1a2327" }),
    svg("path", { d: "M190 82l5.5 9 5.5-9z", fill: "#e0a02d" }));
