"""The history of scans."""

import io
import json
import struct
import zipfile
import zlib
from datetime import datetime, timezone

import pytest
from photos import DRAWING, needs_photos, photo


def times(page) -> list[str]:
    return page.script("return [...document.querySelectorAll('.scans time')].map((t) => t.dateTime)")


def ids(page) -> list[str]:
    return page.script("return [...document.querySelectorAll('.scan > a')].map((a) => a.hash.split('/')[1])")


def button(page, words: str):
    return page.wait(lambda: page.script(
        "return [...document.querySelectorAll('main button')].find((e) => e.checkVisibility() && e.innerText.trim().startsWith(arguments[0]))", words), words)


def answer_dialog(page, value: str):
    page.wait_for("#confirm[open]")
    page.tap(f"#confirm button[value={value}]")
    page.wait_until_gone("#confirm")


def open_with_scans(page, count: int) -> list[str]:
    """Scans photos and opens the history. Returns the ids, newest first."""
    made = [page.scan(DRAWING)["id"] for _ in range(count)]
    page.open("history")
    page.wait(lambda: len(ids(page)) == min(count, 20), "the scans")
    return made[::-1]


def import_copies(page, *changes: dict, with_photos: bool = False) -> list[str]:
    """Replaces the history by copies of one scan, each changed. Returns their ids."""
    page.scan(DRAWING)
    scan = json.loads(page.fetch("/history/export?format=jsonl")[1])
    picture = page.fetch(f"/history/{scan['id']}/photo")[1]
    page.request("DELETE", "/history")
    if not with_photos:
        del scan["photo"]
    copies = [scan | {"id": f"01M8H{number:021d}"} | change for number, change in enumerate(changes)]
    lines = "\n".join(json.dumps(copy) for copy in copies).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for copy in filter(lambda copy: copy.get("photo"), copies):
            archive.writestr(f"photos/{copy['id']}.jpg", picture)
        archive.writestr("scans/000001.jsonl", lines)
    body, kind = (packed.getvalue(), "application/zip") if with_photos else (lines, "application/x-ndjson")
    assert page.request("POST", "/history/import", body, **{"Content-Type": kind})["imported"] == len(changes)
    return [copy["id"] for copy in copies]


def delete(page, *indexes: int):
    button(page, "Select").click()
    for index in indexes:
        page.tap(".scan input", index)
    button(page, "Delete selected").click()
    answer_dialog(page, "ok")


def test_without_scans_it_says_so_and_leads_to_scanning(page):
    page.open("history")
    assert "No scans yet." in page.text("main")
    assert page.texts("main button") == []
    page.tap("main p a[href='#scan'], main span a[href='#scan']")
    page.wait(lambda: page.texts("h1") == ["Which animal is this?"], "the scan page")


@needs_photos
def test_scan_shows_under_its_date_with_thumbnail_name_and_certainty(page):
    page.scan(photo("cat", "siamese"))
    page.open("history")
    page.wait_for(".scan")
    assert page.texts(".scan strong") == ["Siamese"]
    assert page.text(".scan .quiet").startswith("Very likely\xa0· ") and "%" not in page.text(".scan")
    assert page.text(".scan .badge") == "First!"
    scanned = datetime.fromisoformat(times(page)[0].replace("Z", "+00:00"))
    assert abs((datetime.now(timezone.utc) - scanned).total_seconds()) < 120
    assert str(scanned.astimezone().year) in page.text(".day h2") and ":" in page.text(".scans time")
    page.wait(lambda: page.script("return document.querySelector('.scan img').naturalWidth") > 0, "the thumbnail")
    page.tap(".scan a")
    page.wait(lambda: page.texts("h1") == ["Siamese"] and page.all(".scan-result"), "the result")


