"""Everything works without a mouse, and the focus is always visible."""

import pytest
from selenium.webdriver.common.keys import Keys

from photos import DRAWING

CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex='0']"

# The visible sign of the focus: an outline of at least 2 px with a contrast of 3:1 to the background.
OUTLINE = """
const node = document.activeElement, style = getComputedStyle(node);
return {name: node.id || node.innerText || node.getAttribute('aria-label') || node.tagName,
        index: [...document.querySelectorAll(arguments[0])].indexOf(node),
        seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
        shown: (({top, bottom}) => bottom > 0 && top < innerHeight)(node.getBoundingClientRect())};
"""


def tab_through(page) -> list[dict]:
    """Presses Tab from the top of the page until the focus leaves the page or returns to the start."""
    page.script("document.activeElement.blur(); scrollTo(0, 0);")
    page.script("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex');")
    visited = []
    while True:
        page.press(Keys.TAB)
        state = page.script(OUTLINE, CONTROLS)
        if state["index"] < 0 or state["index"] in [each["index"] for each in visited]:
            return visited
        visited.append(state)


def operable(page) -> list[int]:
    return page.script("""
        return [...document.querySelectorAll(arguments[0])].map((node, index) => [node, index])
            .filter(([node]) => node.checkVisibility() && !node.disabled).map(([, index]) => index);""", CONTROLS)


@pytest.mark.parametrize("address", ["scan", "breeds", "breeds/siamese", "history", "more", "storage", "models/menagerie"])
def test_tab_reaches_every_control_in_order_and_the_focus_is_seen(page, address):
    page.scan(DRAWING)
    page.open(address)
    page.wait_for({"breeds": ".cards li", "history": ".scan", "breeds/siamese": "article"}.get(address, "h1"))
    visited = tab_through(page)
    assert [each["index"] for each in visited] == operable(page)
    assert [each["name"] for each in visited if not each["seen"] or not each["shown"]] == []


def test_first_tab_offers_to_skip_to_the_content(page):
    page.open("history")
    page.script("document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex');")
    page.press(Keys.TAB)
    assert page.focused_text() == "Skip to the content"
    assert page.focused().rect["x"] >= 0
    page.press(Keys.ENTER)
    assert page.focused() == page.find("main")
    assert page.script("return location.hash") == "#history"


@pytest.mark.parametrize("key", [Keys.ENTER, Keys.SPACE], ids=["enter", "space"])
def test_a_key_opens_the_file_chooser(page, key):
    page.open()
    page.script("""document.getElementById('photo').addEventListener('click', (event) => {
        event.preventDefault(); window.chooserOpened = true; });""")
    page.script("document.querySelector('.drop button:not(.camera)').focus()")
    page.press(key)
    assert page.script("return window.chooserOpened") is True


def test_navigation_moves_the_focus_to_the_main_part_and_names_it(page):
    page.open()
    for name, title in (("breeds", "Encyclopaedia"), ("history", "My animals"), ("scan", "Identify")):
        page.script("document.querySelector(arguments[0]).focus()", f'.tabs a[href="#{name}"]')
        page.press(Keys.ENTER)
        page.wait(lambda: page.focused() == page.find("main"), "the focus in the main part")
        page.wait(lambda: page.driver.title == f"{title} – Menagerie", "the title")
        assert page.find("main").get_attribute("aria-label") == title
        assert page.texts(".tabs a[aria-current=page]") == [title]


def test_search_open_and_go_back_by_keys_alone(page):
    page.open("breeds")
    page.wait_for(".cards li")
    page.script("document.getElementById('search').focus()")
    page.press("siamise")
    page.wait(lambda: page.texts(".cards h2")[:1] == ["Siamese"], "Siamese")
    page.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER)
    page.wait(lambda: page.texts("h1") == ["Siamese"] and page.all("article"), "the article")
    page.press(Keys.TAB, Keys.ENTER)
    page.wait_for("#search")


def test_delete_and_undo_by_keys_alone(page):
    page.scan(DRAWING)
    page.open("history")
    page.wait_for(".scan")
    page.script("[...document.querySelectorAll('main button')].find((b) => b.innerText === 'Select').focus()")
    page.press(Keys.ENTER, Keys.TAB, Keys.TAB, Keys.SPACE)
    page.wait(lambda: page.texts(".scan input:checked ~ strong"), "the chosen scan")
    page.script("[...document.querySelectorAll('main button')].find((b) => b.innerText.startsWith('Delete selected')).focus()")
    page.press(Keys.ENTER)
    page.wait_for("#confirm[open]")
    page.press(Keys.TAB, Keys.ENTER)
    page.wait_for(".notice")
    page.script("document.querySelector('.notice button').focus()")
    page.press(Keys.ENTER)
    page.wait_for(".scan")
    page.wait(lambda: page.focused().tag_name != "body", "the focus to stay on the page")


