# SPDX-License-Identifier: Apache-2.0
"""The studio in a real browser, from a file to a verified release, by the command that a person types."""

import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import discreet as ds
from discreet.samples import load
from studio_browsing import accessible, compared, downloaded, next_page, only, opened, ready, running

pytestmark = pytest.mark.browser

STEPS = ("data", "roles", "risk", "promise", "compare", "choose", "release", "verify", "ledger", "hierarchies")
ROLES = {
    **dict.fromkeys(("patient_id", "name"), "identifier"),
    **dict.fromkeys(("age", "sex", "zip"), "quasi"),
    **dict.fromkeys(("occupation", "admitted"), "left out"),
    **dict.fromkeys(("marital", "stay_days"), "other"),
    "diagnosis": "sensitive",
    "readmitted": "target",
}


def give_roles(page):
    """Choose a role for each column, one after another, as soon as the page listens."""
    ready(page)
    for column, role in ROLES.items():
        with page.expect_response("**/roles/of"):
            page.locator("tr", has=page.locator(f'th:text-is("{column}")')).locator("select").first.select_option(role)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    path = tmp_path_factory.mktemp("clinic") / "my clinic.csv"
    load("clinic", rows=300, random_state=3).data.write(path, "csv", input_again=True)
    return path


@pytest.fixture(scope="module")
def walked(browser, clinic, tmp_path_factory):
    """A person walks from the file to the release; the studio stays open."""
    folder = tmp_path_factory.mktemp("walk")
    with running("--port", "8600", "--folder", str(folder / "project")) as (link, home, _), opened(browser) as page:
        page.goto(link)
        page.set_input_files("#file", clinic)
        page.wait_for_selector("text=First rows")
        next_page(page)
        give_roles(page)
        page.wait_for_selector("text=Alone in their group")
        next_page(page)
        page.wait_for_selector("text=Group sizes")
        next_page(page)
        page.wait_for_selector("text=1 in 5")
        next_page(page)
        only(page, "mondrian-information", "mondrian-median")
        compared(page)
        page.wait_for_selector(".after")
        page.click("main button.main")
        page.wait_for_selector("text=Checked on its files")
        yield page, home, folder, clinic


def test_what_is_downloaded_is_verified_and_holds_nothing_of_the_owner(walked, tmp_path):
    page, home, _, clinic = walked
    page.goto(f"{home}/release")
    downloaded(page, "Download what is published", tmp_path / "published.zip")
    with zipfile.ZipFile(tmp_path / "published.zip") as archive:
        assert {Path(name).parts[0] for name in archive.namelist()} == {"release"}
        archive.extractall(tmp_path)
    assert ds.verify(tmp_path / "release").holds
    page.goto(f"{home}/ledger")
    assert "handed to" in page.locator("main").inner_text()
    page.goto(f"{home}/verify")
    page.set_input_files("#file", tmp_path / "published.zip")
    page.wait_for_selector("text=The promise holds")
    page.reload()
    page.set_input_files("#folder", tmp_path / "release")
    page.wait_for_selector("text=The promise holds")
    page.set_input_files("#file", clinic)
    page.wait_for_selector("text=This is not a zip")


