"""A photo in, its answers out."""

import json
import re

import pytest

from photos import DRAWING, needs_photos, photo
from server import Server
from test_axe import violations

# Holds back what the next uploads send, until `window.release()`.
SLOW = """
const real = XMLHttpRequest.prototype.send;
const held = [];
window.release = () => { for (const go of held.splice(0)) go(); };
XMLHttpRequest.prototype.send = function (body) {
  held.push(() => real.call(this, body));
  this.upload.dispatchEvent(new ProgressEvent("progress", {lengthComputable: true, loaded: 42, total: 100}));
};"""


def drawings(folder, count: int, broken: int | None = None):
    paths = [folder / f"photo {number}.jpg" for number in range(count)]
    for number, path in enumerate(paths):
        path.write_bytes(b"not a photo" if number == broken else DRAWING.read_bytes())
    return paths


def test_chosen_photo_shows_its_answers_with_percentages(page):
    page.open()
    page.choose(DRAWING)
    answers = page.answers()
    assert len(answers) == 3
    assert all(name and re.fullmatch(r"\d{1,3}\.\d%", percent) for name, percent in answers)
    assert page.text(".scan-result h2").endswith(":")
    assert page.script("return document.querySelector('.scan-result img').naturalWidth") == 500


def test_a_weak_guess_does_not_look_like_an_answer(page):
    page.open()
    page.choose(DRAWING)
    page.answers()
    assert page.text(".certainty") == "Not sure"
    assert page.text("h1") == "I am not sure what this is"
    assert page.all(".answers.none"), "the bars of a guess are not those of an answer"


@needs_photos
def test_a_cat_of_no_known_breed_is_still_a_cat(page):
    path = photo("cat", "cat_unspecified", 1)
    assert page.scan(path)["abstained"]
    page.open()
    page.choose(path)
    page.result()
    assert page.text("h1") == "A cat, but I am not sure of the breed"
    assert page.texts(".judge button") == ["Not right …"], "a guess is not confirmed by accident"
    page.click("Not right …")
    assert page.text("dialog .choices button") == page.texts(".answers .row > :first-child")[0], "the guess is to choose from"
    page.click("Cancel", "dialog")
    page.go("history")
    assert page.text(".scan strong") == "Cat"


