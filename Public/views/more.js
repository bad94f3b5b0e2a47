// The More view: links to the views that have no tab, the choice of colours, and signing out.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { caller, may } from "../services/api.js";
import { asProblem } from "../services/problem.js";
import { appearance, appearances, setAppearance } from "../services/store.js";
import { button, element, style } from "../parts/dom.js";
import { icon } from "../parts/icons.js";
import { toast } from "../parts/toasts.js";

const entries = [
  ["#models", "model", "models"], ["#training", "train", "training"], ["#storage", "storage", "storage"], ["#cameras", "live", "cameras"], ["#keys", "key", "keys"], ["#phone", "camera", "phone"],
  ["docs/", "code", "docs"], ["#privacy", "shield", "privacy"], ["#terms", "terms", "terms"], ["#about", "info", "about"],
];

export async function render() {
  await style("more");
  const who = caller();
  const look = element("select", { id: "appearance", onchange: () => setAppearance(look.value) },
    appearances.map((name) => element("option", { value: name, selected: name === appearance() }, text(`appearance.${name}`))));
  const view = element("div", {},
    element("h1", {}, text("moreTab")),
    element("ul", { class: "doors" }, entries.filter(([, , name]) => name !== "cameras" || may("admin")).map(([href, symbol, name]) =>
      element("li", {}, element("a", { href: href === "docs/" ? "/docs/" : href }, icon(symbol),
        element("span", {}, element("strong", {}, text(name)), element("span", { class: "quiet" }, text(`${name}.about`))))))),
    element("h2", {}, text("look")),
    element("div", { class: "field short" }, element("label", { for: "appearance" }, text("colours")), look),
    who.name ? element("section", { "aria-labelledby": "who" },
      element("h2", { id: "who" }, text("keys")),
      element("p", {}, text("signedInAs", { name: who.name, role: text(`role.${who.role}`) })), signOutButton()) : null);
  return { title: text("moreTab"), element: view };
}

export const signOutButton = () =>
  button(text("signOut"), async () => {
    try {
      await api.signOut();
    } catch (error) {
      // A session that is over already needs no end.
      if (error.status !== 401) return toast(asProblem(error).message, { tone: "bad", isOfView: true });
    }
    // The reload removes everything that was fetched with the key.
    location.reload();
  }, { id: "sign-out" });
