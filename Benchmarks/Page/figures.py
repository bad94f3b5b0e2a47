"""Measures the speed of the page in Chromium with the built service: Benchmarks/Page/run [FIGURE…].

FIGURE: first, warm, live, memory, scroll. The default is all of them. Exits with 1 if a goal is missed.
"""

import json
import os
import re
import statistics
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PACKAGE / "Tests/Browser"))

from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

import films  # noqa: E402
from conftest import start_browser  # noqa: E402
from page import Page  # noqa: E402
from photos import kinds_of_photos  # noqa: E402
from server import Server  # noqa: E402
from test_weight import traffic  # noqa: E402

ROUNDS = 5
# The slow networks, in bits per second.
SLOW = {"1.6 Mbit/s": 1_600_000, "400 kbit/s": 400_000}
SCANS = 1000
LIVE_SECONDS = 10
# For the page's memory: the number of photos that are scanned one after the other, and how long the camera runs.
ROW = int(os.environ.get("ROW", "300"))
WATCHED_SECONDS = int(os.environ.get("WATCHED_SECONDS", "180"))
MEGABYTE = 1 << 20

# The time at which the first view is usable, in milliseconds of the visit.
READY = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("main .drop button")) return;
  observer.disconnect();
  window.readyAt = performance.now();
}).observe(document, {childList: true, subtree: true});
"""
# The pauses between frames and the tasks longer than 50 ms while the page scrolls from one end to the other.
SCROLL = """
const [speed, done] = arguments, gaps = [], tasks = [];
const observer = new PerformanceObserver((list) => list.getEntries().forEach(({duration}) => tasks.push(duration)));
observer.observe({entryTypes: ["longtask"]});
scrollTo(0, 0);
let last = null;
const start = performance.now() + 300;
const step = (now) => {
  if (last !== null && now > start) gaps.push(now - last);
  last = now;
  const place = Math.max(0, (now - start) / 1000 * speed);
  scrollTo(0, place);
  if (place < document.documentElement.scrollHeight - innerHeight) return requestAnimationFrame(step);
  setTimeout(() => {
    observer.disconnect();
    done({gaps, tasks, height: document.documentElement.scrollHeight});
  }, 200);
};
requestAnimationFrame(step);
"""
# The shown frames of the video, and the page's frames, for this many seconds.
SHOWN = """
const [seconds, done] = arguments, video = document.querySelector(".stage video");
let shown = 0, drawn = 0, isOver = false;
const note = () => { shown += 1; if (!isOver) video.requestVideoFrameCallback(note); };
const draw = () => { drawn += 1; if (!isOver) requestAnimationFrame(draw); };
video.requestVideoFrameCallback(note);
requestAnimationFrame(draw);
setTimeout(() => { isOver = true; done([shown / seconds, drawn / seconds]); }, seconds * 1000);
"""

missed = []


def told(what: str, value: str, goal: str, is_met: bool):
    print(f"| {what} | {value} | {goal} | {'yes' if is_met else 'NO'} |", flush=True)
    if not is_met:
        missed.append(what)


def first(server: Server):
    """First visits over slow networks, each in a new browser."""
    for name, speed in SLOW.items():
        visits(server, name, speed / 8)


def visits(server: Server, name: str, bytes_per_second: float):
    paints, ready, weights = [], [], []
    for _ in range(ROUNDS):
        driver = start_browser()
        try:
            page = Page(driver, server.url)
            driver.execute_cdp_cmd("Network.enable", {})
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": READY})
            driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
                "offline": False, "latency": 150, "downloadThroughput": bytes_per_second, "uploadThroughput": bytes_per_second})
            driver.get(f"{server.url}/")
            page.wait(lambda: page.script("return window.readyAt"), "the view")
            paints.append(page.script("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            ready.append(page.script("return window.readyAt"))
            page.wait(lambda: page.script("return [...document.images].every((each) => each.complete)"), "the pictures")
            weights.append(sum(each["bytes"] for each in traffic(page)))
        finally:
            driver.quit()
    told(f"first paint at 150 ms and {name}", f"{statistics.median(paints):.0f} ms ({min(paints):.0f}–{max(paints):.0f})", "≤ 500 ms",
         statistics.median(paints) <= 500)
    told(f"first view can be used at {name}", f"{statistics.median(ready):.0f} ms ({min(ready):.0f}–{max(ready):.0f})", "–", True)
    told("first view over the wire, all of it", f"{max(weights):,} bytes", "≤ 60,000", max(weights) <= 60_000)


def answered(server: Server) -> int:
    """The number of requests that the service has answered, without those for its metrics."""
    with urllib.request.urlopen(f"{server.url}/metrics") as response:
        lines = response.read().decode().splitlines()
    return sum(int(float(line.split()[-1])) for line in lines
               if line.startswith("menagerie_http_requests_total{") and 'route="/metrics"' not in line)


def warm(server: Server):
    """Later visits. The service counts the requests, so that those from the browser's caches do not count."""
    driver = start_browser()
    try:
        page = Page(driver, server.url)
        for _ in range(3):
            page.open()
            page.wait_for(".drop button")
            page.driver.execute_async_script("navigator.serviceWorker.ready.then(() => setTimeout(arguments[0], 1500))")
        before = answered(server)
        page.open()
        page.wait_for(".drop button")
        page.driver.execute_async_script("setTimeout(arguments[0], 3000)")
        count = answered(server) - before
    finally:
        driver.quit()
    told("requests of a warm visit", str(count), "≤ 2", count <= 2)


