"""English and Finnish."""

import pytest

from photos import DRAWING, SHARED, needs_photos, photo
from test_scan import drawings


def test_finnish_is_spoken_everywhere_and_kept_on_reload(page):
    page.open()
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Mikä eläin tämä on?"], "the Finnish title")
    assert page.texts(".tabs a") == ["Tunnista", "Eläimeni", "Tietosanakirja", "Lisää"]
    assert page.script("return document.documentElement.lang") == "fi"
    page.open("breeds/snow_leopard")
    page.wait(lambda: page.texts("h1") == ["Lumileopardi"], "the Finnish article")
    page.wait_for("article")
    assert page.find("article").get_attribute("lang") == "fi"
    assert page.find("#language").get_attribute("value") == "fi"


@pytest.mark.parametrize(("language", "words"), [("fi", ["Hima\u00adla\u00adjan\u00adkissa", "Persialainen"]), ("en", ["Himalajankissa", "Persialainen"])])
def test_long_finnish_names_break_at_their_syllables(page, language, words):
    page.remember("language", language)
    page.open()
    assert page.driver.execute_async_script("""
        import("/languages/language.js").then(({ breakable }) => arguments[0](["Himalajankissa", "Persialainen"].map(breakable)));""") == words


@needs_photos
def test_the_names_of_several_animals_break_at_their_syllables(page):
    path = SHARED / "data/boxes/0266.avif"
    scan = page.request("POST", "/classify?animals=always&heads=kinds,presence&lang=fi", path.read_bytes(), **{"Content-Type": "image/avif"})
    page.remember("language", "fi")
    page.appear(360, phone=True)
    page.open(f"scan/{scan['id']}")
    page.wait_for(".card h2")
    names = page.script("return [...document.querySelectorAll('.card h2')].map((each) => each.textContent)")
    assert any("\u00ad" in name for name in names), names
    assert [name for name in names if any(len(part) > 12 for part in name.replace("\u00ad", " ").split())] == []


def test_both_languages_have_the_same_words(page):
    page.open()
    missing = page.script("""
        const done = arguments[0];
        return Promise.all(["en", "fi"].map((name) => import(`/languages/${name}.js`))).then((both) => {
          const [en, fi] = both.map(({words}) => Object.entries(words).map(([key, value]) =>
            key + [...JSON.stringify(value).matchAll(/\\{\\w+\\}/g)].map(String).filter((v, i, all) => all.indexOf(v) === i).sort().join("")));
          return [en.filter((key) => !fi.includes(key)), fi.filter((key) => !en.includes(key))];
        });""")
    assert missing == [[], []], "each key is in both languages, with the same values"


def test_everything_that_the_service_names_has_words_in_both_languages(page):
    schemas = page.request("GET", "/openapi.json")["components"]["schemas"]

    def codes(name):
        return schemas[name]["properties"]["code"]["enum"]
    types = [each.rpartition("/")[2] for each in schemas["ProblemType"]["enum"]]
    # A failure for an unknown reason is reported in English.
    named = [f"warning.{code}" for code in codes("TrainingWarning") + codes("VideoWarning")] \
        + [f"skipped.{code}" for code in codes("SkippedFile")] \
        + [f"import.{code}" for code in codes("ImportFailure")] \
        + [f"modelProblem.{code}" for code in schemas["Model"]["properties"]["problem_code"]["enum"] if code != "other"] \
        + [f"problem.{code}" for code in types + codes("TrainingFailure") if code != "other"]
    assert len(named) > 90
    page.open()
    for language in ("en", "fi"):
        words = page.driver.execute_async_script(
            "const done = arguments[1]; import(`/languages/${arguments[0]}.js`).then(({words}) => done(Object.keys(words)));", language)
        assert [name for name in named if name not in words] == [], language


def test_answers_come_in_the_language_that_is_chosen(page):
    page.open()
    page.select("#language", "fi")
    page.choose(DRAWING)
    page.result()
    assert page.text("h1") == "Piirros, jossa on kissa"


@needs_photos
def test_answers_that_are_there_change_their_language(page):
    page.open()
    page.choose(photo("animal", "snow_leopard"))
    answers = page.answers()
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Lumileopardi"], "the Finnish answer")
    page.wait(lambda: page.text(".certainty").startswith("Hyvin todennäköisesti"), "the Finnish certainty")
    page.wait(lambda: page.text(".sentence").startswith("Aasian korkeiden vuoristojen"), "the Finnish sentence")
    assert [percent.replace(",", ".").replace("\xa0%", "%") for _, percent in page.answers()] == [percent for _, percent in answers]


