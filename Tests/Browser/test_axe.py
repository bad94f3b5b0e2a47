"""axe-core finds no accessibility violation in any view or state, at three widths, in both schemes and languages."""

import sysconfig
from pathlib import Path

import pytest

from photos import DRAWING, SHARED, grey_area, photo

AXE = (Path(sysconfig.get_path("purelib")) / "axe_playwright_python/axe.min.js").read_text(encoding="utf-8")
RUN = """
const done = arguments[0];
axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
  .then(({violations}) => done(violations.map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)));
"""
VIEWS = [
    "scan", "result", "unsure", "two", "menu", "possibilities", "name", "many", "history", "select", "history?show=check", "history?show=met", "history?show=favourites", "breeds", "breeds/siamese",
    "breeds/snow_leopard", "phone", "more", "models", "models/menagerie", "training", "keys", "storage", "privacy", "terms", "about", "live",
    "video", "laps", "nonsense", "dialog",
]
RESULTS = {"result", "unsure", "two", "menu", "possibilities", "name", "dialog"}
# Each pair of a width, a scheme and a language is there. This order changes the language only once.
LOOKS = [(320, False, "en"), (390, True, "en"), (1280, False, "en"), (320, True, "fi"), (390, False, "fi"), (1280, True, "fi")]


def violations(page) -> list[str]:
    page.wait(lambda: page.texts("h1") and not page.texts(".view > .progress"), "the view")
    # Elements that fade in have their final colours only at the end of the animation.
    page.driver.execute_async_script("Promise.all(document.getAnimations().map((each) => each.finished)).then(arguments[0])")
    page.script("return typeof axe") == "object" or page.script(AXE + "; window.axe = axe;")
    return page.driver.execute_async_script(RUN)


def show(page, view: str, address: str, language: str):
    page.remember("language", language)
    page.open(address)
    if view in RESULTS:
        page.words()
    match view:
        case "select":
            page.tap("main .bar .actions button")
        case "dialog":
            page.tap(".verdict-row > button:not(.yes)")
            page.wait_for("dialog[open]")
        case "name":
            page.tap(".verdict-row > button", -1)
            page.wait_for("dialog[open]")
        case "menu":
            page.tap(".menu > summary")
        case "possibilities":
            page.tap(".compare > summary")
            page.tap(".compare .pills button")
            page.wait_for(".pair")
            page.script("document.querySelector('.figures').open = true")
        case "many":
            page.choose(DRAWING, Path(__file__))
            page.tray()


@pytest.mark.console("404|415")
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing(page, view, tmp_path):
    has_photos = (SHARED / "data/photos.csv").exists()
    if not has_photos and view in ("two", "possibilities"):
        pytest.skip("needs the shared photos")
    two = SHARED / "data/boxes/0266.avif"
    path = two if view == "two" else grey_area(tmp_path) if view == "unsure" else photo("cat", "siamese") if has_photos else DRAWING
    query = "animals=always&heads=kinds,presence"
    kind = {".avif": "image/avif", ".png": "image/png"}.get(path.suffix, "image/jpeg")
    scan = page.request("POST", f"/classify?{query}", path.read_bytes(), **{"Content-Type": kind})
    address = f"scan/{scan['id']}" if view in RESULTS else {"select": "history", "many": "scan"}.get(view, view)
    found = {}
    for width, dark, language in LOOKS:
        page.appear(width, dark=dark, phone=width < 500)
        if page.script("return document.documentElement.lang") != language:
            show(page, view, address, language)
        if slips := violations(page):
            found[f"{width} {'dark' if dark else 'light'} {language}"] = slips
    assert found == {}
