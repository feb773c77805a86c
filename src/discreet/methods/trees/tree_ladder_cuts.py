# SPDX-License-Identifier: Apache-2.0
"""Groups by cuts both of whose sides have what is asked beyond k persons: l, t, or k persons of every label.

Rows that share all their bins seldom have it, and a tree for the class is grown without asking for it. Where it is
asked, the climb may blank whole columns. So rows are also parted by cuts between the bins of the ladders, as by
Mondrian: where the class is told best, or at the median. What is worth more on held-out rows is published.

Groups depend on the values that are asked about, in all rows, but of the classes on those of two folds only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.roles import Roles
from discreet.foundation.randomness import Randomness
from discreet.methods.group_needs import GroupNeeds
from discreet.methods.trees.cut_needs import side_needs
from discreet.methods.trees.cut_partition import CutTree, Need, partition, stacked
from discreet.methods.trees.held_out_rows import PersonRows, within_fold
from discreet.methods.trees.label_worth import class_known
from discreet.methods.trees.tree_ladder_ways import Binned, Bins, Parted, Way
from discreet.privacy.l_diversity import LDiversity
from discreet.privacy.promise import Both, Promise

_LARGER = (50, 500, 5000)  # persons


@dataclass(frozen=True, eq=False)
class ClimbedRows:
    """Rows parted by a way, as they are without these cuts; `smallest`, if given, asks for k alone."""

    binned: Binned
    way: Way
    needs: GroupNeeds
    smallest: GroupNeeds | None

    def parted(self, counts: np.ndarray) -> Parted:
        """Learnt from these counts of the distinct rows of bins."""
        binned = _with_counts(self.binned, counts)
        return binned.parted(self.way, self.needs.met, None if self.smallest is None else self.smallest.met)


@dataclass(frozen=True, eq=False)
class CutRows:
    """Rows parted by cuts."""

    binned: Binned
    needs: GroupNeeds
    promise: Promise
    roles: Roles
    by_information: bool

    def parted(self, counts: np.ndarray) -> Parted:
        """Learnt from these counts of the distinct rows of bins."""
        rows, values = self.needs.rows, {need.column: need.values for need in self.needs.values}
        least = within_fold(self.needs.least, rows.n_rows) if counts.sum() < rows.n_rows else self.needs.least
        keys = [Need(least, None) if rows.people is None else Need(self.needs.least, rows.people)]
        for part in self.promise.promises if isinstance(self.promise, Both) else (self.promise,):
            if isinstance(part, LDiversity) and part.measure == "distinct":
                keys += [
                    Need(math.ceil(part.l), (values[name].row, values[name].value)) for name in self.roles.sensitive
                ]
        cuts = partition(
            rows.codes,
            counts,
            keys,
            stacked([np.arange(ladder.n_bins) / ladder.n_bins for ladder in self.binned.ladders]),
            by_information=self.by_information,
            sides=side_needs(self.promise, self.roles, values.__getitem__),
        )
        return _parted(cuts, self.binned)


PartedRows = ClimbedRows | CutRows


def cuts_between_bins(
    binned_in: Callable[[Bins], Binned], needs: GroupNeeds, promise: Promise, roles: Roles
) -> Iterator[CutRows]:
    """Cuts at the median, and where there are classes also where they are told best: into groups of k, which may follow
    chance, and into larger ones.
    """
    larger = [size for size in _LARGER if needs.least < size <= needs.rows.n_persons // 4]
    ways: tuple[Bins, ...] = ("even", "class") if needs.rows.counts.shape[1] > 1 else ("even",)
    for bins in ways:
        binned = binned_in(bins)
        asked = needs.merged(binned.rows, binned.place)
        for least in (needs.least, *larger):
            yield CutRows(binned, replace(asked, least=least), promise, roles, by_information=bins == "class")


def worth_most(
    ways: Sequence[tuple[PartedRows, Parted]],
    rows: CodedRows,
    beyond: Callable[[PartedRows, Parted], float],
) -> tuple[PartedRows, Parted]:
    """Of those closest to the limit the one worth most on held-out rows, the first of equals."""
    folds = [*_folds_of_all(rows)]
    return min(ways, key=lambda way: (beyond(*way), -_worth(way[0], folds)))


def _worth(made: PartedRows, folds: Sequence[tuple[np.ndarray, np.ndarray]]) -> float:
    """What is known of the class of rows that were not learnt from, with the detail kept."""
    binned, found = made.binned, []
    for learnt, asked in folds:
        parted = made.parted(binned.summed(learnt))
        known, on_fold = 0.0, _with_counts(binned, binned.summed(learnt))
        if learnt.shape[1] > 1:
            unrecoded = on_fold.unrecoded(parted)
            known = class_known(parted.labels, on_fold.rows.counts, binned.summed(asked), unrecoded).share
        found.append(binned.worth.of(known, binned.detail(parted)))
    return round(float(np.mean(found)), 9)


def _folds_of_all(rows: CodedRows) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Counts of all distinct rows that are learnt from, and that are asked about, in each fold."""
    members, shape = PersonRows.of(rows), rows.counts.shape
    cells = [members.row[part] * shape[1] + members.label[part] for part in members.folds(Randomness(0))]
    counts = np.array([np.bincount(cell, minlength=rows.counts.size).reshape(shape) for cell in cells])
    for asked in counts:
        learnt = counts.sum(axis=0) - asked
        if learnt.any() and asked.any():  # one or two persons
            yield learnt, asked


def _with_counts(binned: Binned, counts: np.ndarray) -> Binned:
    """The same bins with other counts of the distinct rows by class."""
    return replace(binned, rows=replace(binned.rows, counts=counts))


def _parted(cuts: CutTree, binned: Binned) -> Parted:
    """The rows with their leaves as spans of bins, in which every bin is on one side of every cut."""
    top = np.array([ladder.n_bins - 1 for ladder in binned.ladders])
    low, high = np.zeros((2, len(cuts.column), len(top)), dtype=np.int64)
    high[:] = top
    for node in np.flatnonzero(cuts.column >= 0):  # a parent before its children
        left, column = cuts.left[node], cuts.column[node]
        low[left : left + 2], high[left : left + 2] = low[node], high[node]
        high[left, column], low[left + 1, column] = cuts.ends[node], cuts.ends[node] + 1
    leaves = np.flatnonzero(cuts.column < 0)
    node_of = np.empty(len(leaves), dtype=np.int64)
    node_of[cuts.left[leaves]] = leaves
    leaf = cuts.leaf_of.astype(np.int64)
    first, last = low[node_of[leaf]], high[node_of[leaf]]
    blank = (first == 0) & (last == top)
    return Parted(leaf, np.where(blank, [ladder.top for ladder in binned.ladders], 0), first, last)
