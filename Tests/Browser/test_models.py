"""The models: inputs and outputs, speed, loading, and the API call."""

import re
import shutil
import zipfile
from pathlib import Path

import pytest

from photos import needs_photos, photo
from server import PACKAGE
from test_axe import violations


def test_a_model_says_what_it_takes_and_gives_and_how_to_call_it(page):
    page.open("models")
    assert {row.splitlines()[0] for row in page.texts(".runs li")} >= {"menagerie", "menagerie_boxes"}
    page.click("menagerie")
    facts = page.text(".facts")
    assert "Apache-2.0" in facts and "dogs: 121 classes" in facts and "×" in facts
    assert page.text("pre").startswith("curl -F image=@photo.jpg '") and "model=menagerie" in page.text("pre")
    page.open("models/menagerie_boxes")
    assert "/detect?model=menagerie_boxes" in page.text("pre")


def test_its_speed_is_measured_with_one_of_our_pictures(page):
    page.open("models/menagerie")
    page.click("Measure")
    page.wait_for(".plot")
    assert page.text("section[aria-labelledby=speed] p").startswith("Median of 12:")
    assert len(page.script("return [...document.querySelectorAll('.plot polyline')][0].getAttribute('points').split(' ')")) == 12
    assert violations(page) == []
    assert page.request("GET", "/history")["total"] == 0


def test_a_model_is_unloaded_and_loaded(page):
    page.request("POST", "/models/menagerie_boxes/load")
    page.open("models/menagerie_boxes")
    page.click("Unload")
    page.wait(lambda: "Loads when needed" in page.texts(".state"), "the unloading")
    assert "×" in page.text(".facts"), "what its files say"
    assert "Make it the default" not in page.texts("main button"), "of a detector"
    page.click("Load")
    page.wait(lambda: "Ready" in page.texts(".state"), "the loading")


@needs_photos
@pytest.mark.console("422")
def test_a_model_is_measured_on_photos_whose_classes_are_known(page, tmp_path):
    archive = tmp_path / "known.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for label in ("siamese", "maine_coon"):
            for index in range(4):
                path = photo("cat", label, index)
                file.write(path, f"{label}/{path.name}")
        file.write(photo("fruit", "fig"), "unicorn/fig.jpg")
    page.open("models")
    page.type("#evaluation-photos", str(archive))
    assert page.text(".result-line") == "9 photos of 3 classes."
    assert re.fullmatch(r"menagerie@\S+ does not know these classes.*: unicorn\.", page.text(".panel .notice"))
    assert len(page.all(".plot circle")) == 1
    [name, accuracy, f1, milliseconds] = page.texts(".panel > div table tbody tr:first-child > *")[:4]
    assert name.startswith("menagerie@") and re.fullmatch(r"\d+\.\d% ± \d+\.\d%", accuracy) and float(milliseconds) > 0
    assert violations(page) == []
    page.appear(390, phone=True)
    assert page.script("const panel = document.querySelector('.panel'); return panel.scrollWidth <= panel.clientWidth"), "it fits a phone"
    page.appear()
    # A single head can be evaluated. The head for dogs has none of these classes.
    assert {"cats", "dogs"} <= set(page.script("return [...document.querySelectorAll('#evaluation-head option')].map((o) => o.value)"))
    page.script("document.querySelector('#evaluation-head').value = 'dogs'")
    page.type("#evaluation-photos", str(archive))
    assert page.alert()


@needs_photos
def test_two_models_and_two_versions_are_compared_whatever_the_case_of_the_classes(page, tmp_path):
    def teach(*labels):
        archive = tmp_path / "taught.zip"
        with zipfile.ZipFile(archive, "w") as file:
            for label in labels:
                for index in range(10):
                    path = photo("fruit", label, index)
                    file.write(path, f"{label}/{path.name}")
        run = page.request("POST", "/training?name=compared&deploy=true", archive.read_bytes(), **{"Content-Type": "application/zip"})["id"]
        page.wait(lambda: page.request("GET", f"/training/{run}")["state"] in ("done", "failed"), "the training")
        assert page.request("GET", f"/training/{run}")["state"] == "done"
        return run

    runs = [teach("banana", "kiwi"), teach("banana", "kiwi", "strawberry")]
    archive = tmp_path / "known.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for folder, label in (("Banana", "banana"), ("KIWI", "kiwi"), ("Strawberry", "strawberry")):
            for index in range(10, 14):
                path = photo("fruit", label, index)
                file.write(path, f"{folder}/{path.name}")
    try:
        page.open("models")
        page.select("#evaluation-model", "compared")
        page.select("#evaluation-against", "compared@1")
        page.type("#evaluation-photos", str(archive))
        assert page.text(".result-line") == "12 photos of 3 classes."
        rows = page.script("return [...document.querySelectorAll('.panel table:last-of-type tbody tr')].map((row) => row.innerText)")
        accuracy = {row.split()[0]: float(row.split()[1].rstrip("%")) for row in rows if row.startswith("compared@")}
        assert list(accuracy) == ["compared@2", "compared@1"]
        assert accuracy["compared@2"] > 70, "a class is known however it is written"
        notices = page.texts(".panel .notice")
        # The first version has two of the three classes. The comparison ignores how their names are written.
        [unknown] = [each for each in notices if "does not know" in each]
        assert re.fullmatch(r"compared@1 does not know .*: Strawberry\.", unknown)
        assert len(page.all(".plot circle")) == 2
        assert violations(page) == []
        page.select("#evaluation-against", "menagerie")
        page.type("#evaluation-photos", str(archive))
        page.wait(lambda: any("menagerie@" in row for row in page.texts(".panel tbody tr")), "the other model")
        assert any("compared@2" in row for row in page.texts(".panel tbody tr"))
    finally:
        page.driver.get("about:blank")
        for run in reversed(runs):
            page.request("DELETE", f"/training/{run}/deployment")
            page.request("DELETE", f"/training/{run}")


