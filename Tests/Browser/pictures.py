"""The README's pictures: python pictures.py [FOLDER].

They contain only photos of Scripts/setup.d/samples without restrictions: the cat (CC0) and the moose (public domain).
"""

import base64
import sys
from pathlib import Path

from conftest import start_browser
from page import Page
from server import PACKAGE, Server

SAMPLES = PACKAGE / "Public/samples"
QUALITY = 82


def shoot(page: Page, target: Path, width: int, height: int, scale: int = 1, top: int = 0):
    """Takes a picture of the window from `top` on, in CSS pixels."""
    page.driver.execute_async_script(
        "Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(() => setTimeout(arguments[0], 300))")
    shot = page.driver.execute_cdp_cmd("Page.captureScreenshot", {
        "format": "webp", "quality": QUALITY, "captureBeyondViewport": top > 0,
        "clip": {"x": 0, "y": top, "width": width, "height": height, "scale": scale}})
    target.write_bytes(base64.b64decode(shot["data"]))
    print(f"{target}: {target.stat().st_size // 1000} kB")


def identify(page: Page, file: str):
    page.open()
    page.choose(SAMPLES / file)
    page.words()


def main(folder: Path):
    folder.mkdir(parents=True, exist_ok=True)
    server = Server()
    driver = start_browser("--hide-scrollbars")
    try:
        page = Page(driver, server.url)
        page.remember("language", "en")
        page.appear(1200, height=640)
        identify(page, "moose.webp")
        shoot(page, folder / "identify.webp", 1200, 640)
        page.appear(390, phone=True, height=780)
        identify(page, "cat.png")
        page.click("Name it")
        page.focused().send_keys("Chelsea")
        page.click("Save", within="dialog")
        page.wait(lambda: page.texts("h1") == ["Chelsea"], "the name")
        page.tap("#toasts [aria-label=Close]")
        page.words()
        shoot(page, folder / "phone.webp", 390, 780, scale=2)
        page.appear(1200, height=640)
        page.open("history?show=met")
        page.wait_for("#album-species")
        top = page.script("return document.getElementById('album-species').getBoundingClientRect().top + scrollY - 24")
        page.script("scrollTo(0, arguments[0])", top)
        page.wait(lambda: page.script("return [...document.images].every((each) => each.complete)"), "the photos")
        shoot(page, folder / "my-animals.webp", 1200, 640, top=top)
        page.open("breeds/moose")
        page.wait(lambda: page.script("return [...document.images].every((each) => each.complete)"), "the photos")
        shoot(page, folder / "article.webp", 1200, 640)
    finally:
        driver.quit()
        server.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE / "Docs/pictures")
