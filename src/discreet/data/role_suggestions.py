# SPDX-License-Identifier: Apache-2.0
"""Suggested roles: a first guess for a person to review, with the reason in plain words.

What the content of a column is comes first (identifiers.py), then what its name says (role_words.py). Where neither
tells whether outsiders know a column, its role is "decide": few different values are no reason to call it known, and
no reason to publish it as it is. An undecided column is not published.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, ValuesView
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.column import Column
from discreet.data.identifiers import likely_identifier
from discreet.data.role_words import IDENTITIES, SENSITIVE, fits, known_by, names_numbers, names_persons, says_nothing
from discreet.data.roles import MOST_CLASSES, Roles, works_like_a_name
from discreet.data.table import Table
from discreet.errors import DataError, RolesError, did_you_mean, shown

DECIDE = "decide"
_FEW = 30  # distinct values that do not make a column of persons
_PRECISE = ("age", "place", "time")  # known, however many different values there are


@dataclass(frozen=True)
class Suggestion:
    """A suggested role for a column, and the reason.

    The role is one of those of `Roles`, "decide" if the data cannot tell, or "none" for a column that tells nothing.
    """

    column: str
    role: str
    reason: str


def suggest(table: Any, *, target: str | None = None) -> list[Suggestion]:
    """Suggest a role for each column of a table, file or frame, with a reason.

    Identifiers are told by their content or their name; quasi-identifiers are what outsiders plausibly know by the name
    of the column, and all dates. The target defaults to the last column with 2 to 10 different values.

    >>> found = suggest({"age": [31, 45, 31, 31], "dose": [1, 2, 2, 1], "ill": ["no", "no", "yes", "no"]})
    >>> [(one.column, one.role) for one in found]
    [('age', 'quasi'), ('dose', 'decide'), ('ill', 'target')]
    >>> found[0].reason
    'outsiders may know the age of a person'
    """
    table = Table.of(table)
    if target is not None and target not in table:
        raise RolesError(f"There is no column {shown(target)} to predict.{did_you_mean(target, table.names)}")
    columns: dict[str, Column | str] = {name: _usable(table, name) for name in table.names}
    if target is None:
        target = _likely_target([column for column in columns.values() if isinstance(column, Column)])
    suggestions = [
        Suggestion(name, "none", column) if isinstance(column, str) else _suggest(column, len(table), name == target)
        for name, column in columns.items()
    ]
    predicted = None if target is None else columns[target]
    return suggestions if not isinstance(predicted, Column) else [_twin(one, columns, predicted) for one in suggestions]


def _twin(one: Suggestion, columns: dict[str, Column | str], target: Column) -> Suggestion:
    """The suggestion, with a warning if the column is the target under another name."""
    column = columns[one.column]
    if one.role in ("target", "identifiers", "person", "none") or not isinstance(column, Column):
        return one
    if not _tells_all(column, target):
        return one
    return replace(one, reason=f"it tells {shown(target.name)} in all rows or nearly all; {one.reason}")


def _tells_all(column: Column, target: Column) -> bool:
    """Whether of the rows that guessing gets wrong, knowing the value leaves 1 in 100 at most; values of few rows are
    left aside, for these tell the class of any column.
    """
    n_classes, n_values = len(target.values), len(column.values)
    if not 2 <= n_classes <= MOST_CLASSES or n_values > len(column) / _FEW:
        return False
    labelled = target.codes < n_classes
    places = column.codes[labelled].astype(np.int64) * n_classes + target.codes[labelled]
    counts = np.bincount(places, minlength=(n_values + 1) * n_classes).reshape(-1, n_classes)
    wrong, guessed = counts.sum() - counts.max(axis=1).sum(), counts.sum() - counts.sum(axis=0).max()
    return bool(guessed and wrong <= guessed / 100)


def settled(suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    """The suggestions for a command that cannot ask: undecided columns get no role, so that they are not published.

    Only if no column would be a quasi-identifier, the undecided ones are: the promise then covers all of them.
    """
    suggestions = list(suggestions)
    if any(one.role == "quasi" for one in suggestions):
        role, why = "none", "undecided, so it is not published"
    else:
        role, why = "quasi", "undecided, as all columns are, so it is taken as known"
    return [replace(one, role=role, reason=why) if one.role == DECIDE else one for one in suggestions]


def suggested_roles(data: Any, *, target: str | None = None) -> Roles:
    """The suggested roles of a table, file or frame, or of suggestions made before; undecided columns stay unpublished.

    >>> suggested_roles({"age": [31, 45, 31, 31], "dose": [1, 2, 2, 1], "ill": ["no", "no", "yes", "no"]})
    Roles(target='ill', quasi=('age',), sensitive=(), identifiers=(), other=(), person=None, allow_unique=())
    """
    suggestions = _as_suggestions(data)
    if suggestions is not None and target is not None:
        raise RolesError("These suggestions were made with a target of their own. Leave target= out.")
    by_role: dict[str, list[str]] = {}
    for one in settled(suggest(data, target=target) if suggestions is None else suggestions):
        by_role.setdefault(one.role, []).append(one.column)
    persons = sorted(
        by_role.get("person", ()), key=names_numbers
    )  # one that says persons goes before an id of anything
    return Roles(
        target=next(iter(by_role.get("target", [])), None),
        quasi=tuple(by_role.get("quasi", ())),
        sensitive=tuple(by_role.get("sensitive", ())),
        identifiers=(*by_role.get("identifiers", ()), *persons[1:]),
        other=tuple(by_role.get("other", ())),
        person=next(iter(persons), None),
    )


def _as_suggestions(data: Any) -> list[Suggestion] | None:
    """Suggestions in any collection as a list; None for a table, which may be a list of rows."""
    if not isinstance(data, (list, tuple, ValuesView, Iterator)):
        return None
    items = list(data)
    return items if all(isinstance(one, Suggestion) for one in items) else None


def _usable(table: Table, name: str) -> Column | str:
    """The column, or why it cannot be used."""
    try:
        return table.column(name)
    except DataError as error:
        return str(error)


def _likely_target(columns: list[Column]) -> str | None:
    """The last column of 2 to 10 values without gaps; one that outsiders know by its name only if there is no other."""
    small = [column.name for column in columns if 2 <= column.levels <= 10 and not column.has_missing]
    return next((name for name in reversed(small) if not known_by(name)), small[-1] if small else None)


def _suggest(column: Column, n_rows: int, is_target: bool) -> Suggestion:
    def say(role: str, reason: str) -> Suggestion:
        return Suggestion(column.name, role, reason)

    distinct = column.levels
    if is_target:
        rows = "1 row has none and is" if column.n_missing == 1 else f"{column.n_missing:,} rows have none and are"
        without = f"; {rows} left out" if column.has_missing else ""
        return say("target", f"{len(column.values)} classes{without}")
    if distinct == 1:
        return say("none", "the same in every row: it tells nothing")
    if (content := likely_identifier(column)) is not None:
        if content.one_person and distinct < 0.95 * n_rows and distinct > _FEW:
            return say("person", f"{content.reason}; {distinct:,} of them in {n_rows:,} rows")
        return say("identifiers", content.reason)
    topic = known_by(column.name)
    if topic == "time" and _is_measured(column):
        topic = None  # a monthly rent and a share of part-time work are no points in time
    is_text = column.kind == "category"
    if names_persons(column.name) and max(n_rows / 20, _FEW) < distinct < n_rows and not _is_measured(column):
        return say("person", f"the name suggests persons, {distinct:,} of them in {n_rows:,} rows")
    if names_numbers(column.name) and max(n_rows / 20, _FEW) < distinct < 0.95 * n_rows and not _is_measured(column):
        return say("person", f"an id of several rows, as of persons; {distinct:,} of them in {n_rows:,} rows")
    if fits(column.name, IDENTITIES) and distinct > n_rows / 10:
        return say("identifiers", f"the name suggests an identity; {distinct:,} different values")
    if distinct == n_rows and column.kind != "date" and not _is_measured(column) and topic not in _PRECISE:
        return say("identifiers", "different in every row")
    if fits(column.name, SENSITIVE):
        kept = "the name suggests what people keep to themselves"
        if works_like_a_name(column):
            return say(DECIDE, f"{kept}, but it is different in nearly every row and would name them: make it coarser")
        return say("sensitive", kept)
    if is_text and distinct > max(n_rows / 2, _FEW) and topic not in _PRECISE:
        return say("identifiers", f"text with {distinct:,} different values in {n_rows:,} rows")
    if topic:
        known = "when it happened to a person" if topic == "time" else f"the {topic} of a person"
        return say("quasi", f"outsiders may know {known}")
    if column.kind == "date":
        return say("quasi", "outsiders may know when it happened to a person")
    if (span := _years(column)) is not None:
        return say("quasi", f"years over a span of {span}, as years of birth are")
    return say(DECIDE, _undecided(column, n_rows))


def _is_measured(column: Column) -> bool:
    """Whether numbers have fractions: measurements differ in every row, too, without naming anyone."""
    return pa.types.is_floating(column.values.type)


def _years(column: Column) -> int | None:
    """The span of a column of years that are as far apart as people's years of birth."""
    if column.kind != "number" or not pa.types.is_integer(column.values.type) or len(column.values) < 25:
        return None
    low, high = float(np.min(column.numbers)), float(np.max(column.numbers))
    return int(high - low) if low >= 1890 and high <= 2035 and high - low >= 40 else None


def _undecided(column: Column, n_rows: int) -> str:
    """Why the data cannot tell, and what is at stake."""
    about = "its name tells nothing" if says_nothing(column.name) else "nothing says whether outsiders know it"
    left = n_rows / column.levels
    rows = "1 row" if round(left) == 1 else f"{left:,.0f} rows"
    return about if column.levels <= _FEW else f"{about}; whoever knows it is left with {rows} on average"
