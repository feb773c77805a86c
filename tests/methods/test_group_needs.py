# SPDX-License-Identifier: Apache-2.0
"""Which sets of rows may be a group: against the definitions in plain Python, one set at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import CannotRelease, ParameterError, Roles, RolesError, Table
from discreet.counting.coded_rows import CodedRows
from discreet.methods.group_needs import GroupNeeds, promise_of
from group_needs_twin import ASKED, may_be_a_group


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
        assert found == may_be_a_group(table, rows_of_set, whose, k, asked)


def test_impossible_requests_are_refused_with_names_and_counts():
    table = {"x": [1, 2, 3, 4], "ill": ["flu", "flu", "flu", "gout"], "y": [0, 0, 0, 1]}
    roles = Roles(target="y", quasi=["x"], sensitive=["ill"])
    rows = CodedRows.of(Table.of(table), roles.quasi, target="y")

    def refused(roles=roles, k=2, **asked):
        GroupNeeds.of(rows, roles, promise_of(k, **asked)).check_possible()

    refused(l=2)
    with pytest.raises(CannotRelease, match="only 4 persons; a group needs 5"):
        refused(l=1.5, k=5, diversity="entropy")
    with pytest.raises(CannotRelease, match="l = 3 was asked, but column 'ill' has 2 different values") as error:
        refused(l=3)
    assert "gout" not in str(error.value)
    with pytest.raises(CannotRelease, match="k = 2 with known labels was asked, but column 'y'"):
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
