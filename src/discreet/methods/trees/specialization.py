# SPDX-License-Identifier: Apache-2.0
"""Top-down specialisation: start with every cell suppressed, and replace labels by finer ones while k persons remain.

Papers: Fung, Wang, Yu, "Top-Down Specialization for Information and Privacy Preservation" (2005) and "Anonymizing
Classification Data for Privacy Preservation" (2007). A label is replaced, in all rows at once, by its children in the
column's value tree. Of the replacements that keep k everywhere, the next one is that of the highest
Score = InfoGain / (AnonyLoss + 1): the information gained about the class, against the shrinking of the smallest group.
Departures from the papers:
1. recoding="local", the default: each group of rows is specialised by itself, where a cut tells most about the class
   (specialization_local.py), so that a rare branch stands in the way of its own group at most. The branches below a
   label are parted in two sets, not all at once, and a set is written by its members. The other departures are of
   recoding="global", but the third and the fourth, which are of both.
2. Categories without a given tree get one: neighbours in the order of their class shares, or prefixes of a post code.
3. A category that fewer than k persons have is never named by an automatic tree: all such values together are "other".
4. Missing is a value: after the largest number; in an automatic tree after the last category; in a given tree a
   child of the root, unless the tree has a leaf for it.
5. A branch that no row has does not stand in the way: a label whose rows are all in one child is replaced by that
   child's children at once.
6. Class entropies are whole numbers of 2^-20 bits. Of equal scores the lowest column goes first, then the lowest value.
7. recoding="local" cuts numbers and dates between parts whose borders are round, where that loses no more than chance
   would (readable.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

from discreet.counting.coded_rows import CodedRows
from discreet.data.column import Column
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import CannotRelease, ParameterError, RolesError, Setting, did_you_mean, listing, shown
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.base import Method
from discreet.methods.group_needs import GROUP_NEEDS, GroupNeeds, promise_of, stated_needs
from discreet.methods.grouping import Grouping, larger_than_asked
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.methods.trees.number_lines import tree_line
from discreet.methods.trees.specialization_cut import Cut, LeafRows, Step
from discreet.methods.trees.specialization_local import GroupGrowth, chosen_size
from discreet.methods.trees.specialization_values import FINEST, AutomaticTree, GivenTree, Intervals, Values
from discreet.methods.trees.value_lines import AxisLine, Line
from discreet.prepare.automatic_hierarchy import automatic, is_post_code
from discreet.prepare.given_hierarchies import HIERARCHIES, given_hierarchies, public_hierarchies
from discreet.prepare.hierarchy import Hierarchy
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.axis import Axis
from discreet.recoding.patterns import EachColumn, Plan
from discreet.recoding.readable import readable_axis

_K = Interval(Integral, 2, None, closed="left")


@dataclass(frozen=True)
class SpecializationPlan(Plan):
    """Each column by itself; the published form does not name values that few persons have."""

    own: EachColumn
    published: EachColumn

    def apply(self, table: Table) -> dict[str, list[Column]]:
        return self.own.apply(table)

    @property
    def public(self) -> EachColumn:
        return self.published


class TopDownSpecialization(Method):
    """Replace labels by finer ones, the most telling first, while every combination keeps k persons.

    Parameters
    ----------
    k : int in [2, inf)
    hierarchies : mapping of column to Hierarchy or file, or a folder of files; None for automatic ones
        Numbers and dates without one are cut where the class entropy falls most, as needed.
    public_hierarchies : bool
        Whether everybody may know the values that the hierarchies list. Otherwise those that fewer than k persons have
        are named neither by labels nor by the recoding record.
    recoding : "local", "global" or None
        "global" replaces a label in all rows at once, as published; "local" in one group at a time. None is "local",
        but "global" where `quasi_sets` are given.
    group_size : int or None
        At least so many rows are in a group of "local"; never fewer than k persons. None takes the size that predicts
        rows held out best, so that a smaller k makes no worse release than a larger one.
    quasi_sets : list of (columns, k), or mapping of columns to k, or None
        What different outsiders may know, and how many persons each of them must be left with. Every quasi-identifier
        must be in a set. None is one set of all quasi-identifiers with k.
    l, diversity, c, t, distance, label_known
        What every group has besides k persons: l values of each sensitive column, t-closeness, k persons of each label
        (see methods/group_needs.py). For "local" only.
    max_suppressed : float, dict or None
        At most this share of the quasi-identifier cells may be suppressed, or there is no release. A dict limits
        "cells", "rows" (left out, or suppressed in all quasi-identifiers) or both.
    random_state : int, RandomState, Generator or None
        Only the order of the released rows is random.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, or KAnonymity(k, columns=...) for each of the sets; LDiversity, TCloseness
    and known labels where they are asked for; counted in persons when the roles name a person column.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = TopDownSpecialization(k=3).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist()))
    ['< 50', '>= 50']
    """

    name = "tds"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [_K],
        "hierarchies": HIERARCHIES,
        "public_hierarchies": [bool],
        "recoding": [StrOptions({"local", "global"}), None],
        "group_size": [_K, None],
        "quasi_sets": [Mapping, list, tuple, None],
        **GROUP_NEEDS,
        "max_suppressed": MAX_SUPPRESSED,
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        hierarchies: Any = None,
        public_hierarchies: bool = False,
        recoding: str | None = None,
        group_size: int | None = None,
        quasi_sets: Any = None,
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
        self.hierarchies = hierarchies
        self.public_hierarchies = public_hierarchies
        self.recoding = recoding
        self.group_size = group_size
        self.quasi_sets = quasi_sets
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
        if self.quasi_sets is None:
            return promise_of(self.k, **stated_needs(self))
        first, *others = [KAnonymity(k, columns=columns) for columns, k in _stated(self.quasi_sets)]
        promise: Promise = first
        for other in others:
            promise = promise & other
        return promise

    def _decide(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Grouping:
        recoding = self._recoding()
        asked = [name for name, value in stated_needs(self).items() if value not in (None, False, "distinct", "equal")]
        if recoding == "global" and (asked or self.group_size is not None):
            asked += ["group_size"] if self.group_size is not None else []
            raise ParameterError(
                Setting(asked[0]),
                ": only ",
                Setting("recoding", "local"),
                " makes groups with this, and only for one set of quasi-identifiers. Leave it out, or the other.",
            )
        return self._local(rows, roles) if recoding == "local" else self._global(rows, roles)

    def _recoding(self) -> str:
        if self.recoding == "local" and self.quasi_sets is not None:
            raise ParameterError(
                Setting("quasi_sets"),
                " need ",
                Setting("recoding", "global"),
                ", where a label is replaced in all rows at once.",
            )
        return self.recoding or self._default_recoding()

    def _default_recoding(self) -> str:
        return "local" if self.quasi_sets is None else "global"

    # -- group by group --------------------------------------------------------------------------------------------

    def _local(self, rows: CodedRows, roles: Roles) -> Grouping:
        needs = GroupNeeds.of(rows, roles, self.promise)
        needs.check_possible()
        hierarchies = given_hierarchies(self.hierarchies, roles)
        lines = [self._line(rows, name, hierarchies.get(name)) for name in roles.quasi]
        cells = [line.place_of_code[line.column.codes] for line in lines]
        merged, place = rows.merged(cells, [line.n_places + 1 for line in lines])
        needs = needs.merged(merged, place)
        by_rows = needs.only_persons and merged.people is None
        growth = GroupGrowth(lines, merged.codes, None if by_rows else needs.met)
        size, losses = self.group_size, dict[int, float]()
        if size is None:
            size, losses = chosen_size(GroupGrowth(lines, merged.codes, None), merged.counts, self.k)
        parts = growth.parts(merged.counts, max(size, needs.least))
        labellings, codes = parts.written(lines)
        trace: list[dict[str, Any]] = [{"groups": len(parts), "group size": max(size, needs.least)}]
        trace += [{"group size": size, "loss on rows held out": loss} for size, loss in losses.items()]
        larger = [] if self.group_size is not None else larger_than_asked(size, max(self.k, needs.least), "group_size")
        return Grouping(parts.group_of[place], labellings, codes, None, trace, larger)

    def _line(self, rows: CodedRows, name: str, hierarchy: Hierarchy | None) -> Line:
        """The column along its tree if it has one; post codes by their prefixes."""
        column = rows.column(name)
        if hierarchy is not None and len(column.values):
            return tree_line(rows, name, hierarchy, rarest=1 if self.public_hierarchies else self.k)
        if column.kind == "category" and len(column.values) and is_post_code(column):
            return tree_line(rows, name, automatic(column), rarest=self.k)
        if column.kind == "category":
            return AxisLine(Axis.of(rows, name, rarest=self.k, by_class=True))
        return AxisLine(readable_axis(rows, name, rarest=self.k, by_class=True))

    # -- all rows at once ------------------------------------------------------------------------------------------

    def _global(self, rows: CodedRows, roles: Roles) -> Grouping:
        sets = self._sets(roles)
        hierarchies, notes = given_hierarchies(self.hierarchies, roles), []
        values = []
        for place, name in enumerate(roles.quasi):
            rarest = max(k for columns, k in sets if place in columns)
            values.append(self._values(rows, name, hierarchies.get(name), rarest))
            notes += _note(values[-1], rarest, rows)
        leaf_rows = LeafRows(values, rows)
        cut, trace = Cut(values, leaf_rows, sets), []
        while step := cut.refine():
            trace.append(_trace_of(step, values))
        own, published = zip(
            *(of_column.labelling(cut.of_column(c)) for c, of_column in enumerate(values)), strict=True
        )
        group_of, codes = cut.groups()
        plan = SpecializationPlan(EachColumn(own), EachColumn(published))
        return Grouping(group_of[leaf_rows.place], own, codes, plan, trace, notes)

    def _values(self, rows: CodedRows, name: str, hierarchy: Hierarchy | None, rarest: int) -> Values:
        """How the column can be made finer: along its tree if it has one."""
        if hierarchy is not None:
            return GivenTree(hierarchy, rows, name, rarest)
        if rows.column(name).kind != "category":
            return Intervals(Axis.of(rows, name, rarest=rarest))
        return self._categories(rows, name, rarest)

    def _categories(self, rows: CodedRows, name: str, rarest: int) -> Values:
        """How a column of categories without a given tree can be made finer."""
        column = rows.column(name)
        if len(column.values) and is_post_code(column):
            return GivenTree(automatic(column), rows, name, rarest)
        return AutomaticTree(Axis.of(rows, name, rarest=rarest, by_class=True))

    def _sets(self, roles: Roles) -> list[tuple[tuple[int, ...], int]]:
        """The sets as places among the quasi-identifiers, each with its k."""
        if self.quasi_sets is None:
            return [(tuple(range(len(roles.quasi))), self.k)]
        stated = _stated(self.quasi_sets)
        named = {name for columns, _ in stated for name in columns}
        strange, unlisted = sorted(named - set(roles.quasi)), [name for name in roles.quasi if name not in named]
        if strange:
            hint = did_you_mean(strange[0], roles.quasi)
            raise RolesError(
                Setting("quasi_sets"), f" names columns that are not quasi-identifiers: {listing(strange)}.{hint}"
            )
        if unlisted:
            raise RolesError(
                f"No set of 'quasi_sets' holds the quasi-identifiers {listing(unlisted)}, so nothing would be promised"
                f" about them. Put them in a set, or give them another role."
            )
        return [(tuple(roles.quasi.index(name) for name in columns), k) for columns, k in stated]

    def _enough(self, persons: int) -> None:
        most = self.k if self.quasi_sets is None else max(k for _, k in _stated(self.quasi_sets))
        if persons < most:
            raise CannotRelease(
                f"k = {most} was asked, but there are only {persons} persons: no group can have {most}. Lower k."
            )

    def _public_parameters(self) -> dict[str, Any]:
        parameters = super()._public_parameters() | {"hierarchies": public_hierarchies(self.hierarchies)}
        if self.quasi_sets is not None:
            del parameters["k"]
            parameters["quasi_sets"] = [[list(columns), int(k)] for columns, k in _stated(self.quasi_sets)]
        return parameters


def _stated(sets: object) -> list[tuple[tuple[str, ...], int]]:
    """The sets of columns with their k, each column once."""
    pairs = list(sets.items()) if isinstance(sets, Mapping) else list(sets)  # type: ignore[call-overload]
    stated: list[tuple[tuple[str, ...], int]] = []
    for pair in pairs:
        names, k = pair if isinstance(pair, (list, tuple)) and len(pair) == 2 else ((), 0)
        names = [names] if isinstance(names, str) else names
        names = sorted(names, key=str) if isinstance(names, (set, frozenset)) else names
        if not isinstance(names, (list, tuple)) or not names or not all(isinstance(name, str) for name in names):
            raise ParameterError(
                "Sets are pairs of columns and k, such as ",
                Setting("quasi_sets", [[["age", "sex"], 5], [["zip"], 10]]),
                ".",
            )
        if not _K.allows(k):
            raise ParameterError("The k of a set in ", Setting("quasi_sets"), f" must be {_K.in_words}. Got {k!r}.")
        stated.append((tuple(dict.fromkeys(names)), int(k)))
    if not stated:
        raise ParameterError(Setting("quasi_sets"), " is empty. Leave it out for one set of all quasi-identifiers.")
    return stated


def _note(values: Values, k: int, rows: CodedRows) -> list[str]:
    """For the owner: a given tree that cannot be opened, as missing is a child of its root and few persons miss it."""
    if not isinstance(values, GivenTree) or values.leaf_of_code[-1] < len(values.hierarchy):
        return []
    few = int(rows.persons_of(values.name)[-1])
    if few >= k:
        return []
    return [
        f"Column {shown(values.name)} is missing for {few} persons, fewer than k = {k}, and its hierarchy has no place"
        f" for missing: it stays suppressed. Add a line for '?' to the hierarchy."
    ]


def _trace_of(step: Step, values: list[Values]) -> dict[str, Any]:
    of_column = values[step.column]
    return {
        "column": of_column.name,
        "value": of_column.label(step.part),
        "into": [of_column.label(child) for child in step.children],
        "score": step.score / FINEST,
        "smallest groups": list(step.smallest),
    }
