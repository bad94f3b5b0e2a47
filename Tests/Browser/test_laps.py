"""The lap timer: a camera, its view, the line, and the laps."""

import pytest

from films import needs_films
from test_axe import violations
from test_late import HOLD, settle

pytestmark = needs_films


@pytest.fixture
def page(camera_page):
    yield camera_page
    for session in camera_page.request("GET", "/laps")["items"]:
        camera_page.driver.get("about:blank")
        camera_page.request("DELETE", f"/laps/{session['id']}")


def new_session(page, label: str = "") -> str:
    """Makes a session on the page. Returns its identifier."""
    page.open("laps")
    page.type("#lap-label", label)
    page.script("document.getElementById('lap-minimum').value = '1'")
    page.click("Go to the camera")
    page.wait_for(".lap-board")
    return page.script("return location.hash").split("/")[1]


def test_the_bus_in_sight_is_the_candidate_and_each_round_is_a_lap(page):
    session = new_session(page)
    assert page.text(".candidate") == "Show the object to the camera."
    page.click("Start the camera")
    page.wait(lambda: page.texts(".candidate") == ["In sight: Bus"], "the bus")
    page.click("Start timing")
    page.wait(lambda: page.focused_text() == "Stop timing", "the focus to stay")
    page.wait(lambda: len(page.texts("table tbody tr")) >= 2, "two laps")
    laps = page.request("GET", f"/laps/{session}")["laps"]
    assert all(2000 < lap["lap_ms"] < 12_000 and lap["label"] == "bus" for lap in laps)
    assert page.script("return document.querySelector('.lap-photo img').src").endswith("/photo")
    assert page.text(".clock") != "0:00.00"
    page.click("Stop timing")
    page.wait(lambda: page.texts(".certainty") == ["Warm-up"], "the warm-up")
    assert violations(page) == []
    kind, csv = page.fetch(page.find("a[download]").get_attribute("href").removeprefix(page.url))
    assert kind.startswith("text/csv") and csv.startswith(b"number,runner,track,label,name,started_ms,lap_ms,confidence")


@pytest.mark.parametrize(("language", "words"), [("en", "equals the best"), ("fi", "sama kuin paras")])
def test_a_lap_that_reads_as_the_best_equals_it(page, language, words):
    page.open("laps")
    page.script(f"localStorage.setItem('menagerie.language', '{language}')")
    page.driver.refresh()
    page.wait_for("#lap-label")
    gaps = page.driver.execute_async_script(
        """const done = arguments[0];
        import("/parts/lap-table.js").then(({ lapTable }) => {
          const laps = [4210, 4207, 4220].map((lap_ms, index) => ({ number: index + 1, label: "bus", runner: 1, lap_ms }));
          done([...lapTable(laps, 4207).querySelectorAll("tbody tr")].map((row) => row.children[2].textContent));
        });""")
    page.script("localStorage.removeItem('menagerie.language')")
    # 4.21 and 4.207 both read 0:04.21.
    assert gaps == [words, "–", "+0:00.01" if language == "en" else "+0:00,01"]


def test_the_clock_stands_while_the_camera_does(page):
    new_session(page, "Bus")
    page.click("Start the camera")
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "an answer")
    page.click("Start timing")
    page.wait(lambda: page.text(".clock") != "0:00.00", "a lap under way")
    page.click("Stop the camera")
    page.wait(lambda: page.texts(".clock.paused"), "the pause")
    assert page.text("[role=status].notice").startswith("The camera has stopped, and so has the clock")
    stood = page.text(".clock")
    assert violations(page) == []
    assert page.text(".clock") == stood
    page.click("Start the camera")
    page.wait(lambda: not page.texts(".clock.paused"), "the clock to go on")
    assert page.texts("[role=status].notice") in ([], [""])
    page.wait(lambda: page.text(".clock") != stood, "the time since the start")


def test_a_lap_is_taken_back_and_the_session_deleted(page):
    session = new_session(page, "Bus")
    assert page.text(".candidate") == "Waits for: Bus"
    page.click("Start the camera")
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "an answer")
    page.click("Start timing")
    page.wait(lambda: len(page.texts("table tbody tr")) > 1, "two laps")
    page.click("Stop timing")
    page.wait(lambda: page.texts(".certainty") == ["Warm-up"], "the warm-up")
    count = len(page.request("GET", f"/laps/{session}")["laps"])
    button = page.find("table tbody tr button")
    page.script("arguments[0].focus()", button)
    page.requests()
    for _ in range(2):
        page.wait(lambda: any(url.startswith(f"{page.url}/laps/{session}?") for url in page.requests()), "the session to be asked for again")
    assert page.script("return document.activeElement === arguments[0]", button)
    button.click()
    page.wait(lambda: len(page.texts("table tbody tr")) == count - 1, "a lap less")
    assert page.focused_text() == "Undo", "the focus stays in the table"
    assert len(page.request("GET", f"/laps/{session}")["laps"]) == count - 1
    page.click("Delete this session")
    page.confirm()
    page.wait(lambda: page.script("return location.hash") == "#laps", "the list")
    assert page.request("GET", "/laps")["total"] == 0


