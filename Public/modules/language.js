// The page's own words in both languages, and which of them is in use.

export const texts = {
  en: {
    skip: "Skip to the content", scan: "Scan", encyclopaedia: "Encyclopaedia", history: "History",
    language: "Language", cancel: "Cancel", delete: "Delete",
    docs: "HTTP interface",
    offline: "Everything stays on this machine: no photo is sent anywhere else.",
    scanTitle: "Which animal is this?", choose: "Choose photos", camera: "Take a photo",
    dropHint: "You can also drop photos anywhere on this page, or paste one.", dropHere: "Drop the photo to scan it",
    looking: "Looking at the photo …", lookingAtMany: "Looking at the photos: {done} of {n} done …",
    results: "Answers", loading: "Loading …", retry: "Try again", unreadable: "This file cannot be read.", scannedPhoto: "The photo you chose", saved: "Saved in the history.",
    searchTitle: "Encyclopaedia", search: "Search by name or word", kind: "Animals", all: "All", cat: "Cats", dog: "Dogs",
    species: "Zoo animals", fruit: "Fruit", found: "{n} found", more: "Show more", nothing: "Nothing found.",
    back: "Back to the encyclopaedia", sources: "Sources", lookAlikes: "Easily confused with", traits: "Traits, 1 to 5",
    scientific: "Scientific name", origin: "Origin", lifeSpan: "Life span", weight: "Weight", height: "Height",
    length: "Length", status: "Conservation status", years: "years", alsoCalled: "Also called",
    historyTitle: "History", empty: "No scans yet.", clear: "Delete all scans",
    clearQuestion: "Delete all scans and their photos? You can take it back right afterwards.",
    deleteQuestion: "Delete this scan and its photo?", deleteScan: "Delete this scan", deleted: "The scan is deleted.",
    allDeleted: "All scans are deleted.", undo: "Undo", restored: "Restored.", scanOne: "Scan a photo",
    openPhoto: "Open the photo: {name}", failed: "That did not work",
    unreachable: "The server cannot be reached. Is it running?",
    signInTitle: "Sign in", key: "Key", signIn: "Sign in", signOut: "Sign out", signedIn: "Signed in as {name}.",
    keyHint: "Whoever runs this service gives you one; it begins with menagerie_.",
    keyRequired: "This service asks for a key.", keyUnknown: "The service does not know this key.",
    roleRequired: "Your key does not allow this.",
    tooManyRequests: "That was too often. Wait a moment, then try again.",
    appearance: "Appearance", temperament: "Temperament", care: "Care", health: "Health", behaviour: "Behaviour",
    habitat: "Habitat", diet: "Diet", ecology: "Ecology", taste: "Taste", cultivation: "Cultivation", use: "Use",
    affection: "Affection", energy: "Energy", grooming: "Grooming", shedding: "Shedding", vocal: "Voice",
    children: "With children", other_pets: "With other pets", trainability: "Trainability", playfulness: "Playfulness",
    independence: "Independence",
  },
  fi: {
    skip: "Siirry sisältöön", scan: "Tunnista", encyclopaedia: "Tietosanakirja", history: "Historia",
    language: "Kieli", cancel: "Peruuta", delete: "Poista",
    docs: "HTTP-rajapinta",
    offline: "Kaikki pysyy tällä koneella: kuvia ei lähetetä mihinkään.",
    scanTitle: "Mikä eläin tämä on?", choose: "Valitse kuvia", camera: "Ota kuva",
    dropHint: "Voit myös pudottaa kuvia mihin tahansa tällä sivulla tai liittää kuvan.",
    dropHere: "Pudota kuva, niin se tunnistetaan",
    looking: "Katsotaan kuvaa …", lookingAtMany: "Katsotaan kuvia: {done}/{n} valmiina …",
    results: "Vastaukset", loading: "Ladataan …", retry: "Yritä uudelleen", unreadable: "Tätä tiedostoa ei voi lukea.", scannedPhoto: "Valitsemasi kuva", saved: "Tallennettu historiaan.",
    searchTitle: "Tietosanakirja", search: "Hae nimellä tai sanalla", kind: "Eläimet", all: "Kaikki", cat: "Kissat",
    dog: "Koirat", species: "Eläintarhan eläimet", fruit: "Hedelmät", found: "{n} löytyi", more: "Näytä lisää",
    nothing: "Ei löytynyt mitään.", back: "Takaisin tietosanakirjaan", sources: "Lähteet",
    lookAlikes: "Sekoitetaan helposti", traits: "Ominaisuudet, 1–5", scientific: "Tieteellinen nimi", origin: "Alkuperä",
    lifeSpan: "Elinikä", weight: "Paino", height: "Korkeus", length: "Pituus", status: "Uhanalaisuus", years: "vuotta",
    alsoCalled: "Muita nimiä", historyTitle: "Historia", empty: "Ei vielä tunnistuksia.",
    clear: "Poista kaikki tunnistukset",
    clearQuestion: "Poistetaanko kaikki tunnistukset ja kuvat? Voit kumota tämän heti sen jälkeen.",
    deleteQuestion: "Poistetaanko tämä tunnistus ja sen kuva?", deleteScan: "Poista tämä tunnistus", deleted: "Tunnistus on poistettu.",
    allDeleted: "Kaikki tunnistukset on poistettu.", undo: "Kumoa", restored: "Palautettu.", scanOne: "Tunnista kuva",
    openPhoto: "Avaa kuva: {name}", failed: "Se ei onnistunut",
    unreachable: "Palvelimeen ei saada yhteyttä. Onko se käynnissä?",
    signInTitle: "Kirjaudu sisään", key: "Avain", signIn: "Kirjaudu sisään", signOut: "Kirjaudu ulos",
    signedIn: "Kirjauduttu nimellä {name}.",
    keyHint: "Avaimen antaa palvelun ylläpitäjä; sen alussa on menagerie_.",
    keyRequired: "Tämä palvelu vaatii avaimen.", keyUnknown: "Palvelu ei tunne tätä avainta.",
    roleRequired: "Avaimesi ei salli tätä.",
    tooManyRequests: "Liian monta yritystä. Odota hetki ja yritä sitten uudelleen.",
    appearance: "Ulkonäkö", temperament: "Luonne", care: "Hoito", health: "Terveys", behaviour: "Käyttäytyminen",
    habitat: "Elinympäristö", diet: "Ravinto", ecology: "Ekologia", taste: "Maku", cultivation: "Viljely", use: "Käyttö",
    affection: "Hellyys", energy: "Energisyys", grooming: "Turkinhoito", shedding: "Karvanlähtö", vocal: "Äänekkyys",
    children: "Lasten kanssa", other_pets: "Muiden lemmikkien kanssa", trainability: "Koulutettavuus",
    playfulness: "Leikkisyys", independence: "Itsenäisyys",
  },
};

const key = "menagerie.language";
let current = remembered() ?? (navigator.language.toLowerCase().startsWith("fi") ? "fi" : "en");

function remembered() {
  try {
    const name = localStorage.getItem(key);
    return Object.hasOwn(texts, name) ? name : null;
  } catch {
    return null; // storage is blocked: the language lasts until the page is closed
  }
}

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
  current = Object.hasOwn(texts, name) ? name : "en";
  try {
    localStorage.setItem(key, current);
  } catch {
    // As above.
  }
  translatePage();
}

export const formatTime = (instant) =>
  new Date(instant).toLocaleString(current === "fi" ? "fi-FI" : "en-GB", { dateStyle: "long", timeStyle: "short" });
