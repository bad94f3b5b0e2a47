// Writes every snippet of every call as JSON: node snippets.mjs DOCUMENT BASE > {"listBreeds": {"curl": "…", …}, …}
import { readFile } from "node:fs/promises";

import { operations } from "../../Public/docs/modules/description.js";
import { snippets } from "../../Public/docs/modules/snippets.js";

const [file, base] = process.argv.slice(2);
const description = JSON.parse(await readFile(file));
const all = operations(description).map((operation) => [operation.id, snippets(description, operation, { base, withKey: true })]);
process.stdout.write(JSON.stringify(Object.fromEntries(all)));
