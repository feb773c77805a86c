# SPDX-License-Identifier: Apache-2.0
"""TreeLadder: partition people by the tree that predicts held-out rows best, and publish each group as its box.

Our own method; there is no paper. Every quasi-identifier is cut into a few bins (tree_ladder_rungs.py). A tree of
binary cuts between bins partitions the people into groups of at least k; cross-validation decides whether it is grown
with look-ahead and whether it is pruned (tree_ladder_growth.py, tree_ladder_choice.py). A group is published as the
bins that the tree asked about; everything else is suppressed, so a learner sees few labels, all of them informative.

With `detail` rows keep more: within a group every quasi-identifier climbs its ladder. People who share all their bins
with k - 1 others are published with these; the others climb one rung in the column that frees most of them for the
least information, and so on. Those left at the top are published as their group.

Taken from others: binary cuts from information Mondrian; groups of a tree that are published as a whole and suppressed
elsewhere from kACTUS; labels that mean the same in every row from top-down specialisation. New: the look-ahead, the
choice of the tree by an explicit utility, and the ladder.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows
from discreet.data.roles import Roles
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness
from discreet.methods.base import Method
from discreet.methods.grouping import Grouping
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.methods.trees.tree_ladder_choice import PersonRows, chosen_tree
from discreet.methods.trees.tree_ladder_growth import ClassTree
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.axis import Axis

_LEAST_LOSS = 1e-4  # bits per row that a step up a ladder is taken to cost at least


class TreeLadder(Method):
    """Part the people by the tree that serves held-out rows best, and write each group as its box.

    Parameters
    ----------
    k : int in [2, inf)
    trust : int in [2, inf) or None
        Rows on both sides of every cut. None for k; never fewer than k.
    bins : int in [2, 256]
        Bins that a quasi-identifier has at most.
    detail : bool
        Whether all detail is kept that k of a group share. Fewer cells are suppressed, but classifiers learn a little
        less well from the release.
    labels : "readable" or "local"
        "readable" cuts at round borders, and writes dates by calendar units, codes by prefix and long sets by a name;
        "local" takes the cuts that tell most, and lists every value.
    max_suppressed : float in [0, 1], dict or None
    random_state : int or None
        Only the order of the released rows is random.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, counted in persons when the roles name a person column.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = TreeLadder(k=3).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist()))
    ['< 50', '>= 50']
    """

    name = "tree-ladder"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "trust": [Interval(Integral, 2, None, closed="left"), None],
        "bins": [Interval(Integral, 2, 256, closed="both")],
        "detail": [bool],
        "labels": [StrOptions({"readable", "local"})],
        "max_suppressed": MAX_SUPPRESSED,
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        trust: int | None = None,
        bins: int = 16,
        detail: bool = False,
        labels: str = "readable",
        max_suppressed: float | Mapping[str, float] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.trust = trust
        self.bins = bins
        self.detail = detail
        self.labels = labels
        self.max_suppressed = max_suppressed
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KAnonymity(self.k)

    def _decide(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Grouping:
        readable = self.labels == "readable"
        axes = [Axis.of(rows, name, rarest=self.k, by_class=True, readable=readable) for name in roles.quasi]
        ladders = [Ladder.of(axis, self.bins) for axis in axes]
        binned, place = rows.merged([ladder.codes() for ladder in ladders], [ladder.n_bins for ladder in ladders])
        tree, stands, choice = self._chosen_tree(binned, max(self.k, self.trust or 0))
        leaf, low, high = _leaves(binned, tree, stands, self.k)
        rungs = np.array([[ladder.top for ladder in ladders]])
        group_of, first = leaf, np.unique(leaf, return_index=True)[1]
        if self.detail:
            rungs = _climb(binned, ladders, leaf, self.k)
            _fill(binned, ladders, leaf, rungs, self.k)
            group_of = first = np.arange(len(binned))
        starts, ends = _spans(binned.codes[first], ladders, leaf[first], rungs, low, high)
        labelled = [ladder.labelling(starts[:, c], ends[:, c]) for c, ladder in enumerate(ladders)]
        trace: list[dict[str, Any]] = [{"groups of the tree": len(low), **choice}]
        trace += [
            {
                "column": ladder.axis.name,
                "rows on each rung": np.bincount(rungs[:, c], binned.rows, ladder.top + 1).astype(int).tolist(),
            }
            for c, ladder in enumerate(ladders)
            if self.detail
        ]
        labellings, codes = zip(*labelled, strict=True)
        return Grouping(group_of[place], labellings, np.column_stack(codes), trace=trace)

    def _chosen_tree(self, rows: DistinctRows, least: int) -> tuple[ClassTree, np.ndarray, dict[str, Any]]:
        members = None if rows.by_person is None else PersonRows.of_persons(rows.by_person)
        return chosen_tree(rows.codes, rows.counts, least, members)


# -- the tree ------------------------------------------------------------------------------------------------------


def _leaves(
    rows: DistinctRows, tree: ClassTree, stands: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The leaf of each distinct row, and each leaf's first and last bins."""
    node_of = stands[tree.node_of]
    if rows.by_person is not None:
        _take_back(rows, k, tree.parent, node_of)
    leaves, leaf = np.unique(node_of, return_inverse=True)
    return leaf.ravel(), tree.low[leaves], tree.high[leaves]


