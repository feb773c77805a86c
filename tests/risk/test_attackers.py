# SPDX-License-Identifier: Apache-2.0
"""Prosecutor, journalist and marketer: ARX's figures, and by hand."""

import pytest

from discreet import Table
from discreet.risk import SampledGroups
from discreet.risk.attackers import attackers_of


def test_the_figures_of_arx_for_its_table_of_seven():
    """ARX 3.9, TestRiskMetrics.java: seven rows are all alone; 2-anonymous they are three groups, average 3/7."""
    before = attackers_of(SampledGroups.of(Table.of({"x": list(range(7))}), ["x"]))
    after = attackers_of(SampledGroups.of(Table.of({"x": [0, 0, 1, 1, 2, 2, 2]}), ["x"]))
    assert (before.prosecutor.average, before.prosecutor.highest) == (1.0, 1.0)
    assert after.prosecutor.average == pytest.approx(0.42857142857142855)
    assert after.prosecutor.highest == 0.5
    assert after.basis == "table"
    assert after.journalist == after.prosecutor


def test_by_hand_in_a_population():
    # two a of four in the population, one b of two: 1/4, 1/4, 1/2
    table, population = Table.of({"x": ["a", "a", "b"]}), Table.of({"x": ["a"] * 4 + ["b"] * 2 + ["c"] * 4})
    found = attackers_of(SampledGroups.of(table, ["x"]).within(table, population, ["x"]), threshold=0.3)
    assert found.basis == "counted"
    assert (found.prosecutor.highest, found.prosecutor.at_risk) == (1.0, 3)
    assert found.prosecutor.average == pytest.approx(2 / 3)
    assert (found.journalist.highest, found.journalist.at_risk) == (0.5, 1)
    assert found.journalist.average == pytest.approx(max(2 / 6, (1 / 4 + 1 / 4 + 1 / 2) / 3))
    assert found.marketer == pytest.approx(1 / 3)


def test_a_smaller_sample_leaves_more_persons_to_confuse():
    groups = SampledGroups.of(Table.of({"x": [1, 1, 2, 3]}), ["x"])
    marketers = [attackers_of(groups.sampled(fraction)).marketer for fraction in (0.01, 0.1, 0.5, 1.0)]
    assert marketers == sorted(marketers)
    assert marketers[-1] == pytest.approx(3 / 4)
