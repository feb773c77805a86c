# SPDX-License-Identifier: Apache-2.0
"""k-map: counted in a population by a dictionary, and estimated as summing the distribution gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import risk_twins
from discreet import Table
from discreet.risk import SampledGroups
from discreet.risk.k_map_estimate import CONFIDENCE, chance_below, k_map
from discreet.risk.population_uniqueness import PitmanParameters

values = st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2, None]))


def table(rows):
    return Table.of({"x": [row[0] for row in rows], "y": [row[1] for row in rows]})


@given(st.lists(values, min_size=1), st.lists(values))
def test_counted_in_the_population(sample, others):
    population = sample + others
    groups = SampledGroups.of(table(sample), ["x", "y"]).within(table(sample), table(population), ["x", "y"])
    sizes = risk_twins.sizes_in_population(sample, population)
    found = k_map(groups)
    assert (found.k, found.confidence) == (min(sizes), 1)
    assert found.below == {k: sum(size < k for size in sizes) for k in (2, 3, 5, 10)}
    assert groups.counted.persons == len(population)
    assert groups.counted.lacking == 0


@given(st.integers(1, 12), st.floats(0.05, 1.0), st.integers(1, 30))
def test_the_chance_of_fewer_is_a_sum(size, p, k):
    (found,) = chance_below(k, np.array([size]), np.array([p]))
    assert found == pytest.approx(risk_twins.chance_below(k, size, p), abs=1e-9)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.sampled_from([0.05, 0.3, 1.0]))
def test_the_estimated_k_is_the_largest_that_is_reached_with_the_confidence(sizes, fraction):
    rows = [name for name, size in enumerate(sizes) for _ in range(size)]
    groups = SampledGroups.of(Table.of({"x": rows}), ["x"]).sampled(fraction)
    found = k_map(groups)

    def failing(k):
        return sum(risk_twins.chance_below(k, size, fraction) for size in sizes)

    assert failing(found.k) <= 1 - CONFIDENCE + 1e-9
    assert failing(found.k + 1) > 1 - CONFIDENCE - 1e-9
    expected = sum(size * risk_twins.chance_below(5, size, fraction) for size in sizes)
    assert found.below[5] == pytest.approx(expected, abs=1e-8)


def test_under_pitmans_model_fewer_are_like_a_row():
    groups = SampledGroups.of(Table.of({"x": [1, 2, 3, 4, 5, 5]}), ["x"]).sampled(0.05)
    blind, seeing = k_map(groups), k_map(groups, pitman=PitmanParameters(2.0, 0.5))
    q = (2 + 6) / (2 + 6 / 0.05)
    expected = 4 * risk_twins.chance_below(5, 1, q, 0.5) + 2 * risk_twins.chance_below(5, 2, q, 0.5)
    assert seeing.below[5] == pytest.approx(expected)
    assert seeing.below[5] > blind.below[5]


def test_nothing_is_said_without_a_population():
    assert k_map(SampledGroups.of(Table.of({"x": [1, 2]}), ["x"])) is None
