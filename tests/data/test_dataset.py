# SPDX-License-Identifier: Apache-2.0
"""A dataset is checked once, and says the same of a table with roles and of labelled baskets."""

from dataclasses import replace

import numpy as np
import pytest

from discreet import Baskets, DataError, GreedySelector, Mondrian, Roles, RolesError, Table
from discreet.data.dataset import Dataset, item_table, keep_items, rows_of

ROLES = Roles(target="again", quasi=["age"], sensitive=["ill"], identifiers=["name"], person="stay")
PEOPLE = {
    "name": ["Ann", "Bob", "Cem", "Dan"],
    "age": [31, 34, 38, 52],
    "ill": ["flu", "flu", "gout", "gout"],
    "again": ["yes", "no", "no", "yes"],
    "stay": ["a", "b", "b", "c"],
    "unused": [1, 1, 2, 2],
}
ITEMS = [[1, 0, 1], [0, 0, 1], [1, 1, 1]]


def test_a_table_with_its_roles():
    dataset = Dataset.of(PEOPLE, ROLES)
    assert (dataset.shape, dataset.target, dataset.quasi, dataset.not_quasi) == ("table", "again", ("age",), ("ill",))
    assert dataset.table.names == ("again", "age", "ill")
    assert dataset.data.names == ROLES.named
    assert [dataset.classes[label] for label in dataset.labels] == PEOPLE["again"]
    assert (len(dataset), dataset.n_persons) == (4, 3)


def test_labelled_baskets():
    dataset = Dataset.of(Baskets.of(ITEMS, [10, 9, 10], names=["x", "y", "label"], persons=["p", "q", "p"]))
    assert (dataset.shape, dataset.roles, dataset.target) == ("baskets", None, "label'")
    assert (dataset.quasi, dataset.not_quasi) == (("x", "y", "label"), ())
    assert [dataset.classes[label] for label in dataset.labels] == ["10", "9", "10"]
    assert dataset.table.names == ("x", "y", "label", "label'")
    assert dataset.table.column("label'").codes.tolist() == dataset.labels.tolist()
    assert (len(dataset), dataset.n_persons) == (3, 2)


def test_labels_may_come_beside_the_items():
    for given in (ITEMS, Baskets.of(ITEMS)):
        assert Dataset.of(given, y=["a", "b", "a"]).classes == ("a", "b")


@pytest.mark.parametrize(
    "dataset", [Dataset.of(PEOPLE, ROLES), Dataset.of(Baskets.of([[1, 0], [0, 1], [1, 1], [1, 0]], [0, 1, 1, 0]))]
)
def test_some_rows_are_a_dataset_like_all(dataset):
    rows = np.array([3, 1])
    some = dataset.take(rows)
    assert type(some) is type(dataset)
    assert [some.classes[label] for label in some.labels] == [dataset.classes[dataset.labels[row]] for row in rows]
    assert some.target == dataset.target
    assert Dataset.of(some) is some


def test_some_rows_may_all_differ_where_all_rows_do_not():
    """An amount that two of 40 persons share is published; on folds without one of them it is no name either."""
    people = {"age": [30, 40] * 20, "cost": [1.5, *range(1, 39), 1.5], "again": ["yes", "no", "no", "yes"] * 10}
    roles = Roles(target="again", quasi="age", other="cost")
    some = Dataset.of(people, roles).take(np.arange(39))
    assert len(Mondrian(5).release(some.data, some.roles).data) == 39
    with pytest.raises(RolesError, match="39 different values in 39 rows"):
        Mondrian(5).release(some.data, roles)


def test_what_teaches_nothing_is_refused():
    with pytest.raises(RolesError, match="needs roles"):
        Dataset.of(PEOPLE)
    with pytest.raises(RolesError, match="needs labels"):
        Dataset.of(Baskets.of(ITEMS))
    with pytest.raises(RolesError, match="target"):
        Dataset.of(PEOPLE, replace(ROLES, target=None))
    with pytest.raises(DataError, match="Nothing can be learnt"):
        Dataset.unchecked(Baskets.of(ITEMS)).labels  # noqa: B018


def test_what_a_method_checks_by_itself_is_taken_as_it_is():
    alike = PEOPLE | {"again": ["no"] * 4}
    assert Dataset.unchecked(alike, ROLES).classes == ("no",)
    with pytest.raises(RolesError, match="one class only"):
        Dataset.unchecked(alike, ROLES).checked()


def test_items_are_categories():
    table = item_table(Baskets.of([[1, 0, 1], [0, 0, 1]], ["a", "b"], names=["x", "y", "z"]), "label")
    assert [table.column(name).texts for name in "xyz"] == [["0", "1"], ["0"], ["1"]]
    assert table.column("x").codes.tolist() == [1, 0]
    assert all(table.column(name).kind == "category" for name in table.names)


def test_items_are_kept_in_the_order_asked_for():
    kept = keep_items(Baskets.of(ITEMS, names=["x", "y", "z"]), ["z", "x"])
    assert kept.names == ("z", "x")
    assert kept.matrix.toarray().tolist() == [[1, 1], [1, 0], [1, 1]]


def test_frames_are_tables_and_baskets_stay():
    baskets = Baskets.of(ITEMS)
    assert rows_of(baskets) is baskets
    assert isinstance(rows_of({"a": [1, 2]}), Table)


def test_a_dataset_is_released_as_what_it_is_made_of():
    roles = replace(ROLES, person=None)
    one = Mondrian(k=2, random_state=1).release(Dataset.of(PEOPLE, roles))
    two = Mondrian(k=2, random_state=1).release(Table.of(PEOPLE).select(roles.named), roles)
    assert one.table.equals(two.table)
    X, y = np.array([[1, 0], [1, 1], [1, 0], [1, 1]]), ["a", "b", "b", "a"]
    one = GreedySelector(k=2, random_state=1).release(Dataset.of(X, y=y))
    two = GreedySelector(k=2, random_state=1).release(X, y)
    assert one.baskets.equals(two.baskets)
