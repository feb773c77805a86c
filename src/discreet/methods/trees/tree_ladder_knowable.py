# SPDX-License-Identifier: Apache-2.0
"""How much can be known of the class at all: from all columns in bins, without groups, whatever k is.

Where little can be known, detail must not outweigh it: what detail is worth goes with this (label_worth.py). Columns
one by one are asked by a regression on bins, and what they say together by the leaves of a tree that looks ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.held_out_rows import enough_folds, folds_of, within_fold
from discreet.methods.trees.label_worth import LabelWorth, class_known
from discreet.methods.trees.tree_ladder_choice import STRICTNESS
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_ways import Binned, Way

_PERSONS = 50  # that share a value which may be named
_BINS = (16, 4)  # of a column
_LEAVES = 50  # of the tree, at most


def knowable(rows: CodedRows, make_ladders: Callable[[CodedRows, int], list[Ladder]]) -> float:
    """The share of what guessing lacks that is known of held-out rows; 0 if guessing is better, or nobody is asked."""
    folds, least = [*folds_of(rows)], within_fold(min(_PERSONS, max(rows.n_rows // 4, 2)), rows.n_rows)
    found = [
        [*_ways_to_know(part, asked, make_ladders(part, least), least)] for part, asked in folds[: enough_folds(folds)]
    ]
    return max(0.0, float(np.mean(found, axis=0).max())) if found else 0.0


def _ways_to_know(rows: CodedRows, asked: np.ndarray, ladders: list[Ladder], least: int) -> Iterator[float]:
    """What bins tell, and the leaves of a tree on them."""
    nothing = LabelWorth(0.0, np.ones(len(ladders)))
    for most in _BINS:
        binned = Binned.of(rows, ladders, nothing, most)
        held_out = binned.summed(asked)
        yield class_known(np.asarray(binned.rows.codes, dtype=np.int64), binned.rows.counts, held_out).share
        if most == _BINS[0]:
            way = Way(least, max(least, rows.n_rows // _LEAVES), True, STRICTNESS, most)
            leaf = binned.groups(way, lambda of, n, inside: np.ones(n, dtype=bool)).leaf
            yield class_known(leaf[:, None].astype(np.int64), binned.rows.counts, held_out).share
