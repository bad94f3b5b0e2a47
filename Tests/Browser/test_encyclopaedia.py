"""Finding and reading an article."""

import pytest

from page import Page
from photos import DRAWING, needs_photos, photo
from server import Server
from test_history import import_copies


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
    page.tap(".cards a")
    page.wait(lambda: page.texts("h1") == ["Siamese"] and page.all("article"), "the article")
    assert page.driver.title == "Siamese – Menagerie"
    assert len(page.text(".article-body p")) > 100
    assert page.all("article a[href^='https://']"), "the article names its sources"


def test_search_that_finds_nothing_says_so(page):
    page.open("breeds")
    search(page, "zzzzqqqq")
    page.wait(lambda: page.texts(".count") == ["Nothing found."], "the message")
    assert names(page) == []


@pytest.mark.parametrize("kind, species", [("cat", "cat"), ("dog", "dog")])
def test_kind_keeps_only_that_kind(page, kind, species):
    total = page.request("GET", f"/breeds?species={species}&limit=1")["total"]
    page.open("breeds")
    page.select("#kind", kind)
    page.wait(lambda: page.texts(".count") == [f"{total} found"], f"{total} found")
    listed = page.request("GET", f"/breeds?species={species}&limit=30")["items"]
    assert names(page) == [article["name"] for article in listed]


def test_all_articles_can_be_listed_bit_by_bit(page):
    total = page.request("GET", "/breeds?limit=1")["total"]
    page.open("breeds")
    shown = 30
    page.wait(lambda: len(names(page)) == shown, "the first page")
    while shown < total:
        page.tap("main .actions button")
        shown = min(shown + 30, total)
        page.wait(lambda: len(names(page)) == shown, f"{shown} articles")
    assert page.texts("main .actions button") == []
    links = page.script("return [...document.querySelectorAll('.cards a')].map((a) => a.hash)")
    assert len(set(links)) == total


def test_showing_more_moves_the_focus_to_the_first_that_is_new(page):
    page.open("breeds")
    page.tap("main .actions button")
    page.wait(lambda: len(names(page)) == 60, "the second page")
    assert page.focused_text() == names(page)[30]


def test_search_is_still_there_on_return_from_an_article(page):
    page.open("breeds")
    search(page, "lynx")
    page.wait(lambda: names(page) and all("lynx" in name.lower() for name in names(page)[:1]), "a lynx")
    found = names(page)
    page.tap(".cards a")
    page.wait_for("article h1")
    page.tap("main a.back")
    page.wait(lambda: names(page) == found, "the same list")
    assert "q=lynx" in page.script("return location.hash")
    assert page.find("#search").get_attribute("value") == "lynx"


@pytest.mark.console("404")
def test_unknown_article_shows_the_servers_message_and_the_way_back(page):
    page.open()
    page.script("location.hash = '#breeds/unicorn'")
    assert page.alert() == "There is nothing of that name here."
    page.tap("main a.button")
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
    page.wait_for(".scans, .count")
    assert page.texts("h1") == ["My animals"]
    assert page.driver.title == "My animals – Menagerie"


def test_back_keeps_the_list_its_search_and_its_place(page):
    page.open("breeds")
    search(page, "cat")
    page.wait(lambda: "q=cat" in page.script("return location.hash") and len(names(page)) == 30, "what was found")
    page.tap("main .actions button")
    page.wait(lambda: len(names(page)) > 30, "the second page")
    found = names(page)
    page.script("scrollTo(0, 900)")
    page.script("document.querySelectorAll('.cards a')[20].click()")
    page.wait_for("article")
    page.driver.back()
    page.wait(lambda: names(page) == found, "the same list")
    page.wait(lambda: abs(page.script("return scrollY") - 900) < 5, "the same place")


def test_filters_are_in_the_address_and_survive_a_reload(page):
    page.open("breeds?kind=dog&group=terrier&size=small")
    page.wait(lambda: names(page), "the terriers")
    wanted = page.request("GET", "/breeds?species=dog&group=terrier&size=small&limit=30")["items"]
    assert names(page) == [article["name"] for article in wanted]
    assert page.find("#group").get_attribute("value") == "terrier"
    page.select("#size", "medium")
    page.wait(lambda: "size=medium" in page.script("return location.hash"), "the address")


def test_article_has_drawing_figures_to_scale_traits_map_and_look_alikes(page):
    page.open("breeds/siamese")
    assert page.wait_for("article svg.drawing.large")
    assert page.find("svg.size").get_attribute("aria-label").startswith("Siamese, about 26 cm tall")
    assert page.texts(".traits tr")[0].split("\n")[-1].endswith("5 of 5")
    assert "Thailand" in page.find("svg.map").get_attribute("aria-label")
    assert "Thai" in page.texts(".tell-apart h3")


