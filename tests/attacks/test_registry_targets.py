# SPDX-License-Identifier: Apache-2.0
"""Rates do not depend on how many are tried, and intervals hold the rate that trying everybody gives."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.attacked import cases, lines, lines_of_groups
from benchmarks.calibration.quick import attacked, drawing
from scipy.stats import binom

from discreet.attacks.registry import ATTACKS

ROWS = 360


@pytest.fixture(scope="module")
def made():
    return cases(ROWS)


@pytest.mark.parametrize("name", ["singling-out", "linkability", "intersection", "inference", "membership", "sparse"])
def test_rates_at_two_numbers_of_targets_agree(made, name):
    few = {one.attack: one for one in ATTACKS[name](replace(made[name], targets=40, random_state=3))}
    many = {one.attack: one for one in ATTACKS[name](replace(made[name], targets=10**6, random_state=4))}
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


@pytest.mark.parametrize("name", ["singling-out", "inference", "membership", "sketches"])
def test_targets_drawn_from_what_all_give_are_those_of_the_attack(made, name):
    """The calibration makes slow attacks once; its intervals are the attack's own, to the last digit."""
    quick, itself = drawing(name, made[name]), attacked(name, made[name])
    for targets, seed in ((40, 1), (90, 2)):
        found, expected = quick(targets, seed), itself(targets, seed)
        assert found
        for title, one in found.items():
            assert (one.success, one.targets) == (expected[title].success, expected[title].targets)
            assert name == "inference" or one.of_all == pytest.approx(expected[title].of_all, abs=1e-12)


@pytest.mark.parametrize("name", ["singling-out", "inference", "membership"])
def test_intervals_of_many_draws_hold_95_of_100(made, name):
    """800 draws: within 95 +- 2 %, and what a share of 0.93 or 0.97 gives with a probability of 0.9999."""
    found = [line for line in lines(name, made[name], runs=800, sizes=(90,)) if line.of_all * line.targets > 5]
    assert found  # of fewer hits an interval can end in few places only
    for line in found:
        assert binom.ppf(5e-5, 800, 0.93) <= 800 * line.share <= binom.ppf(1 - 5e-5, 800, 0.97), line


@pytest.mark.parametrize(("name", "persons"), [("downcoding", 512), ("minimality", 260)])
def test_intervals_of_groups_hold_what_groups_of_other_persons_give(name, persons):
    """60 tables: by chance fewer than 49 intervals hold with probability under 0.0005 at 95 %."""
    assert binom.cdf(48, 60, 0.95) < 5e-4
    (line,) = lines_of_groups(name, runs=60, persons=persons)
    assert line.runs == 60
    assert line.share >= 49 / 60, line


def test_singling_out_by_several_columns_tries_as_much_for_each_row(made):
    rates = []
    for targets in (30, 120, ROWS):
        found = ATTACKS["singling-out"](replace(made["singling-out"], targets=targets, random_state=9))
        rates.append(next(one.success for one in found if one.attack == "singling out, several columns"))
    for one in rates[:-1]:
        assert one.low - 0.02 <= rates[-1].value <= one.high + 0.02
    assert np.ptp([one.value for one in rates]) < 0.2
