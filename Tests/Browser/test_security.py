"""Attacks on the service by a page of another site, and signing in, in a real browser."""

import base64
import http.server
import json
import subprocess
import threading
import urllib.error

import pytest

from conftest import start_browser
from page import Page
from photos import DRAWING
from server import Server, binary, environment
from test_axe import violations

PHOTO = base64.b64encode(DRAWING.read_bytes()).decode()

# The attempts of a hostile page, one after the other. It cannot read the answers, but each request is sent.
ATTACK = """
const [target, photo, done] = arguments;
const bytes = Uint8Array.from(atob(photo), (character) => character.charCodeAt(0));
const form = new FormData();
form.append("image", new Blob([bytes], {type: "image/jpeg"}), "photo.jpg");
const tries = [
  [`${target}/classify`, {method: "POST", mode: "no-cors", body: form}],
  [`${target}/classify`, {method: "POST", mode: "no-cors", body: new Blob([bytes], {type: "text/plain"})}],
  [`${target}/models/menagerie/unload`, {method: "POST", mode: "no-cors"}],
  [`${target}/history`, {method: "DELETE"}],
  [`${target}/history`, {}],
];
const attempt = ([address, options]) =>
  fetch(address, options).then(async (answer) => `${answer.type} ${answer.status} ${await answer.text()}`, () => "refused");
(async () => { const all = []; for (const each of tries) all.push(await attempt(each)); done(all); })();
"""


class Quiet(http.server.BaseHTTPRequestHandler):
    """An empty page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!DOCTYPE html><title>Evil</title>")

    def log_message(self, *_):
        pass


@pytest.fixture
def evil_page():
    """The address of a foreign page, served from this machine."""
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield site.server_port
    site.shutdown()


@pytest.fixture(scope="module")
def victim_browser():
    """A browser for which evil.example resolves to this machine, as with an attacker's name server."""
    browser = start_browser("--host-resolver-rules=MAP evil.example 127.0.0.1")
    yield browser
    browser.quit()


@pytest.fixture
def owner(server, driver):
    """The service with one scan in its history."""
    page = Page(driver, server.url)
    page.request("DELETE", "/history")
    page.scan(DRAWING)
    return page


def attack(browser, page, target):
    browser.get(page)
    return browser.execute_async_script(ATTACK, target, PHOTO)


def untouched(owner) -> bool:
    ready = owner.request("GET", "/v2/models/menagerie/ready")["ready"]
    return owner.request("GET", "/history")["total"] == 1 and ready


def test_a_page_of_another_site_changes_nothing_and_reads_nothing(owner, victim_browser, evil_page):
    for host in ("evil.example", "localhost"):
        answers = attack(victim_browser, f"http://{host}:{evil_page}/", owner.url)
        assert answers[3:] == ["refused", "refused"], f"{host}: a page read an answer"
        assert all(answer in ("refused", "opaque 0 ") for answer in answers[:3])
        assert untouched(owner), f"a page at {host} changed something"


def test_a_form_of_another_site_saves_no_scan(owner, victim_browser, evil_page):
    victim_browser.get(f"http://evil.example:{evil_page}/")
    victim_browser.execute_script("""
        const form = document.createElement("form");
        form.method = "POST"; form.enctype = "multipart/form-data"; form.action = `${arguments[0]}/classify`;
        const input = document.createElement("input");
        input.type = "file"; input.name = "image";
        const transfer = new DataTransfer();
        transfer.items.add(new File([Uint8Array.from(atob(arguments[1]), (c) => c.charCodeAt(0))], "a.jpg", {type: "image/jpeg"}));
        input.files = transfer.files;
        form.append(input); document.body.append(form); form.submit();""",
        owner.url, PHOTO)
    Page(victim_browser, owner.url).wait(
        lambda: "/problems/cross-site" in victim_browser.page_source, "the refusal to be shown")
    assert untouched(owner)


def test_a_name_that_was_turned_to_this_machine_gets_nothing(owner, victim_browser):
    # To the browser the page has the service's own origin. Only its host name differs.
    port = owner.url.rsplit(":", 1)[1]
    turned = f"http://evil.example:{port}"
    victim_browser.get(f"{turned}/livez")
    assert "/problems/misdirected-request" in victim_browser.page_source
    answers = attack(victim_browser, f"{turned}/livez", turned)
    assert all(answer.startswith("basic 421 ") for answer in answers), answers
    assert untouched(owner)


# Signing in

