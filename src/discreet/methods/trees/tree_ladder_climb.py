# SPDX-License-Identifier: Apache-2.0
"""The climb: within a group of the tree every quasi-identifier goes up its ladder until enough persons are alike.

All start on the lowest rungs. Those who share all their bins with enough others, in the same group of the tree, stay
and are published as they stand; the others take the next step, one rung up in one column. The steps are the same for
everybody and fixed beforehand: so few different labels are published, and they mean the same in every row. Those left
at the top are published as their group of the tree.

A step merges bins, which brings people together, and loses information. The next one is that of the column where most
bits of the column are merged for the least loss of worth (label_worth.py): the share of what is known about the
class, and the share of what the column still says, times the column's weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.counting.coded_rows import DistinctRows
from discreet.counting.entropy import entropy
from discreet.counting.tally import MOST_KEY
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.progress import progress
from discreet.methods.trees.label_worth import LabelWorth
from discreet.methods.trees.tree_ladder_rungs import Ladder

Met = Callable[[np.ndarray, int, np.ndarray], np.ndarray]  # as GroupNeeds.met
_LEAST_LOSS = 1e-5  # of worth, that a step is taken to cost at least


def steps_of(ladders: Sequence[Ladder], worth: LabelWorth) -> list[int]:
    """The columns that go up one rung, step by step, until all are at the top; of equally good ones the first."""
    losses, merged = zip(*(_losses(ladder) for ladder in ladders), strict=True)
    scores = [
        np.append(np.round(bits / (weight * (lost @ [1.0, worth.detail / len(ladders)]) + _LEAST_LOSS), 6), -1.0)
        for bits, lost, weight in zip(merged, losses, worth.weights, strict=True)
    ]
    at, columns = [0] * len(ladders), []
    for _ in range(sum(ladder.top for ladder in ladders)):
        columns.append(int(np.argmax([score[rung] for score, rung in zip(scores, at, strict=True)])))
        at[columns[-1]] += 1
    return columns


def _losses(ladder: Ladder) -> tuple[np.ndarray, np.ndarray]:
    """What each rung loses when it is left for the next: shares of the class and of the column; and bits merged.

    The share of the column is one of what it still says: the last step, which leaves it blank, loses all of it.
    """
    counts = ladder.axis.counts_of_ranks
    about_class = float(entropy(counts.sum(axis=0)))
    in_bin = np.add.reduceat(counts.sum(axis=1), ladder.starts[:-1])
    own = np.array([float(entropy(np.bincount(bins, in_bin))) for bins in ladder.bins])
    lost = np.maximum(-np.diff(ladder.information), 0.0) / about_class if about_class > 0 else np.zeros(ladder.top)
    merged = -np.diff(own)
    return np.column_stack([lost, merged / np.maximum(own[:-1], 1e-9)]), merged


def climb(
    rows: DistinctRows, ladders: Sequence[Ladder], steps: Sequence[int], leaf: np.ndarray, met: Met
) -> np.ndarray:
    """The rung of each distinct row in each column; whoever is in a set that may be published stays in it."""
    top = np.array([ladder.top for ladder in ladders])
    rungs = np.tile(top, (len(rows.codes), 1))
    climbing, at = np.arange(len(rows.codes)), np.zeros(len(ladders), dtype=np.int64)
    places, spans = _packed([int(leaf.max(initial=0)) + 1, *(ladder.n_bins for ladder in ladders)])
    words = [np.zeros(len(rows.codes), dtype=np.int64) for _ in spans]
    for (word, step), cell in zip(places, (leaf, *rows.codes.T), strict=True):
        words[word] += cell.astype(np.int64) * step
    with progress("climbing the ladders", total=len(rows.codes)) as bar:
        for column in (*steps, -1):
            sets, first = rows.sets(words, spans)
            stays = met(sets, len(first), climbing)[sets]
            if stays.any():
                rungs[climbing[stays]] = at
                bar.advance(int(stays.sum()))
                climbing, words = climbing[~stays], [word[~stays] for word in words]
            if len(climbing) == 0 or column < 0:
                break
            at[column] += 1
            up = ladders[column].bins[at[column]] - ladders[column].bins[at[column] - 1]
            word, step = places[column + 1]
            words[word] += (up.astype(np.int64) * step)[rows.codes[climbing, column]]
    fill(rows, ladders, leaf, rungs, met)
    return rungs


def _packed(levels: Sequence[int]) -> tuple[list[tuple[int, int]], list[int]]:
    """Where codes below these levels are in as few whole numbers as hold them: (which number, its step) of each, and
    the end of each number.

    >>> _packed([10, 4, 2**40, 2**30])
    ([(0, 1), (0, 10), (0, 40), (1, 1)], [43980465111040, 1073741824])
    """
    places, spans = [], [1]
    for level in levels:
        if spans[-1] * level > MOST_KEY:
            spans.append(1)
        places.append((len(spans) - 1, spans[-1]))
        spans[-1] *= level
    return places, spans


def fill(rows: DistinctRows, ladders: Sequence[Ladder], leaf: np.ndarray, rungs: np.ndarray, met: Met) -> None:
    """Where those of a leaf who are left at the top may not be published, sets of it that were published join them.

    Those that climbed highest go first, the smallest of them: then no set that stays covers one that went, and each row
    is written as the finest pattern that it fits.
    """
    top = np.array([ladder.top for ladder in ladders])
    left = np.flatnonzero((rungs == top).all(axis=1))
    leaves, of = np.unique(leaf[left], return_inverse=True)
    short = leaves[~met(of.ravel(), len(leaves), left)]
    inside = np.flatnonzero(np.isin(leaf, short))
    if len(inside) == 0:
        return
    turn, n_sets = _turns(rows, ladders, leaf, rungs, inside)
    joined = 0
    while len(short):  # in the end all of a leaf have joined, and a leaf may be published
        joined = min(joined + 1 + joined // 8, n_sets)
        inside, turn = (part[np.isin(leaf[inside], short)] for part in (inside, turn))
        chosen = inside[turn <= joined]
        of = np.searchsorted(short, leaf[chosen])
        fine = met(of, len(short), chosen)
        if joined == n_sets:
            fine[:] = True
        rungs[chosen[fine[of]]] = top
        short = short[~fine]


def _turns(
    rows: DistinctRows, ladders: Sequence[Ladder], leaf: np.ndarray, rungs: np.ndarray, inside: np.ndarray
) -> tuple[np.ndarray, int]:
    """When each of some rows joins those at the top of its leaf, who have turn 0; and the last turn."""
    columns = [leaf[inside], *(rungs[inside, c] for c in range(len(ladders)))]
    columns += [ladder.bins[rungs[inside, c], rows.codes[inside, c]] for c, ladder in enumerate(ladders)]
    sets, first, sizes = rows.alike(columns, inside)
    height, leaf_of_set = rungs[inside[first]].sum(axis=1), leaf[inside[first]]
    order = np.lexsort((sizes, -height, leaf_of_set))
    begins = np.searchsorted(leaf_of_set[order], leaf_of_set[order])
    turn = np.empty(len(order), dtype=np.int64)
    turn[order] = np.arange(len(order)) - begins
    return turn[sets], int(turn.max())


def spans(
    bins: np.ndarray, ladders: Sequence[Ladder], leaf: np.ndarray, rungs: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first and last bin that each distinct row may have as it is published: those of its rung, within its leaf."""
    shape = max(ladder.top for ladder in ladders) + 1, max(ladder.n_bins for ladder in ladders)
    joined = np.zeros((2, len(ladders), *shape), dtype=bins.dtype)
    for c, ladder in enumerate(ladders):
        joined[:, c, : ladder.top + 1, : ladder.n_bins] = ladder.spans
    first, last = np.empty_like(bins), np.empty_like(bins)
    _spans(bins, rungs, leaf, low.astype(bins.dtype), high.astype(bins.dtype), joined, first, last)
    return first, last


@compiled
def _spans(bins, rungs, leaf, low, high, joined, first, last):
    for i in range(len(bins)):
        for c in range(bins.shape[1]):
            first[i, c] = max(joined[0, c, rungs[i, c], bins[i, c]], low[leaf[i], c])
            last[i, c] = min(joined[1, c, rungs[i, c], bins[i, c]], high[leaf[i], c])
