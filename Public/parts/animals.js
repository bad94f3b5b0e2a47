// The animals of a picture as one list. The service describes the whole picture and each bounding box separately; this file merges
// the two. Cards, boxes, sentences and tiles all use this list, so every name on a screen agrees.

import { hasText, listOf, number, text } from "../languages/language.js";
import { articleAddress, certainty, noAnimal, sureKind } from "./certainty.js";
import { petName } from "./pet-name.js";

const animalLabels = new Set(["bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "wild cat", "wild dog"]);
/** Detector labels that only say that something is an animal. */
const vague = new Set(["animal", "other animal"]);
const pets = ["cat", "dog"];
/** Corrections that name a group of animals, not a species or a breed. */
const animalKinds = new Set(["cat", "dog", "wild_cat", "wild_dog", "other_pet", "farm_animal", "bird", "other_animal"]);
/** The kinds of picture content that are not animals. */
const lifeless = new Set(["person", "toy", "art", "scene", "object"]);
/** The confidence from which a kind of animal or thing counts as recognised. */
const sureEnough = 0.6;
const leastShown = 0.15;

/**
 * Lists the animals of a scan or a live frame. The largest bounding box comes first. Each entry is
 * `{ name, label, kind, level, confidence, href, box, isSaid }`. `level`: `strong`, `fair`, `weak` or `none`. `kind`: the group for
 * counting. `label` and `href`: null without an article. `box`: null if the place is unknown. `isSaid`: a person gave the name.
 */
export function animalsIn(answer) {
  const boxes = answer.animals ?? (answer.boxes ?? []).filter(({ label, species }) => species || animalLabels.has(label) || vague.has(label));
  const named = boxes.length > 1 ? boxes.map(ofBox) : [ofWhole(answer, boxes[0] ?? null)];
  const animals = named.sort((one, other) => areaOf(other.box) - areaOf(one.box));
  return corrected(animals, answer);
}

const areaOf = (box) => (box ? box.width * box.height : 0);

/** One entry of the list. `says` selects the page's own sentence for an animal without an article. */
const animal = (prediction, box, kind, says = "unlisted") => ({
  name: prediction.name, label: prediction.url ? prediction.label : null, kind: kind ?? prediction.label, level: certainty(prediction),
  confidence: prediction.confidence, href: prediction.url ? articleAddress(prediction.url) : null, box, isSaid: false, says,
});

/** An entry with a general name, such as “A cat”, “A bird” or “An animal”. It has no label and no confidence. */
const widely = (kind, box, level = "strong") =>
  ({ name: text(`one.${kind}`), label: null, kind, level, confidence: null, href: null, box, isSaid: false, isWide: true, says: kind });

/** Names a bounding box by its species or its breed, and otherwise by the detector's label. */
function ofBox(box) {
  if (box.species) return animal(box.species, box);
  if (box.breed) return animal(box.breed, box, box.label);
  const kind = vague.has(box.label) ? "animal" : box.label.replaceAll(" ", "_");
  if (!hasText(`one.${kind}`)) return animal({ ...box, url: null }, box);
  return widely(kind, box, vague.has(box.label) ? "weak" : box.confidence >= sureEnough ? "strong" : "fair");
}

/** The entry for a picture with at most one box: it takes the surer of the picture's and the box's names, and otherwise a general name. */
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

/** The name of a track in a video: its species or breed if known, otherwise the detector's name. */
export const trackName = ({ name, species, breed }) => (species ?? breed)?.name ?? name;

/** Applies the person's correction to the first animal. The correction “no animal” replaces the whole list. */
function corrected(animals, { corrected_label: label, corrected_name: name, note }) {
  if (!label) return animals;
  // The scan stores the name of a thing in the first line of its note, because no article describes it.
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

/** Other likely names for an animal, surest first, from confidence `least` on. A sure dog gets no cat breeds, and a sure cat no dog breeds. */
export function possibilities(answer, { label, box, kind }, least = leastShown) {
  const isOther = pets.includes(kind) && pets.some((each) => each !== kind && answer.head === `${each}s`);
  const all = [...(box?.predictions ?? []), ...(isOther ? [] : answer.predictions)].filter(({ url, confidence }) => url && confidence >= least)
    .sort((one, other) => other.confidence - one.confidence);
  return all.filter((each, index) => each.label !== label && all.findIndex((other) => other.label === each.label) === index);
}

/** The name of one animal, or the count of each kind of several: “Siamese”, “A dog and two cats”. */
export function headline(animals) {
  if (animals.length === 1) return animals[0].name;
  const kinds = [...new Set(animals.map(({ kind }) => kind))];
  const words = listOf(kinds.map((kind) => {
    const same = animals.filter((each) => each.kind === kind);
    const n = same.length;
    // The text for `animal` is “two other animals”. “Other” makes no sense if the list has only unknown animals.
    if (kind === "animal" && kinds.length === 1) return text("some.any", { n, words: hasText(`number.${n}`) ? text(`number.${n}`) : number(n) });
    if (hasText(`some.${kind}`)) return text(`some.${kind}`, { n, words: hasText(`number.${n}`) ? text(`number.${n}`) : number(n) });
    // A general name, such as “A wild cat”, is not the first word here.
    const name = same[0].name.replace(text(`one.${same[0].says}`), (words) => words.charAt(0).toLowerCase() + words.slice(1));
    return n === 1 ? name : `${number(n)} × ${name}`;
  }));
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The title of a scan: the animal's own name with its kind in brackets, or only the kind. */
export function nameFor(scan) {
  const what = headline(animalsIn(scan));
  const name = petName(scan);
  return name ? `${name} (${what})` : what;
}
