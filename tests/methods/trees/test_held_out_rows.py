# SPDX-License-Identifier: Apache-2.0
import numpy as np

from discreet import Table
from discreet.counting.coded_rows import CodedRows, DistinctRows, RowEntries
from discreet.foundation.randomness import Randomness
from discreet.methods.trees.held_out_rows import FOLDS, PersonRows, folds_of


def test_a_persons_rows_are_in_one_fold_whatever_their_order():
    random = np.random.default_rng(7)
    person, row, label = random.integers(0, 40, 300), random.integers(0, 9, 300), random.integers(0, 2, 300)
    folds = []
    for order in (np.arange(300), random.permutation(300)):
        entries = RowEntries(row[order], label[order], np.ones(300, dtype=int), person[order])
        members = PersonRows.of(DistinctRows(np.zeros((9, 1)), np.zeros((9, 2)), entries))
        owner = np.repeat(np.unique(person), np.diff(members.starts))
        found = members.folds(Randomness(0))
        owners = [set(owner[fold].tolist()) for fold in found]
        assert sorted(np.concatenate(found).tolist()) == list(range(300))
        assert sum(map(len, owners)) == len(set(person.tolist()))
        folds.append([sorted(zip(owner[f], members.row[f], members.label[f], strict=True)) for f in found])
    assert folds[0] == folds[1]
    assert sorted(member for fold in folds[0] for member in fold) == sorted(zip(person, row, label, strict=True))


def test_what_is_learnt_and_what_is_asked_add_up_to_the_table():
    random = np.random.default_rng(1)
    table = Table.of({"a": random.integers(0, 9, 200).tolist(), "y": random.integers(0, 3, 200).tolist()})
    rows = CodedRows.of(table, ["a"], target="y")
    folds = list(folds_of(rows))
    assert len(folds) == 2 * FOLDS
    for learnt, asked in folds:
        assert (learnt.codes == rows.codes).all()
        assert (learnt.counts + asked == rows.counts).all()
        assert learnt.n_persons == learnt.n_rows
    for repeat in range(2):
        asked_once = sum(asked for _, asked in folds[FOLDS * repeat : FOLDS * (repeat + 1)])
        assert (asked_once == rows.counts).all()


def test_one_row_makes_no_folds():
    rows = CodedRows.of(Table.of({"a": [1], "y": [0]}), ["a"], target="y")
    assert list(folds_of(rows)) == []
