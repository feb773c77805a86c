# SPDX-License-Identifier: Apache-2.0
"""TreeLadder: cut by the class while groups are large, then keep in every group what detail its people share.

A method of this project. A tree of binary cuts, each the one that tells most about the class, parts the people into
groups of at least `trust` persons. Then every quasi-identifier climbs its ladder (ladder.py): people who share all
their bins within their group with k - 1 others are published with these bins; the others climb one rung in the column
that frees most of them for the least information, and so on. Those left at the top are written as their group.

What it takes from where: the cuts from information Mondrian, the idea that a group of the tree is published as a
whole from kACTUS, the nested labels that mean the same in every row from top-down specialisation. What it adds: below
the tree nothing is suppressed that k persons share, and labels follow one ladder, so that a learner meets few of them.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import ClassVar

import numba
import numpy as np

from discreet.axis import OTHER, Axis
from discreet.boxes import Boxes
from discreet.data.column import from_labels
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.labels import Labelling, Meaning
from discreet.methods.base import Decision, Method
from discreet.methods.ladder import Ladder
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.parameters import Interval
from discreet.privacy.base import Promise
from discreet.privacy.k_anonymity import KAnonymity
from discreet.progress import progress
from discreet.randomness import Randomness
from discreet.tally import group, persons_per_group

_LEAST_LOSS = 1e-4  # bits per row that a step up a ladder is taken to cost at least


class TreeLadder(Method):
    """Part the people by a tree that knows the class, then keep all detail that k of a group share.

    Parameters
    ----------
    k : int in [2, inf)
    trust : int in [2, inf) or None
        Rows on both sides of a cut that is chosen by the class: cuts of smaller groups mostly follow chance. None for
        a 500th of the rows, but at most 50; never fewer than k.
    bins : int in [2, 256]
        Bins that a quasi-identifier has at most.
    max_suppressed : float in [0, 1], dict or None
    random_state : int or None
        Only the order of the released rows is random.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, counted in persons when the roles name a person column.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = TreeLadder(k=3, trust=3).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist()))
    ['< 42', '>= 42']
    """

    name = "tree-ladder"
    _parameter_constraints: ClassVar[dict] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "trust": [Interval(Integral, 2, None, closed="left"), None],
        "bins": [Interval(Integral, 2, 256, closed="both")],
        "max_suppressed": MAX_SUPPRESSED,
        "random_state": [Integral, None],
    }

    def __init__(self, k=5, *, trust=None, bins=16, max_suppressed=None, random_state=None):
        self.k = k
        self.trust = trust
        self.bins = bins
        self.max_suppressed = max_suppressed
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KAnonymity(self.k)

    def _plan(self, table: Table, roles: Roles, randomness: Randomness) -> Decision:
        assert roles.target is not None
        target = table.column(roles.target)
        axes = [Axis.of(table, name, rarest=self.k, person=roles.person, by_class=roles.target) for name in roles.quasi]
        ladders = [Ladder.of(axis, target, self.bins) for axis in axes]
        rows = _Rows(ladders, table, roles)
        trust = max(self.k, min(50, len(table) // 500) if self.trust is None else self.trust)
        leaf, low, high = _tree(rows, trust, self.k)
        rungs = _climb(rows, ladders, leaf, self.k)
        _fill(rows, ladders, leaf, rungs, self.k)
        first, last = _spans(rows, ladders, leaf, rungs, low, high)
        published, labellings, codes = {}, [], []
        for c, ladder in enumerate(ladders):
            labelling, code = ladder.labelling(first[:, c], last[:, c])
            published[ladder.axis.name] = [from_labels(ladder.axis.name, labelling.labels, code[rows.group])]
            labellings.append(labelling)
            codes.append(code)
        boxes = Boxes.of(labellings, np.column_stack(codes))
        plan = replace(boxes, columns=tuple(map(_knowing, ladders, boxes.columns)))
        trace: list[dict] = [{"groups of the tree": len(low), "trust": trust}]
        trace += [
            {
                "column": ladder.axis.name,
                "rows on each rung": np.bincount(rungs[rows.group, c], minlength=ladder.top + 1).tolist(),
            }
            for c, ladder in enumerate(ladders)
        ]
        return Decision(plan, trace, published=published)


def _knowing(ladder: Ladder, labelling: Labelling) -> Labelling:
    """The labels, and with them every category of the axis, so that none of these passes for an other.

    Only the owner's plan knows categories that no published label names; the published one is made without them.
    """
    names = [name for name in ladder.axis.names or () if not (ladder.axis.has_other and name == OTHER)]
    labels, meanings = (*labelling.labels, *names), (*labelling.meanings, *(Meaning.of([name]) for name in names))
    return replace(labelling, labels=labels, meanings=meanings)


class _Rows:
    """The distinct rows by the bins of their quasi-identifiers, with their rows per class; and who is behind them."""

    def __init__(self, ladders: list[Ladder], table: Table, roles: Roles):
        target = table.column(roles.target)  # type: ignore[arg-type]
        columns = [ladder.codes() for ladder in ladders]
        self.group, first = group(columns, len(table), [ladder.n_bins for ladder in ladders])
        self.bins = np.column_stack([column[first] for column in columns]).astype(np.int64)
        cells = self.group * len(target.values) + target.codes
        self.counts = np.bincount(cells, minlength=len(first) * len(target.values)).reshape(len(first), -1)
        self.rows = self.counts.sum(axis=1)
        self.persons = None if roles.person is None else table.column(roles.person).codes

    def sizes(self, of: np.ndarray, n: int, inside: np.ndarray | None = None) -> np.ndarray:
        """Persons in each of n sets of distinct rows; `of` are the sets of the distinct rows that are `inside`."""
        if self.persons is None:
            return np.bincount(of, self.rows if inside is None else self.rows[inside], minlength=n)
        set_of = of
        if inside is not None:
            set_of = np.full(len(self.bins), -1, dtype=np.int64)
            set_of[inside] = of
        of_row = set_of[self.group]
        met = of_row >= 0
        return persons_per_group(of_row[met], n, self.persons[met])


# -- the tree ------------------------------------------------------------------------------------------------------


def _tree(rows: _Rows, trust: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cut while both sides keep `trust` rows: the leaf of each distinct row, and each leaf's first and last bins."""
    n, n_columns = rows.bins.shape
    n_bins = int(rows.bins.max()) + 1
    parent, node_of = np.full(2 * n, -1, dtype=np.int64), np.empty(n, dtype=np.int64)
    low, high = np.zeros((2 * n, n_columns), dtype=np.int64), np.zeros((2 * n, n_columns), dtype=np.int64)
    high[0] = rows.bins.max(axis=0)
    counts = np.ascontiguousarray(rows.counts, dtype=np.int64)
    n_nodes = _grow(rows.bins, counts, trust, n_bins, parent, low, high, node_of)
    if rows.persons is not None:
        _take_back(rows, k, parent[:n_nodes], node_of)
    leaves, leaf = np.unique(node_of, return_inverse=True)
    return leaf.ravel(), low[leaves], high[leaves]


