# SPDX-License-Identifier: Apache-2.0
"""Dates as people write them: 25.03.2024, 3/25/2024 2:30 PM, 2024/03/25, 25 Mar 2024, 2024-W12, März 2024.

`days_of` gives every day that one text may mean, by the order of its fields: 03/04/2024 is two days, 25/03/2024 is one.
Which order a column has is decided from all its cells (`recognition.py`), or said by its owner.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.month_names import MONTHS, WEEKDAYS
from discreet.data.usual_signs import usual_dates

ORDERS = ("day-first", "month-first", "year-first")
ANY = ""  # the order of a text that can be read in one way only
DAY, MONTH, WEEK, QUARTER = "day", "month", "week", "quarter"  # what a text names

_WEEKDAY = rf"(?:(?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))})\.?,?[ ]+)?"
ZONE = (
    r"Z|UTC|GMT|CES?T|MES?Z|WES?T|EES?T|BST|MSK|[ECMP][SD]T|IST|JST|KST|[+-][0-9]{2}(?::?[0-9]{2})?"
    r"(?:\[[A-Za-z_/]+\])?"
)
_AFTER = rf"(?:[ ]?(?:Uhr|h|{ZONE}))?"
_HOURS = r"[0-9]{1,2}(?::[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?|[ ]?h[ ]?[0-9]{2})"
_HALF = r"[aApP]\.?[mM]\.?"
_TIME = re.compile(rf"(?P<clock>{_HOURS}|[0-9]{{1,2}})(?:[ ]?(?P<half>{_HALF}))?{_AFTER}")
TIME = rf"(?:T|,?[ ]+|,?[ ](?:at|um|à)[ ])(?:{_HOURS}(?:[ ]?{_HALF})?|[0-9]{{1,2}}[ ]?{_HALF}){_AFTER}"
_NAME = r"[^\W\d_]{3,12}"
_FORMS = {
    "numbers": re.compile(rf"{_WEEKDAY}([0-9]{{1,4}})([./-])[ ]?([0-9]{{1,2}})([./-])[ ]?([0-9]{{1,4}})\.?"),
    "day name year": re.compile(
        rf"{_WEEKDAY}([0-9]{{1,2}})(?:st|nd|rd|th|er|\.|º|\.º)?[ ./-]*(?:de[ ]|of[ ])?({_NAME})\.?[ ,./-]*"
        rf"(?:del?[ ])?([0-9]{{2}}|[0-9]{{4}})(?:[ ]?г\.?|[ ]?r\.)?"
    ),
    "name day year": re.compile(rf"{_WEEKDAY}({_NAME})\.?[ ]?([0-9]{{1,2}})(?:st|nd|rd|th)?,?[ ]([0-9]{{4}})"),
    "year name day": re.compile(rf"([0-9]{{4}})\.?[ ./-]({_NAME})\.?[ ./-]([0-9]{{1,2}})\.?"),
    "name year": re.compile(rf"({_NAME})\.?[ ./-](?:de[ ]|of[ ])?([0-9]{{4}})"),
    "year month": re.compile(r"([0-9]{4})[/-]([0-9]{2})"),
    "month year": re.compile(r"([0-9]{2})[./-]([0-9]{4})"),
    "week": re.compile(r"([0-9]{4})-?W([0-9]{2})(?:-?([1-7]))?"),
    "quarter": re.compile(r"([0-9]{4})[ -]?Q([1-4])"),
}
_DIGITS = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
_YEARS = range(1000, 10_000)  # that are taken for years without being told so


@dataclass(frozen=True)
class Days:
    """What a text may mean: the day by the order of its fields, what it names, and the mark between its numbers."""

    by_order: dict[str, dt.date]
    names: str = DAY
    mark: str = ""
    short: bool = False  # whether the year has two digits
    next_year: bool = False  # whether the month may be the year after: 2010-11 is a school year, too


def days_of(text: str, *, century: int | None = None, digits: bool = False) -> Days | None:
    """The days that a text without a time may mean; None if it is no date.

    Years of two digits lie in the hundred years from `century` on, those from 1969 on if that is not said. `digits`
    allows 20240325.

    >>> days_of("25/03/2024").by_order, sorted(days_of("03/04/2024").by_order)
    ({'day-first': datetime.date(2024, 3, 25)}, ['day-first', 'month-first'])
    """
    for form, pattern in _FORMS.items():
        match = pattern.fullmatch(text)
        if match is not None:
            found = _READERS[form](match.groups(), century)
            return found if found is not None and found.by_order else None
    match = _DIGITS.fullmatch(text) if digits else None
    return None if match is None else _one(_date(*match.groups()))


def time_of(text: str) -> str | None:
    """The time of day as text, 14:30:00; None if it is none.

    >>> time_of("2:30 PM"), time_of("24:10")
    ('14:30:00', None)
    """
    match = _TIME.fullmatch(re.sub("^(?:at|um|à) ", "", text.lstrip("T, ")))
    if match is None:
        return None
    hour, *rest = re.split("[ ]?[h:][ ]?", match["clock"].replace(",", "."))
    half = (match["half"] or "").lower()[:1]
    if half:
        if not 1 <= int(hour) <= 12:
            return None
        hour = str(int(hour) % 12 + 12 * (half == "p"))
    minute, second = (rest[0] if rest else "00"), (rest[1] if len(rest) > 1 else "00")
    if int(hour) > 23 or int(minute) > 59 or float(second) > 59.999_999_999:
        return None
    whole, _, fraction = second.partition(".")
    return f"{int(hour):02}:{minute}:{whole}" + (f".{fraction[:6]}" if fraction else "")


@dataclass(frozen=True, eq=False, repr=False)
class Dated:
    """Texts cut into a day and a time, each listed once: `days[day_of[i]]` and `times[time_of[i]]` are of text i."""

    days: list[str]
    day_of: pa.Array
    times: list[str]
    time_of: pa.Array

    @classmethod
    def of(cls, texts: pa.Array) -> Dated:
        """Of texts of which none is null."""
        texts = usual_dates(texts)
        day = pc.replace_substring_regex(texts, f"{TIME}$", "")
        days, times = day.dictionary_encode(), _suffix(texts, day).dictionary_encode()
        return cls(days.dictionary.to_pylist(), days.indices, times.dictionary.to_pylist(), times.indices)

    def joined(self, days: list[dt.date | None], times: list[str | None]) -> pa.Array:
        """The texts in ISO form; null where the day or the time is none."""
        day = pa.array([None if one is None else one.isoformat() for one in days], pa.string()).take(self.day_of)
        if not any(self.times):
            return day
        time = pa.array([None if one is None else f" {one}" if one else "" for one in times], pa.string())
        return pc.binary_join_element_wise(day, time.take(self.time_of), "")


def _suffix(texts: pa.Array, starts: pa.Array) -> pa.Array:
    """What follows each of the beginnings."""
    if texts.equals(starts):
        return pa.array([""] * len(texts), pa.string())
    pairs = zip(texts.to_pylist(), starts.to_pylist(), strict=True)
    return pa.array([text[len(start) :] for text, start in pairs], pa.string())


# -- the forms ---------------------------------------------------------------------------------------------------------


def _date(year: str | int, month: str | int, day: str | int) -> dt.date | None:
    try:
        return dt.date(int(year), int(month), int(day))
    except ValueError:
        return None


def _one(day: dt.date | None, names: str = DAY, *, short: bool = False) -> Days | None:
    return None if day is None or day.year not in _YEARS else Days({ANY: day}, names, short=short)


def _full(year: str, century: int | None) -> int:
    """A year of two digits, in the hundred years from `century` on."""
    if len(year) == 4:
        return int(year)
    first = 1969 if century is None else century
    return first + (int(year) - first) % 100


def _of_numbers(fields: tuple[str, ...], century: int | None) -> Days | None:
    a, mark, b, other, c = fields
    if mark != other or len(a) == 3 or len(c) == 3:
        return None
    if len(a) == 4:
        found = _one(_date(a, b, c)) if len(c) <= 2 else None
        return None if found is None else Days(found.by_order, mark=ANY)
    short = len(c) != 4
    if short and (len(c) != 2 or (mark != "/" and len(a) + len(b) != 4)):  # 1.2.10 is a version, not a date
        return None
    year = _full(c, century)
    orders = {"day-first": _date(year, b, a), "month-first": _date(year, a, b)}
    if short and len(a) == 2:
        orders["year-first"] = _date(_full(a, century), b, c)
    valid = {order: day for order, day in orders.items() if day is not None and day.year in _YEARS}
    return Days(valid, mark=mark, short=short)


def _month(name: str) -> int | None:
    return MONTHS.get(name.lower())


def _named(year: str, name: str, day: str, century: int | None = None) -> Days | None:
    month = _month(name)
    return None if month is None else _one(_date(_full(year, century), month, day), short=len(year) == 2)


def _of_week(fields: tuple[str, ...], _: int | None) -> Days | None:
    year, week, day = fields
    try:
        return _one(dt.date.fromisocalendar(int(year), int(week), int(day or 1)), DAY if day else WEEK)
    except ValueError:
        return None


def _of_year_and_month(fields: tuple[str, ...], _: int | None) -> Days | None:
    found = _one(_date(fields[0], fields[1], 1), MONTH)
    return None if found is None else replace(found, next_year=(int(fields[0]) + 1) % 100 == int(fields[1]))


def _of_name_and_year(fields: tuple[str, ...], _: int | None) -> Days | None:
    month = _month(fields[0])
    return None if month is None else _one(_date(fields[1], month, 1), MONTH)


_READERS: dict[str, Callable[[tuple[str, ...], int | None], Days | None]] = {
    "numbers": _of_numbers,
    "day name year": lambda fields, century: _named(fields[2], fields[1], fields[0], century),
    "name day year": lambda fields, _: _named(fields[2], fields[0], fields[1]),
    "year name day": lambda fields, _: _named(fields[0], fields[1], fields[2]),
    "name year": _of_name_and_year,
    "year month": _of_year_and_month,
    "month year": lambda fields, _: _one(_date(fields[1], fields[0], 1), MONTH),
    "week": _of_week,
    "quarter": lambda fields, _: _one(_date(fields[0], 3 * int(fields[1]) - 2, 1), QUARTER),
}


# -- formats that are said ---------------------------------------------------------------------------------------------

_DIRECTIVES = {
    "%d": r"(?P<day>[0-9]{1,2})",
    "%m": r"(?P<month>[0-9]{1,2})",
    "%Y": r"(?P<year>[0-9]{4})",
    "%y": r"(?P<year>[0-9]{2})",
    "%b": rf"(?P<month>{_NAME})\.?",
    "%B": rf"(?P<month>{_NAME})\.?",
    "%H": r"(?P<hour>[0-9]{1,2})",
    "%I": r"(?P<hour>[0-9]{1,2})",
    "%M": r"(?P<minute>[0-9]{2})",
    "%S": r"(?P<second>[0-9]{2})",
    "%f": r"(?P<fraction>[0-9]{1,9})",
    "%p": r"(?P<half>[aApP]\.?[mM]\.?)",
    "%%": "%",
}
_LETTERS = (
    *(("YYYY", "%Y"), ("JJJJ", "%Y"), ("AAAA", "%Y"), ("MMMM", "%B"), ("MMM", "%b"), ("DD", "%d"), ("TT", "%d")),
    *(("JJ", "%d"), ("MM", "%m"), ("YY", "%y"), ("hh", "%H"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"), ("SS", "%S")),
)


@cache
def directives(pattern: str) -> str:
    """A format in strptime's letters: DD.MM.YYYY hh:mm is %d.%m.%Y %H:%M.

    >>> directives("DD.MM.YYYY"), directives("dd/mm/yyyy hh:mm"), directives("%Y%m%d")
    ('%d.%m.%Y', '%d/%m/%Y %H:%M', '%Y%m%d')
    """
    if "%" in pattern:
        return pattern
    if not any(letter in pattern for letter in ("YY", "JJ", "AA")):  # dd.mm.yyyy
        pattern = re.sub("y{2,4}|j{2,4}|a{4}|d{2}|t{2}", lambda match: match[0].upper(), pattern)
        pattern = pattern if "MM" in pattern else re.sub("m{2,4}", lambda match: match[0].upper(), pattern, count=1)
    letters = "|".join(letter for letter, _ in _LETTERS)
    found = dict(_LETTERS)
    if "JJJJ" in pattern or "TT" in pattern:  # German: Tag, Monat, Jahr
        found["JJ"] = "%y"
    return re.sub(letters, lambda match: found[match[0]], pattern)


@cache
def format_pattern(pattern: str) -> re.Pattern[str] | None:
    """What texts of a format look like; None if it names no day, or something that no date has."""
    parts = re.split(r"(%.)", directives(pattern))
    if any(part.startswith("%") and part not in _DIRECTIVES for part in parts):
        return None
    texts = [_DIRECTIVES[part] if part in _DIRECTIVES else re.escape(part) for part in parts]
    try:
        compiled = re.compile("".join(texts))
    except re.error:  # a field twice
        return None
    return compiled if {"year", "month"} <= set(compiled.groupindex) else None


def by_format(text: str, pattern: str, *, century: int | None = None) -> str | None:
    """A text of a format in ISO form, None if it is not of that format.

    >>> by_format("25.03.24", "%d.%m.%y"), by_format("25.13.24", "%d.%m.%y")
    ('2024-03-25', None)
    """
    compiled = format_pattern(pattern)
    match = None if compiled is None else compiled.fullmatch(text)
    if match is None:
        return None
    fields = match.groupdict()
    month = fields["month"] if fields["month"].isdigit() else _month(fields["month"])
    day = None if month is None else _date(_full(fields["year"], century), month, fields.get("day") or 1)
    if day is None:
        return None
    if "hour" not in fields:
        return day.isoformat()
    clock = f"{fields['hour']}:{fields.get('minute') or '00'}:{fields.get('second') or '00'}"
    clock += f".{fields['fraction']}" if fields.get("fraction") else ""
    time = time_of(clock + (f" {fields['half']}" if fields.get("half") else ""))
    return None if time is None else f"{day.isoformat()} {time}"