@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    file = tmp_path_factory.mktemp("keys") / "keys.json"

    def add(name, role):
        command = [binary(), "keys", "add", name, "--role", role, "--set", f"security.keys={file}"]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment()).stdout.strip()
    return {"file": file, "user": add("Anna", "user"), "reader": add("Rita", "reader"), "admin": add("Ada", "admin")}


@pytest.fixture(scope="module")
def locked_server(keys):
    server = Server(security_keys=str(keys["file"]))
    yield server
    server.stop()


@pytest.fixture
def locked(locked_server, driver):
    page = Page(driver, locked_server.url)
    page.appear()
    driver.get("about:blank")
    driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": page.url, "storageTypes": "all"})
    driver.delete_all_cookies()
    page.console(), page.requests()
    return page


def sign_in(page, key):
    field = page.wait_for("#key")
    field.send_keys(key)
    page.tap(".sign-in button")


def test_signing_in_scanning_and_signing_out(locked, keys):
    locked.open()
    assert locked.text("h1") == "Sign in"
    assert locked.focused().get_attribute("id") == "key"
    sign_in(locked, keys["user"])
    locked.wait(lambda: locked.texts("h1") == ["Which animal is this?"], "the page")
    locked.wait(lambda: locked.focused().get_attribute("id") == "main", "the focus to be in the page")
    locked.choose(DRAWING)
    locked.answers()
    locked.go("history")
    # Only the cookie gives access to the picture.
    locked.wait(lambda: locked.script("return document.querySelector('.scan img')?.naturalWidth > 0"), "the picture")
    assert locked.script("return document.cookie") == "", "scripts can read the session"
    cookie = next(each for each in locked.driver.get_cookies() if each["name"] == "menagerie_session")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    locked.go("more")
    locked.tap("#sign-out")
    locked.wait(lambda: locked.texts("h1") == ["Sign in"], "the form")
    assert locked.texts(".scan") == []
    assert [line for line in locked.console() if "401" not in line] == []


def test_a_photo_whose_session_has_ended_is_sent_after_the_sign_in(locked, keys):
    locked.open()
    sign_in(locked, keys["user"])
    locked.wait_for(".drop button")
    locked.driver.delete_all_cookies()
    locked.choose(DRAWING)
    sign_in(locked, keys["user"])
    assert locked.result().startswith("#scan/")


def test_a_wrong_key_is_told_in_finnish_too(locked):
    locked.open()
    locked.select("#language", "fi")
    locked.wait(lambda: locked.texts("h1") == ["Kirjaudu sisään"], "the Finnish form")
    sign_in(locked, "menagerie_wrong")
    assert locked.alert() == "Palvelu ei tunne tätä avainta."
    assert locked.focused().get_attribute("id") == "key"


def test_a_key_that_may_only_read_is_told_so(locked, keys):
    locked.open()
    sign_in(locked, keys["reader"])
    locked.wait(lambda: locked.texts("h1") == ["Which animal is this?"], "the page")
    # The page says so before the user chooses a photo.
    assert locked.text(".reader") == "Your key lets you look, but not identify or change anything."
    assert locked.texts(".drop button") == []


def test_a_key_that_may_only_read_is_told_so_about_cameras_and_videos(camera_driver, locked_server, keys):
    page = Page(camera_driver, locked_server.url)
    page.driver.delete_all_cookies()
    page.open("video")
    sign_in(page, keys["reader"])
    page.wait(lambda: "Your key lets you look, but not identify or change anything." in page.texts("main p"), "the word about videos")
    assert page.all("#video") == []
    page.turn("live")
    page.wait(lambda: page.texts("[role=alert] p") == ["Your key lets you look, but not identify or change anything."], "the word about cameras")
    page.driver.delete_all_cookies()
    page.driver.get("about:blank")
    page.console(), page.requests()