@pytest.mark.parametrize("language, name", [("en", "Snow leopard"), ("fi", "Lumileopardi")])
def test_what_a_person_says_it_is_has_its_name_in_the_list(page, language, name):
    scan = page.scan(DRAWING)["id"]
    page.request("PATCH", f"/history/{scan}", json.dumps({"corrected_label": "snow_leopard"}).encode(), **{"Content-Type": "application/json"})
    page.open("history")
    page.select("#language", language)
    page.wait(lambda: page.texts(".scan strong") == [name], "the name")


def test_newest_is_first_and_older_ones_follow_on_demand(page):
    made = open_with_scans(page, 23)
    assert ids(page) == made[:20]
    button(page, "Show more").click()
    page.wait(lambda: ids(page) == made, "the older scans")
    assert times(page) == sorted(times(page), reverse=True)
    assert page.focused().get_attribute("href").endswith(made[20])


def test_back_from_a_result_keeps_the_list_and_the_place(page):
    made = open_with_scans(page, 23)
    button(page, "Show more").click()
    page.wait(lambda: ids(page) == made, "the older scans")
    page.script("scrollTo(0, 700)")
    page.script("document.querySelectorAll('.scan a')[15].click()")
    page.wait_for(".scan-result")
    page.driver.back()
    page.wait(lambda: ids(page) == made, "the same list")
    page.wait(lambda: abs(page.script("return scrollY") - 700) < 5, "the same place")


def test_few_tab_stops(page):
    open_with_scans(page, 20)
    stops = page.script("""
        return [...document.querySelectorAll('main :is(a[href], button, input, select, summary)')]
            .filter((node) => node.checkVisibility()).length;""")
    assert stops <= 20 + 10


def test_cancel_and_escape_keep_the_scans(page):
    made = open_with_scans(page, 2)
    button(page, "Select").click()
    page.tap(".scan input")
    button(page, "Delete selected (1)").click()
    answer_dialog(page, "cancel")
    button(page, "Delete selected (1)").click()
    page.wait_for("#confirm[open]")
    assert page.focused_text() == "Cancel"
    page.press("\ue00c")
    page.wait_until_gone("#confirm")
    assert page.focused_text() == "Delete selected (1)"
    button(page, "Done").click()
    assert ids(page) == made
    assert page.request("GET", "/history")["total"] == 2


def test_deleting_some_leaves_the_others(page):
    made = open_with_scans(page, 4)
    delete(page, 1, 2)
    page.wait(lambda: ids(page) == [made[0], made[3]], "the scans to go")
    assert [scan["id"] for scan in page.request("GET", "/history")["items"]] == [made[0], made[3]]


def test_each_deletion_keeps_its_own_undo_and_the_place(page):
    made = open_with_scans(page, 20)
    page.script("scrollTo(0, 300)")
    delete(page, 7)
    page.wait(lambda: len(ids(page)) == 19, "the first to go")
    delete(page, 10)
    page.wait(lambda: len(ids(page)) == 18, "the second to go")
    place = page.script("return scrollY")
    assert place >= 290, "the list jumped to its top"
    undos = page.all(".notice button:not(.plain)")
    assert len(undos) == 2
    undos[0].click()
    page.wait(lambda: len(ids(page)) == 19 and ids(page)[7] == made[7], "the first to come back to its place")
    page.tap(".notice button:not(.plain)")
    page.wait(lambda: ids(page) == made, "both")
    assert page.script("return scrollY") >= 290
    assert page.request("GET", "/history")["total"] == 20


def test_more_scans_than_fit_into_an_address_are_deleted_and_brought_back(page):
    import_copies(page, *[{}] * 300)
    page.open("history")
    for shown in (20, 120, 220):
        page.wait(lambda shown=shown: len(ids(page)) == shown, "the scans")
        button(page, "Show more").click()
    page.wait(lambda: len(ids(page)) == 300, "all scans")
    button(page, "Select").click()
    button(page, "Select all").click()
    button(page, "Delete selected (300)").click()
    answer_dialog(page, "ok")
    page.wait(lambda: "No scans yet." in page.text("main"), "the empty history")
    assert page.request("GET", "/history")["total"] == 0
    page.tap(".notice button")
    page.wait(lambda: len(ids(page)) == 300, "the scans to come back")
    assert page.request("GET", "/history")["total"] == 300


