// The same call in four languages: pure, so that a test makes every snippet under node and runs it.

import { isBinary, isJSON, success } from "./description.js";
import { exampleValues, makeRequest } from "./request.js";

/** Name, what people call it, and what makes the text of a request. */
export const LANGUAGES = [
  { id: "curl", name: "curl", write: curl },
  { id: "python", name: "Python", write: python },
  { id: "javascript", name: "JavaScript", write: javascript },
  { id: "swift", name: "Swift", write: swift },
];

/** Where a snippet takes the key from: it is never written into one. */
const KEY = "API_KEY";

/**
 * `{ curl, python, javascript, swift }` for an operation.
 *
 * @param options `base` (such as `http://localhost:8080`), `values` (those of the examples unless given) and `withKey`:
 *   whether the call is signed with the key in the environment variable API_KEY.
 */
export function snippets(document, operation, { base, values = exampleValues(document, operation), withKey = false }) {
  const request = makeRequest(operation, values, base);
  const answer = answerKind(success(document, operation).type, operation);
  return Object.fromEntries(LANGUAGES.map(({ id, write }) => [id, write(request, answer, withKey)]));
}

/** How the names of files end, by media type; of all others with jpg. */
const ENDINGS = { "application/zip": "zip", "image/svg+xml": "svg", "video/mp4": "mp4" };

/** `{ kind: "none" | "json" | "text" | "file", name }` */
function answerKind(type, operation) {
  if (!type) return { kind: "none" };
  if (isJSON(type)) return { kind: "json" };
  if (!isBinary(type)) return { kind: "text" };
  const last = operation.path.split("/").filter((each) => !each.startsWith("{")).at(-1);
  return { kind: "file", name: `${last}.${ENDINGS[type] ?? "jpg"}` };
}

// curl

const shell = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

function curl({ method, url, headers, body }, answer, withKey) {
  const lines = [];
  if (withKey) lines.push(`--header "Authorization: Bearer $${KEY}"`);
  for (const [name, value] of Object.entries(headers)) lines.push(`--header ${shell(`${name}: ${value}`)}`);
  if (body?.files) {
    for (const [name, value] of Object.entries(body.fields ?? {})) lines.push(`--form-string ${shell(`${name}=${value}`)}`);
    for (const [name, files] of Object.entries(body.files)) {
      for (const file of files) lines.push(`--form ${shell(`${name}=@${file}`)}`);
    }
  } else if (body) {
    lines.push(`--header ${shell(`Content-Type: ${body.type}`)}`);
    lines.push(body.file ? `--data-binary ${shell(`@${body.file}`)}` : `--data ${shell(compact(body))}`);
  }
  if (answer.kind === "file") lines.push(`--output ${shell(answer.name)}`);
  const implied = body ? "POST" : "GET";
  const start = `curl --fail-with-body${method === implied ? "" : ` --request ${method}`}`;
  return [start, ...lines, shell(url)].join(" \\\n  ");
}

