# SPDX-License-Identifier: Apache-2.0
"""Intervals of numbers and dates: where to cut, and how to label the pieces.

Every interval is half-open: a cut c sends x < c to the left and x >= c to the right. Cuts are published, so a cut is a
round number between two values and no more precise than necessary.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from decimal import Context, Decimal
from functools import partial
from itertools import pairwise
from typing import Literal

import pyarrow as pa

from discreet.data.column import SUPPRESSED, Column, Kind, text_of
from discreet.prepare.periods import (
    day_roundness,
    day_text,
    first_of_a_period,
    moment,
    period_text,
    read_day,
    read_period,
)

_INTERVAL = re.compile(r"< (?P<below>\S+( \S+)?)|>= (?P<start>\S+( \S+)?)|\[(?P<low>[^,]+), (?P<high>[^,]+)\)")
_DAY = 86_400_000_000  # microseconds
_CLOCK = (_DAY, 3_600_000_000, 60_000_000, 1_000_000, 1_000, 1)  # day, hour, minute, second, millisecond, microsecond
_FINER = 3  # extra digits that a cut may have to avoid certain numbers
_ROUNDEST = 1000  # of 0, which is a multiple of everything
_EXACT = Context(prec=1200)  # sums of any two doubles as written are exact in this many digits


def interval_label(
    low: float | None, high: float | None, column_kind: Literal["number", "date"], *, periods: bool = False
) -> str:
    """The label of the values in [low, high); None leaves a side open. `periods` writes years, quarters and months.

    >>> interval_label(25, 38, "number"), interval_label(None, 25, "number"), interval_label(38, None, "number")
    ('[25, 38)', '< 25', '>= 38')
    >>> interval_label(0, 31, "date"), interval_label(None, None, "date")
    ('[1970-01-01, 1970-02-01)', '*')
    >>> interval_label(0, 31, "date", periods=True), interval_label(None, 31, "date", periods=True)
    ('1970-01', '< 1970-02')
    """
    write = day_text if periods and column_kind == "date" else partial(border_text, column_kind=column_kind)
    if low is None:
        return SUPPRESSED if high is None else f"< {write(high)}"
    if high is None:
        return f">= {write(low)}"
    period = period_text(low, high) if periods and column_kind == "date" else None
    return period or f"[{write(low)}, {write(high)})"


def read_interval(label: str, kind: Kind) -> tuple[float, float] | None:
    """The interval that a label denotes, None if it is no interval.

    >>> read_interval("[30, 40)", "number"), read_interval("1970-01", "date"), read_interval("1970-01", "number")
    ((30.0, 40.0), (0.0, 31.0), None)
    """
    match = _INTERVAL.fullmatch(label)
    if match is None and kind == "date":
        return read_period(label)
    if match is None:
        return None
    try:
        low = _border(match["low"] or match["start"], kind, -math.inf)
        high = _border(match["high"] or match["below"], kind, math.inf)
    except ValueError:
        return None
    return (low, high) if low < high else None


def holds_text(interval: tuple[float, float], text: str, kind: Kind) -> bool:
    """Whether a number or date, as it is written, lies in the interval; of any other text nothing is known.

    >>> holds_text((30, 40), "40", "number"), holds_text((0, 31), "1970-01-31", "date")
    (False, True)
    """
    try:
        return interval[0] <= _border(text, kind, 0.0) < interval[1]
    except ValueError:
        return True


def _border(text: str | None, kind: Kind, open_end: float) -> float:
    if text is None:
        return open_end
    if kind == "number":
        return float(text)
    return read_day(text)


def border_text(border: float, column_kind: Literal["number", "date"]) -> str:
    """The text of a border: a number, or a date from its days since 1970-01-01.

    >>> border_text(2.50, "number"), border_text(18262.5, "date")
    ('2.5', '2020-01-01 12:00:00')
    """
    if column_kind == "number":
        return text_of(float(border))
    when = moment(border)
    return str(when if when.time() != datetime.time() else when.date())


def is_whole(column: Column) -> bool:
    """Whether every value is a whole number or a whole day; dates with a time of day are not.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> is_whole(encode("age", pa.array([31, 45]))), is_whole(encode("height", pa.array([1.82, 1.7])))
    (True, False)
    """
    return column.kind != "category" and (
        pa.types.is_integer(column.values.type) or pa.types.is_date(column.values.type)
    )


def cut_between(
    a: float, b: float, *, whole: bool, clock: bool = False, avoid: frozenset[float] = frozenset()
) -> float:
    """A cut c, a < c <= b: the number of fewest decimal digits, then nearest to the middle, then lowest.

    `whole` requires a whole number (a and b must be whole). `clock` is for days with a time of day, where a full hour
    is rounder than a tenth of a day. The cut is none of the numbers in `avoid`, unless no other is near.

    >>> cut_between(30, 40, whole=True), cut_between(3, 4, whole=True), cut_between(1.82, 1.87, whole=False)
    (35.0, 4.0, 1.84)
    >>> cut_between(1.8, 2, whole=False), cut_between(1.8, 2, whole=False, avoid=frozenset({2.0}))
    (2.0, 1.9)
    """
    a, b = float(a), float(b)
    if not a < b:
        raise ValueError("A cut lies between two different numbers, the smaller one first.")
    if math.isinf(a) or math.isinf(b):
        return _towards_infinity(a, b)
    if clock and not whole:
        return _cut_on_the_clock(a, b, avoid)
    low, high = Decimal(repr(a)), Decimal(repr(b))  # as written: 1.82 and 1.87 have the middle 1.845
    middle = _EXACT.divide(_EXACT.add(low, high), Decimal(2))
    # A step no longer than b - a always has a multiple in (a, b], so the search ends at that many digits.
    digits = 0 if whole else max(0, -_EXACT.subtract(high, low).adjusted()) + 1 + _FINER * bool(avoid)
    for d in range(digits + 1):
        cut = _nearest_multiple(low, high, middle, Decimal(1).scaleb(-d), avoid)
        if cut is not None and a < float(cut) <= b:
            return float(cut) + 0.0  # 0.0, not -0.0
    return b


def roundest(a: float, b: float, *, fives: bool = False, avoid: frozenset[float] = frozenset()) -> float:
    """The number in (a, b] with the fewest significant digits, then nearest to the middle, then lowest.

    With `fives` 50 is rounder than 40, and 25 than 24. The number is none of those in `avoid`, unless no other is near.

    >>> roundest(30, 47), roundest(1234, 1334), roundest(0.0123, 0.0141)
    (40.0, 1300.0, 0.013)
    >>> roundest(21, 28), roundest(21, 28, fives=True), roundest(38, 52, fives=True)
    (24.0, 25.0, 50.0)
    """
    a, b = float(a), float(b)
    if math.isinf(a) or math.isinf(b):
        return cut_between(a, b, whole=False)
    if a.is_integer() and b.is_integer() and max(abs(a), abs(b)) < 2**53 and not avoid:
        return _roundest_whole(int(a), int(b), fives)
    low, high = Decimal(repr(a)), Decimal(repr(b))
    middle = _EXACT.divide(_EXACT.add(low, high), Decimal(2))
    finest = _EXACT.subtract(high, low).adjusted() - 1 - _FINER * bool(avoid)
    for exponent in range(max(low.adjusted(), high.adjusted()) + 1, finest - 1, -1):
        for mantissa in (5, 1) if fives else (1,):
            cut = _nearest_multiple(low, high, middle, Decimal(mantissa).scaleb(exponent), avoid)
            if cut is not None and a < float(cut) <= b:
                return float(cut) + 0.0
    return b


def _roundest_whole(a: int, b: int, fives: bool) -> float:
    """As `roundest`, of whole numbers: of the multiples of 1 there always is one in (a, b]."""
    power = 10 ** len(str(max(abs(a), abs(b))))
    while True:
        for step in (5 * power, power) if fives else (power,):
            below = (a + b) // (2 * step) * step
            fits = [c for c in (below, below + step) if a < c <= b]
            if fits:
                return float(min(fits, key=lambda c: (abs(2 * c - a - b), c)))
        power //= 10


def column_cut(column: Column, a: float, b: float, *, avoid: frozenset[float] = frozenset()) -> float:
    """The cut between two of the column's numbers, as round as its values allow.

    Numbers can be avoided only if there are others in between: not in a column of whole numbers or days.
    """
    if is_whole(column):
        return cut_between(a, b, whole=True)
    return cut_between(a, b, whole=False, clock=column.kind == "date", avoid=avoid)


def roundest_cut(column: Column, a: float, b: float) -> float:
    """The roundest number or date in (a, b], which hardly moves if a or b do.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> ages = encode("age", pa.array([31, 45]))
    >>> roundest_cut(ages, 36, 41), roundest_cut(ages, 39, 44), roundest_cut(ages, 41, 44)
    (40.0, 40.0, 42.0)
    """
    if column.kind != "date":
        return roundest(a, b)
    day = first_of_a_period(a, b, (1200, 120, 12, 1))
    return column_cut(column, a, b) if day is None else day


def readable_cut(column: Column, a: float, b: float, *, avoid: frozenset[float] = frozenset()) -> float:
    """The roundest cut between two of the column's numbers, by fives and tens, or by years, quarters and months.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> ages = encode("age", pa.array([31, 45]))
    >>> readable_cut(ages, 36, 41), readable_cut(ages, 23, 28), readable_cut(ages, 41, 44)
    (40.0, 25.0, 42.0)
    """
    if column.kind != "date":
        return roundest(a, b, fives=True, avoid=frozenset() if is_whole(column) else avoid)
    day = first_of_a_period(a, b)
    return column_cut(column, a, b, avoid=avoid) if day is None or day in avoid else day


def roundness(column: Column, cut: float) -> int:
    """How round a cut is: 2 for each power of ten that it is a multiple of, 1 more for five times that power.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> ages = encode("age", pa.array([31, 45]))
    >>> [roundness(ages, cut) for cut in (37, 35, 40, 50, 100, 0.5)]
    [0, 1, 2, 3, 4, -1]
    """
    if column.kind == "date":
        return day_roundness(cut)
    if cut == 0 or not math.isfinite(cut):
        return _ROUNDEST
    _, digits, exponent = Decimal(repr(float(cut))).normalize().as_tuple()
    return 2 * int(exponent) + (digits[-1] == 5)


def _nearest_multiple(
    low: Decimal, high: Decimal, middle: Decimal, step: Decimal, avoid: frozenset[float] = frozenset()
) -> Decimal | None:
    """The multiple of `step` in (low, high] that is nearest to the middle, the lower one of two; None if none."""
    below = _EXACT.multiply(_EXACT.divide(middle, step).to_integral_value("ROUND_FLOOR"), step)
    above = _EXACT.add(below, step)
    fits = [c for c in (below, above) if low < c <= high and not (avoid and float(c) in avoid)]
    return min(fits, key=lambda c: (abs(_EXACT.subtract(c, middle)), c)) if fits else None


def _cut_on_the_clock(a: float, b: float, avoid: frozenset[float]) -> float:
    """As `cut_between`, on the grid of days, hours, minutes, seconds and their thousandths."""
    low, high = round(a * _DAY), round(b * _DAY)
    for step in _CLOCK:
        below = (low + high) // (2 * step) * step
        fits = [c for c in (below, below + step) if a < c / _DAY <= b and c / _DAY not in avoid]
        if fits:
            return min(fits, key=lambda c: (abs(2 * c - low - high), c)) / _DAY
    return b


def _towards_infinity(a: float, b: float) -> float:
    if math.isinf(a):
        return 0.0 if math.isinf(b) else min(float(math.floor(b)), b)
    above = float(math.floor(a)) + 1.0
    return above if above > a else b


def reach(cuts: Sequence[float]) -> tuple[float, float]:
    """Where numbers that are drawn within intervals may lie, the upper end excluded.

    The first and the last interval reach as far beyond their cut as the interval next to them is wide; where all cuts
    are above zero, no number below it is drawn.

    >>> reach([18, 30, 65]), reach([5]), reach([-10, 0])
    ((6, 100), (0, 10), (-20, 10))
    """
    widths = [high - low for low, high in pairwise(cuts)] or [abs(cuts[0]) or 1]
    low = cuts[0] - widths[0]
    return max(low, 0) if cuts[0] > 0 else low, cuts[-1] + widths[-1]
