"""Photos chosen while the server is unreachable are stored and sent later."""

import pytest

from photos import DRAWING
from server import PACKAGE

OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


@pytest.fixture
def offline(page):
    """Opens the page, waits for its service worker and cuts the connection. The function that it gives restores it."""
    page.open()
    page.wait(lambda: page.driver.execute_async_script(
        "navigator.serviceWorker.ready.then(() => arguments[0](!!navigator.serviceWorker.controller))"), "the worker")
    page.open("history")
    page.open()  # The worker stores the answers to the requests that it sees.
    command = page.driver.execute_cdp_cmd
    command("Network.enable", {})

    def connect():
        command("Network.emulateNetworkConditions", OFFLINE | {"offline": False})

    command("Network.emulateNetworkConditions", OFFLINE)
    yield connect
    connect()
    page.console()


def kept(page) -> int:
    return page.driver.execute_async_script("""
        const done = arguments[0], opening = indexedDB.open("menagerie");
        opening.onsuccess = () => {
          const names = opening.result.objectStoreNames;
          if (!names.contains("waiting")) { opening.result.close(); return done(0); }
          const count = opening.result.transaction("waiting").objectStore("waiting").count();
          count.onsuccess = () => { opening.result.close(); done(count.result); };
        };""")


def test_a_photo_waits_over_a_reload_and_is_sent_once(page, offline):
    page.choose(DRAWING)
    page.wait_for(".photo[data-state=offline]")
    page.wait(lambda: kept(page) == 1, "the photo to be kept")
    page.open()
    page.wait_for(".photo[data-state=offline]")
    offline()
    page.script("dispatchEvent(new Event('online'))")
    page.wait_for(".scan-result")
    assert page.request("GET", "/history")["total"] == 1
    page.wait(lambda: kept(page) == 0, "nothing to be kept")
    page.open()
    page.wait_for(".drop button")
    assert page.texts(".photo.pending") == []


def test_a_server_that_hangs_when_it_is_asked_is_asked_again(page, offline):
    page.script("""
        const [later, limit] = [setTimeout, AbortSignal.timeout.bind(AbortSignal)];
        window.setTimeout = (action, time, ...rest) => later(action, time === 8000 ? 50 : time, ...rest);
        AbortSignal.timeout = () => limit(50);
        window.asked = 0;
        window.fetch = (_, { signal } = {}) => new Promise((_, reject) => {
          asked += 1;
          signal?.addEventListener("abort", () => reject(signal.reason));
        });""")
    page.choose(DRAWING)
    page.wait_for(".photo[data-state=offline]")
    page.wait(lambda: page.script("return asked") > 2, "a further question")


def test_a_photo_that_waits_is_given_up_for_good(page, offline):
    page.choose(DRAWING)
    page.wait_for(".photo[data-state=offline]")
    page.wait(lambda: kept(page) == 1, "the photo to be kept")
    page.tap(".photo-over > button")
    page.wait(lambda: kept(page) == 0, "nothing to be kept")
    page.open()
    page.wait_for(".drop button")
    assert page.texts(".photo.pending") == []
    assert page.driver.execute_async_script("fetch('/livez').then(() => arguments[0](true), () => arguments[0](false))") is False


@pytest.mark.parametrize("body", ["null", "5", "<html>proxy</html>"])
def test_an_answer_that_is_not_the_services_is_a_message(page, body):
    page.open()
    page.wait_for(".drop button")
    page.script("""
        const body = arguments[0];
        const answer = (status) => new Response(body, { status, headers: { "Content-Type": "application/json" } });
        window.fetch = async (path) => answer(String(path).includes("/favourites") ? 500 : 200);
        XMLHttpRequest.prototype.send = function () {
          Object.defineProperties(this, { status: { value: 200 }, responseText: { value: body } });
          this.dispatchEvent(new Event("load"));
        };""", body)
    said = page.driver.execute_async_script("""
        const done = arguments[0];
        Promise.all([import("/services/api.js"), import("/services/transfer.js")]).then(async ([api, { transfer }]) => {
          const said = (promise) => promise.then(() => "nothing", (error) => `${error.constructor.name}: ${error.message}`);
          done(await Promise.all([said(api.breeds({})), said(api.favourites()), said(transfer("POST", "/videos", "x"))]));
        });""")
    assert said == [
        "Problem: The server cannot be reached. Is it running?", "Problem: That did not work (500). ",
        "Problem: The server cannot be reached. Is it running?"], said
    page.console()


def test_a_large_photo_waits_too(page, offline, tmp_path):
    # The module that makes photos smaller was never loaded. The worker has a connection of its own.
    page.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    page.driver.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": True})
    large = tmp_path / "large.jpg"
    large.write_bytes(DRAWING.read_bytes() + bytes(2 << 20))
    page.choose(large)
    page.wait_for(".photo[data-state=offline]")
    offline()
    page.script("dispatchEvent(new Event('online'))")
    page.wait_for(".scan-result")
    page.driver.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": False})


def test_a_browser_whose_storage_is_full_gets_the_page_from_the_server(page):
    source = (PACKAGE / "Public/sw.js").read_text()
    page.driver.get("about:blank")
    answer = page.driver.execute_async_script("""
        const [source, done] = arguments;
        const location = { origin: "http://localhost", pathname: "/assets/1/sw.js" };
        const caches = { open: () => Promise.reject(new DOMException("full", "QuotaExceededError")) };
        const listen = (name, listener) => {
          if (name !== "fetch") return;
          listener({ request: new Request("http://localhost/assets/1/app.js"), respondWith: (answer) => answer.then((each) => each.text()).then(done, (error) => done(String(error))) });
        };
        new Function("addEventListener", "caches", "location", "fetch", source)(listen, caches, location, async () => new Response("fresh"));""", source)
    assert answer == "fresh"


def test_nothing_is_said_of_a_server_that_cannot_be_asked(page):
    page.open("more")
    page.script("window.fetch = () => Promise.reject(new TypeError('no connection')); location.hash = '#about'")
    page.wait(lambda: page.texts("h1") == ["About"], "the view")
    assert page.texts("dt") == ["Licence of the program"]
