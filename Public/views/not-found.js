// The view for an address that the page does not know.

import { text } from "../languages/language.js";
import { element } from "../parts/dom.js";

export const render = async () => ({
  title: text("notFoundTitle"),
  element: element("div", {},
    element("h1", {}, text("notFoundTitle")),
    element("p", {}, text("notFoundText")),
    element("p", { class: "actions" },
      element("a", { class: "button primary", href: "#scan" }, text("scanOne")),
      element("a", { class: "button", href: "#breeds" }, text("encyclopaedia")))),
});
