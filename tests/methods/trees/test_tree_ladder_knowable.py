# SPDX-License-Identifier: Apache-2.0
"""How much can be known of the class, and that detail does not outweigh what little it is."""

import numpy as np
import pytest

from discreet import Roles, Table, TreeLadder
from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.label_worth import LabelWorth
from discreet.methods.trees.tree_ladder_knowable import knowable
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.recoding.axis import Axis


def known_of(columns, label):
    names = [f"c{place}" for place in range(len(columns))]
    table = Table.of(dict(zip(names, map(list, columns), strict=True)) | {"y": list(label)})
    rows = CodedRows.of(table, names, target="y")

    def ladders(some, rarest):
        return [Ladder.of(Axis.of(some, one.name, rarest=rarest, by_class=True), 16) for one in some.columns]

    return knowable(rows, ladders)


def drawn(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    return rng, rng.integers(0, 4, n), rng.integers(0, 4, n), rng.integers(0, 60, n)


def test_of_chance_nothing_can_be_known():
    rng, one, other, number = drawn()
    assert known_of([one, other, number], rng.integers(0, 2, 2000)) < 0.02


def test_one_column_can_tell_all():
    _, one, other, number = drawn()
    assert known_of([one, other, number], number >= 30) > 0.9


def test_columns_that_tell_together_alone_are_heard():
    _, one, other, number = drawn()
    assert known_of([one, other, number], (one // 2) ^ (other // 2)) > 0.9


def test_nobody_is_asked_of_a_single_row():
    assert known_of([[1], ["a"]], ["no"]) == 0


def test_detail_is_worth_less_where_less_can_be_known():
    worth = [LabelWorth.of_rows(0.1, np.ones(2), 10_000, known).detail for known in (0.0, 0.15, 0.3, 0.9)]
    assert worth == pytest.approx([0.05, 0.1, 0.15, 0.15])


@pytest.mark.parametrize(("n", "often", "seldom"), [(6000, 0.1, 0.02), (3000, 0.25, 0.15)])
def test_a_weak_signal_is_kept_beside_much_detail(n, often, seldom):
    """One column tells a little about the class, four tell nothing and have much detail. The column is published so
    that its labels tell it, too: detail must not take its place."""
    rng = np.random.default_rng(1)
    amount = rng.integers(0, 100, n)
    label = rng.random(n) < np.where(amount >= 80, often, seldom)
    noise = {f"n{place}": rng.integers(0, 8, n).tolist() for place in range(4)}
    table = Table.of({"amount": amount.tolist(), **noise, "y": label.tolist()})
    released = TreeLadder(k=5, random_state=0).release(table, Roles(target="y", quasi=("amount", *noise))).table
    amounts, classes = (np.array([*one.texts, ""])[one.codes] for one in map(released.column, ("amount", "y")))
    found = [(classes[amounts == text] == "true").mean() for text in {*amounts} if (amounts == text).sum() > 300]
    assert max(found) / min(found) > 0.8 * np.sqrt(often / seldom)
