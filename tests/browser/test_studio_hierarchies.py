# SPDX-License-Identifier: Apache-2.0
"""The hierarchy editor in a real browser: every change by mouse and by keyboard, with its effect shown at once."""

import csv
import io

import pytest

from discreet.studio.project import Project
from studio_browsing import downloaded, opened, ready, running

pytestmark = pytest.mark.browser

COLUMN, JOBS = "job", ("baker", "builder", "nurse", "surgeon", "teacher")
LEVELS = {"baker": "hands", "builder": "hands", "nurse": "care", "surgeon": "care", "teacher": "school"}


@pytest.fixture(scope="module")
def editor(browser, tmp_path_factory):
    """The page of a column; the files of its hierarchy lie in `folder`."""
    folder = tmp_path_factory.mktemp("editor")
    project = Project(folder / "project")
    stored = project.place_for("people.csv")
    rows = [f"{JOBS[place % 5]},{30 + place * place % 13},{'yes' if place % 3 else 'no'}" for place in range(80)]
    stored.write_text("\n".join(["job,age,ill", *rows]) + "\n")
    project.take("people.csv", stored)
    project.set_roles({"job": "quasi", "age": "quasi", "ill": "target"}, "Roles.")
    (folder / "arx.csv").write_text("".join(f"{job};{LEVELS[job]};*\n" for job in JOBS))
    with running("--port", "8800", "--folder", folder / "project") as (link, home, _), opened(browser) as page:
        page.goto(link)
        page.goto(f"{home}/hierarchies?column={COLUMN}")
        page.set_viewport_size({"width": 1280, "height": 1000})
        yield page, folder


@pytest.fixture
def page(editor):
    """The page with the hierarchy of ARX's file, brought in as a person does."""
    page, folder = editor
    ready(page)
    with page.expect_navigation():
        page.set_input_files("#file", folder / "arx.csv")
    ready(page)
    page.wait_for_selector("legend:text('Level 1')")
    return page


def groups(page, folder):
    """The groups of level 1, as the file says that the page gives out."""
    text = downloaded(page, "Download this hierarchy", folder / "out.csv").read_text()
    found = {}
    for value, group, *_ in csv.reader(io.StringIO(text), delimiter=";"):
        found.setdefault(group, set()).add(value)
    return found


def effect(page, level=1):
    """Groups, rows alone, rows in small groups and detail of a level, as the page shows them now."""
    cells = page.locator("table tbody tr").nth(level).locator("td").all_inner_texts()
    return [float(cell.replace(",", "").replace("%", "").strip() or 0) for cell in cells]


def change(page, button):
    with page.expect_response("**/hierarchies/edit") as answer:
        page.click(button)
    assert answer.value.status == 200, answer.value.text()
    ready(page)


def tick(page, *labels):
    for label in labels:
        page.locator(f"li[data-label='{label}'] input").check()


def test_what_arx_wrote_comes_in_and_goes_out_as_it_is(page, editor):
    _, folder = editor
    assert groups(page, folder) == {"hands": {"baker", "builder"}, "care": {"nurse", "surgeon"}, "school": {"teacher"}}
    assert (folder / "out.csv").read_text() == (folder / "arx.csv").read_text()


def test_merging_shows_fewer_alone_and_less_detail(page, editor):
    before = effect(page)
    tick(page, "care", "school")
    page.locator("input[name=name]").fill("service")
    change(page, "#merge-1")
    after = effect(page)
    assert after[0] == before[0] - 1 == 2
    assert after[1] <= before[1]
    assert after[2] < before[2]
    assert after[3] < before[3]
    assert groups(page, editor[1])["service"] == {"nurse", "surgeon", "teacher"}
    with page.expect_navigation():
        page.click("button:text('Undo')")
    ready(page)
    page.wait_for_selector("li[data-label=school]")
    assert effect(page) == before


def test_splitting_shows_more_alone_and_more_detail(page, editor):
    before = effect(page)
    tick(page, "hands")
    change(page, "#split-1")
    after = effect(page)
    assert after[0] > before[0]
    assert after[3] > before[3]
    assert groups(page, editor[1])["baker"] == {"baker"}


def test_a_new_name_changes_no_risk(page, editor):
    before = effect(page)
    tick(page, "hands")
    page.locator("input[name=name]").fill("<b>crafts</b>")
    change(page, "#rename-1")
    assert effect(page) == before
    assert "<b>crafts</b>" in groups(page, editor[1])


def test_a_part_is_dragged_onto_another_group(page, editor):
    before = effect(page)
    with page.expect_response("**/hierarchies/edit"):
        page.drag_and_drop("li[data-part=nurse]", "li[data-label=school] b")
    ready(page)
    page.wait_for_selector("li[data-label=school] li[data-part=nurse]")
    assert groups(page, editor[1]) == {
        "hands": {"baker", "builder"},
        "care": {"surgeon"},
        "school": {"nurse", "teacher"},
    }
    assert effect(page)[3] == pytest.approx(before[3], abs=0.2)  # groups of the same sizes
    page.drag_and_drop("li[data-part=nurse]", "h1")  # nowhere
    assert "nurse" in groups(page, editor[1])["school"]


def test_a_part_is_moved_by_keyboard_and_the_focus_stays(page, editor):
    page.locator("select[name=part]").focus()
    page.keyboard.type("surgeon")
    page.keyboard.press("Tab")
    page.keyboard.type("hands")
    page.keyboard.press("Tab")
    with page.expect_response("**/hierarchies/edit"):
        page.keyboard.press("Enter")
    ready(page)
    assert page.evaluate("document.activeElement.id") == "move-1"
    assert groups(page, editor[1])["hands"] == {"baker", "builder", "surgeon"}


def test_levels_are_added_and_removed_and_all_of_it_is_taken_back(page, editor):
    rows = page.locator("table tbody tr")
    assert rows.count() == 3
    change(page, "#add")
    assert rows.count() == 4
    assert effect(page, 2)[0] == 3
    change(page, "#remove-2")
    assert rows.count() == 3
    with page.expect_response("**/hierarchies/automatic"):
        page.click("text=Back to automatic")
    ready(page)
    page.wait_for_selector("text=Made automatically")


def test_what_cannot_be_done_is_said(page):
    tick(page, "care")
    with page.expect_response("**/hierarchies/edit"):
        page.click("#merge-1")
    page.wait_for_selector("#message:text('two groups')")
    assert page.locator("li[data-label=care]").count() == 1
