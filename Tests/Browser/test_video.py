"""Videos: uploading, viewing the results, downloading, deleting."""

import subprocess
from urllib.error import HTTPError

import pytest
from selenium.webdriver.common.keys import Keys

from films import VIDEOS, needs_films, needs_videos, rounds
from photos import DRAWING
from test_axe import violations
from test_scan import SLOW

pytestmark = needs_videos


@pytest.fixture(autouse=True)
def no_videos(page):
    yield
    page.driver.get("about:blank")
    while videos := page.request("GET", "/videos?limit=100")["items"]:
        for video in videos:
            page.request("DELETE", f"/videos/{video['id']}")


def send(page, name: str):
    page.open("video")
    page.type("#video", str(VIDEOS / name))
    page.wait(lambda: "#video/" in page.script("return location.hash"), "the video's own address")


def position(page) -> float:
    return page.script("return document.querySelector('.player video').currentTime")


def test_an_upload_goes_on_while_the_person_looks_at_something_else(page):
    page.open("video")
    page.script(SLOW)
    page.type("#video", str(VIDEOS / "dog_running.mp4"))
    assert page.text(".panel .progress") == "Sending: 42%"
    page.go("breeds")
    page.go("scan")
    page.tap(".segments a[href='./#video']")
    assert page.text(".panel .progress") == "Sending: 42%"
    page.go("breeds")
    page.script("window.release()")
    assert page.text(".notice p") == "“dog_running.mp4” is sent."
    page.click("Open", within="#toasts")
    page.wait(lambda: page.texts("h1") == ["dog_running.mp4"], "the video")


def test_the_list_of_videos_says_when_one_is_done(page):
    page.request("POST", "/videos?every=3", (VIDEOS / "cars_passing.mp4").read_bytes(), **{"Content-Type": "video/mp4"})
    page.open("video")
    assert page.text(".runs .state") != "Done"
    page.wait(lambda: page.texts(".runs .state") == ["Done"], "the end")


@needs_films
def test_more_videos_than_fit_on_one_page_are_listed(page, tmp_path):
    film = tmp_path / "short.mp4"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=c=gray:s=64x64:d=0.2:r=5", film], check=True)

    def sent():
        try:
            return page.request("POST", "/videos?detect=false", film.read_bytes(), **{"Content-Type": "video/mp4"})["id"]
        except HTTPError as error:
            assert error.code == 503, "the service takes only so many at a time"
            return None

    made = [page.wait(sent, "room for another") for _ in range(55)]
    page.open("video")
    page.wait(lambda: len(page.all(".runs li")) == 50, "the newest")
    page.click("Show more")
    page.wait(lambda: len(page.all(".runs li")) == 55, "all")
    page.wait(lambda: set(page.texts(".runs .state")) <= {"Done", "Failed"}, "the end of all")
    links = page.script("return [...document.querySelectorAll('.runs a')].map((each) => each.hash.split('/')[1])")
    assert links == made[::-1]
    page.script("document.querySelectorAll('.runs a')[53].click()")
    page.wait(lambda: page.script("return location.hash") == f"#video/{made[1]}", "an old one")
    page.driver.back()
    page.wait(lambda: len(page.all(".runs li")) == 55, "the same list")


@pytest.mark.console("404")
@pytest.mark.parametrize("is_connected", [True, False])
def test_a_video_that_was_deleted_in_another_tab_is_cancelled_in_this_one(page, is_connected):
    send(page, "cars_passing.mp4")
    page.wait_for("main [role=progressbar]")
    if is_connected:
        page.wait(lambda: page.texts("main .progress") not in (["Waiting"], ["Working, 0%"]), "an event")
    page.request("DELETE", f"/videos/{page.script('return location.hash').split('/')[1]}")
    page.wait(lambda: page.texts("main .progress") == ["Cancelled"], "the end")
    assert page.texts("[role=progressbar]") == []


