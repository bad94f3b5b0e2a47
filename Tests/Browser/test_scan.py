"""A photo in, its answers out."""

import re

import pytest

from photos import DRAWING, needs_photos, photo
from server import Server


def test_chosen_photo_shows_three_answers_with_percentages(page):
    page.open()
    page.choose(DRAWING)
    answers = page.answers()
    assert len(answers) == 3
    assert all(name and re.fullmatch(r"\d{1,3}\.\d%", percent) for name, percent in answers)
    assert page.text(".scan-result h2").endswith(":")
    assert page.script("return document.querySelector('.scan-result img').naturalWidth") == 500


@needs_photos
def test_cat_shares_the_features_of_three_breeds_that_link_to_their_articles(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    answers = page.answers()
    assert page.text(".scan-result h2") == "This cat shares the features of:"
    assert answers[0][0] == "Siamese"
    assert len(page.all(".answers a[href^='#breeds/']")) == 3
    page.find(".answers a").click()
    page.wait(lambda: page.texts("h1") == ["Siamese"], "the article")


@needs_photos
def test_answers_are_still_there_after_a_look_at_an_article(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    answers = page.answers()
    page.find(".answers a").click()
    page.wait(lambda: page.texts("h1") == ["Siamese"], "the article")
    page.driver.back()
    assert page.answers() == answers
    assert page.script("return document.querySelector('.scan-result img').naturalWidth") > 0


def test_answers_are_announced(page):
    page.open()
    page.choose(DRAWING)
    name, percent = page.answers()[0]
    page.wait(lambda: f"{name} {percent}" in page.script("return document.getElementById('status').textContent"),
              "the announcement")


def test_results_are_busy_while_the_server_looks(page):
    page.open()
    page.script("""
        window.busy = [];
        new MutationObserver(() => busy.push([document.querySelector('section').getAttribute('aria-busy'),
            document.querySelector('.progress')?.textContent])).observe(
                document.querySelector('section'), {attributes: true, childList: true});""")
    page.choose(DRAWING)
    page.answers()
    assert ["true", "Looking at the photo …"] in page.script("return window.busy")
    assert page.texts(".progress") == []


def test_the_same_photo_can_be_chosen_again(page):
    page.open()
    page.choose(DRAWING)
    page.answers()
    page.choose(DRAWING)
    page.wait(lambda: page.request("GET", "/history")["total"] == 2, "the second scan")
    page.answers()


@pytest.mark.parametrize("target", ["main", "header", "footer"])
def test_photo_dropped_anywhere_is_scanned(page, target):
    page.open()
    page.drop(DRAWING, target=target)
    assert len(page.answers()) == 3


def test_photo_dropped_on_the_history_leads_to_its_answers(page):
    page.open("history")
    page.drop(DRAWING)
    assert len(page.answers()) == 3
    assert page.script("return location.hash") == "#scan"


def test_dragging_a_photo_says_where_it_can_go(page):
    page.open()
    page.drop(DRAWING, event="dragover")
    assert page.wait_for("#drop-here").text == "Drop the photo to scan it"
    page.drop(DRAWING, event="dragleave")
    page.wait_until_gone("#drop-here")


def test_pasted_photo_is_scanned(page):
    page.open()
    page.paste(DRAWING)
    assert len(page.answers()) == 3


def test_pasted_text_is_left_alone(page, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("not a photo")
    page.open()
    page.paste(note)
    assert page.texts(".answers, [role=alert], .progress") == []


@pytest.mark.console("415")
def test_file_that_is_no_picture_shows_the_servers_message(page, tmp_path):
    note = tmp_path / "note.jpg"
    note.write_text("not a photo")
    page.open()
    page.choose(note)
    assert page.alert().startswith("The bytes are not an image.")
    assert "Try again" not in page.alert()
    assert page.request("GET", "/history")["total"] == 0


@pytest.mark.console("422")
def test_cut_picture_shows_the_servers_message(page, tmp_path):
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(DRAWING.read_bytes()[:3000])
    page.open()
    page.choose(cut)
    assert len(page.alert()) > 10


@pytest.mark.console("413|ERR_")
def test_photo_larger_than_the_server_takes_is_refused_in_words(page, tmp_path):
    huge = tmp_path / "huge.jpg"
    huge.write_bytes(DRAWING.read_bytes() + bytes(34 << 20))
    page.open()
    page.choose(huge)
    assert "bytes" in page.alert()


def test_several_photos_are_answered_each_under_its_name(page, tmp_path):
    paths = [tmp_path / f"photo {number}.jpg" for number in range(4)]
    for path in paths:
        path.write_bytes(DRAWING.read_bytes())
    paths[2].write_text("not a photo")
    page.open()
    page.choose(*paths)
    page.wait(lambda: len(page.texts("section article")) == 4 and not page.texts(".progress"), "all four results")
    assert page.texts("section article h2") == [path.name for path in paths]
    assert [len(article.find_elements("css selector", ".answers li")) for article in page.all("section article")] \
        == [3, 3, 0, 3]
    assert page.alert().startswith("The bytes are not an image.")
    assert page.request("GET", "/history")["total"] == 3


def test_more_photos_than_one_request_takes_are_all_answered(page, tmp_path):
    paths = [tmp_path / f"{number}.jpg" for number in range(34)]
    for path in paths:
        path.write_bytes(DRAWING.read_bytes())
    page.open()
    page.requests()
    page.choose(*paths)
    page.wait(lambda: len(page.texts("section article .answers")) == 34, "all results")
    assert len([url for url in page.requests() if "/classify" in url]) == 2


def test_names_of_files_are_never_markup(page, tmp_path):
    paths = [tmp_path / "<img src=x onerror=window.hacked=1>.jpg", tmp_path / "b.jpg"]
    for path in paths:
        path.write_bytes(DRAWING.read_bytes())
    page.open()
    page.choose(*paths)
    page.wait(lambda: len(page.texts("section article")) == 2, "both results")
    assert page.texts("section article h2")[0] == paths[0].name
    assert page.script("return window.hacked") is None


def test_phone_offers_its_camera_and_a_desk_does_not(page):
    page.open()
    assert page.texts("main button") == ["Choose photos"]
    page.appear(360, phone=True)
    page.open()
    assert page.texts("main button") == ["Choose photos", "Take a photo"]
    assert page.find("#camera").get_attribute("capture") == "environment"
    page.find("#camera").send_keys(str(DRAWING))
    assert len(page.answers()) == 3


@pytest.mark.console("ERR_|Failed to load resource")
def test_server_that_is_down_is_named_and_can_be_tried_again(page):
    server = Server()
    try:
        page.url = server.url
        page.open()
    finally:
        server.stop()
    for address in ("scan", "breeds", "history"):
        page.go(address)
        if address == "scan":
            page.choose(DRAWING)
        assert page.alert().startswith("The server cannot be reached. Is it running?")
        assert page.find("[role=alert] button").text == "Try again"


@pytest.mark.console("503|Failed to load resource")
def test_trying_again_answers_once_the_server_can(page):
    page.open()
    page.script("""
        const real = window.fetch;
        window.fetch = (...values) => { window.fetch = real; return Promise.reject(new TypeError("down")); };""")
    page.choose(DRAWING)
    assert "cannot be reached" in page.alert()
    page.find("[role=alert] button").click()
    assert len(page.answers()) == 3
    assert page.request("GET", "/history")["total"] == 1
