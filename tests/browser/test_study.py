# SPDX-License-Identifier: Apache-2.0
"""The report of a study, and the public edition, in a real browser: drawn, silent, readable, and sorted when asked."""

from functools import partial
from itertools import pairwise

import pytest

from browsing import CONTRAST, CUT_OFF, DESKTOP, PHONE, SMALL, SMALLEST, drawn, watched
from discreet.report.public_page import summarise_public, to_public_page
from discreet.report.study_page import summarise_study, write_study
from discreet.study import recipe_from, run_study
from small_study import ATTACKED, load, written_clinic

pytestmark = pytest.mark.browser

RECIPE = f"""{ATTACKED}identifiers = ["name"]
[promises]
k = [5, 20]
[[methods]]
name = "mondrian"
[[methods]]
name = "kadet"
[[methods]]
name = "tds"
[evaluation]
folds = "2-fold"
classifiers = ["naive-bayes", "c45"]
[run]
seed = 1
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    data = written_clinic(folder, 400, seed=2)
    found = run_study(partial(load, data, RECIPE), recipe_from(RECIPE), folder / "study", text=RECIPE)
    summary = summarise_study(found, name="clinic.csv")
    write_study(found, summary)
    (folder / "public.html").write_text(
        to_public_page(summarise_public(folder / "study" / summary["best_folder"] / "release")), encoding="utf-8"
    )
    return folder, summary


@pytest.fixture(scope="module", params=[SMALL, PHONE, DESKTOP], ids=["small", "phone", "desktop"])
def page(request, browser, study):
    """For tests that leave it as it is."""
    opened = drawn(watched(browser, study[0] / "study" / "report.html", request.param))
    yield opened
    opened.close()


@pytest.fixture
def fresh(browser, study):
    """A phone's page, for a test that changes it."""
    opened = drawn(watched(browser, study[0] / "study" / "report.html", PHONE))
    yield opened
    opened.close()


def test_all_pictures_are_drawn_and_nothing_leaves_the_file(page, study):
    folder, summary = study
    assert (
        page.locator(".plot svg").count() == len(summary["pictures"]) in (6, 7)
    )  # the front, closer, where it is narrow
    assert page.locator("h1").inner_text() == f"{summary['best']} is chosen for clinic.csv"
    assert page.asked == [(folder / "study" / "report.html").as_uri()]
    assert page.complaints == []
    refused = page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"


def test_the_file_is_small(study):
    assert (study[0] / "study" / "report.html").stat().st_size < 3_000_000


def test_nothing_sticks_out_and_text_can_be_read(page):
    width, inner = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= inner
    faint = [text for ratio, text in page.evaluate(CONTRAST) if ratio < 4.5]
    assert faint == []
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(SMALLEST) >= 12


def test_no_name_in_a_picture_is_shortened_on_a_large_screen(browser, study):
    opened = drawn(watched(browser, study[0] / "study" / "report.html", DESKTOP))
    texts = opened.evaluate("[...document.querySelectorAll('.plot svg text')].map((text) => text.textContent)")
    assert "homogeneity of readmitted, 90% alike" in texts
    assert not [text for text in texts if "…" in text]
    opened.close()


def test_the_best_lies_on_top_and_is_the_largest(page):
    sizes = page.evaluate(
        "[...document.querySelectorAll('#plot-0 .role-mark.mark-symbol path')].map((e) => e.getBBox().width)"
    )
    assert len(sizes) == 6
    assert sizes[-1] == max(sizes)


def test_pictures_have_words_for_a_screen_reader(page):
    spoken = page.evaluate("[...document.querySelectorAll('.plot')].map((e) => e.getAttribute('aria-label'))")
    assert all(len(text) > 60 for text in spoken)


