# SPDX-License-Identifier: Apache-2.0
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet import Containment, DataError, GreedySelector, KAnonymity, Roles, RolesError, verify
from discreet.counting import supersets
from discreet.data.baskets import Baskets
from discreet.foundation.parameters import ParameterError
from discreet.privacy import containment_anonymity, promise_from
from discreet.privacy.exclusive_items import one_hot_groups
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


@given(baskets(), st.integers(2, 4), st.integers(0, 2), st.data())
def test_known_labels_equal_the_definition(found, k, absences, data):
    """Of each label by itself: persons of the label whose rows contain the row, and nothing of the absences."""
    rows, matrix = found
    numbers = st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))
    labels, persons = data.draw(numbers), data.draw(st.one_of(st.none(), numbers))
    verdict = Containment(k, absences, label_known=True).check(Baskets.of(matrix, labels, persons=persons))
    least = []
    for i, row in enumerate(rows):
        same = [j for j in range(len(rows)) if labels[j] == labels[i] and rows[j] >= row]
        whose = range(len(rows)) if persons is None else persons
        lacking = set().union(*rows) - row
        for size in range(min(absences, len(lacking)) + 1):
            least += [len({whose[j] for j in same if not rows[j] & set(A)}) for A in combinations(lacking, size)]
    assert (verdict.measured, verdict.holds) == (min(least), min(least) >= k)
    assert verdict.with_label == verdict.measured
    assert verdict.details["AC"] == min(oracles.ac_of_rows(rows, persons))


def test_known_labels_are_stated_and_need_labels():
    promise = Containment(3, label_known=True)
    assert promise_from(promise.to_dict()) == promise
    assert str(promise) == "3-anonymity by containment with known labels"
    assert "label_known" not in Containment(3).to_dict()
    with pytest.raises(RolesError, match="needs labels"):
        promise.check(Baskets.of([[1, 1]] * 3))


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
    """The worked example: 19 feasible sets at k = 2; the maximal ones are x1x2x5 and x1x3x4x5."""
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


# -- absences ---------------------------------------------------------------------------------------------------------


def left_of_rows(rows, n_items, absences, persons=None):
    """From the definition: persons left of each row after the worst set of at most `absences` items that it lacks."""
    whose = range(len(rows)) if persons is None else persons
    found = []
    for e in rows:
        lacks = sorted(set(range(n_items)) - e)
        sets = [set(A) for size in range(absences + 1) for A in combinations(lacks, size)]
        found.append(min(len({whose[i] for i, f in enumerate(rows) if f >= e and not f & A}) for A in sets))
    return found


persons_or_none = st.one_of(st.none(), st.lists(st.integers(0, 4), min_size=12, max_size=12))


@given(baskets(), st.integers(2, 5), st.integers(1, 4), persons_or_none)
def test_check_with_absences_equals_the_definition(found, k, absences, persons):
    rows, matrix = found
    persons = None if persons is None else persons[: len(rows)]
    verdict = Containment(k, absences).check(Baskets.of(matrix, persons=persons))
    left = left_of_rows(rows, matrix.shape[1], absences, persons)
    assert verdict.measured == min(left)
    assert verdict.holds == (min(left) >= k)
    assert verdict.rows_short == sum(count < k for count in left)
    assert verdict.details["AC"] == min(oracles.ac_of_rows(rows, persons))
    assert verdict.notes[0].endswith("counted exactly.")


@given(baskets(), st.integers(2, 5), st.integers(1, 4), persons_or_none)
def test_the_bound_never_says_more_than_is_true(found, k, absences, persons):
    rows, matrix = found
    persons = None if persons is None else persons[: len(rows)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supersets, "_EFFORT", 0)
        patch.setattr(supersets, "_SHARE", 0)
        verdict = Containment(k, absences).check(Baskets.of(matrix, persons=persons))
    left = left_of_rows(rows, matrix.shape[1], absences, persons)
    assert verdict.measured <= min(left)
    assert verdict.rows_short >= sum(count < k for count in left)
    if not verdict.notes[0].endswith("counted exactly."):
        assert "at least" in verdict.notes[0]


def test_where_the_search_is_given_up_the_verdict_says_so():
    matrix = (np.random.default_rng(0).random((60, 14)) < 0.4).astype(int)
    matrix[:10] = 0
    exact = Containment(5, absences=3).check(Baskets.of(matrix))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supersets, "_EFFORT", 0)
        patch.setattr(supersets, "_SHARE", 0)
        bounded = Containment(5, absences=3).check(Baskets.of(matrix))
    assert bounded.measured <= exact.measured
    assert "bounded from below" in bounded.notes[0]


