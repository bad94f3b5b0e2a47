"""Scanning a photo and its results."""

import base64
import json
import re
import signal
import time
from urllib.parse import urlsplit

import pytest

from photos import DRAWING, SHARED, grey_area, needs_photos, photo
from server import Server
from test_axe import violations

# Holds back the next uploads until `window.release()`.
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


@needs_photos
def test_chosen_photo_shows_its_name_its_certainty_and_the_figures_behind_it(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    page.words()
    assert page.text("h1") == "Siamese" and page.text(".certainty").startswith("Very likely")
    assert page.text(".sentence").startswith("A slender, blue-eyed pointed cat")
    assert len(page.texts(".three-facts dd")) == 3
    assert "%" not in page.text(".scan-result"), "figures are behind Details"
    answers = page.answers()
    assert answers[0][0] == "Siamese" and all(re.fullmatch(r"\d{1,3}\.\d%", percent) for _, percent in answers)
    assert not {"0.0%", "100.0%"} & {percent for _, percent in answers}


def test_an_unsure_answer_has_wide_words_and_no_figure(page, tmp_path):
    page.open()
    page.choose(grey_area(tmp_path))
    scan = page.result().split("/")[1]
    assert page.text("h1") == "A thing, not an animal"
    assert page.answers() == [], "a figure would say more than anybody knows"
    # A user can confirm that there is no animal, as on the page To check.
    page.click("That’s right")
    page.wait(lambda: page.text(".certainty") == "Confirmed by you", "the confirmation")
    assert page.text("h1") == "A thing, not an animal"
    assert page.request("GET", f"/history/{scan}")["corrected_label"] == "no_animal"


@needs_photos
def test_a_cat_of_no_known_breed_is_still_a_cat(page):
    path = photo("cat", "cat_unspecified", 1)
    assert page.scan(path)["abstained"]
    page.open()
    page.choose(path)
    page.result()
    assert page.text("h1") == "A cat"
    assert page.text(".certainty") == "Definitely" and page.text(".sentence") == "The breed is harder to tell."
    page.click("That’s right")
    page.wait(lambda: page.text(".certainty") == "Confirmed by you", "the confirmation")
    assert page.text("h1") == "A cat"
    page.go("history")
    assert page.text(".scan strong") == "A cat"


@needs_photos
def test_the_name_leads_to_the_article(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    page.answers()
    assert len(page.all(".answers a[href^='#breeds/']")) == len(page.answers())
    page.tap("h1 a")
    page.wait(lambda: page.texts("h1") == ["Siamese"] and page.all(".article-head"), "the article")


@needs_photos
def test_a_result_has_an_address_that_reload_and_back_keep(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    answers = page.answers()
    address = page.result()
    assert re.fullmatch(r"#scan/[0-9A-Z]{26}", address)
    page.driver.refresh()
    assert page.answers() == answers and page.result() == address
    page.tap("h1 a")
    page.wait_for(".article-head")
    page.driver.back()
    assert page.answers() == answers
    page.wait(lambda: page.script("return document.querySelector('.scan-result img').naturalWidth") > 0, "the photo")


def test_answers_are_announced(page):
    page.open()
    page.choose(DRAWING)
    page.result()
    page.wait(lambda: page.heard() == "Drawing of a cat. Possibly", "the announcement")


def test_the_photo_its_progress_and_cancel_fill_the_screen_at_once(page):
    page.appear(390, phone=True, height=844)
    page.open()
    page.script(SLOW)
    page.choose(DRAWING)
    page.wait(lambda: "42%" in page.text(".tray .progress"), "the percentage")
    photo, bar, cancel = page.script("""
        return [".photo.pending img", ".tray [role=progressbar]", ".tray button"].map((each) => document.querySelector(each).getBoundingClientRect());""")
    assert photo["width"] == 390 and page.script("return document.querySelector('.tray img').naturalWidth") == 500
    for each in (bar, cancel):
        assert photo["top"] <= each["top"] and each["bottom"] <= photo["top"] + 0.56 * 844, "they are on the photo"
    assert page.script("return document.querySelector('.tray [role=progressbar]').getAttribute('aria-valuenow')") == "42"
    page.tap(".tray button")
    page.wait_until_gone(".photo.pending")
    assert page.text("h1") == "Which animal is this?"
    page.script("window.release()")
    assert page.request("GET", "/history")["total"] == 0


def test_the_photo_fills_a_phones_width_and_at_most_half_of_a_desk(page):
    scan = page.scan(DRAWING)
    for width, height, phone in ((390, 844, True), (1280, 900, False)):
        page.appear(width, phone=phone, height=height)
        page.open(f"scan/{scan['id']}")
        page.wait_for(".scan-result")
        room = page.script("return document.querySelector('.photo').getBoundingClientRect()")
        assert room["width"] == 390 if phone else room["width"] < 640
        assert room["height"] <= (0.55 if phone else 0.85) * height + 1


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
    assert page.result()


def test_photo_dropped_on_the_history_leads_to_its_answers(page):
    page.open("history")
    page.drop(DRAWING)
    assert page.result().startswith("#scan/")


def folder_of_photos(folder):
    """A folder with two photos, one of them in a folder of its own, and a file that is no photo."""
    (folder / "animals/more").mkdir(parents=True)
    for name in ("one.jpg", "more/two.jpg"):
        (folder / "animals" / name).write_bytes(DRAWING.read_bytes())
    (folder / "animals/notes.txt").write_text("not a photo")
    return folder / "animals"


def test_the_photos_of_a_dropped_folder_are_identified(page, tmp_path):
    page.open()
    page.drop_real(folder_of_photos(tmp_path), target="h1")
    assert len(page.tray()) == 2
    page.open("training")
    page.drop_real(folder_of_photos(tmp_path / "again"), target=".classes li")
    page.wait(lambda: "2 photos" in page.text(".classes li"), "the photos of the class")


def test_a_folder_without_photos_is_told_so(page, tmp_path):
    (tmp_path / "animals").mkdir()
    (tmp_path / "animals/notes.txt").write_text("not a photo")
    page.open()
    page.drop_real(tmp_path / "animals", target="h1")
    assert page.text("#toasts p") == "Nothing found."


def test_dragging_a_photo_says_where_it_can_go(page):
    page.open()
    page.drop(DRAWING, event="dragover")
    assert page.wait_for("#drop-here").text == "Drop the photo to identify it"
    page.drop(DRAWING, event="dragleave")
    page.wait_until_gone("#drop-here")


def test_pasted_photo_is_identified(page):
    page.open()
    page.paste(DRAWING)
    assert page.result()


def test_pasted_text_is_left_alone(page, tmp_path):
    note = tmp_path / "note.txt"
    note.write_text("not a photo")
    page.open()
    page.paste(note)
    assert page.texts(".scan-result, [role=alert], .progress") == []


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
def test_several_photos_make_tiles_and_a_short_announcement(page, tmp_path):
    page.open()
    page.choose(*drawings(tmp_path, 8, broken=2))
    tiles = page.tray()
    assert len(tiles) == 7 and all("Drawing of a cat" in each for each in tiles)
    assert page.text(".tray-problems li").startswith("photo 2.jpg")
    assert page.texts(".tray-summary") == ["7 of 8 photos are done, 1 failed."]
    page.wait(lambda: page.heard() == "7 of 8 photos are done, 1 failed.", "the announcement")
    assert page.request("GET", "/history")["total"] == 7
    page.tap(".tray .scan a")
    page.result()
    page.driver.back()
    page.wait(lambda: len(page.all(".tray .scan")) == 7, "the tiles again")


def test_several_photos_of_one_animal_get_one_answer(page, tmp_path):
    page.open()
    page.choose(*drawings(tmp_path, 3))
    page.tray()
    page.click("These are all the same animal")
    page.wait_for(".scan-result")
    page.wait(lambda: page.request("GET", "/history")["total"] == 1, "one scan in place of three")


def test_three_hundred_photos_have_a_bar_a_stop_and_a_summary(page, tmp_path):
    page.open()
    page.choose(*drawings(tmp_path, 300))
    page.wait(lambda: page.request("GET", "/history")["total"] >= 30, "the first thirty")
    assert page.all(".tray [role=progressbar]") and len(page.all(".tray .scan")) <= 24
    assert page.script("return document.documentElement.scrollHeight") < 6000
    page.click("Stop")
    page.wait_for(".tray[aria-busy=false]")
    assert page.focused().get_attribute("id") == "main"
    assert re.fullmatch(r"Stopped\. \d+ photos are done\.", page.text(".tray-summary"))
    assert page.request("GET", "/history")["total"] < 300


def test_names_of_files_are_never_markup(page, tmp_path):
    paths = [tmp_path / "<img src=x onerror=window.hacked=1>.jpg", tmp_path / "b.jpg"]
    for path in paths:
        path.write_bytes(DRAWING.read_bytes())
    page.open()
    page.choose(*paths)
    page.tray()
    assert paths[0].name in page.texts(".tray .file")
    assert page.script("return window.hacked") is None


def test_phone_offers_its_camera_and_a_desk_does_not(page):
    page.open()
    assert page.texts(".drop button") == ["Choose photos"]
    page.appear(360, phone=True)
    page.open()
    assert page.texts(".drop button") == ["Take a photo", "Choose photos"]
    assert page.find("#camera").get_attribute("capture") == "environment"
    page.type("#camera", str(DRAWING))
    assert page.result()


def test_photos_of_ours_can_be_tried_where_there_are_any(page):
    page.open()
    page.wait_for(".drop")
    data = base64.b64encode(DRAWING.read_bytes()).decode()
    # From now on the page gets one sample photo. It must show it when the view is drawn again.
    page.script("""
        const real = window.fetch, bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
        window.fetch = (path, ...rest) => String(path).endsWith("/samples/index.json")
          ? Promise.resolve(new Response(JSON.stringify([{file: "cat.jpg", name: {en: "Cat", fi: "Kissa"}, credit: "Ours"}])))
          : String(path).endsWith("/samples/cat.jpg") ? Promise.resolve(new Response(new Blob([bytes], {type: "image/jpeg"}))) : real(path, ...rest);
        location.hash = "#breeds";""", data)
    page.wait_for(".cards")
    page.go("scan")
    page.wait(lambda: page.texts(".samples button") == ["Cat"], "the sample")
    page.tap(".samples button")
    assert page.result()
    page.console()


@pytest.mark.parametrize(("answer", "words"), [
    ("Promise.reject(new TypeError('no connection'))", "The server cannot be reached. Is it running?"),
    ("Promise.resolve(new Response('{}', {status: 500}))", "That did not work (500).")])
def test_a_sample_that_cannot_be_fetched_is_told(page, answer, words):
    page.open("breeds")
    page.wait_for(".cards")
    page.script("""
        const real = window.fetch;
        window.fetch = (path, ...rest) => String(path).endsWith("/samples/index.json")
          ? Promise.resolve(new Response(JSON.stringify([{file: "cat.jpg", thumb: "../icon.svg", name: {en: "Cat", fi: "Kissa"}}])))
          : String(path).endsWith("/samples/cat.jpg") ? ANSWER : real(path, ...rest);""".replace("ANSWER", answer))
    page.go("scan")
    page.tap(".samples button")
    assert page.alert().startswith(words)


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
def test_several_photos_wait_for_the_server_too(page, tmp_path):
    server = Server()
    page.url = server.url
    page.open()
    server.stop()
    page.choose(*drawings(tmp_path, 2))
    assert page.alert().startswith("The server cannot be reached. Is it running?")
    server = Server("--port", str(urlsplit(server.url).port))
    try:
        assert len(page.tray()) == 2
        assert page.request("GET", "/history")["total"] == 2
    finally:
        server.stop()


@pytest.mark.console("ERR_|Failed to load resource")
def test_a_stylesheet_that_could_not_be_loaded_is_loaded_with_the_next_view(page):
    page.open()
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": True})
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/encyclopaedia.css"]})
    columns = "return getComputedStyle(document.querySelector('.article-card')).gridTemplateColumns.split(' ').length"
    try:
        page.go("breeds")
        page.wait_for(".article-card")
        assert page.script(columns) == 1
    finally:
        page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        page.driver.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": False})
    page.go("history")
    page.go("breeds")
    page.wait_for(".article-card")
    assert page.script(columns) == 2


def test_leaving_the_page_while_a_photo_is_sent_is_asked_about(page):
    page.open()
    page.script(SLOW)
    may_leave = "return dispatchEvent(new Event('beforeunload', {cancelable: true}))"
    assert page.script(may_leave)
    page.choose(DRAWING)
    page.wait_for(".photo-over .progress")
    page.wait(lambda: not page.script(may_leave), "the question")
    page.script("window.release()")
    page.result()
    assert page.script(may_leave)


@pytest.mark.console("ERR_|Failed to load resource")
def test_server_that_hangs_is_named(page):
    server = Server()
    try:
        page.url = server.url
        for address in ("breeds", "history", "scan"):
            page.open(address)
        # Half a minute passes in half a second.
        page.script("const wait = setTimeout; window.setTimeout = (action, pause) => wait(action, Math.min(pause, 500))")
        server.process.send_signal(signal.SIGSTOP)
        for address in ("breeds", "history"):
            page.go(address)
            assert page.alert().startswith("The server cannot be reached. Is it running?")
    finally:
        server.process.send_signal(signal.SIGCONT)
        server.stop()


@pytest.mark.console("ERR_|Failed to load resource")
def test_photo_waits_for_the_server_is_told_once_and_sent_by_itself(page):
    page.open()
    page.driver.execute_cdp_cmd("Network.enable", {})
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    try:
        page.script("const wait = setTimeout; window.setTimeout = (action, pause) => wait(action, Math.min(pause, 500))")
        page.choose(DRAWING)
        assert "sent by itself" in page.alert()
        page.script("""
            window.alerts = 0;
            new MutationObserver((all) => { for (const { addedNodes } of all) for (const each of addedNodes) if (each.role === "alert") window.alerts += 1; })
              .observe(document.body, { childList: true, subtree: true });""")
        time.sleep(2)
        assert page.script("return window.alerts") == 0
    finally:
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline | {"offline": False})
    assert page.result()
    assert page.request("GET", "/history")["total"] == 1


def test_photo_waits_while_a_proxy_answers_for_the_server(page):
    page.open()
    page.script("""
        const { prototype } = XMLHttpRequest;
        const real = ["status", "responseText"].map((name) => [name, Object.getOwnPropertyDescriptor(prototype, name)]);
        window.back = () => { for (const [name, each] of real) Object.defineProperty(prototype, name, each); };
        Object.defineProperty(prototype, "status", { configurable: true, get: () => 502 });
        Object.defineProperty(prototype, "responseText", { configurable: true, get: () => "<html>Bad Gateway</html>" });""")
    page.choose(DRAWING)
    assert "sent by itself" in page.alert()
    page.script("window.back()")
    assert page.result()
    assert page.request("GET", "/history")["total"] == 1


@pytest.mark.console("ERR_|Failed to load resource")
def test_photo_whose_answer_was_lost_is_saved_once(page):
    page.open()
    # The service accepts the photo, but its answer does not arrive.
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
    assert page.result()
    assert page.request("GET", "/history")["total"] == 1


# Confirmations and corrections

@needs_photos
def test_right_is_noted_and_can_be_taken_back(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    page.result()
    page.click("That’s right")
    page.wait(lambda: page.text(".certainty").startswith("Confirmed by you"), "the confirmation")
    assert page.text("#toasts .notice p") == "Thank you! Noted."
    scan = page.request("GET", "/history")["items"][0]
    assert scan["corrected_label"] == "siamese"
    page.click("Undo")
    page.wait(lambda: page.text(".certainty").startswith("Very likely"), "the model's answer")
    assert "corrected_label" not in page.request("GET", "/history")["items"][0]


@needs_photos
def test_something_else_offers_search_candidates_and_look_alikes(page):
    page.open()
    page.choose(photo("cat", "siamese"))
    page.result()
    page.click("Something else")
    page.wait_for("dialog[open] .choices")
    page.wait(lambda: "Thai" in page.texts("dialog .choices button"), "the look-alikes")
    assert page.focused().get_attribute("id") == "animal-search"
    page.wait(lambda: page.all("dialog .choices .portrait > *"), "a photo or a drawing of each")
    page.type("#animal-search", "tonkin")
    page.wait(lambda: page.texts("dialog .choices button")[:1] == ["Tonkinese"], "what was searched")
    page.tap("dialog .choices button")
    page.wait(lambda: page.texts("h1") == ["Tonkinese"], "the correction")
    assert page.text(".certainty").startswith("You corrected this")
    assert page.request("GET", "/history")["items"][0]["corrected_label"] == "tonkinese"
    page.driver.refresh()
    page.wait(lambda: page.texts("h1") == ["Tonkinese"], "the correction after a reload")


def test_a_thing_is_named_in_the_persons_own_words(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.click("Something else")
    page.type("#animal-search", "My cup")
    page.click("Something else: My cup", within="dialog")
    page.wait(lambda: page.texts("h1") == ["My cup"], "the thing")
    kept = page.request("GET", f"/history/{scan['id']}")
    assert (kept["corrected_label"], kept["note"]) == ("no_animal", "My cup")
    page.open("history")
    page.type("#filter-q", "my cup")
    page.wait(lambda: page.texts(".scan strong") == ["My cup"], "the thing in the history")


def test_on_a_phone_what_is_asked_lies_above_the_keyboard(page):
    page.appear(390, phone=True, height=844)
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.click("Something else")
    page.wait_for("dialog[open]")
    assert page.script("return document.getElementById('animal-search').getBoundingClientRect().bottom") < 250
    assert page.focused().get_attribute("id") != "animal-search", "the keyboard comes when it is asked for"


def test_a_photo_without_an_animal_is_said_to_be_one_and_that_is_taken_back(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.click("Something else")
    page.click("No animal", within="dialog")
    page.wait(lambda: page.texts("h1") == ["No animal"], "the correction")
    assert page.all("h1 a") == []
    assert page.request("GET", f"/history/{scan['id']}")["corrected_label"] == "no_animal"
    page.open("history")
    page.wait(lambda: any("No animal" in each for each in page.texts(".scan")), "the scan in the history")
    page.open(f"scan/{scan['id']}")
    page.click("Undo")
    page.wait(lambda: page.texts("h1") != ["No animal"], "the model's answer")
    assert "corrected_label" not in page.request("GET", f"/history/{scan['id']}")


def test_name_and_note_are_kept_and_found(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.click("Name it")
    page.wait_for("#note")
    assert page.script("""
        const at = (each) => document.querySelector(each).getBoundingClientRect();
        return at("dialog.sheet .actions").top - at("#note").bottom;""") >= 8, "the buttons keep off the note"
    page.type("#pet-name", "Misu")
    page.type("#note", "limps")
    page.click("Save", within="dialog")
    page.wait(lambda: page.driver.title.startswith("Misu"), "the name")
    assert page.text("h1") == "Misu" and page.text(".note") == "limps"
    kept = page.request("GET", f"/history/{scan['id']}")
    assert (kept["individual"], kept["note"]) == ("Misu", "limps")
    page.scan(DRAWING)
    page.open("history")
    page.wait(lambda: len(page.texts(".scan")) == 2, "both")
    assert "Delete all scans" in page.texts("main button")
    for words in ("misu", "limp"):
        page.clear("#filter-q")
        page.type("#filter-q", words)
        page.wait(lambda words=words: page.script("return location.hash") == f"#history?q={words}", "the address")
        page.wait(lambda: page.texts(".scan strong") == ["Misu"], "the pet")
        assert "Delete all scans" not in page.texts("main button"), "beneath what was found"
    page.open("history?show=pets")
    page.wait(lambda: page.texts(".scan strong") == ["Misu"], "the pet")
    page.open(f"scan/{scan['id']}")
    page.click("Rename")
    page.clear("#pet-name")
    page.click("Save", within="dialog")
    page.wait(lambda: "individual" not in page.request("GET", f"/history/{scan['id']}"), "the name to go")
    page.tap("#toasts button")
    page.wait(lambda: page.request("GET", f"/history/{scan['id']}").get("individual") == "Misu", "the name again")


def test_a_name_is_found_whether_its_letters_are_one_code_point_or_two(page):
    scan = page.scan(DRAWING)
    page.request("PATCH", f"/history/{scan['id']}", json.dumps({"individual": "H\u00f6p\u00f6"}).encode(), **{"Content-Type": "application/json"})
    page.open("history?q=Ho%CC%88po%CC%88")
    page.wait(lambda: page.texts(".scan strong") == ["H\u00f6p\u00f6"], "the pet")


def test_a_name_leaves_the_note_that_another_tab_wrote(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.request("PATCH", f"/history/{scan['id']}", b'{"note": "limps"}', **{"Content-Type": "application/json"})
    page.click("Name it")
    page.type("#pet-name", "Misu")
    page.click("Save", within="dialog")
    page.wait(lambda: page.text("h1") == "Misu" and page.text(".note") == "limps", "the name and the note")
    assert page.request("GET", f"/history/{scan['id']}")["note"] == "limps"


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
    # The history stores the correction.
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
    page.act("Where is it?")
    page.tap(".menu > summary")
    page.wait(lambda: page.texts("[role=alert]") or "Where is it?" not in page.texts(".menu-list button"), "an answer")


def test_where_is_it_says_that_nothing_was_found(page):
    page.open(f"scan/{page.scan(DRAWING)['id']}")
    page.words()
    page.script("""
        const real = window.fetch;
        window.fetch = (path, options) => path.startsWith("/detect") ? Promise.resolve(new Response('{"boxes": []}')) : real(path, options);""")
    page.act("Where is it?")
    assert page.text("#toasts p") == "Nothing found."


@needs_photos
def test_a_result_is_laid_beside_what_it_could_be_taken_for(page):
    thai = page.scan(photo("cat", "siamese", 1))
    page.request("PATCH", f"/history/{thai['id']}", json.dumps({"corrected_label": "thai"}).encode(), **{"Content-Type": "application/json"})
    page.open()
    page.choose(photo("cat", "siamese"))
    page.result()
    page.click("Other possibilities")
    page.wait(lambda: "Thai" in page.texts(".compare button"), "the look-alikes")
    page.wait(lambda: page.all(".compare .portrait img"), "the own photo of a Thai")
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
    page.click("Muita mahdollisuuksia")
    page.click("Thai")
    page.wait(lambda: "pyöristyneen" in "".join(page.texts(".pair > div")), "the Finnish difference")


@needs_photos
def test_two_animals_have_a_card_each_and_a_headline_that_counts_them(page):
    folder = SHARED / "data/boxes"
    scan = page.request("POST", "/classify?animals=always&heads=kinds,presence", (folder / "0266.avif").read_bytes(), **{"Content-Type": "image/avif"})
    count = len(scan["animals"])
    assert count >= 2
    page.appear(390, phone=True, height=844)
    page.open(f"scan/{scan['id']}")
    page.words()
    assert page.text("h1") == {2: "Two dogs", 3: "Three dogs"}[count]
    cards, boxes = page.texts(".card h2"), page.texts(".box-label")
    assert len(cards) == count and sorted(cards) == sorted(boxes), "cards and boxes say the same"
    ends = page.script("return [...document.querySelectorAll('.certainty > span')].map((each) => getComputedStyle(each, '::after').content)")
    assert set(ends) == {"none"}, "no dot without a word behind it"
    before = page.script("return document.querySelector('.overlaid').getBoundingClientRect().width")
    page.tap(".card-head button", -1)
    page.wait(lambda: page.script("return document.querySelector('.overlaid').getBoundingClientRect().width") > before, "the animal closely")
    page.tap(".card-head button", -1)
    page.wait(lambda: page.script("return document.querySelector('.overlaid').getBoundingClientRect().width") == before, "the whole photo")


def test_deleting_a_result_leads_to_the_others_and_can_be_undone(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.act("Delete")
    page.tap("#confirm[open] .danger")
    page.wait(lambda: page.script("return location.hash") == "#history", "the history")
    assert page.request("GET", "/history")["total"] == 0
    page.tap(".notice button")
    page.wait(lambda: page.result() == f"#scan/{scan['id']}", "the result again")


@pytest.mark.console("404")
def test_a_photo_that_was_just_sent_and_deleted_is_gone(page):
    page.open()
    page.choose(DRAWING)
    page.words()
    page.act("Delete")
    page.tap("#confirm[open] .danger")
    page.wait(lambda: page.script("return location.hash") == "#history", "the history")
    page.driver.back()
    page.wait(lambda: page.texts("h1") == ["There is no such page"], "the word that it is gone")


def test_a_result_is_shared_as_a_picture(page):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}")
    page.script("""
        window.saved = [];
        navigator.canShare = undefined;
        HTMLAnchorElement.prototype.click = function () { window.saved.push(this); };""")
    page.act("Share")
    page.wait(lambda: page.script("return window.saved.length") == 1, "the picture")
    assert page.script("return window.saved[0].download").endswith(".jpg")
    size = page.driver.execute_async_script("""
        const done = arguments[0];
        const image = new Image();
        image.onload = () => done([image.naturalWidth, image.naturalHeight]);
        image.src = window.saved[0].href;""")
    assert size == [1080, 1350]
    assert page.text("#toasts .notice p") == "The picture to share is among your downloads."


def test_a_long_name_is_not_squeezed_in_the_picture_to_share(page):
    scan = page.scan(DRAWING)["id"]
    name = {"individual": "Princess Fluffington the Third of Lower Bavaria and Saxony"}
    page.request("PATCH", f"/history/{scan}", json.dumps(name).encode(), **{"Content-Type": "application/json"})
    page.open(f"scan/{scan}")
    page.script("""
        window.written = [];
        window.isSaved = false;
        navigator.canShare = undefined;
        HTMLAnchorElement.prototype.click = function () { window.isSaved = true; };
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (words, x, y, ...most) {
          window.written.push([words, x + this.measureText(words).width, y]);
          write.call(this, words, x, y, ...most);
        };""")
    page.act("Share")
    page.wait(lambda: page.script("return window.isSaved"), "the picture")
    written = page.script("return window.written")
    assert name["individual"] in " ".join(words for words, _, _ in written)
    assert [words for words, right, low in written if right > 1080 or low > 1350] == []


@needs_photos
def test_a_result_is_printed_with_its_photo_and_its_words_alone(page):
    scan = page.scan(photo("cat", "siamese"))
    page.open(f"scan/{scan['id']}")
    page.words()
    page.script("window.printed = 0; window.print = () => { window.printed += 1; };")
    page.act("Print")
    assert page.script("return window.printed") == 1
    page.appear(media="print")
    assert page.texts("h1") == ["Siamese"] and page.texts(".sentence") and page.find(".photo img").is_displayed()
    assert page.texts("main button") == page.texts("header") == page.texts(".tabs") == page.texts(".menu") == []


@pytest.mark.console("404")
@pytest.mark.parametrize("address", ["scan/01M82HTMZ4Q54JZN0TWNBMQ5M9", "breeds/unicorn", "nonsense", "constructor", "%E0%A4%A"])
def test_what_is_not_there_is_told(page, address):
    page.open(address)
    assert page.text("h1") == "There is no such page"
    assert page.all("main a.button")


def test_the_headline_counts_what_the_service_lists(page):
    page.remember("language", "en")
    page.open()
    said = page.driver.execute_async_script("""
        const done = arguments[0];
        const tiger = { label: "amur_tiger", name: "Amur tiger", confidence: 0.9, percent: "90.0%", url: "/breeds/amur_tiger", names: { en: "Amur tiger", fi: "Amurintiikeri" } };
        const at = (x, y, width, height, rest) => ({ x, y, width, height, confidence: 0.6, ...rest });
        const whole = at(0.1, 0.1, 0.7, 0.7, { label: "wild cat", name: "Wild cat", species: tiger });
        const part = at(0.2, 0.2, 0.3, 0.3, { label: "animal", name: "Animal" });
        const cat = at(0.4, 0.4, 0.2, 0.2, { label: "cat", name: "Cat" });
        const wild = at(0.5, 0.5, 0.1, 0.1, { label: "wild cat", name: "Wild cat" });
        const answer = (...animals) => ({ abstained: false, head: "zoo", predictions: [tiger], presence: {}, animals });
        import("/parts/animals.js").then(({ animalsIn, headline }) =>
          done([[whole], [whole, part], [whole, { ...whole, x: 0.2 }], [whole, cat], [part, { ...part, x: 0.6 }], [cat, wild]]
            .map((boxes) => headline(animalsIn(answer(...boxes))))));""")
    assert said == ["Amur tiger", "Amur tiger and another animal", "2 × Amur tiger", "Amur tiger and a cat", "Two animals", "A cat and a wild cat"]


def test_a_photo_that_is_cancelled_before_it_is_sent_is_not_sent(page):
    page.open()
    page.script("""
        const real = Blob.prototype.arrayBuffer;
        Blob.prototype.arrayBuffer = function () { return new Promise((resolve) => { window.release = () => resolve(real.call(this)); }); };
        window.sent = 0;
        const send = XMLHttpRequest.prototype.send;
        XMLHttpRequest.prototype.send = function (body) { window.sent += 1; return send.call(this, body); };""")
    page.choose(DRAWING)
    page.wait_for(".photo.pending")
    page.tap(".photo-over > button")
    page.wait_until_gone(".photo.pending")
    page.script("window.release()")
    page.driver.execute_async_script("setTimeout(arguments[0], 500)")
    assert page.script("return window.sent") == 0


def test_the_focus_stays_in_the_page_after_a_photo_was_cancelled(page):
    page.open()
    page.script(SLOW)
    page.choose(DRAWING)
    page.wait_for(".photo-over > button").send_keys("\ue007")  # Enter.
    page.wait_until_gone(".photo.pending")
    assert page.focused().get_attribute("id") == "main"


@pytest.mark.console("413|ERR_")
def test_scans_stay_if_their_photos_are_too_large_together(page, tmp_path):
    paths = [tmp_path / f"{number}.jpg" for number in range(3)]
    for path in paths:
        path.write_bytes(DRAWING.read_bytes() + bytes(12 << 20))
    page.open()
    page.choose(*paths)
    page.tray()
    page.click("These are all the same animal")
    assert "too large" in page.alert() or "cannot be reached" in page.alert()
    page.driver.execute_async_script("setTimeout(arguments[0], 500)")
    assert page.request("GET", "/history")["total"] == 3


def test_a_thing_leaves_the_note_and_so_does_taking_it_back(page, tmp_path):
    scan = page.scan(grey_area(tmp_path))["id"]
    page.request("PATCH", f"/history/{scan}", json.dumps({"note": "At grandma's"}).encode(), **{"Content-Type": "application/json"})
    page.open(f"scan/{scan}")
    page.words()
    page.click("Something else")
    page.type("#animal-search", "garden gnome")
    page.click("Something else: garden gnome", "dialog[open]")
    page.wait(lambda: page.texts("h1") == ["garden gnome"], "the name")
    assert page.request("GET", f"/history/{scan}")["note"] == "garden gnome\nAt grandma's"
    page.click("Undo", ".verdict-row")
    page.wait(lambda: page.request("GET", f"/history/{scan}").get("corrected_label") is None, "it to be taken back")
    assert page.request("GET", f"/history/{scan}")["note"] == "At grandma's"


def test_a_share_that_the_browser_refuses_saves_the_picture(page):
    page.open(f"scan/{page.scan(DRAWING)['id']}")
    page.words()
    page.script("""
        navigator.canShare = () => true;
        navigator.share = () => Promise.reject(new DOMException("no longer pressed", "NotAllowedError"));
        HTMLAnchorElement.prototype.click = () => {};""")
    page.act("Share")
    assert page.text("#toasts p") == "The picture to share is among your downloads."


def test_the_way_back_from_a_result_shows_no_photo_under_way(page):
    page.open()
    page.choose(DRAWING)
    page.result()
    page.go("scan")
    page.wait_for(".drop button")
    assert page.texts(".tray") == []


def test_a_result_that_is_not_saved_stays_over_a_change_of_language(page):
    server = Server(history_save_by_default="false")
    try:
        page.url = server.url
        page.open()
        page.choose(DRAWING)
        page.wait_for(".scan-result")
        page.select("#language", "fi")
        page.wait(lambda: page.texts(".tabs a")[:1] == ["Tunnista"], "Finnish")
        page.wait_for(".scan-result")
        assert page.texts(".photo.pending") == []
    finally:
        server.stop()


def test_a_new_photo_takes_the_place_of_a_result_that_is_not_saved(page):
    server = Server(history_save_by_default="false")
    try:
        page.url = server.url
        page.open()
        page.choose(DRAWING)
        page.wait_for(".scan-result")
        page.script(SLOW)
        page.drop(DRAWING)
        page.wait_for(".photo.pending")
        assert page.texts(".scan-result") == []
        page.script("window.release()")
        page.wait_for(".scan-result")
    finally:
        server.stop()


def test_a_long_name_fits_the_question_on_a_narrow_phone(page):
    page.appear(320, phone=True)
    page.open("more")
    fits = page.driver.execute_async_script("""
        const done = arguments[0];
        import("/parts/dom.js").then(({ confirmed }) => {
          confirmed("x".repeat(128));
          const dialog = document.getElementById("confirm");
          done(dialog.scrollWidth <= dialog.clientWidth);
          dialog.close();
        });""")
    assert fits


@pytest.mark.console("415")
def test_the_one_photo_that_is_left_of_several_is_counted_as_one(page, tmp_path):
    page.open()
    page.choose(*drawings(tmp_path, 2, broken=1))
    page.tray()
    page.tap(".tray-problems .file ~ button")
    page.wait(lambda: page.texts(".tray-problems li") == [], "the failed one to go")
    assert page.texts(".tray-summary") == ["The photo is done."]


def test_progress_that_says_nothing_new_is_not_read_aloud_again(page, tmp_path):
    page.open()
    page.script("""
        window.heard = [];
        new MutationObserver(() => { const { textContent: words } = document.getElementById("announcements"); if (words) window.heard.push(words); })
          .observe(document.getElementById("announcements"), { childList: true, characterData: true, subtree: true });
        XMLHttpRequest.prototype.send = function () { (window.under ??= []).push(this); };""")
    page.choose(*drawings(tmp_path, 3))
    page.wait_for(".tray-summary")
    page.driver.execute_async_script("""
        const done = arguments[0];
        let loaded = 0;
        const timer = setInterval(() => {
          loaded += 1;
          window.under[0].upload.dispatchEvent(new ProgressEvent("progress", {lengthComputable: true, loaded, total: 1000}));
        }, 100);
        setTimeout(() => { clearInterval(timer); window.under.forEach((each) => each.dispatchEvent(new ProgressEvent("loadend"))); done(); }, 6000);""")
    assert page.script("return window.heard").count("0 of 3 photos done …") <= 1


@pytest.mark.console("415")
def test_the_one_photo_that_is_left_under_way_or_failed_is_not_counted(page, tmp_path):
    page.open()
    # Holds the photo and sends the file that is none.
    page.script("""
        const real = XMLHttpRequest.prototype.send;
        XMLHttpRequest.prototype.send = function (body) { if (body.size < 100) real.call(this, body); };""")
    page.choose(*drawings(tmp_path, 2, broken=1))
    page.tap(".tray-problems .file ~ button")
    page.wait(lambda: page.texts(".tray-problems li") == [], "the failed one to go")
    assert page.texts(".tray-summary") == ["Looking …"]
    page.click("Stop")
    page.open()
    for name in ("one", "two"):
        (tmp_path / name).write_bytes(b"not a photo")
    page.choose(tmp_path / "one", tmp_path / "two")
    page.tray()
    page.tap(".tray-problems .file ~ button")
    page.wait(lambda: len(page.texts(".tray-problems li")) == 1, "one to go")
    assert page.texts(".tray-summary") == [""]