def _take_back(rows: _Rows, k: int, parent: np.ndarray, node_of: np.ndarray) -> None:
    """Undo the cuts of leaves with fewer than k persons: rows may be many where persons are few."""
    while True:
        leaves, of = np.unique(node_of, return_inverse=True)
        short = leaves[rows.sizes(of.ravel(), len(leaves)) < k]
        if len(short) == 0 or short[-1] == 0:
            return
        undone = int(parent[short[-1]])
        inside = np.zeros(len(parent), dtype=bool)
        inside[undone] = True
        for node in range(undone + 1, len(parent)):  # children come after their parent
            inside[node] = inside[parent[node]]
        node_of[inside[node_of]] = undone


@numba.njit(cache=True, nogil=True)
def _grow(bins, counts, trust, n_bins, parent, low, high, node_of):
    """Cut one node after the other where the class entropy falls most, at the lowest column and bin of equals."""
    n, n_columns = bins.shape
    n_classes = counts.shape[1]
    order, spare = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for row in range(n):
        order[row] = row
    start, stop = np.empty(2 * n, dtype=np.int64), np.empty(2 * n, dtype=np.int64)
    start[0], stop[0] = 0, n
    table = np.empty((n_bins, n_classes), dtype=np.int64)
    in_all, on_left = np.empty(n_classes, dtype=np.int64), np.empty(n_classes, dtype=np.int64)
    n_nodes, node = 1, 0
    while node < n_nodes:
        for label in range(n_classes):
            in_all[label] = 0
        for i in range(start[node], stop[node]):
            for label in range(n_classes):
                in_all[label] += counts[order[i], label]
        total = 0
        for label in range(n_classes):
            total += in_all[label]
        best_column, best_bin, best_gain = -1, 0, 1e-9
        for c in range(n_columns):
            if total < 2 * trust or low[node, c] == high[node, c]:
                continue
            for b in range(low[node, c], high[node, c] + 1):
                for label in range(n_classes):
                    table[b, label] = 0
            for i in range(start[node], stop[node]):
                for label in range(n_classes):
                    table[bins[order[i], c], label] += counts[order[i], label]
            for label in range(n_classes):
                on_left[label] = 0
            whole, left = 0.0, 0
            for b in range(low[node, c] - 1, high[node, c]):  # the first turn measures the node itself
                if b >= low[node, c]:
                    for label in range(n_classes):
                        on_left[label] += table[b, label]
                        left += table[b, label]
                    if left < trust or total - left < trust:
                        continue
                bits = 0.0
                right = total - left
                for label in range(n_classes):
                    here, there = on_left[label], in_all[label] - on_left[label]
                    if here > 0:
                        bits += here * np.log2(left / here)
                    if there > 0:
                        bits += there * np.log2(right / there)
                if b < low[node, c]:
                    whole = bits
                elif whole - bits > best_gain + 1e-9:
                    best_column, best_bin, best_gain = c, b, whole - bits
        if best_column < 0:
            for i in range(start[node], stop[node]):
                node_of[order[i]] = node
            node += 1
            continue
        middle, other = start[node], 0
        for i in range(start[node], stop[node]):
            if bins[order[i], best_column] <= best_bin:
                order[middle] = order[i]
                middle += 1
            else:
                spare[other] = order[i]
                other += 1
        for i in range(other):
            order[middle + i] = spare[i]
        for child in range(n_nodes, n_nodes + 2):
            parent[child] = node
            for c in range(n_columns):
                low[child, c] = low[node, c]
                high[child, c] = high[node, c]
        high[n_nodes, best_column] = best_bin
        low[n_nodes + 1, best_column] = best_bin + 1
        start[n_nodes], stop[n_nodes] = start[node], middle
        start[n_nodes + 1], stop[n_nodes + 1] = middle, stop[node]
        n_nodes += 2
        node += 1
    return n_nodes


