"""Videos: sending one, watching what is in it, taking it home, deleting it."""

import pytest
from selenium.webdriver.common.by import By

from films import VIDEOS, needs_videos
from photos import DRAWING
from test_axe import violations

pytestmark = needs_videos


@pytest.fixture(autouse=True)
def no_videos(page):
    yield
    page.driver.get("about:blank")
    for video in page.request("GET", "/videos")["items"]:
        page.request("DELETE", f"/videos/{video['id']}")


def send(page, name: str):
    page.open("video")
    page.find("#video").send_keys(str(VIDEOS / name))
    page.wait(lambda: "#video/" in page.script("return location.hash"), "the video's own address")


def position(page) -> float:
    return page.script("return document.querySelector('.player video').currentTime")


def test_a_video_is_sent_looked_at_and_shown_with_a_row_for_each_track(page):
    send(page, "dog_running.mp4")
    page.wait_for(".tracks li")
    assert page.texts("h1") == ["dog_running.mp4"]
    assert any(row.startswith("Dog") for row in page.texts(".track-name"))
    page.wait(lambda: page.script("const v = document.querySelector('.player video'); return v.readyState >= 1 && v.videoWidth") == 854, "the film")
    video = page.script("return location.hash").split("/")[1]
    best = page.request("GET", f"/videos/{video}/tracks")["items"][-1]["best"]["at_ms"]
    page.all(".track")[-1].click()
    assert abs(position(page) - best / 1000) < 0.05
    page.script("document.querySelector('.player video').currentTime = 0")
    page.find("body").send_keys("k")
    page.wait(lambda: position(page) > 0, "the next event")
    page.find("body").send_keys("j")
    page.wait(lambda: position(page) == 0, "the event before")
    kind, film = page.fetch(page.find("a[download]").get_attribute("href").removeprefix(page.url))
    assert kind == "video/mp4" and film[4:8] == b"ftyp"
    for width, dark in ((320, False), (1280, True)):
        page.appear(width, dark=dark)
        assert violations(page) == []
    page.open("video")
    assert page.text(".runs li").startswith("dog_running.mp4")
    page.click("dog_running.mp4")
    page.click("Delete this video")
    page.confirm()
    page.wait(lambda: page.script("return location.hash") == "#video", "the list")
    assert page.request("GET", "/videos")["total"] == 0


def test_a_video_under_way_shows_its_progress_and_is_cancelled(page):
    send(page, "cars_passing.mp4")
    page.wait(lambda: "%" in page.text("main .progress"), "progress")
    page.click("Cancel")
    page.confirm()
    page.wait(lambda: page.script("return location.hash") == "#video", "the list")
    assert page.request("GET", "/videos")["total"] == 0


def test_leaving_and_coming_back_finds_it_under_way_or_done(page):
    send(page, "dog_running.mp4")
    address = page.script("return location.hash")[1:]
    page.go("breeds")
    page.open(address)
    page.wait_for(".tracks li")


@pytest.mark.console("415|422|400")
def test_what_is_no_video_is_told_so(page):
    page.open("video")
    field = page.driver.find_element(By.CSS_SELECTOR, "#video")
    field.send_keys(str(DRAWING))
    assert "video" in page.alert()
    assert page.script("return location.hash") == "#video"
