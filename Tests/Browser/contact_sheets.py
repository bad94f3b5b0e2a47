"""Pictures of every view at three widths in both schemes and languages, each combination on one sheet.

python contact_sheets.py FOLDER [VIEW…]. They contain the shared photos if these are present. The sheets are for
viewing, not for publishing.
"""

import base64
import itertools
import sys
import tempfile
from pathlib import Path

from conftest import start_browser
from page import Page
from photos import DRAWING, SHARED, kinds_of_photos
from server import PACKAGE, Server

WIDTHS = (320, 390, 1280)
HEIGHTS = {320: 640, 390: 844, 1280: 900}
VIEWS = [
    "scan", "result", "live", "video", "laps", "history", "history?show=check", "history?show=met", "breeds", "breeds/siamese", "breeds/snow_leopard",
    "more", "models", "models/menagerie", "training", "storage", "keys", "phone", "privacy", "terms", "about", "nonsense",
]


def scan(page: Page, path: Path) -> str:
    """Scans a photo as the page does. Returns the scan's id."""
    kind = "image/avif" if path.suffix == ".avif" else "image/jpeg"
    return page.request("POST", "/classify?animals=auto&heads=kinds,presence&top=5", path.read_bytes(), **{"Content-Type": kind})["id"]


def shoot(page: Page, address: str, width: int, dark: bool) -> bytes:
    page.appear(width, dark=dark, phone=width < 500, height=HEIGHTS[width])
    page.open(address)
    page.wait(lambda: not page.texts(".view > .progress"), "the view")
    page.driver.execute_async_script("""
        const done = arguments[0];
        const images = Promise.all([...document.images].map((each) => each.complete || new Promise((resolve) => { each.onload = each.onerror = resolve; })))
          .then(() => Promise.allSettled(document.getAnimations().map((each) => each.finished)));
        // What moves for ever, or is below the window and not loaded yet, does not end.
        Promise.race([images, new Promise((resolve) => setTimeout(resolve, 5000))]).then(() => setTimeout(done, 150));""")
    height = max(HEIGHTS[width], min(page.script("return document.documentElement.scrollHeight"), 2 * HEIGHTS[width]))
    # The window is as tall as the view, so that a phone's tabs are at its end and not in the middle.
    page.appear(width, dark=dark, phone=width < 500, height=height)
    shot = page.driver.execute_cdp_cmd("Page.captureScreenshot", {
        "format": "png", "captureBeyondViewport": True,
        "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
    return base64.b64decode(shot["data"])


def sheet(page: Page, folder: Path, files: list[tuple[str, Path]], target: Path):
    """Lays out the pictures with their names and takes a picture of that."""
    figures = "".join(f'<figure><img src="{path.name}"><figcaption>{name}</figcaption></figure>' for name, path in files)
    html = folder / "sheet.html"
    html.write_text(
        "<style>body{margin:16px;background:#777;display:flex;flex-wrap:wrap;gap:16px;align-items:start;width:2000px}"
        "figure{margin:0;width:380px}img{width:100%;display:block}figcaption{font:16px sans-serif;background:#fff;padding:4px}</style>"
        + figures, encoding="utf-8")
    page.appear(2040)
    page.driver.get(html.as_uri())
    height = page.script("return document.documentElement.scrollHeight")
    shot = page.driver.execute_cdp_cmd("Page.captureScreenshot", {
        "format": "png", "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": 2040, "height": height, "scale": 1}})
    target.write_bytes(base64.b64decode(shot["data"]))
    html.unlink()


def main(folder: Path, wanted: list[str]):
    folder.mkdir(parents=True, exist_ok=True)
    server = Server()
    driver = start_browser()
    try:
        page = Page(driver, server.url)
        page.open()
        with tempfile.TemporaryDirectory() as photos:
            paths = kinds_of_photos(Path(photos)).values() if (SHARED / "data").exists() else [DRAWING]
            scans = [scan(page, path) for path in paths]
        for language, width, dark in itertools.product(("en", "fi"), WIDTHS, (False, True)):
            page.remember("language", language)
            look = f"{width}-{'dark' if dark else 'light'}-{language}"
            files = []
            for view in wanted or VIEWS:
                address = f"scan/{scans[0]}" if view == "result" else view
                name = f"{view.replace('/', '-').replace('?', '-').replace('=', '-')}-{look}.png"
                (folder / name).write_bytes(shoot(page, address, width, dark))
                files.append((view, folder / name))
            sheet(page, folder, files, folder / f"sheet-{look}.png")
    finally:
        driver.quit()
        server.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE / ".build/contact-sheets", sys.argv[2:])
