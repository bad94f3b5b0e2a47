"""The content for screen readers: the browser's accessibility tree in reading order."""

import pytest

from photos import DRAWING

VIEWS = [
    "scan", "result", "history", "history?show=met", "history?show=favourites", "breeds", "breeds/siamese", "live", "video", "laps",
    "more", "models", "models/menagerie", "training", "storage", "keys", "phone", "privacy", "terms", "about", "nonsense"]
CONTROLS = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "slider", "spinbutton", "DisclosureTriangle"}


def tree(page) -> list[dict]:
    """The nodes in reading order, without ignored ones: role, name, level."""
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    known = {node["nodeId"]: node for node in nodes}
    read = []

    def walk(node):
        if not node.get("ignored"):
            values = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
            read.append({
                "role": node["role"]["value"], "name": node.get("name", {}).get("value", "").strip(), "level": values.get("level")})
        for child in node.get("childIds", []):
            if child in known:
                walk(known[child])
    walk(nodes[0])
    return read


def names(read: list[dict], role: str) -> list[str]:
    return [node["name"] for node in read if node["role"] == role]


@pytest.mark.console("404")
@pytest.mark.parametrize("view", VIEWS)
def test_each_view_has_its_landmarks_its_headings_and_a_name_for_every_control(page, view):
    scan = page.scan(DRAWING)
    page.open(f"scan/{scan['id']}" if view == "result" else view)
    page.wait(lambda: not page.texts(".view > .progress"), "the view")
    read = tree(page)
    # Only the view for choosing a photo has a footer.
    assert [len(names(read, role)) for role in ("banner", "main", "contentinfo")] == [1, 1, int(view == "scan")]
    assert "" not in names(read, "navigation") + names(read, "main")
    levels = [node["level"] for node in read if node["role"] == "heading"]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after <= before + 1 for before, after in zip(levels, levels[1:])), levels
    assert [node for node in read if node["role"] in CONTROLS and not node["name"]] == []
    assert [node for node in read if node["role"] == "image" and not node["name"]] == []


def test_a_result_is_read_from_its_name_to_what_one_can_do(page):
    page.open()
    page.choose(DRAWING)
    page.result()
    read = tree(page)
    words = [node["name"] for node in read if node["role"] in ("StaticText", "heading", "button")]
    places = [words.index(each) for each in ("Drawing of a cat", "Possibly", "Something else", "Name it", "Details")]
    assert places == sorted(places), words
    assert "The photo" in names(read, "image")


def test_without_motion_nothing_moves(page):
    def moving(preference: str) -> tuple[str, str]:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": preference}]})
        page.open("history")
        page.wait_for(".scan")
        return page.script(
            "return [getComputedStyle(document.querySelector('.view')).animationName,"
            " getComputedStyle(document.querySelector('.scan img')).transitionDuration]")
    page.scan(DRAWING)
    assert moving("no-preference") == ["rise", "0.2s"]
    assert moving("reduce") == ["none", "0s"]


def test_in_forced_colours_what_is_chosen_and_what_is_full_can_still_be_told(page):
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
    page.open("breeds/siamese")
    page.wait_for(".dots")
    assert page.script("return matchMedia('(forced-colors: active)').matches")
    full, empty, chosen, other = page.script("""
        const colour = (selector) => getComputedStyle(document.querySelector(selector)).backgroundColor;
        const border = (selector) => getComputedStyle(document.querySelector(selector)).borderTopWidth;
        return [colour(".dots .full"), colour(".dots > :not(.full)"), border(".tabs [aria-current]"), border(".tabs a:not([aria-current])")];""")
    assert full != empty
    assert chosen == "2px" != other