# -- the climb -----------------------------------------------------------------------------------------------------


def _climb(rows: _Rows, ladders: list[Ladder], leaf: np.ndarray, k: int) -> np.ndarray:
    """The rung of each distinct row in each column; whoever shares all bins with k - 1 others stays, the others climb.

    All that still climb stand on the same rungs. The next step is taken in the column where (rows freed + 1) / (loss of
    information) is largest, the lowest column of equals.
    """
    top = np.array([ladder.top for ladder in ladders])
    rungs = np.tile(top, (len(rows.bins), 1))
    at = np.zeros(len(ladders), dtype=np.int64)
    climbing = np.arange(len(rows.bins))
    with progress("climbing the ladders", total=len(rows.bins)) as bar:
        while len(climbing):
            stays = _shared(rows, ladders, leaf, climbing, at, k)
            rungs[climbing[stays]] = at
            bar.advance(int(stays.sum()))
            climbing = climbing[~stays]
            steps = [c for c in range(len(ladders)) if at[c] < top[c]]
            if not steps:
                break
            scores = []
            for c in steps:
                higher = at.copy()
                higher[c] += 1
                freed = int(rows.rows[climbing][_shared(rows, ladders, leaf, climbing, higher, k)].sum())
                loss = ladders[c].information[at[c]] - ladders[c].information[higher[c]]
                scores.append(round((freed + 1) / (max(loss, 0.0) + _LEAST_LOSS), 6))
            at[steps[int(np.argmax(scores))]] += 1
    return rungs


def _shared(
    rows: _Rows, ladders: list[Ladder], leaf: np.ndarray, some: np.ndarray, at: np.ndarray, k: int
) -> np.ndarray:
    """Which of some distinct rows would be alike to k persons on these rungs, among these rows of their leaf."""
    columns = [ladder.bins[at[c]][rows.bins[some, c]] for c, ladder in enumerate(ladders) if at[c] < ladder.top]
    sets, first = group([leaf[some], *columns], len(some), ordered=False)
    return (rows.sizes(sets, len(first), some) >= k)[sets]


def _fill(rows: _Rows, ladders: list[Ladder], leaf: np.ndarray, rungs: np.ndarray, k: int) -> None:
    """Where too few of a leaf are left at the top, sets of it that were published join them.

    Those that climbed highest go first, the smallest of them: then no set that stays covers one that went, and each row
    is written as the finest pattern that it fits.
    """
    top = np.array([ladder.top for ladder in ladders])
    at_top = (rungs == top).all(axis=1)
    left = rows.sizes(leaf[at_top], int(leaf.max()) + 1, np.flatnonzero(at_top))
    for short in np.flatnonzero((left > 0) & (left < k)):
        inside = np.flatnonzero(leaf == short)
        columns = [rungs[inside, c] for c in range(len(ladders))]
        columns += [ladder.bins[rungs[inside, c], rows.bins[inside, c]] for c, ladder in enumerate(ladders)]
        sets, first = group(columns, len(inside))
        sizes = rows.sizes(sets, len(first), inside)
        height = rungs[inside[first]].sum(axis=1)
        order = [s for s in np.lexsort((sizes, -height)) if not at_top[inside[first[s]]]]
        joined = at_top[inside]
        for s in order:
            joined = joined | (sets == s)
            if rows.sizes(np.zeros(int(joined.sum()), dtype=np.int64), 1, inside[joined])[0] >= k:
                break
        rungs[inside[joined]] = top


def _spans(
    rows: _Rows, ladders: list[Ladder], leaf: np.ndarray, rungs: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first and last bin that each distinct row may have as it is published: those of its rung, within its leaf."""
    first, last = np.empty_like(rows.bins), np.empty_like(rows.bins)
    for c, ladder in enumerate(ladders):
        spans = ladder.spans
        first[:, c] = np.maximum(spans[0][rungs[:, c], rows.bins[:, c]], low[leaf, c])
        last[:, c] = np.minimum(spans[1][rungs[:, c], rows.bins[:, c]], high[leaf, c])
    return first, last
