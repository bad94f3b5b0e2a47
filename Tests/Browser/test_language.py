"""English and Finnish."""

from photos import DRAWING, needs_photos, photo


def test_finnish_is_spoken_everywhere_and_kept_on_reload(page):
    page.open()
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Mikä eläin tämä on?"], "the Finnish title")
    assert page.texts("nav a") == ["Tunnista", "Tietosanakirja", "Historia"]
    assert page.script("return document.documentElement.lang") == "fi"
    page.open("breeds/snow_leopard")
    page.wait(lambda: page.texts("h1") == ["Lumileopardi"], "the Finnish article")
    assert page.find("article").get_attribute("lang") == "fi"
    assert page.find("#language").get_attribute("value") == "fi"


def test_both_languages_have_the_same_words(page):
    page.open()
    missing = page.script("""
        const done = arguments[0];
        return import("/modules/language.js").then(({texts}) => {
          const [en, fi] = [Object.keys(texts.en), Object.keys(texts.fi)];
          return [en.filter((key) => !fi.includes(key)), fi.filter((key) => !en.includes(key))];
        });""")
    assert missing == [[], []]


def test_answers_come_in_the_language_that_is_chosen(page):
    page.open()
    page.select("#language", "fi")
    page.choose(DRAWING)
    page.answers()
    assert page.text(".scan-result h2") == "En ole varma, mutta tämä voisi olla:"


@needs_photos
def test_answers_that_are_there_change_their_language(page):
    page.open()
    page.choose(photo("animal", "snow_leopard"))
    answers = page.answers()
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Mikä eläin tämä on?"], "the Finnish title")
    page.wait(lambda: page.texts(".answers a")[:1] == ["Lumileopardi"], "the Finnish answer")
    assert [percent for _, percent in page.answers()] == [percent for _, percent in answers]


def test_broken_memory_of_a_language_is_forgotten(page):
    page.open()
    page.script("localStorage.setItem('menagerie.language', 'constructor')")
    page.open()
    assert page.text("h1") == "Which animal is this?"


def test_dialog_is_finnish(page):
    page.scan(DRAWING)
    page.open("history")
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Historia"] and page.texts(".scan"), "the Finnish history")
    page.find(".scan button").click()
    page.wait_for("#confirm[open]")
    assert page.texts("#confirm p, #confirm button") == \
        ["Poistetaanko tämä tunnistus ja sen kuva?", "Peruuta", "Poista"]
    page.find("#confirm button").click()
