// Signing in with a key, where the service asks for one, and signing out.

import * as api from "./api.js";
import { announce, element, problemBox } from "./dom.js";
import { text } from "./language.js";

/** The form that asks for a key; calls `done` with who signed in. */
export function signInPage(page, done) {
  const notice = element("div");
  const field = element("input", {
    type: "password", id: "key", name: "key", required: true, autocomplete: "current-password", autocapitalize: "none",
    spellcheck: "false", "aria-describedby": "key-hint",
  });
  const button = element("button", { class: "primary" }, text("signIn"));
  const submit = async (event) => {
    event.preventDefault();
    notice.replaceChildren();
    button.disabled = true;
    try {
      const caller = await api.signIn(field.value.trim());
      announce(text("signedIn", { name: caller.name }));
      done(caller);
    } catch (problem) {
      notice.replaceChildren(problemBox(problem, () => form.requestSubmit()));
      field.select();
    }
    button.disabled = false;
  };
  const form = element("form", { class: "sign-in", onsubmit: submit },
    element("label", { for: "key" }, text("key")), field,
    element("p", { id: "key-hint", class: "quiet" }, text("keyHint")), button);
  page.replaceChildren(element("h1", { tabindex: "-1" }, text("signInTitle")), notice, form);
  field.focus();
}
