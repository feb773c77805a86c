# SPDX-License-Identifier: Apache-2.0
"""What the lines of a ledger mean: limits of data sets and their changes, releases, and which of them do not compose.

Releases under differential privacy have a cost, and costs add up. Other releases have none: each keeps its promise by
itself, but two of one data set together may keep none. Next to one of them, even the private ones are together no
longer differentially private.

Data sets are identified by name, however it is spelt: "Clinic", "clinic " and "CLINIC" are one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from discreet.errors import BudgetExceeded, ParameterError, did_you_mean, listing, quietly, shown
from discreet.foundation.parameters import StrOptions, check_parameters
from discreet.privacy.budget import ACCOUNTING, NEIGHBOURS, Budget, exact, total, within

_WORDS: dict[str, list[Any]] = {
    "accounting": [StrOptions(set(ACCOUNTING))],
    "neighbours": [StrOptions(set(NEIGHBOURS))],
}

State = Literal["open", "done", "failed"]


@dataclass(frozen=True)
class Limit:
    """The total budget of a data set, how costs add up, and what neighbours are."""

    budget: Budget
    accounting: str = "basic"
    neighbours: str = "replace-one"

    def __post_init__(self) -> None:
        check_parameters(self, _WORDS)
        if self.accounting == "zcdp" and not self.budget.delta:
            raise ParameterError("Accounting by zCDP needs a limit with a delta above 0, such as 1e-6.")


@dataclass(frozen=True)
class Change:
    """A limit, when it was set, and why if not by the holder."""

    limit: Limit
    time: str
    why: str = ""


@dataclass(frozen=True)
class LedgerEntry:
    """One release: its cost and description; "open" until its run ends, "failed" if the run died.

    The budget of a release without differential privacy is None. `promise` and the published `columns` are empty if
    they were not recorded. `warned` are the warnings given before the release; `people` are the sealed likenesses of
    the data subjects (data_subjects.py).
    """

    number: int
    data_set: str
    budget: Budget | None
    what: str
    state: State
    time: str
    promise: str = ""
    columns: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    people: tuple[dict[str, Any], ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        columns = f"; columns {listing(self.columns)}" if self.columns else ""
        return f"{self.number} ({self.what}{columns})"

    @property
    def stands_alone(self) -> bool:
        """Whether it was released without differential privacy, so that it composes with no other release."""
        return self.budget is None and self.state != "failed"

    @property
    def is_private(self) -> bool:
        """Whether it was released under differential privacy."""
        return self.budget is not None and self.state != "failed"


@dataclass
class DataSet:
    """A data set of a ledger: its name as first spelt, its limits over time, its releases."""

    name: str
    changes: list[Change] = field(default_factory=list)
    entries: list[LedgerEntry] = field(default_factory=list)

    @property
    def limit(self) -> Limit:
        return self.changes[-1].limit

    @property
    def spent(self) -> list[Budget]:
        return [entry.budget for entry in self.entries if entry.budget is not None]

    @property
    def left(self) -> Budget:
        """What can still be spent by a single release: an epsilon and, under basic accounting, a delta."""
        limit, spent, gone = self.limit, self.spent, total(self.spent)
        if limit.accounting == "basic":
            whole = limit.budget
            rest = [max(exact(0), exact(getattr(whole, n)) - exact(getattr(gone, n))) for n in ("epsilon", "delta")]
            return Budget(float(rest[0]), float(rest[1]))
        low, high = 0.0, limit.budget.epsilon  # the largest epsilon of a release without delta that still fits
        for _ in range(60):
            middle = (low + high) / 2
            fits = within([*spent, Budget(middle)], limit.budget, "zcdp")
            low, high = (middle, high) if fits else (low, middle)
        return Budget(low)

    def afford(self, budget: Budget | None, neighbours: str | None) -> None:
        """Raise BudgetExceeded unless this can be spent."""
        name, limit = shown(self.name), self.limit
        if budget is None:
            return
        if neighbours is not None and neighbours != limit.neighbours:
            raise BudgetExceeded(
                f"The budget of {name} is for {limit.neighbours} neighbours, the release for {neighbours}."
            )
        if limit.accounting == "zcdp" and budget.rho is None:
            raise BudgetExceeded(
                f"The budget of {name} is accounted by zCDP, and the rho of this release is not known."
                " State it, or release with delta 0."
            )
        if not within([*self.spent, budget], limit.budget, limit.accounting):
            raise BudgetExceeded(
                f"The data set {name} has a limit of {limit.budget} and {self.left} left, too little for {budget}."
                " Ask for less, or let the holder raise the limit."
            )


@dataclass
class Book:
    """The contents of a ledger."""

    data_sets: dict[str, DataSet] = field(default_factory=dict)  # by their normalised names
    remarks: list[str] = field(default_factory=list)
    unreadable: int = 0

    @property
    def entries(self) -> list[LedgerEntry]:
        entries = [entry for data_set in self.data_sets.values() for entry in data_set.entries]
        return sorted(entries, key=lambda entry: entry.number)

    @property
    def limited(self) -> list[DataSet]:
        """The data sets that have a limit, by name."""
        return sorted(
            (data_set for data_set in self.data_sets.values() if data_set.changes), key=lambda data_set: data_set.name
        )

    def data_set(self, name: str) -> DataSet:
        """The data set of that name, however it is spelt; BudgetExceeded if it has no limit."""
        data_set = self.data_sets.get(normalised(name))
        if data_set is None or not data_set.changes:
            near = did_you_mean(name, [one.name for one in self.limited])
            raise BudgetExceeded(f"The ledger has no limit for a data set {shown(name)}.{near} Set one first.")
        return data_set

    @property
    def not_composing(self) -> dict[int, tuple[int, ...]]:
        """For each release, the earlier ones of its data set that it does not compose with: one of the two has no
        epsilon.

        >>> old, new = (LedgerEntry(number, "clinic", None, "mondrian", "done", "") for number in (1, 2))
        >>> private = [LedgerEntry(number, "clinic", Budget(1.0), "names", "done", "") for number in (3, 4)]
        >>> books = (Book({"clinic": DataSet("clinic", entries=of)}) for of in ([old, new, *private], private))
        >>> [book.not_composing for book in books]
        [{2: (1,), 3: (1, 2), 4: (1, 2)}, {}]
        """
        found: dict[int, tuple[int, ...]] = {}
        for data_set in self.data_sets.values():
            earlier: list[LedgerEntry] = []
            for entry in data_set.entries:
                if entry.stands_alone or entry.is_private:
                    clashing = tuple(one.number for one in earlier if one.stands_alone or entry.stands_alone)
                    if clashing:
                        found[entry.number] = clashing
                    earlier.append(entry)
        return found

    @property
    def next_number(self) -> int:
        return 1 + max((entry.number for entry in self.entries), default=0)


def normalised(name: str) -> str:
    """The name of a data set without case, width, extra white space and invisible characters.

    >>> normalised("Clinic"), normalised(" CLINIC\\u200b "), normalised("ward  7") == normalised("Ward\\u00a07")
    ('clinic', 'clinic', True)
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    visible = "".join(sign for sign in folded if sign.isspace() or unicodedata.category(sign) not in ("Cf", "Cc"))
    return " ".join(visible.split())