def test_an_administrator_makes_replaces_and_removes_keys(locked, keys):
    locked.open("keys")
    sign_in(locked, keys["admin"])
    locked.wait_for("#key-manager")

    def rows():
        return locked.texts("#main tbody th")

    assert rows() == ["Anna", "Rita", "Ada (yours)"]
    locked.type("#key-name", "Anna's phone")
    locked.select("#key-role", "reader")
    locked.click("Make the key")
    locked.wait(lambda: locked.texts("[role=status].notice pre"), "the key")
    first = locked.text("[role=status].notice pre")
    assert first.startswith("menagerie_") and rows()[-1] == "Anna's phone"

    def who(key):
        return locked.request("GET", "/session", Authorization=f"Bearer {key}")

    assert who(first)["role"] == "reader"
    # A question that is answered with no leaves the key, which is shown only once.
    locked.tap("[aria-label='Remove the key of Anna\\'s phone']")
    locked.tap("#confirm[open] button[value=cancel]")
    locked.wait_until_gone("#confirm")
    assert locked.texts("[role=status].notice pre") == [first]
    locked.tap("[aria-label='Replace the key of Anna\\'s phone']")
    locked.confirm()
    locked.wait(lambda: locked.texts("[role=status].notice pre") not in ([], [first]), "another key")
    second = locked.text("[role=status].notice pre")
    assert who(second)["name"] == "Anna's phone"
    with pytest.raises(urllib.error.HTTPError, match="401"):
        who(first)
    locked.tap("[aria-label='Remove the key of Anna\\'s phone']")
    locked.confirm()
    locked.wait(lambda: "Anna's phone" not in rows(), "it to go")
    assert locked.focused().tag_name == "button", "the focus stays in the list"
    # The last administrator's key cannot be removed. A new key for the user takes effect at once.
    locked.tap("[aria-label='Remove the key of Ada']")
    locked.confirm()
    assert locked.alert()
    locked.tap("[aria-label='Replace the key of Ada']")
    locked.confirm()
    locked.wait(lambda: locked.texts("[role=status].notice pre"), "the key")
    keys["admin"] = locked.text("[role=status].notice pre")
    assert rows() == ["Anna", "Rita", "Ada (yours)"]
    assert violations(locked) == []
    assert [line for line in locked.console() if "401" not in line and "409" not in line] == []


def test_a_key_is_shown_although_what_follows_fails(locked, keys):
    locked.open("keys")
    sign_in(locked, keys["admin"])
    locked.wait_for("#key-manager")
    # Where too many wrong keys came from the address, nobody signs in there.
    locked.script("""
        const real = window.fetch;
        window.fetch = (path, options) => path === "/session" && options?.method === "POST"
          ? Promise.resolve(new Response("{}", { status: 429 })) : real(path, options);""")
    locked.tap("[aria-label='Replace the key of Ada']")
    locked.confirm()
    locked.wait(lambda: locked.all("[role=alert]"), "the problem")
    shown = locked.texts("[role=status].notice pre")
    assert shown, "the new key"
    keys["admin"] = shown[0]
    assert locked.request("GET", "/session", Authorization=f"Bearer {keys['admin']}")["name"] == "Ada"


def test_a_double_click_makes_one_key_and_shows_it(locked, keys):
    locked.open("keys")
    sign_in(locked, keys["admin"])
    locked.wait_for("#key-manager")
    locked.type("#key-name", "Double")
    locked.script("const make = document.querySelector('#main form:has(#key-name) button'); make.click(); make.click();")
    locked.wait(lambda: "Double" in locked.texts("#main tbody th"), "the key in the list")
    locked.driver.execute_async_script("setTimeout(arguments[0], 300)")
    assert locked.text("[role=status].notice pre").startswith("menagerie_")
    assert [line for line in locked.console() if "401" not in line] == []
    locked.tap("[aria-label='Remove the key of Double']")
    locked.confirm()


def test_a_new_key_is_shown_even_if_the_list_cannot_be_fetched(locked, keys):
    locked.open("keys")
    sign_in(locked, keys["admin"])
    locked.wait_for("#key-manager")
    locked.script("""
        const real = window.fetch;
        window.fetch = (path, options = {}) => (path === "/keys" && !options.method ? Promise.reject(new TypeError("no connection")) : real(path, options));""")
    locked.type("#key-name", "Lost")
    locked.click("Make the key")
    try:
        assert locked.alert() == "The server cannot be reached. Is it running?"
        assert locked.text("[role=status].notice pre").startswith("menagerie_")
    finally:
        locked.request("DELETE", "/keys/Lost", Authorization=f"Bearer {keys['admin']}")
    locked.console()


def test_ones_own_new_key_is_shown_even_if_the_sign_in_fails(locked, keys):
    locked.open("keys")
    sign_in(locked, keys["admin"])
    locked.wait_for("#key-manager")
    locked.script("""
        const real = window.fetch;
        window.fetch = (path, options) => (path === "/session" ? Promise.reject(new TypeError("no connection")) : real(path, options));""")
    locked.tap("[aria-label='Replace the key of Ada']")
    locked.confirm()
    assert locked.alert() == "The server cannot be reached. Is it running?"
    keys["admin"] = locked.text("[role=status].notice pre")
    assert locked.request("GET", "/session", Authorization=f"Bearer {keys['admin']}")["name"] == "Ada"
    locked.console()


