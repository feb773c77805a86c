# SPDX-License-Identifier: Apache-2.0
"""Rates do not depend on how many are tried, and intervals hold the rate that trying everybody gives."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.attacked import cases, lines
from scipy.stats import binom

from discreet.evaluate.attacks.registry import ATTACKS

ROWS = 360


@pytest.fixture(scope="module")
def made():
    return cases(ROWS)


@pytest.mark.parametrize("name", ["singling-out", "linkability", "intersection", "inference", "membership", "sparse"])
def test_rates_at_two_numbers_of_targets_agree(made, name):
    few = {one.attack: one for one in ATTACKS[name](replace(made[name], targets=40, seed=3))}
    many = {one.attack: one for one in ATTACKS[name](replace(made[name], targets=10**6, seed=4))}
    assert set(few) == set(many)
    for attack, one in few.items():
        if one.kind == "easiest row":  # of the persons tried, the easiest
            continue
        wide = 1.5 * max(one.success.high - one.success.value, one.success.value - one.success.low, 0.01)
        assert abs(one.success.value - many[attack].success.value) <= wide, attack


def test_the_attack_on_everybody_is_counted(made):
    for name in ("singling-out", "linkability", "sparse", "sketches"):
        found = [one for one in ATTACKS[name](made[name]) if one.kind not in ("record", "item", "sign")]
        assert all(one.success.is_counted for one in found), name


@pytest.mark.parametrize("name", ["singling-out", "linkability", "sparse", "sketches"])
def test_intervals_hold_the_rate_of_all(made, name):
    """40 draws of persons: by chance fewer than 32 of 40 intervals hold with probability under 0.0005 at 95 %."""
    assert binom.cdf(31, 40, 0.95) < 5e-4
    found = list(lines(name, made[name], runs=40, sizes=(90,)))
    assert found
    assert min(line.share for line in found) >= 0.8, found
    assert max(abs(line.mean - line.of_all) for line in found) < 0.03


def test_singling_out_by_several_columns_tries_as_much_for_each_row(made):
    rates = []
    for targets in (30, 120, ROWS):
        found = ATTACKS["singling-out"](replace(made["singling-out"], targets=targets, seed=9))
        rates.append(next(one.success for one in found if one.attack == "singling out, several columns"))
    for one in rates[:-1]:
        assert one.low - 0.02 <= rates[-1].value <= one.high + 0.02
    assert np.ptp([one.value for one in rates]) < 0.2
