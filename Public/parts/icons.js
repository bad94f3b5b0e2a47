// Icons of 24 × 24 units for buttons and tabs. A text always stands beside them.

import { svg } from "./dom.js";

const paths = {
  camera: "M4 8h3.5L9 5.5h6L16.5 8H20v11H4zM12 16.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4Z",
  photos: "M4 4h16v16H4zM4 16l5-5 5 5 2-2 4 4M15 9h.01",
  live: "M3 7h12v10H3zM15 11l6-3.5v9L15 13",
  video: "M4 5h16v14H4zM10 9v6l5-3z",
  laps: "M12 21a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM12 13V9M9.5 2h5",
  heart: "M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.5 4.2 4.2 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10Z",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M6 6l12 12M18 6L6 18",
  undo: "M8 5L4 9l4 4M4 9h10a5.5 5.5 0 0 1 0 11h-4",
  share: "M12 15V4M8 7.5L12 4l4 3.5M5 12v8h14v-8",
  print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z",
  bin: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  search: "M11 17.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM16 16l4.5 4.5",
  model: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  train: "M4 19h16M6 16l4-5 3.5 3L19 7",
  key: "M8 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM12.5 12H21v3.5M17.5 12v3",
  folder: "M3 6h6l2 2.5h10V19H3z",
  storage: "M4 6c0-1.7 3.6-3 8-3s8 1.3 8 3-3.6 3-8 3-8-1.3-8-3ZM4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3",
  shield: "M12 3l7 3v5.5c0 4.5-3 8-7 9.5-4-1.5-7-5-7-9.5V6zM9 12l2.2 2.2L15 10.5",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5M12 8h.01",
  code: "M8 8l-4 4 4 4M16 8l4 4-4 4",
  terms: "M6 3h9l4 4v14H6zM9 11h7M9 15h7",
  freeze: "M8 5v14M16 5v14",
  play: "M8 5l11 7-11 7z",
};

export const icon = (name) =>
  svg("svg", { class: "icon", viewBox: "0 0 24 24", width: 24, height: 24, "aria-hidden": "true", focusable: "false" },
    svg("path", { d: paths[name] }));
