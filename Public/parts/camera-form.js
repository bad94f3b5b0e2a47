// A dialog that adds a network camera or changes its settings.

import * as administration from "../services/administration.js";
import { hasText, text } from "../languages/language.js";
import { asProblem } from "../services/problem.js";
import { ask } from "./dialog.js";
import { button, element, once, problemBox } from "./dom.js";
import { regionEditor } from "./regions.js";

/** `camera`: the camera to change, or null for a new one. `picture`: the address of its picture. Resolves with the saved camera, or null if cancelled. */
export const askForCamera = (camera, picture) => ask(camera ? text("cameraChangeThis", { name: camera.name }) : text("cameraNew"), (done) => {
  const name = element("input", { type: "text", id: "camera-name", required: true, maxlength: 60, autocomplete: "off", value: camera?.name });
  const url = element("input", {
    type: "text", id: "camera-url", required: !camera, maxlength: 2048, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    placeholder: camera?.address ?? "rtsp://", "aria-describedby": "camera-url-hint",
  });
  const looks = element("input", { type: "number", id: "camera-looks", min: 0.1, max: 30, step: 0.1, required: true, value: camera?.looks_per_second ?? 5 });
  const tick = (id, words, isOn) => {
    const box = element("input", { type: "checkbox", id, checked: isOn });
    return [box, element("label", { class: "tick" }, box, words)];
  };
  const [saves, savesField] = tick("camera-saves", text("cameraSaves"), camera?.saves_scans ?? true);
  const [watched, watchedField] = tick("camera-watched", text("cameraWatched"), camera?.enabled ?? true);
  // The ignored regions are drawn on the camera's picture. A new camera has no picture yet.
  const regions = camera ? regionEditor(camera.ignored, picture) : null;
  const output = element("div");
  const save = once(async () => {
    output.replaceChildren();
    try {
      done(await administration.saveCamera(camera?.id, {
        name: name.value, ...(url.value ? { url: url.value } : {}), looks_per_second: Number(looks.value), saves_scans: saves.checked, enabled: watched.checked,
        ...(regions ? { ignored: regions.value() } : {}),
      }));
    } catch (error) {
      const problem = asProblem(error);
      const words = `cameraWrong.${problem.field}`;
      output.replaceChildren(problemBox(hasText(words) ? { message: text(words) } : problem));
    }
  });
  const field = (input, label, hint) => element("div", { class: "field" }, element("label", { for: input.id }, label), input,
    hint ? element("p", { id: `${input.id}-hint`, class: "quiet" }, hint) : null);
  return element("form", { class: "form", onsubmit: save },
    field(name, text("cameraName")),
    field(url, text("cameraAddress"), camera ? text("cameraAddressSame") : text("cameraAddressHint")),
    field(looks, text("cameraLooks")), savesField, watchedField,
    regions ? element("fieldset", {}, element("legend", {}, text("cameraIgnored")), regions.element) : null,
    output,
    element("div", { class: "actions" }, element("button", { class: "primary" }, text(camera ? "save" : "cameraAdd")), button(text("cancel"), () => done(null))));
});
