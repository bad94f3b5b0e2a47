"""Contrast, size, layout, colour schemes and print."""

import pytest

from conftest import start_browser
from page import Page
from photos import DRAWING

SIZES = [320, 768, 1280]
STATES = ["scan", "answers", "problem", "breeds", "breeds/siamese", "history", "undo", "dialog", "drop", "more", "models/menagerie", "live"]

# Ends when no colour changes any more.
SETTLED = "Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(() => arguments[0]())"

# Each visible text with its size in px and its contrast to the background (WCAG 2.2, relative luminance).
TEXTS = """
const parse = (color) => {
  const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
  return {r, g, b, a};
};
const over = (top, under) => Object.fromEntries(
  ["r", "g", "b"].map((part) => [part, top[part] * top.a + under[part] * (1 - top.a)]));
const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = ({r, g, b}) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const behind = (node) => {
  const layers = [];
  for (let each = node; each; each = each.parentElement) layers.push(parse(getComputedStyle(each).backgroundColor));
  return layers.reverse().reduce((under, top) => over(top, under), {r: 255, g: 255, b: 255});
};
const ratio = (one, other) => {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
};
const root = document.querySelector("dialog[open]") ?? document.body;
const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
const found = [];
while (walker.nextNode()) {
  const node = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
  if (!text || !node.checkVisibility({visibilityProperty: true}) || node.closest(".visually-hidden, script, option, svg")) continue;
  const style = getComputedStyle(node), ground = behind(node), ink = parse(style.color);
  found.push({text: text.slice(0, 40), contrast: ratio(over(ink, ground), ground), size: parseFloat(style.fontSize)});
}
return found;
"""

# Buttons, fields and separate links, which a finger must be able to hit.
TARGETS = """
return [...document.querySelectorAll("button, select, input:not([type=checkbox], [hidden]), label:has([type=checkbox]), nav a, a.button, summary")]
  .filter((node) => node.checkVisibility()).map((node) => [node, node.getBoundingClientRect()])
  .map(([node, {width, height}]) => ({name: node.id || node.innerText, width, height}));
"""

# Elements that extend beyond the right edge of the window or their card.
OVERFLOW = """
const room = (node) => node.parentElement.closest(".cards > li, .answers > li, .drop, .notice, .problem, dialog[open]")
  ?.getBoundingClientRect().right ?? innerWidth;
const wide = [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility()
  && !node.closest(".visually-hidden, .skip, svg, .scroller, .segments, .card-strip, [aria-hidden=true]") && getComputedStyle(node).clipPath === "none"
  && node.getBoundingClientRect().right > room(node) + 0.5);
const scroll = document.documentElement.scrollWidth > document.documentElement.clientWidth;
return [...(scroll ? ["the page scrolls sideways"] : []), ...wide.map((node) => node.outerHTML.slice(0, 80))];
"""


def bring_about(page, state: str, note):
    """Opens the page and brings it into the state."""
    if state in ("history", "undo", "dialog"):
        page.scan(DRAWING), page.scan(DRAWING)
    page.open({"undo": "history", "dialog": "history", "answers": "", "problem": "", "drop": ""}.get(state, state))
    match state:
        case "answers":
            page.choose(DRAWING)
            page.answers()
        case "problem":
            note.write_text("not a photo")
            page.choose(note)
            page.alert()
        case "breeds":
            page.wait_for(".cards li")
        case "breeds/siamese":
            page.wait_for("article")
        case "history":
            page.wait_for(".scan")
        case "undo" | "dialog":
            page.wait_for(".scan")
            page.tap("main button")
            page.tap(".scan input")
            page.tap("main .actions .danger:not([hidden])")
            page.wait_for("#confirm[open]")
            if state == "undo":
                page.tap("#confirm .danger")
                page.wait_for(".notice")
        case "drop":
            page.drop(DRAWING, event="dragover")
            page.wait_for("#drop-here")


@pytest.mark.console("415")
@pytest.mark.parametrize("state", STATES)
def test_text_stands_out_and_is_large(page, state, tmp_path):
    bring_about(page, state, tmp_path / "note.jpg")
    for dark in (False, True):
        page.appear(dark=dark)
        page.driver.execute_async_script(SETTLED)
        texts = page.script(TEXTS)
        assert len(texts) >= 3
        assert [each for each in texts if each["contrast"] < 4.5] == [], dark
        assert [each for each in texts if each["size"] < 16] == []