def _take_back(rows: DistinctRows, k: int, parent: np.ndarray, node_of: np.ndarray) -> None:
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


# -- the climb -----------------------------------------------------------------------------------------------------


def _climb(rows: DistinctRows, ladders: list[Ladder], leaf: np.ndarray, k: int) -> np.ndarray:
    """The rung of each distinct row in each column; whoever shares all bins with k - 1 others stays, the others climb.

    All that still climb stand on the same rungs. The next step is taken in the column where (rows freed + 1) / (loss of
    information) is largest, the lowest column of equals.
    """
    top = np.array([ladder.top for ladder in ladders])
    rungs = np.tile(top, (len(rows.codes), 1))
    at = np.zeros(len(ladders), dtype=np.int64)
    climbing = np.arange(len(rows.codes))
    with progress("climbing the ladders", total=len(rows.codes)) as bar:
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
    rows: DistinctRows, ladders: list[Ladder], leaf: np.ndarray, some: np.ndarray, at: np.ndarray, k: int
) -> np.ndarray:
    """Which of some distinct rows would be alike to k persons on these rungs, among these rows of their leaf."""
    columns = [ladder.bins[at[c]][rows.codes[some, c]] for c, ladder in enumerate(ladders) if at[c] < ladder.top]
    sets, _, sizes = rows.alike([leaf[some], *columns], some, ordered=False)
    return (sizes >= k)[sets]


def _fill(rows: DistinctRows, ladders: list[Ladder], leaf: np.ndarray, rungs: np.ndarray, k: int) -> None:
    """Where too few of a leaf are left at the top, sets of it that were published join them.

    Those that climbed highest go first, the smallest of them: then no set that stays covers one that went, and each row
    is written as the finest pattern that it fits.
    """
    top = np.array([ladder.top for ladder in ladders])
    at_top = (rungs == top).all(axis=1)
    at_leaves = rows.sizes(leaf[at_top], int(leaf.max()) + 1, np.flatnonzero(at_top))
    for short in np.flatnonzero((at_leaves > 0) & (at_leaves < k)):
        inside = np.flatnonzero(leaf == short)
        columns = [rungs[inside, c] for c in range(len(ladders))]
        columns += [ladder.bins[rungs[inside, c], rows.codes[inside, c]] for c, ladder in enumerate(ladders)]
        sets, first, sizes = rows.alike(columns, inside)
        height = rungs[inside[first]].sum(axis=1)
        order = [s for s in np.lexsort((sizes, -height)) if not at_top[inside[first[s]]]]
        joined = at_top[inside]
        for s in order:
            joined = joined | (sets == s)
            if rows.sizes(np.zeros(int(joined.sum()), dtype=np.int64), 1, inside[joined])[0] >= k:
                break
        rungs[inside[joined]] = top


def _spans(
    bins: np.ndarray, ladders: list[Ladder], leaf: np.ndarray, rungs: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first and last bin that each distinct row may have as it is published: those of its rung, within its leaf."""
    first, last = np.empty_like(bins), np.empty_like(bins)
    for c, ladder in enumerate(ladders):
        spans = ladder.spans
        first[:, c] = np.maximum(spans[0][rungs[:, c], bins[:, c]], low[leaf, c])
        last[:, c] = np.minimum(spans[1][rungs[:, c], bins[:, c]], high[leaf, c])
    return first, last