@pytest.mark.console("400|422")
def test_what_cannot_be_measured_is_told(page, tmp_path):
    (tmp_path / "known.zip").write_text("no archive")
    page.open("models")
    page.type("#evaluation-photos", str(tmp_path / "known.zip"))
    assert len(page.alert()) > 10


def test_a_model_that_is_put_into_the_folder_is_there_and_programs_find_their_addresses(page, server):
    page.open("models")
    assert page.fetch(page.find("a[href='/metrics']").get_attribute("href").removeprefix(page.url))[1].startswith(b"# HELP")
    folder = Path(server.folder) / "models/own_model"
    shutil.copytree(PACKAGE / "Models/menagerie_boxes", folder, ignore=lambda _, names: [each for each in names if not each.endswith(".onnx")])
    try:
        page.open("models")
        page.click("own_model")
        page.click("Load")
        page.wait(lambda: "Ready" in page.texts(".state"), "the loading")
        assert "×" in page.text(".facts")
        page.click("Unload")
        page.wait(lambda: "Loads when needed" in page.texts(".state"), "the unloading")
    finally:
        shutil.rmtree(folder)


@pytest.mark.console("404")
def test_an_unknown_model_is_told_so(page):
    page.open("models/unicorn")
    assert page.alert()


def test_chosen_files_stay_over_a_change_of_language_and_of_the_view(page, tmp_path):
    (tmp_path / "mine.onnx").write_text("not yet sent")
    page.open("models")
    page.type("#model-files", str(tmp_path / "mine.onnx"))
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Mallit"] and [each.split()[0] for each in page.texts(".files li")] == ["mine.onnx"], "the file")
    page.go("breeds")
    page.driver.back()
    page.wait(lambda: page.find("#model-name").is_displayed(), "the form")
    assert page.find("#model-name").get_attribute("value") == "mine"


NETWORK = Path(__file__).parent / "../../Models/menagerie_boxes/menagerie_boxes.onnx"


@pytest.mark.console("422|409")
def test_a_model_is_sent_tried_and_removed(page, tmp_path):
    (tmp_path / "bad.onnx").write_text("This is no network.")
    page.open("models")
    page.type("#model-files", str(tmp_path / "bad.onnx"))
    assert page.find("#model-name").get_attribute("value") == "bad"
    page.click("Add the model")
    assert page.alert().startswith("This model cannot be loaded: its file is damaged")
    assert "bad" not in " ".join(page.texts(".runs li"))
    assert violations(page) == []

    page.open("models")
    good = tmp_path / "My Detector.onnx"
    shutil.copy(NETWORK, good)
    manifest = tmp_path / "manifest.json"
    text = (NETWORK.parent / "manifest.json").read_text().replace('"menagerie_boxes.onnx"', '"My_Detector.onnx"')
    manifest.write_text(re.sub(r'"name"\s*:\s*"menagerie_boxes"', '"name": "my_detector"', text))
    version = re.search(r'"version"\s*:\s*"([^"]+)"', text)[1]
    labels = [path for path in NETWORK.parent.iterdir() if path.suffix == ".txt"]
    page.type("#model-files", "\n".join(map(str, [good, manifest, *labels])))
    page.wait(lambda: page.find("#model-version").get_attribute("value") == version, "the version that the description says")
    assert page.find("#model-name").get_attribute("value") == "my_detector"
    page.click("Add the model")
    page.wait(lambda: any(row.startswith("my_detector") for row in page.texts(".runs li")), "the model in the list")
    assert violations(page) == []
    # The same upload again changes nothing.
    page.type("#model-files", "\n".join(map(str, [good, manifest, *labels])))
    page.wait(lambda: page.find("#model-version").get_attribute("value") == version, "the version that the description says")
    page.click("Add the model")
    assert page.alert().startswith("There is a model of that name and version already.")
    page.open("models/my_detector")
    page.click("Load")
    page.wait(lambda: "Ready" in page.texts(".state"), "the loading")
    page.click("Change the notes")
    page.clear("#model-notes")
    page.type("#model-notes", "Boxes at night are wrong.\n\nAsk Anna.")
    assert violations(page) == []
    page.click("Save", within="dialog")
    page.wait(lambda: page.texts(".facts li") == ["Boxes at night are wrong.", "Ask Anna."], "the notes")
    assert "Ready" in page.texts(".state"), "it went on answering"
    page.click("Remove")
    page.confirm()
    page.wait(lambda: page.script("return location.hash") == "#models", "the list")
    page.wait(lambda: page.texts(".runs li"), "the models")
    assert not any(row.startswith("my_detector") for row in page.texts(".runs li"))
    page.open("models/menagerie")
    assert not {"Remove", "Change the notes"} & set(page.texts("main button")), "of what came with the service"


def test_a_command_that_may_not_be_copied_is_selected(page):
    page.open("models/menagerie")
    page.script("navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))")
    page.click("Copy")
    page.wait(lambda: page.script("return getSelection().toString()").startswith("curl "), "the selection")
