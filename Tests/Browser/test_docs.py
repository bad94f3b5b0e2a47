"""The page of the HTTP interface: reading, forms, trying calls, accessibility."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from photos import DRAWING
from test_appearance import OVERFLOW, TEXTS

AXE = Path(find_spec("axe_playwright_python").origin).parent / "axe.min.js"

# Controls that a finger must be able to hit, except links in running text (WCAG 2.2 §2.5.8).
SMALL = """
return [...document.querySelectorAll("button, select, input, textarea, summary, #calls a")]
  .filter((node) => node.checkVisibility()).map((node) => [node, node.getBoundingClientRect()])
  .filter(([, {width, height}]) => width < 44 || height < 44)
  .map(([node, {width, height}]) => `${node.outerHTML.slice(0, 80)} ${width}×${height}`);
"""

# Elements that extend beyond the box of their call, unless that scrolls.
STICKING_OUT = """
return [...document.querySelectorAll(".call *")].filter((node) => node.checkVisibility() && !node.closest("pre > code")
  && node.getBoundingClientRect().right > node.closest(".call").getBoundingClientRect().right)
  .map((node) => node.outerHTML.slice(0, 80));
"""


def open_docs(page, call: str = ""):
    page.driver.get("about:blank")
    page.driver.get(f"{page.url}/docs/#{call}")
    page.wait_for(f"#{call}[open] .try" if call else "details.call")


def field(page, call: str, name: str):
    """The form's control with this label."""
    return page.script("""
        const label = [...document.querySelectorAll(`#${arguments[0]} .field label`)]
          .find((each) => each.textContent.split(" ")[0] === arguments[1]);
        return document.getElementById(label.htmlFor);""", call, name)


def send(page, call: str) -> str:
    # Clicks by script, since a redraw may move the button away from the pointer.
    page.script("document.querySelector(arguments[0]).click()", f"#{call} .try button[type=submit]")
    return page.text(f"#{call} .result .status-line")


def test_every_call_of_the_document_is_there_and_the_document_is_fetched_once(page):
    open_docs(page)
    document = page.request("GET", "/openapi.json")
    calls = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert sorted(page.script("return [...document.querySelectorAll('details.call')].map((each) => each.id)")) == sorted(calls)
    assert [url for url in page.requests() if url.endswith("/openapi.json")] == [f"{page.url}/openapi.json"]
    for call in calls:
        page.script("document.getElementById(arguments[0]).open = true", call)
    page.wait(lambda: len(page.all(".snippets pre")) == len(calls), "all calls")
    assert [text for text in page.texts(".snippets pre") if not text.startswith("curl ")] == []
    assert page.texts("h1") == ["HTTP interface"]
    assert page.texts("footer a") == ["The web page", "The OpenAPI document"]


def test_the_address_without_a_slash_and_the_web_page_lead_there(page):
    page.open("more")
    page.tap(".doors a[href='/docs/']")
    page.wait_for("details.call")
    page.driver.get(f"{page.url}/docs")
    page.wait_for("details.call")


def test_trying_a_list_shows_its_json_and_its_header_fields(page):
    open_docs(page, "listBreeds")
    assert "q=siamese" in page.text("#listBreeds .snippets pre")
    control = field(page, "listBreeds", "limit")
    control.send_keys("1")
    page.wait(lambda: "limit=1" in page.text("#listBreeds .snippets pre"), "the snippet to follow")
    assert send(page, "listBreeds").startswith("200")
    answer = json.loads(page.text("#listBreeds .result pre"))
    assert [each["id"] for each in answer["items"]] == ["siamese"]
    page.tap("#listBreeds .result summary")
    assert "x-request-id" in page.texts("#listBreeds .result dt")


def test_trying_classify_sends_a_file(page):
    open_docs(page, "classify")
    field(page, "classify", "image").send_keys(str(DRAWING))
    page.wait(lambda: f"image=@{DRAWING.name}" in page.text("#classify .snippets pre"), "the file's name")
    assert send(page, "classify").startswith("200")
    answer = json.loads(page.text("#classify .result pre"))
    assert page.request("GET", "/history")["items"][0]["id"] == answer["id"]


def test_pictures_are_shown(page):
    scan = page.scan(DRAWING)["id"]
    open_docs(page, "getScanPhoto")
    control = field(page, "getScanPhoto", "id")
    control.clear()
    control.send_keys(scan)
    assert send(page, "getScanPhoto").startswith("200")
    page.wait(lambda: page.script("return document.querySelector('#getScanPhoto .result img')?.naturalWidth") == 500,
              "the photo")


def test_an_answer_that_is_replaced_is_forgotten(page):
    scan = page.scan(DRAWING)["id"]
    open_docs(page, "getScanPhoto")
    control = field(page, "getScanPhoto", "id")
    control.clear()
    control.send_keys(scan)
    page.script("""
        window.made = 0;
        window.kept = new Set();
        const { createObjectURL: make, revokeObjectURL: forget } = URL;
        URL.createObjectURL = (file) => { const made = make(file); window.kept.add(made); window.made += 1; return made; };
        URL.revokeObjectURL = (old) => { window.kept.delete(old); forget(old); };""")
    for _ in range(3):
        made = page.script("return window.made")
        send(page, "getScanPhoto")
        page.wait(lambda made=made: page.script("return window.made") > made, "the picture")
    page.wait(lambda: page.script("return window.kept.size") == 1, "the older pictures to go")