def test_the_focus_is_at_the_menu_after_its_dialog_was_cancelled(page):
    page.open(f"scan/{page.scan(DRAWING)['id']}")
    page.wait_for(".menu > summary").send_keys(Keys.ENTER)
    page.script("document.querySelector('.menu .danger').focus()")
    page.press(Keys.ENTER)
    page.wait_for("#confirm[open]")
    page.press(Keys.ESCAPE)
    page.wait_until_gone("#confirm")
    assert page.focused().get_attribute("aria-label") == "More"


def test_language_changes_by_keys_alone_and_keeps_the_focus(page):
    page.open()
    page.script("document.getElementById('language').focus()")
    page.press(Keys.ARROW_DOWN)
    page.wait(lambda: page.texts("h1") == ["Mikä eläin tämä on?"], "Finnish")
    assert page.focused().get_attribute("id") == "language"


def test_the_focus_stays_at_cancel_when_a_photo_has_been_sent(page):
    page.open()
    page.script("""
        XMLHttpRequest.prototype.send = function () {
          window.request = this;
          this.upload.dispatchEvent(new ProgressEvent("progress", {lengthComputable: true, loaded: 42, total: 100}));
        };""")
    page.choose(DRAWING)
    page.wait(lambda: "42%" in page.text(".tray .progress"), "the percentage")
    page.script("document.querySelector('.photo-over > button').focus(); window.request.upload.dispatchEvent(new ProgressEvent('load'))")
    page.wait(lambda: page.texts(".tray .progress") == ["Looking …"], "the next state")
    assert page.focused_text() == "Cancel"
    page.script("window.request.dispatchEvent(new ProgressEvent('loadend'))")


@pytest.mark.parametrize("address", ["history", "breeds", "storage", "video"])
def test_the_focus_stays_in_the_page_after_another_try(page, address):
    page.open("about")
    page.script("""
        const real = window.fetch;
        window.fetch = (path, options) => window.isBack ? real(path, options) : Promise.reject(new TypeError("no connection"));
        location.hash = arguments[0];""", address)
    page.wait_for(".problem button")
    page.script("window.isBack = true; document.querySelector('.problem button').focus()")
    page.press(Keys.ENTER)
    page.wait_until_gone(".problem")
    page.wait(lambda: page.focused().tag_name != "body", "the focus to stay on the page")


def test_the_focus_stays_in_the_page_while_a_file_is_sent_again(page, tmp_path):
    (tmp_path / "history.zip").write_text("no archive")
    page.open("storage")
    page.script("""
        XMLHttpRequest.prototype.send = function () {
          if (window.isBack) window.request = this;
          else setTimeout(() => { for (const name of ["error", "loadend"]) this.dispatchEvent(new ProgressEvent(name)); });
        };""")
    page.type("#import", str(tmp_path / "history.zip"))
    page.wait_for(".import .problem button")
    page.script("window.isBack = true; document.querySelector('.import .problem button').focus()")
    page.press(Keys.ENTER)
    page.wait_for(".import .progress")
    assert page.focused().tag_name != "body"
    page.script("window.request.dispatchEvent(new ProgressEvent('loadend'))")


def test_the_focus_stays_in_the_page_after_all_scans_were_deleted(page):
    page.scan(DRAWING)
    page.open("storage")
    page.wait_for("main .danger").send_keys(Keys.ENTER)
    page.wait_for("#confirm[open]")
    page.press(Keys.TAB, Keys.ENTER)
    page.wait(lambda: page.texts("main .lead") == ["0 scans"], "the number")
    page.driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert page.focused().tag_name != "body"


def test_the_focus_stays_in_the_page_after_a_video_with_laps_was_sent_or_not(page, tmp_path):
    (tmp_path / "rounds.mp4").write_bytes(b"no video")
    page.open("video")
    page.script("XMLHttpRequest.prototype.send = function () { window.request = this; }")
    page.tap("label.tick")
    page.type("#video-lap-label", "bus")
    for words in ("Cancel", "Send the video"):
        page.type("#video", str(tmp_path / "rounds.mp4"))
        page.wait_for(".line-over-film")
        page.script("[...document.querySelectorAll('main button')].find((each) => each.innerText === arguments[0]).focus()", words)
        page.press(Keys.ENTER)
        page.wait_until_gone(".line-over-film")
        assert page.focused().tag_name != "body", words
    page.script("window.request.dispatchEvent(new ProgressEvent('loadend'))")