# -- lines -------------------------------------------------------------------------------------------------------------


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def limit_line(data_set: str, limit: Limit, *, time: str | None = None, why: str = "") -> dict[str, Any]:
    epsilon, delta, _ = _texts(limit.budget)
    line = {"kind": "limit", "data_set": data_set, "epsilon": epsilon, "delta": delta, "accounting": limit.accounting}
    return line | {"neighbours": limit.neighbours, "why": why, "time": now() if time is None else time}


def release_line(
    number: int,
    data_set: str,
    budget: Budget | None,
    *,
    what: str,
    promise: str = "",
    columns: Sequence[str] = (),
    warned: Sequence[str] = (),
    people: Sequence[dict[str, Any]] = (),
    time: str | None = None,
) -> dict[str, Any]:
    cost = dict(zip(("epsilon", "delta", "rho"), _texts(budget), strict=True))
    line: dict[str, Any] = {
        "kind": "release",
        "number": number,
        "data_set": data_set,
        **cost,
        "what": what,
        "promise": promise,
    }
    line |= {"columns": list(columns), "warned": list(warned), "people": list(people)}
    return line | {"time": now() if time is None else time}


def end_line(number: int, state: str) -> dict[str, Any]:
    return {"kind": "end", "number": number, "state": state, "time": now()}


