"""The size of the page, and the number of its requests."""

import json
import subprocess

import pytest

from photos import DRAWING


def traffic(page) -> list[dict]:
    """The transfers since the last reading of the log: address and bytes."""
    sizes, addresses = {}, {}
    for entry in page.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        params = message["params"]
        if message["method"] == "Network.responseReceived":
            addresses[params["requestId"]] = params["response"]["url"]
        if message["method"] == "Network.loadingFinished":
            sizes[params["requestId"]] = params["encodedDataLength"]
    return [{"url": url, "bytes": sizes.get(request, 0)} for request, url in addresses.items() if url.startswith(page.url)]


def forget(page):
    page.driver.get("about:blank")
    page.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    page.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": page.url, "storageTypes": "all"})
    page.driver.get_log("performance")


def test_first_view_weighs_at_most_60_kilobytes(page):
    forget(page)
    page.open()
    page.wait_for(".drop button")
    page.wait(lambda: page.script("return [...document.images].every((each) => each.complete)"), "the pictures")
    came = traffic(page)
    # The sample photos do not count. They are larger than the page, which loads them after everything else.
    came = [each for each in came if not each["url"].endswith((".png", ".webp"))]
    assert sum(each["bytes"] for each in came) <= 60_000, came


def test_every_module_of_the_first_view_is_asked_for_at_once_and_no_other(page):
    forget(page)
    page.open()
    page.wait_for(".drop button")
    loaded, named = page.script("""
        const folder = /assets\\/[^/]+\\//, name = (address) => new URL(address, location).pathname.replace(folder, "");
        return [performance.getEntriesByType("resource").map((each) => name(each.name)).filter((each) => each.endsWith(".js")),
          [...document.querySelectorAll("link[rel=modulepreload], script[src]")].map((each) => name(each.href ?? each.src))];""")
    # The HTML does not name the file of the language, since only the page knows the language. A script requests it.
    assert sorted(set(loaded) - {"/languages/en.js", "/sw.js"}) == sorted(named)
    assert len(named) == len(set(named))


def test_the_page_opens_without_a_connection_and_says_what_is_missing(page):
    forget(page)
    page.open()
    page.wait(lambda: page.driver.execute_async_script(
        "navigator.serviceWorker.ready.then(() => arguments[0](!!navigator.serviceWorker.controller))"), "the worker")
    page.open("more")
    page.open()
    offline = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline)
    try:
        page.open()
        assert page.text("h1") == "Which animal is this?"
        page.go("history")
        assert page.alert().startswith("The server cannot be reached.")
    finally:
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", offline | {"offline": False})
    page.console()


def test_it_can_be_installed(page):
    page.open()
    manifest = page.request("GET", "/manifest.webmanifest")
    assert manifest["display"] == "standalone"
    for icon in manifest["icons"]:
        size = page.driver.execute_async_script("""
            const done = arguments[1];
            const image = new Image();
            image.onload = () => done(`${image.naturalWidth}x${image.naturalHeight}`);
            image.onerror = () => done("");
            image.src = arguments[0];""", f"/{icon['src']}")
        assert icon["sizes"] in ("any", size)


@pytest.mark.parametrize(("effective_type", "width"), [("3g", 2048), ("4g", 4000)])
def test_a_large_photo_becomes_smaller_where_the_connection_is_slow(page, tmp_path, effective_type, width):
    large = tmp_path / "large.jpg"
    subprocess.run(["ffmpeg", "-v", "error", "-i", DRAWING, "-vf", "scale=4000:3000,noise=alls=40", "-q:v", "4", large], check=True)
    assert large.stat().st_size > 1_500_000
    page.open()
    page.script("Object.defineProperty(navigator, 'connection', {value: {effectiveType: arguments[0], downlink: 10}})", effective_type)
    page.choose(large)
    scan = page.result().split("/")[1]
    image = page.request("GET", f"/history/{scan}")["image"]
    assert image["width"] == width
    assert image.get("original") == ({"width": 4000, "height": 3000} if width == 2048 else None)
    page.tap(".figures summary")
    assert ("The photo was 4,000 × 3,000 pixels." in page.text(".figures")) == (width == 2048)
