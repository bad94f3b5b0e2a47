"""Answers that arrive after the person has gone on."""

import zipfile

from photos import DRAWING, needs_photos, photo
from test_scan import SLOW
from test_training import no_trainings  # noqa: F401

# Holds the requests whose method and path match, until `window.release()`. Later requests pass.
HOLD = """
const [pattern, real] = [new RegExp(arguments[0]), window.fetch];
let held = [];
window.release = () => { held.forEach((go) => go()); };
window.fetch = (path, options = {}) => (held.length === 0 && pattern.test(`${options.method ?? "GET"} ${path}`)
  ? new Promise((resolve) => held.push(() => resolve(real(path, options)))) : real(path, options));"""


def settle(page):
    page.driver.execute_async_script("setTimeout(arguments[0], 500)")


def test_a_late_correction_does_not_rename_the_view_that_is_open(page):
    scan = page.scan(DRAWING)["id"]
    page.open(f"scan/{scan}")
    page.words()
    page.script(HOLD, "^PATCH")
    page.tap(".verdict-row .yes")
    page.go("breeds")
    page.wait_for(".cards li")
    page.script("window.release()")
    page.wait(lambda: page.request("GET", f"/history/{scan}").get("corrected_label"), "the correction")
    settle(page)
    assert page.driver.title == "Encyclopaedia – Menagerie"


def test_a_late_deletion_does_not_take_the_person_away(page):
    page.open(f"scan/{page.scan(DRAWING)['id']}")
    page.words()
    page.script(HOLD, "^DELETE")
    page.act("Delete")
    page.confirm()
    page.go("breeds")
    page.script("window.release()")
    assert page.text("#toasts p") == "The scan is deleted."
    settle(page)
    assert page.script("return location.hash") == "#breeds"


def test_a_search_that_was_just_typed_does_not_go_into_another_views_address(page):
    for view, field in (("history", "#filter-q"), ("breeds", "#search")):
        page.scan(DRAWING)
        page.open(view)
        page.wait_for(field)
        page.script("""
            const field = document.querySelector(arguments[0]);
            field.value = "cat";
            field.dispatchEvent(new Event("input", {bubbles: true}));
            location.hash = "#more";""", field)
        settle(page)
        assert page.script("return location.hash") == "#more"


def test_what_was_deleted_does_not_come_back_with_a_late_list(page):
    kept, gone = page.scan(DRAWING)["id"], page.scan(DRAWING)["id"]
    page.open("history")
    page.wait(lambda: len(page.all(".scan")) == 2, "the scans")
    page.script("""
        const real = window.fetch;
        window.fetch = async (path, options) => {
          const answer = await real(path, options);
          if (String(path).startsWith("/history?limit=20")) await new Promise((resolve) => { window.release = resolve; });
          return answer;
        };""")
    page.tap(".scan a")
    page.wait_for(".scan-result")
    page.driver.back()
    page.wait(lambda: len(page.all(".scan")) == 2 and page.script("return Boolean(window.release)"), "the list, and the request for a newer one")
    page.click("Select")
    page.tap(".scan input")
    page.tap("main button.danger")
    page.confirm()
    page.wait(lambda: len(page.all(".scan")) == 1, "one to go")
    page.script("window.release()")
    settle(page)
    assert len(page.all(".scan")) == 1 and page.request("GET", "/history")["items"][0]["id"] == kept != gone


def test_back_closes_the_question_of_the_view(page):
    scan = page.scan(DRAWING)["id"]
    page.open("history")
    page.tap(".scan a")
    page.words()
    page.act("Delete")
    page.wait_for("#confirm[open]")
    page.driver.back()
    page.wait_until_gone("#confirm")
    settle(page)
    assert page.request("GET", "/history")["items"][0]["id"] == scan


def test_back_to_a_list_speaks_the_language_that_was_chosen_since(page):
    page.open("breeds?q=siamese")
    page.tap(".cards h2 a")
    page.wait_for("article")
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Siamilainen"], "the article")
    page.driver.back()
    page.wait(lambda: page.texts(".cards h2")[:1] == ["Siamilainen"], "the list")


