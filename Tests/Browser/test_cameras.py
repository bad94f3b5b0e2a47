"""Cameras that the service watches: added, changed and removed on the page."""

import subprocess

import pytest

from films import needs_films
from page import Page
from photos import photo
from server import Server
from test_axe import LOOKS, violations


@pytest.fixture
def yard(driver, tmp_path):
    """The page of a service that watches cameras, and the folder of films that replace them."""
    server = Server(cameras_enabled="true", cameras_files=str(tmp_path), security_open="true")
    page = Page(driver, server.url)
    page.appear()
    page.console()
    yield page, tmp_path
    page.driver.get("about:blank")
    console = page.console()
    server.stop()
    assert [each for each in console if "400" not in each] == []


def film(folder):
    """Grass, and a cat that comes into the picture."""
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=c=0x6a7a5a:s=1280x720:r=5:d=8", "-i",
         photo("cat", "maine_coon", 1), "-filter_complex",
         "[1:v]scale=520:-2[c];[0:v][c]overlay=380:120:enable='between(t,2,5)'", "-pix_fmt", "yuv420p", folder / "porch.mp4"], check=True)


def add(page, name, url):
    page.click("A new camera")
    page.type("#camera-name", name)
    page.type("#camera-url", url)
    page.click("Add the camera", "dialog[open]")


@needs_films
def test_a_camera_is_added_shows_who_came_and_is_removed(yard):
    page, folder = yard
    film(folder)
    page.open("cameras")
    assert "No cameras yet." in page.texts("main p")
    add(page, "Porch", "nonsense")
    assert page.text("dialog [role=alert]").startswith("This is not a camera's address")
    page.clear("#camera-url")
    page.type("#camera-url", "file:porch.mp4")
    page.click("Add the camera", "dialog[open]")
    page.wait(lambda: page.texts(".cameras h2") == ["Porch"], "the camera")
    page.wait(lambda: "The film is over" in page.texts(".state"), "the end of the film")
    page.wait(lambda: page.texts(".last-sighting strong") and page.texts(".last-sighting strong")[0].startswith("Last seen: "), "the cat")
    page.wait(lambda: page.script("const i = document.querySelector('img.camera-picture'); return i.naturalWidth > 0 && !i.hidden"), "its picture")
    assert page.script("return document.querySelector('a.last-sighting').hash").startswith("#scan/")
    for width, dark in ((320, False), (390, True), (1280, False)):
        page.appear(width, dark=dark, phone=width < 500)
        assert violations(page) == [], width
    page.appear()

    page.click("Change")
    page.wait_for(".region-stage")
    assert "password" not in page.find("#camera-url").get_attribute("placeholder")
    page.click("Add an area", "dialog[open]")
    page.tap("[aria-label='Remove area 1']")
    assert page.focused_text() == "Add an area"
    page.click("Add an area", "dialog[open]")
    page.press("\ue017")  # Delete.
    assert page.focused_text() == "Add an area"
    page.click("Add an area", "dialog[open]")
    page.press("\ue012", "\ue012")  # to the left
    assert violations(page) == []
    page.click("Save", "dialog[open]")
    page.wait_until_gone("dialog")
    [region] = page.request("GET", "/cameras/porch")["ignored"]
    assert region == {"x": 0.36, "y": 0.4, "width": 0.2, "height": 0.2}
    page.wait(lambda: "The film is over" in page.texts(".state"), "the film once more")

    page.tap(".cameras .danger")
    page.confirm()
    page.wait(lambda: "No cameras yet." in page.texts("main p"), "the end of it")
    assert page.focused_text() == "A new camera"
    assert page.request("GET", "/cameras")["total"] == 0


def test_a_server_that_is_away_is_told_until_it_is_back(yard):
    page, _ = yard
    page.open("cameras")
    page.wait_for("main .primary")
    page.script("window.real = window.fetch; window.fetch = () => Promise.reject(new TypeError('away'));")
    assert page.alert() == "The server cannot be reached. Is it running?"
    page.script("document.querySelector('[role=alert]').said = true")
    page.driver.execute_async_script("setTimeout(arguments[0], 5000)")
    assert page.script("return document.querySelector('[role=alert]').said"), "it is said once"
    page.script("window.fetch = window.real")
    page.wait_until_gone("[role=alert]")


def test_where_none_may_be_watched_the_page_says_how(page):
    found = {}
    page.open("cameras")
    assert page.text("main pre") == "menagerie serve --set cameras.enabled=true"
    for width, dark, language in LOOKS:
        page.appear(width, dark=dark, phone=width < 500)
        if page.script("return document.documentElement.lang") != language:
            page.remember("language", language)
            page.open("cameras")
        if slips := violations(page):
            found[width, dark, language] = slips
    assert found == {}


def test_a_picture_that_comes_slowly_is_asked_for_once_and_forgotten_with_the_view(page):
    page.open("more")
    page.script("""
        const real = window.fetch;
        const answer = (value) => Promise.resolve(new Response(JSON.stringify(value)));
        const porch = { id: "porch", name: "Porch", address: "rtsp://porch", state: "watching", counts: { pictures: 1 }, picture_url: "/cameras/porch/picture" };
        window.asked = window.kept = 0;
        const make = URL.createObjectURL;
        URL.createObjectURL = (file) => { window.kept += 1; return make(file); };
        window.fetch = (path, options) => {
          if (path === porch.picture_url) {
            window.asked += 1;
            return new Promise((resolve) => { window.release = () => resolve(new Response("picture")); });
          }
          if (path === "/cameras") return answer({ items: [porch], total: 1, enabled: true });
          return path.startsWith("/cameras/porch/") ? answer({ items: [], total: 0 }) : real(path, options);
        };
        location.hash = "#cameras";""")
    page.wait(lambda: page.script("return window.asked"), "the request for the picture")
    page.driver.execute_async_script("setTimeout(arguments[0], 9000)")
    assert page.script("return window.asked") == 1
    page.go("more")
    page.script("window.release()")
    page.driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert page.script("return window.kept") == 0


def test_a_camera_that_was_removed_does_not_come_back_with_an_older_list(page):
    page.open("more")
    page.script("""
        const real = window.fetch;
        const answer = (value) => new Response(JSON.stringify(value));
        const porch = { id: "porch", name: "Porch", address: "rtsp://porch", state: "watching", counts: { pictures: 0 }, picture_url: "" };
        let items = [porch];
        window.lists = 0;
        window.fetch = async (path, options) => {
          if (path === "/cameras/porch" && options?.method === "DELETE") {
            items = [];
            return answer({});
          }
          if (path === "/cameras") {
            const old = answer({ items, total: items.length, enabled: true });
            window.lists += 1;
            return window.lists === 2 ? new Promise((resolve) => { window.release = () => resolve(old); }) : old;
          }
          return path.startsWith("/cameras/porch/") ? answer({ items: [], total: 0 }) : real(path, options);
        };
        location.hash = "#cameras";""")
    page.wait(lambda: page.script("return Boolean(window.release)"), "the second request for the list")
    page.tap(".cameras .danger")
    page.confirm()
    page.wait(lambda: "No cameras yet." in page.texts("main p"), "the end of it")
    page.script("window.release()")
    page.driver.execute_async_script("setTimeout(arguments[0], 500)")
    assert page.texts(".cameras h2") == []