@needs_photos
def test_own_photos_come_first_in_an_article(page):
    scan = page.scan(photo("cat", "siamese"))
    page.open("breeds/siamese")
    page.wait_for(".article-head > a")
    assert page.find(".article-head > a").get_attribute("href").endswith(f"#scan/{scan['id']}")
    page.wait(lambda: page.script("return document.querySelector('.article-head img').naturalWidth") > 0, "the photo")
    page.scan(photo("cat", "siamese", 1))
    page.open("breeds/siamese")
    page.wait(lambda: len(page.all(".own-photos a")) == 2, "both photos")
    page.wait(lambda: page.script("return document.querySelector('.own-photos img').naturalWidth") > 0, "the photo")


def test_all_own_photos_are_offered_in_an_article(page):
    import_copies(page, *[{"predictions": [{"label": "siamese", "confidence": 0.95}], "abstained": False}] * 30, with_photos=True)
    page.open("breeds/siamese")
    page.wait(lambda: len(page.all(".own-photos a")) == 12, "the newest")
    assert page.texts("section .count")[0] == "30 photos"
    for count in (24, 30):
        page.click("Show more")
        page.wait(lambda count=count: len(page.all(".own-photos a")) == count, f"{count} photos")
    assert page.script("return document.querySelector('.own-photos li:nth-child(30) img').alt") == "Your photo 30: Siamese"
    page.script("document.querySelectorAll('.own-photos a')[28].click()")
    page.wait_for(".scan-result")
    page.driver.back()
    page.wait(lambda: len(page.all(".own-photos a")) == 30, "the same photos")


def test_scans_without_photos_do_not_count_as_own_photos(page):
    siamese = {"predictions": [{"label": "siamese", "confidence": 0.95}], "abstained": False}
    unseen = {"id": "01M8J" + "0" * 21, "photo": None}
    import_copies(page, *[siamese] * 13, siamese | unseen, with_photos=True)
    page.open("breeds/siamese")
    page.wait(lambda: page.texts("section .count")[:1] == ["13 photos"], "the number")
    page.click("Show more")
    page.wait(lambda: len(page.all(".own-photos a")) == 13, "the last ones")
    assert page.texts("section .count")[0] == "13 photos"


@pytest.fixture
def with_photos(driver, tmp_path):
    """The page of a service with a folder of photos and an unreachable second source."""
    (tmp_path / "photos/siamese").mkdir(parents=True)
    for number in range(170):
        (tmp_path / f"photos/siamese/{number:03}.jpg").write_bytes(DRAWING.read_bytes())
    server = Server(
        encyclopaedia_photos_directory=str(tmp_path / "photos"), encyclopaedia_allow_dog_ceo="true",
        encyclopaedia_dog_ceo_url="http://127.0.0.1:9/api")
    page = Page(driver, server.url)
    page.appear()
    yield page
    driver.get("about:blank")
    page.console()
    server.stop()


def test_photos_of_a_breed_come_page_by_page_up_to_150(with_photos):
    page = with_photos
    page.open("breeds/siamese")
    page.wait(lambda: len(page.all(".breed-photos img")) == 30, "the first photos")
    assert "150 photos" in page.texts("section .count")
    for count in (60, 90, 120, 150):
        page.click("Show more")
        page.wait(lambda count=count: len(page.all(".breed-photos img")) == count, f"{count} photos")
    assert page.script("return document.querySelector('.breed-photos li:nth-child(150) img').alt") == "Photo 150: Siamese"
    assert page.texts("section .more button") == []
    page.wait(lambda: page.script("return document.querySelector('.breed-photos img').naturalWidth") > 0, "the picture")


def test_a_source_of_photos_that_does_not_answer_is_told(with_photos):
    page = with_photos
    page.open("breeds/beagle")
    assert page.alert() == "The server of those photos does not answer.\nTry again" or page.alert().startswith("The server of those photos does not answer.")
    page.open("breeds/moose")
    assert page.texts("#breed-photos-title") == [], "where there is no source, there is no word of it"


def test_the_number_that_was_found_is_read_aloud_once(page):
    page.open("breeds")
    page.wait_for(".cards li")
    page.type("#search", "siamese")
    page.wait(lambda: page.heard() == page.text(".count"), "the announcement")
    assert page.script("return document.querySelectorAll('[aria-live], [role=status], [role=alert]').length") == 1
