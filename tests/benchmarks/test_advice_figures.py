# SPDX-License-Identifier: Apache-2.0
"""The figures that an advice quotes, and those of the guide, are what the study of the frontier measured."""

import json
from math import isnan

import pytest
from benchmarks.frontier.advice import FIGURES, GUIDE, measured, tables, with_blocks, written_figures
from benchmarks.frontier.page import kept

AGAIN = "python -m benchmarks.frontier.advice"


def test_the_figures_of_an_advice_are_current():
    assert FIGURES.read_text(encoding="utf-8") == written_figures(), AGAIN


def test_the_figures_of_the_guide_are_current():
    page = GUIDE.read_text(encoding="utf-8")
    assert page == with_blocks(page), AGAIN


def test_the_figures_are_json_and_complete():
    def refused(name):
        raise AssertionError(name)

    text = FIGURES.read_text(encoding="utf-8")
    json.loads(text, parse_constant=refused)
    assert "nan" not in GUIDE.read_text(encoding="utf-8").split()


def test_detail_that_was_not_kept_for_every_method_is_not_compared():
    found = kept()
    assert measured(found)["counted"] == "counted detail"
    for by in found.values():
        for one in by.values():
            one["detail"] = 0.5
    assert measured(found)["detail"] == "detail"
    del found["adult"]["50 TDS"]["detail"]
    assert "detail" not in measured(found)
    cells = [one for by in tables(found).values() for part in by.values() for one in part["methods"].values()]
    assert not any(isnan(value) for one in cells for value in one.values())


def test_the_guide_reads_its_tables_as_they_are():
    """The sentences below the tables."""
    found = json.loads(FIGURES.read_text(encoding="utf-8"))["tables"]
    parts = [(size, k, part["methods"]) for size, by in found.items() for k, part in by.items()]
    apart = max(abs(one["tree-ladder"][key] - one["tds"][key]) for *_, one in parts for key in ("accuracy", "auc"))
    assert apart == pytest.approx(0.020)
    for *_, one in parts:
        ladder, median = one["tree-ladder"], one["mondrian"]
        assert 0.035 < ladder["accuracy"] - median["accuracy"] < 0.095
        assert ladder["raw"] > max(cell["raw"] for cell in one.values()) - 0.0055
        assert median["counted"] == max(cell["counted"] for cell in one.values())