def test_a_sign_out_that_fails_is_told(locked, keys):
    locked.open("more")
    sign_in(locked, keys["user"])
    locked.wait_for("#sign-out")
    locked.script("""
        const real = window.fetch;
        window.fetch = (path, options = {}) => (options.method === "DELETE" ? Promise.reject(new TypeError("no connection")) : real(path, options));""")
    locked.tap("#sign-out")
    assert locked.text("#toasts p") == "The server cannot be reached. Is it running?"
    assert locked.texts("h1") == ["More"]
    locked.console()


def test_who_is_no_administrator_sees_no_keys(locked, keys):
    locked.open("keys")
    sign_in(locked, keys["user"])
    locked.wait(lambda: locked.texts("h1") == ["Keys"], "the view")
    assert locked.all("#key-manager") == []


def test_what_is_for_administrators_goes_once_the_role_is_known(locked, keys):
    locked.open()
    sign_in(locked, keys["user"])
    locked.wait(lambda: locked.texts("h1") == ["Which animal is this?"], "the page")
    slow = """
        const real = window.fetch;
        window.fetch = (path, options) => (path === "/session"
          ? new Promise((resolve) => setTimeout(resolve, 1500)).then(() => real(path, options)) : real(path, options));"""
    script = locked.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": slow})["identifier"]
    try:
        locked.open("training")
        locked.wait(lambda: "Only an administrator can do this." in locked.text("main"), "the word about the role")
    finally:
        locked.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
    assert locked.all(".training-form") == []


def test_a_session_that_is_over_asks_for_the_key_again(locked, keys):
    locked.open()
    sign_in(locked, keys["user"])
    locked.wait(lambda: locked.texts("h1") == ["Which animal is this?"], "the page")
    locked.driver.delete_all_cookies()
    locked.go("history")
    locked.wait(lambda: locked.texts("h1") == ["Sign in"], "the form")
    sign_in(locked, keys["user"])
    locked.wait(lambda: locked.texts("h1") == ["My animals"], "the page that was asked for")


def test_what_a_session_that_ended_has_stopped_is_sent_again_after_the_sign_in(locked, keys, tmp_path):
    (tmp_path / "one.jsonl").write_text("no scan\n")
    locked.open("storage")
    sign_in(locked, keys["admin"])
    locked.wait_for("#import + button")
    locked.driver.delete_all_cookies()
    locked.type("#import", str(tmp_path / "one.jsonl"))
    sign_in(locked, keys["admin"])
    locked.click("Try again")
    assert locked.text(".import [role=alert]") == "None of the scans could be imported."
    locked.console()


def test_a_camera_whose_key_was_removed_asks_for_a_key(camera_driver, locked_server, keys):
    page = Page(camera_driver, locked_server.url)
    camera_driver.delete_all_cookies()
    admin = {"Authorization": f"Bearer {keys['admin']}", "Content-Type": "application/json"}
    key = page.request("POST", "/keys", json.dumps({"name": "Leo", "role": "user"}).encode(), **admin)["key"]
    page.open("live")
    sign_in(page, key)
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "the frames")
    page.request("DELETE", "/keys/Leo", **admin)
    page.wait(lambda: page.texts("h1") == ["Sign in"], "the form")
    sign_in(page, keys["user"])
    page.wait(lambda: page.texts(".rate") not in ([], [""]), "the frames again")
    camera_driver.get("about:blank")
    page.console(), page.requests()


def test_a_key_in_the_address_of_an_open_page_signs_in(locked, keys):
    locked.open()
    locked.wait_for("#key")
    locked.script("location.hash = `#key=${arguments[0]}`", keys["user"])
    locked.wait(lambda: locked.texts("h1") == ["Which animal is this?"], "the page")
    assert locked.script("return location.href").endswith("/#scan")
    locked.console()


@pytest.mark.parametrize("key", ["%", "nonsense"])
def test_what_is_no_key_in_the_address_of_an_open_page_asks_for_one(locked, key):
    locked.open()
    locked.wait_for("#key")
    locked.script("location.hash = `#key=${arguments[0]}`", key)
    locked.wait(lambda: locked.script("return location.href").endswith("/#scan"), "the page without the key")
    locked.wait_for("#key")
    locked.console()


def test_the_form_has_no_accessibility_slips(locked):
    locked.open()
    locked.wait_for("#key")
    named = locked.script("""
        const field = document.getElementById("key");
        return [field.labels.length, document.getElementById(field.getAttribute("aria-describedby")).innerText.length > 0,
                field.getBoundingClientRect().height >= 44];""")
    assert named == [1, True, True]
