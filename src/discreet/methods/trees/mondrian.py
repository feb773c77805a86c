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
   Along a given hierarchy these are the labels of neighbouring branches. labels="hierarchy" publishes the lowest
   label that the values of the group have in common, as the papers do, but with split="information" along a given
   hierarchy, too, the labels of branches; columns without one are readable where others have one. labels="cuts"
   publishes what lies between the cuts around a group, so that a label does not depend on its values; the median cuts
   then take the columns in turn, not the widest first, and lie at round places.
4. A category that fewer than k persons have is never named: all such values together are called "other", unless a
   given hierarchy, or the prefixes of a code, have a label for it and others.
5. Missing is a value, placed after the largest.
6. split="information" falls back on the median cut where no cut tells more about the class.
7. relaxed=True shares the rows at a median cut by chance, so that no row's side tells anything about its other cells;
   cuts by information are never shared. With persons, the rows of a person may be on both sides.
8. split="information" has a least size of groups of its own (mondrian_least.py): the smallest groups follow chance.
9. l, t and label_known (group_promise.py) are asked of both sides of every cut, not only of the groups at the end;
   where persons are counted, also of all leaves together that are published alike (mondrian_alike.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows, RowEntries
from discreet.counting.row_values import RowValues
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.protocol import Engine, HistogramEngine
from discreet.errors import ParameterError, RolesError, Setting, did_you_mean, listing
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.base import Method
from discreet.methods.engine_release import EngineDecision
from discreet.methods.fresh_order import fresh_order
from discreet.methods.group_needs import GroupNeeds, values_of
from discreet.methods.grouping import Grouping, larger_than_asked
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.methods.trees.cut_needs import side_needs
from discreet.methods.trees.cut_partition import CutTree, Need, partition, stacked
from discreet.methods.trees.hierarchy_labels import free_axis, tree_axis
from discreet.methods.trees.mondrian_alike import cut_back
from discreet.methods.trees.mondrian_least import chosen_least
from discreet.methods.trees.mondrian_outgrown import decided_in_parts, outgrow_memory, too_many_rows
from discreet.methods.trees.mondrian_population import PopulationRows
from discreet.prepare.given_hierarchies import HIERARCHIES, given_hierarchies, public_hierarchies
from discreet.privacy.group_promise import GROUP_NEEDS, POPULATION, promise_of, stated_needs
from discreet.privacy.k_map import least_sampled
from discreet.privacy.promise import Promise
from discreet.recoding.axis import Axis
from discreet.recoding.leaf_labels import cuts_between, recode
from discreet.recoding.plan import Recode
from discreet.recoding.readable import readable_axis


class Mondrian(Method):
    """Generalise the quasi-identifiers until every combination is shared by k persons, each region by itself.

    Parameters
    ----------
    k : int in [2, inf)
    split : "median" or "information"
        "median" halves the group along its widest column; "information" takes the cut that tells most about the target.
    least : int in [2, inf) or None
        Persons that every group has at least, if more than k. None: k for median cuts; for cuts by information, what
        is best on held-out rows, so that groups do not follow chance where k is small.
    relaxed : bool
        Whether rows with the value at a median cut may be shared between both sides, so that groups are smaller and
        more even. Equal rows may then be published differently.
    labels : "readable", "local", "hierarchy" or "cuts"
        "readable" cuts at round borders, and writes codes by prefix, long sets by a name, and columns with a hierarchy
        by the labels of its branches; "local" writes a group as an interval, or the set of categories that occur;
        "hierarchy" as the lowest label its values have in common;
        "cuts" as what lies between the cuts around it, whatever values it holds.
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
    population : table, float in (0, 1] or None
        Who could have been sampled: a table with the quasi-identifiers of a population, or the fraction of it that was
        sampled. Then k persons of the population fit every group, and groups may be smaller in the release.
    max_suppressed : float, dict or None
        At most this share of the quasi-identifier cells may be suppressed, or there is no release. A dict limits
        "cells", "rows" (left out, or suppressed in all quasi-identifiers) or both.
    random_state : int, RandomState, Generator or None
        The order of the released rows; with `relaxed`, also which rows go to which side.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, with LDiversity(l) and TCloseness(t) of the sensitive columns where l and t
    are given; counted in persons when the roles name a person column. KMap(k) instead of KAnonymity(k) where a
    population is given.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = Mondrian(k=3).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist()))
    ['< 50', '>= 50']
    """

    name = "mondrian"
    needs_target = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "split": [StrOptions({"median", "information"})],
        "least": [Interval(Integral, 2, None, closed="left"), None],
        "relaxed": [bool],
        "labels": [StrOptions({"readable", "local", "hierarchy", "cuts"})],
        "hierarchies": HIERARCHIES,
        "grids": [Mapping, None],
        **GROUP_NEEDS,
        "population": POPULATION,
        "max_suppressed": MAX_SUPPRESSED,
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        split: str = "median",
        least: int | None = None,
        relaxed: bool = False,
        labels: str = "readable",
        hierarchies: Any = None,
        grids: Any = None,
        l: float | None = None,  # noqa: E741  (the field's own letter)
        diversity: str = "distinct",
        c: float | None = None,
        t: float | None = None,
        distance: str = "equal",
        label_known: bool = False,
        population: Any = None,
        max_suppressed: float | Mapping[str, float] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.split = split
        self.least = least
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
        self.population = population
        self.max_suppressed = max_suppressed
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return promise_of(self.k, **stated_needs(self), population=self.population)

    def _check_asked(self, roles: Roles) -> None:
        if self.hierarchies is not None and self.labels not in ("readable", "hierarchy"):
            ways = Setting("labels", "readable"), " or ", Setting("labels", "hierarchy")
            raise ParameterError("Mondrian uses hierarchies with ", *ways, " only. Say so, or leave them out.")
        if self.grids is not None and self.labels != "cuts":
            raise ParameterError(
                "Mondrian uses grids with ", Setting("labels", "cuts"), " only. Say so, or leave them out."
            )
        if roles.target is None and self.split == "information":
            raise RolesError("Cuts by information need a target, which the roles do not name. Take median cuts.")

    def _decide_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> EngineDecision:
        """On counts by the nodes of the growing tree, where there are too many distinct rows for memory."""
        if not isinstance(engine, HistogramEngine) or not outgrow_memory(engine, roles.quasi):
            return super()._decide_engine(engine, roles, randomness)
        self._check_asked(roles)
        if why := self._needs_distinct_rows(roles):
            raise too_many_rows(why)
        self._enough(len(engine))
        return decided_in_parts(
            engine,
            roles,
            lambda rows, name: self._axis(rows, name, roles, self.k),
            promise=self.promise,
            least=max(self.k, self.least or 0),
            by_information=self.split == "information",
            in_turn=self.labels == "cuts",
        )

    def decides_in_parts(self, roles: Roles) -> bool:
        return not self._needs_distinct_rows(roles)

    def _needs_distinct_rows(self, roles: Roles) -> str:
        """What is asked that counts by nodes do not tell."""
        if roles.person is not None:
            return "persons are counted"
        if self.population is not None:
            return "a population is asked"
        return "least is to be chosen" if self.split == "information" and self.least is None else ""

    def _decide(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Grouping:
        self._check_asked(roles)
        if self.population is not None and self.relaxed and not isinstance(self.population, Real):
            raise ParameterError("Mondrian counts a population for strict cuts only. Leave out relaxed, or population.")
        needs = GroupNeeds.of(rows, roles, self.promise)
        needs.check_possible()
        least, free = self._least(rows, roles)
        axes = self._axes(rows, roles, self._fewest if isinstance(self.population, Real) else self.k, free=free)
        parted = _SingleRows(rows.table, roles, randomness) if self.relaxed else rows
        outside = PopulationRows.of(self.population, rows, roles, self.k)
        codes, counts, n = parted.codes, parted.counts, len(parted.codes)
        if outside is not None:
            codes = np.concatenate([codes, outside.codes])
            counts = np.concatenate([counts, np.zeros((len(outside.codes), counts.shape[1]), dtype=counts.dtype)])
        ranks = np.empty(codes.shape, dtype=np.int32)
        for i, axis in enumerate(axes):
            ranks[:, i] = axis.rank_of_code[codes[:, i]]
        cuts = partition(
            ranks,
            counts,
            self._needs(parted, roles, least, outside),
            stacked([axis.position for axis in axes]),
            by_information=self.split == "information",
            relaxed=self.relaxed,
            in_turn=self.labels == "cuts",
            sides=side_needs(
                self.promise, roles, lambda name: replace(_values(parted, roles, name), n_rows=len(codes))
            ),
        )
        del ranks

        def label(cuts: CutTree) -> Recode:
            named = slice(None) if outside is None else outside.named(axes, codes, cuts.leaf_of)
            return _recoding(
                axes, lambda i: axes[i].rank_of_code.astype(np.int32)[codes[named, i]], cuts, cuts.leaf_of[named]
            )

        if roles.person is not None and needs.values:
            cuts, plan = cut_back(cuts, label, _asked_of(parted, roles, needs))
        else:
            plan = label(cuts)
        population = None if outside is None else outside.who_fits(plan, outside.named(axes, codes, cuts.leaf_of))
        trace: list[dict[str, Any]] = [{"groups": int((cuts.column < 0).sum()), "persons in a group at least": least}]
        trace += [{"column": axis.name, "cuts": int((cuts.column == i).sum())} for i, axis in enumerate(axes)]
        leaf_of = cuts.leaf_of[parted.places] if isinstance(parted, _SingleRows) else cuts.leaf_of[:n]
        larger = larger_than_asked(least, max(self._fewest, self.least or 0), "least")
        of = leaf_of, plan.labellings, plan.codes, plan, trace, larger
        return Grouping(*of, of_single_rows=self.relaxed, population=population)

    def _needs_rows(self) -> str:
        return "relaxed cuts divide rows that are equal" if self.relaxed else super()._needs_rows()

    def _least(self, rows: CodedRows, roles: Roles) -> tuple[int, bool]:
        """Persons that every group has at least, and whether categories are cut in another order than their trees'."""
        if self.least is not None or self.split == "median" or self.population is not None:
            return max(self._fewest, self.least or 0), False
        orders = (False, True) if self.hierarchies is not None and self.labels == "readable" else (False,)
        ways = [lambda some, rarest, free=free: self._axes(some, roles, rarest, free=free) for free in orders]
        least, way = chosen_least(rows, self.k, ways)
        return least, orders[way]

    def _axes(self, rows: CodedRows, roles: Roles, rarest: int, *, free: bool = False) -> list[Axis]:
        return [self._axis(rows, name, roles, rarest, free=free) for name in roles.quasi]

    def _axis(self, rows: CodedRows, name: str, roles: Roles, rarest: int, *, free: bool = False) -> Axis:
        """The axis of a column, by rows that were counted by this column at least."""
        by_class = self.split == "information"
        given = given_hierarchies(self.hierarchies, roles)
        if free and name in given:
            return free_axis(rows, name, rarest=rarest, given=given[name], n_columns=len(roles.quasi))
        if name in given or (self.labels == "hierarchy" and not given):
            by_branches = by_class or self.labels == "readable"
            return tree_axis(rows, name, rarest=rarest, given=given.get(name), by_branches=by_branches)
        if self.labels in ("readable", "hierarchy"):
            return readable_axis(rows, name, rarest=rarest, by_class=by_class, n_columns=len(roles.quasi))
        grids, by_cuts = self._public_grids(roles), self.labels == "cuts"
        if name in grids:
            return Axis.of_grid(rows, name, grids[name])
        return replace(Axis.of(rows, name, rarest=rarest, by_class=by_class, readable=False), by_cuts=by_cuts)

    def _public_grids(self, roles: Roles) -> Mapping[str, Any]:
        grids = self.grids or {}
        strange = sorted(str(name) for name in grids if name not in roles.quasi)
        if strange:
            raise RolesError(
                f"There are grids for {listing(strange)}, which the roles do not call quasi-identifiers."
                f"{did_you_mean(strange[0], roles.quasi)}"
            )
        if any(isinstance(grid, str) or not isinstance(grid, Sequence) for grid in grids.values()):
            example = Setting("grids", {"age": [20, 40, 60]})
            raise ParameterError("Grids are a list for each column, such as ", example, ".")
        return grids

    def _needs(
        self, rows: CodedRows | _SingleRows, roles: Roles, least: int, outside: PopulationRows | None
    ) -> list[Need]:
        """Numbers of different keys."""
        if outside is not None:
            others = self._needs(rows, roles, least, None) if self.l is not None else []
            keyed = [need for need in others if need.keys is not None]  # l values are of l rows at least
            return [*outside.needs(len(rows.codes)), *keyed]
        if self.l is None:
            return [Need(least, rows.people)]
        distinct = roles.sensitive if self.diversity == "distinct" else ()
        values = [Need(math.ceil(self.l), rows.beside(name)) for name in distinct]
        return [Need(max(least, math.ceil(self.l)), rows.people), *values]  # no group has more values than persons

    @property
    def _fewest(self) -> int:
        """Persons that a group of the release may have at least, by the promise."""
        if self.population is None:
            return self.k
        return least_sampled(self.k, float(self.population)) if isinstance(self.population, Real) else 1

    def _enough(self, persons: int) -> None:
        if persons < self._fewest:
            super()._enough(persons)

    def _public_parameters(self) -> dict[str, Any]:
        grids = None if self.grids is None else sorted(map(str, self.grids))
        stated = {"hierarchies": public_hierarchies(self.hierarchies), "grids": grids}
        if self.population is not None and not isinstance(self.population, Real):
            stated["population"] = "given"
        return super()._public_parameters() | stated


class _SingleRows:
    """The rows one by one, as coded rows, in an order that is chance and depends on content only.

    `places` leads from the rows of the table to these.
    """

    def __init__(self, table: Table, roles: Roles, randomness: Randomness):
        person = () if roles.person is None else (roles.person,)
        self._table = table
        self._order = fresh_order(table.select((*roles.published, *person)), randomness)
        self.codes = np.column_stack([column.codes[self._order] for column in table.columns(roles.quasi)])
        label = (
            np.zeros(len(table), np.int64) if roles.target is None else table.column(roles.target).codes[self._order]
        )
        self.counts = np.zeros((len(table), int(label.max(initial=0)) + 1), dtype=np.int64)
        self.counts[np.arange(len(table)), label] = 1
        self.places = np.empty(len(table), dtype=np.int64)
        self.places[self._order] = np.arange(len(table))
        self.people = None if roles.person is None else self.beside(roles.person)
        persons = None
        if self.people is not None:
            persons = RowEntries(self.people[0], label, np.ones_like(label), self.people[1])
        self.one_by_one = DistinctRows(self.codes, self.counts, persons)

    def beside(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(len(self._order)), self._table.column(name).codes[self._order].astype(np.int64)


def _asked_of(rows: CodedRows | _SingleRows, roles: Roles, needs: GroupNeeds) -> GroupNeeds:
    """The same needs, asked of sets of the rows that are parted."""
    if isinstance(rows, CodedRows):
        return needs
    values = tuple(replace(need, values=_values(rows, roles, need.column)) for need in needs.values)
    return replace(needs, rows=rows.one_by_one, values=values)


def _values(rows: CodedRows | _SingleRows, roles: Roles, name: str) -> RowValues:
    if isinstance(rows, CodedRows):
        return values_of(rows, roles, name)
    row, value = rows.beside(name)
    person = None if roles.person is None else rows.beside(roles.person)[1]
    return RowValues.of(row, value, np.ones(len(row), dtype=np.int64), person, len(row))


def _recoding(axes: list[Axis], ranks: Callable[[int], np.ndarray], cuts: CutTree, leaf_of: np.ndarray) -> Recode:
    """The plan of the cuts. A new row with a value that both sides share goes right, or left where right has no end."""
    end = cuts_between(axes, cuts.column, cuts.ends, cuts.above)
    if cuts.below is cuts.ends and cuts.begins is cuts.above:
        return recode(axes, ranks, leaf_of, cuts.column, end, cuts.left)
    begin = cuts_between(axes, cuts.column, cuts.below, cuts.begins)
    begin = np.where(np.isnan(begin), -np.inf, begin)
    cut = np.where(begin == -np.inf, end, begin)
    return recode(axes, ranks, leaf_of, cuts.column, cut, cuts.left, (end, begin))
