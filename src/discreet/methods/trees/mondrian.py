# SPDX-License-Identifier: Apache-2.0
"""Mondrian: cut the table in two, again and again, while both sides keep k persons.

Papers: LeFevre, DeWitt, Ramakrishnan, "Mondrian Multidimensional k-Anonymity" (strict and relaxed partitioning, median
cuts) and "Workload-Aware Anonymization" (cuts of least class entropy).
Departures from the papers:
1. Strict cuts run on distinct rows with counts, so the work depends on them, not on the rows.
2. The median cut is the one that parts the persons most evenly, when that one keeps k on both sides; a median value
   that many rows share would otherwise forbid any cut of the column.
3. Numbers are published as the interval between cuts, not as the smallest and largest value of the group, so that
   new rows can be recoded and no group prints the value of its outermost member; categories as the set that occurs.
   labels="hierarchy" publishes the lowest label that the values of the group have in common, as the papers do, or,
   with split="information" and a given hierarchy, the labels of neighbouring branches, and
   labels="cuts" what lies between the cuts around it, so that a label does not depend on the values of its group; the
   median cuts then take the columns in turn, not the widest first, and lie at round places.
4. A category that fewer than k persons have is never named: all such values together are called "other", unless a
   given hierarchy, or the prefixes of a code, have a label for it and others.
5. Missing is a value, placed after the largest.
6. split="information" falls back on the median cut where no cut tells more about the class.
7. relaxed=True shares the rows at a median cut by chance, so that no row's side tells anything about its other cells;
   cuts by information are never shared. With persons, the rows of a person may be on both sides.
8. l, t and label_known (group_promise.py) are asked of both sides of every cut, not only of the groups at the end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.row_values import RowValues
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import ParameterError, RolesError, did_you_mean, listing
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness
from discreet.methods.base import Method, fresh_order
from discreet.methods.group_needs import GroupNeeds, values_of
from discreet.methods.grouping import Grouping
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.methods.trees.hierarchy_labels import tree_axis
from discreet.methods.trees.mondrian_needs import side_needs
from discreet.methods.trees.mondrian_partition import CutTree, Need, partition
from discreet.prepare.given_hierarchies import HIERARCHIES, given_hierarchies, public_hierarchies
from discreet.privacy.group_promise import GROUP_NEEDS, promise_of, stated_needs
from discreet.privacy.promise import Promise
from discreet.recoding.axis import Axis, recode
from discreet.recoding.plan import Recode


class Mondrian(Method):
    """Generalise the quasi-identifiers until every combination is shared by k persons, each region by itself.

    Parameters
    ----------
    k : int in [2, inf)
    split : "median" or "information"
        "median" halves the group along its widest column; "information" takes the cut that tells most about the target.
    relaxed : bool
        Whether rows with the value at a median cut may be shared between both sides, so that groups are smaller and
        more even. Equal rows may then be published differently.
    labels : "local", "hierarchy" or "cuts"
        "local" writes a group as an interval, or the set of categories that occur; "hierarchy" as the lowest label its
        values have in common; "cuts" as what lies between the cuts around it, whatever values it holds.
    hierarchies : mapping of column to Hierarchy or file, or a folder of files; None for automatic ones
    grids : mapping of column to borders (numbers, dates) or values (categories) that are public; None for none
        With labels="cuts" only: the columns are cut nowhere else.
    l, diversity, c : float above 1 or None; "distinct", "entropy" or "recursive"; float above 0 or None
        How many values each sensitive column has at least in every group, and how they are counted: see
        `discreet.privacy.group_promise`.
    t, distance : float in [0, 1] or None; "equal" or "ordered"
        How far the sensitive values of a group may be distributed from those of the whole table.
    label_known : bool
        Whether k persons are left also to somebody who knows the label.
    max_suppressed : float, dict or None
        At most this share of the quasi-identifier cells may be suppressed, or there is no release. A dict limits
        "cells", "rows" (left out, or suppressed in all quasi-identifiers) or both.
    random_state : int or None
        The order of the released rows; with `relaxed`, also which rows go to which side.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, with LDiversity(l) and TCloseness(t) of the sensitive columns where l and t
    are given; counted in persons when the roles name a person column.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = Mondrian(k=3).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist()))
    ['< 42', '>= 42']
    """

    name = "mondrian"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "split": [StrOptions({"median", "information"})],
        "relaxed": [bool],
        "labels": [StrOptions({"local", "hierarchy", "cuts"})],
        "hierarchies": HIERARCHIES,
        "grids": [Mapping, None],
        **GROUP_NEEDS,
        "max_suppressed": MAX_SUPPRESSED,
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        split: str = "median",
        relaxed: bool = False,
        labels: str = "local",
        hierarchies: Any = None,
        grids: Any = None,
        l: float | None = None,  # noqa: E741  (the field's own letter)
        diversity: str = "distinct",
        c: float | None = None,
        t: float | None = None,
        distance: str = "equal",
        label_known: bool = False,
        max_suppressed: float | Mapping[str, float] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.split = split
        self.relaxed = relaxed
        self.labels = labels
        self.hierarchies = hierarchies
        self.grids = grids
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
        for name, labels in (("hierarchies", "hierarchy"), ("grids", "cuts")):
            if getattr(self, name) is not None and self.labels != labels:
                raise ParameterError(f"Mondrian uses {name} with labels={labels!r} only. Say so, or leave them out.")
        axes = self._axes(rows, roles)
        GroupNeeds.of(rows, roles, self.promise).check_possible()
        parted = _SingleRows(rows.table, roles, randomness) if self.relaxed else rows
        ranks = np.column_stack([axis.rank_of_code[parted.codes[:, i]] for i, axis in enumerate(axes)])
        cuts = partition(
            ranks,
            parted.counts,
            self._needs(parted, roles),
            _stack([axis.position for axis in axes]),
            by_information=self.split == "information",
            relaxed=self.relaxed,
            in_turn=self.labels == "cuts",
            sides=side_needs(self.promise, roles, lambda name: _values(parted, roles, name)),
        )
        plan = _recoding(axes, ranks, cuts)
        trace: list[dict[str, Any]] = [{"groups": int((cuts.column < 0).sum())}]
        trace += [{"column": axis.name, "cuts": int((cuts.column == i).sum())} for i, axis in enumerate(axes)]
        leaf_of = cuts.leaf_of[parted.places] if isinstance(parted, _SingleRows) else cuts.leaf_of
        return Grouping(leaf_of, plan.labellings, plan.codes, plan, trace, of_single_rows=self.relaxed)

    def _axes(self, rows: CodedRows, roles: Roles) -> list[Axis]:
        if self.labels == "hierarchy":
            hierarchies = given_hierarchies(self.hierarchies, roles)
            tells = self.split == "information"
            return [
                tree_axis(rows, name, rarest=self.k, given=hierarchies.get(name), by_branches=tells)
                for name in roles.quasi
            ]
        by_class = self.split == "information"
        grids, by_cuts = self._public_grids(roles), self.labels == "cuts"
        return [
            Axis.of_grid(rows, name, grids[name])
            if name in grids
            else replace(Axis.of(rows, name, rarest=self.k, by_class=by_class), by_cuts=by_cuts)
            for name in roles.quasi
        ]

    def _public_grids(self, roles: Roles) -> Mapping[str, Any]:
        grids = self.grids or {}
        strange = sorted(str(name) for name in grids if name not in roles.quasi)
        if strange:
            raise RolesError(
                f"There are grids for {listing(strange)}, which the roles do not call quasi-identifiers."
                f"{did_you_mean(strange[0], roles.quasi)}"
            )
        if any(isinstance(grid, str) or not isinstance(grid, Sequence) for grid in grids.values()):
            raise ParameterError("'grids' takes a list for each column, such as {'age': [20, 40, 60]}.")
        return grids

    def _needs(self, rows: CodedRows | _SingleRows, roles: Roles) -> list[Need]:
        if self.l is None:
            return [Need(self.k, rows.people)]
        distinct = roles.sensitive if self.diversity == "distinct" else ()
        values = [Need(math.ceil(self.l), rows.beside(name)) for name in distinct]
        least = max(self.k, math.ceil(self.l))  # a group never counts more values than persons
        return [Need(least, rows.people), *values]

    def _public_parameters(self) -> dict[str, Any]:
        grids = None if self.grids is None else sorted(map(str, self.grids))
        return super()._public_parameters() | {"hierarchies": public_hierarchies(self.hierarchies), "grids": grids}


class _SingleRows:
    """The rows one by one, as coded rows, in an order that is chance and depends on content only.

    `places` leads from the rows of the table to these.
    """

    def __init__(self, table: Table, roles: Roles, randomness: Randomness):
        person = () if roles.person is None else (roles.person,)
        self._table = table
        self._order = fresh_order(table.select((*roles.published, *person)), randomness)
        self.codes = np.column_stack([column.codes[self._order] for column in table.columns(roles.quasi)])
        target = table.column(roles.target)  # type: ignore[arg-type]
        self.counts = np.zeros((len(table), target.levels), dtype=np.int64)
        self.counts[np.arange(len(table)), target.codes[self._order]] = 1
        self.places = np.empty(len(table), dtype=np.int64)
        self.places[self._order] = np.arange(len(table))
        self.people = None if roles.person is None else self.beside(roles.person)

    def beside(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(len(self._order)), self._table.column(name).codes[self._order].astype(np.int64)


def _values(rows: CodedRows | _SingleRows, roles: Roles, name: str) -> RowValues:
    if isinstance(rows, CodedRows):
        return values_of(rows, roles, name)
    row, value = rows.beside(name)
    person = None if roles.person is None else rows.beside(roles.person)[1]
    return RowValues.of(row, value, np.ones(len(row), dtype=np.int64), person, len(row))


def _stack(positions: list[np.ndarray]) -> np.ndarray:
    longest = max(map(len, positions))
    return np.column_stack([np.pad(position, (0, longest - len(position))) for position in positions])


def _recoding(axes: list[Axis], ranks: np.ndarray, cuts: CutTree) -> Recode:
    """The plan of the cuts. A new row with a value that both sides share goes right, or left where right has no end."""
    nodes = list(zip(cuts.column, cuts.ends, cuts.above, cuts.below, cuts.begins, strict=True))
    end = np.array([axes[c].cut(e, a) if c >= 0 and a >= 0 else np.nan for c, e, a, _, _ in nodes])
    begin = np.array([axes[c].cut(b, f) if c >= 0 and b >= 0 else -np.inf for c, _, _, b, f in nodes])
    cut = np.where(begin == -np.inf, end, begin)
    return recode(axes, ranks, cuts.leaf_of, cuts.column, cut, cuts.left, (end, begin))
