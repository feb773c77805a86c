# SPDX-License-Identifier: Apache-2.0
"""The page of a choice in a real browser: its pictures are drawn, nothing leaves the file, nothing sticks out."""

import pytest
from benchmarks.choice.protocol import pima

from browsing import CUT_OFF, DESKTOP, PHONE, SMALL, SMALLEST, drawn, watched
from discreet.choose import choose
from discreet.report.choice_page import pictures, summarise_choice, to_page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def choice_page(tmp_path_factory):
    found = choose(pima(), {"performance": 0.5, "pbi": 0.25, "size": 0.25})
    path = tmp_path_factory.mktemp("choice") / "choice.html"
    path.write_text(to_page(summarise_choice(found, name="pima"), pictures(found, "baseline")), encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=[SMALL, PHONE, DESKTOP], ids=["small", "phone", "desktop"])
def page(request, browser, choice_page):
    opened = drawn(watched(browser, choice_page, request.param))
    yield opened
    opened.close()


def test_every_picture_is_drawn_and_nothing_leaves_the_file(page, choice_page):
    assert page.locator("h1").inner_text() == "plas_mass is the best of 14 candidates"
    assert page.locator(".plot svg").count() == page.locator("figure").count() == 5
    marks = page.evaluate(
        "[...document.querySelectorAll('.plot')].map(e => e.querySelectorAll('.role-mark.mark-symbol path').length)"
    )
    assert marks == [14 * 5 + 5, 14, 14, 14, 14]  # five kinds of weights, and a ring around the best of each
    assert page.asked == [choice_page.as_uri()]
    assert page.complaints == []
    caught = page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
    assert caught == "refused"


def test_a_screen_reader_hears_what_a_picture_shows(page):
    spoken = page.evaluate(
        "[...document.querySelectorAll('.plot')].map(e => [e.getAttribute('role'), e.getAttribute('aria-label')])"
    )
    assert all(role == "graphics-document" for role, _ in spoken)
    assert all(len(text) > 80 for _, text in spoken)
    assert "The best is plas_mass." in spoken[2][1]


def test_nothing_sticks_out_and_text_can_be_read(page):
    width, inner = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= inner
    assert page.evaluate(CUT_OFF) == []
    assert page.evaluate(SMALLEST) >= 12


def test_the_table_has_all_candidates(page):
    assert page.locator("tbody tr").count() == 14
    assert page.locator("tr.best").inner_text().split()[:3] == ["1", "plas_mass", "9.5"]
