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
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from discreet.data.baskets import Baskets
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.document import Document
from discreet.errors import DataError
from discreet.evaluate.utility import Share, wilson
from discreet.plan import Plan
from discreet.privacy.base import Both, Promise
from discreet.recoding import from_bytes
from discreet.release import Release
from discreet.signs import Signs
from discreet.sketches import Sketches
from discreet.verification import open_release, read_persons, read_record, read_records


class CannotAttack(DataError):  # noqa: N818  (a word of the field, not an Error)
    """The attack has nothing to work with here: left out, unless it was asked for by name."""


@dataclass(frozen=True, eq=False)
class Published:
    """What an attacker has of a release: data, roles of the columns, promise, and the recoding if one is published.

    `swapped` says that cells were exchanged between rows. `persons` is the owner's, and serves to count, not to attack:
    whose each published row is, where several may be one person's. So are `records` and `signs`, behind sketches.
    """

    data: Table | Baskets | Document | Sketches
    promise: Promise
    roles: Roles | None = None
    recoding: Plan | None = None
    swapped: bool = False
    persons: np.ndarray | None = None
    records: Records | None = None
    signs: Signs | None = None

    @classmethod
    def of(
        cls, release: Published | Release | str | os.PathLike, *, owner: str | os.PathLike | None = None
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
            return cls(release.content, release.promise, release.roles, record, swapped, *kept)
        certificate, data, roles = open_release(release)
        recoding = read_record(release)
        by_person = owner is not None and certificate.counted == "persons"
        persons = read_persons(Path(owner), certificate.rows) if by_person else None  # type: ignore[arg-type]
        swapped = certificate.changes.swapped_cells > 0
        records, signs = read_records(data, Path(owner)) if owner and isinstance(data, Sketches) else (None, None)
        return cls(data, certificate.the_promise(), roles, recoding, swapped, persons, records, signs)

    @property
    def promises(self) -> tuple[Promise, ...]:
        """The promises one by one."""
        return self.promise.promises if isinstance(self.promise, Both) else (self.promise,)

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

    attack    its name
    question  what counts as a success, in one sentence
    success   share of the targets on which it succeeded, with its 95 % interval
    targets   on how many persons it was tried
    baseline  what guessing without the release gives
    control   the same attack on persons who are not in the release; None if none were set aside
    bound     what the promise allows at most; None where it says nothing about this attack
    note      what a reader must know besides
    units     what the targets are
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
        return self.bound is not None and self.success.low > self.bound

    def with_note(self, note: str) -> Finding:
        return replace(self, note=f"{self.note} {note}".strip())


def rate(hits: float, targets: int) -> Share:
    """A share of targets with its interval; `hits` may be a sum of chances.

    >>> rate(5, 20).value
    0.25
    """
    if not targets:
        return Share(0.0, 0.0, 1.0)
    found = wilson(hits / targets, targets)
    return found if hits else replace(found, low=0.0)  # and not what rounding leaves of it


def rate_of_persons(chances: np.ndarray, persons: np.ndarray | None) -> tuple[Share, int]:
    """The mean chance of success and the number of persons; rows of one person count as one, by their mean.

    >>> rate_of_persons(np.array([1.0, 0.0, 0.5]), np.array([7, 7, 4]))[0].value
    0.5
    """
    if persons is not None:
        numbers = np.unique(persons, return_inverse=True)[1]
        chances = np.bincount(numbers, chances) / np.bincount(numbers)
    return rate(float(chances.sum()), len(chances)), len(chances)