@pytest.mark.console("404")
def test_problems_are_shown_as_they_are(page):
    open_docs(page, "getBreed")
    control = field(page, "getBreed", "id")
    control.clear()
    control.send_keys("unicorn")
    assert send(page, "getBreed").startswith("404")
    assert json.loads(page.text("#getBreed .result pre"))["type"] == "/problems/not-found"


def test_deleting_everything_asks_first(page):
    page.scan(DRAWING)
    open_docs(page, "deleteHistory")
    page.tap("#deleteHistory .try button[type=submit]")
    page.wait_for("#confirm[open]")
    page.tap("#confirm button[value=cancel]")
    page.wait_until_gone("#confirm")
    assert page.request("GET", "/history")["total"] == 1
    page.tap("#deleteHistory .try button[type=submit]")
    page.wait_for("#confirm[open]")
    page.tap("#confirm .danger")
    assert page.text("#deleteHistory .result .status-line").startswith("204")
    assert page.request("GET", "/history")["total"] == 0


def test_the_key_is_sent_and_never_written_into_a_snippet(page):
    open_docs(page, "livez")
    page.type("#key", "mng_secret")
    page.wait(lambda: "Bearer $API_KEY" in page.text("#livez .snippets pre"), "the key's place")
    assert "mng_secret" not in page.script("return document.body.innerText")
    page.script("""
        const original = fetch;
        window.fetch = (url, options) => {
          window.sent = new Headers(options?.headers).get("Authorization");
          return original(url, options);
        };""")
    page.tap("#livez .try button[type=submit]")
    page.wait(lambda: page.script("return window.sent") == "Bearer mng_secret", "the key to be sent")


def test_the_language_chosen_holds_for_every_call(page):
    open_docs(page, "listBreeds")
    page.tap("#listBreeds [data-language=swift]")
    assert "URLSession" in page.text("#listBreeds .snippets pre")
    page.script("location.hash = 'getBreed'")
    page.wait_for("#getBreed[open] .snippets pre")
    assert "URLSession" in page.text("#getBreed .snippets pre")


def test_the_search_narrows_the_calls_down(page):
    open_docs(page)
    page.type("#search", "undo deletions")
    page.wait(lambda: len(page.texts("#calls li")) == 1, "one call")
    page.type("#search", Keys.TAB, Keys.NULL)
    page.tap("#calls li:not([hidden]) a")
    page.wait_for("#undoDeletion[open] .try")
    assert page.focused().tag_name == "summary"


def everything(page, call: str):
    """Opens a call with all its parts. It does so several times, since a part is drawn only when it is opened."""
    open_docs(page, call)
    for _ in range(3):
        page.script("for (const each of document.querySelectorAll(`#${arguments[0]} details`)) each.open = true", call)
        page.driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0], 50))")


@pytest.mark.parametrize("call", ["", "classify", "listBreeds", "v2Infer"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(page, call, dark):
    page.appear(dark=dark)
    everything(page, call) if call else open_docs(page)
    page.script(AXE.read_text() + "; window.axe = axe;")
    page.driver.set_script_timeout(300)  # It looks at every element with every rule.
    found = page.driver.execute_async_script("axe.run().then((result) => arguments[0](result.violations))")
    assert [(each["id"], [node["html"][:150] for node in each["nodes"][:3]]) for each in found] == []
    assert [each for each in page.script(TEXTS) if each["contrast"] < 4.5 or each["size"] < 16] == []


@pytest.mark.parametrize("width", [320, 768, 1440])
def test_layout_fits_with_targets_of_44_pixels(page, width):
    page.appear(width, phone=width < 500)
    for call in ("classify", "v2Infer", "listBreeds"):
        everything(page, call)
        assert page.script("return innerWidth") == width
        assert [each for each in page.script(OVERFLOW) if not each.startswith(("<code", "<pre"))] == []
        assert page.script(SMALL) == []


@pytest.mark.parametrize("width", [320, 1440])
def test_answers_stay_in_their_box(page, width):
    page.appear(width, phone=width < 500)
    open_docs(page, "classify")
    field(page, "classify", "image").send_keys(str(DRAWING))
    assert send(page, "classify").startswith("200")
    page.wait_for("#classify .result summary")
    page.script("document.querySelector('#classify .result summary').click()")
    assert page.script(STICKING_OUT) == []


def test_a_call_is_tried_by_keys_alone(page):
    open_docs(page, "livez")
    assert page.focused().tag_name == "summary"
    for _ in range(30):
        page.press(Keys.TAB)
        if page.focused().get_attribute("type") == "submit":
            break
    page.press(Keys.ENTER)
    assert page.text("#livez .result .status-line").startswith("200")


def test_the_focus_stays_at_the_button_that_sent(page):
    open_docs(page, "livez")
    page.script("document.querySelector('#livez .try button[type=submit]').focus()")
    page.press(Keys.ENTER)
    assert page.text("#livez .result .status-line").startswith("200")
    assert page.focused_text() == "Send"