def test_tables_sort_by_mouse_and_keyboard(fresh):
    table = fresh.locator("table.sorts").first

    def column(place):
        """The figures of a column, without the remarks beneath them."""
        of_row = f"(row) => [...row.children[{place}].childNodes].filter((e) => e.nodeName !== 'SMALL')"
        text = f"({of_row})(row).map((e) => e.textContent).join('')"
        return table.locator("tbody tr").evaluate_all(f"(rows) => rows.map((row) => {text})")

    head = table.locator("th button").nth(2)
    head.click()
    rising = [float(text.strip(" %")) for text in column(2)]
    assert rising == sorted(rising)
    assert table.locator("th").nth(2).get_attribute("aria-sort") == "ascending"
    head.focus()
    fresh.keyboard.press("Enter")
    assert [float(text.strip(" %")) for text in column(2)] == sorted(rising, reverse=True)
    score = next(place for place, text in enumerate(table.locator("th").all_inner_texts()) if "By order" in text)
    for _ in range(2):
        table.locator("th").nth(score).locator("button").click()
        assert column(score)[-1] == ""  # the original has no score: it stays below, whichever way


def test_what_can_be_sorted_says_so_and_is_reached_by_the_keyboard(page):
    signs = page.evaluate(
        "[...document.querySelectorAll('th button')].map((e) => getComputedStyle(e, '::after').content)"
    )
    assert len(signs) > 8
    assert set(signs) == {'" ↕"'}
    frames = page.evaluate(
        "[...document.querySelectorAll('.wide')].filter((e) => e.scrollWidth > e.clientWidth)"
        ".map((e) => [e.tabIndex, e.role, e.ariaLabel])"
    )
    assert all(place == 0 and role == "region" and name for place, role, name in frames)


def test_on_a_phone_the_name_of_a_release_stays_while_the_table_is_moved(fresh):
    found = fresh.evaluate(
        """() => {
          const frame = document.querySelector(".wide"), cell = frame.querySelector("tbody td");
          const before = cell.getBoundingClientRect().left;
          frame.scrollLeft = 200;
          return [frame.scrollLeft, cell.getBoundingClientRect().left - before];
        }"""
    )
    assert found == [200, 0]


def test_headings_follow_each_other(page):
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((e) => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_links_lead_to_parts_of_the_page(page):
    broken = page.evaluate(
        "[...document.querySelectorAll('nav a')].filter((a) => !document.querySelector(a.getAttribute('href')))"
        ".map((a) => a.textContent)"
    )
    assert broken == []


def test_on_a_dark_screen_pictures_are_light_and_paper_stays_white(browser, study):
    path = study[0] / "study" / "report.html"
    opened = drawn(watched(browser, path, PHONE, color_scheme="dark"))
    faint = [(round(ratio, 2), text) for ratio, text in opened.evaluate(CONTRAST) if ratio < 4.5]
    assert faint == []
    ground = "getComputedStyle(document.querySelector('section')).backgroundColor"
    assert opened.evaluate(ground) == "rgb(27, 33, 39)"
    opened.emulate_media(media="print", color_scheme="dark")
    assert opened.evaluate(ground) in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    opened.emulate_media(media="screen", color_scheme="light")
    for _ in range(200):  # it is drawn again
        if opened.evaluate("document.querySelector('.plot svg text')?.getAttribute('fill')") == "#1c2530":
            break
        opened.wait_for_timeout(20)
    else:
        raise AssertionError("the pictures stayed as they were")
    assert opened.complaints == []
    opened.close()


def test_the_public_edition_has_no_script_and_can_be_read(browser, study):
    path = study[0] / "public.html"
    assert "<script" not in path.read_text(encoding="utf-8")
    opened = watched(browser, path, PHONE)
    width, inner = opened.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    faint = [text for ratio, text in opened.evaluate(CONTRAST) if ratio < 4.5]
    cut = opened.evaluate(CUT_OFF)
    assert (width <= inner, faint, cut) == (True, [], [])
    assert opened.asked == [path.as_uri()]
    assert opened.complaints == []
    opened.close()
