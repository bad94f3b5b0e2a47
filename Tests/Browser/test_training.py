"""Teaching your own classes on the page: collect, train, check, use, try, roll back."""

import json
import re
import urllib.error
import zipfile

import pytest

from photos import SHARED, needs_photos, photo
from test_axe import violations
from test_live import CAMERAS

pytestmark = needs_photos
FRUIT = SHARED / "data/photos/fruit"


def photos(label: str, count: int, start: int = 0) -> list:
    return sorted((FRUIT / label).iterdir())[start:start + count]


@pytest.fixture(autouse=True)
def no_trainings(page):
    yield
    page.driver.get("about:blank")

    def gone():
        runs = page.request("GET", "/training")["items"]
        for run in runs:
            try:
                page.request("DELETE", f"/training/{run['id']}")
            except urllib.error.HTTPError as error:
                assert error.code == 409
        return not runs

    # To delete a running one only cancels it, if it is not done before (409).
    page.wait(gone, "the trainings' end")


def collect(page, index: int, label: str, count: int = 10):
    row = f".classes li:nth-child({index}) "
    page.type(row + "input[type=text]", label)
    page.type(row + "input[type=file]", "\n".join(map(str, photos(label, count))))
    page.wait(lambda: f"{count} photos" in page.text(row), "the photos")


def name_model(page, name: str):
    page.clear("#model-name")
    page.type("#model-name", name)


def test_collect_train_check_use_try_and_roll_back(page):
    page.open("training")
    collect(page, 1, "banana")
    collect(page, 2, "strawberry")
    page.click("Add a class")
    collect(page, 3, "kiwi")
    assert violations(page) == []
    name_model(page, "Three fruits!")
    page.click("Train")
    page.wait(lambda: "#training/" in page.script("return location.hash"), "the training")
    page.wait_for(".result-line")
    assert re.fullmatch(r"\d+% right on \d+ photos held back|Got all \d+ right, but \d+ is few", page.text(".result-line"))
    assert page.script("return document.querySelectorAll('.plot polyline').length") == 2
    steps = page.script("return [...document.querySelectorAll('.plot .tick')].map((each) => each.textContent)")
    assert all("." not in each for each in steps), "there is no half of an iteration"
    assert page.texts(".matrix thead th") == ["Really", "banana", "kiwi", "strawberry"]
    run = page.request("GET", "/training")["items"][0]
    assert sum(int(cell) for cell in page.texts(".matrix td")) == run["result"]["held_out_photos"] >= 6
    for width, dark in ((320, True), (1280, False)):
        page.appear(width, dark=dark)
        assert violations(page) == []
    page.click("Use this model")
    page.wait_for("#try-title")
    assert page.focused_text() == "Roll back", "the focus stays at its place"
    page.type("#try", str(photos("banana", 1, start=20)[0]))
    assert page.text(".try-answer li").lower().startswith("banana")
    page.open()
    page.choose(photos("banana", 1, start=21)[0])
    assert page.text(".added").lower() == "your “three_fruits” model: banana"
    page.driver.refresh()
    assert page.text(".added").lower() == "your “three_fruits” model: banana", "of the scan that was kept"
    page.open()
    page.choose(photo("cat", "siamese"))
    page.wait(lambda: page.result().startswith("#scan/") and page.text("h1") == "Siamese", "the answer")
    assert page.texts(".added") == [], "it does not speak of what it was not taught"
    assert violations(page) == []
    page.open("models/three_fruits")
    [version, accuracy, learned, classes, made] = page.texts("main table tbody tr:first-child > *")
    assert version == f"{run['result']['version']} ✓" and accuracy.endswith("%") and (learned, classes) == ("30", "3") and made
    assert violations(page) == []
    page.open("training")
    assert "In use" in page.text(".runs li")
    page.click("three_fruits")
    page.click("Roll back")
    page.wait(lambda: "The model before is in use again." in page.texts(".notice"), "the word")
    page.wait_until_gone("#try-title")
    page.click("Delete this training")
    page.confirm()
    page.wait(lambda: page.script("return location.hash") == "#training", "the list")
    assert page.request("GET", "/training")["total"] == 0


def test_corrections_are_learned_used_and_taken_back(page):
    def correct(path, label):
        page.request("PATCH", f"/history/{page.scan(path)['id']}", json.dumps({"corrected_label": label}).encode(),
                     **{"Content-Type": "application/json"})
    for index in range(8):
        correct(photo("cat", "siamese", index), "siamese")
        correct(photo("cat", "maine_coon", index), "lykoi")
    correct(photo("cat", "persian"), "persian")
    for version in ("1", "2"):
        page.open("training")
        name_model(page, "clinic")
        page.click("Learn from my corrections (17)")
        page.wait_for(".result-line")
        assert page.script("return document.querySelector('.skipped li').textContent").endswith(": it is the only photo of its class")
        page.click("Use this model")
        page.wait_for("#try-title")
        assert page.request("GET", "/models/clinic")["versions"][-1]["version"] == version
    page.open()
    page.choose(photo("cat", "maine_coon", 9))
    assert page.text(".added") == "Your “clinic” model: Lykoi"
    for _ in range(2):
        page.open("training")
        page.wait_for(".runs .done")
        page.script("[...document.querySelectorAll('.runs li')].find((each) => each.innerText.includes('In use')).querySelector('a').click()")
        page.click("Roll back")
        page.wait(lambda: "The model before is in use again." in page.texts(".notice"), "the word")
    page.open("training")
    assert not any("In use" in each for each in page.texts(".runs li"))


