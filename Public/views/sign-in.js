// The sign-in with a key, for a service that requires one.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { announce, element, once, problemBox } from "../parts/dom.js";

/** Makes the form that asks for a key. Calls `done(caller)` after the sign-in. Returns `{ element, focus }`. */
export function signInForm(done) {
  const notice = element("div");
  const field = element("input", {
    type: "password", id: "key", name: "key", required: true, autocomplete: "current-password", autocapitalize: "none",
    spellcheck: "false", "aria-describedby": "key-hint",
  });
  const submit = once(async () => {
    notice.replaceChildren();
    try {
      const caller = await api.signIn(field.value.trim());
      announce(text("signedIn", { name: caller.name }));
      await done(caller);
    } catch (error) {
      notice.replaceChildren(problemBox(asProblem(error), () => form.requestSubmit()));
      field.select();
    }
  });
  const form = element("form", { class: "sign-in panel", onsubmit: submit },
    element("div", { class: "field" }, element("label", { for: "key" }, text("key")), field),
    element("p", { id: "key-hint", class: "quiet" }, text("keyHint")), element("button", { class: "primary" }, text("signIn")));
  return { element: element("div", {}, element("h1", {}, text("signInTitle")), notice, form), focus: () => field.focus() };
}