@pytest.mark.console("503")
def test_what_was_deleted_before_a_failure_can_be_undone(page):
    import_copies(page, *[{}] * 120)
    page.open("history")
    page.wait(lambda: len(ids(page)) == 20, "the scans")
    button(page, "Show more").click()
    page.wait(lambda: len(ids(page)) == 120, "all scans")
    button(page, "Select").click()
    button(page, "Select all").click()
    page.script("""
        const real = window.fetch;
        let count = 0;
        window.fetch = (path, options) => (options?.method === "DELETE" && (count += 1) === 2
          ? Promise.resolve(new Response(null, { status: 503 })) : real(path, options));""")
    button(page, "Delete selected (120)").click()
    answer_dialog(page, "ok")
    assert page.alert().startswith("The server cannot be reached.")
    assert page.text("#toasts p") == "100 scans are deleted."
    page.wait(lambda: len(page.texts(".scan")) == 20, "the rest")
    page.click("Try again")
    page.wait(lambda: "No scans yet." in page.text("main"), "the empty history")
    for left in (1, 0):
        page.tap("#toasts .notice button", -2)
        page.wait(lambda left=left: len(page.texts("#toasts .notice")) == left, "the undo")
    page.wait(lambda: len(ids(page)) == 120, "the scans to come back")
    assert page.request("GET", "/history")["total"] == 120


def test_a_scan_without_a_photo_shows_no_broken_picture(page):
    [scan] = import_copies(page, {"species": "cat", "head": "cats", "abstained": False, "predictions": [{"label": "siamese", "confidence": 0.99}]})
    for address in ("breeds/siamese", "history", f"scan/{scan}"):
        page.open(address)
        page.wait_for("main h1")
        if address.startswith("scan"):
            page.words()
            page.click("Other possibilities")
            page.click("Thai")
            page.wait_for(".pair")
            assert "Share" not in page.script("return document.querySelector('.menu-list').textContent")
        page.driver.execute_async_script("setTimeout(arguments[0], 300)")
        broken = "return [...document.images].filter((each) => each.alt && each.checkVisibility() && !each.naturalWidth).map((each) => each.alt)"
        page.wait(lambda: page.script(broken) == [], f"no broken picture on {address}")


def test_clearing_deletes_all_and_undo_brings_all_back(page):
    made = open_with_scans(page, 22)
    button(page, "Delete all").click()
    answer_dialog(page, "cancel")
    assert len(ids(page)) == 20
    button(page, "Delete all").click()
    answer_dialog(page, "ok")
    page.wait(lambda: "No scans yet." in page.text("main"), "the empty history")
    assert page.texts(".scan") == [] and page.request("GET", "/history")["total"] == 0
    page.tap(".notice button")
    page.wait(lambda: ids(page) == made[:20], "the scans to come back")
    assert page.request("GET", "/history")["total"] == 22


def test_a_search_does_not_offer_to_delete_everything(page):
    open_with_scans(page, 2)
    button(page, "Delete all")
    page.type("input[type=search]", "bird")
    page.wait(lambda: not [each for each in page.texts("main button") if each.startswith("Delete all")], "the button to go")
    page.type("input[type=search]", *["\ue003"] * len("bird"))  # Backspace.
    button(page, "Delete all")