@needs_photos
def test_the_animal_that_was_pressed_last_is_compared(page):
    page.open(f"scan/{page.scan(photo('cat', 'siamese'))['id']}")
    page.words()
    page.click("Other possibilities")
    page.wait(lambda: len(page.texts(".pills button")) > 1, "two of them")
    first, second = page.texts(".pills button")[:2]
    page.script(HOLD, "^GET /breeds/")
    page.tap(".pills button", 0)
    page.tap(".pills button", 1)
    assert page.text(".pair figcaption a") == second
    page.script("window.release()")
    settle(page)
    assert page.texts(".pair figcaption a") == [second] != [first]


@needs_photos
def test_the_photo_that_was_tried_last_has_the_answer(page, tmp_path):
    archive = tmp_path / "fruit.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for label in ("banana", "kiwi"):
            for index in range(6):
                file.write(photo("fruit", label, index), f"{label}/{index}")
    run = page.request("POST", "/training?name=late&deploy=true", archive.read_bytes(), **{"Content-Type": "application/zip"})["id"]
    page.wait(lambda: page.request("GET", f"/training/{run}")["state"] == "done", "the training")
    try:
        page.open(f"training/{run}")
        page.wait_for("#try-title")
        page.script(HOLD, "^POST /classify")
        page.type("#try", str(photo("fruit", "banana", 8)))
        page.type("#try", str(photo("fruit", "kiwi", 8)))
        assert page.text(".try-answer li").lower().startswith("kiwi")
        page.script("window.release()")
        settle(page)
        assert page.text(".try-answer li").lower().startswith("kiwi")
    finally:
        page.request("DELETE", f"/training/{run}/deployment")


def test_a_late_deletion_leaves_the_photo_that_was_chosen_since(page):
    page.open()
    page.choose(DRAWING)
    page.words()
    page.script(HOLD, "^DELETE")
    page.script("window.delete = window.release")
    page.act("Delete")
    page.confirm()
    page.script(SLOW)
    page.drop(DRAWING)
    page.wait_for(".photo.pending")
    page.script("window.delete()")
    assert page.text("#toasts p") == "The scan is deleted."
    settle(page)
    assert page.texts(".photo.pending") != []
    page.script("window.release()")
    page.wait_for(".scan-result")


def test_an_undo_is_seen_in_the_list_that_was_opened_since(page):
    made = [page.scan(DRAWING)["id"] for _ in range(2)]
    page.open("history")
    page.wait(lambda: len(page.all(".scan")) == 2, "the scans")
    page.click("Select")
    page.tap(".scan input")
    page.tap("main button.danger")
    page.confirm()
    page.wait(lambda: len(page.all(".scan")) == 1, "one to go")
    page.tap(".scan a")
    page.wait_for(".scan-result")
    page.driver.back()
    page.wait(lambda: len(page.all(".scan")) == 1, "the list")
    page.click("Undo", "#toasts")
    page.wait(lambda: len(page.all(".scan")) == 2, "both")
    assert len(made) == page.request("GET", "/history")["total"]


def test_an_undo_that_does_not_reach_the_server_can_be_tried_again(page):
    page.scan(DRAWING)
    page.open("history")
    page.wait(lambda: len(page.all(".scan")) == 1, "the scan")
    page.click("Delete all scans")
    page.confirm()
    page.wait(lambda: "No scans yet." in page.text("main"), "the empty history")
    page.script("""
        const real = window.fetch;
        window.fetch = (path, options) => (String(path).endsWith("/undo")
          ? (window.fetch = real, Promise.reject(new TypeError("no connection"))) : real(path, options));""")
    page.click("Undo", "#toasts")
    page.wait(lambda: "The server cannot be reached. Is it running?" in page.texts("#toasts p"), "the reason")
    page.click("Undo", "#toasts")
    page.wait(lambda: len(page.all(".scan")) == 1, "the scan again")


def test_a_message_about_the_view_goes_with_the_language(page):
    page.open(f"scan/{page.scan(DRAWING)['id']}")
    page.words()
    page.tap(".verdict-row .yes")
    page.wait_for("#toasts .notice")
    page.select("#language", "fi")
    page.wait(lambda: page.texts(".certainty") == ["Vahvistit tämän"] or "Kumoa" in page.texts(".verdict-row button"), "the Finnish view")
    assert page.texts("#toasts .notice") == []
