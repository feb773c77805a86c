# SPDX-License-Identifier: Apache-2.0
"""Base of all promises. A promise states what a release still hides, whatever its method; a check gives a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from discreet.counting.row_counts import row_counts
from discreet.counting.tally import is_engine
from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.foundation.displayed import Displayed
from discreet.foundation.parameters import Interval, StrOptions, check_parameters

if TYPE_CHECKING:
    from discreet.privacy.noise import Noise

VerdictKind = Literal["recomputed", "proved", "owner"]

PROMISES: dict[str, type[Promise]] = {}  # by name, as certificates spell it


@dataclass(frozen=True, repr=False)
class Verdict(Displayed):
    """The result of checking a promise.

    required    the level that the promise requires
    measured    the level that the data has
    rows_short  number of rows in groups that fall short
    with_label  the level if an attacker also knew the label
    kind        recomputed: anyone can repeat it from the published files; proved: rests on a proof of the mechanism;
                owner: needs the private data
    details     further counts, by name
    parts       the verdicts of promises joined by &
    """

    promise: str
    holds: bool
    required: float
    measured: float
    rows: int
    rows_short: int
    kind: VerdictKind = "recomputed"
    with_label: float | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parts: tuple[Verdict, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "details", dict(self.details))

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"Verdict({self.sentence()})"

    def sentence(self) -> str:
        """The verdict in words, without any cell value."""
        state = "holds" if self.holds else "is broken"
        if self.parts:
            state = "hold" if self.holds and len(self.parts) > 1 else state
            return f"{self.promise} {state}: " + " ".join(part.sentence() for part in self.parts)
        short = "" if self.holds else f"; {self.rows_short} of {self.rows} rows fall short"
        return f"{self.promise} {state}: {_plain(self.required)} required, {_plain(self.measured)} measured{short}."


def _plain(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.4g}"


class Promise:
    """Base of all promises: a frozen dataclass with `name`, ranges of its parameters, and `check`."""

    name: ClassVar[str] = ""
    kind: ClassVar[VerdictKind] = "recomputed"
    does_not_protect: ClassVar[str] = ""
    higher_is_safer: ClassVar[bool] = True  # whether a higher measurement means more protection
    compares_rows: ClassVar[bool] = True  # whether checking 0/1 rows takes all pairs of distinct ones
    older_names: ClassVar[dict[str, str]] = {}  # of parameters, in certificates of earlier versions
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.name:
            PROMISES[cls.name] = cls

    def __post_init__(self) -> None:
        check_parameters(self, self._parameter_constraints)

    @property
    def rows_tell(self) -> bool:
        """Whether a release that keeps the promise counted in persons also keeps it counted in rows."""
        return False

    @property
    def needs_source(self) -> bool:
        """Whether the check compares published rows with their source, which only the owner has."""
        return False

    def about(self, quasi: Sequence[str]) -> frozenset[str]:
        """The quasi-identifiers that the promise covers."""
        return frozenset(quasi)

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        """Measure the promise on `data`: a table with roles, or baskets."""
        raise NotImplementedError

    def check_with_source(self, data: object, roles: Roles | None, source: Any) -> Verdict:
        """Measure the promise with the owner's data behind the published rows, in their order: the original
        quasi-identifiers, or the records behind sketches. Promises that need no source ignore it."""
        return self.check(data, roles)

    def check_content(
        self,
        content: Content,
        roles: Roles | None,
        *,
        persons: Any = None,
        source: Any = None,
        noise: Sequence[Noise] = (),
    ) -> Verdict:
        """Measure the promise on published content, counting persons if the person behind each row is known.

        `source` is the owner's data behind the same rows, for promises that compare with it; `noise` is the noise used
        to draw the rows, for differential privacy. Published files do not tell persons apart, so only the owner can
        repeat a count of persons.
        """
        content, roles = content.with_persons(persons, roles)
        verdict = self.check(content, roles) if source is None else self.check_with_source(content, roles, source)
        return verdict if persons is None else replace(verdict, kind="owner")

    def __and__(self, other: Promise) -> Both:
        return Both((*_parts(self), *_parts(other)))

    def to_dict(self) -> dict[str, Any]:
        parameters = {name: value for name, value in asdict(self).items() if value is not None}  # type: ignore[call-overload]
        return {"name": self.name, **{n: v.item() if hasattr(v, "item") else v for n, v in parameters.items()}}


def _parts(promise: Promise) -> tuple[Promise, ...]:
    return promise.promises if isinstance(promise, Both) else (promise,)


@dataclass(frozen=True)
class Both(Promise):
    """Several promises joined by `&`."""

    name: ClassVar[str] = "all of"
    promises: tuple[Promise, ...] = ()

    def __post_init__(self) -> None:
        if not self.promises or not all(isinstance(promise, Promise) for promise in self.promises):
            raise ParameterError("Only promises can be joined by &, and there must be at least one.")

    def __str__(self) -> str:
        return " and ".join(map(str, self.promises))

    @property
    def does_not_protect(self) -> str:  # type: ignore[override]
        return " ".join(dict.fromkeys(promise.does_not_protect for promise in self.promises))

    @property
    def rows_tell(self) -> bool:
        return all(promise.rows_tell for promise in self.promises)

    @property
    def needs_source(self) -> bool:
        return any(promise.needs_source for promise in self.promises)

    def about(self, quasi: Sequence[str]) -> frozenset[str]:
        return frozenset().union(*(promise.about(quasi) for promise in self.promises))

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        return self._joined(tuple(promise.check(data, roles) for promise in self.promises))

    def check_with_source(self, data: object, roles: Roles | None, source: Any) -> Verdict:
        return self._joined(tuple(promise.check_with_source(data, roles, source) for promise in self.promises))

    def _joined(self, verdicts: tuple[Verdict, ...]) -> Verdict:
        worst = next((verdict for verdict in verdicts if not verdict.holds), verdicts[0])
        order: tuple[VerdictKind, ...] = ("owner", "proved", "recomputed")  # the weakest kind of evidence comes first
        return Verdict(
            promise=str(self),
            holds=all(verdict.holds for verdict in verdicts),
            required=worst.required,
            measured=worst.measured,
            rows=worst.rows,
            rows_short=max(verdict.rows_short for verdict in verdicts),
            kind=min((verdict.kind for verdict in verdicts), key=order.index),
            notes=tuple(dict.fromkeys(note for verdict in verdicts for note in verdict.notes)),
            parts=verdicts,  # with_label stays with the parts, whose figures cannot be compared
        )

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "promises": [promise.to_dict() for promise in self.promises]}


def current_names(description: Mapping[str, Any]) -> dict[str, Any]:
    """Replace parameter names of earlier versions by today's in the description of a promise."""
    promise = PROMISES.get(str(description.get("name")))
    older = {} if promise is None else promise.older_names
    renamed = {older.get(name, name): value for name, value in description.items()}
    return renamed if len(renamed) == len(description) else dict(description)


