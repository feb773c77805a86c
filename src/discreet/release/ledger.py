# SPDX-License-Identifier: Apache-2.0
"""The privacy ledger: the releases of each named data set and what they cost, in one SQLite file with its key.

`spending` checks a cost and sets it aside in one transaction, so that two processes cannot spend the same budget; then
the caller works; then the entry is marked done. A run that dies in between has spent, since its output may have been
seen. A run that is refused has spent nothing.

Nothing is ever changed: limits, releases and their outcomes are lines of a chain of keyed hashes (ledger_chain.py),
which is checked in full at each opening. A ledger changed by something else than discreet can still be read, with a
warning, but not spent from.

A budget belongs to the name of a data set, however it is spelt. The ledger holds names of data sets and published
columns, costs, descriptions, and encrypted hashes that show whether two data sets are about the same people
(data_subjects.py); no value of a private cell ever enters it. Releases without differential privacy are recorded
without a cost, since no epsilon applies to them. They do not compose: each keeps its promise by itself, but two of one
data set together may keep none. So an account warns before such a release, names the earlier ones, and records the
warning.
"""

from __future__ import annotations

import hmac
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.errors import (
    DataError,
    LedgerTampered,
    ParameterError,
    PrivacyLeakWarning,
    quietly,
    shown,
)
from discreet.privacy.budget import Budget
from discreet.privacy.differential_privacy import private_part
from discreet.privacy.promise import Promise
from discreet.release.data_subjects import DataSubjects, Likeness, Overlap, overlap
from discreet.release.ledger_chain import Chain, OpenLedger
from discreet.release.ledger_entries import (
    Book,
    Change,
    DataSet,
    LedgerEntry,
    Limit,
    State,
    book_of,
    end_line,
    limit_line,
    normalised,
    release_line,
    remark_line,
)
from discreet.release.ledger_older import lines_of_older


