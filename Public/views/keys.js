// The Keys view: what each role may do, who is signed in, and how to make keys.

import { text } from "../languages/language.js";
import { caller, may, setCaller } from "../services/api.js";
import { command } from "../parts/command.js";
import { element } from "../parts/dom.js";
import { factList } from "../parts/facts.js";
import { keyManager } from "../parts/key-manager.js";
import { refresh } from "../router.js";
import { signOutButton } from "./more.js";
import { signInForm } from "./sign-in.js";

const commands = [
  "menagerie keys add Anna --role user", "menagerie keys list", "menagerie keys remove Anna",
];

export async function render({ signal }) {
  const who = caller();
  const other = signInForm(async (next) => {
    setCaller(next);
    await refresh();
  });
  other.element.querySelector("h1").remove();
  const view = element("div", {},
    element("h1", {}, text("keys")),
    element("p", { class: "lead" }, text(who.key_required ? "keysNeeded" : "keysNone")),
    who.name ? [element("p", {}, text("signedInAs", { name: who.name, role: text(`role.${who.role}`) })), signOutButton()] : null,
    element("h2", {}, text("rolesTitle")),
    factList(["reader", "user", "admin"].map((role) => [`role.${role}`, text(`role.${role}.may`)])),
    who.key_required && may("admin") ? await keyManager(signal) : null,
    who.key_required ? [element("h2", {}, text("otherKey")), other.element] : null,
    element("h2", {}, text("keysCommand")),
    element("p", {}, text("keysMakeText")),
    command(commands.join("\n"), text("keysCommand")));
  return { title: text("keys"), element: view };
}