@given(baskets(), st.integers(0, 3), st.data())
def test_fewer_items_never_leave_fewer_persons(found, absences, data):
    """Downward closed: what fits under absences still fits after items are left out."""
    _, matrix = found
    kept = sorted(data.draw(st.sets(st.integers(0, matrix.shape[1] - 1), min_size=1)))
    assert containment_anonymity(matrix[:, kept], absences) >= containment_anonymity(matrix, absences)


@given(baskets(), st.integers(0, 9))
def test_absences_lie_between_containment_and_k_anonymity(found, absences):
    _, matrix = found
    k_anonymity = KAnonymity(2).check(Baskets.of(matrix)).measured
    assert k_anonymity <= containment_anonymity(matrix, absences + 1) <= containment_anonymity(matrix, absences)
    assert containment_anonymity(matrix, matrix.shape[1]) == k_anonymity


def test_absences_by_hand():
    """The second row's items are had by all three; who knows that its owner lacks the second item is left with one."""
    X = [[1, 1], [1, 0], [1, 1]]
    assert containment_anonymity(X) == 2
    assert containment_anonymity(X, absences=1) == 1


def test_absences_are_in_the_words_and_in_the_description():
    promise = Containment(5, absences=1)
    assert str(promise) == "5-anonymity by containment with 1 absence"
    assert str(Containment(5, absences=2)) == "5-anonymity by containment with 2 absences"
    assert promise.to_dict() == {"name": "containment", "k": 5, "absences": 1}
    assert promise_from(promise.to_dict()) == promise
    assert "more than 1 of the items" in promise.does_not_protect
    assert Containment(5).to_dict() == {"name": "containment", "k": 5}
    assert promise_from({"name": "containment", "k": 5}) == Containment(5)
    with pytest.raises(ValueError, match="'absences' parameter of Containment"):
        Containment(5, absences=-1)


# -- one-hot items ----------------------------------------------------------------------------------------------------


def one_hot(rng, n, *levels):
    return np.hstack([np.eye(count, dtype=int)[rng.integers(0, count, n)] for count in levels])


def test_one_hot_columns_are_found_in_a_bare_matrix():
    rng = np.random.default_rng(1)
    matrix = np.hstack([one_hot(rng, 400, 2, 5, 3), (rng.random((400, 6)) < 0.3).astype(int)])
    order = rng.permutation(matrix.shape[1])
    groups = {frozenset(order[list(group)].tolist()) for group in one_hot_groups(Baskets.of(matrix[:, order]))}
    assert groups == {frozenset(range(2)), frozenset(range(2, 7)), frozenset(range(7, 10))}
    (note,) = Containment(2).check(Baskets.of(matrix)).notes
    assert note.startswith("10 of the 16 items belong to 3 groups of which no row has two")


def test_a_rare_value_that_is_no_item_does_not_hide_the_others():
    rng = np.random.default_rng(2)
    matrix = np.eye(5, dtype=int)[rng.choice(5, 600, p=[0.4, 0.3, 0.2, 0.08, 0.02])]
    assert one_hot_groups(Baskets.of(matrix[:, :4])) == [(0, 1, 2, 3)]
    assert one_hot_groups(Baskets.of(matrix[:, :3])) == []  # a tenth of the rows has none of them


@pytest.mark.parametrize("density", [0.5, 0.1, 0.02])
def test_unrelated_items_are_not_taken_for_values_of_a_column(density):
    matrix = np.random.default_rng(3).random((300, 400)) < density
    assert one_hot_groups(Baskets.of(matrix)) == []
    assert Containment(2).check(Baskets.of(matrix)).notes == ()


@given(baskets())
def test_groups_are_what_they_are_said_to_be(found):
    _, matrix = found
    wide = np.repeat(matrix, 8, axis=0)
    for group in one_hot_groups(Baskets.of(wide)):
        assert len(group) >= 2
        assert wide[:, group].sum(axis=1).max() == 1
        assert wide[:, group].sum() >= 0.95 * len(wide)


def test_the_note_is_in_the_certificate_and_the_source_s_is_the_owner_s(tmp_path):
    rng = np.random.default_rng(4)
    matrix = one_hot(rng, 300, 2, 2, 6)
    release = GreedySelector(5).release(matrix, rng.integers(0, 2, 300))
    assert "of the source" in release.owner.notes[0]
    folder = release.save(tmp_path / "out") / "release"
    found = verify(folder)
    assert found.holds
    assert found.certificate.verdict.notes == release.verdict.notes == Containment(5).check(release.baskets).notes
    assert release.verdict.notes
    assert not GreedySelector(5, constraint="k-anonymity").release(matrix, rng.integers(0, 2, 300)).owner.notes


def test_a_negative_number_of_absences_is_refused():
    with pytest.raises(ParameterError, match="'absences' parameter"):
        containment_anonymity([[1, 0], [1, 1]], absences=-1)
