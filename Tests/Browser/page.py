"""The page in a real browser, controlled in the terms of a user."""

import base64
import json
import urllib.request
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import ElementNotInteractableException, NoSuchElementException, StaleElementReferenceException
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

SECONDS = 30
# Errors that pass as soon as the page has drawn its view.
PASSING = [StaleElementReferenceException, NoSuchElementException, ElementNotInteractableException]

# Builds real File objects in the page from base64, and passes them to a synthetic event.
FILES = """
const transfer = new DataTransfer();
for (const {name, type, data} of arguments[0]) {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  transfer.items.add(new File([bytes], name, {type}));
}
"""


class Page:
    def __init__(self, driver: webdriver.Chrome, url: str):
        self.driver = driver
        self.url = url
        self.asked: list[str] = []

    # Going places

    def open(self, address: str = ""):
        """Loads the page again. `address` is the part after the #."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}/#{address}")
        self.wait_for("h1")

    def go(self, name: str):
        self.tap(f'.tabs a[href="#{name}"]')
        self.wait(lambda: self.script("return location.hash") == f"#{name}", f"#{name}")
        self.wait_for("h1")

    def turn(self, address: str):
        """Goes to another view without loading the page again."""
        self.script("document.querySelector('.view').classList.add('left'); location.hash = arguments[0]", address)
        self.wait_for(".view:not(.left) > :not(.progress)")

    # Looking

    def find(self, selector: str):
        """The first element, visible or not, once it exists."""
        return self.wait(lambda: next(iter(self.all(selector)), None), selector)

    def all(self, selector: str) -> list:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def shown(self, selector: str) -> list:
        """The visible elements, found with one command. Selenium asks each element with a script of 50 KB."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].filter((e) => e.getClientRects().length > 0"
            " && e.checkVisibility({visibilityProperty: true, opacityProperty: true}))", selector)

    def texts(self, selector: str) -> list[str]:
        """The texts of the elements, read at once so that none is replaced in between."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility())"
            ".map((e) => e.innerText.trim())", selector)

    def text(self, selector: str) -> str:
        return self.wait(lambda: next(iter(self.texts(selector)), None), f"text in {selector}")

    def script(self, source: str, *values):
        return self.driver.execute_script(source, *values)

    def wait(self, condition, what: str):
        # An element that the page replaces during a read is searched again.
        return WebDriverWait(self.driver, SECONDS, 0.05, PASSING).until(
            lambda _: condition(), f"waited in vain for {what}")

    def wait_for(self, selector: str):
        return self.wait(lambda: next(iter(self.shown(selector)), None), selector)

    def wait_until_gone(self, selector: str):
        self.wait(lambda: not self.texts(selector), f"{selector} to go")

    def focused(self):
        return self.driver.switch_to.active_element

    def focused_text(self) -> str:
        return self.script("return document.activeElement.innerText.trim()")

    # Doing

    # The page may be redrawing its view, for example after a change of language. Each action waits for its element. If
    # the element is replaced meanwhile, the action uses the new one.

    def tap(self, selector: str, index: int = 0):
        """Clicks the element, or one of several, once it is visible."""
        def tapped():
            shown = self.shown(selector)
            element = shown[index] if -len(shown) <= index < len(shown) else None
            if element:
                # An element below a phone's tabs is scrolled up first, as a user would do.
                self.script("arguments[0].scrollIntoView({block: 'nearest'})", element)
                element.click()
            return element
        self.wait(tapped, f"{selector} to click")

    def type(self, selector: str, *keys: str):
        """Types into the field. A file field gets paths."""
        def typed():
            fields = self.all(selector)
            if fields:
                fields[0].send_keys(*keys)
            return fields
        self.wait(typed, f"{selector} to type into")

    def clear(self, selector: str):
        self.wait(lambda: [each.clear() for each in self.all(selector)[:1]], f"{selector} to empty")

    def choose(self, *paths: Path, field: str = "#photo"):
        self.type(field, "\n".join(str(path) for path in paths))

    def drop(self, *paths: Path, target: str = "body", event: str = "drop"):
        self.script(
            FILES + "const init = {bubbles: true, cancelable: true, dataTransfer: transfer};"
            "const target = document.querySelector(arguments[1]);"
            "return target.dispatchEvent(new DragEvent(arguments[2], init));",
            [_file(path) for path in paths], target, event)

    def drop_real(self, path: Path, target: str):
        """Drops a file or a folder of the disk, as from the system's file manager."""
        x, y = self.script(
            "const r = arguments[0].getBoundingClientRect(); return [r.x + r.width / 2, r.y + 20]", self.wait_for(target))
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        for event in ("dragEnter", "dragOver", "drop"):
            self.driver.execute_cdp_cmd("Input.dispatchDragEvent", {"type": event, "x": x, "y": y, "data": data})

    def paste(self, *paths: Path):
        self.script(
            FILES + "document.body.dispatchEvent("
            "new ClipboardEvent('paste', {bubbles: true, cancelable: true, clipboardData: transfer}));",
            [_file(path) for path in paths])

    def answers(self) -> list[tuple[str, str]]:
        """The names and percentages of a finished scan's answer. They are unfolded first."""
        self.wait_for("section[aria-busy=false] .scan-result")
        rows = self.script("""
            document.querySelector('.figures').open = true;
            return [...document.querySelectorAll('.answers .row')].map((r) => [...r.children].map((c) => c.innerText));""")
        return [tuple(row) for row in rows]

    def words(self):
        """Waits for the article's part of a result."""
        self.wait_for(".scan-result")
        self.wait_until_gone(".sentence.waiting")
        self.driver.execute_async_script("Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(arguments[0])")

    def result(self) -> str:
        """The address of the result, once it is visible."""
        self.wait_for(".scan-result")
        return self.script("return location.hash")

    def tray(self) -> list[str]:
        """The texts of several photos, once all are finished."""
        self.wait_for(".tray[aria-busy=false] .tray-summary")
        return self.texts(".tray .scan")

    def heard(self) -> str:
        """The latest text of the live region."""
        return self.script("return document.getElementById('announcements').textContent")

    def act(self, words: str):
        """Chooses an entry of a result's menu."""
        self.tap(".menu > summary")
        self.click(words, ".menu-list")

    def alert(self) -> str:
        return self.text("[role=alert]")

    def click(self, words: str, within: str = "main"):
        """Clicks the button or link with this text."""
        def found():
            return self.script(
                "return [...document.querySelectorAll(`${arguments[1]} :is(button, a, summary)`)]"
                ".find((e) => e.checkVisibility() && e.innerText.trim() === arguments[0])", words, within)

        def clicked():
            element = found()
            if element:
                self.script("arguments[0].scrollIntoView({block: 'nearest'})", element)
                element.click()
            return element
        self.wait(clicked, f"“{words}”")

    def confirm(self):
        self.tap("#confirm[open] .danger")
        self.wait_until_gone("#confirm")

    def hold(self, element, until):
        """Holds the mouse button down on the element until the condition is true."""
        ActionChains(self.driver).scroll_to_element(element).click_and_hold(element).perform()
        self.wait(until, "what is held for")
        ActionChains(self.driver).release().perform()

    def select(self, selector: str, value: str):
        def selected():
            lists = self.all(selector)
            if lists:
                Select(lists[0]).select_by_value(value)
            return lists
        self.wait(selected, f"{value} in {selector}")

    def press(self, *keys: str):
        ActionChains(self.driver).send_keys(*keys).perform()

    # The service behind the page

    def remember(self, name: str, value: str):
        """Stores a choice in the browser for the next time the page is opened."""
        self.driver.get(f"{self.url}/icon.svg")
        self.script("localStorage.setItem(`menagerie.${arguments[0]}`, arguments[1])", name, value)

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str):
        request = urllib.request.Request(self.url + path, data=body, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            content = response.read()
            return json.loads(content) if content else None

    def fetch(self, path: str) -> tuple[str, bytes]:
        """The type and the bytes at an address."""
        with urllib.request.urlopen(self.url + path, timeout=SECONDS) as response:
            return response.headers["Content-Type"], response.read()

    def scan(self, path: Path) -> dict:
        """Scans a photo without the page."""
        return self.request("POST", "/classify", path.read_bytes(), **{"Content-Type": "image/jpeg"})

    # The browser

    def appear(self, width: int | None = None, dark: bool = False, media: str = "", phone: bool = False, height: int = 800):
        """Sets the window's size, the colour scheme, the medium and touch."""
        command = self.driver.execute_cdp_cmd
        if width is None:
            command("Emulation.clearDeviceMetricsOverride", {})
        else:
            command("Emulation.setDeviceMetricsOverride",
                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone})
        command("Emulation.setTouchEmulationEnabled", {"enabled": phone})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        command("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})

    def requests(self) -> list[str]:
        """The addresses that the page requested since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        new = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        self.asked += new
        return new

    def foreign_requests(self) -> list[str]:
        """The addresses on other hosts that the page has ever requested."""
        self.requests()
        own = urlsplit(self.url).netloc
        return [url for url in self.asked
                if urlsplit(url).scheme in ("http", "https", "ws", "wss") and urlsplit(url).netloc != own]

    def console(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def _file(path: Path) -> dict:
    types = {".jpg": "image/jpeg", ".png": "image/png", ".txt": "text/plain"}
    return {"name": path.name, "type": types.get(path.suffix, ""), "data": base64.b64encode(path.read_bytes()).decode()}
