"""No slip of accessibility that axe-core finds, in any view, at three widths, in both schemes and languages."""

import sysconfig
from pathlib import Path

import pytest

from photos import DRAWING, SHARED, photo

AXE = (Path(sysconfig.get_path("purelib")) / "axe_playwright_python/axe.min.js").read_text(encoding="utf-8")
RUN = """
const done = arguments[0];
axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
  .then(({violations}) => done(violations.map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)));
"""
VIEWS = [
    "scan", "result", "history", "select", "history?show=met", "history?show=favourites", "breeds", "breeds/siamese",
    "breeds/snow_leopard", "phone", "more", "models", "models/menagerie", "training", "keys", "storage", "privacy", "terms", "about", "live",
    "video", "laps", "nonsense", "dialog",
]
# In this order the language changes once.
LOOKS = [(390, True, "en"), (320, False, "fi"), (1280, True, "fi")]


def violations(page) -> list[str]:
    page.wait(lambda: page.texts("h1") and not page.texts(".view > .progress"), "the view")
    # What fades in is measured once it is there.
    page.driver.execute_async_script("Promise.all(document.getAnimations().map((each) => each.finished)).then(arguments[0])")
    page.script("return typeof axe") == "object" or page.script(AXE + "; window.axe = axe;")
    return page.driver.execute_async_script(RUN)


def show(page, view: str, address: str, language: str):
    page.remember("language", language)
    page.open(address)
    if view == "select":
        page.tap("main .actions button")
    if view == "dialog":
        page.wait_for(".judge button")
        page.tap(".judge button", -1)
        page.wait_for("dialog[open]")


@pytest.mark.console("404")
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(page, view):
    has_photos = (SHARED / "data/photos.csv").exists()
    scan = page.scan(photo("cat", "siamese") if has_photos else DRAWING)
    address = {"result": f"scan/{scan['id']}", "select": "history", "dialog": f"scan/{scan['id']}"}.get(view, view)
    found = {}
    for width, dark, language in LOOKS:
        page.appear(width, dark=dark, phone=width < 500)
        if page.script("return document.documentElement.lang") != language:
            show(page, view, address, language)
        if slips := violations(page):
            found[f"{width} {'dark' if dark else 'light'} {language}"] = slips
    assert found == {}
