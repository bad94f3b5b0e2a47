"""The main flows in Firefox, for differences between browsers. The tests in Chromium cover everything else."""

import os
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import firefox
from photos import DRAWING, SHARED, photo
from server import Server

TAB, ENTER = "\ue004", "\ue007"


@pytest.fixture(scope="module")
def browser():
    if firefox.program() is None:
        assert os.environ.get("CI") != "true", "Firefox is missing: Scripts/setup.d/browser installs it"
        pytest.skip("Firefox is not installed: firefox-esr where Debian's packages are, otherwise firefox on the path")
    browser = firefox.Firefox()
    yield browser
    browser.quit()


@pytest.fixture
def page(server, browser):
    urllib.request.urlopen(urllib.request.Request(f"{server.url}/history", method="DELETE")).close()
    browser.open(f"{server.url}/icon.svg")
    browser.script("localStorage.clear()")
    browser.console.clear(), browser.requests.clear()
    browser.open(f"{server.url}/")
    # Firefox reports pictures whose loading is broken off. Those of ours come after everything else.
    browser.wait("[...document.querySelectorAll('.samples img')].filter((each) => each.complete && each.naturalWidth).length === 4")
    yield browser
    own = urlsplit(server.url).netloc
    assert browser.console == [], "the console shows errors"
    assert [url for url in browser.requests if urlsplit(url).scheme in ("http", "https", "ws", "wss") and urlsplit(url).netloc != own] == []
    assert any(urlsplit(url).netloc == own for url in browser.requests)


def go(page, name: str):
    page.tap(f".tabs a[href='#{name}']")
    page.wait(f"location.hash === '#{name}' && !document.querySelector('.view > .progress')")


def test_a_photo_is_identified_kept_found_and_read_about(page):
    has_photos = (SHARED / "data/photos.csv").exists()
    page.give("#photo", photo("cat", "siamese") if has_photos else DRAWING)
    name = page.text(".scan-result h1")
    assert name == "Siamese" or not has_photos
    assert page.text(".scan-result .certainty")
    assert page.script("document.querySelector('.photo img')?.naturalWidth") > 100
    address = page.script("location.hash")
    go(page, "history")
    assert page.wait("document.querySelectorAll('.scan').length") == 1
    page.tap(".scan a")
    page.wait(f"location.hash === '{address}' && document.querySelector('.scan-result')")
    page.tap(".verdict-row > button:not(.yes)")
    assert page.text("dialog[open] h2") == "No, it’s something else"
    page.press("\ue00c")  # The Escape key.
    page.wait("!document.querySelector('dialog[open]')")
    go(page, "breeds")
    page.wait("document.getElementById('search')")
    page.script("(() => { const field = document.getElementById('search'); field.value = 'siamese'; field.dispatchEvent(new Event('input', {bubbles: true})); })()")
    page.wait("document.querySelector('.cards h2 a')?.innerText === 'Siamese'")
    page.tap(".cards h2 a")
    page.wait("document.querySelector('article h1')?.innerText === 'Siamese'")
    assert page.script("document.querySelectorAll('article svg').length") >= 3
    assert page.script("document.documentElement.scrollWidth <= innerWidth")


def test_a_photo_of_an_iphone_is_shown_by_its_copy(page, tmp_path):
    heic = Path(__file__).parent / "cat.heic"
    page.give("#photo", heic)
    page.text(".scan-result h1")
    page.wait("document.querySelector('.photo img')?.naturalWidth > 100")
    (tmp_path / "other.heic").write_bytes(heic.read_bytes())
    go(page, "history")
    page.wait("document.querySelector('.scan img')?.naturalWidth > 100")
    go(page, "scan")
    page.give("#photo", heic, tmp_path / "other.heic")
    page.wait("[...document.querySelectorAll('.tray .scan img')].filter((each) => each.naturalWidth > 100).length === 2")


def test_finnish_is_spoken_and_kept(page):
    page.script("(() => { const field = document.getElementById('language'); field.value = 'fi'; field.dispatchEvent(new Event('change')); })()")
    page.wait("document.querySelector('main h1')?.innerText === 'Mikä eläin tämä on?'")
    page.open(page.script("location.origin") + "/#breeds/snow_leopard")
    page.wait("document.querySelector('article h1')?.innerText === 'Lumileopardi'")
    assert page.script("document.documentElement.lang") == "fi"


def test_the_keyboard_alone_leads_to_an_article(page):
    page.press(TAB)
    assert page.focused() == "Skip to the content"
    for _ in range(4):
        page.press(TAB)
    assert page.focused() == "Encyclopaedia"
    page.press(ENTER)
    page.wait("document.activeElement.id === 'main' && document.querySelector('.cards h2 a')")
    for _ in range(20):
        page.press(TAB)
        if page.script("document.activeElement.matches('.cards h2 a')"):
            break
    name = page.focused()
    page.press(ENTER)
    page.wait("document.querySelector('article h1')")
    assert page.text("article h1") == name


def test_every_view_shows_without_an_error(page):
    origin = page.script("location.origin")
    for address in ("video", "laps", "history?show=met", "history?show=favourites", "more", "models", "models/menagerie",
                    "training", "keys", "storage", "phone", "privacy", "terms", "about"):
        page.open(f"{origin}/#{address}")
        assert page.wait("!document.querySelector('.view > .progress') && document.querySelector('main h1')?.innerText"), address
        assert not page.script("[...document.querySelectorAll('[role=alert]')].map((each) => each.innerText)"), address


def test_a_view_that_could_not_be_loaded_opens_once_the_server_is_back(browser):
    server = Server()
    browser.open(server.url)
    browser.wait("document.querySelector('.drop button')")
    port = urlsplit(server.url).port
    server.stop()
    browser.tap(".tabs a[href='#breeds']")
    assert browser.text("[role=alert]").startswith("The server cannot be reached. Is it running?")
    server = Server("--port", str(port))
    try:
        browser.tap("[role=alert] button")
        # Firefox never downloads a module again after a failure, so the page itself is loaded again.
        time.sleep(1)
        assert browser.wait("document.querySelectorAll('.cards h2 a').length") > 1
    finally:
        server.stop()
