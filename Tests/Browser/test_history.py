"""What was scanned before."""

from datetime import datetime, timezone

from photos import DRAWING, needs_photos, photo


def times(page) -> list[str]:
    return page.script("return [...document.querySelectorAll('time')].map((t) => t.dateTime)")


def ids(page) -> list[str]:
    return page.script("return [...document.querySelectorAll('.scan > a')].map((a) => a.pathname.split('/')[2])")


def answer_dialog(page, value: str):
    page.wait_for("#confirm[open]")
    page.find(f"#confirm button[value={value}]").click()
    page.wait_until_gone("#confirm")


def open_with_scans(page, count: int) -> list[str]:
    """Scans and opens the history; the ids, newest first."""
    made = [page.scan(DRAWING)["id"] for _ in range(count)]
    page.open("history")
    page.wait(lambda: len(ids(page)) == min(count, 20), "the scans")
    return made[::-1]


def test_without_scans_it_says_so_and_leads_to_scanning(page):
    page.open("history")
    assert "No scans yet." in page.text("main")
    assert page.texts("main button") == []
    page.find("main a[href='#scan']").click()
    page.wait(lambda: page.texts("h1") == ["Which animal is this?"], "the scan page")


def test_scan_shows_with_time_thumbnail_and_its_three_answers(page):
    page.open()
    page.choose(DRAWING)
    answers = page.answers()
    page.go("history")
    page.wait_for(".scan")
    assert [tuple(row.split("\n")) for row in page.texts(".scan ol li")] == answers
    scanned = datetime.fromisoformat(times(page)[0].replace("Z", "+00:00"))
    assert abs((datetime.now(timezone.utc) - scanned).total_seconds()) < 120
    assert str(scanned.astimezone().year) in page.text("time") and ":" in page.text("time")
    page.wait(lambda: page.script("return document.querySelector('.scan img').naturalWidth") > 0, "the thumbnail")


@needs_photos
def test_answers_link_to_their_articles(page):
    page.scan(photo("cat", "siamese"))
    page.open("history")
    page.wait_for(".scan ol a").click()
    page.wait(lambda: page.texts("h1") == ["Siamese"], "the article")


def test_newest_is_first_and_older_ones_follow_on_demand(page):
    made = open_with_scans(page, 23)
    assert ids(page) == made[:20]
    page.find("main .actions button:not(.danger)").click()
    page.wait(lambda: ids(page) == made, "the older scans")
    assert times(page) == sorted(times(page), reverse=True)
    assert page.texts("main .actions button") == ["Delete all scans"]


def test_cancel_and_escape_keep_the_scan(page):
    made = open_with_scans(page, 2)
    page.find(".scan button").click()
    answer_dialog(page, "cancel")
    page.find(".scan button").click()
    page.wait_for("#confirm[open]")
    assert page.focused_text() == "Cancel"
    page.press("\ue00c")
    page.wait_until_gone("#confirm")
    assert page.focused() == page.find(".scan button")
    assert ids(page) == made
    assert page.request("GET", "/history")["total"] == 2


def test_deleting_one_leaves_the_others(page):
    made = open_with_scans(page, 3)
    page.all(".scan button")[1].click()
    answer_dialog(page, "ok")
    page.wait(lambda: ids(page) == [made[0], made[2]], "the scan to go")
    assert [scan["id"] for scan in page.request("GET", "/history")["items"]] == [made[0], made[2]]


def test_undo_brings_a_deleted_scan_back_to_its_place(page):
    made = open_with_scans(page, 3)
    page.all(".scan button")[1].click()
    answer_dialog(page, "ok")
    undo = page.wait_for(".notice button")
    assert page.texts(".notice p") == ["The scan is deleted."]
    assert page.focused() == undo
    undo.click()
    page.wait(lambda: ids(page) == made, "the scan to come back")
    assert page.texts(".notice") == []
    assert page.request("GET", "/history")["total"] == 3


def test_clearing_deletes_all_and_undo_brings_all_back(page):
    made = open_with_scans(page, 22)
    page.find("main .actions .danger").click()
    answer_dialog(page, "cancel")
    assert len(ids(page)) == 20
    page.find("main .actions .danger").click()
    answer_dialog(page, "ok")
    page.wait(lambda: "No scans yet." in page.text("main"), "the empty history")
    assert page.texts(".scan") == [] and page.request("GET", "/history")["total"] == 0
    page.find(".notice button").click()
    page.wait(lambda: ids(page) == made[:20], "the scans to come back")
    assert page.request("GET", "/history")["total"] == 22


def test_deleting_all_that_show_one_by_one_shows_the_next(page):
    made = open_with_scans(page, 21)
    for left in range(19, -1, -1):
        page.find(".scan button").click()
        answer_dialog(page, "ok")
        page.wait(lambda: len(ids(page)) == (left or 1), f"{left} scans")
    page.wait(lambda: ids(page) == made[20:], "the last one")


def test_each_button_says_which_scan_it_deletes(page):
    open_with_scans(page, 2)
    labels = [button.get_attribute("aria-label") for button in page.all(".scan button")]
    assert all(label.startswith("Delete this scan: ") and ":" in label[17:] for label in labels)