def test_a_search_takes_what_it_does_not_find_out_of_the_selection(page):
    [found, other] = open_with_scans(page, 2)
    page.request("PATCH", f"/history/{found}", json.dumps({"note": "by the lake"}).encode(), **{"Content-Type": "application/json"})
    button(page, "Select").click()
    button(page, "Select all").click()
    button(page, "Delete selected (2)")
    page.type("#filter-q", "lake")
    page.wait(lambda: len(page.texts(".scan")) == 1, "the scan with the note")
    button(page, "Delete selected").click()
    answer_dialog(page, "ok")
    page.wait(lambda: page.texts(".scan") == [], "it to go")
    assert [scan["id"] for scan in page.request("GET", "/history")["items"]] == [other]


def test_deleting_all_that_show_shows_the_next(page):
    made = open_with_scans(page, 21)
    button(page, "Select").click()
    button(page, "Select all").click()
    button(page, "Delete selected (20)").click()
    answer_dialog(page, "ok")
    page.wait(lambda: ids(page) == made[20:], "the last one")


def test_each_box_says_which_scan_it_selects(page):
    open_with_scans(page, 2)
    button(page, "Select").click()
    names = page.script("return [...document.querySelectorAll('.scan input')].map((box) => box.labels[0].innerText)")
    assert len(names) == 2 and all(":" in name and "Drawing of a cat" in name for name in names)


def test_filters_are_in_the_address(page):
    one = page.scan(DRAWING)["id"]
    page.scan(DRAWING)
    page.request("PATCH", f"/history/{one}", json.dumps({"note": "by the lake"}).encode(), **{"Content-Type": "application/json"})
    page.open("history")
    page.tap("main details summary")
    page.type("#filter-q", "lake")
    page.wait(lambda: ids(page) == [one], "the scan with the note")
    assert "q=lake" in page.script("return location.hash")
    page.driver.refresh()
    page.wait(lambda: ids(page) == [one], "the same after a reload")


@pytest.mark.parametrize("day, inside, after", [
    ("2025-10-26", "2025-10-26T21:30:00Z", "2025-10-26T22:00:00Z"), ("2025-03-30", "2025-03-30T20:30:00Z", "2025-03-30T21:00:00Z")])
def test_days_of_25_and_23_hours_are_whole_days(page, day, inside, after):
    (scan, _) = import_copies(page, {"created_at": inside}, {"created_at": after})
    page.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Europe/Helsinki"})
    try:
        page.open(f"history?from={day}&to={day}")
        page.wait(lambda: ids(page) == [scan], "the last scan of the day")
    finally:
        page.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})


def test_an_unsure_scan_is_counted_nowhere_as_met(page):
    siamese = {"head": "cats", "species": "cat", "predictions": [{"label": "siamese", "confidence": 0.95}], "boxes": [],
               "presence": {"cat": 0.99, "dog": 0.005, "other": 0.005}}
    [sure, _] = import_copies(page, siamese | {"abstained": False}, siamese | {"abstained": True}, with_photos=True)
    assert page.request("GET", "/collection?limit=1")["items"][0]["count"] == 1
    page.open(f"scan/{sure}")
    page.words()
    assert page.texts("h1") == ["Siamese"] and page.texts(".met-before") == ["your first one!"]
    page.open("breeds/siamese")
    page.wait_for(".own-photo")
    assert page.texts("#own-photos") == [], "the sure one alone is in the article"


@pytest.mark.console("404")
@pytest.mark.parametrize("top", [0.02, 0.1, 0.13, 0.3])
@pytest.mark.parametrize("height", [0.5, 0.6, 0.75])
def test_no_name_is_cut_off_at_the_edge_of_a_phones_photo(page, top, height):
    height = min(height, 0.98 - top)
    boxes = [{"x": x, "y": top, "width": 0.4, "height": height, "label": "dog", "confidence": 0.9,
              "predictions": [{"label": "beagle", "confidence": 0.95}]} for x in (0.05, 0.55)]
    [scan] = import_copies(page, {"boxes": boxes, "image": {"width": 480, "height": 300, "format": "jpeg", "orientation": 1, "sha256": "0" * 64}})
    page.appear(390, phone=True, height=844)
    page.open(f"scan/{scan}")
    page.words()
    photo, labels = page.script("""
        const room = (node) => node.getBoundingClientRect().toJSON();
        return [room(document.querySelector(".photo")), [...document.querySelectorAll(".box-label")].map(room)];""")
    assert len(labels) == 2
    assert [each for each in labels if each["top"] < photo["top"] or each["bottom"] > photo["bottom"]] == []


