# SPDX-License-Identifier: Apache-2.0
"""The studio in a real browser: baskets, texts, a walk by keyboard alone, and what is refused."""

import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import discreet as ds
from discreet.samples import load, quest
from studio_browsing import accessible, compared, downloaded, next_page, only, opened, ready, running

pytestmark = pytest.mark.browser

STUDIO = Path(__file__).parents[2] / "docs" / "studio.md"
NOTES = ("fever and cough", "a cold, fever", "back pain", "pain in the knee", "cough, tired")


def taken(page, folder):
    """Take the release that is best, download it and the project, and verify what was downloaded; its content."""
    page.click("main button.main")
    page.wait_for_selector("text=Checked on its files")
    published = downloaded(page, "Download what is published", folder / "published.zip")
    downloaded(page, "Download project.toml", folder / "project.toml")
    next_page(page)
    page.set_input_files("#file", published)
    page.wait_for_selector("text=The promise holds")
    with zipfile.ZipFile(published) as archive:
        archive.extractall(folder)
        return archive.read("release/data.parquet")


def replayed(folder, data):
    command = [sys.executable, "-m", "discreet", "replay", "project.toml", data.name, "-o", "again", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    assert ds.verify(folder / "again" / "release").holds
    return (folder / "again" / "release" / "data.parquet").read_bytes()


def test_baskets_in_lines_with_labels_in_a_second_file(browser, tmp_path):
    baskets = quest(150, items=20, mean_length=4, patterns=8, classes=2, random_state=1).data
    data, labels = tmp_path / "visits.dat", tmp_path / "visits.labels"
    data.write_text("".join(f"{' '.join(baskets.items(row))}\n" for row in range(len(baskets))))
    labels.write_text("".join(f"{label}\n" for label in baskets.label_values))
    with running("--port", "8720") as (link, home, _), opened(browser) as page:
        page.goto(link)
        page.set_input_files("#file", data)
        page.wait_for_selector("text=150 rows")
        assert page.locator("input[value=transactions]").is_checked()
        next_page(page)
        page.set_input_files("#file", labels)
        page.wait_for_selector("text=visits.labels")
        next_page(page)
        page.wait_for_selector("text=Group sizes")
        next_page(page)
        page.wait_for_selector("text=persons have all together")
        next_page(page)
        only(page, "maximal")
        compared(page)
        page.wait_for_selector("text=First rows of the release")
        assert taken(page, tmp_path) == replayed(tmp_path, data)
        accessible(page, home, 390)


def test_texts_in_a_column(browser, tmp_path):
    data = tmp_path / "notes.csv"
    rows = [f'"{NOTES[row % 5]}, {NOTES[row * 7 % 4]}",{"yes" if row % 5 < 2 else "no"}' for row in range(120)]
    data.write_text("\n".join(["note,back", *rows]) + "\n")
    with running("--port", "8740", data) as (link, home, _), opened(browser) as page:
        page.goto(link)
        page.wait_for_selector("text=120 rows")
        with page.expect_navigation():
            ready(page).check("input[value=text]")
        next_page(page)
        for place, (address, column) in enumerate((("text", "note"), ("of", "back"))):
            with page.expect_response(f"**/roles/{address}"):
                page.locator("main select").nth(place).select_option(column)
        page.wait_for_selector("text=Singled out by one word")
        for _ in range(3):
            next_page(page)
        only(page, "maximal")
        compared(page)
        page.wait_for_selector("text=First rows of the release")
        assert taken(page, tmp_path) == replayed(tmp_path, data)
        accessible(page, home, 1280)


def test_by_keyboard_alone_from_the_file_to_the_release_with_a_break(browser, tmp_path):
    """Nothing is clicked. The comparison is cancelled, and goes on where it was. docs/studio.md counts these steps."""
    load("clinic", rows=200, random_state=3).data.write(tmp_path / "clinic.csv", "csv", input_again=True)
    with running("--port", "8760", tmp_path / "clinic.csv") as (link, _, _), opened(browser) as page:
        page.goto(link)
        page.pressed = []
        press(page, "Next: what each column is for")
        with page.expect_response("**/roles/suggested"):
            press(page, "Take all suggestions")
        ready(page)
        reach(page, "tr:has(th:text-is('stay_days')) select")
        with page.expect_response("**/roles/of"):
            page.keyboard.press("l")  # left out
        for text in ("Next: the risk", "Next: what you promise", "Next: compare"):
            press(page, text)
        for box in ready(page).locator("main input[type=checkbox]").all():
            if box.get_attribute("name") not in ("tds", "mondrian-median"):
                reach(page, f"input[name='{box.get_attribute('name')}']")
                with page.expect_response("**/compare/methods"):
                    page.keyboard.press("Space")
        press(page, "Start")
        page.wait_for_selector("text=being made")
        press(page, "Cancel")
        press(page, "Start", "Go on")
        page.wait_for_selector("text=Next: choose one")
        press(page, "Next: choose one")
        page.wait_for_selector(".after")
        press(page, "Take ")
        page.wait_for_selector("text=Checked on its files")
        with page.expect_download() as waiting:
            press(page, "Download what is published")
        assert waiting.value.suggested_filename == "published.zip"
    needed = [texts for texts in page.pressed if texts not in (("Cancel",), ("Start", "Go on"))]
    clicks = 1 + len(needed) + 2  # the file is dropped, and a choice in a list is two
    (together,) = [
        line for line in STUDIO.read_text(encoding="utf-8").splitlines() if line.startswith("| **together**")
    ]
    assert together.split("|")[2].strip() == f"**{clicks}**"


def press(page, *texts):
    """Press Enter on what has one of these texts, once Tab has come to it."""
    page.wait_for_function(
        "(texts) => texts.some((text) => document.querySelector('main')?.textContent.includes(text))", arg=[*texts]
    )
    ready(page)
    page.pressed.append(texts)
    reach(page, "a, button", *texts)
    page.keyboard.press("Enter")


def reach(page, selector, *texts):
    """Press Tab until such an element has the focus."""
    wanted = page.locator(selector)
    for _ in range(300):
        page.keyboard.press("Tab")
        text = page.evaluate("document.activeElement.textContent") or ""
        if texts and any(text.strip().startswith(one) for one in texts):
            return
        if not texts and wanted.first.evaluate("(e) => e === document.activeElement"):
            return
    raise AssertionError(f"{texts or selector} cannot be reached by keyboard.")


def test_what_is_wrong_is_refused_in_words(browser, tmp_path):
    """An empty file, one that is no table, one that is too large, roles that do not suffice."""
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 but no more")
    with (tmp_path / "huge.csv").open("wb") as file:
        file.truncate(5 << 30)  # takes no room
    (tmp_path / "people.csv").write_text("age,ill\n" + "".join(f"{20 + row % 9},{row % 2}\n" for row in range(40)))
    with running("--port", "8780") as (link, there, _), opened(browser) as page:
        page.goto(link)
        accessible(page, there, 390, "data", "release", "ledger", "hierarchies")
        page.goto(f"{there}/data")
        page.set_input_files("#file", tmp_path / "empty.csv")
        page.wait_for_selector("#message:text('0 bytes')")
        page.set_input_files("#file", tmp_path / "huge.csv")
        page.wait_for_selector("#message:text('larger than 4,294,967,296 bytes')")
        page.set_input_files("#file", tmp_path / "broken.parquet")
        page.wait_for_selector("#columns .warn")
        page.goto(f"{there}/data")
        page.click("summary:text('Another file')")
        page.set_input_files("#file", tmp_path / "people.csv")
        page.wait_for_selector("text=40 rows")
        page.goto(f"{there}/compare")
        page.wait_for_selector("#progress .warn:text('which column a classifier is to predict')")
        assert page.locator("#start").count() == 0


def test_a_sample_is_one_click_away_and_a_wrong_reading_is_put_right(browser, tmp_path):
    """The sample first; then a file with two tables, of which one is named."""
    with sqlite3.connect(tmp_path / "two.db") as database:
        for name, rows in (("people", 12), ("visits", 30)):
            database.execute(f"CREATE TABLE {name} (age, ill)")
            database.executemany(f"INSERT INTO {name} VALUES (?, ?)", [(20 + row, row % 2) for row in range(rows)])
    database.close()
    with running("--port", "8840") as (link, home, _), opened(browser) as page:
        page.goto(link)
        ready(page).click("text=Take the sample clinic")
        page.wait_for_selector("text=2,000 rows, 11 columns")
        ready(page).click("summary:text('Another file')")
        page.set_input_files("#file", tmp_path / "two.db")
        page.wait_for_selector("#columns .warn:text('two.db')")
        ready(page).click("summary:text('Was it read wrongly?')")
        page.fill("input[name=table]", "visits")
        with page.expect_navigation():
            page.keyboard.press("Tab")
        page.wait_for_selector("text=30 rows, 2 columns")
        accessible(page, home, 1280, "data", "decisions")
