# SPDX-License-Identifier: Apache-2.0
"""Held-out accuracy is honest: nothing of the test rows reaches the method or the classifier."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Baskets, CannotRelease, DataError, GreedySelector, Mondrian, Roles, RolesError, Table
from discreet.evaluate.confidence import wilson
from discreet.evaluate.utility import holdout, split
from discreet.foundation.randomness import Randomness
from discreet.samples import clinic

ROLES = Roles(target="y", quasi=["age", "sex"], other=["note"])


def people(n=400, seed=0):
    """The label follows the age, with noise; `note` is noise."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 4)), "yes", "no")
    return {"age": age, "sex": rng.choice(["f", "m"], n), "note": rng.choice(["a", "b", None], n), "y": y}


class Spy(Mondrian):
    """Remembers which rows it was shown; not registered under a name of its own."""

    name = ""

    def release(self, data, roles=None, *, y=None):
        self.seen_ = data.data
        return super().release(data, roles, y=y)


def test_accuracy_is_above_the_baselines_where_the_quasi_identifiers_tell_the_label():
    found = holdout(Mondrian(k=5, split="information"), people(), ROLES)
    assert found.accuracy_before.value > found.accuracy_without_quasi.value + 0.15
    assert found.accuracy_after.value > found.majority.value + 0.1
    assert found.accuracy_after.low < found.accuracy_after.value < found.accuracy_after.high
    difference = found.accuracy_after.value - found.accuracy_before.value
    assert found.difference.value == pytest.approx(difference)
    assert found.difference.low <= difference <= found.difference.high
    assert (found.n_train, found.n_test, found.units) == (280, 120, "rows")
    assert "logistic regression" in found.classifier


def test_labels_that_depend_on_nothing_are_not_predicted():
    """A study that let the test labels in would do better than the commonest class here."""
    rng = np.random.default_rng(5)
    table = people(600) | {"y": rng.integers(0, 2, 600)}
    for method in (Mondrian(k=2, split="information"), GreedySelector(k=2, utility="distcnt")):
        found = holdout(method, table, ROLES)
        assert found.accuracy_after.value < 0.6
        assert found.accuracy_before.value < 0.6


def test_the_method_sees_the_training_rows_only():
    table = people(200) | {"age": np.arange(200)}  # a row is known by its age
    spy = Spy(k=5)
    found = holdout(spy, table, ROLES, random_state=3)
    assert len(spy.seen_) == found.n_train == 140
    train, test = split(Table.of(table).column("y").codes, None, 0.3, Randomness(3))
    assert sorted(spy.seen_.column("age").to_arrow().to_pylist()) == train.tolist()
    assert not set(train) & set(test)


def test_nobody_is_on_both_sides():
    sample = clinic(600, random_state=1, repeat=0.5)
    spy = Spy(k=5)
    found = holdout(spy, sample.data, sample.roles)
    column = sample.data.column("patient_id")
    seen = set(spy.seen_.column("patient_id").to_arrow().to_pylist())
    train, test = split(sample.data.column("readmitted").codes, column.codes, 0.3, Randomness(0))
    everyone = column.to_arrow().to_pylist()
    assert {everyone[row] for row in train} == seen
    assert seen.isdisjoint(everyone[row] for row in test)
    assert found.units == "persons"
    assert (found.n_train, found.n_test) == (len(train), len(test))
    alone = wilson(found.accuracy_after.value, found.n_test)
    assert found.accuracy_after.low < alone.low  # fewer persons than rows: a wider interval


def test_the_same_seed_gives_the_same_figures_and_another_another_split():
    first, again = (holdout(Mondrian(k=5, random_state=1), people(), ROLES, random_state=7) for _ in range(2))
    assert first == again
    assert holdout(Mondrian(k=5, random_state=1), people(), ROLES, random_state=8) != first


def test_neither_the_method_nor_the_data_is_changed():
    table, method = Table.of(people()), Mondrian(k=5)
    before = method.get_params()
    holdout(method, table, ROLES)
    assert method.get_params() == before
    assert table.names == ("age", "sex", "note", "y")


def test_baskets_are_measured_on_the_kept_items():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 500)
    X = (rng.random((500, 12)) < np.where(np.arange(12) < 4, 0.15 + 0.6 * y[:, None], 0.3)).astype(int)
    found = holdout(GreedySelector(k=5, utility="distcnt"), Baskets.of(X, y))
    assert found.accuracy_before.value > 0.8
    assert found.majority.value < found.accuracy_after.value <= 1
    assert found.accuracy_without_quasi == found.majority  # there is nothing beside the items


def test_columns_that_are_missing_everywhere_or_constant_do_no_harm():
    table = people(300) | {"note": [None] * 300, "one": [1.5] * 300}
    roles = Roles(target="y", quasi=["age", "sex"], other=["note", "one"])
    found = holdout(Mondrian(k=5), table, roles)
    assert found.accuracy_before.value > 0.7


@pytest.mark.parametrize("share", [0, 1, -0.5, 2])
def test_a_share_outside_0_and_1_is_refused(share):
    with pytest.raises(DataError, match="test_share"):
        holdout(Mondrian(k=2), people(), ROLES, test_share=share)


def test_too_few_rows_are_refused_and_a_table_needs_roles():
    with pytest.raises(DataError, match="too few"):
        holdout(Mondrian(k=2), {"age": [1, 2], "sex": ["f", "m"], "note": [1, 1], "y": ["a", "b"]}, ROLES)
    with pytest.raises(RolesError, match="needs roles"):
        holdout(Mondrian(k=2), people())
    with pytest.raises(CannotRelease):
        holdout(Mondrian(k=30), people(36), ROLES)  # enough for the table, not for the training rows


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20)), min_size=12, max_size=80),
    st.booleans(),
    st.integers(0, 5),
)
def test_a_split_takes_every_row_once_and_keeps_persons_together(rows, by_person, seed):
    labels = np.array([label for label, _ in rows])
    persons = np.array([person for _, person in rows]) if by_person else None
    try:
        train, test = split(labels, persons, 0.3, Randomness(seed))
    except DataError:
        return
    assert sorted([*train, *test]) == list(range(len(rows)))
    if persons is not None:
        assert set(persons[train]).isdisjoint(persons[test])
    else:
        for label in np.unique(labels):
            assert (labels[test] == label).sum() == round(0.3 * (labels == label).sum())