def remark_line(text: str) -> dict[str, Any]:
    return {"kind": "remark", "text": text, "time": now()}


def book_of(bodies: Iterable[dict[str, Any]]) -> Book:
    """Read lines in order; lines that cannot be read are only counted."""
    book = Book()
    states: dict[int, State] = {}
    for body in bodies:
        _, failure = quietly(_read, book, states, body)
        book.unreadable += bool(failure)
    for data_set in book.data_sets.values():
        data_set.entries = [
            LedgerEntry(**(vars(entry) | {"state": states.get(entry.number, "open")})) for entry in data_set.entries
        ]
    return book


def _read(book: Book, states: dict[int, State], body: dict[str, Any]) -> None:
    kind = body["kind"]
    if kind == "remark":
        book.remarks.append(f"{_text(body['time'])[:10]}: {_text(body['text'])}")
    elif kind == "end":
        if body["state"] not in ("done", "failed"):
            raise ValueError
        states[int(body["number"])] = body["state"]
    elif kind == "limit":
        budget = Budget(float(body["epsilon"]), float(body["delta"]))
        change = Change(Limit(budget, body["accounting"], body["neighbours"]), _text(body["time"]), _text(body["why"]))
        name = _text(body["data_set"])
        book.data_sets.setdefault(normalised(name), DataSet(name)).changes.append(change)
    elif kind == "release":
        data_set = book.data_sets[normalised(body["data_set"])]
        cost = (body["epsilon"], body["delta"], body["rho"])
        columns, warned = (tuple(map(_text, body[name])) for name in ("columns", "warned"))
        texts = {name: _text(body[name]) for name in ("what", "time", "promise")}
        data_set.entries.append(
            LedgerEntry(
                number=int(body["number"]),
                data_set=data_set.name,
                budget=_budget(*cost),
                state="open",
                **texts,
                columns=columns,
                warned=warned,
                people=tuple(body["people"]),
            )
        )
    elif kind != "begun":
        raise ValueError


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _budget(epsilon: str | None, delta: str | None, rho: str | None) -> Budget | None:
    if epsilon is None or delta is None:
        return None
    return Budget(float(epsilon), float(delta), None if rho is None else float(rho))


def _texts(budget: Budget | None) -> tuple[str | None, str | None, str | None]:
    """Numbers as text, readable for people and exact for `exact`."""
    if budget is None:
        return None, None, None
    rho = None if budget.rho is None else repr(float(budget.rho))
    return repr(float(budget.epsilon)), repr(float(budget.delta)), rho


def merged(names: Sequence[str], limits: Sequence[Limit]) -> tuple[Limit, str]:
    """The strictest limit of a data set listed under several names, and a remark about that.

    >>> merged(["d", "D"], [Limit(Budget(1.0)), Limit(Budget(2.0, 1e-6))])[0].budget
    Budget(epsilon=1.0, delta=0.0, rho=0.5)
    """
    one_way = len({limit.accounting for limit in limits}) == 1
    accounting = limits[0].accounting if one_way else "basic"
    neighbours = limits[0].neighbours if len({limit.neighbours for limit in limits}) == 1 else "replace-one"
    epsilon, delta = (min(getattr(limit.budget, name) for limit in limits) for name in ("epsilon", "delta"))
    limit = Limit(Budget(epsilon, delta), accounting, neighbours)
    remark = (
        f"{listing(names)} are one data set, {shown(normalised(names[0]))}, and were joined: what they spent adds up,"
    )
    return limit, f"{remark} the strictest of their limits holds, {limit.budget}."
