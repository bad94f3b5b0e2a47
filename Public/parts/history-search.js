// The search of the history. One text finds scans by breed, thing, pet name, species or note. Each way is a request of its own.

import * as api from "../services/api.js";

const mostOf = 6;
const folded = (words) => words.normalize().toLowerCase();

/** The English and Finnish words for all cats and all dogs. The search accepts both languages, whatever the page's language is. */
const kinds = { cat: ["cat", "cats", "kissa", "kissat", "kissoja"], dog: ["dog", "dogs", "koira", "koirat", "koiria"] };
const kindsOf = (words) => Object.keys(kinds).filter((kind) => kinds[kind].includes(words));

/** The searchable words of every thing that the models can name: its English label and its Finnish name. Fetched once. */
let things = null;
const allThings = () => things ??= api.json("/laps/labels?lang=fi").then(
  ({ items }) => items.map(({ label, name }) => ({ label, words: folded(`${label} ${name}`).split(/[^\p{L}\p{N}]+/u) })),
  () => {
    things = null;
    return [];
  });

/** Returns the labels of all things that `word` names. For example, “norsu” (elephant) finds the Indian and the African elephant. */
const thingsOf = async (word) => (await allThings())
  .filter(({ words }) => words.some((each) => each === word || (word.length > 3 && each.endsWith(word)))).map(({ label }) => label);

/** Returns the filters of `GET /history` for the words: one object for each way to find scans. */
async function waysOf(words, signal) {
  const key = folded(words.trim());
  const [pets, { items }, found] = await Promise.all([
    api.individuals(), api.breeds({ q: words, limit: mostOf }, signal).catch(() => ({ items: [] })), thingsOf(key),
  ]);
  const species = kindsOf(key);
  // The species filter finds all cats or all dogs, so breed labels are not needed.
  const labels = species.length ? [] : [key.replaceAll(" ", "_"), ...items.map(({ id }) => id), ...found.slice(0, mostOf)];
  return [
    { q: words }, ...species.map((each) => ({ species: each })), ...[...new Set(labels)].map((label) => ({ label })),
    ...pets.filter(({ name }) => folded(name).includes(key)).slice(0, mostOf).map(({ name }) => ({ individual: name })),
  ];
}

export const newestFirst = (one, other) => (one.created_at < other.created_at || (one.created_at === other.created_at && one.id < other.id) ? 1 : -1);

/**
 * Fetches one page of search results in the form of `GET /history`. `cursor`: the `next_cursor` of the previous page.
 * Each filter has pages of its own, so a later page can hold scans that are newer than some of an earlier page.
 * Before the last page, `total` is the largest number that one filter finds.
 */
export async function searchHistory(words, filters, cursor, signal) {
  const { ways, listed } = cursor ?? { ways: (await waysOf(words, signal)).map((way) => ({ way, next: null })), listed: [] };
  const pages = await Promise.all(ways.map(({ way, next }) => api.history({ ...filters, ...way, limit: 100, cursor: next }, signal)));
  const found = new Map(pages.flatMap(({ items }) => items).map((scan) => [scan.id, scan]));
  for (const id of listed) found.delete(id);
  const all = [...listed, ...found.keys()];
  const rest = ways.map(({ way }, index) => ({ way, next: pages[index].next_cursor })).filter(({ next }) => next !== null);
  return {
    items: [...found.values()].sort(newestFirst), total: Math.max(all.length, ...pages.map(({ total }) => total)),
    next_cursor: rest.length ? { ways: rest, listed: all } : null,
  };
}
