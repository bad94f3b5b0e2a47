// One call: what it takes and answers, how it looks in four languages, and a form to try it.

import { element } from "../../parts/dom.js";
import { exampleOf, isJSON, resolve } from "./description.js";
import { tryForm } from "./form.js";
import { entry, schemaView } from "./schema.js";
import { snippetView } from "./samples.js";
import { paragraphs } from "./text.js";

export function operationView(document, operation) {
  const { id, method, path, summary } = operation;
  const body = element("div", { class: "body" });
  const draw = () => { if (!body.childElementCount) body.append(...contents(document, operation)); };
  return element("details", { class: "call", id, ontoggle: (event) => { if (event.target.open) draw(); } },
    element("summary", {},
      element("h3", {}, element("span", { class: `method ${method.toLowerCase()}` }, method), " ",
        element("code", {}, path), " ", element("span", { class: "summary" }, summary))),
    body);
}

function contents(document, operation) {
  const samples = snippetView(document, operation);
  const form = tryForm(document, operation, samples.show);
  return [
    ...paragraphs(operation.description),
    ...security(document, operation),
    operation.parameters.length ? element("section", {}, element("h4", {}, "Parameters"),
      element("ul", {}, ...operation.parameters.map((each) => entry(document, each.name, each.schema, {
        required: each.required, note: `in the ${each.in}`, description: each.description,
      })))) : "",
    operation.requestBody ? requestBody(document, operation.requestBody) : "",
    element("section", {}, element("h4", {}, "Answers"),
      ...Object.entries(operation.responses).map(([status, each]) => answer(document, status, resolve(document, each)))),
    element("section", {}, element("h4", {}, "As code"), samples.view),
    element("section", {}, element("h4", {}, "Try it"), form),
  ].filter((each) => each !== "");
}

/** Which keys a call takes, where the document says so. */
function security(document, operation) {
  const role = operation["x-role"];
  const ways = (operation.security ?? document.security ?? []).flatMap((each) => Object.keys(each));
  if (!ways.length) return [];
  return [element("p", { class: "quiet" },
    `Where the service has keys, this takes one${role ? ` of the role ${role} or above` : ""}.`)];
}

function requestBody(document, { required, description, content }) {
  return element("section", {}, element("h4", {}, required ? "Body (required)" : "Body"), ...paragraphs(description),
    ...Object.entries(content).map(([type, media]) => mediaView(document, type, media)));
}

function answer(document, status, { description, headers = {}, content = {} }) {
  const body = element("div");
  const draw = () => {
    if (body.childElementCount) return;
    const fields = Object.entries(headers);
    if (fields.length) {
      body.append(element("h5", {}, "Header fields"), element("ul", {}, ...fields.map(([name, each]) => {
        const header = resolve(document, each);
        return entry(document, name, header.schema, { description: header.description });
      })));
    }
    body.append(...Object.entries(content).map(([type, media]) => mediaView(document, type, media)));
  };
  return element("details", { class: "answer", ontoggle: (event) => { if (event.target.open) draw(); } },
    element("summary", {}, element("strong", {}, status), ` ${description}`), body);
}

function mediaView(document, type, media) {
  const example = exampleOf(document, media);
  const text = typeof example === "string" && !isJSON(type) ? example : JSON.stringify(example, null, 2);
  return element("details", { class: "media" }, element("summary", {}, element("code", {}, type)),
    schemaView(document, media.schema),
    example === undefined ? null : element("h5", {}, "Example"),
    example === undefined ? null : element("pre", { tabindex: "0" }, element("code", {}, text)));
}