def test_the_line_is_moved_by_keys_kept_and_held_while_it_is_timed(page):
    session = new_session(page, "bus")
    page.click("Start the camera")
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "an answer")
    page.type(".line-end", "\ue012", "\ue012")  # Left arrow.
    page.wait(lambda: page.request("GET", f"/laps/{session}").get("line"), "the line")
    page.wait(lambda: page.request("GET", f"/laps/{session}")["line"] == [[0.46, 0.1], [0.5, 0.9]], "the line further left")
    page.click("Start timing")
    page.wait_until_gone(".line-end")
    page.open(f"laps/{session}")
    page.wait_for(".lap-board")
    assert page.script("return document.querySelector('.line-end').style.left") == "46%"


def test_what_the_timer_can_follow_is_suggested_and_anything_else_is_refused(page):
    page.remember("language", "fi")
    page.open("laps")
    page.tap("#lap-label")
    page.wait(lambda: page.all("#lap-label-names option[value='Linja-auto']"), "the suggestions")
    names = page.script("return [...document.querySelectorAll('#lap-label-names option')].map((each) => each.value)")
    assert {"Koira", "Siamilainen", "Lumileopardi"} <= set(names)
    page.type("#lap-label", "lasinen yksisarvinen")
    page.click("Kameraan")
    assert page.alert().startswith("Kohdetta ”lasinen yksisarvinen” ei osata seurata.")
    page.clear("#lap-label")
    page.type("#lap-label", "linja-auto")
    page.click("Kameraan")
    page.wait_for(".lap-board")
    assert page.request("GET", "/laps")["items"][0]["label"] == "bus"


def test_sessions_are_listed_with_their_state(page):
    new_session(page, "bus")
    page.open("laps")
    assert page.text(".runs li").startswith("Bus")
    page.select("#language", "fi")
    page.wait(lambda: "Lämmittely" in page.text(".runs li") and "Linja-auto" in page.text(".runs li"), "Finnish")


def test_without_a_line_a_lap_closes_whenever_it_is_in_sight(page):
    session = new_session(page)
    page.tap("#lap-by-sight")
    assert page.script("return location.hash").endswith("?by=sight")
    assert page.texts(".line-end") == [] and "no line" in page.texts("label.tick")[0].lower()
    page.click("Start the camera")
    page.wait(lambda: "In sight" in "".join(page.texts(".candidate")), "a candidate")
    timer = page.request("GET", f"/laps/{session}")
    assert timer["candidates"] and timer["connected"]
    assert violations(page) == []
    page.tap("#lap-by-sight")
    page.wait(lambda: len(page.texts(".line-end")) == 2 or page.script("return document.querySelectorAll('.line-end:not([hidden])').length") == 2, "the line")
    assert "by=sight" not in page.script("return location.hash")


def test_what_only_the_whole_picture_tells_needs_no_line(page):
    page.open("laps")
    page.type("#lap-label", "Great Grey Owl")
    page.click("Go to the camera")
    page.wait_for(".lap-board")
    assert page.script("return location.hash").endswith("?by=sight")
    assert page.script("return document.querySelector('#lap-by-sight').checked")


def test_a_double_click_makes_one_session(page):
    page.open("laps")
    page.script("const start = document.querySelector('form .primary'); start.click(); start.click();")
    page.wait_for(".lap-board")
    assert page.request("GET", "/laps")["total"] == 1


def test_a_session_that_another_tab_has_deleted_is_told_and_its_camera_stops(page):
    session = new_session(page)
    page.click("Start the camera")
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "the frames")
    page.request("DELETE", f"/laps/{session}")
    assert page.alert() == "There is nothing of that name here."
    assert page.text(".live .primary") == "Start the camera"


@pytest.mark.console("404")
def test_a_session_that_is_deleted_while_its_stream_is_down_is_told_and_its_camera_stops(page):
    session = new_session(page, "Bus")
    page.script("""
        const Real = EventSource;
        window.EventSource = class extends Real { constructor(path) { super(path); window.events = this; } };
        location.hash = "#laps";""")
    page.tap(".runs a")
    page.wait_for(".lap-board")
    page.click("Start the camera")
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "the frames")
    page.click("Start timing")
    page.wait(lambda: page.texts(".certainty") not in ([], ["Warm-up"]), "the start")
    page.script("window.events.close()")
    page.request("DELETE", f"/laps/{session}")
    # The browser tries again, and the service refuses.
    page.script("window.events.dispatchEvent(new Event('error'))")
    assert page.alert() == "There is nothing of that name here."
    assert page.text(".live .primary") == "Start the camera"


