"""The live camera: a browser with a file as its camera, the page's live view, and the real service."""

import base64
import json
import urllib.request

import pytest

from conftest import start_browser
from page import Page
from photos import DRAWING, SHARED, needs_photos, photo
from test_axe import violations

MAINE_COON = photo("cat", "maine_coon", 1) if (SHARED / "data/photos.csv").exists() else None


WIDTH, HEIGHT = 640, 480

# The pixels of a picture with this many columns and rows, as base64 of R G B A.
PIXELS = """
const [data, width, height, done] = arguments;
const picture = new Image();
picture.onload = () => {
  const canvas = Object.assign(document.createElement("canvas"), {width, height});
  const context = canvas.getContext("2d");
  const scale = Math.max(width / picture.width, height / picture.height);
  const [across, down] = [picture.width * scale, picture.height * scale];
  context.drawImage(picture, (width - across) / 2, (height - down) / 2, across, down);
  const {data} = context.getImageData(0, 0, width, height);
  let text = "";
  for (let start = 0; start < data.length; start += 8192) text += String.fromCharCode(...data.subarray(start, start + 8192));
  done(btoa(text));
};
picture.src = "data:image/jpeg;base64," + data;
"""


def film(driver, picture) -> bytes:
    """A still picture for a second, as YUV4MPEG2, which Chromium's fake camera reads best."""
    driver.get("about:blank")
    data = base64.b64encode(picture.read_bytes()).decode()
    pixels = base64.b64decode(driver.execute_async_script(PIXELS, data, WIDTH, HEIGHT))
    red, green, blue = pixels[0::4], pixels[1::4], pixels[2::4]
    luma = bytes((299 * r + 587 * g + 114 * b) // 1000 for r, g, b in zip(red, green, blue))
    # The colour has half the resolution: every other pixel of every other row.
    places = [row * WIDTH + column for row in range(0, HEIGHT, 2) for column in range(0, WIDTH, 2)]
    bluish = bytes(min(max(128 + (-169 * red[i] - 331 * green[i] + 500 * blue[i]) // 1000, 0), 255) for i in places)
    reddish = bytes(min(max(128 + (500 * red[i] - 419 * green[i] - 81 * blue[i]) // 1000, 0), 255) for i in places)
    head = f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F30:1 Ip A1:1 C420jpeg\n".encode()
    return head + (b"FRAME\n" + luma + bluish + reddish) * 30


def camera(folder, content: bytes, *arguments: str, **options):
    """A browser with a film as its camera."""
    film = folder / "camera.y4m"
    film.write_bytes(content)
    return start_browser("--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={film}", *arguments, **options)


@pytest.fixture
def live(request, server, driver, tmp_path):
    """The page in a browser that may use a camera. The test's parameter is the picture that the camera shows."""
    driver = camera(tmp_path, film(driver, request.param), "--use-fake-ui-for-media-stream")
    page = Page(driver, server.url)
    page.request("DELETE", "/history")
    page.open("live")
    yield page
    page.asked.clear()
    console, foreign = page.console(), page.foreign_requests()
    driver.quit()
    assert console == [], "the console shows errors"
    assert foreign == [], "the page asked another host"


def start(page: Page):
    """Waits until the camera runs. It starts by itself when the view opens."""
    page.wait(lambda: page.texts(".live.on .keep"), "the camera")


def sent(page: Page) -> list[str]:
    """The messages of the WebSocket since the last reading of the log. Frames are base64 there."""
    messages = [json.loads(entry["message"])["message"] for entry in page.driver.get_log("performance")]
    return [each["params"]["response"]["payloadData"] for each in messages if each["method"] == "Network.webSocketFrameSent"]


def answered(server) -> int:
    with urllib.request.urlopen(f"{server.url}/metrics", timeout=30) as response:
        lines = response.read().decode().splitlines()
    return next((int(float(line.split()[-1])) for line in lines
                 if line.startswith('menagerie_live_frames_total{outcome="answered"}')), 0)


@needs_photos
@pytest.mark.parametrize("live", [MAINE_COON], indirect=True)
def test_what_the_camera_sees_is_named_boxed_pinned_and_kept(live, server):
    before = answered(server)
    start(live)
    live.wait(lambda: "Maine Coon" in "".join(live.texts(".live-answer")), "the breed")
    live.wait(lambda: live.heard() == "Maine Coon", "the name to be read aloud")
    live.wait(lambda: live.texts(".box-label") in ([], ["Maine Coon"]), "the same name at the animal")
    room = live.script("return document.querySelector('.live').getBoundingClientRect()")
    assert room["width"] >= 1260 and room["height"] > 600, "it fills the window"
    video = live.find(".stage video")
    # In wide and tall windows the overlay matches the picture.
    for width, height in ((1280, 700), (390, 844)):
        live.appear(width, height=height)
        shapes = live.script("const v = arguments[0], s = v.parentElement.getBoundingClientRect(); return [v.videoWidth / v.videoHeight, s.width / s.height, s.width, s.height]", video)
        assert abs(shapes[0] - shapes[1]) < 0.02 and shapes[2] <= width and shapes[3] <= height, shapes
    live.appear()
    assert live.script("return arguments[0].videoWidth > 0 && !arguments[0].paused", video)
    # A tap in the middle shows the name there, in both languages.
    video_middle = "const r = arguments[0].getBoundingClientRect();" \
        "arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: r.x + r.width / 2, clientY: r.y + r.height / 2}))"
    live.script(video_middle, video)
    assert "Maine" in live.text(".pin")
    # A change of language does not stop the camera.
    live.script("window.track = document.querySelector('.stage video').srcObject.getVideoTracks()[0]")
    live.select("#language", "fi")
    live.wait(lambda: live.text(".keep") == "Säilytä", "the Finnish words")
    live.wait(lambda: "Maine coon" in live.text(".live-answer") and "todennäköisesti" in live.text(".live-answer"), "the Finnish sentence")
    assert live.script("return window.track.readyState") == "live"
    live.select("#language", "en")
    # The animal that the user tapped on is already in the history.
    live.wait(lambda: live.request("GET", "/history")["items"], "the tapped animal")
    live.tap(".keep")
    live.wait(lambda: len(live.request("GET", "/history")["items"]) == 2, "the kept scan")
    kept = live.request("GET", "/history")["items"]
    assert [each["predictions"][0]["label"] for each in kept] == ["maine_coon"] * 2
    live.click("Stop")
    live.wait(lambda: not live.texts(".stage"), "the camera to stop")
    assert live.focused_text() == "Start the camera"
    assert answered(server) - before > 5


@pytest.mark.parametrize("live", [DRAWING], indirect=True)
def test_frames_go_with_the_time_when_they_were_taken(live, server):
    before = answered(server)
    sent(live)
    start(live)
    live.wait(lambda: answered(server) - before >= 5, "answers")
    messages = sent(live)
    times = [json.loads(each)["at_ms"] for each in messages if each.startswith("{")]
    assert len(times) >= 5 and times == sorted(times) and times[-1] > times[0]
    assert len(messages) - len(times) >= 5, "a frame for each"
    # Leaving the view stops the camera.
    live.go("breeds")
    live.wait(lambda: "menagerie_live_sessions 0" in
              urllib.request.urlopen(f"{server.url}/metrics", timeout=30).read().decode(), "the stream to end")


@pytest.mark.parametrize("live", [DRAWING], indirect=True)
def test_a_clock_that_jumps_is_no_news_and_a_problem_has_our_words(live, server):
    live.script("""
        const send = WebSocket.prototype.send;
        let frames = 0;
        WebSocket.prototype.send = function (data) {
          window.socket = this;
          if (typeof data !== "string" || !data.includes('"frame"')) return send.call(this, data);
          frames += 1;
          if (frames === 3) this.addEventListener("message", ({ data }) => { if (data.includes("/problems/clock-step")) window.hasJumped = true; });
          return send.call(this, frames === 4 ? JSON.stringify({ type: "frame", at_ms: 0 }) : data);
        };""")
    start(live)
    live.wait(lambda: live.script("return window.hasJumped"), "the jump to be noticed")
    before = answered(server)
    live.wait(lambda: answered(server) - before >= 3, "the answers to go on")
    assert live.texts("[role=alert]") == []
    live.script("window.socket.send(JSON.stringify({ type: 'settings', unicorn: 1 }))")
    assert live.alert() == "This server is older or newer than the page: load the page again."


def tap(page, across: float, down: float):
    page.script("""
        const [video, across, down] = arguments, r = video.getBoundingClientRect();
        video.dispatchEvent(new MouseEvent('click', {bubbles: true, clientX: r.x + r.width * across, clientY: r.y + r.height * down}))""",
        page.find(".stage video"), across, down)


@needs_photos
@pytest.mark.parametrize("live", [MAINE_COON], indirect=True)
def test_figures_models_and_the_log_are_there_for_who_wants_them(live):
    start(live)
    live.wait(lambda: "Maine Coon" in "".join(live.texts(".live-answer")), "the breed")
    assert live.texts(".top-five") == []
    # A desktop's window of 1280 × 1024 has this size at 400 %.
    live.appear(320, height=256)
    live.tap(".live-figures summary")
    assert live.script("return document.querySelector('.live-figures').clientHeight") > 100
    live.appear()
    # Very unlikely names are left out, so the list may have fewer than five.
    live.wait(lambda: 1 <= len(live.texts(".top-five li")) <= 5, "the likeliest")
    assert live.texts(".top-five li")[0].startswith("Maine Coon") and "%" in live.texts(".top-five li")[0]
    assert {"Running for", "Speed", "Dropped frames", "From frame to answer", "Memory of the page"} <= set(live.texts(".live-figures dt"))
    assert violations(live) == []
    assert "menagerie" in live.script("return [...document.querySelectorAll('#live-model option')].map((each) => each.value)")
    sent(live)
    live.select("#live-model", "menagerie")
    live.wait(lambda: any('"model":"menagerie"' in each for each in sent(live)), "the model to be asked for")
    assert live.script("return document.querySelector('#keep-taps').checked"), "on by default"
    live.tap("#keep-taps")
    tap(live, 0.5, 0.5)
    live.wait(lambda: "Maine" in "".join(live.texts(".pin")), "the pin")
    live.wait(lambda: live.script("return document.querySelector('.live-answer').textContent"), "another answer")
    assert live.request("GET", "/history")["items"] == [], "what is not to be kept is not"
    live.script("window.saved = []; URL.createObjectURL = (blob) => { window.saved.push(blob); return '#live' }; HTMLAnchorElement.prototype.click = () => {}")
    live.click("Log as CSV", within=".live-figures")
    rows = live.driver.execute_async_script("window.saved[0].text().then(arguments[0])").split("\r\n")
    assert rows[0] == "time,at_ms,event,label,name,confidence,boxes,latency_ms,dropped"
    assert any(",answer,maine_coon,Maine Coon," in row for row in rows) and any(",tap," in row for row in rows)


@pytest.mark.parametrize("live", [DRAWING], indirect=True)
def test_a_pin_on_nothing_says_so(live):
    start(live)
    said = live.driver.execute_async_script("""
        const done = arguments[0];
        import("/parts/pins.js").then(({ Pins }) => {
          const pins = new Pins(() => {});
          const isNew = pins.pin({ id: "t1", x: 0.5, y: 0.5, name: "Nothing here that I know", names: { en: "Nothing here that I know", fi: "…" }, nothing: true, track: null, confidence: null });
          done([isNew, pins.element.textContent]);
        });""")
    assert said == [False, "Nothing here that I know"]


def test_a_cell_of_the_log_is_no_formula(page):
    page.open()
    line = page.driver.execute_async_script("""
        import("/parts/live-log.js").then(({ csvLine }) => arguments[0](csvLine(["=1+1", '@a"b', -0.5, "a,b", null, "+x", "＝1", "\\n=1"])));""")
    assert line == """'=1+1,"'@a""b",-0.5,"a,b",,'+x,'＝1,"'\n=1"\r\n"""


def test_the_log_keeps_the_newest_rows(page):
    page.open()
    rows = page.driver.execute_async_script("""
        import("/parts/live-log.js").then(async ({ LiveLog }) => {
          const log = new LiveLog();
          for (let index = 0; index < 30_050; index += 1) log.noted("tap", { label: `l${index}` });
          arguments[0]((await log.file().text()).split("\\r\\n").map((row) => row.split(",")[3]));
        });""")
    assert rows[0] == "label" and rows[-2:] == ["l30049", None]
    assert rows[1:-1] == [f"l{index}" for index in range(30_050 - len(rows[1:-1]), 30_050)]
    assert 20_000 <= len(rows[1:-1]) <= 20_100


def test_who_denies_the_camera_is_told_how_to_allow_it(server, driver, tmp_path):
    driver = camera(tmp_path, film(driver, DRAWING), asks=True)
    try:
        driver.execute_cdp_cmd("Browser.setPermission", {
            "permission": {"name": "camera"}, "setting": "denied", "origin": server.url})
        page = Page(driver, server.url)
        page.open("live")
        assert "camera" in page.alert().lower()
        assert page.texts(".live .primary") == ["Start the camera"], "it can be tried again"
    finally:
        driver.quit()


# Counts the cameras that were opened and are still on. `window.opened()` is called as soon as one opens.
CAMERAS = """
const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
window.streams = [];
window.on = () => window.streams.flatMap((each) => each.getTracks()).filter(({ readyState }) => readyState === "live").length;
navigator.mediaDevices.getUserMedia = async (wanted) => {
  const stream = await real(wanted);
  window.streams.push(stream);
  window.opened?.();
  return stream;
};"""


def settle(page, milliseconds: int = 1000):
    page.driver.execute_async_script("setTimeout(arguments[1], arguments[0])", milliseconds)


def test_the_camera_is_off_after_its_view_was_left_while_it_started(camera_page):
    camera_page.open("more")
    camera_page.script(CAMERAS + "window.opened = () => { location.hash = '#about'; }; location.hash = '#live';")
    camera_page.wait(lambda: camera_page.texts("h1") == ["About"], "the other view")
    settle(camera_page)
    assert camera_page.script("return [window.streams.length, window.on()]") == [1, 0]


def test_a_view_that_is_left_at_once_asks_for_no_camera(camera_page):
    camera_page.open("more")
    # As in a tab in the background, no frame is drawn.
    camera_page.script(CAMERAS + "window.later = []; window.requestAnimationFrame = (draw) => window.later.push(draw); location.hash = '#live';")
    camera_page.wait(lambda: camera_page.texts("h1") == ["Point the camera at an animal"], "the view")
    camera_page.script("location.hash = '#about'")
    camera_page.wait(lambda: camera_page.texts("h1") == ["About"], "the other view")
    camera_page.script("for (const draw of window.later) draw(0)")
    settle(camera_page)
    assert camera_page.script("return window.streams.length") == 0


def test_the_camera_that_records_is_off_after_its_view_was_left(camera_page):
    camera_page.open("training")
    camera_page.wait_for(".record")
    camera_page.script(CAMERAS + """
        window.opened = () => { location.hash = '#about'; };
        document.querySelector(".record").dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));""")
    camera_page.wait(lambda: camera_page.texts("h1") == ["About"], "the other view")
    settle(camera_page)
    assert camera_page.script("return [window.streams.length, window.on()]") == [1, 0]


def test_two_presses_open_one_camera(camera_page):
    camera_page.open("training")
    camera_page.wait_for(".record")
    camera_page.script(CAMERAS + """
        for (const name of ["keydown", "keyup"]) {
          for (const each of document.querySelectorAll(".record")) each.dispatchEvent(new KeyboardEvent(name, { key: " ", bubbles: true }));
        }""")
    camera_page.wait(lambda: camera_page.script("return window.on()"), "the camera")
    settle(camera_page)
    camera_page.go("more")
    settle(camera_page, 200)
    assert camera_page.script("return window.on()") == 0


def test_a_connection_that_closes_slowly_does_not_end_the_next(camera_page):
    camera_page.open("live")
    camera_page.wait(lambda: camera_page.texts(".rate") not in ([], [""]), "the frames")
    camera_page.script("const close = WebSocket.prototype.close; WebSocket.prototype.close = function () { setTimeout(() => close.call(this), 1500); };")
    camera_page.click("Stop")
    camera_page.click("Start the camera")
    camera_page.wait(lambda: camera_page.texts(".rate") not in ([], [""]), "the frames again")
    settle(camera_page, 2500)
    assert camera_page.texts("[role=alert]") == [] and camera_page.texts(".live.on .keep")


@pytest.mark.parametrize("across", [0.02, 0.98])
def test_the_name_of_a_tap_at_the_edge_is_not_cut_off_on_a_phone(camera_page, across):
    camera_page.appear(320, phone=True, height=600)
    camera_page.open("live")
    camera_page.wait(lambda: camera_page.texts(".rate") not in ([], [""]), "the frames")
    left, right = camera_page.driver.execute_async_script("""
        const [across, done] = arguments;
        import("/parts/pins.js").then(({ Pins }) => {
          const pins = new Pins(() => {});
          document.querySelector(".stage").append(pins.element);
          const name = "Nova Scotia Duck Tolling Retriever";
          pins.pin({ id: "t1", x: across, y: 0.5, name, names: { en: name, fi: name }, track: 1, confidence: 0.99 });
          const { left, right } = pins.element.firstElementChild.getBoundingClientRect();
          done([left, right]);
        });""", across)
    assert left >= 0 and right <= 320


def test_a_second_press_while_the_camera_starts_takes_no_photo_twice(camera_page):
    camera_page.open("training")
    camera_page.wait_for(".record")
    camera_page.script("""
        const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
        navigator.mediaDevices.getUserMedia = (wanted) => new Promise((resolve) => { window.allow = () => resolve(real(wanted)); });
        window.taken = [];
        const Real = File;
        window.File = class extends Real { constructor(...all) { super(...all); window.taken.push(performance.now()); } };
        const record = document.querySelector(".record");
        const press = (name) => record.dispatchEvent(new KeyboardEvent(name, { key: " ", bubbles: true }));
        for (const name of ["keydown", "keyup", "keydown"]) press(name);
        window.allow();""")
    camera_page.wait(lambda: camera_page.script("return window.taken.length") > 8, "photos")
    camera_page.script("document.querySelector('.record').blur()")
    times = camera_page.script("return window.taken")
    assert min(after - before for before, after in zip(times, times[1:])) > 100, "one at a time"


def test_a_camera_that_is_stopped_as_it_starts_is_no_error(camera_page):
    camera_page.open("more")
    camera_page.script("""
        const real = navigator.mediaDevices.enumerateDevices.bind(navigator.mediaDevices);
        navigator.mediaDevices.enumerateDevices = () => new Promise((resolve) => { window.answer = () => resolve(real()); });
        location.hash = "#live";""")
    camera_page.wait(lambda: camera_page.script("return Boolean(window.answer)"), "the question for the cameras")
    camera_page.script("for (const each of document.querySelectorAll('.live-below button')) if (each.checkVisibility() && each.innerText === 'Stop') each.click()")
    camera_page.script("window.answer()")
    settle(camera_page)
    assert camera_page.texts("[role=alert]") == []


def test_a_camera_that_another_program_uses_is_told_in_the_readers_words(camera_page):
    camera_page.remember("language", "fi")
    camera_page.open("more")
    camera_page.script("""
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("Could not start video source", "NotReadableError"));
        location.hash = "#live";""")
    assert camera_page.alert() == "Kamera on toisen ohjelman käytössä. Sulje se ja käynnistä uudelleen."


def test_a_slow_answer_leaves_one_frame_under_way(page):
    page.open()
    under_way = page.driver.execute_async_script("""
        const done = arguments[0];
        window.WebSocket = class extends EventTarget {
          static OPEN = 1;
          readyState = 1;
          frames = [];
          constructor() { super(); window.socket = this; }
          send(data) { if (typeof data === "string") this.frames.push(JSON.parse(data).at_ms); }
          close() {}
          answer(frame) { this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ type: "answer", frame }) })); }
        };
        const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
        import("/services/socket.js").then(async ({ LiveSocket }) => {
          let number = 0;
          const live = new LiveSocket("", { nextFrame: async () => ({ picture: new Blob(), takenAt: number += 1 }), receive() {} });
          window.socket.dispatchEvent(new Event("open"));
          await pause(3300);
          const { frames } = window.socket;
          window.socket.answer(1);
          await pause(100);
          window.socket.answer(2);
          await pause(100);
          live.stop();
          done(frames);
        });""")
    assert under_way == [1, 2, 3]