def watch(page: Page):
    """Waits until the camera, which starts by itself, has its first answer."""
    page.wait(lambda: page.texts(".live.on .rate") not in ([], [""]), "an answer")


def live(server: Server):
    with tempfile.TemporaryDirectory() as folder:
        driver = start_browser("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
                               f"--use-file-for-fake-video-capture={films.passing_bus(Path(folder), 30)}")
        try:
            page = Page(driver, server.url)
            page.open("live")
            watch(page)
            driver.set_script_timeout(60)
            shown, drawn = driver.execute_async_script(SHOWN, LIVE_SECONDS)
            answers = int(re.match(r"\d+", page.text(".rate"))[0])
        finally:
            driver.quit()
    told("live view, frames shown with overlay", f"{shown:.1f}/s ({answers} answers/s, page drawn {drawn:.0f}/s)", "≥ 25/s", shown >= 25)


def held(driver) -> tuple[float, int]:
    """The megabytes of the page's heap after garbage collection, and the number of nodes."""
    driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
    metrics = {each["name"]: each["value"] for each in driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]}
    return metrics["JSHeapUsedSize"] / MEGABYTE, int(metrics["Nodes"])


def memory(server: Server):
    """The page's memory after many photos, and while the camera runs."""
    with tempfile.TemporaryDirectory() as folder:
        driver = start_browser("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
                               f"--use-file-for-fake-video-capture={films.passing_bus(Path(folder), 30)}")
        try:
            driver.execute_cdp_cmd("Performance.enable", {})
            page = Page(driver, server.url)
            kinds = [each for each in kinds_of_photos(Path(folder)).values() if each.suffix in (".jpg", ".avif") and each.name != "large.jpg"]
            steps = []
            page.open()
            for count in (ROW // 3, ROW // 3, ROW // 3):
                page.choose(*(kinds[index % len(kinds)] for index in range(count)))
                WebDriverWait(driver, 1200, 0.5).until(lambda _: page.texts(".tray[aria-busy=false] .tray-summary"))
                page.wait(lambda: not page.texts(".tray[aria-busy=true]"), "the last one")
                height = page.script("return document.documentElement.scrollHeight")
                steps.append((*held(driver), height))
            heaps = [heap for heap, _, _ in steps]
            told(f"heap after {ROW // 3}, {2 * (ROW // 3)}, {ROW} photos", ", ".join(f"{heap:.1f}" for heap in heaps)
                 + f" MB (nodes {', '.join(str(nodes) for _, nodes, _ in steps)}; page {steps[-1][2]:,} px high)", "+2 MB at most", heaps[-1] <= heaps[0] + 2)
            page.open("live")
            watch(page)
            heaps = []
            for _ in range(7):
                heaps.append(held(driver)[0])
                time.sleep(WATCHED_SECONDS / 6)
                # The driver keeps every message of the socket until it is fetched.
                driver.get_log("performance")
            told(f"heap over {WATCHED_SECONDS} s of live", ", ".join(f"{heap:.1f}" for heap in heaps) + " MB", "+2 MB at most", heaps[-1] <= heaps[1] + 2)
        finally:
            driver.quit()


def own_seconds(driver) -> float:
    """The seconds that the page's thread has worked so far."""
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def scroll(server: Server):
    driver = start_browser()
    try:
        driver.set_script_timeout(120)
        page = Page(driver, server.url)
        page.open()
        with tempfile.TemporaryDirectory() as folder:
            photos = list(kinds_of_photos(Path(folder)).values())
            with ThreadPoolExecutor(4) as pool:
                list(pool.map(page.scan, (photos[index % len(photos)] for index in range(SCANS))))
        page.open("history")
        for _ in range(SCANS):
            count = len(page.all(".scan"))
            if not page.script("const more = document.querySelector('.more button'); if (more.hidden) return false; more.click(); return true;"):
                break
            page.wait(lambda count=count: page.script("return document.querySelectorAll('.scan').length") > count, "more")
        assert page.script("return document.querySelectorAll('.scan').length") == SCANS
        # The browser counts the processor time of the page's thread, so other work on the machine does not matter.
        driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        for speed in (2000, 6000):
            before = own_seconds(driver)
            seen = driver.execute_async_script(SCROLL, speed)
            own = (own_seconds(driver) - before) * 1000 / len(seen["gaps"])
            gaps = sorted(seen["gaps"])
            slow = [gap for gap in gaps if gap > 50]
            told(f"1,000 scans scrolled at {speed:,} px/s", f"{len(slow)} of {len(gaps)} frames over 50 ms, longest {gaps[-1]:.0f} ms, p99 "
                 f"{gaps[int(len(gaps) * 0.99)]:.0f} ms, {len(seen['tasks'])} long tasks", "none over 50 ms", not slow and not seen["tasks"])
            told(f"the same, the page's own work for a frame at {speed:,} px/s", f"{own:.1f} ms", "≤ 8 ms", own <= 8)
    finally:
        driver.quit()


def main(wanted: list[str]):
    print(f"load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n\n| figure | measured | goal | met |\n|---|---|---|---|")
    for figure in (first, warm, live, memory, scroll):
        if not wanted or figure.__name__ in wanted:
            server = Server()
            try:
                figure(server)
            finally:
                server.stop()
    print(f"\nload average after: {os.getloadavg()[0]:.1f}" + (f"; missed: {json.dumps(missed)}" if missed else ""))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
