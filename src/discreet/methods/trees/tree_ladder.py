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
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.roles import Roles
from discreet.foundation.parameters import Interval
from discreet.foundation.randomness import Randomness
from discreet.methods.base import Method
from discreet.methods.group_needs import GroupNeeds
from discreet.methods.grouping import Grouping
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.methods.trees.tree_ladder_choice import Binned, Trials, ranked_ways
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.axis import Axis


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
    ['< 42', '>= 42']
    """

    name = "tree-ladder"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "trust": [Interval(Integral, 2, None, closed="left"), None],
        "bins": [Interval(Integral, 2, 256, closed="both")],
        "detail": [bool],
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
        max_suppressed: float | Mapping[str, float] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.trust = trust
        self.bins = bins
        self.detail = detail
        self.max_suppressed = max_suppressed
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KAnonymity(self.k)

    def _decide(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Grouping:
        weights = np.ones(len(roles.quasi))
        needs = GroupNeeds.of(rows, roles, self.promise)
        needs.check_possible(self.promise)
        least = max(needs.least, self.trust or 0)
        trials = Trials(rows, self._ladders, weights, self.k)
        ways = ranked_ways(trials, least, rows.counts.shape[1])
        way, worth = ways[0]
        binned = Binned.of(rows, self._ladders(rows, self.k), weights, way.most)
        met = replace(needs, least=way.least).merged(binned.rows, binned.place).met
        parted = binned.parted(way, met)
        labelled = [lad.labelling(parted.first[:, c], parted.last[:, c]) for c, lad in enumerate(binned.ladders)]
        trace = [{"way": str(way), "worth": worth, "tried": [(str(w), x, trials.worth(w)) for w, x in ways]}]
        labellings, codes = zip(*labelled, strict=True)
        return Grouping(binned.place, labellings, np.column_stack(codes), trace=trace)

    def _ladders(self, rows: CodedRows, rarest: int) -> list[Ladder]:
        """The ladders of the quasi-identifiers, whose labels name nothing that fewer than `rarest` persons have."""
        axes = [Axis.of(rows, column.name, rarest=rarest, by_class=True) for column in rows.columns]
        return [Ladder.of(axis, self.bins) for axis in axes]
