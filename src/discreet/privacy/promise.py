# SPDX-License-Identifier: Apache-2.0
"""A promise says what a release still hides; its check returns a verdict. No promise knows how a release is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from discreet.counting.tally import is_engine
from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.foundation.parameters import Interval, StrOptions, check_parameters

if TYPE_CHECKING:
    from discreet.privacy.noise import Noise

VerdictKind = Literal["recomputed", "proved", "owner"]

PROMISES: dict[str, type[Promise]] = {}  # by name, as certificates spell it


@dataclass(frozen=True)
class Verdict:
    """What a check found.

    required    what the promise asks for, measured: what the data has
    rows_short  rows in groups that fall short
    with_label  what would be measured if an attacker also knew the label
    kind        recomputed: anyone can repeat it from the published files; proved: rests on a proof of the mechanism;
                owner: needs the private data
    details     further counts worth knowing, by name
    parts       the verdicts of the promises that were joined by &
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

    def sentence(self) -> str:
        """The verdict in words for a person, without any cell value."""
        state = "holds" if self.holds else "is broken"
        if self.parts:
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
    higher_is_safer: ClassVar[bool] = True  # whether more measured is more protection
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
        """Whether only the owner can check it: published rows are compared with what they were made from."""
        return False

    def about(self, quasi: Sequence[str]) -> frozenset[str]:
        """Those of the quasi-identifiers that it says something of."""
        return frozenset(quasi)

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        """Measure the promise on `data`: a table with roles, or baskets."""
        raise NotImplementedError

    def check_with_source(self, data: object, roles: Roles | None, source: Any) -> Verdict:
        """The same, with the owner's quasi-identifiers of the published rows, or the records behind published sketches,
        in their order, for promises that ask."""
        return self.check(data, roles)

    def check_content(
        self,
        content: Content,
        roles: Roles | None,
        *,
        persons: np.ndarray | None = None,
        source: Any = None,
        noise: Sequence[Noise] = (),
    ) -> Verdict:
        """Measure the promise on what is published, counted in persons where it is known whose row each row is.

        `source` is what the owner keeps of the same rows, for promises that compare with it; `noise` is what the rows
        were drawn with, for promises about that.
        """
        content, roles = content.with_persons(persons, roles)
        return self.check(content, roles) if source is None else self.check_with_source(content, roles, source)

    def __and__(self, other: Promise) -> Both:
        return Both((*_parts(self), *_parts(other)))

    def to_dict(self) -> dict[str, Any]:
        parameters = {name: value for name, value in asdict(self).items() if value is not None}  # type: ignore[call-overload]
        return {"name": self.name, **{n: v.item() if hasattr(v, "item") else v for n, v in parameters.items()}}


def _parts(promise: Promise) -> tuple[Promise, ...]:
    return promise.promises if isinstance(promise, Both) else (promise,)


@dataclass(frozen=True)
class Both(Promise):
    """Several promises at once, as made by `&`."""

    name: ClassVar[str] = "all of"
    promises: tuple[Promise, ...] = ()

    def __post_init__(self) -> None:
        if not self.promises or not all(isinstance(promise, Promise) for promise in self.promises):
            raise ParameterError("Promises are joined by &: there must be one at least, and nothing else.")

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
        order: tuple[VerdictKind, ...] = ("owner", "proved", "recomputed")  # the weakest evidence speaks for all
        return Verdict(
            promise=str(self),
            holds=all(verdict.holds for verdict in verdicts),
            required=worst.required,
            measured=worst.measured,
            rows=worst.rows,
            rows_short=max(verdict.rows_short for verdict in verdicts),
            kind=min((verdict.kind for verdict in verdicts), key=order.index),
            notes=tuple(dict.fromkeys(note for verdict in verdicts for note in verdict.notes)),
            parts=verdicts,  # each with what a known label leaves: the figures are of different kinds
        )

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "promises": [promise.to_dict() for promise in self.promises]}


def current_names(description: Mapping[str, Any]) -> dict[str, Any]:
    """A description of a promise in which parameters have the names of today; certificates may state older ones."""
    promise = PROMISES.get(str(description.get("name")))
    older = {} if promise is None else promise.older_names
    renamed = {older.get(name, name): value for name, value in description.items()}
    return renamed if len(renamed) == len(description) else dict(description)


def promise_from(description: Mapping[str, Any]) -> Promise:
    """The promise that `to_dict` described."""
    if not isinstance(description, Mapping) or not isinstance(description.get("name"), str):
        raise DataError("A promise is described by its name and parameters; this is something else.")
    parameters = current_names(description)
    name = parameters.pop("name")
    if name == Both.name:
        parts = parameters.get("promises")
        return Both(tuple(promise_from(part) for part in parts) if isinstance(parts, (list, tuple)) else ())
    if name not in PROMISES:
        raise DataError(f"{name!r} is not a promise that is known here.{did_you_mean(str(name), PROMISES)}")
    try:
        return PROMISES[name](**parameters)
    except ParameterError:  # a TypeError too, but one that says what is wrong
        raise
    except TypeError:
        raise DataError(f"The promise {name!r} was described with parameters it does not have.") from None


def table_and_roles(data: object, roles: Roles | None) -> tuple[Any, Roles]:
    """Data for a check on a table: engines pass, everything else becomes a Table; roles are checked against it."""
    if roles is None:
        raise DataError("A check on a table needs roles: check(table, Roles(quasi=[...])).")
    if is_engine(data):
        return data, roles
    table = Table.of(data)
    roles.check(table)
    return table, roles


__all__ = ["Both", "Interval", "Promise", "StrOptions", "Verdict", "promise_from", "table_and_roles"]