def test_a_change_of_language_stops_neither_the_camera_nor_the_clock(page):
    session = new_session(page)
    page.click("Start the camera")
    page.wait(lambda: page.texts(".candidate") == ["In sight: Bus"], "the bus")
    page.click("Start timing")
    page.wait(lambda: page.text(".clock") != "0:00.00", "the first passing")
    page.script("window.film = document.querySelector('.stage video').srcObject")
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Linja-auto"], "the name in Finnish")
    assert page.script("return window.film.active && document.querySelector('.stage video').srcObject === window.film")
    assert page.text(".lap-board button") == "Lopeta ajanotto"
    assert "Timing" not in page.text("main") and page.driver.title.startswith("Kierrokset")
    before = page.text(".clock")
    page.wait(lambda: page.text(".clock") != before, "the clock to go on")
    assert violations(page) == []
    page.wait(lambda: page.texts("table tbody tr"), "a lap")
    assert page.request("GET", f"/laps/{session}")["laps"]
    page.select("#language", "en")
    page.wait(lambda: page.texts(".lap-board button") == ["Stop timing"], "the English words")


def test_the_line_that_was_drawn_last_is_kept_however_slow_the_first_was(page):
    session = new_session(page, "bus")
    page.click("Start the camera")
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "an answer")
    page.script(HOLD, "^PUT .*/line")
    page.type(".line-end", "\ue012")  # Left arrow.
    page.type(".line-end", "\ue012")
    settle(page)
    page.script("window.release()")
    page.wait(lambda: page.request("GET", f"/laps/{session}").get("line"), "the line")
    settle(page)
    assert page.request("GET", f"/laps/{session}")["line"] == [[0.46, 0.1], [0.5, 0.9]]


def test_what_was_entered_stays_over_a_change_of_language(page):
    page.open("laps")
    page.type("#lap-label", "Bus")
    page.wait(lambda: page.all("#lap-label-names option[value='Bus']"), "the suggestions")
    page.tap("form summary")
    page.clear("#lap-threshold")
    page.type("#lap-threshold", "40")
    page.select("#language", "fi")
    page.wait(lambda: page.script("return document.getElementById('lap-label')?.value") == "Linja-auto", "the name in Finnish")
    assert page.find("#lap-threshold").get_attribute("value") == "40"


def test_an_answer_from_before_the_start_does_not_end_the_timing(page):
    session = new_session(page, "bus")
    page.click("Start the camera")
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "an answer")
    page.script("""
        const [start, real] = [arguments[0], window.fetch];
        window.fetch = async (path, options = {}) => {
          const answer = await real(path, options);
          if (!window.release && !options.method && String(path).startsWith(start)) await new Promise((go) => { window.release = go; });
          return answer;
        };""", f"/laps/{session}?")
    page.wait(lambda: page.script("return Boolean(window.release)"), "an answer about the session")
    page.click("Start timing")
    page.wait(lambda: page.text(".certainty") != "Warm-up", "the start")
    page.script("""
        window.states = [];
        const state = document.querySelector(".certainty");
        new MutationObserver(() => window.states.push(state.textContent)).observe(state, { childList: true, characterData: true, subtree: true });
        window.release();""")
    settle(page)
    assert "Warm-up" not in page.script("return window.states")


def test_an_older_answer_about_a_session_does_not_replace_a_newer_one(page):
    session = new_session(page, "bus")
    page.click("Start the camera")
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "an answer")
    page.script("""
        const [start, real] = [arguments[0], window.fetch];
        window.fetch = async (path, options = {}) => {
          const answer = await real(path, options);
          if (options.method || !String(path).startsWith(start)) return answer;
          const isFirst = !window.release;
          const session = await answer.json();
          session.name = isFirst ? "Old" : "New";
          if (isFirst) await new Promise((go) => { window.release = go; });
          return new Response(JSON.stringify(session));
        };""", f"/laps/{session}?")
    page.wait(lambda: page.texts("h1") == ["New"], "a newer answer")
    page.script("""
        window.names = [];
        new MutationObserver(() => window.names.push(document.querySelector("h1").textContent)).observe(document.querySelector("h1"), { childList: true });
        window.release();""")
    settle(page)
    assert "Old" not in page.script("return window.names")
