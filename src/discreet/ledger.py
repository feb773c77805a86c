# SPDX-License-Identifier: Apache-2.0
"""What was released from which named data set, and what it cost: one SQLite file per data holder.

Check, work, then spend. `spending` sets the cost aside in the same transaction that checks it, so that two processes
cannot spend one budget; then the caller works; then the entry is marked done. A run that dies in between has spent:
what it drew may have been seen. A run that is refused has spent nothing.

A budget belongs to the name that the holder gave a data set. The ledger holds names, costs and words of the holder;
no value of a cell ever enters it. Releases of other families are written down too, with no cost: theirs is of another
kind, which no epsilon counts.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from discreet.errors import BudgetExceeded, DataError, ParameterError, did_you_mean, shown
from discreet.parameters import StrOptions, check_parameters
from discreet.privacy.base import Promise
from discreet.privacy.budget import ACCOUNTING, NEIGHBOURS, Budget, exact, total, within
from discreet.privacy.differential import private_part

FORMAT = 1  # of the file, in SQLite's user_version
_PATIENCE = 30  # seconds to wait for another process
_TABLES = (
    """CREATE TABLE limits (
    data_set TEXT PRIMARY KEY, epsilon TEXT NOT NULL, delta TEXT NOT NULL, accounting TEXT NOT NULL,
    neighbours TEXT NOT NULL)""",
    """CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT, data_set TEXT NOT NULL REFERENCES limits, epsilon TEXT,
    delta TEXT, rho TEXT, what TEXT NOT NULL, state TEXT NOT NULL, time TEXT NOT NULL)""",
    """CREATE TRIGGER kept BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'what was spent stays spent'); END""",
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

    The budget of a release of another family than differential privacy is None.
    """

    number: int
    data_set: str
    budget: Budget | None
    what: str
    state: State
    time: str


