# SPDX-License-Identifier: Apache-2.0
"""Cuts both of whose sides have what is asked beyond k persons."""

from collections import Counter
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from discreet import CannotRelease, Roles, Table, TreeLadder
from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees import tree_ladder, tree_ladder_cuts
from discreet.methods.trees.tree_ladder_cuts import CutRows
from group_needs_twin import ASKED, may_be_a_group

QUASI = ("age", "town")
BEYOND_PERSONS = [asked for asked in ASKED if asked]


def patients(n=1200, seed=0):
    """The class goes with age; the illness with nothing."""
    random = np.random.default_rng(seed)
    age, town = random.integers(18, 80, n), random.choice([*"abcd"], n)
    y = (random.random(n) < 1 / (1 + np.exp(-(age - 50) / 4))).astype(int)
    ill = random.choice([*"stuvw"], n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    return {"age": age.tolist(), "town": town.tolist(), "ill": ill.tolist(), "y": y.tolist()}


def only(place):
    """What is published is the one that was made at this place: the climb's, or a cut's."""
    return mock.patch.object(tree_ladder, "worth_most", lambda ways, rows, beyond: ways[place])


@pytest.mark.parametrize(("t", "times"), [(0.05, 2), (0.1, 1.4), (0.2, 1.1)])
def test_a_small_t_leaves_columns_that_tell_the_class(t, times):
    roles = Roles(target="y", quasi=QUASI, sensitive=["ill"])
    method = TreeLadder(5, t=t)
    release = method.release(patients(), roles)
    with only(0):
        climbed = method.release(patients(), roles)
    assert release.verdict.holds
    assert release.detail.whole > times * climbed.detail.whole
    assert len(set(release.data.column("age").to_pylist())) >= 4


@st.composite
def tables(draw):
    n = draw(st.integers(6, 40))

    def some(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    return {
        "age": some([20, 30, 40, 50, 60]),
        "town": some([*"abc", None]),
        "pay": some([1, 2, 3, 4]),
        "who": some(range(n)),
        "y": some([0, 1]),
    }


@settings(max_examples=60)
@given(
    table=tables(),
    k=st.integers(2, 3),
    asked=st.sampled_from(BEYOND_PERSONS),
    person=st.sampled_from([None, "who"]),
    place=st.sampled_from([-1, 0, 1]),
)
def test_every_group_has_what_was_asked(table, k, asked, person, place):
    assume(len(set(table["y"])) > 1)
    data, roles = Table.of(table), Roles(target="y", quasi=QUASI, sensitive=["pay"], person=person)
    whose = list(range(len(data))) if person is None else table["who"]
    method = TreeLadder(k, random_state=1, **asked)
    if not may_be_a_group(table, range(len(data)), whose, k, asked):
        with pytest.raises(CannotRelease):
            method.release(data, roles)
        return
    with only(place):
        release = method.release(data, roles)
    assert release.verdict.holds
    rows = list(zip(*(release.data.column(name).to_pylist() for name in QUASI), strict=True))
    assert oracles.k_anonymity(rows, None if person is None else release.owner.persons) >= k
    recoded = release.recode(data).to_arrow().select(QUASI).to_pylist()
    assert Counter(map(str, recoded)) == Counter(map(str, release.data.select(QUASI).to_pylist()))


@pytest.mark.parametrize("by_information", [False, True])
def test_every_row_lies_in_the_box_of_its_group_and_in_no_other(by_information):
    seen = []

    def look(ways, rows, beyond):
        seen.extend(ways)
        return ways[0]

    roles = Roles(target="y", quasi=QUASI, sensitive=["ill"])
    with mock.patch.object(tree_ladder, "worth_most", look):
        TreeLadder(5, l=3).release(patients(300), roles)
    (made, parted) = next(
        way for way in seen if isinstance(way[0], CutRows) and way[0].by_information == by_information
    )
    codes = made.binned.rows.codes
    boxes = {leaf: (parted.first[parted.leaf == leaf][0], parted.last[parted.leaf == leaf][0]) for leaf in parted.leaf}
    assert len(boxes) > 3
    for cells, leaf in zip(codes, parted.leaf, strict=True):
        inside = [one for one, (first, last) in boxes.items() if (first <= cells).all() and (cells <= last).all()]
        assert inside == [leaf]


def test_the_limit_of_suppression_comes_before_worth():
    """Of two that keep to it, what is worth more on held-out rows; of equals the first."""
    rows = CodedRows.of(Table.of(patients(60)), QUASI, target="y")
    worth, beyond = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 2.0}, {"a": 0.1, "b": 0.0, "c": 0.0, "d": 0.0}
    with mock.patch.object(tree_ladder_cuts, "_worth", lambda made, folds: worth[made]):
        found = tree_ladder_cuts.worth_most([(name, None) for name in worth], rows, lambda made, _: beyond[made])
    assert found == ("c", None)
