// The card of one animal in a photo: its name, how certain that name is, one sentence and up to three facts.

import * as api from "../services/api.js";
import { breakable, hasText, language, text } from "../languages/language.js";
import { certaintyWords } from "./certainty.js";
import { element } from "./dom.js";
import { range } from "./facts.js";
import { crop } from "./photo.js";

const firstSentence = (words) => /^.+?[.!?](?=\s|$)/.exec(words)?.[0] ?? words;

/** The first three facts that the article has. Each fact is `[term, value]`. The list below is in order of interest. */
const factsOf = ({ conservation_status: status, traits, life_span_years: age, weight_kg: weight, origin }) => [
  status ? [text("inTheWild"), text(`status.${status}`)] : null,
  traits?.children >= 4 ? [text("goodWith"), text("goodWithChildren")] : null,
  age ? [text("lifeSpan"), range(age, text("years"))] : null,
  weight ? [text("weight"), range(weight, "kg")] : null,
  // Some origins go on with an explanation. The card keeps the place only; the article shows the rest.
  origin ? [text("origin"), origin.split(/[;,(]/)[0].trim()] : null,
].filter(Boolean).slice(0, 3);

/** Words for how often the person has met this kind of animal, this scan included. Empty for an unsaved scan. */
async function meeting(scan, label, name) {
  if (!scan.id) return "";
  const { total } = await api.history({ ...api.surely(label), to: scan.created_at && new Date(Date.parse(scan.created_at) + 1).toISOString(), limit: 1 });
  if (total === 1) return text("firstMet", { name });
  return total > 1 ? text(`nth.${new Intl.PluralRules(language(), { type: "ordinal" }).select(total)}`, { n: total, name }) : "";
}

/** A decorative drawing of the animal, which looks over the edge of the card. */
async function peek(article) {
  const { drawing } = await import("./drawings.js");
  return element("span", { class: "peek", "aria-hidden": "true" }, drawing(article));
}

/**
 * Builds the card of `animal`. `isAlone`: the photo shows one animal, so its name is the title of the view. `name`: the animal's
 * own name. `preview`: the address of the local file. `onlook`: called when the person presses the animal's picture.
 * An animal without an article gets a sentence from the page's own texts.
 */
export function animalCard(scan, animal, { isAlone, name, preview, onlook }) {
  const { label, href, level } = animal;
  const what = href ? element("a", { href }, breakable(animal.name)) : breakable(animal.name);
  const certainty = element("p", { class: `certainty ${level}` }, name ? [element("strong", {}, what), " "] : null,
    element("span", {}, certaintyWords(animal)));
  const sentence = element("p", { class: "sentence" });
  const facts = element("dl", { class: "three-facts" });
  const title = element(isAlone ? "h1" : "h2", { tabindex: -1 }, name || what);
  const card = element("article", { class: "card" },
    element("div", { class: "card-head" }, animal.box && !isAlone
      ? element("button", { type: "button", class: "plain", "aria-label": text("lookAt", { name: animal.name }), onclick: onlook }, crop(scan, animal, preview)) : null,
    element("div", {}, title, certainty)), sentence, facts);
  if (!label || label === "no_animal") {
    if (!animal.isSaid) sentence.textContent = text(hasText(`say.${animal.says}`) ? `say.${animal.says}` : "say.which");
    return card;
  }
  // The article loads after the name. The waiting sentence reserves its space, so the page does not move.
  sentence.classList.add("waiting");
  Promise.all([api.breed(label), isAlone ? meeting(scan, label, animal.name).catch(() => "") : ""]).then(([article, met]) => {
    sentence.textContent = firstSentence(article.summary);
    if (article.language !== language()) sentence.lang = article.language;
    facts.replaceChildren(...factsOf(article).map(([term, fact]) => element("div", {}, element("dt", {}, term), element("dd", {}, fact))));
    if (met) certainty.append(element("span", { class: "met-before" }, met));
    if (isAlone && (animal.isSaid || ["strong", "fair"].includes(level))) return peek(article).then((node) => card.append(node));
    return null;
  }, () => {}).then(() => sentence.classList.remove("waiting"));
  return card;
}
