// JSON Schema for people: a line for what a value may be, and what is inside of it to unfold.

import { element } from "../../parts/dom.js";
import { nameOf, resolve } from "./description.js";
import { inline, paragraphs } from "./text.js";

/** `whole number, 1 to 100, 20 without it` */
function brief(document, node) {
  const schema = resolve(document, node) ?? {};
  const words = [];
  const several = schema.anyOf ?? schema.oneOf;
  if (several) return several.map((each) => nameOf(each) ?? brief(document, each)).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const types = [schema.type ?? (schema.properties || schema.allOf ? "object" : "anything")].flat();
  words.push(types.map((type) => typeName(document, schema, type)).join(" or "));
  if (schema.enum) words[0] = schema.enum.length > 12 ? `one of ${schema.enum.length} words` : `one of ${schema.enum.join(", ")}`;
  const range = [schema.minimum ?? schema.exclusiveMinimum, schema.maximum ?? schema.exclusiveMaximum];
  if (schema.exclusiveMinimum !== undefined) words.push(`more than ${range[0]}`);
  else if (range[0] !== undefined && range[1] !== undefined) words.push(`${range[0]} to ${range[1]}`);
  else if (range[0] !== undefined) words.push(`at least ${range[0]}`);
  else if (range[1] !== undefined) words.push(`at most ${range[1]}`);
  if (schema.minItems !== undefined || schema.maxItems !== undefined) {
    words.push(`${schema.minItems ?? 0} to ${schema.maxItems ?? "any number of"} items`);
  }
  if (schema.maxLength !== undefined) words.push(`at most ${schema.maxLength} characters`);
  if (schema.default !== undefined) words.push(`${JSON.stringify(schema.default)} without it`);
  return words.join(", ");
}

function typeName(document, schema, type) {
  if (type === "array") {
    const name = nameOf(schema.items);
    return name ? `list of ${name}` : `list of ${schema.items ? brief(document, schema.items) : "anything"}`;
  }
  if (type === "string" && schema.format === "binary") return "file";
  if (type === "string" && schema.format === "date-time") return "RFC 3339 time";
  if (type === "string" && schema.contentEncoding) return schema.contentEncoding;
  return { string: "text", integer: "whole number", number: "number", boolean: "true or false", object: "object" }[type] ?? type;
}

/** What else is to be known of a value: its words, its pattern. */
function rules(schema) {
  const found = [];
  if (schema.enum?.length > 12) {
    found.push(element("details", {}, element("summary", {}, `All ${schema.enum.length} words`),
      element("p", {}, schema.enum.join(", "))));
  }
  if (schema.pattern) found.push(element("p", { class: "quiet" }, "Pattern: ", element("code", {}, schema.pattern)));
  return found;
}

/** A name, what the value may be, and what it means. */
export function entry(document, name, node, { required = false, note = "", description } = {}) {
  const schema = resolve(document, node) ?? {};
  return element("li", { class: "entry" },
    element("p", {}, element("code", { class: "name" }, name), ` ${brief(document, node)}`,
      required ? element("strong", {}, ", required") : null, note ? `, ${note}` : null),
    ...paragraphs(description ?? node.description ?? schema.description),
    ...rules(schema), inside(document, node));
}

/** The schema of a body, unfolded one level. */
export function schemaView(document, node) {
  const children = members(document, node);
  const name = nameOf(node);
  return element("div", { class: "schema" },
    element("p", {}, name ? element("strong", {}, name) : null, name ? ": " : null, ...inline(brief(document, node))),
    children.length ? element("ul", {}, ...children.map((make) => make())) : null);
}

/** What is inside a value, drawn when it is unfolded: schemas may contain themselves. */
function inside(document, node) {
  const children = members(document, node);
  if (!children.length) return null;
  const list = element("ul");
  return element("details", { ontoggle: () => { if (!list.childElementCount) list.append(...children.map((make) => make())); } },
    element("summary", {}, `Inside ${nameOf(node) ?? nameOf(resolve(document, node)?.items) ?? "of it"}`), list);
}

/** Functions that each draw one member; `outer`: the schemas around this one, which a list may lead back to. */
function members(document, node, outer = []) {
  const schema = resolve(document, node) ?? {};
  if (outer.includes(schema)) return [];
  const around = [...outer, schema];
  if (schema.allOf) return schema.allOf.flatMap((each) => members(document, each, around));
  const several = (schema.anyOf ?? schema.oneOf ?? []).filter((each) => members(document, each, around).length);
  if (several.length) {
    return several.map((each) => () => entry(document, nameOf(each) ?? "or", each));
  }
  if (schema.items) return members(document, schema.items, around);
  const required = schema.required ?? [];
  const named = Object.entries(schema.properties ?? {})
    .map(([name, child]) => () => entry(document, name, child, { required: required.includes(name) }));
  if (schema.additionalProperties?.constructor === Object) {
    named.push(() => entry(document, "any other name", schema.additionalProperties));
  }
  return named;
}
