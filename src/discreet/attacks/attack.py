# SPDX-License-Identifier: Apache-2.0
"""What every attack says of itself, and what it is given.

An attack takes what is published and what an attacker knows, and tries something on many targets. A success rate by
itself says little, so three figures stand beside it: what guessing without the release gives (`baseline`), how the same
attack does on persons who are not in the release (`control`: what it tells of them it tells of everybody, and no
release could prevent), and what the promise allows at most (`bound`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from discreet.data.baskets import Baskets
from discreet.data.document import Document
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, shown
from discreet.evaluate.confidence import Share, mean_chance, wilson
from discreet.privacy.promise import Both, Promise
from discreet.recoding.plan import Plan
from discreet.recoding.record import from_bytes
from discreet.release.release import Release
from discreet.release.verify import open_release, read_persons, read_record, read_records
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches

# What an attack gets at: a person's row, basket or sketch; that of the person who is easiest to find; a value that rows
# tell; a value that is guessed; a statement true of one; a row that two parties join by; who is in the release; what
# lies below a label; records, items and signs behind sketches.
Kind = Literal[
    "row", "easiest row", "value", "guess", "statement", "link", "membership", "label", "record", "item", "sign"
]
_SLACK = 1e-9  # of a share: the mean of equal chances is not always that chance


class CannotAttack(DataError):  # noqa: N818  (a word of the field, not an Error)
    """The attack has nothing to work with here: left out, unless it was asked for by name."""


@dataclass(frozen=True, eq=False)
class Published:
    """What an attacker has of a release: data, roles of the columns, promise, and the recoding if one is published.

    `method` and `parameters` are what the certificate says of how it was made. `swapped` says that cells were exchanged
    between rows. `persons` is the owner's, and serves to count, not to attack: whose each published row is, where
    several may be one person's. So are `records` and `signs`, behind sketches.
    """

    data: Table | Baskets | Document | Sketches
    promise: Promise
    roles: Roles | None = None
    recoding: Plan | None = None
    swapped: bool = False
    persons: np.ndarray | None = None
    records: Records | None = None
    signs: Signs | None = None
    method: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls, release: Published | Release | str | os.PathLike[str], *, owner: str | os.PathLike[str] | None = None
    ) -> Published:
        """From a release in memory, or from the folder of a saved one, whose files must be those that were certified;
        `owner` is the owner's folder.
        """
        if isinstance(release, Published):
            return release
        if isinstance(release, Release):
            record = None if release.record is None else from_bytes(release.record)
            swapped = release.changes.swapped_cells > 0
            kept = release.persons, release.records, release.signs
            made = release.method, release.parameters
            return cls(release.content, release.promise, release.roles, record, swapped, *kept, *made)
        certificate, data, roles = open_release(release)
        recoding = read_record(release)
        by_person = owner is not None and certificate.counted == "persons"
        persons = read_persons(Path(owner), certificate.rows) if by_person else None  # type: ignore[arg-type]
        swapped = certificate.changes.swapped_cells > 0
        records, signs = read_records(data, Path(owner)) if owner and isinstance(data, Sketches) else (None, None)
        made = certificate.method.name, certificate.method.parameters
        return cls(data, certificate.the_promise(), roles, recoding, swapped, persons, records, signs, *made)

    @property
    def promises(self) -> tuple[Promise, ...]:
        """The promises one by one."""
        return self.promise.promises if isinstance(self.promise, Both) else (self.promise,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The published columns of a table, the quasi-identifiers first; none of anything else."""
        quasi = () if self.roles is None else self.roles.quasi
        names = self.data.names if isinstance(self.data, Table) else ()
        return (*(name for name in quasi if name in names), *(name for name in names if name not in quasi))

    def source(self, column: str) -> str:
        """The column that a published one was made from: "town" of the item "town=North"."""
        recorded = () if self.recoding is None else self.recoding.labellings
        return next((one.source for one in recorded if one.name == column), column)

    def named(self, names: Iterable[str]) -> tuple[str, ...]:
        """The published columns that these names stand for, of themselves or of what was made from them."""
        wanted = {*names}
        return tuple(name for name in self.columns if name in wanted or self.source(name) in wanted)

    @property
    def is_true(self) -> bool:
        """Whether each published row says nothing false of its person: none was drawn, swapped or flipped."""
        drawn = any(promise.kind == "proved" for promise in self.promises)
        flips = self.recoding is None and isinstance(self.data, Table) and self.roles is not None
        flipped = flips and any("=" in name for name in self.roles.quasi)  # type: ignore[union-attr]
        return not (drawn or self.swapped or flipped)


