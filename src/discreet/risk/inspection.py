# SPDX-License-Identifier: Apache-2.0
"""Who stands out in a raw table, and because of which columns: what `discreet inspect` shows.

`inspect_table` suggests a role for each column and measures what the quasi-identifiers tell apart: each of them and all
together, the smallest sets of columns that single out, what leaving out or coarsening one would do, and what each
undecided column would add if outsiders knew it. The result holds names of columns and counts, never a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from discreet.counting.tally import grouped
from discreet.data.column import Column
from discreet.data.role_suggestions import DECIDE, Suggestion, suggest, suggested_roles
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, RolesError, did_you_mean, listing, quietly
from discreet.evaluate.risk import Risk, risk
from discreet.foundation.displayed import Displayed
from discreet.risk.inspection_changes import ColumnEffect, ColumnKnown, UniqueRows
from discreet.risk.inspection_columns import RARE, Distinctness, distinctness
from discreet.risk.inspection_sets import SinglingSets, singling_sets

__all__ = ["RARE", "InspectedColumn", "Inspection", "inspect_table"]

_MOST_ADDED = 60  # undecided columns that are tried, those with most values


@dataclass(frozen=True)
class InspectedColumn:
    """A column: its kind, its suggested role with the reason, and what it tells apart; None if it cannot be used."""

    name: str
    kind: str
    missing: int
    role: str
    reason: str
    tells: Distinctness | None

    def to_dict(self) -> dict[str, Any]:
        told = {} if self.tells is None else asdict(self.tells)
        return {
            "name": self.name,
            "kind": self.kind,
            "values": told.pop("values", 0) - bool(self.missing),
            "missing": self.missing,
            "role": self.role,
            "reason": self.reason,
            **told,
        }


@dataclass(frozen=True)
class Inspection(Displayed):
    """What was found in a table.

    columns   all columns, in order
    quasi     the columns that were taken as known: named, or suggested
    named     whether they were named; otherwise they are suggestions
    person    the column whose values are persons, if rows were counted in persons
    risk      groups of rows that share their quasi-identifiers; None if there are none, as all that follows
    together  what the quasi-identifiers tell apart together
    singling  the smallest sets of them that single out
    changes   unique rows without each of them, and with each one level coarser
    besides   unique rows if one of the undecided columns were known, too
    reading   how the columns were read, in sentences
    """

    rows: int
    columns: tuple[InspectedColumn, ...]
    quasi: tuple[str, ...]
    named: bool
    person: str | None
    risk: Risk | None = None
    together: Distinctness | None = None
    singling: SinglingSets | None = None
    changes: tuple[ColumnEffect, ...] = ()
    besides: tuple[ColumnKnown, ...] = ()
    reading: tuple[str, ...] = ()

    @property
    def suggestions(self) -> list[Suggestion]:
        return [Suggestion(one.name, one.role, one.reason) for one in self.columns]

    @property
    def undecided(self) -> tuple[str, ...]:
        """The columns whose role the data cannot tell."""
        return tuple(one.name for one in self.columns if one.role == DECIDE)

    @property
    def roles(self) -> Roles:
        """The suggested roles; undecided columns are without one, and so not published."""
        return suggested_roles(self.suggestions)

    def __repr__(self) -> str:
        unique = "" if self.risk is None else f", {self.risk.unique:,} unique on {listing(self.quasi)}"
        return f"Inspection({self.rows:,} rows, {len(self.columns)} columns{unique})"

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        counted = None
        if self.risk is not None:
            counted = asdict(self.risk) | {"below": {str(size): rows for size, rows in self.risk.below.items()}}
        return {
            "rows": self.rows,
            "columns": [one.to_dict() for one in self.columns],
            "reading": list(self.reading),
            "undecided": list(self.undecided),
            "quasi": list(self.quasi),
            "person": self.person,
            "risk": counted,
            "together": None if self.together is None else asdict(self.together),
            "singling_out": None if self.singling is None else asdict(self.singling),
            "changes": [asdict(one) for one in self.changes],
            "known_besides": [asdict(one) for one in self.besides],
        }


def inspect_table(
    table: Any,
    *,
    target: str | None = None,
    quasi: str | Iterable[str] | None = None,
    person: str | None = None,
    roles: Roles | Mapping[str, str] | None = None,
) -> Inspection:
    """Inspect a table, file or frame.

    Parameters
    ----------
    target : the column to be predicted; guessed if not given
    quasi : columns an attacker may know; suggested if not given
    person : the column with the person each row belongs to
    roles : roles that are decided; the role of every other column is suggested

    Examples
    --------
    >>> found = inspect_table({"age": [20, 20, 60], "sex": ["f", "m", "f"], "ill": [1, 0, 0]}, target="ill")
    >>> found.quasi, found.risk.unique, [one.columns for one in found.singling.sets]
    (('age', 'sex'), 3, [('age',), ('sex',), ('age', 'sex')])
    """
    table = Table.of(table)
    decided = _decided(roles)
    named = () if quasi is None else ((quasi,) if isinstance(quasi, str) else tuple(quasi))
    unknown = [name for name in (*named, *([person] if person else []), *decided) if name not in table]
    if unknown:
        hint = did_you_mean(unknown[0], table.names)
        raise RolesError(f"These columns are not in the table: {listing(unknown)}.{hint}")
    target = target or next((name for name, role in decided.items() if role == "target"), None)
    suggestions = [_with_named(one, decided, named, person) for one in suggest(table, target=target)]
    by_guess = suggested_roles(suggestions)
    chosen = named or by_guess.quasi
    found = Inspection(
        rows=len(table),
        columns=tuple(_inspected(table, one) for one in suggestions),
        quasi=chosen,
        named=bool(named),
        person=person or (None if named and not decided else by_guess.person),
        reading=tuple(table.reading.sentences()),
    )
    return _measured(table, found) if chosen else found


def _with_named(one: Suggestion, decided: dict[str, str], quasi: tuple[str, ...], person: str | None) -> Suggestion:
    """A suggestion, or what was decided instead. A column that looks known but was not named is to be decided."""
    if one.column in decided:
        return replace(one, role=decided[one.column], reason="as you decided")
    if one.column in quasi:
        return replace(one, role="quasi", reason=f"as you named it; {one.reason}")
    if one.column == person:
        return replace(one, role="person", reason="as you named it")
    if quasi and one.role == "quasi":
        return replace(one, role=DECIDE, reason=f"you did not name it: {one.reason}")
    return one


def _measured(table: Table, found: Inspection) -> Inspection:
    persons = None if found.person is None else table.column(found.person).codes
    unique = UniqueRows(table.columns(found.quasi), persons=persons)
    of_row, first = grouped(table, found.quasi, ordered=False)
    undecided = [table.column(name) for name in found.undecided if name not in found.quasi]
    undecided = sorted(undecided, key=lambda column: -column.levels)[:_MOST_ADDED]
    return replace(
        found,
        risk=risk(table, found.quasi, persons=persons),
        together=distinctness(np.bincount(of_row, minlength=len(first))),
        singling=singling_sets(table.columns(found.quasi), persons=persons),
        changes=tuple(unique.changes()),
        besides=tuple(unique.known_besides(undecided)),
    )


def _inspected(table: Table, suggestion: Suggestion) -> InspectedColumn:
    column: Column | None
    column, _ = quietly(table.column, suggestion.column, errors=(DataError,))
    if column is None:
        return InspectedColumn(suggestion.column, "none", 0, suggestion.role, suggestion.reason, None)
    rows_of = np.bincount(column.codes, minlength=len(column.values) + 1)
    return InspectedColumn(
        column.name,
        column.kind,
        int(rows_of[len(column.values)]),
        suggestion.role,
        suggestion.reason,
        distinctness(rows_of),
    )


def _decided(roles: Roles | Mapping[str, str] | None) -> dict[str, str]:
    """The role of each column that has one."""
    if roles is None:
        return {}
    if not isinstance(roles, Roles):
        return dict(roles)
    decided = {name: role for role in ("quasi", "sensitive", "identifiers", "other") for name in getattr(roles, role)}
    single = {"target": roles.target, "person": roles.person}
    return decided | {name: role for role, name in single.items() if name is not None}