@needs_photos
def test_cat_shares_the_features_of_breeds_that_link_to_their_articles(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    answers = page.answers()
    assert page.text(".scan-result h2") == "This cat shares the features of:"
    assert page.text("h1") == answers[0][0] == "Siamese"
    assert page.text(".certainty") == "Very likely"
    assert "0.0%" not in [percent for _, percent in answers]
    assert len(page.all(".answers a[href^='#breeds/']")) == len(answers)
    page.tap(".answers a")
    page.wait(lambda: page.texts("h1") == ["Siamese"] and page.all("article"), "the article")


@needs_photos
def test_a_result_has_an_address_that_reload_and_back_keep(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    answers = page.answers()
    address = page.result()
    assert re.fullmatch(r"#scan/[0-9A-Z]{26}", address)
    page.driver.refresh()
    assert page.answers() == answers and page.result() == address
    page.tap(".answers a")
    page.wait_for("article")
    page.driver.back()
    assert page.answers() == answers
    page.wait(lambda: page.script("return document.querySelector('.scan-result img').naturalWidth") > 0, "the photo")


def test_answers_are_announced(page):
    page.open()
    page.choose(DRAWING)
    name, percent = page.answers()[0]
    page.wait(lambda: name in page.heard() and percent in page.heard(), "the announcement")


def test_the_photo_its_progress_and_cancel_show_at_once(page):
    page.open()
    page.script(SLOW)
    page.choose(DRAWING)
    page.wait(lambda: "42%" in page.text(".tray .progress"), "the percentage")
    assert page.script("return document.querySelector('.tray img').naturalWidth") == 500
    assert page.script("return document.querySelector('.tray progress').value") == 0.42
    page.tap(".tray li button")
    page.wait_until_gone(".tray li")
    page.script("window.release()")
    assert page.request("GET", "/history")["total"] == 0


def test_photos_never_grow_beyond_their_size(page, tmp_path):
    page.open()
    page.choose(DRAWING)
    page.answers()
    assert page.script("return document.querySelector('.scan-result img').getBoundingClientRect().width") <= 500


def test_the_same_photo_can_be_chosen_again(page):
    page.open()
    page.choose(DRAWING)
    first = page.result()
    page.choose(DRAWING)
    page.wait(lambda: page.request("GET", "/history")["total"] == 2, "the second scan")
    page.wait(lambda: page.script("return location.hash").startswith("#scan/") and page.result() != first, "its result")


@pytest.mark.parametrize("target", ["main", "header", "footer"])
def test_photo_dropped_anywhere_is_identified(page, target):
    page.open()
    page.drop(DRAWING, target=target)
    assert len(page.answers()) == 3


def test_photo_dropped_on_the_history_leads_to_its_answers(page):
    page.open("history")
    page.drop(DRAWING)
    assert len(page.answers()) == 3
    assert page.result().startswith("#scan/")


def test_dragging_a_photo_says_where_it_can_go(page):
    page.open()
    page.drop(DRAWING, event="dragover")
    assert page.wait_for("#drop-here").text == "Drop the photo to identify it"
    page.drop(DRAWING, event="dragleave")
    page.wait_until_gone("#drop-here")


def test_pasted_photo_is_identified(page):
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
@pytest.mark.parametrize("language, words", [("en", "not a photo that can be read"), ("fi", "ei ole kuva, jonka voi lukea")])
def test_file_that_is_no_picture_is_told_in_the_readers_words(page, tmp_path, language, words):
    note = tmp_path / "note.jpg"
    note.write_text("not a photo")
    page.open()
    page.select("#language", language)
    page.choose(note)
    assert words in page.alert()
    assert page.texts("[role=alert] button") == []
    assert page.request("GET", "/history")["total"] == 0


@pytest.mark.console("422")
def test_cut_picture_is_told(page, tmp_path):
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(DRAWING.read_bytes()[:3000])
    page.open()
    page.choose(cut)
    assert "damaged" in page.alert()


@pytest.mark.console("413|ERR_")
def test_photo_larger_than_the_server_takes_is_refused_in_words(page, tmp_path):
    huge = tmp_path / "huge.jpg"
    huge.write_bytes(DRAWING.read_bytes() + bytes(34 << 20))
    page.open()
    page.choose(huge)
    assert "too large" in page.alert() or "cannot be reached" in page.alert()


@pytest.mark.console("415")
def test_several_photos_make_a_short_list_and_a_short_announcement(page, tmp_path):
    page.open()
    page.choose(*drawings(tmp_path, 8, broken=2))
    rows = page.tray()
    assert [f"photo {number}.jpg" in row for number, row in enumerate(rows)] == [True] * 8
    assert len(page.all(".tray a[href^='#scan/']")) == 7
    assert page.texts(".tray-summary") == ["7 of 8 photos are done, 1 did not work."]
    page.wait(lambda: page.heard() == "7 of 8 photos are done, 1 did not work.", "the announcement")
    assert page.script("return document.querySelector('.tray').getBoundingClientRect().height") < 1200
    assert page.request("GET", "/history")["total"] == 7
    page.tap(".tray a")
    assert len(page.answers()) == 3
    page.driver.back()
    page.wait(lambda: len(page.all(".tray > li")) == 8, "the list again")


def test_several_photos_of_one_animal_get_one_answer(page, tmp_path):
    page.open()
    page.tap("#together")
    page.choose(*drawings(tmp_path, 3))
    page.wait_for(".scan-result")
    assert len(page.texts(".answers .row")) >= 1


def test_forty_photos_are_all_answered(page, tmp_path):
    page.open()
    page.choose(*drawings(tmp_path, 40))
    assert len(page.tray()) == 40
    assert page.texts(".tray-summary") == ["All 40 photos are done."]


def test_names_of_files_are_never_markup(page, tmp_path):
    paths = [tmp_path / "<img src=x onerror=window.hacked=1>.jpg", tmp_path / "b.jpg"]
    for path in paths:
        path.write_bytes(DRAWING.read_bytes())
    page.open()
    page.choose(*paths)
    page.tray()
    assert page.texts(".tray .file")[0] == paths[0].name
    assert page.script("return window.hacked") is None


def test_phone_offers_its_camera_and_a_desk_does_not(page):
    page.open()
    assert page.texts(".drop button") == ["Choose photos"]
    page.appear(360, phone=True)
    page.open()
    assert page.texts(".drop button") == ["Choose photos", "Take a photo"]
    assert page.find("#camera").get_attribute("capture") == "environment"
    page.type("#camera", str(DRAWING))
    assert len(page.answers()) == 3


@pytest.mark.parametrize("index", range(4))
def test_a_picture_of_ours_can_be_tried(page, index):
    page.open()
    name = page.texts(".samples button")[index]
    page.tap(".samples button", index)
    assert page.answers()[0][0] == name


@pytest.mark.console("ERR_|Failed to load resource")
def test_server_that_is_down_is_named_and_can_be_tried_again(page):
    server = Server()
    try:
        page.url = server.url
        page.open()
    finally:
        server.stop()
    page.choose(DRAWING)
    assert page.alert().startswith("The server cannot be reached. Is it running?")
    assert page.find("[role=alert] button").text == "Try again"
    for address in ("breeds", "history"):
        page.go(address)
        assert page.alert().startswith("The server cannot be reached. Is it running?")


@pytest.mark.console("ERR_|Failed to load resource")
def test_photo_waits_for_the_server_and_is_sent_by_itself(page):
    page.open()
    page.driver.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    try:
        page.choose(DRAWING)
        assert "sent by itself" in page.alert()
    finally:
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline | {"offline": False})
    assert len(page.answers()) == 3
    assert page.request("GET", "/history")["total"] == 1


@pytest.mark.console("ERR_|Failed to load resource")
def test_photo_whose_answer_was_lost_is_saved_once(page):
    page.open()
    # The service takes the photo, but its answer does not come through.
    page.script("""
        const listen = XMLHttpRequest.prototype.addEventListener;
        window.lose = true;
        XMLHttpRequest.prototype.addEventListener = function (name, handler, ...rest) {
          if (name === "error") this.failed = handler;
          if (name !== "load") return listen.call(this, name, handler, ...rest);
          return listen.call(this, name, () => {
            if (window.lose) { window.lose = false; this.failed(); } else handler();
          }, ...rest);
        };""")
    page.choose(DRAWING)
    page.alert()
    assert page.request("GET", "/history")["total"] == 1
    page.tap("[role=alert] button")
    assert len(page.answers()) == 3
    assert page.request("GET", "/history")["total"] == 1


# Saying what it is

@needs_photos
def test_right_is_noted_and_can_be_taken_back(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    page.answers()
    page.tap(".judge button")
    page.wait(lambda: page.text(".certainty") == "You say", "the correction")
    scan = page.request("GET", "/history")["items"][0]
    assert scan["corrected_label"] == "siamese"
    page.click("Take it back")
    page.wait(lambda: page.text(".certainty") == "Very likely", "the model's answer")
    assert "corrected_label" not in page.request("GET", "/history")["items"][0]


@needs_photos
def test_not_right_offers_runners_up_look_alikes_and_search(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    page.answers()
    page.tap(".judge button", 1)
    page.wait_for("dialog[open] .choices")
    page.wait(lambda: "Thai" in page.texts("dialog .choices button"), "the look-alikes")
    page.type("#animal-search", "tonkin")
    page.wait(lambda: page.texts("dialog [aria-live] button")[:1] == ["Tonkinese"], "what was searched")
    page.tap("dialog [aria-live] button")
    page.wait(lambda: page.texts("h1") == ["Tonkinese"], "the correction")
    assert page.request("GET", "/history")["items"][0]["corrected_label"] == "tonkinese"
    page.driver.refresh()
    page.wait(lambda: page.texts("h1") == ["Tonkinese"], "the correction after a reload")


def test_a_photo_without_an_animal_is_said_to_be_one_and_that_is_taken_back(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.wait_for(".judge button")
    page.tap(".judge button", -1)
    page.wait_for("dialog[open]")
    page.click("No animal", within="dialog")
    page.wait(lambda: page.texts("h1") == ["No animal"], "the correction")
    assert page.all("h1 a") == []
    assert page.request("GET", f"/history/{scan['id']}")["corrected_label"] == "no_animal"
    page.open("history")
    page.wait(lambda: any("No animal" in each for each in page.texts(".scan")), "the scan in the history")
    page.open(f"scan/{scan['id']}")
    page.click("Take it back")
    page.wait(lambda: page.texts("h1") != ["No animal"], "the model's answer")
    assert "corrected_label" not in page.request("GET", f"/history/{scan['id']}")


def test_name_and_note_are_kept_and_found(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.tap(".verdict > details:not(:has(.answers)) summary")
    page.type("#pet-name", "Misu")
    page.type("#note", "limps")
    page.tap(".about-it button")
    page.wait(lambda: page.driver.title.startswith("Misu"), "the name")
    kept = page.request("GET", f"/history/{scan['id']}")
    assert (kept["individual"], kept["note"]) == ("Misu", "limps")
    page.scan(DRAWING)
    page.open("history")
    page.wait(lambda: len(page.texts(".scan")) == 2, "both")
    page.click("Search and filter")
    page.select("#filter-name", "Misu")
    page.wait(lambda: page.texts(".scan strong") == ["Misu"], "the pet")
    assert page.script("return location.hash") == "#history?name=Misu"
    page.open("history?show=pets")
    page.wait(lambda: page.texts(".scan strong") == ["Misu"], "the pet")
    page.open(f"scan/{scan['id']}")
    page.clear("#pet-name")
    page.tap(".about-it button")
    page.wait(lambda: "individual" not in page.request("GET", f"/history/{scan['id']}"), "the name to go")
    page.tap("#toasts button")
    page.wait(lambda: page.request("GET", f"/history/{scan['id']}").get("individual") == "Misu", "the name again")


@needs_photos
def test_an_animal_that_has_a_name_is_recognised_and_the_guess_is_confirmed(page):
    def name(scan, who):
        page.request("PATCH", f"/history/{scan['id']}", json.dumps({"individual": who}).encode(), **{"Content-Type": "application/json"})
    for index in range(4):
        name(page.scan(photo("cat", "siamese", index)), "Misu")
        name(page.scan(photo("cat", "maine_coon", index)), "Karhu")
    page.wait(lambda: page.request("GET", "/individuals")["state"] == "ready", "the learning")
    page.open()
    page.choose(photo("cat", "siamese", 1))
    page.wait_for(".scan-result")
    assert page.text(".pet-guess strong") == "This is Misu."
    # The history keeps what was said.
    page.driver.refresh()
    page.wait_for(".scan-result")
    assert page.text(".pet-guess strong") == "This is Misu."
    page.click("Yes, it is Misu")
    page.wait(lambda: page.driver.title.startswith("Misu"), "the name")
    assert page.request("GET", "/history?limit=1")["items"][0]["individual"] == "Misu"
    assert not page.texts(".pet-guess")


@pytest.mark.console("409|404")
def test_where_is_it_answers_or_says_why_not(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.click("Where is it?")
    page.wait(lambda: page.texts("[role=alert]") or page.texts(".photo .quiet"), "an answer")


@needs_photos
def test_a_result_is_laid_beside_what_it_could_be_taken_for(page):
    thai = page.scan(photo("cat", "siamese", 1))
    page.request("PATCH", f"/history/{thai['id']}", json.dumps({"corrected_label": "thai"}).encode(), **{"Content-Type": "application/json"})
    page.open()
    page.choose(photo("cat", "siamese"))
    page.result()
    page.wait(lambda: "Thai" in page.texts(".compare button"), "the look-alikes")
    page.click("Thai")
    assert "rounded head" in page.text(".pair > div")
    assert page.texts(".pair figcaption") == ["Siamese", "Thai"]
    page.wait(lambda: page.script("return [...document.querySelectorAll('.pair img')].map((each) => each.naturalWidth > 0)") == [True, True],
              "both photos")
    assert page.script("return document.querySelectorAll('.pair img')[1].src").endswith(f"/history/{thai['id']}/photo")
    for width, dark in ((320, True), (1280, False)):
        page.appear(width, dark=dark)
        assert violations(page) == []
    page.click("Balinese")
    page.wait(lambda: page.texts(".pair figcaption") == ["Siamese", "Balinese"], "the other one")
    assert page.all(".pair svg.drawing"), "a drawing where there is no photo"
    page.click("Balinese")
    page.wait_until_gone(".pair")
    page.select("#language", "fi")
    page.wait(lambda: page.texts("#compare-title") == ["Vertaa"] and "Thai" in page.texts(".compare button"), "Finnish")
    page.click("Thai")
    page.wait(lambda: "pyöristyneen" in "".join(page.texts(".pair > div")), "the Finnish difference")


def test_deleting_a_result_leads_to_the_others_and_can_be_undone(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.tap(".verdict .danger")
    page.tap("#confirm[open] .danger")
    page.wait(lambda: page.script("return location.hash") == "#history", "the history")
    assert page.request("GET", "/history")["total"] == 0
    page.tap(".notice button")
    page.wait(lambda: page.result() == f"#scan/{scan['id']}", "the result again")


def test_a_result_is_shared_as_a_picture(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.script("""
        window.saved = [];
        navigator.canShare = undefined;
        HTMLAnchorElement.prototype.click = function () { window.saved.push(this); };""")
    page.click("Share")
    page.wait(lambda: page.script("return window.saved.length") == 1, "the picture")
    assert page.script("return window.saved[0].download").endswith(".jpg")
    size = page.driver.execute_async_script("""
        const done = arguments[0];
        const image = new Image();
        image.onload = () => done([image.naturalWidth, image.naturalHeight]);
        image.src = window.saved[0].href;""")
    assert size == [1080, 1350]
    assert page.text("#toasts .notice p") == "The picture to share is among your downloads."


@pytest.mark.console("404")
@pytest.mark.parametrize("address", ["scan/01M82HTMZ4Q54JZN0TWNBMQ5M9", "breeds/unicorn", "nonsense", "constructor", "%E0%A4%A"])
def test_what_is_not_there_is_told(page, address):
    page.open(address)
    assert page.text("h1") == "There is no such page"
    assert page.all("main a.button")