def test_the_same_release_is_made_again_from_the_project_file(walked, tmp_path):
    page, home, _, clinic = walked
    page.goto(f"{home}/release")
    for link, name in (("Download project.toml", "project.toml"), ("Download what is published", "published.zip")):
        downloaded(page, link, tmp_path / name)
    command = [sys.executable, "-m", "discreet", "replay", "project.toml", str(clinic), "-o", "out"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    with zipfile.ZipFile(tmp_path / "published.zip") as archive:
        for name in ("data.csv", "recoding.json"):
            assert archive.read(f"release/{name}") == (tmp_path / "out" / "release" / name).read_bytes()


def test_a_policy_is_checked_before_anything_is_handed_over(walked, tmp_path):
    page, home, *_ = walked
    (tmp_path / "policy.toml").write_text("format = 1\nleast_k = 500\n", encoding="utf-8")
    page.goto(f"{home}/release")
    page.set_input_files("#file", tmp_path / "policy.toml")
    page.wait_for_selector("text=failed")
    page.click("text=Download what is published")
    page.wait_for_selector("#message:text('The policy forbids it')")
    with page.expect_navigation():
        page.click("button:text('Undo')")
    ready(page)
    assert page.locator("#asked").count() == 0


def test_weights_rank_anew_and_undo_takes_them_back(walked):
    page, home, *_ = walked
    page.goto(f"{home}/choose")
    page.wait_for_selector(".after")
    with page.expect_response("**/choose/weights"):
        page.locator("input[name=privacy]").fill("100")
    page.reload()
    assert int(page.locator("#shown-privacy").inner_text()) > 40
    with page.expect_navigation():
        page.click("button:text('Undo')")
    assert int(page.locator("#shown-privacy").inner_text()) == 25


def test_every_step_has_an_address_and_the_back_button_works(walked):
    page, home, *_ = walked
    for step in STEPS:
        page.goto(f"{home}/{step}")
        assert page.locator("header nav [aria-current]").inner_text().lower() == step
    page.go_back()
    assert page.url.endswith("/ledger")


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_are_accessible_and_fit(walked, width):
    page, home, *_ = walked
    accessible(page, home, width)


def test_a_point_of_the_picture_leads_to_its_release(walked):
    """Drawn by Vega-Lite under the policy of the pages: whatever that forbids would be a complaint of the tab."""
    page, home, *_ = walked
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{home}/choose")
    names = ready(page).locator("#ranking tbody th a").all_inner_texts()
    points = page.locator(".plot .mark-symbol path")
    points.first.wait_for()
    assert points.count() == len(names)  # the best is drawn last
    assert all(name in page.locator(".plot").get_attribute("aria-label") for name in names)
    points.first.click(force=True)
    page.wait_for_url(f"**/choose?release={names[-1]}")
    assert page.locator("#close").inner_text() == names[-1]
    shown = page.locator("section:has(#close)")
    changed = ready(page).locator("h3:text-is('Columns before and after') + div tbody tr")
    assert changed.locator("th").all_inner_texts() == ["age", "sex", "zip"]
    assert page.locator(".spreads figcaption").all_inner_texts() == ["age", "sex", "zip"]
    page.wait_for_selector(".after")
    assert shown.locator("tbody tr:has(.after)").count() == 8  # rows as they are, and as they are published
    assert shown.locator("h3:text-is('Attacks') + div tbody tr").count() > 3
    assert shown.locator(".warn").count() > 0
    with page.expect_response("**/choose/weights"):
        page.locator("input[name=detail]").fill("90")
    page.locator(".plot .mark-symbol path").first.wait_for()
    with page.expect_navigation():
        ready(page).click("button:text('Undo')")


def test_a_folder_that_is_dropped_is_verified(walked, tmp_path):
    """As a file manager drops it: a folder with its entries, not a list of files."""
    page, home, *_ = walked
    page.goto(f"{home}/release")
    with zipfile.ZipFile(downloaded(page, "Download what is published", tmp_path / "published.zip")) as archive:
        archive.extractall(tmp_path / "sent")
    page.goto(f"{home}/verify")
    drop(ready(page), "#drop", tmp_path / "sent" / "release")
    page.wait_for_selector("text=The promise holds")
    (tmp_path / "sent" / "release" / "certificate.json").unlink()
    page.goto(f"{home}/verify")
    drop(ready(page), "#drop", tmp_path / "sent" / "release")
    page.wait_for_selector("#message:text('0 certificates')")
    page.goto(f"{home}/data")
    ready(page).click("summary:text('Another file')")
    drop(page, "#drop", tmp_path / "sent" / "release")
    page.wait_for_selector("#message:text('This is a folder')")


def drop(page, selector, path):
    """Drop a file or folder of this machine onto an element."""
    box = page.locator(selector).bounding_box()
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    line = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        line.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    line.detach()


def test_two_tabs_see_the_same_decisions(walked):
    page, home, *_ = walked
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(f"{home}/promise")
        tab.wait_for_selector("text=1 in")
    for tab, k in ((page, "7"), (other, "9")):
        with tab.expect_response("**/promise/k"):
            tab.locator("#k").fill(k)
    page.reload()
    assert page.locator("#k-shown").inner_text() == "9"
    for tab in (page, other, page):
        tab.reload()
    for _ in range(2):
        with page.expect_navigation():
            page.click("button:text('Undo')")
    assert page.locator("#k-shown").inner_text() == "5"
    other.close()


def test_a_studio_that_was_killed_goes_on_where_it_was(walked, browser):
    """The first one is killed while a comparison runs; the next one finds it, and brings it to its end."""
    *_, folder, clinic = walked
    place = str(folder / "killed")
    with running("--port", "8620", "--folder", place, clinic) as (link, there, studio), opened(browser) as tab:
        tab.goto(link)
        tab.goto(f"{there}/roles")
        give_roles(tab)
        tab.goto(f"{there}/compare")
        only(tab, "mondrian-median", "tds").click("#start")
        tab.wait_for_selector("text=being made")
        tab.goto("about:blank")  # or it would complain that nobody answers
        os.kill(studio.pid, signal.SIGKILL)
        studio.wait(20)
    with running("--port", "8640", "--folder", place) as (link, there, _), opened(browser) as tab:
        tab.goto(link)
        tab.goto(f"{there}/compare")
        tab.wait_for_selector("#cancel, #start, #progress a.button")
        if tab.locator("#start").count():  # it ended with the studio
            tab.click("#start")
        tab.click("text=Next: choose one")
        ready(tab)
        made = tab.locator("#ranking tbody tr").count()
        assert made > 1
    with running("--port", "8660", "--folder", place) as (link, there, _), opened(browser) as tab:
        tab.goto(link)
        tab.goto(f"{there}/compare")  # what is finished is found again
        tab.click("text=Next: choose one")
        assert ready(tab).locator("#ranking tbody tr").count() == made


def test_what_was_brought_in_is_removed_at_the_end(browser, clinic):
    with running("--port", "8680", str(clinic)) as (link, _, studio), opened(browser) as page:
        page.goto(link)
        page.wait_for_selector("text=First rows")
        held = [path for path in Path(f"/proc/{studio.pid}/fd").iterdir() if "discreet-partial" in os.readlink(path)]
        places = {Path(os.readlink(path)).parent for path in held}
        assert places
    assert not any(place.exists() for place in places)
