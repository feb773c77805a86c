# SPDX-License-Identifier: Apache-2.0
"""The site in a real browser: both themes, a desk and a telephone; nothing is fetched, and axe finds nothing."""

from pathlib import Path

import pytest

from browsing import PHONE, watched
from built_site import built_site

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AXE = (Path(__file__).parent.parent / "vendor" / "axe.min.js").read_text(encoding="utf-8")
FINDINGS = """async () => (await axe.run(document)).violations
  .map((found) => `${found.id}: ${found.nodes.map((node) => node.html).slice(0, 3)}`)"""
DESK = {"width": 1280, "height": 900}
PAGES = (
    "index",
    "start/table",
    "how-to/index",
    "how-to/choose-a-method",
    "understand/index",
    "methods/mondrian",
    "privacy/differential_privacy",
    "attacks/sparse",
    "understand/terms",
    "reference/recipe",
    "evidence/index",
)
CUT_OFF = """() => [...document.querySelectorAll('.commands pre')].filter((e) => e.scrollWidth > e.clientWidth + 1)
  .map((e) => e.textContent)"""
SEEN = """() => [...document.querySelectorAll('img.report')].filter((e) => e.getBoundingClientRect().width > 0)
  .map((e) => e.naturalWidth > 0 && e.src.match(/report-(\\w+)/)[1])"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    found = built_site(tmp_path_factory)
    assert found.status == 0, found.said
    return found.folder


@pytest.mark.parametrize(("scheme", "viewport"), [("light", DESK), ("dark", PHONE), ("dark", DESK), ("light", PHONE)])
def test_a_page_is_whole_and_readable(browser, site, scheme, viewport):
    for name in PAGES[:: 1 if (scheme, viewport) in (("light", DESK), ("dark", PHONE)) else 8]:
        page = watched(browser, site / f"{name}.html", viewport, scheme)
        page.evaluate(AXE)
        assert page.evaluate(FINDINGS) == [], (name, scheme)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert page.evaluate(CUT_OFF) == [], "commands go on in the next line"
        assert [url for url in page.asked if not url.startswith("file:")] == []
        page.close()


def test_the_first_page_shows_the_report_of_its_theme(browser, site):
    for scheme in ("light", "dark"):
        page = watched(browser, site / "index.html", DESK, scheme)
        assert page.evaluate(SEEN) == [scheme]
        page.close()


def test_the_four_doors_stand_side_by_side_on_a_desk_and_below_each_other_on_a_telephone(browser, site):
    for viewport, columns in ((DESK, 4), (PHONE, 1)):
        page = watched(browser, site / "index.html", viewport, "light")
        places = page.evaluate(
            "[...document.querySelectorAll('#four-doors tbody tr')].map((e) => e.getBoundingClientRect().left)"
        )
        assert (len(places), len(set(places))) == (4, columns)
        page.close()


def test_a_drawing_follows_the_theme_of_the_page(browser, site):
    """Not of the system: a reader can change it."""
    page = watched(browser, site / "methods" / "mondrian.html", DESK, "light")
    ink = "getComputedStyle(document.querySelector('svg.drawn')).getPropertyValue('--ink').trim()"
    by_day = page.evaluate(ink)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert page.evaluate(ink) != by_day
    page.close()
