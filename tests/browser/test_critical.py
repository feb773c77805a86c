# SPDX-License-Identifier: Apache-2.0
"""Critical differences in a real browser: drawn, spoken, nothing cut off."""

import json

import numpy as np
import pytest

from browsing import DESKTOP, PHONE, watched
from discreet.evaluate.statistics import friedman
from discreet.report.critical import critical_plot
from discreet.report.release_page import scripts

pytestmark = pytest.mark.browser

NAMES = ["TreeLadder", "Mondrian, information", "kACTUS-2", "kADET", "TDS", "TDR", "a method with a long name indeed"]
DRAW = """
const runtime = vega.parse(vegaLite.compile(%s).spec, null, { ast: true });
new vega.View(runtime, { expr: vega.expressionInterpreter, renderer: "svg", container: "#plot" }).runAsync();
"""


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    scores = np.random.default_rng(3).normal(0, 1, (12, 7)) + np.linspace(3, 0, 7)
    spec = critical_plot(friedman(scores), NAMES)
    parts = "".join(f"<script>{script}</script>" for script in (*scripts(), DRAW % json.dumps(spec)))
    path = tmp_path_factory.mktemp("critical") / "critical.html"
    page = f'<!doctype html><meta charset="utf-8"><body><div id="plot" style="width: 100%"></div>{parts}</body>'
    path.write_text(page, encoding="utf-8")
    return path, spec


@pytest.mark.parametrize("viewport", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_points_and_bars_are_drawn_and_nothing_is_cut_off(browser, drawn, viewport):
    path, spec = drawn
    page = watched(browser, path, viewport)
    page.wait_for_function("document.querySelectorAll('svg .mark-symbol path').length == 7")
    joined = spec["layer"][2]["data"]["values"]
    lines = page.evaluate("document.querySelectorAll('svg .mark-rule.role-mark line').length")
    assert lines == 7 + 1 + len(joined)  # a line below each point, the ruler, the bars
    spoken = page.locator("#plot")
    assert spoken.get_attribute("role") == "graphics-document"
    assert spoken.get_attribute("aria-label") == spec["description"]
    cut = page.evaluate(
        """[...document.querySelectorAll('svg text')].filter((text) => {
          const box = text.getBoundingClientRect();
          return box.left < 0 || box.right > window.innerWidth;
        }).map((text) => text.textContent)"""
    )
    assert cut == []
    assert page.complaints == []
    page.close()
