"""One server and one browser for all tests of a process. Each test starts with an empty history and a page without stored data."""

import os
import re
import shutil

import pytest
from selenium import webdriver

import films
from page import Page
from server import Server


@pytest.fixture(scope="session")
def server():
    server = Server()
    yield server
    server.stop()


def start_browser(*arguments: str, asks: bool = False) -> webdriver.Chrome:
    """Starts Chromium. Its shell without windows takes two thirds of the work, but cannot ask a person for a permission."""
    # Debian's command in the path stays in between, and the driver would end that alone.
    shell = [] if asks else ["/usr/lib/chromium/chromium-headless-shell"]
    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, [*shell, "chromium", "google-chrome"])), "")
    for argument in ("--headless=new", "--lang=en-GB", "--window-size=1280,900", "--disable-dev-shm-usage", "--disable-gpu", *arguments):
        options.add_argument(argument)
    # A page that is loaded again keeps its process, which halves the work: no page waits in memory for the way back.
    options.add_argument("--disable-features=BackForwardCache,SpareRendererForSitePerProcess")
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium does not run as root inside its sandbox.
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    options.add_experimental_option("perfLoggingPrefs", {"enablePage": False})  # Only the network's events are read.
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.set_page_load_timeout(60)
    return driver


@pytest.fixture(scope="session")
def driver():
    driver = start_browser()
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def camera_driver(tmp_path_factory):
    """A second browser with a film as its camera and without a microphone."""
    driver = start_browser(
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        f"--use-file-for-fake-video-capture={films.passing_bus(tmp_path_factory.mktemp('films'))}")
    yield driver
    driver.quit()


def visit(request, server, driver):
    page = Page(driver, server.url)
    page.appear()
    page.request("DELETE", "/history")
    driver.get("about:blank")
    driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": server.url, "storageTypes": "local_storage,indexeddb"})
    page.console(), page.requests()
    page.asked.clear()
    yield page
    allowed = [mark.args[0] for mark in request.node.iter_markers("console")]
    unexpected = [message for message in page.console() if not any(re.search(each, message) for each in allowed)]
    assert unexpected == [], "the console shows errors"
    assert page.foreign_requests() == [], "the page asked another host"


@pytest.fixture
def page(request, server, driver):
    yield from visit(request, server, driver)


@pytest.fixture
def camera_page(request, server, camera_driver):
    yield from visit(request, server, camera_driver)
