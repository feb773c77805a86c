# SPDX-License-Identifier: Apache-2.0
"""Selecting features of sparse 0/1 data."""

from __future__ import annotations

import numba
from sklearn.feature_selection import SelectKBest, chi2

import discreet as ds
from benchmarks.speed import data
from benchmarks.speed.measure import Table, against, in_turns
from discreet.counting.class_separation import separated_pairs
from discreet.samples import load

_SELECTED = {"hamdist": {5: 12, 8: 11, 11: 11}, "distcnt": {5: 12, 8: 9, 11: 7}}  # by the reference, +-1 for ties


def greedy(table: Table, runs: int) -> None:
    """The paper's greedy selections on PU1, by its own stop rule: how many features, how long.

    Beside it a selection without any promise: scikit-learn's by chi-squared, which takes one pass over the ones.
    """
    baskets = load("pu1").data
    labels = baskets.classes[baskets.labels]
    for utility, expected in _SELECTED.items():
        for k, features in expected.items():
            selector = ds.GreedySelector(k, utility=utility, on_infeasible="stop")
            ours, theirs = in_turns(
                lambda selector=selector: selector.fit(baskets.matrix, labels),
                lambda features=features: SelectKBest(chi2, k=features).fit(baskets.matrix, labels),
                runs=3 * runs,
            )
            kept = len(selector.order_)
            what = f"GreedySelector(k={k}, {utility}, stop).fit, PU1"
            note = f"{kept} features, the reference {features}"
            rival = "scikit-learn, SelectKBest(chi2)"
            table.add(against(what, rival, ours, theirs, None, note=note, fine=abs(kept - features) <= 1))


def distcnt(table: Table, runs: int) -> None:
    """One full pass over all candidates of 1,000,000 x 10,000, against a bare loop over the same ones."""
    baskets = data.sparse()
    columns = baskets.columns
    ones = baskets.matrix.nnz
    ours, theirs = in_turns(
        lambda: separated_pairs(baskets),
        lambda: _touch(columns.indptr, columns.indices, baskets.labels),
        runs=3 * runs,
    )
    note = f"{ours.clock / ones * 1e9:.1f} ns a one"
    bare = f"bare loop, {theirs.clock / ones * 1e9:.1f} ns a one"
    table.add(against(f"DistCnt of all candidates, {ones / 1e6:.1f} M ones", bare, ours, theirs, 3.0, note=note))


def flip(table: Table, runs: int) -> None:
    """Clustering by k-member, against a bare look at all open rows for every row that joins."""
    baskets = load("quest", rows=20_000, random_state=1, classes=2).data
    ours, theirs = in_turns(
        lambda: ds.RandomFlip(5, random_state=0).release(baskets),
        lambda: _passes(baskets.matrix.indptr, baskets.matrix.indices, baskets.support),
        runs=runs,
    )
    table.add(against("RandomFlip(k=5).release, 20,000 baskets", "bare passes over open rows", ours, theirs, 1.0))


@numba.njit(cache=True, nogil=True)
def _passes(indptr, indices, counts):
    """For every row, a number of each item of the rows after it: what passes over open rows cannot do without."""
    total = 0
    for row in range(len(indptr) - 1):
        for i in range(indptr[row], len(indices)):
            total += counts[indices[i]]
    return total


@numba.njit(cache=True, nogil=True)
def _touch(indptr, indices, labels):
    """Look up the label of every one, column by column: what no pass can do without."""
    total = 0
    for item in range(len(indptr) - 1):
        for i in range(indptr[item], indptr[item + 1]):
            total += labels[indices[i]]
    return total