@pytest.mark.console("422")
def test_a_failure_is_told_in_the_readers_words(page):
    page.open("training")
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Opeta omia luokkia"], "the Finnish view")
    for index, label in enumerate(("banana", "kiwi"), 1):
        row = f".classes li:nth-child({index}) "
        page.type(row + "input[type=text]", label)
        page.type(row + "input[type=file]", str(photos("banana", 1)[0]))
    name_model(page, "sama")
    page.click("Opeta")
    assert "vähintään kaksi kuvaa" in page.alert() and "banana ja kiwi" in page.alert()


def test_a_zip_is_trained_and_what_is_no_photo_is_told(page, tmp_path):
    archive = tmp_path / "fruit.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for label in ("banana", "kiwi"):
            for each in photos(label, 10):
                file.write(each, f"{label}/{each.name}")
        file.writestr("kiwi/notes.jpg", "no photo")
    page.open("training")
    name_model(page, "from_a_zip")
    page.type("#zip", str(archive))
    page.wait_for(".result-line")
    assert page.text(".skipped summary") == "1 file was left out"
    assert page.script("return document.querySelector('.skipped li').textContent") == "kiwi/notes.jpg: it is not a photo that can be read"
    page.select("#language", "fi")
    page.wait(lambda: page.script("return document.querySelector('.skipped li')?.textContent") == "kiwi/notes.jpg: se ei ole kuva, jonka voi lukea",
              "the reason in Finnish")


def test_a_folder_of_classes_is_taken_and_stays_while_one_looks_elsewhere(page, tmp_path):
    for label in ("banana", "kiwi"):
        (tmp_path / "fruits" / label).mkdir(parents=True)
        for each in photos(label, 6):
            (tmp_path / "fruits" / label / each.name).write_bytes(each.read_bytes())
    (tmp_path / "fruits/list.txt").write_text("no photo")
    page.open("training")
    page.type("#class-folder", str(tmp_path / "fruits"))

    def classes() -> list:
        return page.script("return [...document.querySelectorAll('.classes li')].map((row) =>"
                           " [row.querySelector('input').value, row.querySelector('.quiet').textContent])")
    page.wait(lambda: sorted(classes()) == [["banana", "6 photos"], ["kiwi", "6 photos"]], "the classes")
    page.drop(*photos("kiwi", 2, start=8), target=f".classes li:nth-child({1 + classes().index(['kiwi', '6 photos'])})")
    page.wait(lambda: ["kiwi", "8 photos"] in classes(), "the photos that were dropped")
    assert page.script("return location.hash") == "#training" and page.request("GET", "/history")["total"] == 0
    page.go("history")
    page.driver.back()
    page.wait(lambda: sorted(classes()) == [["banana", "6 photos"], ["kiwi", "8 photos"]], "what was collected")
    assert violations(page) == []
    page.click("Train")
    page.wait_for(".result-line")
    page.open("training")
    page.wait(lambda: classes() == [["", "0 photos"]] * 2, "two empty classes")


def test_what_was_set_stays_over_a_change_of_language_and_of_the_view(page):
    page.open("training")
    name_model(page, "my_fruits")
    page.tap("#deploy")
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Opeta omia luokkia"], "the Finnish view")

    def held():
        return page.script("return [document.getElementById('model-name').value, document.getElementById('deploy').checked]")

    assert held() == ["my_fruits", True]
    page.go("breeds")
    page.driver.back()
    page.wait(lambda: page.texts("h1") == ["Opeta omia luokkia"], "the view")
    assert held() == ["my_fruits", True]


def test_one_class_is_not_enough(page):
    page.open("training")
    collect(page, 1, "banana", 3)
    page.click("Train")
    assert page.alert() == "A training needs two classes or more, each with a name and photos."
    assert page.request("GET", "/training")["total"] == 0


@pytest.mark.console("400|409|422")
def test_without_corrections_nothing_is_learned_and_the_reason_is_told(page):
    page.open("training")
    name_model(page, "corrected")
    page.click("Learn from my corrections (0)")
    page.wait(lambda: page.texts("[role=alert]") or "#training/" in page.script("return location.hash"), "the reason")
    assert len(page.alert()) > 20


def test_the_camera_of_the_trial_is_off_once_the_trial_is_drawn_again(camera_page, tmp_path):
    archive = tmp_path / "fruit.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for label in ("banana", "kiwi"):
            for path in photos(label, 6):
                file.write(path, f"{label}/{path.name}")
    page = camera_page
    run = page.request("POST", "/training?name=tried&deploy=true", archive.read_bytes(), **{"Content-Type": "application/zip"})["id"]
    page.wait(lambda: page.request("GET", f"/training/{run}")["state"] == "done", "the training")
    page.open(f"training/{run}")
    page.wait_for("#try-title")
    page.script(CAMERAS)
    page.click("Try it with the camera")
    page.wait(lambda: page.texts(".try-answer li"), "an answer")
    page.click("Show new photos to it")
    page.wait(lambda: "The model is in use: new photos are shown to it, too." in page.texts(".notice"), "the word")
    page.wait(lambda: page.script("return window.on()") == 0, "the camera to stop")
    page.request("DELETE", f"/training/{run}/deployment")


def test_the_end_of_a_training_is_told_once_the_server_can_be_reached_again(page, tmp_path):
    archive = tmp_path / "fruit.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for label in ("banana", "kiwi"):
            for path in photos(label, 25):
                file.write(path, f"{label}/{path.name}")
    run = page.request("POST", "/training?name=lost", archive.read_bytes(), **{"Content-Type": "application/zip"})["id"]
    page.open(f"training/{run}")
    page.wait_for("main [role=progressbar]")
    page.script("""
        const [lost, real] = [arguments[0], window.fetch];
        window.fetch = (path, options) => (path === lost
          ? (window.fetch = real, Promise.reject(new TypeError("no connection"))) : real(path, options));""", f"/training/{run}")
    page.click("Try again")
    page.wait_for(".result-line")
