// Makes a request out of an operation and the values for it: pure, used by the snippets and by the form.

import { exampleOf, fileFields, isBinary, isJSON } from "./description.js";

/** Names for the files of examples, by media type; `x-file` of the document says another. */
const FILE_NAMES = {
  "application/zip": "history.zip",
  "video/mp4": "clip.mp4",
  "application/x-ndjson": "history.jsonl",
  "application/octet-stream": "cat.jpg",
};
const fileName = (type, media) => media?.["x-file"] ?? FILE_NAMES[type] ?? (type.startsWith("image/") ? "cat.jpg" : "file.bin");

/**
 * The values of the document's examples: those of every required parameter, and of each optional one that has an example
 * of its own. `{ parameters: { "path id": "siamese" }, type, text, files: { image: ["cat.jpg"] } }`
 */
export function exampleValues(document, operation) {
  const parameters = {};
  for (const each of operation.parameters) {
    const value = each.required ? exampleOf(document, each) : each.example;
    if (value !== undefined) parameters[key(each)] = value;
  }
  return { parameters, ...exampleBody(document, operation) };
}

/** The example body of a media type, the first one of the operation unless named. */
export function exampleBody(document, operation, type = Object.keys(operation.requestBody?.content ?? {})[0]) {
  if (!type) return {};
  const media = operation.requestBody.content[type];
  if (type === "multipart/form-data") {
    const fields = fileFields(document, media);
    return {
      type,
      fields: Object.fromEntries(fields.filter((each) => !each.isFile && each.required).map((each) => [each.name, ""])),
      files: Object.fromEntries(fields.filter((each) => each.isFile).map((each) => [each.name, [fileName("image/jpeg", media)]])),
    };
  }
  const example = exampleOf(document, media);
  if (isJSON(type)) return { type, text: JSON.stringify(example ?? {}, null, 2) };
  if (isBinary(type) || example === undefined) return { type, file: fileName(type, media) };
  return { type, text: String(example) };
}

/** Under which a parameter's value is kept: a path and a query may have the same name. */
export const key = (parameter) => `${parameter.in} ${parameter.name}`;

/**
 * `{ method, url, headers, body }`; the body is undefined or has `type` and one of `text`, `file` (a name), or `fields`
 * and `files` (of a form).
 */
export function makeRequest(operation, values, base) {
  let path = operation.path;
  const query = [];
  const headers = {};
  for (const parameter of operation.parameters) {
    const value = values.parameters?.[key(parameter)];
    if (value === undefined || value === "") continue;
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(value));
    if (parameter.in === "query") for (const each of [value].flat()) query.push([parameter.name, String(each)]);
    if (parameter.in === "header") headers[parameter.name] = String(value);
  }
  const { type, text, file, fields, files } = values;
  return {
    method: operation.method,
    url: base + path + (query.length ? `?${query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&")}` : ""),
    headers,
    body: type ? { type, text, file, fields, files } : undefined,
  };
}
