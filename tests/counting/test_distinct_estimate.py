# SPDX-License-Identifier: Apache-2.0
"""Distinct rows from a sample: near the truth on tables of many kinds, where the classical answers are far off."""

import numpy as np
import pytest

from discreet.counting.distinct_estimate import distinct_rows

_N, _SAMPLE = 1_000_000, 100_000


def _half_unique(random):
    cells = random.integers(1000, size=_N)
    cells[::2] = random.integers(10**8, size=_N // 2)
    return cells


TABLES = {
    "few": lambda random: random.integers(1000, size=_N),
    "uniform, more than the sample": lambda random: random.integers(250_000, size=_N),
    "uniform, more than the rows": lambda random: random.integers(10**7, size=_N),
    "all distinct": lambda random: random.permutation(_N),
    "heavy power law": lambda random: random.zipf(1.1, size=_N),
    "light power law": lambda random: random.zipf(1.5, size=_N),
    "lognormal": lambda random: np.floor(np.exp(random.normal(9, 2, size=_N))),
    "half common, half unique": _half_unique,
}


@pytest.mark.parametrize("kind", TABLES)
def test_the_likely_number_is_near_the_true_one(kind):
    random = np.random.default_rng(1)  # seeded: the same sample in every run
    cells = TABLES[kind](random)
    sample = cells[random.permutation(_N)[:_SAMPLE]]
    found = distinct_rows(np.unique(sample, return_counts=True)[1], _N)
    true = len(np.unique(cells))
    assert 0.75 * true <= found.likely <= 1.35 * true
    assert found.least <= found.likely <= found.most
    assert found.least <= 1.1 * true
    assert found.most >= 0.9 * true


def test_chaos_answer_is_far_too_small_for_a_power_law():
    """Why one answer is not enough: the least is far below, the likely one is not."""
    random = np.random.default_rng(2)
    cells = random.zipf(1.5, size=_N)
    found = distinct_rows(np.unique(cells[: _SAMPLE // 4], return_counts=True)[1], _N)
    true = len(np.unique(cells))
    assert found.least < 0.5 * true < 0.8 * true < found.likely


def test_a_whole_table_is_counted():
    found = distinct_rows(np.array([3, 1, 1]), 5)
    assert (found.likely, found.least, found.most) == (3, 3, 3)


def test_no_rows():
    assert distinct_rows(np.array([], dtype=np.int64), 0).most == 0
