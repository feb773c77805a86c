# SPDX-License-Identifier: Apache-2.0
"""Units of work, the rows that they give, and the sentences that say why a row differs from what is published.

A module `benchmarks/<folder>/reproduce.py` has

    HONEST       one sentence: what its honest protocol is
    WHY          sentences for figures that differ; the first one whose patterns fit is taken
    units()      all units of work, each of seconds to minutes
    quick()      a few of seconds, on built-in or made-up data; what they give is not kept
    ASIDE        optional: rows that are kept for the folder's README and do not stand on the page
    NOT_RUN      optional: why a unit has never been measured, by a pattern of its name
    blocks(found)   optional: functions that write figures for the folder's README, by name
    derived(found)  optional: rows that follow from those that were measured, such as answers to what is stated in words
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import sqrt
from typing import Any, NamedTuple

from benchmarks.reproduction.published import Key, Printed, half_a_digit

Value = float | int | str | None
IN_WORDS = "In words"


class Row(NamedTuple):
    """A figure as measured here: under the paper's protocol, under the honest one, and the noise of the first.

    `noise` is the half width of a 95 % interval, or the tolerance where nothing is drawn at random. `honest` is None
    where an honest protocol has no meaning.
    """

    table: str
    row: str
    column: str
    ours: Value
    honest: Value = None
    noise: float = 0.0

    @property
    def key(self) -> Key:
        return Key(self.table, self.row, self.column)


@dataclass(frozen=True)
class Unit:
    """Some figures of one table: what makes them, and what they depend on."""

    table: str
    name: str
    measure: Callable[[], Iterable[Row]]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 10.0  # about, for the time left
    data: tuple[str, ...] = ()  # folders of data and files of benchmarks that are read

    @property
    def key(self) -> str:
        """By what is asked. With what code and data it was answered is kept beside the answer."""
        asked = json.dumps([self.table, self.name, dict(self.parameters)], sort_keys=True)
        return hashlib.sha256(asked.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Why:
    """A sentence for the figures whose table, row and column fit the patterns."""

    table: str
    sentence: str
    row: str = "*"
    column: str = "*"
    always: bool = False  # also where ours is the published figure, to say what the honest one tells

    def fits(self, key: Key) -> bool:
        return all(
            fnmatchcase(of, pattern) for of, pattern in zip(key, (self.table, self.row, self.column), strict=True)
        )


def why(sentences: Iterable[Why], key: Key) -> Why | None:
    return next((each for each in sentences if each.fits(key)), None)


def differs(published: Printed, ours: Value, noise: float) -> bool:
    """More than noise and the rounding of the printed figure explain.

    >>> from decimal import Decimal
    >>> differs(Decimal("0.74"), 0.7449, 0.0), differs(Decimal("0.74"), 0.80, 0.05), differs("yes", "no: 3 of 5", 0)
    (False, True, True)
    """
    if isinstance(ours, str) or isinstance(published, str):
        return str(ours).partition(":")[0] != str(published)
    if ours is None:
        return True
    return abs(float(ours) - float(published)) > noise + half_a_digit(published) + 1e-9


def of_auc(auc: float, positive: int, negative: int) -> float:
    """Half the width of the 95 % interval of an area under the curve, by Hanley and McNeil's formula.

    >>> round(of_auc(0.988, 481, 618), 4)
    0.0069
    """
    one, two = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    spread = auc * (1 - auc) + (positive - 1) * (one - auc**2) + (negative - 1) * (two - auc**2)
    return 1.96 * sqrt(max(spread, 0.0) / (positive * negative))


def of_share(share: float, n: int) -> float:
    """Half the width of the 95 % interval of a share of n."""
    return 1.96 * sqrt(share * (1 - share) / n)


class Found:
    """Rows that were measured, by table, row and column."""

    def __init__(self, rows: Iterable[Row]):
        self.rows = {row.key: row for row in rows}

    def ours(self, table: str, row: str, column: str) -> float:
        """Raises KeyError where nothing was measured: the statement then is not answered."""
        return self._number(self.rows[Key(table, row, column)].ours)

    def honest(self, table: str, row: str, column: str) -> float:
        return self._number(self.rows[Key(table, row, column)].honest)

    @staticmethod
    def _number(value: Value) -> float:
        if not isinstance(value, (int, float)):
            raise KeyError(value)
        return float(value)


def yes_or_no(holds: bool, words: str) -> str:
    """The answer to a statement, with what was found."""
    return f"{'yes' if holds else 'no'}: {words}"


def answered(name: str, ours: Callable[[], str], honest: Callable[[], str] | None = None) -> list[Row]:
    """The row of a statement; none as long as a figure that it needs is missing."""
    try:
        return [Row(IN_WORDS, name, "holds", ours(), honest() if honest else None)]
    except KeyError:
        return []


def readme_table(*rows: tuple[str, ...]) -> str:
    """Rows as Markdown, in lines of their own; the first one is the head."""
    head, *body = ("| " + " | ".join(row) + " |" for row in rows)
    return "\n".join(["\n", head, "| " + " | ".join(["---"] * len(rows[0])) + " |", *body, "\n"])