class Ledger:
    """A ledger file, created when the first limit is set; its key is stored beside it or at `key`.

    >>> import tempfile
    >>> ledger = Ledger(tempfile.mkdtemp() + "/ledger.sqlite")
    >>> ledger.set_limit("clinic", epsilon=1.0)
    >>> ledger.spend("Clinic", epsilon=0.25, what="twenty names")
    >>> ledger.left("clinic").epsilon
    0.75
    """

    def __init__(self, path: str | os.PathLike[str], *, key: str | os.PathLike[str] | None = None):
        self.path = Path(path)
        beside = self.path.with_name(f"{self.path.name}.key")
        self._chain = Chain(self.path, beside if key is None else Path(key), lines_of_older)

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
        """Set what all releases of a data set may cost together. Changing a limit does not refund what was spent.

        Each change is recorded. Accounting and neighbours cannot be changed once something was spent.
        """
        limit = Limit(Budget(epsilon, delta), accounting, neighbours)
        if not isinstance(data_set, str) or not normalised(data_set):
            raise ParameterError("A data set needs a name: a text that is not empty.")
        with self._writing(make=True) as (lines, book):
            current = book.data_sets.get(normalised(data_set))
            if current is not None:
                if current.entries and (current.limit.accounting, current.limit.neighbours) != (accounting, neighbours):
                    raise DataError(
                        f"The data set {shown(current.name)} has spent under {current.limit.accounting} accounting of"
                        f" {current.limit.neighbours} neighbours. Only epsilon and delta can be changed now."
                    )
                if current.limit == limit:
                    return
            lines.add(limit_line(data_set, limit))

    def limits(self) -> dict[str, Limit]:
        """The limit of each data set, by its name as first spelt."""
        return {data_set.name: data_set.limit for data_set in self.book().limited}

    def changes(self, data_set: str) -> list[Change]:
        """All limits of a data set over time, the current one last."""
        return list(self.book().data_set(data_set).changes)

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
        """Raise BudgetExceeded unless this could be spent now; with epsilon None, unless the data set has a limit."""
        with self._writing() as (_, book):
            book.data_set(data_set).afford(None if epsilon is None else Budget(epsilon, delta, rho), neighbours)

    def spend(self, data_set: str, *, epsilon: float, delta: float = 0.0, rho: float | None = None, what: str) -> None:
        """Spend at once, for work done in one step."""
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
        warned: Sequence[str] = (),
        people: Sequence[Likeness] = (),
    ) -> Iterator[int]:
        """Set a cost aside and yield the entry's number; BudgetExceeded before the block if it cannot be afforded.

        However the block ends, the cost is spent, since an error after drawing noise may have revealed it. So check
        parameters and data before the block. Without an epsilon the release is only recorded.
        """
        budget = None if epsilon is None else Budget(epsilon, delta, rho)
        with self._writing() as (lines, book):
            book.data_set(data_set).afford(budget, neighbours)
            number = book.next_number
            sealed = [likeness.sealed(lines.key) for likeness in people]
            details: dict[str, Any] = {"promise": promise, "columns": columns, "warned": warned, "people": sealed}
            lines.add(release_line(number, data_set, budget, what=str(what), **details))
        state: State = "failed"
        try:
            yield number
            state = "done"
        finally:
            with self._writing() as (lines, _):
                lines.add(end_line(number, state))

    def record(self, data_set: str, what: str) -> None:
        """Record a release without differential privacy."""
        with self.spending(data_set, epsilon=None, what=what):
            pass

    def account(self, data_set: str) -> Account:
        """An account to pass to `Method.release` or `Release.save`."""
        return Account(self, data_set)

    # -- looking ---------------------------------------------------------------------------------------------------

    def book(self) -> Book:
        """Everything readable in the ledger; warns if it was tampered with."""
        with self._chain.opened() as lines:
            book = book_of(line.body for line in lines.lines)
            if lines.problems:
                warnings.warn(self._tampered(lines.problems), PrivacyLeakWarning, stacklevel=3)
            return book

    def problems(self) -> list[str]:
        """Evidence that something else than discreet changed the ledger; empty if there is none."""
        with self._chain.opened() as lines:
            return list(lines.problems)

    def entries(self, data_set: str | None = None) -> list[LedgerEntry]:
        """The releases of one data set, or of all, in order."""
        book = self.book()
        if data_set is None:
            return book.entries
        return list(book.data_sets.get(normalised(data_set), DataSet("")).entries)

    def left(self, data_set: str) -> Budget:
        """What can still be spent by a single release: an epsilon and, under basic accounting, a delta."""
        return self.book().data_set(data_set).left

    def common(self, data_set: str, people: DataSubjects) -> dict[str, Overlap]:
        """Other data sets that seem to be about some of these people, with the largest overlap of each."""
        with self._chain.opened() as lines:
            if lines.head is None:
                return {}
            book, key = book_of(line.body for line in lines.lines), lines.head.key
        mine, _ = quietly(people.likenesses, key)
        overlaps: dict[str, Overlap] = {}
        for name, other in book.data_sets.items():
            if name == normalised(data_set):
                continue
            shares = [overlap(one, theirs) for theirs in _likenesses(other, key) for one in mine or ()]
            remarkable = [share for share in shares if share is not None and share.remarkable]
            if remarkable:
                overlaps[other.name] = max(remarkable, key=lambda share: share.low)
        return overlaps

    def likenesses(self, people: DataSubjects) -> list[Likeness]:
        """The likenesses of people under the ledger's key; empty if they cannot be computed."""
        with self._chain.opened() as lines:
            key = None if lines.head is None else lines.head.key
        return [] if key is None else quietly(people.likenesses, key)[0] or []

    # -- receipts ----------------------------------------------------------------------------------------------------

    def receipt(self, number: int) -> dict[str, Any]:
        """A receipt for the owner, which shows later whether the release's line is still in the ledger."""
        with self._chain.opened() as lines:
            for line in lines.lines:
                if line.body.get("kind") == "release" and line.body.get("number") == number:
                    return {"format": 1, "entry": number, "line": line.number, "hash": line.mac}
        raise DataError(f"The ledger {shown(self.path.name)} has no entry {number}.")

    def holds(self, receipt: Mapping[str, Any]) -> bool:
        """Whether the line of a receipt is in the ledger, unchanged."""
        with self._chain.opened() as lines:
            macs = {line.number: line.mac for line in lines.lines if line.number not in lines.broken}
        line, expected = receipt.get("line"), receipt.get("hash")
        actual = macs.get(line) if isinstance(line, int) else None
        return (
            isinstance(expected, str) and actual is not None and hmac.compare_digest(actual.encode(), expected.encode())
        )

    def accept(self, because: str) -> list[str]:
        """Continue with a ledger that was tampered with; the problems and the reason are recorded in it.

        Everything readable is hashed again. Receipts of changed or lost lines will keep failing.
        """
        if not isinstance(because, str) or not because.strip():
            raise ParameterError("Give a reason why the ledger is accepted as it is: a text that is not empty.")
        with self._chain.opened() as lines:
            problems = list(lines.problems)
            if problems:
                remark = f"Accepted although it was tampered with ({'; '.join(problems)}), because: {because.strip()}"
                self._chain.renew(lines, remark_line(remark))
        return problems

    # -- the file --------------------------------------------------------------------------------------------------

    @contextmanager
    def _writing(self, *, make: bool = False) -> Iterator[tuple[OpenLedger, Book]]:
        with self._chain.opened(make=make) as lines:
            if lines.problems:
                raise LedgerTampered(self._tampered(lines.problems))
            yield lines, book_of(line.body for line in lines.lines)

    def _tampered(self, problems: Sequence[str]) -> str:
        return (
            f"The ledger {shown(self.path.name)} was changed by something else than discreet: {'; '.join(problems)}."
            " Nothing can be spent from it. Restore a copy that you trust, with its key. To continue with it as it is,"
            " use discreet ledger accept, which leaves a remark in it."
        )


