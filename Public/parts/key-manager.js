// The API keys of the service. An administrator creates, replaces and removes them. A key is shown only once, when it is created.

import * as administration from "../services/administration.js";
import { formatTime, text } from "../languages/language.js";
import { setCaller, signIn } from "../services/api.js";
import { asProblem } from "../services/problem.js";
import { command } from "./command.js";
import { announce, button, confirmed, element, once, problemBox } from "./dom.js";
import { table } from "./plot.js";
import { redraw } from "./redraw.js";

const roles = ["reader", "user", "admin"];

export async function keyManager(signal) {
  const list = element("div");
  const notice = element("div");
  const attempt = async (action) => {
    notice.replaceChildren();
    try {
      await action();
      show((await administration.keys(signal)).items);
    } catch (error) {
      // A new key stays, because it is shown only once.
      if (!signal.aborted) notice.append(problemBox(asProblem(error)));
    }
  };
  const tell = ({ name, key }) => {
    notice.replaceChildren(element("div", { class: "notice", role: "status" },
      element("p", {}, text("keyMade", { name })), command(key, text("key"))));
    announce(text("keyMade", { name }));
  };
  const rotate = async ({ name, own }) => await confirmed(text("keyRotateQuestion", { name }), text("keyRotate")) && attempt(async () => {
    const made = await administration.rotateKey(name);
    tell(made);
    // Replacing a key ends its session. The page signs in again with the new key.
    if (own) setCaller(await signIn(made.key));
  });
  const remove = async ({ name, own }) => await confirmed(text("keyRemoveQuestion", { name })) && attempt(async () => {
    await administration.removeKey(name);
    if (own) return location.reload();
    announce(text("keyRemoved", { name }));
  });
  const show = (keys) => redraw(list, table({
    caption: text("keys"), heads: [text("name"), text("keyRole"), text("modelMade"), text("lapsCorrect")],
    rows: keys.map((key) => [key.own ? `${key.name} (${text("keyOwn")})` : key.name, text(`role.${key.role}`), formatTime(key.created_at),
      element("div", { class: "actions" },
        button(text("keyRotate"), () => rotate(key), { "aria-label": text("keyRotateThis", { name: key.name }) }),
        button(text("keyRemove"), () => remove(key), { class: "danger", "aria-label": text("keyRemoveThis", { name: key.name }) }))]),
  }));
  const name = element("input", { id: "key-name", required: true, maxlength: 64, autocomplete: "off" });
  const role = element("select", { id: "key-role" }, roles.map((each) => element("option", { value: each, selected: each === "user" }, text(`role.${each}`))));
  const form = element("form", { class: "panel form", onsubmit: once(() => attempt(async () => {
    tell(await administration.makeKey(name.value.trim(), role.value));
    name.value = "";
  })) },
  element("div", { class: "field" }, element("label", { for: "key-name" }, text("keyFor")), name),
  element("div", { class: "field" }, element("label", { for: "key-role" }, text("keyRole")), role),
  element("div", { class: "actions" }, element("button", { class: "primary" }, text("keyMake"))));
  await attempt(() => {});
  return element("section", { "aria-labelledby": "key-manager" }, element("h2", { id: "key-manager" }, text("keysMake")), notice, list, form);
}
