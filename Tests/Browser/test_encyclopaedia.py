"""Finding and reading an article."""

import pytest


def names(page) -> list[str]:
    return page.texts(".cards h2")


def search(page, words: str):
    field = page.find("#search")
    field.clear()
    field.send_keys(words)


def test_search_with_a_typo_finds(page):
    page.open("breeds")
    search(page, "siamise")
    page.wait(lambda: names(page)[:1] == ["Siamese"], "Siamese")
    page.find(".cards a").click()
    page.wait(lambda: page.texts("h1") == ["Siamese"], "the article")
    assert page.driver.title == "Siamese – Menagerie"
    assert len(page.text("article p")) > 100
    assert page.all("article a[href^='https://']"), "the article names its sources"


def test_search_that_finds_nothing_says_so(page):
    page.open("breeds")
    search(page, "zzzzqqqq")
    page.wait(lambda: page.texts("p[role=status]") and page.texts("p[role=status]")[0] == "Nothing found.", "the message")
    assert names(page) == []


@pytest.mark.parametrize("kind, species", [("cat", "cat"), ("dog", "dog")])
def test_kind_keeps_only_that_kind(page, kind, species):
    total = page.request("GET", f"/breeds?species={species}&limit=1")["total"]
    page.open("breeds")
    page.select("#kind", kind)
    page.wait(lambda: page.text("p[role=status]") == f"{total} found", f"{total} found")
    listed = page.request("GET", f"/breeds?species={species}&limit=30")["items"]
    assert names(page) == [article["name"] for article in listed]


def test_all_articles_can_be_listed_bit_by_bit(page):
    total = page.request("GET", "/breeds?limit=1")["total"]
    page.open("breeds")
    shown = 30
    page.wait(lambda: len(names(page)) == shown, "the first page")
    while shown < total:
        page.wait_for("main .actions button").click()
        shown = min(shown + 30, total)
        page.wait(lambda: len(names(page)) == shown, f"{shown} articles")
    assert page.texts("main .actions button") == []
    links = page.script("return [...document.querySelectorAll('.cards a')].map((a) => a.hash)")
    assert len(set(links)) == total


def test_showing_more_moves_the_focus_to_the_first_that_is_new(page):
    page.open("breeds")
    page.wait_for("main .actions button").click()
    page.wait(lambda: len(names(page)) == 60, "the second page")
    assert page.focused_text() == names(page)[30]


def test_search_is_still_there_on_return_from_an_article(page):
    page.open("breeds")
    search(page, "lynx")
    page.wait(lambda: names(page) and all("lynx" in name.lower() for name in names(page)[:1]), "a lynx")
    found = names(page)
    page.find(".cards a").click()
    page.wait_for("article h1")
    page.find("main a.button").click()
    page.wait(lambda: names(page) == found, "the same list")
    assert page.find("#search").get_attribute("value") == "lynx"


@pytest.mark.console("404")
def test_unknown_article_shows_the_servers_message_and_the_way_back(page):
    page.open()
    page.script("location.hash = '#breeds/unicorn'")
    assert "unicorn" in page.alert()
    assert "Try again" not in page.alert()
    page.find("main a.button").click()
    page.wait_for(".cards")


def test_late_answer_does_not_replace_the_page_that_is_open(page):
    page.open()
    page.script("""
        const real = window.fetch;
        window.fetch = (path, ...rest) => path.startsWith("/breeds/siamese")
            ? new Promise((resolve) => { window.answer = () => resolve(real(path, ...rest)); }) : real(path, ...rest);
        location.hash = "#breeds/siamese";""")
    page.wait(lambda: page.script("return window.answer !== undefined"), "the request")
    page.go("history")
    page.script("window.answer()")
    page.wait(lambda: page.script("return document.getElementById('status').textContent") == "Siamese", "the late answer")
    assert page.texts("h1") == ["History"]
    assert page.driver.title == "History – Menagerie"


@pytest.mark.parametrize("address", ["%E0%A4%A", "breeds/%E0%A4%A", "constructor", "main"])
def test_no_address_leaves_the_page_empty(page, address):
    page.open(address)
    assert page.text("h1") in ("Which animal is this?", "Encyclopaedia")
