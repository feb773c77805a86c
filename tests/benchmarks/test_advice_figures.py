# SPDX-License-Identifier: Apache-2.0
"""The figures that an advice quotes, and those of the guide, are what the study of the frontier measured."""

from benchmarks.frontier.advice import FIGURES, GUIDE, with_blocks, written_figures

AGAIN = "python -m benchmarks.frontier.advice"


def test_the_figures_of_an_advice_are_current():
    assert FIGURES.read_text(encoding="utf-8") == written_figures(), AGAIN


def test_the_figures_of_the_guide_are_current():
    page = GUIDE.read_text(encoding="utf-8")
    assert page == with_blocks(page), AGAIN
