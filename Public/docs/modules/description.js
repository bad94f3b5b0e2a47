// Reads the OpenAPI document: pure, so that tests run it under node as well.

const METHODS = ["get", "post", "put", "patch", "delete"];

/** What `{ "$ref": "#/…" }` points to; anything else as it is. */
export function resolve(document, node) {
  let found = node;
  while (found?.$ref) {
    found = found.$ref.slice(2).split("/").reduce((place, key) => place?.[key], document);
  }
  return found;
}

/** The last part of a reference: `Problem` of `#/components/schemas/Problem`. */
export const nameOf = (node) => node?.$ref?.split("/").at(-1);

/** Every operation: `{ id, method, path, summary, description, tags, parameters, requestBody, responses, security }`. */
export function operations(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const operation = item[method];
      return {
        ...operation,
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        tags: operation.tags ?? ["other"],
        parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) => resolve(document, each)),
        requestBody: resolve(document, operation.requestBody),
      };
    }));
}

/** `[{ name, description, operations }]` in the order of the document's tags. */
export function groups(document) {
  const all = operations(document);
  const named = document.tags ?? [];
  const others = [...new Set(all.flatMap((each) => each.tags))].filter((name) => !named.some((tag) => tag.name === name));
  return [...named, ...others.map((name) => ({ name }))]
    .map((tag) => ({ ...tag, operations: all.filter((each) => each.tags[0] === tag.name) }))
    .filter((group) => group.operations.length > 0);
}

/** The first example that a parameter, a header or a media type has; undefined without any. */
export function exampleOf(document, node) {
  if (node.example !== undefined) return node.example;
  const first = Object.values(node.examples ?? {})[0];
  if (first) return resolve(document, first).value;
  const schema = resolve(document, node.schema);
  return schema?.examples?.[0] ?? schema?.default;
}

/** Whether a media type's content is bytes rather than text. */
export const isBinary = (type) =>
  /^(image|video|audio)\//.test(type) || ["application/zip", "application/octet-stream"].includes(type);

export const isJSON = (type) => type === "application/json" || type.endsWith("+json");

/** The names of a form's file fields, with whether each takes several. */
export function fileFields(document, media) {
  const schema = resolve(document, media.schema) ?? {};
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const plain = resolve(document, property);
    const items = plain.type === "array" ? resolve(document, plain.items) : plain;
    return { name, several: plain.type === "array", isFile: items.format === "binary", required: (schema.required ?? []).includes(name) };
  });
}

/** What a right request is answered with: `{ status, type }`, the type undefined where there is no content. */
export function success(document, operation) {
  const status = Object.keys(operation.responses).filter((each) => each.startsWith("2")).sort()[0];
  const response = resolve(document, operation.responses[status]);
  return { status: Number(status), type: Object.keys(response?.content ?? {})[0] };
}
