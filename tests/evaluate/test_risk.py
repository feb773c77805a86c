# SPDX-License-Identifier: Apache-2.0
"""Risk is what counting by hand gives, for rows and for persons."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Baskets, Mondrian, Roles
from discreet.errors import RolesError
from discreet.evaluate.risk import BELOW, released_risk, risk

TABLE = {"sex": ["f", "f", "f", "m", "m", None], "age": [31, 31, 31, 45, 45, 45]}


def test_six_rows_by_hand():
    # groups: (f, 31) of 3, (m, 45) of 2, (missing, 45) of 1
    found = risk(TABLE, ["sex", "age"])
    assert (found.rows, found.groups, found.k, found.unique) == (6, 3, 1, 1)
    assert found.below == {2: 1, 3: 3, 5: 6, 10: 6}
    assert found.average == pytest.approx(3 / 6)  # groups / rows
    assert [(b.low, b.high, b.groups, b.rows) for b in found.sizes] == [(1, 1, 1, 1), (2, 3, 2, 5)]


def test_persons_are_counted_when_they_are_given():
    # the three rows of (f, 31) are one person's: she is unique
    found = risk(TABLE, ["sex", "age"], persons=np.array([0, 0, 0, 1, 2, 3]))
    assert (found.persons, found.k, found.unique, found.below[3]) == (4, 1, 4, 6)
    assert found.average == pytest.approx((3 * 1 + 2 * 1 / 2 + 1) / 6)


def test_baskets_are_grouped_by_all_their_items():
    found = risk(Baskets.of([[1, 0], [1, 0], [0, 1], [0, 0]]))
    assert (found.groups, found.k, found.unique) == (3, 1, 2)


def test_no_quasi_identifier_is_refused():
    with pytest.raises(RolesError, match="none were named"):
        risk(TABLE, [])


rows = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([1, 2, None]), st.integers(0, 9)), min_size=1)


@given(rows)
def test_risk_equals_counting_with_a_dictionary(drawn):
    table = {"x": [row[0] for row in drawn], "y": [row[1] for row in drawn]}
    persons = np.array([row[2] for row in drawn])
    members = defaultdict(set)
    for row in drawn:
        members[row[:2]].add(row[2])
    size = [len(members[row[:2]]) for row in drawn]
    found = risk(table, ["x", "y"], persons=persons)
    assert found.k == min(size)
    assert found.unique == sum(s == 1 for s in size)
    assert found.below == {b: sum(s < b for s in size) for b in BELOW}
    assert found.average == pytest.approx(sum(1 / s for s in size) / len(size))
    assert sum(b.rows for b in found.sizes) == len(drawn)
    by_bin = Counter(s.bit_length() for s in size)
    assert [b.rows for b in found.sizes] == [by_bin.get(p, 0) for p in range(1, len(found.sizes) + 1)]


def test_the_risk_of_a_release_is_that_of_its_published_columns():
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(20, 80, 200), "y": rng.integers(0, 2, 200), "who": np.repeat(np.arange(100), 2)}
    release = Mondrian(k=4).release(table, Roles(target="y", quasi=["age"], person="who"))
    found = released_risk(release)
    assert found.persons == 100
    assert found.k == release.verdict.measured >= 4
    assert found.below[3] == 0
