# SPDX-License-Identifier: Apache-2.0
"""Trees that follow what a logistic regression on the bins says of the class, instead of the classes themselves.

In a node of few rows the best cut by their classes is mostly chance. The regression has learnt from all rows what each
bin says, so a tree that is grown by its answers follows the columns that matter down to small groups. What matters only
in combination the regression does not see: trees of both kinds are tried. Pruning asks for the classes themselves.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.methods.trees.label_worth import LabelRegression
from discreet.methods.trees.tree_ladder_growth import ClassTree, grow

_PARTS = 16  # that a row is divided into between the classes


def grow_smoothly(
    bins: np.ndarray, counts: np.ndarray, answers: np.ndarray, least: int, *, ahead: bool, weights: np.ndarray
) -> ClassTree:
    """The tree of `grow` for answers to the class, in parts of rows (`regression_answers`)."""
    tree = grow(bins, answers, least * _PARTS, ahead=ahead, weights=weights)
    in_node = np.zeros_like(tree.counts)
    np.add.at(in_node, tree.node_of, counts)
    for node in np.flatnonzero(tree.left >= 0)[::-1]:  # a parent stands before its children
        in_node[node] = in_node[tree.left[node]] + in_node[tree.left[node] + 1]
    return replace(tree, counts=in_node)


def regression_answers(bins: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The rows as a regression on the bins divides them between the classes, in parts; of each row all parts."""
    bins = bins.astype(np.int64)
    said = LabelRegression.of(bins, counts).said(bins)
    rows = counts.sum(axis=1)
    upto = np.round(np.cumsum(said * rows[:, None] * _PARTS, axis=1)).astype(np.int64)
    upto[:, -1] = rows * _PARTS
    return np.diff(upto, axis=1, prepend=0)
