"""Only the page's own scripts run, and no data leaves the machine."""

import re

import pytest

from photos import DRAWING


def test_a_visit_to_every_page_asks_no_other_host(page):
    page.open()
    page.choose(DRAWING)
    page.answers()
    page.go("breeds")
    page.wait_for(".cards li")
    page.open("breeds/siamese")
    page.wait_for("article")
    page.go("history")
    page.wait_for(".scan img")
    for address in ("more", "models/menagerie", "storage", "about", "privacy"):
        page.open(address)
    own = [url for url in page.requests() if url.startswith(page.url)]
    assert any("/classify" in url for url in own) and any("/thumbnail" in url for url in own)
    # After every test the fixture checks that the page contacted no other host and that the console is empty.


@pytest.mark.console("Content Security Policy")
def test_inline_script_does_not_run(page):
    page.open()
    page.script("""
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend", "<img src='x:' onerror='window.ran = true'>");""")
    page.wait(lambda: any("Content Security Policy" in message for message in page.console()), "the refusal")
    assert page.script("return window.ran") is None


@pytest.mark.console("Content Security Policy|Fetch API cannot load|Refused to connect")
def test_other_hosts_cannot_be_asked(page):
    page.open()
    refused = page.driver.execute_async_script("""
        const done = arguments[0];
        addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective));
        fetch("http://127.0.0.2:9/").catch(() => {});""")
    assert refused == "connect-src"
    page.requests()
    page.asked.clear()


def test_page_names_no_other_host_in_its_sources(page):
    page.open()
    files = page.script("""
        return Promise.all(performance.getEntriesByType("resource").map((entry) => entry.name)
            .filter((name) => /\\.(js|css)$/.test(name)).map((name) => fetch(name).then((answer) => answer.text())));""")
    assert len(files) >= 8
    named = {address for text in files for address in re.findall(r"https?://[^\s\"'`]+", text)}
    # www.w3.org is only part of the name of SVG's namespace, and localhost is this machine.
    assert {address for address in named if "www.w3.org" not in address and "//localhost" not in address} == set()
