"""The models: what they take and give, how fast they are, loading, and the call."""

import pytest

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
    page.open("models/menagerie_boxes")
    page.click("Unload")
    page.wait(lambda: "Not loaded" in page.texts(".state"), "the unloading")
    page.click("Load")
    page.wait(lambda: "Loaded" in page.texts(".state"), "the loading")


@pytest.mark.console("404")
def test_an_unknown_model_is_told_so(page):
    page.open("models/unicorn")
    assert page.alert()
