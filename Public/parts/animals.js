// What is in a picture, as one list. The service says it twice, of the whole picture and of each box; here the two become one,
// and cards, boxes, sentences, tiles and films all read it: no two names on a screen disagree.

import { hasText, listOf, number, text } from "../languages/language.js";
import { articleAddress, certainty, noAnimal, sureKind } from "./certainty.js";
import { petName } from "./pet-name.js";

const animalLabels = new Set(["bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "wild cat", "wild dog"]);
/** That something is an animal says least of all. */
const vague = new Set(["animal", "other animal"]);
const pets = ["cat", "dog"];
/** What a person can say of an animal without naming its species or breed. */
const animalKinds = new Set(["cat", "dog", "wild_cat", "wild_dog", "other_pet", "farm_animal", "bird", "other_animal"]);
/** What pictures without an animal show. */
const lifeless = new Set(["person", "toy", "art", "scene", "object"]);
/** From here on a name is more than one of several. */
const sureEnough = 0.6;
const leastShown = 0.15;

/**
 * The animals of a scan or of a live frame, the most important first:
 * `{ name, label, kind, level, confidence, href, box, isSaid }`. `level`: `strong`, `fair`, `weak` or `none`; `kind`: what it is
 * counted as; `label` and `href` are null where no article tells of it; `box` is null where the place is not known.
 */
export function animalsIn(answer) {
  const boxes = answer.animals ?? (answer.boxes ?? []).filter(({ label, species }) => species || animalLabels.has(label) || vague.has(label));
  const named = boxes.length > 1 ? boxes.map(ofBox) : [ofWhole(answer, boxes[0] ?? null)];
  const animals = named.sort((one, other) => areaOf(other.box) - areaOf(one.box));
  return corrected(animals, answer);
}

const areaOf = (box) => (box ? box.width * box.height : 0);

/** `says`: which sentence of ours tells of it where no article does. */
const animal = (prediction, box, kind, says = "unlisted") => ({
  name: prediction.name, label: prediction.url ? prediction.label : null, kind: kind ?? prediction.label, level: certainty(prediction),
  confidence: prediction.confidence, href: prediction.url ? articleAddress(prediction.url) : null, box, isSaid: false, says,
});

/** In wider words: a cat, a bird, an animal. */
const widely = (kind, box, level = "strong") =>
  ({ name: text(`one.${kind}`), label: null, kind, level, confidence: null, href: null, box, isSaid: false, isWide: true, says: kind });

/** As the service names the box: by species, by breed, or in the widest word that is sure. */
function ofBox(box) {
  if (box.species) return animal(box.species, box);
  if (box.breed) return animal(box.breed, box, box.label);
  const kind = vague.has(box.label) ? "animal" : box.label.replaceAll(" ", "_");
  if (!hasText(`one.${kind}`)) return animal({ ...box, url: null }, box);
  return widely(kind, box, vague.has(box.label) ? "weak" : box.confidence >= sureEnough ? "strong" : "fair");
}

/** A picture with one animal, or a thing: the surer of what the whole and the box say, or else the narrowest word for either. */
function ofWhole(answer, box) {
  const best = answer.abstained ? null : answer.predictions[0] ?? null;
  const own = box?.species ?? box?.breed;
  if (own && own.confidence > (best?.confidence ?? 0)) return ofBox(box);
  const [kind] = answer.heads?.kinds ?? [];
  const says = answer.head === "drawings" ? "art" : kind && !lifeless.has(kind.label) ? "unlisted" : "object";
  if (best && certainty(best) !== "none") return animal(best, box, pets.find((each) => answer.head === `${each}s`), says);
  if (answer.head === "drawings") return widely("art", null);
  if (box && !vague.has(box.label)) return ofBox(box);
  const sure = sureKind(answer);
  if (sure) return widely(sure, box);
  if (kind?.confidence >= sureEnough && hasText(`one.${kind.label}`)) return widely(kind.label, box, "fair");
  return box ? ofBox(box) : widely("none", null, "none");
}

/** What a track of a film is called. */
export const trackName = ({ name, species, breed }) => (species ?? breed)?.name ?? name;

/** What a person says goes before what the service says, of the animal that it spoke of. */
function corrected(animals, { corrected_label: label, corrected_name: name, note }) {
  if (!label) return animals;
  // A thing has no article: its name is in the note.
  if (label === noAnimal) {
    const [guess] = animals;
    const thing = note?.split("\n")[0];
    const confirms = isLifeless(guess) && (thing ? thing === guess.name : guess.isWide);
    return [{ ...widely("none", null), name: thing || (confirms ? guess.name : text("noAnimal")), label: noAnimal, isSaid: true, isWide: false, confirms }];
  }
  const [first, ...rest] = animals;
  if (isKindOfAnimal(label)) return [{ ...widely(label, first.box), isSaid: true, isWide: false, confirms: first.says === label }, ...rest];
  const said = { name: name ?? label.replaceAll("_", " "), label, kind: label, level: "strong", href: `#breeds/${label}`, isSaid: true, isWide: false };
  return [{ ...first, ...said, kind: first.kind === "none" ? label : first.kind, confirms: first.label === label }, ...rest];
}

export const isLifeless = ({ says }) => lifeless.has(says);

export const isKindOfAnimal = (label) => animalKinds.has(label);

/** Other names that the picture gave reason for, likeliest first. What is sure to be a dog is no breed of cats. `least`: confidence. */
export function possibilities(answer, { label, box, kind }, least = leastShown) {
  const isOther = pets.includes(kind) && pets.some((each) => each !== kind && answer.head === `${each}s`);
  const all = [...(box?.predictions ?? []), ...(isOther ? [] : answer.predictions)].filter(({ url, confidence }) => url && confidence >= least)
    .sort((one, other) => other.confidence - one.confidence);
  return all.filter((each, index) => each.label !== label && all.findIndex((other) => other.label === each.label) === index);
}

/** “Siamese”, “A dog and two cats”. */
export function headline(animals) {
  if (animals.length === 1) return animals[0].name;
  const kinds = [...new Set(animals.map(({ kind }) => kind))];
  const words = listOf(kinds.map((kind) => {
    const same = animals.filter((each) => each.kind === kind);
    const n = same.length;
    // Nothing is there that they could be other than.
    if (kind === "animal" && kinds.length === 1) return text("some.any", { n, words: hasText(`number.${n}`) ? text(`number.${n}`) : number(n) });
    if (hasText(`some.${kind}`)) return text(`some.${kind}`, { n, words: hasText(`number.${n}`) ? text(`number.${n}`) : number(n) });
    return n === 1 ? same[0].name : `${number(n)} × ${same[0].name}`;
  }));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a scan is called: the animal's own name, and what it is. */
export function nameFor(scan) {
  const what = headline(animalsIn(scan));
  const name = petName(scan);
  return name ? `${name} (${what})` : what;
}
