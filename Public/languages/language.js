// The current language: its texts, and the format of its numbers and dates.

import { recall, remember } from "../services/store.js";

const sources = { en: () => import("./en.js"), fi: () => import("./fi.js") };
const locales = { en: "en-GB", fi: "fi-FI" };

const known = (name) => (Object.hasOwn(sources, name ?? "") ? name : null);

let current = known(recall("language")) ?? (navigator.language.toLowerCase().startsWith("fi") ? "fi" : "en");
let { words } = await sources[current]();

export const language = () => current;

export const locale = () => locales[current];

/** The text called `name`, with `values` in its placeholders. `values.n` selects the form if the text has a plural. */
export function text(name, values = {}) {
  let template = words[name] ?? name;
  if (typeof template === "object") template = template[new Intl.PluralRules(locale()).select(values.n)] ?? template.other;
  return template.replace(/\{(\w+)\}/g, (_, key) => {
    const value = values[key] ?? "";
    return typeof value === "number" ? number(value) : value;
  });
}

export const hasText = (name) => Object.hasOwn(words, name);

/** Writes the texts of all elements with `data-text`, and the labels of those with `data-label`. */
export function translatePage() {
  document.documentElement.lang = current;
  for (const node of document.querySelectorAll("[data-text]")) node.textContent = text(node.dataset.text);
  for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", text(node.dataset.label));
}

/** The choice that was made last. */
let wanted;

export async function setLanguage(name) {
  wanted = name;
  const loaded = await sources[name]();
  // The person may have chosen another one meanwhile.
  if (wanted !== name) return;
  current = name;
  ({ words } = loaded);
  remember("language", current);
  translatePage();
}

export const number = (value, options) => new Intl.NumberFormat(locale(), options).format(value);

/** Formats a fraction as a percentage: 0.912 gives “91.2%” or “91,2 %”, and 1 gives “100%”. */
export function percent(fraction, digits = 1) {
  const isAll = fraction > 1 - 1e-9;
  const shown = isAll ? 0 : digits;
  // A fraction below 1 is never rounded up to 100%.
  const least = 10 ** -(shown + 2);
  return number(isAll ? 1 : Math.min(fraction, 1 - least), { style: "percent", minimumFractionDigits: shown, maximumFractionDigits: shown });
}

export const bytes = (count) => {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const step = count < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(count) / 3));
  return number(count / 1000 ** step, {
    style: "unit", unit: units[step], unitDisplay: "short", maximumFractionDigits: step > 1 ? 1 : 0,
  });
};

/** Formats milliseconds as minutes and seconds: “1:02.35”. */
export function clock(milliseconds, digits = 2) {
  // Rounded first: 59.999 seconds are 1:00.00 and not 0:60.00.
  const time = Math.round((milliseconds / 1000) * 10 ** digits) / 10 ** digits;
  const minutes = Math.floor(time / 60);
  const seconds = number(time - minutes * 60, {
    minimumIntegerDigits: 2, minimumFractionDigits: digits, maximumFractionDigits: digits,
  });
  return `${minutes}:${seconds}`;
}

export const formatTime = (instant, style = { dateStyle: "long", timeStyle: "short" }) =>
  new Date(instant).toLocaleString(locale(), style);

export const formatDate = (instant) => formatTime(instant, { dateStyle: "full" });

export const listOf = (parts) => new Intl.ListFormat(locale(), { type: "conjunction" }).format(parts);

/** Puts soft hyphens into long Finnish words, before each syllable. Browsers cannot hyphenate Finnish themselves. */
export const breakable = (name) => (current !== "fi" ? name : name.replace(/\p{L}{13,}/gu, (word) =>
  word.replace(/(?<=\p{L}{3})(?=[^aeiouyäöå][aeiouyäöå]\p{L})/giu, "\u00AD")));
