// One field that finds scans by breed, by the animal's own name, by kind and by note: the service is asked for each of them.

import * as api from "../services/api.js";
import { text } from "../languages/language.js";

const mostOf = 6;
const folded = (words) => words.toLowerCase();

/** Words for a kind in the singular and the plural, such as “kissa” and “kissat”. */
const kindsOf = (words) => ["cat", "dog"].filter((kind) => [text(kind), text(`some.${kind}`, { n: 1 }), kind].some((each) => folded(each).split(" ").includes(words)));

/** What to ask of `GET /history` for these words: one set of filters for each way of finding. */
async function waysOf(words, signal) {
  const key = folded(words);
  const [pets, { items }] = await Promise.all([api.individuals(), api.breeds({ q: words, limit: mostOf }, signal).catch(() => ({ items: [] }))]);
  return [
    { q: words }, { label: key.replaceAll(" ", "_") },
    ...kindsOf(key).map((species) => ({ species })),
    ...pets.filter(({ name }) => folded(name).includes(key)).slice(0, mostOf).map(({ name }) => ({ individual: name })),
    ...items.filter(({ id }) => id !== key).map(({ id }) => ({ label: id })),
  ];
}

const newestFirst = (one, other) => (one.created_at < other.created_at || (one.created_at === other.created_at && one.id < other.id) ? 1 : -1);

/**
 * A page of `GET /history` of all that the words mean, in its form; `cursor` is what the page before gave.
 * The pages of each way follow each other: what is older in one may come before what is newer in another.
 */
export async function searchHistory(words, filters, cursor, signal) {
  const ways = cursor ?? (await waysOf(words, signal)).map((way) => ({ way, next: null }));
  const pages = await Promise.all(ways.map(({ way, next }) => api.history({ ...filters, ...way, limit: 100, cursor: next }, signal)));
  const found = new Map(pages.flatMap(({ items }) => items).map((scan) => [scan.id, scan]));
  const rest = ways.map(({ way }, index) => ({ way, next: pages[index].next_cursor })).filter(({ next }) => next !== null);
  return { items: [...found.values()].sort(newestFirst), total: found.size, next_cursor: rest.length ? rest : null };
}
