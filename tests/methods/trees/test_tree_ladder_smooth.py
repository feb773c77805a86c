# SPDX-License-Identifier: Apache-2.0
"""Trees that follow a regression on the bins."""

from collections import Counter
from unittest import mock

import numpy as np
import pytest

import oracles
from discreet import Roles, Table, TreeLadder
from discreet.methods.trees.label_worth import LabelRegression
from discreet.methods.trees.tree_ladder_choice import WaySearch
from discreet.methods.trees.tree_ladder_growth import grow
from discreet.methods.trees.tree_ladder_smooth import grow_smoothly, regression_answers
from discreet.methods.trees.tree_ladder_ways import Way


def additive(n, seed, n_classes=2):
    """Rows of five columns, each of which adds to the class; distinct ones with their rows by class."""
    random = np.random.default_rng(seed)
    bins = random.integers(0, 4, (n, 5))
    score = (bins - 1.5).sum(axis=1) * 0.6 + random.logistic(size=n)
    label = np.searchsorted(np.linspace(-1, 1, n_classes - 1) if n_classes > 2 else [0.0], score)
    distinct, of = np.unique(bins, axis=0, return_inverse=True)
    counts = np.zeros((len(distinct), n_classes), dtype=np.int64)
    np.add.at(counts, (of.ravel(), label), 1)
    return distinct, counts


@pytest.mark.parametrize("n_classes", [2, 3])
def test_answers_divide_every_row_as_the_regression_does(n_classes):
    bins, counts = additive(500, 0, n_classes)
    answers, rows = regression_answers(bins, counts), counts.sum(axis=1)
    assert (answers >= 0).all()
    assert (answers.sum(axis=1) == 16 * rows).all()
    said = LabelRegression.of(bins, counts).said(bins)
    assert np.abs(answers / 16 - said * rows[:, None]).max() <= 1 / 16


@pytest.mark.parametrize("ahead", [False, True])
def test_nodes_hold_enough_rows_and_count_the_classes_themselves(ahead):
    bins, counts = additive(800, 1)
    tree = grow_smoothly(bins, counts, regression_answers(bins, counts), 25, ahead=ahead, weights=np.ones(5))
    assert len(tree.left) > 10
    for node in range(len(tree.left)):
        inside = ((bins >= tree.low[node]) & (bins <= tree.high[node])).all(axis=1)
        assert tree.counts[node].tolist() == counts[inside].sum(axis=0).tolist()
        assert tree.counts[node].sum() >= 25


def test_small_groups_tell_more_of_other_rows_than_those_of_the_classes():
    bins, counts = additive(1500, 2)
    asked_bins, asked = additive(20_000, 3)
    trees = {
        "classes": grow(bins, counts, 5, ahead=False),
        "regression": grow_smoothly(bins, counts, regression_answers(bins, counts), 5, ahead=False, weights=np.ones(5)),
    }
    loss = {}
    for name, tree in trees.items():
        shares = (tree.counts + 1) / (tree.counts.sum(axis=1, keepdims=True) + 2)
        loss[name] = -(asked * np.log(shares[tree.locate(asked_bins)])).sum() / asked.sum()
    assert loss["regression"] < loss["classes"] - 0.02


@pytest.mark.parametrize("strictness", [0.0, 0.69])
def test_a_release_is_k_anonymous_and_recodes_to_itself(strictness):
    bins, counts = additive(900, 4)
    row, label = np.nonzero(counts)
    cells = np.repeat(np.column_stack([bins[row], label]), counts[row, label], axis=0)
    names = [f"c{j}" for j in range(5)]
    table = Table.of({name: cells[:, j].tolist() for j, name in enumerate([*names, "ill"])})
    with mock.patch.object(WaySearch, "ranked", return_value=[Way(7, 20, False, strictness, 16, smooth=True)]):
        release = TreeLadder(7).release(table, Roles(target="ill", quasi=names))
    rows = list(zip(*(release.data.column(name).to_pylist() for name in names), strict=True))
    assert oracles.k_anonymity(rows) >= 7
    assert release.losses.groups.groups > 12
    recoded = release.recode(table).to_arrow().select(names).to_pylist()
    assert Counter(map(str, recoded)) == Counter(map(str, release.data.select(names).to_pylist()))