/** JSON on one line where that is what the body is. */
function compact({ type, text }) {
  if (!isJSON(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

// Python, with requests

function python({ method, url, headers, body }, answer, withKey) {
  const imports = ["import requests"];
  const extra = [];
  const fields = Object.entries(headers).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`);
  if (withKey) {
    imports.unshift("import os");
    fields.unshift(`"Authorization": f"Bearer {os.environ['${KEY}']}"`);
  }
  if (body?.files) {
    const files = Object.entries(body.files)
      .flatMap(([name, each]) => each.map((file) => `(${quoted(name)}, open(${quoted(file)}, "rb"))`));
    if (Object.keys(body.fields ?? {}).length) extra.push(`data=${pythonValue(body.fields)}`);
    extra.push(`files=[${files.join(", ")}]`);
  } else if (body?.file) {
    fields.push(`"Content-Type": ${quoted(body.type)}`);
    extra.push(`data=open(${quoted(body.file)}, "rb")`);
  } else if (body && isJSON(body.type)) {
    extra.push(`json=${pythonValue(parsed(body.text))}`);
  } else if (body) {
    fields.push(`"Content-Type": ${quoted(body.type)}`);
    extra.push(`data=${quoted(body.text)}.encode()`);
  }
  if (fields.length) extra.unshift(`headers={${fields.join(", ")}}`);
  const call = [quoted(url), ...extra];
  const short = `response = requests.${method.toLowerCase()}(${call.join(", ")})`;
  const lines = [
    short.length <= 100 ? short
      : `response = requests.${method.toLowerCase()}(\n${call.map((each) => `    ${each},\n`).join("")})`,
    "response.raise_for_status()",
  ];
  if (answer.kind === "json") lines.push("print(response.json())");
  if (answer.kind === "text") lines.push("print(response.text)");
  if (answer.kind === "file") {
    imports.unshift("import pathlib");
    lines.push(`pathlib.Path(${quoted(answer.name)}).write_bytes(response.content)`);
  }
  return `${imports.join("\n")}\n\n${lines.join("\n")}`;
}

const quoted = (text) => JSON.stringify(String(text));

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pythonValue(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value).map(([name, each]) => `${quoted(name)}: ${pythonValue(each)}`).join(", ")}}`;
  }
  return JSON.stringify(value);
}

// JavaScript: Node 20 and later; all but the files is the same in a browser

function javascript({ method, url, headers, body }, answer, withKey) {
  const imported = [];
  const before = [];
  const options = [];
  const fields = Object.entries(headers).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`);
  if (withKey) fields.unshift(`Authorization: \`Bearer \${process.env.${KEY}}\``);
  if (method !== "GET") options.push(`method: ${quoted(method)}`);
  if (body?.files) {
    imported.push("readFile");
    before.push("const form = new FormData();");
    for (const [name, value] of Object.entries(body.fields ?? {})) {
      before.push(`form.append(${quoted(name)}, ${quoted(value)});`);
    }
    for (const [name, files] of Object.entries(body.files)) {
      for (const file of files) {
        before.push(`form.append(${quoted(name)}, new Blob([await readFile(${quoted(file)})]), ${quoted(file)});`);
      }
    }
    options.push("body: form");
  } else if (body) {
    fields.push(`"Content-Type": ${quoted(body.type)}`);
    if (body.file) imported.push("readFile");
    if (body.file) options.push(`body: await readFile(${quoted(body.file)})`);
    else if (isJSON(body.type)) options.push(`body: JSON.stringify(${JSON.stringify(parsed(body.text))})`);
    else options.push(`body: ${quoted(body.text)}`);
  }
  if (fields.length) options.splice(method === "GET" ? 0 : 1, 0, `headers: { ${fields.join(", ")} }`);
  const call = options.length ? `, {\n${options.map((each) => `  ${each},\n`).join("")}}` : "";
  const lines = [
    ...before,
    `const response = await fetch(${quoted(url)}${call});`,
    "if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);",
  ];
  if (answer.kind === "json") lines.push("console.log(await response.json());");
  if (answer.kind === "text") lines.push("console.log(await response.text());");
  if (answer.kind === "file") {
    imported.push("writeFile");
    lines.push(`await writeFile(${quoted(answer.name)}, response.body);`);
  }
  const head = imported.length ? `import { ${imported.join(", ")} } from "node:fs/promises";\n\n` : "";
  return head + lines.join("\n");
}

// Swift, with Foundation on every platform

function swift({ method, url, headers, body }, answer, withKey) {
  const lines = [`var request = URLRequest(url: URL(string: ${swiftText(url)})!)`];
  if (method !== "GET") lines.push(`request.httpMethod = ${swiftText(method)}`);
  if (withKey) {
    lines.push(`let key = ProcessInfo.processInfo.environment["${KEY}"] ?? ""`);
    lines.push(`request.setValue("Bearer \\(key)", forHTTPHeaderField: "Authorization")`);
  }
  const set = (name, value) => lines.push(`request.setValue(${value}, forHTTPHeaderField: ${swiftText(name)})`);
  for (const [name, value] of Object.entries(headers)) set(name, swiftText(value));
  if (body?.files) {
    lines.push("let boundary = UUID().uuidString");
    set("Content-Type", `"multipart/form-data; boundary=\\(boundary)"`);
    lines.push("var form = Data()");
    for (const [name, value] of Object.entries(body.fields ?? {})) {
      const text = `--\\(boundary)\\r\\nContent-Disposition: form-data; name=\\"${name}\\"\\r\\n\\r\\n${swiftText(value).slice(1, -1)}\\r\\n`;
      lines.push(`form.append(Data("${text}".utf8))`);
    }
    for (const [name, files] of Object.entries(body.files)) {
      for (const file of files) {
        const plainName = file.replaceAll(/["\\\r\n]/g, "_");
        const disposition = `form-data; name=\\"${name}\\"; filename=\\"${plainName}\\"`;
        lines.push(`form.append(Data("--\\(boundary)\\r\\nContent-Disposition: ${disposition}\\r\\n\\r\\n".utf8))`);
        lines.push(`form.append(try Data(contentsOf: URL(fileURLWithPath: ${swiftText(file)})))`);
        lines.push(`form.append(Data("\\r\\n".utf8))`);
      }
    }
    lines.push(`form.append(Data("--\\(boundary)--\\r\\n".utf8))`, "request.httpBody = form");
  } else if (body) {
    set("Content-Type", swiftText(body.type));
    lines.push(body.file ? `request.httpBody = try Data(contentsOf: URL(fileURLWithPath: ${swiftText(body.file)}))`
      : `request.httpBody = Data(${swiftText(compact(body))}.utf8)`);
  }
  const used = answer.kind === "none" ? "_" : "data";
  lines.push(
    `let (${used}, response) = try await URLSession.shared.data(for: request)`,
    "guard let status = (response as? HTTPURLResponse)?.statusCode, 200..<300 ~= status else {",
    "    throw URLError(.badServerResponse)",
    "}");
  if (answer.kind === "json" || answer.kind === "text") lines.push("print(String(decoding: data, as: UTF8.self))");
  if (answer.kind === "file") lines.push(`try data.write(to: URL(fileURLWithPath: ${swiftText(answer.name)}))`);
  const variable = lines.some((line) => /^request\./.test(line));
  if (!variable) lines[0] = lines[0].replace("var", "let");
  return `import Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n\n${lines.join("\n")}`;
}

/** A Swift literal; raw where the text has quotation marks or backslashes. */
function swiftText(text) {
  const plain = String(text).replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  if (!/["\\]/.test(text)) return `"${plain}"`;
  return `#"${String(text).replaceAll("\n", "\\#n").replaceAll("\r", "\\#r")}"#`;
}
