// One field that finds scans by breed, by the animal's own name, by kind and by note: the service is asked for each of them.

import * as api from "../services/api.js";

const mostOf = 6;
const folded = (words) => words.toLowerCase();

/** Words for all cats and all dogs, in both languages: what is typed need not be in the language of the page. */
const kinds = { cat: ["cat", "cats", "kissa", "kissat", "kissoja"], dog: ["dog", "dogs", "koira", "koirat", "koiria"] };
const kindsOf = (words) => Object.keys(kinds).filter((kind) => kinds[kind].includes(words));

/** The words by which each thing is known: its English label and its Finnish name. Asked for once. */
let things = null;
const allThings = () => things ??= api.json("/laps/labels?lang=fi").then(
  ({ items }) => items.map(({ label, name }) => ({ label, words: folded(`${label} ${name}`).split(/[^\p{L}\p{N}]+/u) })),
  () => {
    things = null;
    return [];
  });

/** Labels of things that the word names: “norsu” finds Indian and African elephants. */
const thingsOf = async (word) => (await allThings())
  .filter(({ words }) => words.some((each) => each === word || (word.length > 3 && each.endsWith(word)))).map(({ label }) => label);

/** What to ask of `GET /history` for these words: one set of filters for each way of finding. */
async function waysOf(words, signal) {
  const key = folded(words.trim());
  const [pets, { items }, found] = await Promise.all([
    api.individuals(), api.breeds({ q: words, limit: mostOf }, signal).catch(() => ({ items: [] })), thingsOf(key),
  ]);
  const species = kindsOf(key);
  // All cats are found by their kind.
  const labels = species.length ? [] : [key.replaceAll(" ", "_"), ...items.map(({ id }) => id), ...found.slice(0, mostOf)];
  return [
    { q: words }, ...species.map((each) => ({ species: each })), ...[...new Set(labels)].map((label) => ({ label })),
    ...pets.filter(({ name }) => folded(name).includes(key)).slice(0, mostOf).map(({ name }) => ({ individual: name })),
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
