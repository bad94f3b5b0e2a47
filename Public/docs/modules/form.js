// A form that sends a call and shows what is answered. The snippets follow what is filled in.

import { confirmed, element, once } from "../../parts/dom.js";
import { answerView, failureView } from "./answer.js";
import { fileFields, isBinary, resolve } from "./description.js";
import { exampleBody, exampleValues, key, makeRequest } from "./request.js";

/** The key with which calls are signed; it is never kept. */
const secret = () => document.getElementById("key").value.trim();

export function tryForm(description, operation, show) {
  const examples = exampleValues(description, operation);
  const fields = operation.parameters.map((each) => parameterField(description, operation, each, examples));
  const body = bodyFields(description, operation);
  const result = element("div", { class: "result", role: "status" });

  const values = (names) => ({
    parameters: Object.fromEntries(fields.map((field) => [field.key, field.value()])),
    ...body?.values(names),
  });
  const follow = () => show(values(true), secret() !== "");
  const form = element("form", {
    class: "try", novalidate: true, oninput: follow, onchange: follow,
    onsubmit: once(() => submit(operation, values(false), result)),
  }, ...fields.map((field) => field.view), body?.view,
  element("div", { class: "actions" }, element("button", { class: "primary", type: "submit" }, "Send")), result);
  body?.whenChanged(follow);
  document.getElementById("key").addEventListener("input", follow);
  follow();
  return form;
}

async function submit(operation, values, result) {
  if (operation.method === "DELETE" && !(await confirmed(`${operation.summary}: really send this call?`))) return;
  const request = makeRequest(operation, values, "..");
  const headers = new Headers(request.headers);
  if (secret()) headers.set("Authorization", `Bearer ${secret()}`);
  const body = content(request.body);
  if (body && !(body instanceof FormData)) headers.set("Content-Type", request.body.type);
  result.setAttribute("aria-busy", "true");
  const begin = performance.now();
  try {
    const response = await fetch(request.url, { method: request.method, headers, body });
    const bytes = await response.blob();
    const view = await answerView(response, bytes, performance.now() - begin);
    for (const old of result.querySelectorAll("[src], [download]")) URL.revokeObjectURL(old.src ?? old.href);
    result.replaceChildren(view);
  } catch (error) {
    result.replaceChildren(failureView(error));
  } finally {
    result.removeAttribute("aria-busy");
  }
}

function content(body) {
  if (!body) return undefined;
  if (body.files) {
    const form = new FormData();
    for (const [name, value] of Object.entries(body.fields)) if (value !== "") form.append(name, value);
    for (const [name, files] of Object.entries(body.files)) for (const file of files) form.append(name, file, file.name);
    return form;
  }
  return body.file ?? body.text;
}

// Fields

let count = 0;

function labelled(label, control, description) {
  control.id = `field-${++count}`;
  const help = description ? element("p", { class: "quiet", id: `${control.id}-help` }, description) : null;
  if (help) control.setAttribute("aria-describedby", help.id);
  return element("div", { class: "field" }, element("label", { for: control.id }, label), control, help);
}

function parameterField(description, operation, parameter, examples) {
  const schema = resolve(description, parameter.schema) ?? {};
  const repeated = schema.type === "array";
  const words = schema.enum ?? (schema.type === "boolean" ? ["true", "false"] : null);
  const example = examples.parameters[key(parameter)];
  const control = words
    ? element("select", {}, element("option", { value: "" }, "not given"),
      ...words.map((word) => element("option", { value: word, selected: String(word) === String(example) }, String(word))))
    : element("input", {
      type: "text", value: example === undefined ? "" : String(example), spellcheck: "false", autocapitalize: "off",
      inputmode: schema.type === "integer" ? "numeric" : schema.type === "number" ? "decimal" : null,
      required: parameter.required,
    });
  const hint = repeated ? "Several: with spaces between them." : null;
  return {
    key: key(parameter),
    view: labelled(`${parameter.name}${parameter.required ? " (required)" : ""}`, control, hint),
    value: () => {
      const text = control.value.trim();
      return text === "" ? undefined : repeated ? text.split(/\s+/) : text;
    },
  };
}

/** Fields for the body: its media type, and a file, a form or a text. */
function bodyFields(description, operation) {
  const types = Object.keys(operation.requestBody?.content ?? {});
  if (!types.length) return null;
  const choice = element("select", {}, ...types.map((type) => element("option", { value: type }, type)));
  const room = element("div");
  let read;
  let changed = () => {};
  const draw = () => {
    const drawn = drawBody(description, operation, choice.value);
    room.replaceChildren(...drawn.views);
    read = drawn.read;
    changed();
  };
  choice.addEventListener("change", draw);
  draw();
  return {
    view: element("div", {}, labelled("Media type of the body", choice), room),
    values: (names) => ({ type: choice.value, ...read(names) }),
    whenChanged: (action) => { changed = action; },
  };
}

/** `read(names)`: the names of files, for snippets, in place of the files themselves. */
function drawBody(description, operation, type) {
  const example = exampleBody(description, operation, type);
  if (type === "multipart/form-data") return drawForm(description, operation.requestBody.content[type], example);
  if (isBinary(type) || example.file) {
    const control = element("input", { type: "file" });
    return {
      views: [labelled("File", control)],
      read: (names) => ({ file: names ? control.files[0]?.name ?? example.file : control.files[0] ?? new Blob([]) }),
    };
  }
  const control = element("textarea", { rows: Math.min(16, example.text.split("\n").length + 1), spellcheck: "false" });
  control.value = example.text;
  return { views: [labelled("Body", control)], read: () => ({ text: control.value }) };
}

function drawForm(description, media, example) {
  const fields = fileFields(description, media).map((field) => ({
    ...field,
    control: element("input", field.isFile ? { type: "file", multiple: field.several } : { type: "text" }),
  }));
  return {
    views: fields.map(({ name, control }) => labelled(name, control)),
    read: (names) => ({
      fields: Object.fromEntries(fields.filter((each) => !each.isFile).map(({ name, control }) => [name, control.value])),
      files: Object.fromEntries(fields.filter((each) => each.isFile).map(({ name, control }) => {
        const chosen = [...control.files];
        return [name, !names ? chosen : chosen.length ? chosen.map((file) => file.name) : example.files[name]];
      })),
    }),
  };
}
