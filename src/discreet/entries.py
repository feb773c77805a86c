# SPDX-License-Identifier: Apache-2.0
"""What a ledger writes down: limits of data sets, entries of releases, and which releases do not compose.

Releases under differential privacy have a cost, and costs add up. Releases of other families have none: each keeps its
promise by itself, and two of one data set together may keep none.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from discreet.errors import DataError, ParameterError, listing, shown
from discreet.parameters import StrOptions, check_parameters
from discreet.privacy.budget import ACCOUNTING, NEIGHBOURS, Budget

FORMAT = 2  # of the file, in SQLite's user_version
_SINCE_2 = tuple(f"ALTER TABLE entries ADD COLUMN {name} TEXT NOT NULL DEFAULT ''" for name in ("promise", "columns"))
_TABLES = (
    """CREATE TABLE limits (
    data_set TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL, accounting TEXT NOT NULL,
    neighbours TEXT NOT NULL)""",
    """CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, data_set TEXT NOT NULL REFERENCES limits, epsilon TEXT,
    delta TEXT, rho TEXT, what TEXT NOT NULL, state TEXT NOT NULL, time TEXT NOT NULL)""",
    """CREATE TRIGGER kept BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END""",
    *_SINCE_2,
)
_WORDS: dict[str, list] = {"accounting": [StrOptions(set(ACCOUNTING))], "neighbours": [StrOptions(set(NEIGHBOURS))]}

State = Literal["open", "done", "failed"]


@dataclass(frozen=True)
class Limit:
    """What a data set may cost in all, how costs add up, and what neighbours are."""

    budget: Budget
    accounting: str = "basic"
    neighbours: str = "replace-one"

    def __post_init__(self):
        check_parameters(self, _WORDS)
        if self.accounting == "zcdp" and not self.budget.delta:
            raise ParameterError("Accounting by zCDP needs a limit with a delta above 0, such as 1e-6.")


@dataclass(frozen=True)
class Entry:
    """One release: what it cost, what the holder wrote about it; "open" until its run ended, "failed" if it died.

    The budget of a release of another family than differential privacy is None. `promise` and the published `columns`
    are empty where they were not written down.
    """

    number: int
    data_set: str
    budget: Budget | None
    what: str
    state: State
    time: str
    promise: str = ""
    columns: tuple[str, ...] = ()

    def __str__(self) -> str:
        columns = f"; columns {listing(self.columns)}" if self.columns else ""
        return f"{self.number} ({self.what}{columns})"

    @property
    def stands_alone(self) -> bool:
        """Whether it was released, and keeps its promise only where no other release is."""
        return self.budget is None and self.state != "failed"


def not_composing(entries: Iterable[Entry]) -> dict[int, tuple[int, ...]]:
    """For each release that keeps its promise only by itself, the earlier ones of its data set that do so too.

    >>> old, new = (Entry(number, "clinic", None, "mondrian", "done", "") for number in (1, 2))
    >>> not_composing([old, new, Entry(3, "clinic", Budget(1.0), "names", "done", "")])
    {2: (1,)}
    """
    met: dict[str, tuple[int, ...]] = {}
    found: dict[int, tuple[int, ...]] = {}
    for entry in entries:
        if entry.stands_alone:
            before = met.get(entry.data_set, ())
            if before:
                found[entry.number] = before
            met[entry.data_set] = (*before, entry.number)
    return found


# -- the file ----------------------------------------------------------------------------------------------------------


def prepare(file: sqlite3.Connection, name: str, make: bool) -> None:
    """Make the tables in an empty file, if they are to be made; bring those of format 1 to this one."""
    (format,) = file.execute("PRAGMA user_version").fetchone()
    if format == FORMAT:
        return
    empty = format == 0 and not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not (empty and make) and format != 1:
        raise DataError(f"{shown(name)} is not a ledger of format {FORMAT}.")
    for statement in _SINCE_2 if format == 1 else _TABLES:
        file.execute(statement)
    file.execute(f"PRAGMA user_version = {FORMAT}")


def limits_in(file: sqlite3.Connection) -> dict[str, Limit]:
    rows = file.execute("SELECT data_set, epsilon, delta, accounting, neighbours FROM limits ORDER BY data_set")
    return {name: Limit(Budget(float(e), float(d)), how, which) for name, e, d, how, which in rows}


def entries_in(file: sqlite3.Connection, data_set: str | None) -> list[Entry]:
    rows = file.execute(
        "SELECT number, data_set, epsilon, delta, rho, what, state, time, promise, columns FROM entries"
        " WHERE ?1 IS NULL OR data_set = ?1 ORDER BY number",
        (data_set,),
    )
    return [
        Entry(number, name, _budget(*cost), what, state, time, promise, tuple(json.loads(columns or "[]")))
        for number, name, *cost, what, state, time, promise, columns in rows
    ]


def add_entry(
    file: sqlite3.Connection, data_set: str, budget: Budget | None, what: str, promise: str, columns: Sequence[str]
) -> int:
    """Write down a release that is open; gives its number."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    number = file.execute(
        "INSERT INTO entries (data_set, epsilon, delta, rho, what, state, time, promise, columns)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (data_set, *_texts(budget), what, "open", now, promise, json.dumps(list(columns)) if columns else ""),
    ).lastrowid
    assert number is not None
    return number


def _budget(epsilon: str | None, delta: str | None, rho: str | None) -> Budget | None:
    if epsilon is None or delta is None:
        return None
    return Budget(float(epsilon), float(delta), None if rho is None else float(rho))


def _texts(budget: Budget | None) -> tuple[str | None, str | None, str | None]:
    """Numbers as they are written: SQLite's own would do, but texts are what a person reads and `exact` needs."""
    if budget is None:
        return None, None, None
    rho = None if budget.rho is None else repr(float(budget.rho))
    return repr(float(budget.epsilon)), repr(float(budget.delta)), rho
