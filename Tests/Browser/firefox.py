"""Controls Firefox without a driver, by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) over a socket."""

import itertools
import json
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import websocket

SECONDS = 30
# A new profile in English without background requests.
PREFERENCES = {
    "intl.accept_languages": "en-GB,en", "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "browser.startup.homepage_override.mstone": "ignore",
}


def program() -> str | None:
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A browser with one tab, controlled in the terms of a user."""

    def __init__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        lines = "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
        (Path(self._profile.name) / "user.js").write_text(lines, encoding="utf-8")
        self._process = subprocess.Popen(
            [program(), "--headless", "--no-remote", "--profile", self._profile.name, "--remote-debugging-port", "0", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self._socket = websocket.create_connection(self._address() + "/session", timeout=SECONDS, suppress_origin=True)
        self._socket.settimeout(None)
        self._numbers = itertools.count(1)
        self._answers: dict[int, queue.Queue] = {}
        self.console: list[str] = []
        self.requests: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        self._tab = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def _address(self) -> str:
        for line in self._process.stderr:
            if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
                threading.Thread(target=self._process.stderr.read, daemon=True).start()
                return found[1]
        raise RuntimeError("Firefox did not start")

    def _listen(self):
        try:
            while message := self._socket.recv():
                self._take(json.loads(message))
        except (websocket.WebSocketException, OSError):
            pass

    def _take(self, message: dict):
        if message.get("id") in self._answers:
            self._answers[message["id"]].put(message)
        elif message.get("method") == "log.entryAdded" and message["params"]["level"] in ("error", "warn"):
            self.console.append(message["params"]["text"])
        elif message.get("method") == "network.beforeRequestSent" and message["params"]["context"] == self._tab:
            self.requests.append(message["params"]["request"]["url"])

    def _ask(self, method: str, **values):
        number = next(self._numbers)
        answer = self._answers[number] = queue.Queue()
        self._socket.send(json.dumps({"id": number, "method": method, "params": values}))
        message = answer.get(timeout=SECONDS)
        del self._answers[number]
        if message["type"] == "error":
            raise RuntimeError(f"{method}: {message['error']}: {message['message']}")
        return message["result"]

    def quit(self):
        self._process.terminate()
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._profile.cleanup()

    # What a person does

    def open(self, url: str):
        """Loads the page again, even if only the fragment differs."""
        for address in ("about:blank", url):
            self._ask("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def script(self, expression: str):
        """The JSON value of an expression."""
        answer = self._ask("script.evaluate", expression=f"(async () => JSON.stringify(await ({expression})))()",
                           target={"context": self._tab}, awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return json.loads(answer["result"].get("value", "null"))

    def wait(self, expression: str):
        """Waits until the expression is truthy. Returns its value."""
        end = time.monotonic() + SECONDS
        # An element becomes {} in JSON.
        while (value := self.script(expression)) in (None, False, 0, ""):
            assert time.monotonic() < end, f"waited in vain for {expression}"
            time.sleep(0.05)
        return value

    def text(self, selector: str) -> str:
        return self.wait(f"[...document.querySelectorAll({json.dumps(selector)})].find((e) => e.checkVisibility())?.innerText.trim()")

    def give(self, selector: str, *files: Path):
        """Chooses files in a file field."""
        self.wait(f"document.querySelector({json.dumps(selector)})")
        node = self._ask("browsingContext.locateNodes", context=self._tab, locator={"type": "css", "value": selector})["nodes"][0]
        self._ask("input.setFiles", context=self._tab, element={"sharedId": node["sharedId"]}, files=[str(file) for file in files])

    def tap(self, selector: str, index: int = 0):
        """Clicks the element, or one of several, once it exists."""
        self.wait(f"(() => {{ const found = [...document.querySelectorAll({json.dumps(selector)})].at({index}); found?.click(); return !!found; }})()")

    def press(self, *keys: str):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._ask("input.performActions", context=self._tab, actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def focused(self) -> str:
        return self.script("(document.activeElement.innerText || document.activeElement.id).trim()")
