# SPDX-License-Identifier: Apache-2.0
"""k-anonymity: whoever knows a person's quasi-identifiers is left with at least k persons.

Definition (Samarati and Sweeney 1998): every combination of quasi-identifier values that occurs in the table is
shared by at least k persons. Two rows share it only if they are equal cell by cell: a suppressed cell is a value of its
own and matches only another suppressed cell, and likewise a missing one. Rows suppressed everywhere count like any
other. This is the strictest reading of a suppressed cell, and the only one accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet.counting.supersets import Distinct
from discreet.counting.tally import group_sizes, grouped, is_engine, pair_counts, persons_per_group, tally
from discreet.data.baskets import Baskets
from discreet.data.content import Content
from discreet.data.dataset import as_baskets
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import RolesError, did_you_mean, listing
from discreet.privacy.exposure import exposure, items_of
from discreet.privacy.promise import Interval, Promise, Verdict, table_and_roles


def k_anonymity(table: object, quasi: Sequence[str], *, person: str | None = None) -> int:
    """The k of a table: persons (rows, unless `person` is set) in its smallest equivalence class.

    >>> k_anonymity({"sex": ["f", "f", "m", "m", "m"], "age": [31, 31, 45, 45, 45]}, ["sex", "age"])
    2
    """
    if is_engine(table):
        return int(tally(table, quasi, person=person).sizes.min())
    table = Table.of(table)
    persons = None if person is None else table.column(person).codes
    return int(group_sizes([column.codes for column in table.columns(quasi)], len(table), persons).min())


@dataclass(frozen=True)
class KAnonymity(Promise):
    """Every combination of quasi-identifiers is shared by at least k persons.

    `sets` requires it of separate sets of columns, what different outsiders may know, instead of all quasi-identifiers
    together. The sets must consist of quasi-identifiers and together cover all of them. `columns` requires it of these
    quasi-identifiers only: sets with a k each are promised as
    KAnonymity(5, columns=["age", "sex"]) & KAnonymity(10, columns=["zip"]). A release whose promise leaves out a
    quasi-identifier does not verify.

    Promise
    -------
    Assumes that the roles are right: that an attacker knows nothing beyond the quasi-identifiers, and that each row,
    or each value of the person column, is one person. Does not hide what all k persons have in common.

    >>> table = {"sex": ["f", "f", "m"], "y": [0, 1, 1]}
    >>> KAnonymity(2).check(table, Roles(target="y", quasi=["sex"])).measured
    1
    """

    name: ClassVar[str] = "k-anonymity"
    does_not_protect: ClassVar[str] = (
        "An attacker who knows more than the quasi-identifiers, or a group whose members all share one sensitive value"
        " or one label, is not held back by k-anonymity."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"k": [Interval(Integral, 2, None, closed="left")]}

    k: int = 5
    sets: tuple[tuple[str, ...], ...] | None = None
    columns: tuple[str, ...] | None = None

    if TYPE_CHECKING:  # collections of any kind, kept as tuples

        def __init__(
            self, k: int = 5, sets: Iterable[Iterable[str]] | None = None, columns: Iterable[str] | None = None
        ) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.columns is not None:
            if self.sets is not None or not _is_sets([self.columns]):
                raise RolesError(
                    "The columns of KAnonymity are column names, such as ['age', 'sex'], and exclude sets."
                )
            object.__setattr__(self, "columns", tuple(self.columns))
        if self.sets is not None:
            if not _is_sets(self.sets):
                raise RolesError("The sets of KAnonymity are collections of column names, such as [['age', 'sex']].")
            object.__setattr__(self, "sets", tuple(tuple(names) for names in self.sets))

    @property
    def rows_tell(self) -> bool:
        return True  # a group has at least as many rows as persons

    def about(self, quasi: Sequence[str]) -> frozenset[str]:
        return frozenset(quasi if self.columns is None else self.columns)

    def __str__(self) -> str:
        if self.columns is not None:
            return f"{self.k}-anonymity of {', '.join(self.columns)}"
        return f"{self.k}-anonymity" + ("" if self.sets is None else f" of {len(self.sets)} column sets")

    def check(self, data: Any, roles: Roles | None = None) -> Verdict:
        baskets = as_baskets(data, bare=roles is None)
        if baskets is not None:
            return self._with_exposure(
                self._verdict(*_counted(baskets, baskets.names, baskets.persons, baskets.labels)), baskets
            )
        data, roles = table_and_roles(data, roles)
        verdicts = [self._verdict(*_table_groups(data, names, roles)) for names in self._sets_of(roles)]
        worst = min(verdicts, key=lambda verdict: verdict.measured)
        verdict = replace(
            worst,
            rows_short=max(verdict.rows_short for verdict in verdicts),
            with_label=None if roles.target is None else min(v.with_label for v in verdicts),  # type: ignore[type-var]
        )
        whole = self.sets is None and self.columns is None
        if whole and not is_engine(data) and data.n_items(roles.quasi):
            return self._with_exposure(verdict, items_of(data, roles))
        return verdict

    def _with_exposure(self, verdict: Verdict, baskets: Baskets) -> Verdict:
        """Add the exposure counts of 0/1 items, as containment states them."""
        if not verdict.holds:  # there may be too many distinct rows to compare
            return verdict
        return replace(verdict, details={**verdict.details, **exposure(Distinct.of(baskets), baskets, self.k)})

    def _sets_of(self, roles: Roles) -> Sequence[Sequence[str]]:
        sets = self.sets if self.columns is None else (self.columns,)
        if sets is None:
            return [roles.quasi]
        covered = {name for names in sets for name in names}
        unknown = sorted(covered - set(roles.quasi))
        if unknown:
            raise RolesError(
                f"KAnonymity names columns that are not quasi-identifiers: {listing(unknown)}."
                f"{did_you_mean(unknown[0], roles.quasi)}"
            )
        if self.columns is not None:
            return sets
        uncovered = [name for name in roles.quasi if name not in covered]
        if uncovered:
            raise RolesError(
                f"No set of KAnonymity has the quasi-identifiers {listing(uncovered)}, so nothing would be promised"
                f" about them. Put them in a set, or give them another role."
            )
        return sets

    def _verdict(self, sizes: np.ndarray, rows: np.ndarray, with_label: int | None) -> Verdict:
        measured = int(sizes.min())
        return Verdict(
            promise=str(self),
            holds=measured >= self.k,
            required=self.k,
            measured=measured,
            rows=int(rows.sum()),
            rows_short=int(rows[sizes < self.k].sum()),
            with_label=with_label,
            details={"groups": len(sizes), "unique rows": int(rows[sizes == 1].sum())},
        )


def _is_sets(sets: object) -> bool:
    """Whether `sets` is a non-empty collection of non-empty collections of names."""
    collections = (list, tuple, set, frozenset)
    return (
        isinstance(sets, collections)
        and bool(sets)
        and all(
            isinstance(names, collections) and names and all(isinstance(name, str) for name in names) for names in sets
        )
    )


GroupSizes = tuple[np.ndarray, np.ndarray, int | None]  # persons, rows, smallest group if the label is known, too


def _table_groups(data: Any, names: Sequence[str], roles: Roles) -> GroupSizes:
    if not is_engine(data):  # like a tally, but without the distinct rows
        persons = None if roles.person is None else data.column(roles.person).codes
        labels = None if roles.target is None else data.column(roles.target).codes
        return _counted(data, names, persons, labels)
    counted = tally(data, names, target=roles.target, person=roles.person)
    rows = counted.counts.sum(axis=1)
    if roles.target is None:
        return counted.sizes, rows, None
    if roles.person is None:
        labelled = counted.counts[counted.counts > 0]
    else:
        labelled = tally(data, (*names, roles.target), person=roles.person).sizes
    return counted.sizes, rows, int(labelled.min())


def _counted(
    content: Content, names: Sequence[str], persons: np.ndarray | None, labels: np.ndarray | None
) -> GroupSizes:
    groups, first = grouped(content, names, ordered=False)
    n_groups = len(first)
    rows = np.bincount(groups, minlength=n_groups)
    sizes = rows if persons is None else persons_per_group(groups, n_groups, persons)
    if labels is None:
        return sizes, rows, None
    if persons is None:
        return sizes, rows, int(pair_counts(groups, labels)[2].min())
    return sizes, rows, int(group_sizes([groups, labels], len(groups), persons).min())