class Ledger:
    """The ledger in a file; it is made when the first limit is set.

    >>> import tempfile
    >>> ledger = Ledger(tempfile.mkdtemp() + "/ledger.sqlite")
    >>> ledger.set_limit("clinic", epsilon=1.0)
    >>> ledger.spend("clinic", epsilon=0.25, what="twenty names")
    >>> ledger.left("clinic").epsilon
    0.75
    """

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    # -- limits ----------------------------------------------------------------------------------------------------

    def set_limit(
        self,
        data_set: str,
        *,
        epsilon: float,
        delta: float = 0.0,
        accounting: str = "basic",
        neighbours: str = "replace-one",
    ) -> None:
        """Fix what all releases of a data set may cost together. What was spent stays spent when it is set anew.

        How costs add up and what neighbours are cannot be changed once something was spent.
        """
        Limit(Budget(epsilon, delta), accounting, neighbours)  # refuses what cannot be
        if not isinstance(data_set, str) or not data_set.strip():
            raise ParameterError("A data set has a name: a text that is not empty.")
        with self._transaction(make=True) as file:
            known = _limits(file).get(data_set)
            if known and _entries(file, data_set) and (known.accounting, known.neighbours) != (accounting, neighbours):
                raise DataError(
                    f"The data set {shown(data_set)} has spent under {known.accounting} accounting of"
                    f" {known.neighbours} neighbours. These stay; change epsilon and delta only."
                )
            file.execute(
                "INSERT INTO limits VALUES (?, ?, ?, ?, ?) ON CONFLICT (data_set) DO UPDATE SET epsilon ="
                " excluded.epsilon, delta = excluded.delta, accounting = excluded.accounting, neighbours ="
                " excluded.neighbours",
                (data_set, repr(float(epsilon)), repr(float(delta)), accounting, neighbours),
            )

    def limits(self) -> dict[str, Limit]:
        """The limit of each data set."""
        with self._transaction() as file:
            return _limits(file)

    # -- spending --------------------------------------------------------------------------------------------------

    def check(
        self,
        data_set: str,
        *,
        epsilon: float | None,
        delta: float = 0.0,
        rho: float | None = None,
        neighbours: str | None = None,
    ) -> None:
        """Raise BudgetExceeded unless this could be spent now; for no epsilon, unless the data set has a limit."""
        with self._transaction() as file:
            _check(file, data_set, None if epsilon is None else Budget(epsilon, delta, rho), neighbours)

    def spend(self, data_set: str, *, epsilon: float, delta: float = 0.0, rho: float | None = None, what: str) -> None:
        """Spend at once, for work that is done in one step."""
        with self.spending(data_set, epsilon=epsilon, delta=delta, rho=rho, what=what):
            pass

    @contextmanager
    def spending(
        self,
        data_set: str,
        *,
        epsilon: float | None,
        delta: float = 0.0,
        rho: float | None = None,
        neighbours: str | None = None,
        what: str,
    ) -> Iterator[int]:
        """Set a cost aside, then work in the block. BudgetExceeded before the block, if it cannot be afforded.

        Whatever ends the block, the cost is spent: an error after the noise was drawn may have shown it. So check
        parameters and data before the block. Gives the number of the entry. Without an epsilon it is only written down.
        """
        budget = None if epsilon is None else Budget(epsilon, delta, rho)
        with self._transaction() as file:
            _check(file, data_set, budget, neighbours)
            number = file.execute(
                "INSERT INTO entries (data_set, epsilon, delta, rho, what, state, time) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (data_set, *_texts(budget), str(what), "open", datetime.now(UTC).isoformat(timespec="seconds")),
            ).lastrowid
        assert number is not None
        state: State = "failed"
        try:
            yield number
            state = "done"
        finally:
            with self._transaction() as file:
                file.execute("UPDATE entries SET state = ? WHERE number = ?", (state, number))

    def record(self, data_set: str, what: str) -> None:
        """Write down a release that no epsilon counts, of another family."""
        with self.spending(data_set, epsilon=None, what=what):
            pass

    def account(self, data_set: str) -> Account:
        """A data set, as `Method.release` and `Release.save` take it."""
        return Account(self, data_set)

    # -- looking ---------------------------------------------------------------------------------------------------

    def entries(self, data_set: str | None = None) -> list[Entry]:
        """What was released, in the order it was."""
        with self._transaction() as file:
            return _entries(file, data_set)

    def left(self, data_set: str) -> Budget:
        """What can still be spent: as one release that has an epsilon and, under basic accounting, a delta."""
        with self._transaction() as file:
            return _left(_limit(file, data_set), _spent(file, data_set))

    # -- the file --------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self, *, make: bool = False) -> Iterator[sqlite3.Connection]:
        """All or nothing, and alone: another process waits until this one is done."""
        if not make and not self.path.is_file():
            raise DataError(f"There is no ledger {shown(self.path.name)}. Set a limit first.")
        try:
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)) as file:
                file.execute("PRAGMA synchronous = FULL")
                file.execute("PRAGMA foreign_keys = ON")
                file.execute("BEGIN IMMEDIATE")
                try:
                    self._prepare(file, make)
                    yield file
                except BaseException:
                    file.execute("ROLLBACK")
                    raise
                file.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            raise DataError(
                f"The ledger {shown(self.path.name)} cannot be used ({type(error).__name__}): it is no ledger, it is"
                " locked by another process, or it cannot be written."
            ) from None

    def _prepare(self, file: sqlite3.Connection, make: bool) -> None:
        (format,) = file.execute("PRAGMA user_version").fetchone()
        if format == 0 and make and not file.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in _TABLES:
                file.execute(statement)
            file.execute(f"PRAGMA user_version = {FORMAT}")
        elif format != FORMAT:
            raise DataError(f"{shown(self.path.name)} is not a ledger of format {FORMAT}.")