def test_more_than_a_hundred_kinds_are_all_met(page):
    labels = [each["id"] for species in ("cat", "dog") for each in page.request("GET", f"/breeds?limit=60&species={species}")["items"]]
    import_copies(page, *[{
        "predictions": [{"label": label, "confidence": 0.9}], "created_at": f"2026-10-01T{number // 60:02}:{number % 60:02}:00Z",
    } for number, label in enumerate(labels)])
    assert page.request("GET", "/collection?limit=1")["total"] == len(labels) == 120
    page.open("history")
    button(page, "Show more").click()
    page.wait(lambda: len(ids(page)) == 120, "the scans")
    assert len(page.texts(".scan .badge")) == 120


def test_a_search_of_several_pages_lists_and_counts_each_scan_once(page):
    # The note finds the oldest scan on the first page, its label finds it on the second.
    made = import_copies(page, *({"created_at": f"2025-01-01T00:{minute // 60:02d}:{minute % 60:02d}Z", "label": "moose", "predictions": [
        {"label": "moose", "confidence": 1}], "note": None if minute else "moose"} for minute in range(130)))
    page.open("history?q=moose")
    page.wait(lambda: page.texts(".count") == ["130 scans"], "the count")
    button(page, "Show more").click()
    page.wait(lambda: not [each for each in page.all(".more button") if each.is_displayed()], "the last page")
    assert sorted(ids(page)) == sorted(made) and page.texts(".count") == ["130 scans"]


@needs_photos
def test_one_field_finds_breed_kind_name_and_note(page):
    siamese = page.scan(photo("cat", "siamese"))["id"]
    beagle = page.scan(photo("dog", "beagle"))["id"]
    page.request("PATCH", f"/history/{siamese}", json.dumps({"individual": "Misse"}).encode(), **{"Content-Type": "application/json"})
    page.request("PATCH", f"/history/{beagle}", json.dumps({"note": "By the Lake"}).encode(), **{"Content-Type": "application/json"})
    page.open("history")
    for words, found in (("siamese", siamese), ("siamise", siamese), ("misse", siamese), ("lake", beagle), ("dogs", beagle), ("koira", beagle), ("cat", siamese)):
        page.clear("#filter-q")
        page.type("#filter-q", words)
        page.wait(lambda found=found: ids(page) == [found], words)
    page.wait(lambda: "q=cat" in page.script("return location.hash"), "the address")
    assert page.texts(".count") == ["1 scan"]
    page.select("#language", "fi")
    page.wait(lambda: page.texts("h1") == ["Eläimeni"] and page.texts(".scan"), "the Finnish history")
    for words, found in (("siamilainen", siamese), ("koira", beagle), ("kissat", siamese), ("dog", beagle)):
        page.clear("#filter-q")
        page.type("#filter-q", words)
        page.wait(lambda found=found: ids(page) == [found], words)


def test_a_selection_is_taken_out(page):
    made = open_with_scans(page, 3)
    page.script("""
        window.saved = [];
        URL.createObjectURL = (file) => window.saved.push(file) && "#";
        HTMLAnchorElement.prototype.click = () => {};""")
    button(page, "Select").click()
    page.tap(".scan input", 1)
    button(page, "Export selected").click()
    page.wait(lambda: page.script("return window.saved.length") == 1, "the file")
    lines = page.driver.execute_async_script("window.saved[0].text().then(arguments[0])").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [made[1]]
    [asked] = [url for url in page.requests() if "/history/export" in url]
    assert len(page.fetch(asked.removeprefix(page.url))[1].splitlines()) == 1, "the others are not fetched"