def test_tiles_of_photos_under_way_change_their_language(page, tmp_path):
    page.open()
    page.choose(*drawings(tmp_path, 4))
    page.wait(lambda: page.texts(".tray .scan"), "the first")
    page.select("#language", "fi")
    page.wait(lambda: page.texts(".tray .scan strong") == ["Piirros, jossa on kissa"] * 4, "all in Finnish")
    page.wait(lambda: page.texts(".tray > div > div > p") == ["Piirros, jossa on kissa × 4."], "the summary")


def test_a_scan_that_was_kept_in_one_language_is_told_in_the_other(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    assert page.text("h1") == "Drawing of a cat"
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Piirros, jossa on kissa"], "the Finnish words")


def test_broken_memory_of_a_language_is_forgotten(page):
    page.open()
    page.script("localStorage.setItem('menagerie.language', 'constructor')")
    page.open()
    assert page.text("h1") == "Which animal is this?"


def test_dialog_is_finnish(page):
    page.scan(DRAWING)
    page.open("history")
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Eläimeni"] and page.texts(".scan"), "the Finnish history")
    page.click("Valitse")
    page.tap(".scan input")
    page.click("Poista valitut (1)")
    page.wait_for("#confirm[open]")
    assert page.texts("#confirm p, #confirm button") == \
        ["Poistetaanko tämä tunnistus ja sen kuva?", "Peruuta", "Poista"]
    page.tap("#confirm button")


ENGLISH = """
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const words = new Set(arguments[0]);
const found = [];
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
  if (words.has(text) && node.checkVisibility() && !node.closest("[lang=en], code, pre")) found.push(text);
}
return found;
"""


@pytest.mark.console("404")
@pytest.mark.parametrize("address", [
    "scan", "history", "history?show=met", "breeds", "breeds/snow_leopard", "more", "models", "models/menagerie", "training",
    "keys", "storage", "privacy", "terms", "about", "live", "video", "laps", "nonsense"])
def test_no_english_words_of_ours_are_left_in_finnish(page, address):
    page.open()
    english = page.script("""
        return Promise.all(["en", "fi"].map((name) => import(`/languages/${name}.js`))).then(([{words: en}, {words: fi}]) =>
          Object.keys(en).filter((key) => typeof en[key] === "string" && en[key] !== fi[key]).map((key) => en[key])
            .filter((text) => !Object.values(fi).includes(text)));""")
    assert len(english) > 200
    page.select("#language", "fi")
    page.open(address)
    page.wait(lambda: page.texts("h1"), "the view")
    assert page.script(ENGLISH, english) == []


def test_a_time_has_at_most_59_seconds(page):
    page.open()
    assert page.driver.execute_async_script("""
        import("/languages/language.js").then(({ clock }) =>
          arguments[0]([clock(59_994), clock(59_996), clock(119_999), clock(59_600, 0), clock(3_599_960, 1), clock(0)]));""") == [
              "0:59.99", "1:00.00", "2:00.00", "1:00", "60:00.0", "0:00.00"]


@pytest.mark.parametrize("language, shown", [("en", ["100%", "99.9%", "99%", "91.2%", "0.0%"]), ("fi", ["100\xa0%", "99,9\xa0%", "99\xa0%", "91,2\xa0%", "0,0\xa0%"])])
def test_no_part_is_rounded_up_to_all(page, language, shown):
    page.remember("language", language)
    page.open()
    assert page.driver.execute_async_script("""
        import(document.querySelector("script[src*=language]").src).then(({ percent }) =>
          arguments[0]([percent(1), percent(0.9997), percent(0.997, 0), percent(0.912), percent(0)]));""") == shown


@pytest.mark.console("ERR_|Failed to load resource")
def test_a_language_that_cannot_be_loaded_is_told_and_the_other_stays(page):
    page.open("more")
    command = page.driver.execute_cdp_cmd
    command("Network.enable", {})
    command("Network.setBypassServiceWorker", {"bypass": True})
    command("Network.setBlockedURLs", {"urls": ["*/fi.js"]})
    try:
        page.select("#language", "fi")
        assert page.alert() == "The server cannot be reached. Is it running?"
        assert page.find("#language").get_attribute("value") == "en"
    finally:
        command("Network.setBlockedURLs", {"urls": []})
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Lisää"], "Finnish")
    command("Network.setBypassServiceWorker", {"bypass": False})