def test_a_video_is_sent_looked_at_and_shown_with_a_row_for_each_track(page):
    send(page, "dog_running.mp4")
    page.wait_for(".tracks li")
    assert page.texts("h1") == ["dog_running.mp4"]
    tracks = page.request("GET", f"/videos/{page.script('return location.hash').split('/')[1]}/tracks")["items"]
    dogs = [(each.get("breed") or each)["name"] for each in tracks if each["label"] == "dog"]
    assert dogs and set(dogs) <= set(page.texts(".track-name")), "by its breed where the service is sure of it"
    page.wait(lambda: page.script("const v = document.querySelector('.player video'); return v.readyState >= 1 && v.videoWidth") == 854, "the film")
    video = page.script("return location.hash").split("/")[1]
    best = page.request("GET", f"/videos/{video}/tracks")["items"][-1]["best"]["at_ms"]
    page.tap(".track", -1)
    assert abs(position(page) - best / 1000) < 0.05
    page.script("document.querySelector('.player video').currentTime = 0")
    page.type("body", "k")
    page.wait(lambda: position(page) > 0, "the next event")
    page.type("body", "j")
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
    page.wait(lambda: page.script("return document.querySelector('.player img')?.naturalWidth") == 768, "its first picture")
    page.click("Cancel")
    page.confirm()
    page.wait(lambda: page.script("return location.hash") == "#video", "the list")
    assert page.request("GET", "/videos")["total"] == 0


@pytest.mark.console("404")
def test_deleting_what_another_tab_has_deleted_is_no_problem(page):
    send(page, "dog_running.mp4")
    page.wait_for(".tracks li")
    page.request("DELETE", f"/videos/{page.script('return location.hash').split('/')[1]}")
    page.click("Delete this video")
    page.confirm()
    page.wait(lambda: page.script("return location.hash") == "#video", "the list")


def test_films_that_are_dropped_on_the_form_are_sent_as_videos(page):
    page.open("video")
    film = VIDEOS / "dog_running.mp4"
    page.drop(film, film, target=".panel")
    page.wait(lambda: page.request("GET", "/videos")["total"] == 2, "both videos")


@needs_films
def test_each_of_several_films_gets_its_finishing_line(page, tmp_path):
    films = [tmp_path / "first.mp4", tmp_path / "second.mp4"]
    for film in films:
        film.write_bytes((VIDEOS / "bus_passing.mp4").read_bytes())
    page.open("video")
    page.tap("label.tick")
    page.type("#video-lap-label", "bus")
    page.drop(*films, target=".panel")
    page.wait(lambda: "first.mp4" in page.texts("main .quiet"), "the first film")
    page.click("Send the video")
    page.wait(lambda: "second.mp4" in page.texts("main .quiet"), "the second film")
    page.wait(lambda: page.texts(".sending a") == ["“first.mp4” is sent."], "the way to the first one")
    assert page.script("return location.hash") == "#video"
    page.click("Send the video")
    page.wait(lambda: "#video/" in page.script("return location.hash"), "the second video's own address")
    assert [video["laps"]["label"] for video in page.request("GET", "/videos")["items"]] == ["bus", "bus"]


def test_in_forced_colours_the_times_of_a_track_are_seen(page):
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
    page.open("video")
    page.wait_for(".panel")
    shown, lane = page.driver.execute_async_script("""
        const done = arguments[0];
        import("/parts/timeline.js").then(({ timeline }) => {
          const track = { name: "Cat", first_ms: 0, last_ms: 400, best: { at_ms: 200, picture_url: "/icon.svg" } };
          document.querySelector("main").append(timeline({}, [track], 1000).element);
          done([".lane .span", ".lane"].map((each) => getComputedStyle(document.querySelector(each)).backgroundColor));
        });""")
    assert shown != lane


def test_leaving_and_coming_back_finds_it_under_way_or_done(page):
    send(page, "dog_running.mp4")
    address = page.script("return location.hash")[1:]
    page.go("breeds")
    page.open(address)
    page.wait_for(".tracks li")


