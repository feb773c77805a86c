# SPDX-License-Identifier: Apache-2.0
"""The calendar: days since 1970-01-01 as years, quarters and months, how these are written, and how they are read.

2010s, 2019, 2019-Q1 and 2019-03 are periods. A border that is the first day of a year or month is written as that year
or month: [2015, 2018) are the years 2015 to 2017.
"""

from __future__ import annotations

import datetime
import re

EPOCH = datetime.datetime(1970, 1, 1)
_DAY = datetime.timedelta(days=1)
_PERIODS = (1200, 120, 12, 3, 1)  # century, decade, year, quarter and month, in months
_WRITTEN = re.compile(r"(?P<year>\d{4})(?:(?P<decade>s)|-Q(?P<quarter>[1-4])|-(?P<month>\d\d))?")
_FIRST, _END = 12, 12 * 10_000  # the months that the calendar has: of the years 1 to 9999


def moment(day: float) -> datetime.datetime:
    return EPOCH + datetime.timedelta(microseconds=round(float(day) * 86_400_000_000))


def first_day(month: int) -> float:
    """The first day of a month, counted from the year 0.

    >>> first_day(12 * 1970 + 1)
    31.0
    """
    return float((datetime.datetime(month // 12, month % 12 + 1, 1) - EPOCH).days)


def month_from(day: float) -> int | None:
    """The month that begins on this day, None if none does."""
    if not float(day).is_integer():
        return None
    try:
        date = moment(day)
    except OverflowError:
        return None
    return 12 * date.year + date.month - 1 if date.day == 1 else None


def first_of_a_period(a: float, b: float, periods: tuple[int, ...] = _PERIODS) -> float | None:
    """The first day of the longest period that begins in (a, b], nearest to the middle; None if none does.

    >>> first_of_a_period(first_day(12 * 2018 + 3), first_day(12 * 2019 + 6)) == first_day(12 * 2019)
    True
    """
    months = [12 * end.year + end.month - 1 for end in (moment(a), moment(b))]
    for step in periods:
        places = range(max(months[0] // step + 1, -(-_FIRST // step)), months[1] // step + 1)
        fits = [day for day in (first_day(step * place) for place in places) if a < day <= b]
        if fits:
            return min(fits, key=lambda day: (abs(2 * day - a - b), day))
    return None


def day_roundness(day: float) -> int:
    """How long the longest period is that begins on this day: 5 for a century to 1 for a month, 0 for none."""
    month = month_from(day)
    if month is None:
        return 0
    return next(len(_PERIODS) - place for place, step in enumerate(_PERIODS) if month % step == 0)


def period_text(low: float, high: float) -> str | None:
    """The name of the decade, year, quarter or month that [low, high) is; None if it is none.

    >>> period_text(first_day(12 * 2019), first_day(12 * 2020)), period_text(first_day(24228), first_day(24231))
    ('2019', '2019-Q1')
    """
    start, end = month_from(low), month_from(high)
    if start is None or end is None or start % (end - start):
        return None
    year = f"{start // 12:04}"
    texts = {120: f"{year}s", 12: year, 3: f"{year}-Q{start % 12 // 3 + 1}", 1: f"{year}-{start % 12 + 1:02}"}
    return texts.get(end - start)


def day_text(day: float) -> str:
    """A border: as a year or month where it is the first day of one, else as the day, or the moment."""
    month = month_from(day)
    if month is not None:
        return f"{month // 12:04}" if month % 12 == 0 else f"{month // 12:04}-{month % 12 + 1:02}"
    when = moment(day)
    return str(when if when.time() != datetime.time() else when.date())


def read_period(text: str) -> tuple[float, float] | None:
    """The days of a decade, year, quarter or month; None if the text is none.

    >>> read_period("2019-Q1") == (first_day(12 * 2019), first_day(12 * 2019 + 3)), read_period("2019-13")
    (True, None)
    """
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return None
    start, months = 12 * int(match["year"]), 12
    if match["decade"]:
        months = 120 if start % 120 == 0 else 0
    elif match["quarter"]:
        start, months = start + 3 * int(match["quarter"]) - 3, 3
    elif match["month"]:
        start, months = start + int(match["month"]) - 1, 1 if 1 <= int(match["month"]) <= 12 else 0
    if not months or start < _FIRST or start + months >= _END:
        return None
    return first_day(start), first_day(start + months)


def read_day(text: str) -> float:
    """The day, or moment, of a border; ValueError if the text is none."""
    period = read_period(text)
    if period is not None and not text.endswith("s") and "Q" not in text:
        return period[0]
    return (datetime.datetime.fromisoformat(text) - EPOCH) / _DAY