@needs_photos
def test_the_album_turns_outlines_into_own_photos(page):
    page.scan(photo("cat", "siamese"))
    page.open("history?show=met")
    total = page.request("GET", "/breeds?limit=1")["total"]
    page.wait(lambda: len(page.all(".album li")) == total, "all there is to meet")
    assert page.text(".album .met").startswith("Siamese")
    page.wait(lambda: page.script("return document.querySelector('.album .met img')?.naturalWidth > 0"), "the own photo")
    assert len(page.all(".album .met")) == 1
    assert f"Collected 1 of {total}" in page.texts(".segments a")
    assert page.texts(".album-progress")[0] == "Collected 1 of 64"


@needs_photos
def test_what_is_unsure_is_named_with_one_touch(page):
    scan = page.scan(photo("cat", "cat_unspecified", 1))
    assert scan["abstained"]
    page.open("history?show=check")
    page.wait(lambda: len(page.texts(".candidates button")) >= 2, "candidates")
    first = page.texts(".candidates button")[0]
    assert page.texts(".candidates button")[-1] == "Something else"
    # A person may know no more than the service.
    assert page.texts(".candidates button")[-2] == "A cat"
    named = len(page.texts(".candidates button")) - 2
    page.script("document.querySelector('.candidates').scrollIntoView({block: 'center'})")
    page.wait(lambda: len(page.all(".candidates .portrait > *")) == named, "a photo or a drawing of each")
    page.tap(".candidates button")
    page.wait(lambda: not ids(page), "the list without it")
    assert page.request("GET", f"/history/{scan['id']}")["corrected_name"] == first
    page.tap("#toasts button")
    page.wait(lambda: ids(page) == [scan["id"]], "the scan again")
    page.click("A cat")
    page.wait(lambda: not ids(page), "the list without it")
    corrected = page.request("GET", f"/history/{scan['id']}")
    assert (corrected["corrected_label"], corrected["corrected_name"]) == ("cat", "Cat")


@needs_photos
def test_a_photo_that_is_to_be_checked_shows_nobody_what_an_animal_looks_like(page):
    for _ in range(2):
        assert page.scan(photo("cat", "cat_unspecified", 1))["abstained"]
    page.appear(1280, height=1600)
    page.open("history?show=check")
    named = page.wait(lambda: len(page.all(".candidates .portrait")), "candidates")
    page.wait(lambda: len(page.all(".candidates .portrait > svg")) == named, "a drawing of each")