@needs_films
def test_laps_are_timed_over_a_line_that_is_drawn_on_the_first_picture(page, tmp_path):
    page.remember("language", "fi")
    page.open("video")
    page.tap("label.tick")
    page.type("#video-lap-label", "linja-auto")
    page.wait(lambda: page.all("#video-lap-label-names option[value='Linja-auto']"), "the suggestion")
    page.script("document.getElementById('video-lap-minimum').value = '1'")
    page.type("#video", str(rounds(tmp_path)))
    page.wait(lambda: page.script("const v = document.querySelector('.stage video'); return v?.videoWidth") == 640, "the first picture")
    page.type(".line-end", "\ue012", "\ue012")  # Left arrow.
    assert page.script("return document.getElementById('line-X1').value") == "46"
    page.tap(".line-over-film summary")
    page.type("#line-X2", Keys.CONTROL + "a")
    page.type("#line-X2", "46\t")
    assert page.script("return document.querySelectorAll('.line-end')[1].style.left") == "46%"
    for width, dark in ((320, False), (1280, True)):
        page.appear(width, dark=dark)
        assert violations(page) == []
        assert page.script("return document.documentElement.scrollWidth <= innerWidth")
    page.click("Lähetä video")
    page.wait(lambda: "#video/" in page.script("return location.hash"), "the video's own address")
    page.wait_for("#video-laps-title")
    assert page.text("#video-laps-title") == "Kierrokset: Linja-auto"
    timed = page.request("GET", f"/videos/{page.script('return location.hash').split('/')[1]}")["laps"]
    assert timed["line"] == [[0.46, 0], [0.46, 1]] and timed["minimum_lap_s"] == 1
    assert len(timed["laps"]) == 2 and all(abs(lap["lap_ms"] - 4000) < 300 for lap in timed["laps"])
    assert [row.split()[0] for row in page.texts("section[aria-labelledby=video-laps-title] tbody tr")] == ["1", "2"]
    # The line is moved to a place without traffic and back. The laps are counted again without analysing the film
    # again.
    page.click("Siirrä viivaa")
    page.wait(lambda: len(page.all(".player .line-end")) == 2, "the line")
    for end in range(2):
        page.script("document.querySelectorAll('.player .line-end')[arguments[0]].focus()", end)
        page.press(*[Keys.ARROW_RIGHT] * 30)
    page.wait(lambda: page.texts("section[aria-labelledby=video-laps-title] .notice"), "the reason")
    assert "ei ylittänyt viivaa" in page.text("section[aria-labelledby=video-laps-title] .notice")
    # The moved line stays over a change of the language and of the view.
    page.select("#language", "en")
    page.wait(lambda: "cross" in "".join(page.texts("section[aria-labelledby=video-laps-title] .notice")), "the reason in English")
    page.go("breeds")
    page.driver.back()
    page.wait(lambda: len(page.all(".player .line-end")) == 2, "the line again")
    page.select("#language", "fi")
    page.wait(lambda: "ei ylittänyt" in "".join(page.texts("section[aria-labelledby=video-laps-title] .notice")), "the reason in Finnish")
    page.wait(lambda: len(page.all(".player .line-end")) == 2, "the line again")
    for end in range(2):
        page.script("document.querySelectorAll('.player .line-end')[arguments[0]].focus()", end)
        page.press(*[Keys.ARROW_LEFT] * 28)
    page.wait(lambda: len(page.texts("section[aria-labelledby=video-laps-title] tbody tr")) == 2, "the laps again")
    page.click("Korjaa kierrosajastimessa")
    page.wait_for("table tbody button")
    assert len(page.texts("table tbody tr")) == 2


