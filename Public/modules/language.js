// The page's own words in both languages, and which of them is in use.

const texts = {
  en: {
    skip: "Skip to the content", scan: "Scan", encyclopaedia: "Encyclopaedia", history: "History",
    language: "Language", cancel: "Cancel", delete: "Delete",
    offline: "Everything stays on this machine: no photo is sent anywhere else.",
    scanTitle: "Which animal is this?", choose: "Choose a photo",
    dropHint: "or drop a photo here, or paste one from the clipboard.",
    looking: "Looking at the photo …", scannedPhoto: "The photo you chose", saved: "Saved in the history.",
    searchTitle: "Encyclopaedia", search: "Search by name or word", kind: "Animals", all: "All", cat: "Cats", dog: "Dogs",
    species: "Zoo animals", fruit: "Fruit", found: "{n} found", more: "Show more", nothing: "Nothing found.",
    back: "Back to the encyclopaedia", sources: "Sources", lookAlikes: "Easily confused with", traits: "Traits, 1 to 5",
    scientific: "Scientific name", origin: "Origin", lifeSpan: "Life span", weight: "Weight", height: "Height",
    length: "Length", status: "Conservation status", years: "years", alsoCalled: "Also called",
    historyTitle: "History", empty: "No scans yet.", clear: "Delete all scans",
    clearQuestion: "Delete all scans and their photos? This cannot be undone.",
    deleteQuestion: "Delete this scan and its photo?", deleteScan: "Delete this scan", deleted: "Deleted.",
    photoOf: "Photo of {name}", openPhoto: "Open the photo", failed: "That did not work", notImage: "That is not a picture.",
    unreachable: "The server cannot be reached. Is it running?",
    appearance: "Appearance", temperament: "Temperament", care: "Care", health: "Health", behaviour: "Behaviour",
    habitat: "Habitat", diet: "Diet", ecology: "Ecology", taste: "Taste", cultivation: "Cultivation", use: "Use",
    affection: "Affection", energy: "Energy", grooming: "Grooming", shedding: "Shedding", vocal: "Voice",
    children: "With children", other_pets: "With other pets", trainability: "Trainability", playfulness: "Playfulness",
    independence: "Independence",
  },
  fi: {
    skip: "Siirry sisältöön", scan: "Tunnista", encyclopaedia: "Tietosanakirja", history: "Historia",
    language: "Kieli", cancel: "Peruuta", delete: "Poista",
    offline: "Kaikki pysyy tällä koneella: kuvia ei lähetetä mihinkään.",
    scanTitle: "Mikä eläin tämä on?", choose: "Valitse kuva",
    dropHint: "tai pudota kuva tähän, tai liitä se leikepöydältä.",
    looking: "Katsotaan kuvaa …", scannedPhoto: "Valitsemasi kuva", saved: "Tallennettu historiaan.",
    searchTitle: "Tietosanakirja", search: "Hae nimellä tai sanalla", kind: "Eläimet", all: "Kaikki", cat: "Kissat",
    dog: "Koirat", species: "Eläintarhan eläimet", fruit: "Hedelmät", found: "{n} löytyi", more: "Näytä lisää",
    nothing: "Ei löytynyt mitään.", back: "Takaisin tietosanakirjaan", sources: "Lähteet",
    lookAlikes: "Sekoitetaan helposti", traits: "Ominaisuudet, 1–5", scientific: "Tieteellinen nimi", origin: "Alkuperä",
    lifeSpan: "Elinikä", weight: "Paino", height: "Korkeus", length: "Pituus", status: "Uhanalaisuus", years: "vuotta",
    alsoCalled: "Muita nimiä", historyTitle: "Historia", empty: "Ei vielä tunnistuksia.",
    clear: "Poista kaikki tunnistukset",
    clearQuestion: "Poistetaanko kaikki tunnistukset ja kuvat? Tätä ei voi perua.",
    deleteQuestion: "Poistetaanko tämä tunnistus ja sen kuva?", deleteScan: "Poista tämä tunnistus", deleted: "Poistettu.",
    photoOf: "Kuva: {name}", openPhoto: "Avaa kuva", failed: "Se ei onnistunut", notImage: "Se ei ole kuva.",
    unreachable: "Palvelimeen ei saada yhteyttä. Onko se käynnissä?",
    appearance: "Ulkonäkö", temperament: "Luonne", care: "Hoito", health: "Terveys", behaviour: "Käyttäytyminen",
    habitat: "Elinympäristö", diet: "Ravinto", ecology: "Ekologia", taste: "Maku", cultivation: "Viljely", use: "Käyttö",
    affection: "Hellyys", energy: "Energisyys", grooming: "Turkinhoito", shedding: "Karvanlähtö", vocal: "Äänekkyys",
    children: "Lasten kanssa", other_pets: "Muiden lemmikkien kanssa", trainability: "Koulutettavuus",
    playfulness: "Leikkisyys", independence: "Itsenäisyys",
  },
};

const key = "menagerie.language";
let current = localStorage.getItem(key) ?? (navigator.language.toLowerCase().startsWith("fi") ? "fi" : "en");

export const language = () => current;

export function text(name, values = {}) {
  const template = texts[current][name] ?? texts.en[name] ?? name;
  return template.replace(/\{(\w+)\}/g, (_, value) => values[value] ?? "");
}

/** Has every element with `data-text` say its words in the current language. */
export function translatePage() {
  document.documentElement.lang = current;
  for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
}

export function setLanguage(name) {
  current = name in texts ? name : "en";
  localStorage.setItem(key, current);
  translatePage();
}

export const formatTime = (instant) =>
  new Date(instant).toLocaleString(current === "fi" ? "fi-FI" : "en-GB", { dateStyle: "long", timeStyle: "short" });