def test_what_is_unsure_is_to_be_checked(page, tmp_path):
    grey = tmp_path / "grey.png"
    rows = b"".join(b"\0" + b"\x80" * 96 for _ in range(96))
    chunks = ((b"IHDR", struct.pack(">IIBBBBB", 96, 96, 8, 0, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    grey.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks))
    scan = page.scan(grey)
    assert scan["abstained"]
    page.open("history?show=check")
    page.wait(lambda: ids(page) == [scan["id"]], "the unsure scan")


def test_favourites_are_marked_in_an_article_and_listed(page):
    page.open("breeds/siamese")
    page.tap(".favourite")
    assert page.text("#toasts .notice p") == "Added to the favourites."
    page.wait_until_gone("#toasts .notice")
    page.wait(lambda: page.find(".favourite").get_attribute("aria-pressed") == "true", "the mark")
    page.open("history?show=favourites")
    page.wait(lambda: page.texts(".cards h2") == ["Siamese"], "the favourite")
    page.request("DELETE", "/breeds/siamese/favourite")


def test_more_than_a_hundred_favourites_are_listed_and_marked_in_their_articles(page):
    favourites = [each["id"] for species in ("cat", "dog") for each in page.request("GET", f"/breeds?limit=60&species={species}")["items"]][:110]
    for each in favourites:
        page.request("PUT", f"/breeds/{each}/favourite")
    try:
        page.open(f"breeds/{favourites[0]}")
        assert page.find(".favourite").get_attribute("aria-pressed") == "true", "the oldest one"
        page.open("history?show=favourites")
        page.wait(lambda: len(page.all(".cards h2")) == 100, "the newest ones")
        button(page, "Show more").click()
        page.wait(lambda: len(page.all(".cards h2")) == 110, "all")
    finally:
        for each in favourites:
            page.request("DELETE", f"/breeds/{each}/favourite")


@needs_photos
def test_back_shows_what_has_changed_meanwhile(page):
    gone, renamed = page.scan(DRAWING)["id"], page.scan(photo("cat", "siamese"))["id"]
    page.open("history")
    page.wait(lambda: ids(page) == [renamed, gone], "the scans")
    page.tap(".scan a")
    page.wait_for(".scan-result")
    page.request("PATCH", f"/history/{renamed}", json.dumps({"individual": "Misse"}).encode(), **{"Content-Type": "application/json"})
    page.request("DELETE", f"/history/{gone}")
    page.driver.back()
    page.wait(lambda: ids(page) == [renamed] and page.texts(".scan strong") == ["Misse"], "what is there now")
    assert page.texts(".count") == ["1 scan"]


def test_a_message_about_a_deletion_covers_no_scan_for_good(page):
    for _ in range(9):
        page.request("POST", "/classify", DRAWING.read_bytes(), **{"Content-Type": "image/jpeg"})
    page.appear(320, phone=True, height=568)
    page.remember("language", "fi")
    page.open("history")
    for count in range(1, 4):
        page.tap(".bar .actions button")
        page.tap(".scans label")
        page.tap(".bar .danger")
        page.confirm()
        page.wait(lambda count=count: len(page.all("#toasts .notice")) == count, "the message")
    page.script("scrollTo(0, document.documentElement.scrollHeight)")
    # The newest notice covers the earlier ones.
    assert len(page.texts("#toasts .notice")) == 1
    assert page.script("return document.getElementById('toasts').getBoundingClientRect().height") < 110
    ends = page.script("""
        const end = (node) => node.getBoundingClientRect();
        return [end([...document.querySelectorAll(".scans .scan")].at(-1)).bottom, end(document.getElementById("toasts")).top,
          end(document.getElementById("toasts")).bottom, end(document.querySelector(".tabs")).top];""")
    assert ends == sorted(ends), f"the last scan, the messages, the tabs: {ends}"
    for count in range(7, 10):
        page.click("Kumoa", within="#toasts")
        page.wait(lambda count=count: len(ids(page)) == count, "each deletion to be taken back, the newest first")
    assert page.all("#toasts .notice") == []


# Export, import and deletion

def test_a_selection_is_saved_by_the_browser_and_can_be_taken_in_again(page, tmp_path):
    made = open_with_scans(page, 3)
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    button(page, "Select").click()
    page.tap(".scan input", 0)
    page.tap(".scan input", 2)
    button(page, "Export selected").click()
    saved = tmp_path / "menagerie.jsonl"
    page.wait(saved.exists, "the file")
    assert {json.loads(line)["id"] for line in saved.read_text().splitlines()} == {made[0], made[2]}
    page.request("DELETE", "/history")
    page.open("storage")
    page.type("#import", str(saved))
    page.wait(lambda: page.text(".import .progress") == "2 imported.", "the report")
    assert {each["id"] for each in page.request("GET", "/history")["items"]} == {made[0], made[2]}


def test_everything_is_saved_deleted_and_brought_back(page, tmp_path):
    made = open_with_scans(page, 3)
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.go("more")
    page.tap(".doors a[href='#storage']")
    page.click("All as ZIP")
    saved = page.wait(lambda: list(tmp_path.glob("*.zip")), "the file")
    with zipfile.ZipFile(*saved) as archive:
        assert len([name for name in archive.namelist() if name.endswith((".jpg", ".jpeg"))]) >= 3
    page.click("Delete all scans")
    answer_dialog(page, "cancel")
    assert page.request("GET", "/history")["total"] == 3
    page.click("Delete all scans")
    answer_dialog(page, "ok")
    page.wait(lambda: page.text("main .lead") == "0 scans", "the count")
    assert page.request("GET", "/history")["total"] == 0
    assert not page.find("main button.danger").is_enabled(), "nothing is left to delete"
    page.click("Undo", within="#toasts")
    page.wait(lambda: page.text("main .lead") == "3 scans", "the count again")
    assert [each["id"] for each in page.request("GET", "/history")["items"]] == made



@pytest.mark.parametrize("format", ["zip", "csv", "jsonl"])
def test_export_is_a_link_that_works(page, format):
    page.scan(DRAWING)
    page.open("storage")
    link = page.find(f"a[href*='format={format}']")
    assert link.get_attribute("download") == f"menagerie.{format}"
    size = page.driver.execute_async_script(
        "fetch(arguments[0]).then((a) => a.ok ? a.blob() : null).then((b) => arguments[1](b?.size ?? 0))", link.get_attribute("href"))
    assert size > 100


def test_import_takes_an_export_in_and_says_what_came(page, tmp_path):
    import urllib.request
    scan = page.scan(DRAWING)["id"]
    with urllib.request.urlopen(f"{page.url}/history/export?format=zip") as answer:
        (tmp_path / "history.zip").write_bytes(answer.read())
    page.request("DELETE", "/history")
    page.open("storage")
    page.type("#import", str(tmp_path / "history.zip"))
    page.wait(lambda: page.text(".import .progress") == "1 imported.", "the report")
    page.wait(lambda: page.text("main .lead") == "1 scan", "the count")
    page.type("#import", str(tmp_path / "history.zip"))
    page.wait(lambda: page.text(".import .progress") == "0 imported and 1 was there already.", "what is known already")
    page.open("history")
    page.wait(lambda: ids(page) == [scan], "the scan")


@pytest.mark.console("4\\d\\d")
def test_what_is_wrong_with_an_import_is_named_line_by_line(page, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "x"}\nno JSON\n')
    page.open("storage")
    page.type("#import", str(tmp_path / "a.jsonl"))
    assert page.alert() == "None of the scans could be imported."
    page.tap(".import details summary")
    assert page.texts(".import li") == ["Line 1: “id” has a value that cannot be used.", "Line 2: this is not a scan."]
    page.select("#language", "fi")
    page.wait(lambda: "Tuo" in page.texts("h2"), "the Finnish view")
    page.type("#import", str(tmp_path / "a.jsonl"))
    page.wait_for(".import details summary")
    page.tap(".import details summary")
    assert page.texts(".import li") == ["Rivi 1: kohdan ”id” arvo ei kelpaa.", "Rivi 2: tämä ei ole tunnistus."]


@pytest.mark.console("4\\d\\d")
def test_import_of_something_else_is_refused_in_words(page, tmp_path):
    (tmp_path / "a.zip").write_text("no archive")
    page.open("storage")
    page.type("#import", str(tmp_path / "a.zip"))
    assert len(page.alert()) > 10


def test_a_date_in_the_address_that_is_none_is_left_out(page):
    page.scan(DRAWING)
    page.open("history?from=nonsense&to=20266-01-01")
    page.wait(lambda: len(ids(page)) == 1, "the scan")
    assert page.texts("[role=alert]") == []


def test_the_focus_stays_in_the_page_when_nothing_is_left(page):
    open_with_scans(page, 1)
    delete(page, 0)
    page.wait(lambda: "No scans yet." in page.text("main"), "the empty history")
    page.wait(lambda: page.focused().get_attribute("id") == "main", "the focus")
