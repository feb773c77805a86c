# SPDX-License-Identifier: Apache-2.0
"""The studio in a real browser, from a file to a verified release, by the command that a person types."""

import os
import re
import signal
import subprocess
import sys
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest

import discreet as ds
from browsing import LONG
from discreet.samples import load

pytestmark = pytest.mark.browser

AXE = (Path(__file__).parent.parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
READY = """() => document.querySelector('select') && [...document.querySelectorAll('[hx-post]')]
  .every((e) => e['htmx-internal-data'])"""
STEPS = ("data", "roles", "risk", "promise", "compare", "choose", "release", "verify", "ledger", "hierarchies")
ROLES = {
    **dict.fromkeys(("patient_id", "name"), "identifier"),
    **dict.fromkeys(("age", "sex", "zip"), "quasi"),
    **dict.fromkeys(("occupation", "admitted"), "left out"),
    **dict.fromkeys(("marital", "stay_days"), "other"),
    "diagnosis": "sensitive",
    "readmitted": "target",
}


@contextmanager
def running(*arguments, end=signal.SIGTERM):
    """A studio, and the link that it prints."""
    command = [sys.executable, "-m", "discreet", "studio", "--no-browser", *arguments]
    studio = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    try:
        link = next(found.group() for line in studio.stdout if (found := re.search(r"http://\S+", line)))
        yield link, link.split("/open")[0], studio
    finally:
        if studio.poll() is None:
            studio.send_signal(end)
            studio.wait(20)
        studio.stdout.close()


@contextmanager
def opened(browser, **options):
    """A tab that must neither complain nor ask another host."""
    context = browser.new_context(accept_downloads=True, **options)
    context.set_default_timeout(LONG)
    page, said = context.new_page(), []
    page.on(
        "console",
        lambda message: (
            said.append(message.text)
            if "Unprocessable" not in message.text and "Error Code" not in message.text
            else None
        ),
    )
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on(
        "request",
        lambda request: (
            said.append(request.url) if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")) else None
        ),
    )
    yield page
    assert said == []
    context.close()


def give_roles(page):
    """Choose a role for each column, one after another, as soon as the page listens."""
    page.wait_for_function(READY)
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
        page.click("text=Next: what each column is for")
        give_roles(page)
        page.wait_for_selector("text=Alone in their group")
        page.click("text=Next: the risk of the raw table")
        page.wait_for_selector("text=Group sizes")
        page.click("text=Next: what you promise")
        page.wait_for_selector("text=1 in 5")
        page.click("text=Next: compare methods")
        for key in ("mondrian-information", "mondrian-median", "kactus2"):
            with page.expect_response("**/compare/methods"):
                page.uncheck(f'input[name="{key}"]')
        page.click("button:text('Start')")
        page.wait_for_selector("text=Running")
        page.click("text=Next: choose one")
        page.wait_for_selector(".after")
        page.click("button.main")
        page.wait_for_selector("text=Checked on its files")
        yield page, home, folder, clinic


def test_what_is_downloaded_is_verified_and_holds_nothing_of_the_owner(walked, tmp_path):
    page, home, _, clinic = walked
    page.goto(f"{home}/release")
    with page.expect_download() as waiting:
        page.click("text=Download what is published")
    waiting.value.save_as(tmp_path / "published.zip")
    with zipfile.ZipFile(tmp_path / "published.zip") as archive:
        assert {Path(name).parts[0] for name in archive.namelist()} == {"release"}
        archive.extractall(tmp_path)
    assert ds.verify(tmp_path / "release").holds
    page.goto(f"{home}/ledger")
    assert "handed to" in page.locator("main").inner_text()
    page.goto(f"{home}/verify")
    page.set_input_files("#file", tmp_path / "published.zip")
    page.wait_for_selector("text=The promise holds")
    page.set_input_files("#file", clinic)
    page.wait_for_selector("text=This is not a zip")


def test_the_same_release_is_made_again_from_the_project_file(walked, tmp_path):
    page, home, _, clinic = walked
    page.goto(f"{home}/release")
    for link, name in (("Download project.toml", "project.toml"), ("Download what is published", "published.zip")):
        with page.expect_download() as waiting:
            page.click(f"text={link}")
        waiting.value.save_as(tmp_path / name)
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
    page.wait_for_selector("text=fails")
    page.click("text=Download what is published")
    page.wait_for_selector("#message:text('The policy forbids it')")
    with page.expect_navigation():
        page.click("button:text('Undo')")
    page.wait_for_selector("text=No policy was given")


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_are_accessible_and_fit(walked, scheme, width):
    page, home, *_ = walked
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    for step in STEPS:
        page.goto(f"{home}/{step}")
        page.wait_for_function("() => !document.querySelector('.coming')")
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        assert [(one["id"], one["nodes"][0]["html"]) for one in found["violations"]] == [], step
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), step


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
    """The first one is killed while a comparison runs; the next one finds what was decided, and goes on."""
    *_, folder, clinic = walked
    place = str(folder / "killed")
    with (
        running("--port", "8620", "--folder", place, str(clinic), end=signal.SIGKILL) as (link, there, studio),
        opened(browser) as tab,
    ):
        tab.goto(link)
        tab.goto(f"{there}/roles")
        give_roles(tab)
        tab.goto(f"{there}/compare")
        tab.click("button:text('Start')")
        tab.wait_for_selector("text=Running")
        os.kill(studio.pid, signal.SIGKILL)
        studio.wait(20)
        tab.goto("about:blank")
    with running("--port", "8640", "--folder", place) as (link, there, _), opened(browser) as tab:
        tab.goto(link)
        tab.goto(f"{there}/roles")
        tab.wait_for_selector("text=Alone in their group")
        tab.goto(f"{there}/compare")
        tab.wait_for_selector("#progress button, #progress .button")


def test_wrong_files_are_refused_in_words(browser, tmp_path):
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "ragged.csv").write_text("a,b\n1\n")
    with running("--port", "8660") as (link, _, _), opened(browser) as page:
        page.goto(link)
        page.set_input_files("#file", tmp_path / "empty.csv")
        page.wait_for_selector("#message:text('0 bytes')")


def test_what_was_brought_in_is_removed_at_the_end(browser, clinic):
    with running("--port", "8680", str(clinic)) as (link, _, studio), opened(browser) as page:
        page.goto(link)
        page.wait_for_selector("text=First rows")
        held = [path for path in Path(f"/proc/{studio.pid}/fd").iterdir() if "discreet-partial" in os.readlink(path)]
        places = {Path(os.readlink(path)).parent for path in held}
        assert places
    assert not any(place.exists() for place in places)


def test_the_flow_can_be_walked_by_keyboard_alone(browser, clinic):
    with running("--port", "8700", str(clinic)) as (link, _, _), opened(browser) as page:
        page.goto(link)
        page.wait_for_selector("text=First rows")
        _to(page, "Next: what each column is for")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Take all suggestions")
        _to(page, "Take all suggestions")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=Alone in their group")
        _to(page, "Undo")


def _to(page, text):
    """Press Tab until something with this text has the focus."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if text in (page.evaluate("document.activeElement.textContent") or ""):
            return
    raise AssertionError(f"{text!r} cannot be reached by keyboard.")