@dataclass(frozen=True)
class Finding:
    """How one attack fared.

    attack    its title
    question  what counts as a success, in one sentence
    success   share of the targets on which it succeeded, with its 95 % interval over the choice of targets
    targets   on how many persons it was tried
    baseline  what guessing without the release gives
    control   the same attack on persons who are not in the release; None if none were set aside
    bound     what the promise allows at most; None where it says nothing about this attack
    note      what a reader must know so as not to misread it
    units     what the targets are
    kind      what it gets at
    detail    what else was counted
    knows     columns that the attacker is assumed to know of a person; None where these are not what matters
    beyond    whether it was made a second time, with all published columns known
    by        the name of the attack in the registry
    column    the column that it tells or guesses, where it does
    """

    attack: str
    question: str
    success: Share
    targets: int
    baseline: float
    control: Share | None = None
    bound: float | None = None
    note: str = ""
    units: str = "persons"
    kind: Kind = "row"
    detail: str = ""
    knows: tuple[str, ...] | None = None
    beyond: bool = False
    by: str = ""
    column: str = ""

    @property
    def advantage(self) -> float:
        """What the release adds to what could be guessed without it, or be told of anybody."""
        return self.success.value - max(self.baseline, 0.0 if self.control is None else self.control.value)

    @property
    def risk(self) -> Share | None:
        """What being in the release adds, of what it could add: (success - control)/(1 - control), after Giomi 2022.

        None without a control group. Below 0 the attack does better on those who are not in it. The interval joins the
        distances of both to the ends of theirs, as if they were standard deviations.
        """
        if self.control is None or self.control.value == 1:
            return None
        success, control = self.success, self.control
        room = 1 - control.value
        value, slope = (success.value - control.value) / room, (1 - success.value) / room**2
        below = math.hypot((success.value - success.low) / room, (control.high - control.value) * slope)
        above = math.hypot((success.high - success.value) / room, (control.value - control.low) * slope)
        return Share(value, value - below, min(value + above, 1.0))

    @property
    def breaks_promise(self) -> bool:
        """Whether more was found than the promise allows, beyond what chance explains."""
        return self.bound is not None and self.success.low > self.bound + _SLACK

    def with_note(self, note: str) -> Finding:
        return replace(self, note=f"{self.note} {note}".strip())


def in_words(names: Iterable[str], most: int = 6) -> str:
    """Names of columns in a sentence.

    >>> in_words(["age", "sex", "zip"]), in_words("abcdefgh", most=2)
    ('age, sex and zip', 'a, b and 6 more')
    """
    listed = [shown(name)[1:-1] for name in names]
    if len(listed) > most:
        listed = [*listed[:most], f"{len(listed) - most} more"]
    return " and ".join(filter(None, (", ".join(listed[:-1]), *listed[-1:]))) or "nothing"


def chance_of(items: np.ndarray) -> np.random.Generator:
    """Chance that belongs to a person: what is known of one does not depend on who else is tried, nor on how many.

    >>> chance_of(np.array([3, 8])).integers(100) == chance_of(np.array([3, 8])).integers(100)
    np.True_
    """
    return np.random.default_rng([len(items), *(int(item) for item in items)])


def rate(hits: float, targets: int) -> Share:
    """A share of independent trials with its interval.

    >>> rate(5, 20).value
    0.25
    """
    if not targets:
        return Share(0.0, 0.0, 1.0)
    found = wilson(hits / targets, targets)
    return found if hits else replace(found, low=0.0)  # and not what rounding leaves of it


def rate_of_persons(chances: np.ndarray, persons: np.ndarray | None, *, of: int | None = None) -> tuple[Share, int]:
    """The mean chance of success and the number of persons; rows of one person count as one, by their mean.

    `of` is the number of persons whom they were drawn from; None where they stand for endlessly many.

    >>> rate_of_persons(np.array([1.0, 0.0, 0.5]), np.array([7, 7, 4]))[0].value
    0.5
    """
    chances = per_person(chances, persons)
    return mean_chance(chances, of=of), len(chances)


def counted(chances: np.ndarray, persons: np.ndarray | None) -> tuple[Share, int]:
    """The same where everybody was tried: nothing is left to chance."""
    chances = per_person(chances, persons)
    return mean_chance(chances, of=len(chances)), len(chances)


def per_person(chances: np.ndarray, persons: np.ndarray | None) -> np.ndarray:
    """The mean chance of each person's rows."""
    if persons is None:
        return np.asarray(chances, dtype=float)
    numbers = np.unique(persons, return_inverse=True)[1]
    return np.bincount(numbers, chances) / np.bincount(numbers)
