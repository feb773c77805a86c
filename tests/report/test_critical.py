# SPDX-License-Identifier: Apache-2.0
"""The picture of critical differences says what the test says, in signs and in words."""

import json
import sys
from pathlib import Path

import pytest

from discreet import DataError
from discreet.evaluate.statistics import friedman
from discreet.report.critical import critical_plot

sys.path.insert(0, str(Path(__file__).parents[1] / "evaluate"))
from test_statistics import DEMSAR

NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]


def bars(spec, place):
    return spec["layer"][place]["data"]["values"]


def test_bars_join_the_methods_that_do_not_differ():
    spec = critical_plot(friedman(DEMSAR), NAMES, confidence=0.9)
    (ruler,), joined = bars(spec, 1), bars(spec, 2)
    assert ruler["high"] - ruler["low"] == pytest.approx(friedman(DEMSAR).critical_difference(0.9))
    assert [bar["names"] for bar in joined] == ["C4.5+m+cf, C4.5+m, C4.5+cf", "C4.5+cf, C4.5"]
    assert [(round(bar["low"], 3), round(bar["high"], 3)) for bar in joined] == [(1.964, 2.893), (2.893, 3.143)]
    assert len({bar["line"] for bar in joined}) == 2
    assert [value["name"] for value in spec["data"]["values"]] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]


def test_a_control_has_one_bar_around_it():
    found = friedman(DEMSAR)
    spec = critical_plot(found, NAMES, control="C4.5")
    (bar,) = bars(spec, 2)
    assert bar["low"] == pytest.approx(found.ranks[0] - found.critical_difference(control=True))
    assert bar["high"] == 4.0  # no rank is larger
    assert "Not different from C4.5: C4.5+m, C4.5+cf." in spec["description"]


def test_all_is_said_in_words():
    spec = critical_plot(friedman(DEMSAR), NAMES, confidence=0.9)
    assert "1 is the best: C4.5+m+cf 1.96, C4.5+m 2.00, C4.5+cf 2.89, C4.5 3.14." in spec["description"]
    assert "Ranks 1.12 or more apart differ, with 90 percent confidence." in spec["description"]
    assert "Not told apart: C4.5+m+cf, C4.5+m, C4.5+cf; C4.5+cf, C4.5." in spec["description"]
    apart = critical_plot(friedman([[9.0, 1.0]] * 30), ["a", "b"])
    assert "All differ from each other." in apart["description"]
    assert json.loads(json.dumps(spec)) == spec


def test_lines_are_sorted_and_bars_come_last():
    spec = critical_plot(friedman(DEMSAR), NAMES)
    order = spec["layer"][0]["encoding"]["y"]["sort"]
    assert order[:4] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert order[4] == "critical difference 1.25"
    assert spec["height"] == 26 * len(order)


def test_names_must_fit():
    with pytest.raises(DataError, match="4 methods were ranked"):
        critical_plot(friedman(DEMSAR), NAMES[:3])
    with pytest.raises(DataError, match="3 different names"):
        critical_plot(friedman(DEMSAR), ["a", "a", "b", "c"])
    with pytest.raises(DataError, match=r"no method 'C4'.*Did you mean 'C4.5'"):
        critical_plot(friedman(DEMSAR), NAMES, control="C4")
