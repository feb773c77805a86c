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
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from discreet.counting.supersets import Distinct
from discreet.counting.tally import (
    group,
    group_sizes,
    grouped,
    is_engine,
    pair_counts,
    persons_per_group,
    tally,
)
from discreet.data.baskets import Baskets
from discreet.data.content import Content
from discreet.data.dataset import as_baskets
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import RolesError, did_you_mean, listing
from discreet.privacy.exposure import counted_items_of, exposure
from discreet.privacy.promise import Interval, Promise, Verdict, counted_and_roles


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
    quasi-identifier does not verify. `label_known` requires it of everyone who knows a person's label, too: in every
    group each label that occurs is shared by at least k persons.

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
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "label_known": [bool],
    }

    k: int = 5
    sets: tuple[tuple[str, ...], ...] | None = None
    columns: tuple[str, ...] | None = None
    label_known: bool = False

    if TYPE_CHECKING:  # collections of any kind, kept as tuples

        def __init__(
            self,
            k: int = 5,
            sets: Iterable[Iterable[str]] | None = None,
            columns: Iterable[str] | None = None,
            label_known: bool = False,
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
        named = f"{self.k}-anonymity" + ("" if self.sets is None else f" of {len(self.sets)} column sets")
        if self.columns is not None:
            named = f"{self.k}-anonymity of {', '.join(self.columns)}"
        return f"{named} with known labels" if self.label_known else named

    def to_dict(self) -> dict[str, Any]:
        described = super().to_dict()
        return (
            described if self.label_known else {key: value for key, value in described.items() if key != "label_known"}
        )

    def check(self, data: Any, roles: Roles | None = None) -> Verdict:
        baskets = as_baskets(data, bare=roles is None)
        if baskets is not None:
            self._needs_labels(baskets.labels)
            return self._with_exposure(
                self._verdict(*_counted(baskets, baskets.names, baskets.persons, baskets.labels)), baskets
            )
        data, roles = counted_and_roles(data, roles)
        self._needs_labels(roles.target)
        verdicts = [self._verdict(*_table_groups(data, names, roles)) for names in self._sets_of(roles)]
        worst = min(verdicts, key=lambda verdict: verdict.measured)
        verdict = replace(
            worst,
            rows_short=max(verdict.rows_short for verdict in verdicts),
            with_label=None if roles.target is None else min(v.with_label for v in verdicts),  # type: ignore[type-var]
        )
        whole = self.sets is None and self.columns is None
        content = getattr(data, "content", None)  # what an engine counts is not looked at
        if whole and content is not None and content.n_items(roles.quasi):
            return self._with_exposure(verdict, counted_items_of(content, roles))
        return verdict

    def _needs_labels(self, labels: object) -> None:
        if self.label_known and labels is None:
            raise RolesError("KAnonymity with known labels needs labels: the roles name no target.")

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

    def _verdict(self, groups: _Groups, labelled: _Groups | None) -> Verdict:
        counted = labelled if self.label_known and labelled is not None else groups
        measured = int(counted.sizes.min())
        return Verdict(
            promise=str(self),
            holds=measured >= self.k,
            required=self.k,
            measured=measured,
            rows=int(groups.rows.sum()),
            rows_short=int(counted.rows[counted.sizes < self.k].sum()),
            with_label=None if labelled is None else int(labelled.sizes.min()),
            details={"groups": len(groups.sizes), "unique rows": int(groups.rows[groups.sizes == 1].sum())},
        )


class _Groups(NamedTuple):
    """Persons and rows of each group."""

    sizes: np.ndarray
    rows: np.ndarray


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


def _table_groups(data: Any, names: Sequence[str], roles: Roles) -> tuple[_Groups, _Groups | None]:
    """The groups of these columns, and those of the columns and the label."""
    counted = tally(data, names, target=roles.target, person=roles.person)
    groups = _Groups(counted.sizes, counted.counts.sum(axis=1))
    if roles.target is None:
        return groups, None
    if roles.person is None:
        rows = counted.counts[counted.counts > 0]
        return groups, _Groups(rows, rows)
    with_label = tally(data, (*names, roles.target), person=roles.person)
    return groups, _Groups(with_label.sizes, with_label.counts.sum(axis=1))


def _counted(
    content: Content, names: Sequence[str], persons: np.ndarray | None, labels: np.ndarray | None
) -> tuple[_Groups, _Groups | None]:
    of, first = grouped(content, names, ordered=False)
    groups = _sized(of, len(first), persons)
    if labels is None:
        return groups, None
    if persons is None:
        rows = pair_counts(of, labels)[2]
        return groups, _Groups(rows, rows)
    with_label, first = group([of, labels], len(of), ordered=False)
    return groups, _sized(with_label, len(first), persons)


def _sized(of: np.ndarray, n_groups: int, persons: np.ndarray | None) -> _Groups:
    rows = np.bincount(of, minlength=n_groups)
    return _Groups(rows if persons is None else persons_per_group(of, n_groups, persons), rows)
