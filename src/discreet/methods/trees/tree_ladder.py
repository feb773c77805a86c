# SPDX-License-Identifier: Apache-2.0
"""TreeLadder: part the people by a tree for the class, then let each column climb a ladder until k persons are alike.

Our own method; there is no paper. Every quasi-identifier is cut into a few bins (tree_ladder_rungs.py). A tree of
binary cuts between bins, or none, parts the people into groups (tree_ladder_growth.py). Within a group those who share
all their bins with k - 1 others are published with these; the others climb, column by column, to coarser bins
(tree_ladder_climb.py). How fine the bins are, which tree, and how large groups are at least, is decided by what the
class of held-out rows can be told by, and by the detail that is kept (tree_ladder_choice.py, label_worth.py).
Without a target, or where it says nothing, detail decides.

Taken from others: binary cuts from information Mondrian; groups of a tree that are published as a whole from kACTUS;
labels that mean the same in every row from top-down specialisation. New: the look-ahead, the ladder, and the choice by
an explicit worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.roles import Roles
from discreet.foundation.lazy_modules import one_thread
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.base import Method
from discreet.methods.column_weights import ColumnWeights, column_weights
from discreet.methods.group_needs import GROUP_NEEDS, GroupNeeds, promise_of, stated_needs
from discreet.methods.grouping import Grouping
from discreet.methods.limits import MAX_SUPPRESSED, beyond_limit
from discreet.methods.trees.label_worth import LabelWorth
from discreet.methods.trees.tree_ladder_choice import Trials, WaySearch
from discreet.methods.trees.tree_ladder_cuts import ClimbedRows, PartedRows, cuts_between_bins, worth_most
from discreet.methods.trees.tree_ladder_knowable import knowable
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_targets import with_targets
from discreet.methods.trees.tree_ladder_ways import Binned, Bins, Parted
from discreet.prepare.given_hierarchies import HIERARCHIES, given_hierarchies, public_hierarchies
from discreet.prepare.hierarchy import Hierarchy
from discreet.privacy.promise import Promise
from discreet.recoding.axis import Axis


class TreeLadder(Method):
    """Part the people by a tree for the class, and keep of each person what k of their group share.

    Parameters
    ----------
    k : int in [2, inf)
    trust : int in [2, inf) or None
        Rows on both sides of every cut of the tree, never fewer than k. None: chosen on held-out rows.
    bins : int in [2, 256]
        Bins that a quasi-identifier has at most.
    detail : float in [0, inf)
        What all detail is worth, if knowing the class is worth 1; less where little can be known of it. 0: the class
        alone decides.
    weights : mapping of column to float in [0, inf), or None
        How much the detail of a quasi-identifier counts; 1 if it is not named. 0 gives it up first.
    targets : list of columns, or None
        Further published columns that the release is to serve, beside the target.
    labels : "readable" or "local"
        "readable" cuts at round borders, and writes dates by calendar units, codes by prefix and long sets by a name;
        "local" takes the cuts that tell most, and lists every value.
    hierarchies : mapping of column to Hierarchy or file, or a folder of files, or None
        A column with a hierarchy is published with its labels, as far as these keep what the column says of the class.
    l, diversity, c, t, distance, label_known
        What a group needs beside k persons; see discreet.privacy.group_promise.
    max_suppressed : float in [0, 1], dict or None
        At most this share of the quasi-identifier cells may be suppressed: of the ways that keep to it, the best is
        taken. If none does, there is no release. A dict limits "cells", "rows" (suppressed in all quasi-identifiers) or
        both.
    random_state : int, RandomState, Generator or None
        Only the order of the released rows is random.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, with `l` and `t` also LDiversity and TCloseness of the sensitive columns;
    counted in persons when the roles name a person column.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = TreeLadder(k=3).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist()))
    ['< 50', '>= 50']
    """

    name = "tree-ladder"
    needs_target = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "trust": [Interval(Integral, 2, None, closed="left"), None],
        "bins": [Interval(Integral, 2, 256, closed="both")],
        "detail": [Interval(Real, 0, None, closed="left")],
        "weights": [ColumnWeights(), None],
        "targets": [list, tuple, None],
        "labels": [StrOptions({"readable", "local"})],
        "hierarchies": HIERARCHIES,
        **GROUP_NEEDS,
        "max_suppressed": MAX_SUPPRESSED,
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        trust: int | None = None,
        bins: int = 16,
        detail: float = 0.06,
        weights: Mapping[str, float] | None = None,
        targets: Sequence[str] | None = None,
        labels: str = "readable",
        hierarchies: Any = None,
        l: float | None = None,  # noqa: E741  (the field's own letter)
        diversity: str = "distinct",
        c: float | None = None,
        t: float | None = None,
        distance: str = "equal",
        label_known: bool = False,
        max_suppressed: float | Mapping[str, float] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.trust = trust
        self.bins = bins
        self.detail = detail
        self.weights = weights
        self.targets = targets
        self.labels = labels
        self.hierarchies = hierarchies
        self.l = l
        self.diversity = diversity
        self.c = c
        self.t = t
        self.distance = distance
        self.label_known = label_known
        self.max_suppressed = max_suppressed
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return promise_of(self.k, **stated_needs(self))

    def _decide(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Grouping:
        needs = GroupNeeds.of(rows, roles, self.promise)
        needs.check_possible()
        hierarchies = given_hierarchies(self.hierarchies, roles)
        weights = column_weights(self.weights, roles.quasi)
        served = with_targets(rows, roles, self.targets or ())
        worth = self._worth(served, weights, hierarchies)
        kinds: tuple[Bins, ...] = ("even", "free") if hierarchies else ("even",)
        trials = Trials(served, lambda some, rarest, bins: self._ladders(some, rarest, bins, hierarchies), worth, kinds)
        ladders: dict[Bins, list[Ladder]] = {}
        search = WaySearch(trials, needs.least, bins=self.bins, trust=self.trust)
        with one_thread():
            tried = search.ranked()

        def binned_in(bins: Bins, most: int) -> Binned:
            if bins not in ladders:
                ladders[bins] = self._ladders(served, self.k, bins, hierarchies)
            return Binned.of(served, ladders[bins], worth, most)

        def beyond(made: PartedRows, parted: Parted) -> float:
            return beyond_limit(self.max_suppressed, **made.binned.suppressed(parted))

        closest: tuple[float, PartedRows, Parted] | None = None  # to the limit, which perhaps none keeps to
        for way in tried:
            binned = binned_in(way.bins, way.most)
            smallest = needs.merged(binned.rows, binned.place)
            revives = self.max_suppressed is not None or trials.revives(way, search.size)
            way = way.at(search.size, needs.least)
            climbed = ClimbedRows(binned, way, replace(smallest, least=way.least), smallest if revives else None)
            parted = climbed.parted(binned.rows.counts)
            by = beyond(climbed, parted)
            if closest is None or by < closest[0]:
                closest = by, climbed, parted
            if not by:
                break
        assert closest is not None
        _, made, parted = closest
        if not needs.only_persons:
            further = cuts_between_bins(lambda bins: binned_in(bins, self.bins), needs, self.promise, roles)
            ways = [(made, parted), *((cut, cut.parted(cut.binned.rows.counts)) for cut in further)]
            made, parted = worth_most(ways, served, beyond)
        binned = made.binned
        labelled = [ladder.labelling(*ends) for ladder, ends in zip(binned.ladders, parted.ends, strict=True)]
        labellings, codes = zip(*labelled, strict=True)
        trace = [*binned.trace(parted), *trials.trace(tried)]
        notes = self._notes(**binned.suppressed(parted))
        return Grouping(binned.place, labellings, np.column_stack(codes), trace=trace, notes=notes)

    def _notes(self, *, rows: float, cells: float) -> list[str]:
        """What the owner could ask for instead, where more than half of the cells are suppressed."""
        if self.max_suppressed is not None or cells <= 0.5:
            return []
        return ["`--max-suppressed 0.5` asks for the best release that keeps half of the cells, if there is one."]

    def _worth(self, rows: CodedRows, weights: np.ndarray, hierarchies: Mapping[str, Hierarchy]) -> LabelWorth:
        """What detail is worth beside the class; all, if there is none."""
        if rows.counts.shape[1] < 2:
            return LabelWorth.of_rows(1.0, weights, rows.n_rows)
        bins: Bins = "free" if hierarchies else "class"  # no less can be known because a hierarchy is bad
        known = knowable(rows, lambda some, rarest: self._ladders(some, rarest, bins, hierarchies))
        return LabelWorth.of_rows(self.detail, weights, rows.n_rows, known)

    def _ladders(self, rows: CodedRows, rarest: int, bins: Bins, hierarchies: Mapping[str, Hierarchy]) -> list[Ladder]:
        """The ladders of the quasi-identifiers, whose labels name nothing that fewer than `rarest` persons have."""
        readable, even, free = self.labels == "readable", bins == "even", bins == "free"
        axes = [Axis.of(rows, one.name, rarest=rarest, by_class=not even, readable=readable) for one in rows.columns]
        return [Ladder.of(axis, self.bins, hierarchies.get(axis.name), even=even, free=free) for axis in axes]

    def _public_parameters(self) -> dict[str, Any]:
        return super()._public_parameters() | {"hierarchies": public_hierarchies(self.hierarchies)}
