"""Files that go on being sent while the person looks at something else."""

import json
import zipfile

import pytest

from photos import DRAWING, needs_photos, photo
from test_models import NETWORK
from test_scan import SLOW
from test_training import no_trainings  # noqa: F401


def archive(folder, count: int):
    """A ZIP with photos of two fruits."""
    path = folder / "fruit.zip"
    with zipfile.ZipFile(path, "w") as file:
        for label in ("banana", "kiwi"):
            for index in range(count):
                file.write(photo("fruit", label, index), f"{label}/{index}.avif")
    return path


def look_elsewhere(page, door: str):
    """Leaves the view, comes back, finds the upload, and leaves again before it has ended."""
    assert page.text(".sending .progress") == "Sending: 42%"
    page.go("more")
    page.tap(f".doors a[href='#{door}']")
    assert page.text(".sending .progress") == "Sending: 42%"
    page.go("breeds")
    page.script("window.release()")


@needs_photos
def test_a_training_goes_on(page, tmp_path):
    page.open("training")
    page.clear("#model-name")
    page.type("#model-name", "elsewhere")
    page.script(SLOW)
    page.type("#zip", str(archive(tmp_path, 4)))
    look_elsewhere(page, "training")
    assert page.text(".notice p") == "“elsewhere” is sent."
    page.click("Open", within="#toasts")
    page.wait(lambda: page.texts("h1") == ["elsewhere"], "the training")


def test_an_import_goes_on(page, tmp_path):
    scan = page.scan(DRAWING)["id"]
    kept = tmp_path / "history.zip"
    kept.write_bytes(page.fetch("/history/export?format=zip")[1])
    page.request("DELETE", "/history")
    page.open("storage")
    page.script(SLOW)
    page.type("#import", str(kept))
    look_elsewhere(page, "storage")
    assert page.text(".notice p") == "1 imported"
    assert [each["id"] for each in page.request("GET", "/history")["items"]] == [scan]
    page.click("Open", within="#toasts")
    assert page.text(".import .progress") == "1 imported.", "the report waits in the view"
    assert page.text("main .lead") == "1 scan"


@needs_photos
def test_an_evaluation_goes_on(page, tmp_path):
    page.open("models")
    page.script(SLOW)
    page.type("#evaluation-photos", str(archive(tmp_path, 2)))
    look_elsewhere(page, "models")
    page.click("Open", within="#toasts")
    assert page.text(".result-line") == "4 photos of 2 classes."


def test_a_model_goes_on_and_the_list_that_is_opened_meanwhile_gets_it(page, tmp_path):
    text = (NETWORK.parent / "manifest.json").read_text()
    manifest = json.loads(text) | {"name": "sent_elsewhere"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    labels = [path for path in NETWORK.parent.iterdir() if path.suffix == ".txt"]
    page.open("models")
    page.type("#model-files", "\n".join(map(str, [NETWORK.resolve(), tmp_path / "manifest.json", *labels])))
    page.wait(lambda: page.find("#model-name").get_attribute("value") == "sent_elsewhere", "the name")
    page.script(SLOW)
    page.click("Add the model")
    assert page.text(".sending .progress") == "Sending: 42%"
    page.go("breeds")
    page.go("more")
    page.tap(".doors a[href='#models']")
    page.wait_for(".sending .progress")
    page.script("window.release()")
    try:
        page.wait(lambda: any(row.startswith("sent_elsewhere") for row in page.texts(".runs li")), "the model in the list")
    finally:
        page.request("DELETE", "/models/sent_elsewhere")


@pytest.mark.console("400")
def test_what_fails_while_one_looks_elsewhere_is_told_there_and_in_its_view(page, tmp_path):
    (tmp_path / "bad.zip").write_text("no archive")
    page.open("storage")
    page.script(SLOW)
    page.type("#import", str(tmp_path / "bad.zip"))
    look_elsewhere(page, "storage")
    assert page.text(".notice.bad p").startswith("bad.zip: ")
    page.click("Open", within="#toasts")
    assert page.text(".import [role=alert]")


@needs_photos
def test_a_second_press_trains_nothing_twice(page):
    page.open("training")
    for index, label in enumerate(("banana", "kiwi"), 1):
        row = f".classes li:nth-child({index}) "
        page.type(row + "input[type=text]", label)
        page.type(row + "input[type=file]", "\n".join(str(photo("fruit", label, number)) for number in range(3)))
        page.wait(lambda row=row: "3 photos" in page.text(row), "the photos")
    page.script(SLOW)
    page.click("Train")
    page.click("Train")
    assert page.texts(".sending .progress") == ["Sending: 42%"]
    page.script("window.release()")
    page.wait(lambda: "#training/" in page.script("return location.hash"), "the training")
    assert page.request("GET", "/training")["total"] == 1
