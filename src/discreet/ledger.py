# SPDX-License-Identifier: Apache-2.0
"""What was released from which named data set, and what it cost: one SQLite file per data holder.

Check, work, then spend. `spending` sets the cost aside in the same transaction that checks it, so that two processes
cannot spend one budget; then the caller works; then the entry is marked done. A run that dies in between has spent:
what it drew may have been seen. A run that is refused has spent nothing.

A budget belongs to the name that the holder gave a data set. The ledger holds names, those of published columns too,
costs and words of the holder; no value of a private cell ever enters it. Releases of other families are written down
too, with no cost: theirs is of another kind, which no epsilon counts. They do not compose: each keeps its promise by
itself, and two of one data set together may keep none. So an account warns before a second one is made, and names the
earlier.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.entries import Entry, Limit, State, add_entry, entries_in, limits_in, prepare
from discreet.errors import BudgetExceeded, DataError, ParameterError, PrivacyLeakWarning, did_you_mean, shown
from discreet.privacy.base import Promise
from discreet.privacy.budget import Budget, exact, total, within
from discreet.privacy.differential import private_part

_PATIENCE = 30  # seconds to wait for another process


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
            known = limits_in(file).get(data_set)
            if (
                known
                and entries_in(file, data_set)
                and (known.accounting, known.neighbours) != (accounting, neighbours)
            ):
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
            return limits_in(file)

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
        promise: str = "",
        columns: Sequence[str] = (),
    ) -> Iterator[int]:
        """Set a cost aside, then work in the block. BudgetExceeded before the block, if it cannot be afforded.

        Whatever ends the block, the cost is spent: an error after the noise was drawn may have shown it. So check
        parameters and data before the block. Gives the number of the entry. Without an epsilon it is only written down.
        """
        budget = None if epsilon is None else Budget(epsilon, delta, rho)
        with self._transaction() as file:
            _check(file, data_set, budget, neighbours)
            number = add_entry(file, data_set, budget, str(what), promise, columns)
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
            return entries_in(file, data_set)

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
                    prepare(file, self.path.name, make)
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
    _told: set[int] = field(default_factory=set, init=False, repr=False, compare=False)

    def afford(self, promise: Promise) -> None:
        """Raise BudgetExceeded unless a release under the promise can be paid; warn where it would not compose.

        Where costs add up by zCDP, a release's is known when its noise is; until then it is taken for nothing.
        """
        asked = _asked(promise, None)
        self.ledger.check(self.data_set, **(asked if asked["epsilon"] is None else asked | {"rho": 0.0}))
        self.warn(promise)

    def warn(self, promise: Promise) -> None:
        """Warn of earlier releases that one under the promise does not compose with; once of each."""
        earlier = self.earlier(promise)
        if {entry.number for entry in earlier} <= self._told:
            return
        self._told.update(entry.number for entry in earlier)
        warnings.warn(
            f"{shown(self.data_set)} was released before, without differential privacy: {', '.join(map(str, earlier))}."
            f" Releases of one table do not compose: {promise} would hold of this one by itself, and whoever joins them"
            " may be left with fewer persons than any of them promises. Before you publish it, try them together with"
            " discreet attack, or publish one of them only.",
            PrivacyLeakWarning,
            stacklevel=3,
        )

    def earlier(self, promise: Promise) -> list[Entry]:
        """The releases of the data set that one under the promise does not compose with."""
        if private_part(promise) is not None:
            return []
        return [entry for entry in self.ledger.entries(self.data_set) if entry.stands_alone]

    def paying(
        self, promise: Promise, content: object = None, *, what: str, columns: Sequence[str] = ()
    ) -> AbstractContextManager[int]:
        """`Ledger.spending` for a release under the promise; `content` is its noise, or states it.

        `columns` are those that it publishes: they tell what it can be joined on.
        """
        asked = _asked(promise, content)
        return self.ledger.spending(self.data_set, what=what, promise=str(promise), columns=columns, **asked)


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
    limits = limits_in(file)
    if data_set not in limits:
        raise BudgetExceeded(
            f"The ledger has no limit for a data set {shown(data_set)}.{did_you_mean(data_set, limits)} Set one first."
        )
    return limits[data_set]


def _spent(file: sqlite3.Connection, data_set: str) -> list[Budget]:
    return [entry.budget for entry in entries_in(file, data_set) if entry.budget is not None]
