# SPDX-License-Identifier: Apache-2.0
"""A real kernel runs a notebook with every display; a real browser shows it on light and on dark ground."""

from html import escape
from pathlib import Path

import pytest

from browsing import ARGUMENTS, CONTRAST
from conftest import CHROMIUM
from discreet.report.charts import VEGA_LITE
from kernels import run_in_kernel

NOTEBOOK = Path(__file__).parents[1] / "notebooks" / "displays.ipynb"
PLAIN = ("import pathlib", "release.plot", "study.plot")  # cells that show nothing, or a chart


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The code cells after a run; nothing of it is written into the home folder."""
    return run_in_kernel(NOTEBOOK, tmp_path_factory.mktemp("jupyter"))


def shown(cell):
    """What a cell displays, by kind."""
    (output,) = [one for one in cell.outputs if one.output_type == "execute_result"]
    return output.data


def test_no_cell_warns_or_writes_beside_its_display(cells):
    for cell in cells:
        assert not [one for one in cell.outputs if one.output_type in ("stream", "error")], cell.source


def test_every_result_has_a_display(cells):
    displays = [cell for cell in cells if not cell.source.startswith(PLAIN)]
    assert len(displays) > 20
    for cell in displays:
        html = shown(cell).get("text/html", "")
        assert html, cell.source
        assert "Unknown section" not in html
        own = 'class="discreet"' in html
        assert not own or ("<script" not in html and len(html) < 20_000), cell.source
    assert sum('class="discreet"' in shown(cell)["text/html"] for cell in displays) >= 15


def test_charts_are_vega_lite_with_a_picture(cells):
    charts = [shown(cell) for cell in cells if ".plot(" in cell.source]
    assert len(charts) == 3
    for chart in charts:
        assert {VEGA_LITE, "image/svg+xml", "text/plain"} <= set(chart)
        assert "text/html" not in chart  # JupyterLab would prefer it


def test_frames_stay_frames(cells):
    for cell in cells:
        if cell.source.endswith((".head()", ".to_polars()")):
            assert "<table" in shown(cell)["text/html"]


@pytest.mark.browser
@pytest.mark.parametrize(("ink", "ground"), [("#111", "#fff"), ("#ddd", "#111")])
def test_displays_can_be_read_on_light_and_on_dark_ground(cells, ink, ground):
    from playwright.sync_api import sync_playwright

    displays = [data["text/html"] for cell in cells if 'class="discreet"' in (data := _all(cell)).get("text/html", "")]
    page = f'<!doctype html><body style="font:14px sans-serif;color:{ink};background:{ground}">{"".join(displays)}'
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        opened = browser.new_page(viewport={"width": 1000, "height": 800})
        opened.set_content(page)
        contrasts = opened.evaluate(CONTRAST)
        wide = opened.evaluate("document.documentElement.scrollWidth")
        browser.close()
    assert len(contrasts) > 200
    assert min(ratio for ratio, _ in contrasts) >= 4.5, sorted(contrasts)[:3]
    assert wide <= 1000
    assert escape("<script") not in page


def _all(cell):
    return next((one.data for one in cell.outputs if one.output_type == "execute_result"), {})