def promise_from(description: Mapping[str, Any]) -> Promise:
    """The inverse of `Promise.to_dict`."""
    if not isinstance(description, Mapping) or not isinstance(description.get("name"), str):
        raise DataError("This is not the description of a promise, which has a name and parameters.")
    parameters = current_names(description)
    name = parameters.pop("name")
    if name == Both.name:
        parts = parameters.get("promises")
        return Both(tuple(promise_from(part) for part in parts) if isinstance(parts, (list, tuple)) else ())
    if name not in PROMISES:
        raise DataError(f"{name!r} is not a known promise.{did_you_mean(str(name), PROMISES)}")
    try:
        return PROMISES[name](**parameters)
    except ParameterError:  # also a TypeError, but it says what is wrong
        raise
    except TypeError:
        raise DataError(f"The promise {name!r} was described with parameters it does not have.") from None


def table_and_roles(data: object, roles: Roles | None) -> tuple[Any, Roles]:
    """Data for a check on a table: engines stay, everything else becomes a Table that the roles must fit."""
    if roles is None:
        raise DataError("A check on a table needs roles: check(table, Roles(quasi=[...])).")
    if is_engine(data):
        return data, roles
    if getattr(data, "is_stored", False):
        roles.check_names(data)
        return data, roles
    table = Table.of(data)
    roles.check(table)
    return table, roles


def counted_and_roles(data: object, roles: Roles | None) -> tuple[Any, Roles]:
    """As `table_and_roles`, for checks that only count: the rows of a table are counted once for all of them."""
    counted, roles = table_and_roles(data, roles)
    return (counted if is_engine(counted) else row_counts(counted, roles)), roles


__all__ = [
    "Both",
    "Interval",
    "Promise",
    "StrOptions",
    "Verdict",
    "counted_and_roles",
    "promise_from",
    "table_and_roles",
]