@needs_films
def test_an_object_that_nothing_can_follow_is_told_so(page, tmp_path):
    page.open("video")
    page.tap("label.tick")
    page.type("#video", str(rounds(tmp_path)))
    page.click("Send the video")
    assert page.request("GET", "/videos")["total"] == 0, "nothing is sent without an object"
    page.type("#video-lap-label", "unicorn of glass")
    page.click("Send the video")
    assert page.alert() == "“unicorn of glass” cannot be followed. Choose one of the suggestions."


@pytest.mark.console("415|422|400")
def test_what_is_no_video_is_told_so(page):
    page.open("video")
    page.type("#video", str(DRAWING))
    assert "video" in page.alert()
    assert page.script("return location.hash") == "#video"


def test_the_end_of_a_video_is_told_once_the_server_can_be_reached_again(page):
    send(page, "dog_running.mp4")
    page.wait_for("main [role=progressbar]")
    page.script("""
        const real = window.fetch;
        window.fetch = (path, options) => (String(path).startsWith(`/videos/${location.hash.split("/")[1]}?`)
          ? (window.fetch = real, Promise.reject(new TypeError("no connection"))) : real(path, options));""")
    page.click("Try again")
    page.wait_for(".tracks li")


def test_the_list_that_is_opened_again_says_when_a_newer_video_is_done(page):
    page.open("video")
    page.wait(lambda: "No videos yet." in page.text("main"), "the list")
    page.go("breeds")
    page.request("POST", "/videos?every=3", (VIDEOS / "cars_passing.mp4").read_bytes(), **{"Content-Type": "video/mp4"})
    page.driver.back()
    page.wait(lambda: page.texts(".runs .state"), "the video")
    page.wait(lambda: page.texts(".runs .state") == ["Done"], "the end")


@needs_films
def test_the_line_and_its_file_stay_over_a_change_of_language_and_of_the_view(page, tmp_path):
    page.open("video")
    page.tap("label.tick")
    page.type("#video-lap-label", "Bus")
    page.wait(lambda: page.all("#video-lap-label-names option[value='Bus']"), "the suggestion")
    page.clear("#video-lap-minimum")
    page.type("#video-lap-minimum", "1")
    page.type("#video", str(rounds(tmp_path)))
    page.wait_for(".line-end")
    page.type(".line-end", Keys.ARROW_LEFT)

    def is_kept(name: str, first: str) -> bool:
        return page.script("""
            const value = (id) => document.getElementById(id)?.value;
            return [value("video-lap-label"), value("video-lap-minimum"), document.querySelector(".line-end")?.style.left, value("line-X1")];""") == [
                name, "1", first, first.rstrip("%")]

    page.select("#language", "fi")
    page.wait(lambda: is_kept("Linja-auto", "48%"), "what was entered, in Finnish")
    page.go("breeds")
    page.driver.back()
    page.wait(lambda: is_kept("Linja-auto", "48%"), "what was entered")
    page.select("#language", "en")
    page.wait(lambda: is_kept("Bus", "48%"), "the English name again")
    page.wait(lambda: page.script("return document.querySelector('.stage video')?.videoWidth") == 640, "the first picture")
    page.clear("#video-lap-label")
    page.type("#video-lap-label", "unicorn of glass")
    page.click("Send the video")
    assert page.alert().startswith("“unicorn of glass” cannot be followed.")
    assert len(page.all(".line-end")) == 2, "the line stays"
    page.clear("#video-lap-label")
    page.type("#video-lap-label", "Bus")
    page.click("Send the video")
    page.wait(lambda: "#video/" in page.script("return location.hash"), "the video's own address")
    video = page.script("return location.hash").split("/")[1]
    page.wait(lambda: page.request("GET", f"/videos/{video}")["state"] == "done", "the end")
    assert page.request("GET", f"/videos/{video}")["laps"]["line"] == [[0.48, 0], [0.5, 1]]
    page.wait_for(".tracks li")
    page.script("location.hash = '#video'")
    page.wait_for("#video-laps")
    assert not page.find("#video-laps").is_selected() and page.all(".line-end") == [], "nothing is left of what was sent"
