# SPDX-License-Identifier: Apache-2.0
"""Groups of a table in a population: weights, fractions and tables that do not fit are refused, in names and counts."""

import numpy as np
import pytest

from discreet import Baskets, Table
from discreet.errors import DataError, ParameterError, RolesError
from discreet.risk import SampledGroups

TABLE = Table.of({"x": [1, 1, 2]})


def groups():
    return SampledGroups.of(TABLE, ["x"])


def test_a_population_is_matched_by_what_is_written():
    # numbers here, texts there; missing is like missing
    table, population = Table.of({"x": [1, None, 3]}), Table.of({"x": ["1", "1", None, "3", "b"]})
    found = SampledGroups.of(table, ["x"]).within(table, population, ["x"])
    assert found.population[found.of_row].tolist() == [2, 1, 1]
    assert (found.counted.persons, found.counted.lacking, found.fraction) == (5, 0, 0.6)


def test_persons_that_the_population_lacks_are_counted():
    found = groups().within(TABLE, Table.of({"x": [1, 5, 5]}), ["x"])
    assert found.counted.lacking == 2  # one of the two 1, and the 2
    assert found.population[found.of_row].tolist() == [2, 2, 1]  # never fewer than the table has


def test_persons_of_the_population_may_have_several_rows():
    found = groups().within(TABLE, Table.of({"x": [1, 1, 1, 2]}), ["x"], persons=np.array([0, 0, 1, 2]))
    assert found.population[found.of_row].tolist() == [2, 2, 1]


def test_weights_below_one_leave_the_persons_of_the_table():
    assert groups().weighted(np.array([0.2, 0.3, 4.0])).population.tolist() == [2, 4]


@pytest.mark.parametrize("fraction", [0, 1.2, -1, True, "0.1"])
def test_a_fraction_that_is_none_is_refused(fraction):
    with pytest.raises(ParameterError, match="above 0, at most 1"):
        groups().sampled(fraction)


@pytest.mark.parametrize("weights", [[1, 2, 0], [1, 2, -3], [1, 2, np.nan]])
def test_a_weight_that_is_none_is_refused(weights):
    with pytest.raises(DataError, match="1 of 3 sampling weights"):
        groups().weighted(np.array(weights, dtype=float))


def test_errors_speak_of_names_and_counts():
    with pytest.raises(DataError, match="2 weights for 3 rows"):
        groups().weighted(np.array([1.0, 2.0]))
    with pytest.raises(RolesError, match=r"lacks quasi-identifiers of the table: 'x'. Did you mean 'xx'\?"):
        groups().within(TABLE, Table.of({"xx": [1]}), ["x"])
    with pytest.raises(RolesError, match="none were named"):
        SampledGroups.of(TABLE, [])


def test_baskets_are_grouped_by_their_items():
    assert sorted(SampledGroups.of(Baskets.of([[1, 0], [1, 0], [0, 1]]), ()).sizes) == [1, 2]
