# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet import Containment, DataError, KAnonymity, Roles
from discreet.data.baskets import Baskets
from discreet.privacy import containment_anonymity
from paper_example import TABLE_1, TABLE_1_LABELS


@st.composite
def baskets(draw):
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 10))
    rows = [draw(st.sets(st.integers(0, d - 1))) for _ in range(n)]
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int).reshape(n, d)
    return rows, matrix


@given(baskets(), st.integers(2, 6), st.data())
def test_check_equals_the_definition(found, k, data):
    rows, matrix = found
    numbers = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))
    labels, persons = data.draw(numbers), data.draw(st.one_of(st.none(), numbers))
    verdict = Containment(k).check(Baskets.of(matrix, labels, persons=persons))
    ac = oracles.ac_of_rows(rows, persons)
    assert verdict.measured == min(ac)
    assert verdict.holds == (min(ac) >= k)
    assert verdict.rows_short == sum(a < k for a in ac)
    groups = oracles.group_persons([frozenset(row) for row in rows], persons)
    assert verdict.details["classical k"] == min(map(len, groups.values()))
    assert verdict.details["rows in groups below k"] == sum(len(groups[frozenset(row)]) < k for row in rows)
    same = [{labels[j] for j, other in enumerate(rows) if other >= row} == {labels[i]} for i, row in enumerate(rows)]
    assert verdict.details["rows whose containing rows share one label"] == sum(same)
    of_class = [[i for i, label in enumerate(labels) if label == c] for c in set(labels)]
    within = [
        min(oracles.ac_of_rows([rows[i] for i in mine], None if persons is None else [persons[i] for i in mine]))
        for mine in of_class
    ]
    assert verdict.with_label == min(within)


@given(baskets())
def test_closed_form_smallest_multiplicity_of_the_maximal_rows(found):
    rows, matrix = found
    maximal = [row for row in rows if not any(row < other for other in rows)]
    assert containment_anonymity(matrix) == min(rows.count(row) for row in maximal)


@given(baskets())
def test_k_anonymity_implies_containment(found):
    _, matrix = found
    assert containment_anonymity(matrix) >= KAnonymity(2).check(Baskets.of(matrix)).measured


def test_the_paper_s_table():
    assert oracles.ac_of_rows([set(np.flatnonzero(row)) for row in TABLE_1]) == [4, 4, 2, 4, 1, 1]
    assert containment_anonymity(TABLE_1) == 1
    assert Containment(2).check(Baskets.of(TABLE_1, TABLE_1_LABELS)).rows_short == 2


def test_feasible_families_of_the_paper_s_table():
    """SPEC 1.4 row 1: 19 feasible sets at k = 2; the maximal ones are x1x2x5 and x1x3x4x5."""
    from itertools import combinations

    sets = [set(s) for size in range(1, 6) for s in combinations(range(5), size)]
    feasible = [s for s in sets if containment_anonymity(TABLE_1[:, sorted(s)]) >= 2]
    assert len(feasible) == 19
    maximal = [sorted(s) for s in feasible if not any(s < other for other in feasible)]
    assert sorted(maximal) == [[0, 1, 4], [0, 2, 3, 4]]


def test_containment_is_weaker_than_k_anonymity():
    X = [[1, 1], [1, 0], [1, 1]]
    assert containment_anonymity(X) == 2
    assert KAnonymity(2).check(X).measured == 1


def test_a_table_of_zeros_and_ones_is_checked_by_its_quasi_identifiers():
    table = {"a": [1, 1, 1], "b": [1, 0, 1], "y": [0, 0, 1], "who": [1, 1, 2]}
    roles = Roles(target="y", quasi=["a", "b"])
    assert Containment(2).check(table, roles).measured == 2
    assert Containment(2).check(table, Roles(quasi=["a", "b"], person="who")).measured == 2
    assert Containment(2).check({**table, "who": [1, 1, 1]}, Roles(quasi=["a", "b"], person="who")).measured == 1


def test_other_cells_than_zero_and_one_are_refused():
    with pytest.raises(DataError, match="1 of 2 columns have others: 'b'"):
        Containment(2).check({"a": [1, 0], "b": [2, 0]}, Roles(quasi=["a", "b"]))
    with pytest.raises(DataError, match="0/1 quasi-identifiers; none were named"):
        Containment(2).check({"a": [1, 0]}, Roles())


def test_rows_without_items_are_contained_in_every_row():
    assert containment_anonymity([[0, 0], [1, 1], [1, 1]]) == 2
    assert containment_anonymity([[0], [0], [0]]) == 3
