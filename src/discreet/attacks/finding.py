# SPDX-License-Identifier: Apache-2.0
"""The result of an attack, and how success rates are counted.

A success rate by itself says little, so three figures stand beside it: what guessing without the release gives
(`baseline`), how the same attack does on persons who are not in the release (`control`: what it tells of them it tells
of everybody, and no release could prevent), and what the promise allows at most (`bound`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from discreet.errors import DataError, shown
from discreet.evaluate.confidence import Share, mean_chance, wilson
from discreet.foundation.displayed import Displayed
from discreet.foundation.frame_output import Framed

# What an attack gets at: a person's row, basket or sketch; that of the person who is easiest to find; a value that rows
# tell; a value that is guessed; a statement true of one; a row that two parties join by; who is in the release; what
# lies below a label; records, items and signs behind sketches.
Kind = Literal[
    "row", "easiest row", "value", "guess", "statement", "link", "membership", "label", "record", "item", "sign"
]
NAMES_A_PERSON: tuple[Kind, ...] = ("row", "record")
_SLACK = 1e-9  # of a share: the mean of equal chances is not always that chance


class CannotAttack(DataError):  # noqa: N818  (a word of the field, not an Error)
    """The attack has nothing to work with: it is skipped, unless it was asked for by name."""


@dataclass(frozen=True)
class Finding(Displayed):
    """The result of one attack.

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
        """Success beyond the larger of baseline and control."""
        return self.success.value - max(self.baseline, 0.0 if self.control is None else self.control.value)

    @property
    def risk(self) -> Share | None:
        """The share of the possible gain that being in the release adds: (success - control)/(1 - control), Giomi 2022.

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
        """Whether the success is significantly above what the promise allows."""
        return self.bound is not None and self.success.low > self.bound + _SLACK


class AttackFindings(Displayed, Framed, list[Finding]):
    """The findings of several attacks: a list that shows itself in a notebook and can be a data frame."""

    def __repr__(self) -> str:
        shares = ((one.attack, 100 * one.success.value, 100 * one.baseline) for one in self)
        lines = (f"{attack}: {success:.1f} %, guessing {guessing:.1f} %" for attack, success, guessing in shares)
        return f"AttackFindings({'; '.join(lines)})"

    def to_arrow(self) -> pa.Table:
        """One row for each finding."""
        rows = [
            {
                "attack": one.attack,
                "success": one.success.value,
                "success_low": one.success.low,
                "success_high": one.success.high,
                "baseline": one.baseline,
                "control": None if one.control is None else one.control.value,
                "bound": one.bound,
                "breaks_promise": one.breaks_promise,
                "targets": one.targets,
                "units": one.units,
                "kind": one.kind,
                "column": one.column,
                "beyond": one.beyond,
            }
            for one in self
        ]
        kinds = dict.fromkeys(("attack", "units", "kind", "column"), pa.string())
        kinds |= {"targets": pa.int64(), "breaks_promise": pa.bool_(), "beyond": pa.bool_()}
        names = ["attack", "success", "success_low", "success_high", "baseline", "control", "bound", "breaks_promise"]
        names += ["targets", "units", "kind", "column", "beyond"]
        return pa.Table.from_pylist(rows, schema=pa.schema([(name, kinds.get(name, pa.float64())) for name in names]))


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
    """A random generator of a person's own, so that what is known of one does not depend on who else is tried.

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
    interval = wilson(hits / targets, targets)
    return interval if hits else replace(interval, low=0.0)  # and not what rounding leaves of it


def rate_of_persons(chances: np.ndarray, persons: np.ndarray | None, *, of: int | None = None) -> tuple[Share, int]:
    """The mean chance of success and the number of persons; rows of one person count as one, by their mean.

    `of` is the number of persons whom they were drawn from; None where they stand for endlessly many.

    >>> rate_of_persons(np.array([1.0, 0.0, 0.5]), np.array([7, 7, 4]))[0].value
    0.5
    """
    chances = per_person(chances, persons)
    return mean_chance(chances, of=of), len(chances)


def counted(chances: np.ndarray, persons: np.ndarray | None) -> tuple[Share, int]:
    """As `rate_of_persons`, where everybody was tried: the interval has no width."""
    chances = per_person(chances, persons)
    return mean_chance(chances, of=len(chances)), len(chances)


def per_person(chances: np.ndarray, persons: np.ndarray | None) -> np.ndarray:
    """The mean chance of each person's rows."""
    if persons is None:
        return np.asarray(chances, dtype=float)
    numbers = np.unique(persons, return_inverse=True)[1]
    return np.bincount(numbers, chances) / np.bincount(numbers)