@dataclass(frozen=True)
class Account:
    """A data set of a ledger. A release is looked up before data is touched and paid before anyone sees it.

    >>> import tempfile
    >>> from discreet.privacy.differential import DifferentialPrivacy
    >>> ledger = Ledger(tempfile.mkdtemp() + "/ledger.sqlite")
    >>> ledger.set_limit("clinic", epsilon=1.0)
    >>> account = ledger.account("clinic")
    >>> account.afford(DifferentialPrivacy(0.25))
    >>> with account.paying(DifferentialPrivacy(0.25), what="twenty names"):
    ...     pass
    >>> ledger.left("clinic").epsilon
    0.75
    """

    ledger: Ledger
    data_set: str

    def afford(self, promise: Promise) -> None:
        """Raise BudgetExceeded unless a release under the promise can be paid.

        Where costs add up by zCDP, a release's is known when its noise is; until then it is taken for nothing.
        """
        asked = _asked(promise, None)
        self.ledger.check(self.data_set, **(asked if asked["epsilon"] is None else asked | {"rho": 0.0}))

    def paying(self, promise: Promise, content: object = None, *, what: str) -> AbstractContextManager[int]:
        """`Ledger.spending` for a release under the promise; `content` is its noise, or states it."""
        return self.ledger.spending(self.data_set, what=what, **_asked(promise, content))


def _asked(promise: Promise, content: object) -> dict[str, Any]:
    private = private_part(promise)
    if private is None:
        return {"epsilon": None}
    return {**vars(private.cost(content)), "neighbours": private.neighbours}


def _check(file: sqlite3.Connection, data_set: str, budget: Budget | None, neighbours: str | None) -> None:
    limit = _limit(file, data_set)
    if budget is None:
        return
    if neighbours is not None and neighbours != limit.neighbours:
        raise BudgetExceeded(
            f"The budget of {shown(data_set)} is about {limit.neighbours} neighbours, the release about {neighbours}."
        )
    if limit.accounting == "zcdp" and budget.rho is None:
        raise BudgetExceeded(
            f"The budget of {shown(data_set)} adds up by zCDP, and the rho of this release is not known."
            " State it, or release with delta 0."
        )
    spent = _spent(file, data_set)
    if not within([*spent, budget], limit.budget, limit.accounting):
        raise BudgetExceeded(
            f"The data set {shown(data_set)} has a limit of {limit.budget} and {_left(limit, spent)} left; {budget} was"
            " asked. Ask for less, or let the holder raise the limit."
        )


def _left(limit: Limit, spent: list[Budget]) -> Budget:
    gone = total(spent)
    if limit.accounting == "basic":
        left = [max(exact(0), exact(getattr(limit.budget, n)) - exact(getattr(gone, n))) for n in ("epsilon", "delta")]
        return Budget(float(left[0]), float(left[1]))
    low, high = 0.0, limit.budget.epsilon  # the largest epsilon of a release without delta that still fits
    for _ in range(60):
        middle = (low + high) / 2
        fits = within([*spent, Budget(middle)], limit.budget, "zcdp")
        low, high = (middle, high) if fits else (low, middle)
    return Budget(low)


def _limit(file: sqlite3.Connection, data_set: str) -> Limit:
    limits = _limits(file)
    if data_set not in limits:
        raise BudgetExceeded(
            f"The ledger has no limit for a data set {shown(data_set)}.{did_you_mean(data_set, limits)} Set one first."
        )
    return limits[data_set]


def _limits(file: sqlite3.Connection) -> dict[str, Limit]:
    rows = file.execute("SELECT data_set, epsilon, delta, accounting, neighbours FROM limits ORDER BY data_set")
    return {name: Limit(Budget(float(e), float(d)), how, which) for name, e, d, how, which in rows}


def _spent(file: sqlite3.Connection, data_set: str) -> list[Budget]:
    return [entry.budget for entry in _entries(file, data_set) if entry.budget is not None]


def _entries(file: sqlite3.Connection, data_set: str | None) -> list[Entry]:
    rows = file.execute(
        "SELECT number, data_set, epsilon, delta, rho, what, state, time FROM entries"
        " WHERE ?1 IS NULL OR data_set = ?1 ORDER BY number",
        (data_set,),
    )
    return [Entry(number, name, _budget(*cost), what, state, time) for number, name, *cost, what, state, time in rows]


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
