# SPDX-License-Identifier: Apache-2.0
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from discreet import Containment, KmAnonymity, ParameterError, Roles
from discreet.counting.small_sets import rare_sets, smallest_sets
from discreet.data.baskets import Baskets
from discreet.privacy import promise_from


@st.composite
def cases(draw):
    n, d = draw(st.integers(1, 14)), draw(st.integers(1, 8))
    rows = [draw(st.sets(st.integers(0, d - 1))) for _ in range(n)]
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int).reshape(n, d)
    numbers = st.lists(st.integers(0, 5), min_size=n, max_size=n)
    return rows, matrix, draw(numbers), draw(st.one_of(st.none(), numbers))


@settings(deadline=None)
@given(cases(), st.integers(2, 5), st.integers(1, 4))
def test_check_equals_the_definition(case, k, m):
    rows, matrix, labels, persons = case
    verdict = KmAnonymity(k, m).check(Baskets.of(matrix, labels, persons=persons))
    fewest = oracles.km_anonymity(rows, m, persons)
    assert (verdict.measured, verdict.holds) == (fewest, fewest >= k)
    whose = range(len(rows)) if persons is None else persons

    def persons_of(some):
        return len({whose[i] for i, row in enumerate(rows) if row >= set(some)})

    short = [any(persons_of(s) < k for size in range(1, m + 1) for s in combinations(row, size)) for row in rows]
    assert verdict.rows_short == sum(short)
    of_class = [[i for i, label in enumerate(labels) if label == c] for c in set(labels)]
    within = [
        oracles.km_anonymity([rows[i] for i in mine], m, None if persons is None else [persons[i] for i in mine])
        for mine in of_class
    ]
    assert verdict.with_label == min(within)


@settings(deadline=None)
@given(cases(), st.integers(2, 5), st.integers(1, 3))
def test_rare_sets_are_those_of_the_definition(case, k, m):
    """Every set found is one, and every one contains a set that was found."""
    rows, matrix, _, persons = case
    found, complete = rare_sets(Baskets.of(matrix, persons=persons), k, m, most=10_000)
    assert complete
    found = [set(line[line >= 0].tolist()) for line in found]
    whose = range(len(rows)) if persons is None else persons
    sets = {s for row in rows for size in range(1, m + 1) for s in combinations(sorted(row), size)}
    rare = [set(s) for s in sets if len({whose[i] for i, row in enumerate(rows) if row >= set(s)}) < k]
    assert all(s in rare for s in found)
    assert all(any(s <= one for s in found) for one in rare)


@settings(deadline=None)
@given(cases(), st.integers(2, 4))
def test_an_attacker_who_may_know_all_items_is_that_of_containment(case, k):
    _, matrix, _, persons = case
    baskets = Baskets.of(matrix, persons=persons)
    assert KmAnonymity(k, 8).check(baskets).holds == Containment(k).check(baskets).holds


def test_a_search_that_is_given_up_is_bounded_from_below_and_says_so(monkeypatch):
    rows = [[1, 1, 1, 0], [1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 1]]
    baskets = Baskets.of(rows)
    assert KmAnonymity(2, 2).check(baskets).measured == 3 - 1
    given_up = smallest_sets(baskets, 2, 2, effort=1)
    assert not given_up.complete
    monkeypatch.setattr("discreet.privacy.km_anonymity.smallest_sets", lambda *a: given_up)
    verdict = KmAnonymity(2, 2).check(baskets)
    assert (verdict.measured, verdict.holds) == (2, True)  # the row with all items, twice
    assert "at least so much" in verdict.notes[0]


def test_tables_of_items_and_descriptions():
    table = {"a": [1, 1, 1, 0], "b": [1, 1, 0, 0], "y": [0, 1, 0, 1]}
    assert KmAnonymity(2).check(table, Roles(target="y", quasi=["a", "b"])).measured == 2
    assert promise_from(KmAnonymity(3, 4).to_dict()) == KmAnonymity(3, 4)
    assert str(KmAnonymity(3, 4)) == "(3, 4)-anonymity"
    for m in (0, 17, 2.5):
        with pytest.raises(ParameterError, match="'m' parameter of KmAnonymity"):
            KmAnonymity(2, m)
