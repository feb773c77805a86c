# SPDX-License-Identifier: Apache-2.0
"""Which sets of rows may be a group: against the definitions in plain Python, one set at a time."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import CannotRelease, ParameterError, Roles, RolesError, Table
from discreet.counting.coded_rows import CodedRows
from discreet.methods.group_needs import GroupNeeds, promise_of

ASKED = [
    {},
    {"label_known": True},
    {"l": 2},
    {"l": 1.5, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 1.5},
    {"t": 0.25},
    {"t": 0.2, "distance": "ordered"},
    {"l": 2, "t": 0.4, "label_known": True},
]


@st.composite
def cases(draw):
    n = draw(st.integers(1, 18))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    table = {
        "x": column([1, 2, 3, None]),
        "z": column(["a", "b"]),
        "pay": column([10, 20, 35, 70]),
        "who": column([1, 2, 3, 4, 5, 6]),
        "y": column([0, 1]),
    }
    return table, draw(st.lists(st.integers(0, 3), min_size=8, max_size=8)), draw(st.sampled_from([None, "who"]))


def _counted(values, whose):
    return Counter(value for value, _ in set(zip(values, whose, strict=True)))


def _far(mine, table, ordered):
    """The earth mover's distance of two counters."""
    m, n, values = sum(mine.values()), sum(table.values()), sorted(table)
    difference = [Fraction(mine[v], m) - Fraction(table[v], n) for v in values]
    if not ordered:
        return sum(map(abs, difference)) / 2
    below = [abs(sum(difference[: i + 1])) for i in range(len(values) - 1)]
    return sum(below, Fraction(0)) / max(len(values) - 1, 1)


def _may_be_a_group(table, rows, whose, k, asked):
    """By the definitions, from the row numbers of the group."""
    persons = len({whose[i] for i in rows})
    if persons < k:
        return False
    if asked.get("label_known"):
        labels = _counted([table["y"][i] for i in rows], [whose[i] for i in rows])
        if min(labels.values()) < k:
            return False
    mine = _counted([table["pay"][i] for i in rows], [whose[i] for i in rows])
    r, l = sorted(mine.values(), reverse=True), asked.get("l")  # noqa: E741
    if l is not None:
        measure = asked.get("diversity", "distinct")
        if persons < l or len(r) < (l if measure == "distinct" else 1):
            return False
        bits = -sum(c / sum(r) * math.log(c / sum(r)) for c in r)
        if measure == "entropy" and math.exp(bits) < l - 1e-9:
            return False
        if measure == "recursive" and not r[0] < Fraction(str(asked["c"])) * sum(r[l - 1 :]):
            return False
    if "t" in asked:
        whole = _counted(table["pay"], whose)
        return _far(mine, whole, asked.get("distance") == "ordered") <= Fraction(str(asked["t"]))
    return True


@pytest.mark.parametrize("asked", ASKED, ids=str)
@settings(max_examples=60, deadline=None)
@given(case=cases(), k=st.integers(2, 3), part=st.booleans(), coarse=st.booleans())
def test_sets_equal_the_definitions(asked, case, k, part, coarse):
    table, assigned, person = case
    n = len(table["x"])
    whose = table["who"] if person else list(range(n))
    roles = Roles(target="y", quasi=["x", "z"], sensitive=["pay"], person=person)
    rows = CodedRows.of(Table.of(table), roles.quasi, target="y", person=person)
    needs, group_of_row = GroupNeeds.of(rows, roles, promise_of(k, **asked)), rows.group_of_row
    if coarse:  # the same question about rows that no longer tell z
        merged, place = rows.merged([rows.codes[:, 0]], [4])
        needs, group_of_row = needs.merged(merged, place), place[group_of_row]
    inside = np.flatnonzero(np.arange(len(needs.rows)) % 3 != 1) if part else None
    members = np.arange(len(needs.rows)) if inside is None else inside
    sets = np.unique(np.array([assigned[i] for i in members]), return_inverse=True)[1]
    if len(sets) == 0:
        return
    met = needs.met(sets, int(sets.max()) + 1, inside)
    for number, found in enumerate(met):
        rows_of_set = np.flatnonzero(np.isin(group_of_row, members[sets == number])).tolist()
        assert found == _may_be_a_group(table, rows_of_set, whose, k, asked)


def test_impossible_requests_are_refused_with_names_and_counts():
    table = {"x": [1, 2, 3, 4], "ill": ["flu", "flu", "flu", "gout"], "y": [0, 0, 0, 1]}
    roles = Roles(target="y", quasi=["x"], sensitive=["ill"])
    rows = CodedRows.of(Table.of(table), roles.quasi, target="y")

    def refused(roles=roles, **asked):
        promise = promise_of(2, **asked)
        GroupNeeds.of(rows, roles, promise).check_possible(promise)

    refused(l=2)
    with pytest.raises(CannotRelease, match="only 4 persons: a group needs 5") as error:
        refused(l=5)
    with pytest.raises(CannotRelease, match="column 'ill' has 2 different values, the rarest of them for 1") as error:
        refused(l=3)
    assert "gout" not in str(error.value)
    with pytest.raises(CannotRelease, match=r"with known labels was asked.*column 'y'"):
        refused(label_known=True)
    with pytest.raises(RolesError, match="the roles name none"):
        refused(roles=Roles(target="y", quasi=["x"]), t=0.1)
    with pytest.raises(RolesError, match="no target"):
        refused(roles=Roles(quasi=["x"]), label_known=True)
    with pytest.raises(RolesError, match="'ill' holds categories"):
        refused(t=0.1, distance="ordered")


@pytest.mark.parametrize("asked", [{"c": 2.0}, {"diversity": "entropy"}, {"distance": "ordered"}])
def test_how_something_is_measured_is_no_request(asked):
    with pytest.raises(ParameterError, match=r"or leave (it|them) out"):
        promise_of(5, **asked)