@pytest.mark.console("415")
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("language", ["en", "fi"])
def test_layout_fits_the_window_with_targets_of_44_pixels(page, state, language, tmp_path):
    page.remember("language", language)
    bring_about(page, state, tmp_path / "note.jpg")
    for width in SIZES:
        page.appear(width, phone=width < 500)
        page.wait(lambda width=width: page.script("return innerWidth") == width, "the width")
        assert page.script(OVERFLOW) == [], width
        targets = page.script(TARGETS)
        assert len(targets) >= 4
        assert [each for each in targets if each["height"] < 44 or each["width"] < 44] == [], width


def test_two_columns_only_where_there_is_room(page):
    columns = {}
    for width in SIZES:
        page.appear(width)
        page.open("breeds")
        page.wait_for(".cards li")
        columns[width] = page.script(
            "return getComputedStyle(document.querySelector('.cards')).gridTemplateColumns.split(' ').length")
    assert columns == {320: 1, 768: 2, 1280: 3}


def test_colour_scheme_follows_the_system(page):
    def brightness() -> int:
        color = page.script("return getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in color[4:-1].split(","))

    page.open()
    assert brightness() > 700
    page.appear(dark=True)
    assert brightness() < 150


def test_large_text_of_the_browser_enlarges_the_page(page):
    page.appear(640)
    page.open("history")
    page.wait_for(".count")
    page.script("document.documentElement.style.setProperty('font-size', '36px')")
    assert page.script("return parseFloat(getComputedStyle(document.querySelector('.tabs a')).fontSize)") >= 32
    assert page.script(OVERFLOW) == []


@pytest.mark.parametrize("size", [24, 32])
def test_with_large_text_a_phone_scrolls_in_one_direction(server, size):
    browser = start_browser(f"--blink-settings=defaultFontSize={size}")
    try:
        page = Page(browser, server.url)
        scan = page.scan(DRAWING)["id"]
        page.remember("language", "fi")
        page.appear(390, height=844)
        for address in ("", f"scan/{scan}", "history", "history?show=check", "breeds", "breeds/siamese", "more", "laps", "training"):
            page.open(address)
            page.wait_until_gone(".view > .progress")
            assert not page.script("return document.documentElement.scrollWidth > innerWidth"), address
        assert page.script("return [...document.querySelectorAll('.tabs span')].filter((e) => e.scrollWidth > e.clientWidth).length") == 0
    finally:
        browser.quit()


@pytest.mark.parametrize("width, height", [(667, 320), (740, 300), (844, 340)])
def test_on_a_phone_on_its_side_the_photo_and_its_name_show_at_once(page, width, height):
    scan = page.scan(DRAWING)["id"]
    page.appear(width, phone=True, height=height)
    page.open(f"scan/{scan}")
    page.words()
    photo, name, words, tabs = page.script(
        "return ['.photo', '.verdict h1', '.certainty', '.tabs'].map((each) => document.querySelector(each).getBoundingClientRect().toJSON())")
    assert photo["bottom"] <= tabs["top"] and words["bottom"] <= tabs["top"] and photo["right"] < name["left"]
    assert page.script("return document.elementFromPoint(arguments[0], arguments[1]).closest('h1') !== null",
                       name["left"] + 5, name["top"] + name["height"] / 2), "something covers the name"
    assert page.script(OVERFLOW) == []


def test_print_is_black_on_white_without_controls_and_with_addresses(page):
    page.appear(dark=True, media="print")
    page.driver.get(f"{page.url}/#breeds/siamese")
    page.wait_for("article")
    assert page.script("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.script("return getComputedStyle(document.querySelector('.article-body p')).color") == "rgb(0, 0, 0)"
    assert page.texts("header, footer, button, .button, summary") == []
    link = "document.querySelector('article a[href^=https]')"
    assert page.script(f"return {link}.href") in page.script(f"return getComputedStyle({link}, '::after').content")


@pytest.mark.parametrize("language", ["en", "fi"])
@pytest.mark.parametrize("width", [320, 390])
def test_header_is_low_on_a_phone(page, language, width):
    page.appear(width, phone=True)
    page.open()
    page.select("#language", language)
    assert page.script("return document.querySelector('header').getBoundingClientRect().height") <= 72
    tabs = page.script("return document.querySelector('.tabs').getBoundingClientRect()")
    assert tabs["height"] <= 72 and abs(tabs["bottom"] - 800) < 1


@pytest.mark.parametrize("name, scheme", [("light", 700), ("dark", 0)])
def test_appearance_can_be_chosen_against_the_system(page, name, scheme):
    page.appear(dark=name == "light")
    page.open("more")
    page.select("#appearance", name)
    color = page.script("return getComputedStyle(document.body).backgroundColor")
    brightness = sum(int(part) for part in color[4:-1].split(","))
    assert (brightness > 700) == (scheme == 700)
    page.driver.refresh()
    assert page.script("return document.documentElement.dataset.appearance") == name


@pytest.mark.parametrize("language", ["en", "fi"])
@pytest.mark.parametrize("address", ["laps", "history?show=check"])
def test_the_chosen_of_a_row_of_views_is_in_sight_on_a_narrow_phone(page, language, address):
    page.appear(320, phone=True, height=640)
    page.remember("language", language)
    page.open(address)
    page.wait(lambda: page.script("""
        const row = document.querySelector(".segments").getBoundingClientRect();
        const chosen = document.querySelector(".segments [aria-current]").getBoundingClientRect();
        return chosen.left >= row.left && chosen.right <= row.right;"""), "the chosen one in sight")


@pytest.mark.parametrize("language", ["en", "fi"])
def test_with_wide_letters_nothing_is_cut_off_on_a_narrow_phone(page, language):
    page.appear(320, phone=True, height=568)
    page.remember("language", language)
    page.open("breeds/siamese")
    page.wait_for(".traits")
    # The least that WCAG 1.4.12 asks for.
    page.script("""
        const wide = new CSSStyleSheet();
        wide.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }");
        document.adoptedStyleSheets = [wide];""")
    cut = page.script("return [...document.querySelectorAll('.tabs span')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.innerText)")
    assert cut == []
    assert page.script("return document.documentElement.scrollWidth") == 320


@pytest.mark.parametrize("language", ["en", "fi"])
def test_what_one_says_of_a_result_fits_its_buttons_on_a_narrow_phone(page, language):
    scan = page.scan(DRAWING)
    page.appear(320, phone=True, height=640)
    page.remember("language", language)
    page.open(f"scan/{scan['id']}")
    page.wait_for(".verdict-row")
    wide = page.script("""
        return [...document.querySelectorAll(".verdict-row > button")].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText);""")
    assert wide == []
    assert page.script("return document.documentElement.scrollWidth") == 320


@pytest.mark.parametrize("language", ["en", "fi"])
def test_the_words_in_the_search_fit_its_field_on_a_narrow_phone(page, language):
    page.appear(320, phone=True, height=640)
    page.remember("language", language)
    page.open("history")
    page.wait_for("#filter-q")
    words, room = page.script("""
        const field = document.getElementById("filter-q"), style = getComputedStyle(field);
        const brush = document.createElement("canvas").getContext("2d");
        brush.font = style.font;
        return [brush.measureText(field.placeholder).width, field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)];""")
    assert words <= room


def test_the_footer_stands_where_photos_are_chosen(page):
    page.open()
    assert page.texts("footer") == ["Your photos stay on your own server."]
    page.open("more")
    assert page.texts("footer") == []


def test_the_sources_of_a_model_are_folded_on_a_phone(page):
    for width, is_open in ((390, False), (1280, True)):
        page.appear(width, phone=width < 500)
        page.open("models/menagerie")
        page.wait_for(".facts details summary")
        assert page.script("return document.querySelector('.facts details').open") == is_open


@pytest.mark.parametrize("getter", ["throw new DOMException('denied', 'SecurityError')", "return {getItem: () => null, setItem() { throw new DOMException('full'); }}"])
def test_choices_last_for_the_visit_where_nothing_can_be_stored(page, getter):
    source = f"Object.defineProperty(window, 'localStorage', {{get() {{ {getter}; }}}});"
    script = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})["identifier"]
    try:
        page.open("more")
        page.select("#appearance", "dark")
        page.select("#language", "fi")
        page.wait(lambda: page.texts("h1") == ["Lisää"], "the Finnish view")
        assert page.find("#appearance").get_attribute("value") == "dark"
        assert page.script("return document.documentElement.dataset.appearance") == "dark"
    finally:
        page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
