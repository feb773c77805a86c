# SPDX-License-Identifier: Apache-2.0
"""Delta-presence by hand, and as counting with a dictionary gives it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import risk_twins
from discreet import Table
from discreet.risk import SampledGroups, delta_presence


def within(sample, population):
    table = Table.of({"x": sample})
    return SampledGroups.of(table, ["x"]).within(table, Table.of({"x": population}), ["x"])


def test_by_hand():
    # of three a two are in the table, of two b both, of one c none
    groups = within(["a", "a", "b", "b"], ["a", "a", "a", "b", "b", "c"])
    found = delta_presence(groups)
    assert (found.low, found.high, found.certain) == (0, 1, 2)
    assert (groups.counted.unique, groups.counted.absent, groups.counted.groups) == (1, 1, 3)


@given(st.lists(st.integers(0, 4), min_size=1), st.lists(st.integers(0, 5)))
def test_it_is_the_least_and_greatest_share(sample, others):
    found = delta_presence(within(sample, sample + others))
    low, high = risk_twins.presence(sample, sample + others)
    assert (found.low, found.high) == (pytest.approx(float(low)), pytest.approx(float(high)))


def test_there_is_none_without_a_table_of_the_population():
    assert delta_presence(SampledGroups.of(Table.of({"x": [1, 2]}), ["x"]).sampled(0.5)) is None
