# SPDX-License-Identifier: Apache-2.0
"""The report in a real browser: it shows, asks nothing of the network, fits a phone, and can be read."""

import re

import numpy as np
import pytest

from browsing import CONTRAST, CUT_OFF, DESKTOP, PHONE, SMALL, SMALLEST, new_page, watched
from discreet import GreedySelector, KAdet, Mondrian, Roles, Table
from discreet.evaluate.utility import holdout
from discreet.report.release_page import to_html
from discreet.report.summary import Outcome, summarise

pytestmark = pytest.mark.browser

WITH_ROWS, MODEL = "2 releases of people.csv: every promise holds", "10-anonymous model holds for people.csv"
METHODS = {WITH_ROWS: (GreedySelector(k=10), Mondrian(k=10)), MODEL: (KAdet(k=10),)}


@pytest.fixture(scope="module", params=[WITH_ROWS, MODEL], ids=["rows", "model"])
def title(request):
    return request.param


@pytest.fixture(scope="module")
def report(tmp_path_factory, title):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 900)
    columns = {
        "age": age,
        "sex": rng.choice(["f", "m"], 900),
        "a_column_with_quite_a_long_name_that_nobody_would_want": rng.choice([f"value {i}" for i in range(40)], 900),
        "y": np.where(age + rng.normal(0, 9, 900) > 50, "yes", "no"),
    }
    table = Table.of(columns)
    roles = Roles(target="y", quasi=list(columns)[:3])
    outcomes = [Outcome(m.release(table, roles), holdout(m, table, roles)) for m in METHODS[title]]
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(to_html(summarise(table, roles, outcomes, name="people.csv")), encoding="utf-8")
    return path


@pytest.fixture(scope="module", params=[SMALL, PHONE, DESKTOP], ids=["small", "phone", "desktop"])
def page(request, browser, report):
    opened = watched(browser, report, request.param)
    yield opened
    opened.close()


def test_it_shows_and_asks_nothing_of_the_network(page, report, title):
    assert page.locator("h1").inner_text() == title
    assert page.locator(".chart").count() > (3 if title == WITH_ROWS else 0)
    assert page.locator(".badge.holds").count() == len(METHODS[title])
    assert page.asked == [report.as_uri()]
    assert page.complaints == []


def test_nothing_sticks_out_to_the_side(page):
    width, inner = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width <= inner
    assert page.evaluate(CUT_OFF) == []


def test_text_can_be_read(page):
    poor = [(round(ratio, 2), text) for ratio, text in page.evaluate(CONTRAST) if ratio < 4.5]
    assert poor == []
    sizes = page.evaluate(
        "[...document.querySelectorAll('p, td, dd, li, figcaption')].map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 14
    assert page.evaluate(SMALLEST) >= 14


def test_every_chart_has_words_that_a_screen_reader_speaks(page):
    names = page.evaluate("[...document.querySelectorAll('.chart')].map(e => [e.role, e.ariaLabel])")
    assert names
    assert all(role == "img" and len(name) > 60 and "%" in name for role, name in names)


def test_bars_are_as_long_as_their_shares(page):
    charts = page.evaluate(
        "[...document.querySelectorAll('.bars')].map(chart => [...chart.querySelectorAll('.bar')]"
        ".map(bar => [parseFloat(bar.textContent), bar.querySelector('i').getBoundingClientRect().width]))"
    )
    for chart in charts:
        unit = [width / share for share, width in chart if share >= 20]
        assert max(unit, default=1) < 1.1 * min(unit, default=1)
        assert all(width < 3 for share, width in chart if share == 0)


def test_tables_that_are_too_wide_are_moved_by_the_keyboard(page):
    frames = page.evaluate(
        "[...document.querySelectorAll('.wide')].filter(e => e.scrollWidth > e.clientWidth)"
        ".map(e => [e.tabIndex, e.role, e.ariaLabel])"
    )
    assert all(place == 0 and role == "region" and name for place, role, name in frames)


def test_it_prints_on_a_few_pages(browser, report):
    page = new_page(browser, DESKTOP)
    page.goto(report.as_uri())
    page.emulate_media(media="print")
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", paper)) <= 10
    page.close()
