"""Teaching own classes on the page: collect, train, check, use, try, roll back."""

import zipfile

import pytest

from photos import SHARED, needs_photos
from test_axe import violations

pytestmark = needs_photos
FRUIT = SHARED / "data/photos/fruit"


def photos(label: str, count: int, start: int = 0) -> list:
    return sorted((FRUIT / label).iterdir())[start:start + count]


@pytest.fixture(autouse=True)
def no_trainings(page):
    yield
    page.driver.get("about:blank")
    for run in page.request("GET", "/training")["items"]:
        page.request("DELETE", f"/training/{run['id']}")


def collect(page, index: int, label: str, count: int = 10):
    row = f".classes li:nth-child({index}) "
    page.find(row + "input[type=text]").send_keys(label)
    page.find(row + "input[type=file]").send_keys("\n".join(map(str, photos(label, count))))
    page.wait(lambda: f"{count} photos" in page.text(row), "the photos")


def name_model(page, name: str):
    page.find("#model-name").clear()
    page.find("#model-name").send_keys(name)


def test_collect_train_check_use_try_and_roll_back(page):
    page.open("training")
    collect(page, 1, "banana")
    collect(page, 2, "strawberry")
    page.click("Add a class")
    collect(page, 3, "kiwi")
    assert violations(page) == []
    name_model(page, "three_fruits")
    page.click("Train")
    page.wait(lambda: "#training/" in page.script("return location.hash"), "the training")
    page.wait_for(".result-line")
    assert "photos held back" in page.text(".result-line")
    assert page.script("return document.querySelectorAll('.plot polyline').length") == 2
    assert page.texts(".matrix thead th") == ["Really", "banana", "kiwi", "strawberry"]
    run = page.request("GET", "/training")["items"][0]
    assert sum(int(cell) for cell in page.texts(".matrix td")) == run["result"]["held_out_photos"] >= 6
    for width, dark in ((320, True), (1280, False)):
        page.appear(width, dark=dark)
        assert violations(page) == []
    page.click("Use this model")
    page.wait_for("#try-title")
    assert page.focused_text() == "Roll back", "the focus stays at its place"
    page.find("#try").send_keys(str(photos("banana", 1, start=20)[0]))
    assert page.text(".try-answer li").lower().startswith("banana")
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


def test_a_zip_is_trained_and_what_is_no_photo_is_told(page, tmp_path):
    archive = tmp_path / "fruit.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for label in ("banana", "kiwi"):
            for each in photos(label, 10):
                file.write(each, f"{label}/{each.name}")
        file.writestr("kiwi/notes.jpg", "no photo")
    page.open("training")
    name_model(page, "from_a_zip")
    page.find("#zip").send_keys(str(archive))
    page.wait_for(".result-line")
    assert page.text(".skipped summary") == "1 file was left out"
    assert page.script("return document.querySelector('.skipped li').textContent").startswith("kiwi/notes.jpg")


def test_one_class_is_not_enough(page):
    page.open("training")
    collect(page, 1, "banana", 3)
    page.click("Train")
    assert page.alert() == "It takes two classes or more, each with a name and photos."
    assert page.request("GET", "/training")["total"] == 0


@pytest.mark.console("400|409|422")
def test_without_corrections_nothing_is_learned_and_the_reason_is_told(page):
    page.open("training")
    name_model(page, "corrected")
    page.click("Learn from my corrections")
    page.wait(lambda: page.texts("[role=alert]") or "#training/" in page.script("return location.hash"), "the reason")
    assert len(page.alert()) > 20
