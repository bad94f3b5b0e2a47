"""Photos that the service reads and no browser here shows, such as those of iPhones."""

import subprocess
from pathlib import Path

from photos import SHARED, needs_photos
from test_scan import SLOW

HEIC = Path(__file__).parent / "cat.heic"


def all_pictures_show(page, selector: str, count: int):
    page.wait(lambda: page.script(
        "return [...document.querySelectorAll(arguments[0])].filter((each) => each.naturalWidth > 0 && each.checkVisibility()).length", selector) == count,
        f"{count} pictures in {selector}")


def test_a_photo_of_an_iphone_is_dropped_identified_and_kept(page):
    page.open()
    page.drop_real(HEIC, ".drop")
    page.wait_for(".scan-result")
    all_pictures_show(page, ".photo img", 1)
    page.go("history")
    all_pictures_show(page, ".scan img", 1)


def test_several_photos_of_an_iphone_show_as_tiles(page, tmp_path):
    (tmp_path / "other.heic").write_bytes(HEIC.read_bytes())
    page.open()
    page.choose(HEIC, tmp_path / "other.heic")
    page.tray()
    all_pictures_show(page, ".tray .scan img", 2)


@needs_photos
def test_each_of_several_animals_has_its_picture(page, tmp_path):
    dogs = tmp_path / "dogs.tiff"
    subprocess.run(["ffmpeg", "-v", "error", "-i", SHARED / "data/boxes/0266.avif", "-pix_fmt", "rgb24", dogs], check=True)
    page.open()
    page.choose(dogs)
    page.wait_for(".scan-result")
    all_pictures_show(page, ".photo img", 1)
    all_pictures_show(page, ".crop img", len(page.all(".photo .box")))
    assert len(page.all(".crop img")) > 1


def test_a_class_of_such_photos_has_no_broken_pictures(page):
    page.open("training")
    page.type(".classes li input[type=file]", str(HEIC))
    page.wait(lambda: "1 photo" in page.text(".classes li"), "the photo")
    page.wait(lambda: page.script("return document.querySelector('.strip img')?.checkVisibility()") is False, "the picture to go")


def test_photos_of_one_animal_are_searched_for_it(page, tmp_path):
    (tmp_path / "other.heic").write_bytes(HEIC.read_bytes())
    page.open()
    page.choose(HEIC, tmp_path / "other.heic")
    page.tray()
    page.click("These are all the same animal")
    page.result()
    page.act("Where is it?")
    page.tap(".menu > summary")
    page.wait(lambda: page.texts("[role=alert]") or "Where is it?" not in page.texts(".menu-list button"), "the end")
    assert page.texts("[role=alert]") == []


def test_a_photo_that_no_browser_shows_is_named_while_it_is_sent(page):
    page.appear(320, phone=True, height=600)
    page.open()
    page.script(SLOW)
    page.drop_real(HEIC, ".drop")
    assert page.text(".photo.pending > p") == "cat.heic: this browser cannot show the photo; the service may still read it."
    words, panel = page.script("return ['.photo.pending > p', '.photo-over'].map((each) => document.querySelector(each).getBoundingClientRect())")
    assert words["bottom"] <= panel["top"]
    page.script("window.release()")
    page.wait_for(".scan-result")
    all_pictures_show(page, ".photo img", 1)