@dataclass(frozen=True)
class Account:
    """A data set of a ledger. A release must be affordable before data is touched, and is paid before anyone sees it.

    >>> import tempfile
    >>> from discreet.privacy.differential_privacy import DifferentialPrivacy
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
    _warned: set[str] = field(default_factory=set, init=False, repr=False, compare=False)
    _due: list[str] = field(default_factory=list, init=False, repr=False, compare=False)  # warnings of the next release

    def afford(self, promise: Promise) -> None:
        """Raise BudgetExceeded unless a release under the promise can be paid; warn if it would not compose.

        Under zCDP accounting the cost is not known before the noise is; until then it counts as zero.
        """
        cost = _cost(promise, None)
        self.ledger.check(self.data_set, **(cost if cost["epsilon"] is None else cost | {"rho": 0.0}))
        self.warn(promise)

    def warn(self, promise: Promise, people: DataSubjects | None = None) -> None:
        """Warn once of each earlier release or data set that a release under the promise does not compose with."""
        self._due.clear()
        entries = self.ledger.entries(self.data_set)
        alone, private = ([e for e in entries if e.stands_alone], [e for e in entries if e.is_private])
        name = shown(self.data_set)
        if private_part(promise) is not None:
            self._say(alone, MIXED.format(name=name, how="without", earlier=_listed(alone)))
        else:
            self._say(private, MIXED.format(name=name, how="under", earlier=_listed(private)))
            self._say(alone, APART.format(name=name, earlier=_listed(alone), promise=promise))
        for other, share in {} if people is None else self.ledger.common(self.data_set, people).items():
            self._say([other], _same_people(self.data_set, other, share))

    def _say(self, why: Sequence[object], text: str) -> None:
        if not why:
            return
        self._due.append(text)
        if text not in self._warned:
            self._warned.add(text)
            warnings.warn(text, PrivacyLeakWarning, stacklevel=4)

    def paying(
        self,
        promise: Promise,
        content: object = None,
        *,
        what: str,
        columns: Sequence[str] = (),
        people: DataSubjects | None = None,
    ) -> AbstractContextManager[int]:
        """`Ledger.spending` for a release under the promise; `content` is its noise, or a document that states it.

        `columns` are the published ones, on which it could be joined; `people` are the data subjects.
        """
        cost = _cost(promise, content)
        likenesses = [] if people is None else self.ledger.likenesses(people)
        details: dict[str, Any] = {
            "promise": str(promise),
            "columns": columns,
            "warned": tuple(self._due),
            "people": likenesses,
        }
        return self.ledger.spending(self.data_set, what=what, **details, **cost)


MIXED = (
    "{name} was released before, {how} differential privacy: {earlier}. Together these releases are no longer"
    " differentially private: the budget counts what the private ones tell by themselves, and nothing bounds what the"
    " others add to that. Do not state an epsilon for all of them, or keep to one family for this data set."
)
APART = (
    "{name} was released before, without differential privacy: {earlier}. Releases of one table do not compose:"
    " {promise} would hold of this one by itself, and whoever joins them may be left with fewer persons than any of"
    " them promises. Before you publish it, try them together with discreet attack, or publish one of them only."
)
SAME_PEOPLE = "seems to be about the same people as"
_KINDS = {"ids": "persons, by their ids", "rows": "rows", "quasi": "rows, by quasi-identifiers and target"}


def _listed(entries: Sequence[LedgerEntry]) -> str:
    return ", ".join(map(str, entries))


def _same_people(data_set: str, other: str, overlap: Overlap) -> str:
    share = (
        f"{overlap.share:.0%} (95 % interval {overlap.low:.0%} to {overlap.high:.0%}) of the {_KINDS[overlap.kind]},"
    )
    return (
        f"{shown(data_set)} {SAME_PEOPLE} {shown(other)}: {share} of the smaller one are in the"
        " larger one. A budget protects people, not names: what both spend adds up for whoever is in both, and so does"
        " what releases without differential privacy tell. Release them under one name, or make sure that they are"
        " different people who are numbered or described alike."
    )


def _likenesses(data_set: DataSet, key: bytes) -> Iterator[Likeness]:
    for entry in data_set.entries:
        for sealed in entry.people if entry.state != "failed" or entry.budget is not None else ():
            likeness, _ = quietly(Likeness.unsealed, sealed, key)
            if likeness is not None:
                yield likeness


def _cost(promise: Promise, content: object) -> dict[str, Any]:
    private = private_part(promise)
    if private is None:
        return {"epsilon": None}
    return {**vars(private.cost(content)), "neighbours": private.neighbours}
