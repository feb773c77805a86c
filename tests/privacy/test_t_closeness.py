# SPDX-License-Identifier: Apache-2.0
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet import Roles, RolesError, TCloseness
from discreet.privacy.l_diversity import ValueCounts
from discreet.privacy.t_closeness import _exact


@st.composite
def tables(draw):
    n = draw(st.integers(1, 25))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    return {"x": column(["a", "b", None]), "pay": column([10, 20, 35, 70]), "who": column([1, 2, 3, 4])}


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@given(table=tables(), person=st.sampled_from([None, "who"]))
def test_distance_equals_the_definition(distance, table, person):
    persons = table["who"] if person else None
    places = [sorted(set(table["pay"])).index(value) for value in table["pay"]]
    exact = oracles.t_closeness(table["x"], places, distance == "ordered", persons)
    roles = Roles(quasi=["x"], sensitive=["pay"], person=person)
    assert TCloseness(0.3, distance=distance).check(table, roles).measured == pytest.approx(float(exact))
    assert TCloseness(0.3, distance=distance).check(table, roles).holds == (exact <= Fraction("0.3"))


def test_a_distance_of_exactly_t_is_close_enough():
    """Group a holds 1 of 2 "u", the table 3 of 10: the distance is 0.2, whatever floating point says."""
    table = {"x": ["a"] * 2 + ["b"] * 8, "s": ["u", "v"] + ["u"] * 2 + ["v"] * 6}
    verdict = TCloseness(0.2).check(table, Roles(quasi=["x"], sensitive=["s"]))
    assert verdict.holds
    assert verdict.measured == pytest.approx(0.2)


@pytest.mark.parametrize("distance", ["equal", "ordered"])
@pytest.mark.parametrize("t", [0.1, 0.2, 0.3, 0.4])
def test_what_is_measured_is_never_beyond_t_by_rounding(t, distance):
    """Of 20 persons of each group 10 + 20 t have one value, in the table half: the distance is t."""
    many = round(10 + 20 * t)
    cells = [1] * many + [2] * (20 - many) + [2] * many + [1] * (20 - many)
    table = {"x": ["a"] * 20 + ["b"] * 20, "s": cells}
    verdict = TCloseness(t, distance=distance).check(table, Roles(quasi=["x"], sensitive=["s"]))
    assert verdict.holds
    assert verdict.measured == t


def test_ordered_distance_of_the_definition_by_hand():
    table = {"x": ["a", "b", "c", "c"], "s": [1, 3, 2, 2]}
    verdict = TCloseness(0.5, distance="ordered").check(table, Roles(quasi=["x"], sensitive=["s"]))
    # table: 1/4, 1/2, 1/4; a: 1, 0, 0 -> differences 3/4, 1/4 cumulative -> (3/4 + 1/4) / 2 = 1/2
    assert verdict.measured == pytest.approx(0.5)
    assert verdict.holds


def test_large_counts_do_not_overflow():
    """One group of 3e7 rows at the lowest of 1e5 values, one of 1e7 spread over the rest, by hand: far from close."""
    values = np.arange(100_000)
    weight = np.concatenate([[30_000_000], np.full(99_999, 100)])
    counts = ValueCounts(
        group=np.concatenate([[0], np.ones(99_999, dtype=int)]),
        value=np.concatenate([[0], values[1:]]),
        weight=weight,
        rows=np.array([30_000_000, 9_999_900]),
        persons=np.array([30_000_000, 9_999_900]),
        whole=weight,
    )
    distance, short, _, _ = TCloseness(0.1, distance="ordered")._measure(counts)
    exact = max(_exact(counts, group, ordered=True) for group in (0, 1))
    assert distance == pytest.approx(float(exact))
    assert short == 39_999_900


def test_known_labels_are_reported_beside():
    table = {"x": ["a"] * 4, "s": ["u", "u", "v", "v"], "y": [0, 0, 1, 1]}
    verdict = TCloseness(0.1).check(table, Roles(target="y", quasi=["x"], sensitive=["s"]))
    assert (verdict.measured, verdict.with_label) == (0.0, 0.5)


def test_wrong_parameters_and_roles():
    with pytest.raises(ValueError, match="'t' parameter of TCloseness"):
        TCloseness(1.5)
    with pytest.raises(RolesError, match="'s' holds categories"):
        TCloseness(0.1, distance="ordered").check({"x": [1], "s": ["u"]}, Roles(quasi=["x"], sensitive=["s"]))
    with pytest.raises(RolesError, match="the roles name none"):
        TCloseness(0.1).check({"x": [1]}, Roles(quasi=["x"]))
