// Explains how to make a phone trust the certificate of a service in the local network.

import { text } from "../languages/language.js";
import { command } from "../parts/command.js";
import { element } from "../parts/dom.js";

const steps = (name, count) =>
  element("ol", {}, Array.from({ length: count }, (_, index) => element("li", {}, text(`${name}.${index + 1}`))));

export async function render({ signal }) {
  const answer = await fetch("/authority.crt", { signal }).catch(() => null);
  const hasAuthority = answer?.ok ?? false;
  // If the page came over HTTPS and the service has no authority of its own, phones already trust the certificate.
  const isTrusted = location.protocol === "https:";
  return {
    title: text("phone"),
    element: element("div", {},
      element("h1", {}, text("phone")),
      element("p", { class: "lead" }, text(hasAuthority ? "phoneTrust" : isTrusted ? "phoneTrusted" : "phoneNone")),
      hasAuthority ? [
        element("div", { class: "actions" }, element("a", { class: "button primary", href: "/authority.crt", download: "menagerie-authority.crt" }, text("phoneDownload"))),
        element("h2", {}, text("phoneApple")), steps("phoneApple", 3),
        element("h2", {}, text("phoneAndroid")), steps("phoneAndroid", 4),
        element("p", { class: "quiet" }, text("phoneRemove")),
      ] : isTrusted ? null : command("menagerie serve --lan", text("phone"))),
  };
}
