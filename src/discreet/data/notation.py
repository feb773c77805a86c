# SPDX-License-Identifier: Apache-2.0
"""How the texts of a column write numbers or dates, and what the owner of a table says about that.

A notation rewrites texts as they are read everywhere (1169.17, 2024-03-25), so what is not plain is dealt with in one
place. Its name is all that a release records of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.date_texts import ANY, ORDERS, Dated, by_format, days_of, directives, format_pattern, time_of
from discreet.data.number_texts import SPACES, THOUSANDS, NumberNotation
from discreet.errors import DataError, Setting, did_you_mean, listing, shown

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T].*)?")
_LONGEST = 80  # characters of a format
_FROM = re.compile(r"(?P<format>.*?)(?: from (?P<century>[0-9]{4}))?")
_SPOKEN = {"comma": ",", "point": ".", "dot": ".", "space": " ", "apostrophe": "'", "none": "", "\u2019": "'"}


@dataclass(frozen=True)
class DateNotation:
    """How a column writes its dates: in which order, or in which format.

    order    of days, months and years in dates of numbers; empty if dates name the month, or begin with the year
    pattern  a format in strptime's letters, instead of an order
    century  the year from which the hundred years of two-digit years begin

    >>> DateNotation("day-first").plain(pa.array(["3.4.2024 14:30", "2024-04-03", "x"])).to_pylist()
    ['2024-04-03 14:30:00', '2024-04-03', None]
    """

    order: str = ANY
    pattern: str = ""
    century: int | None = None

    kind = "date"

    @property
    def name(self) -> str:
        """The notation in words, as it is recorded."""
        return (self.pattern or self.order or "dates") + ("" if self.century is None else f" from {self.century}")

    @classmethod
    def named(cls, name: str) -> DateNotation | None:
        """The notation of that name, None if there is none.

        >>> DateNotation.named("%d.%m.%y from 1925")
        DateNotation(order='', pattern='%d.%m.%y', century=1925)
        """
        match = _FROM.fullmatch(name)
        assert match is not None
        century = None if match["century"] is None else int(match["century"])
        if match["format"] in (*ORDERS, "dates"):
            return cls("" if match["format"] == "dates" else match["format"], century=century)
        return cls(pattern=directives(match["format"]), century=century) if format_pattern(match["format"]) else None

    def plain(self, texts: pa.Array, *, zeros: bool = False) -> pa.Array:
        """The texts in ISO form, null where they are no dates of this notation; `zeros` is for numbers."""
        present = texts.drop_null()
        if not len(present):
            return texts
        if self.pattern:
            listed = [self._by_format(text) for text in present.to_pylist()]
            rewritten = pa.array(listed, pa.string())
        else:
            cut = Dated.of(present)
            rewritten = cut.joined([self._day(text) for text in cut.days], [time_of(t) if t else "" for t in cut.times])
        if not texts.null_count:
            return rewritten
        places = pc.subtract(pc.cumulative_sum(texts.is_valid().cast(pa.int64())), 1)
        return rewritten.take(pc.if_else(texts.is_valid(), places, None))

    def _by_format(self, text: str) -> str | None:
        read = by_format(text, self.pattern, century=self.century)
        return text if read is None and _ISO.fullmatch(text) else read

    def _day(self, text: str) -> Any:
        days = days_of(text, century=self.century)
        if days is None or (days.short and self.century is None):
            return None
        return days.by_order.get(self.order) or days.by_order.get(ANY)


Notation: TypeAlias = NumberNotation | DateNotation


def notation_named(name: str) -> Notation | None:
    """The notation that a release recorded by this name.

    >>> notation_named("day-first"), notation_named("by heart")
    (DateNotation(order='day-first', pattern='', century=None), None)
    """
    return NumberNotation.named(name) or (DateNotation.named(name) if len(name) <= _LONGEST else None)


@dataclass(frozen=True)
class Given:
    """What the owner says about the texts of one column.

    decimal, thousands  the marks in numbers; None for what is not said
    dates               the order or format of dates
    notation            how a release says that its column was written: nothing else is tried
    own                 whether it was said of this column, not of all
    """

    decimal: str | None = None
    thousands: str | None = None
    dates: DateNotation | None = None
    notation: Notation | None = None
    own: bool = False

    @property
    def of_numbers(self) -> NumberNotation | None:
        """The notation of numbers, if enough is said for cells to be read one by one."""
        if isinstance(self.notation, NumberNotation):
            return self.notation
        decimal = self.decimal or {",": ".", ".": ","}.get(self.thousands or "")
        return None if decimal is None else NumberNotation(decimal, self.thousands)  # type: ignore[arg-type]

    @property
    def of_cells(self) -> tuple[Notation, ...]:
        """What each cell is read by where no other cell may have a say."""
        dates = self.notation if isinstance(self.notation, DateNotation) else self.dates
        return tuple(one for one in (dates, self.of_numbers) if one is not None)


@dataclass(frozen=True)
class Formats:
    """What the owner says about the texts of a table: for all columns, or by the name of the column.

    >>> Formats.of(decimal=",", date_format={"born": "day-first"}).given("born").dates
    DateNotation(order='day-first', pattern='', century=None)
    """

    decimal: Mapping[str | None, str] = field(default_factory=dict)
    thousands: Mapping[str | None, str] = field(default_factory=dict)
    dates: Mapping[str | None, DateNotation] = field(default_factory=dict)
    recorded: Mapping[str, Notation] = field(default_factory=dict)

    @classmethod
    def of(cls, *, decimal: Any = None, thousands: Any = None, date_format: Any = None) -> Formats:
        """From the options of `Table.of`; DataError for what is no mark and no format."""
        return cls(
            {name: _mark(text, "decimal", (".", ",")) for name, text in _by_name(decimal, "decimal")},
            {name: _mark(text, "thousands", ("", *THOUSANDS)) for name, text in _by_name(thousands, "thousands")},
            {name: _date_format(text) for name, text in _by_name(date_format, "date_format")},
        )

    @cached_property
    def names(self) -> frozenset[str]:
        """The columns of which something is said."""
        return frozenset(
            name for said in (self.decimal, self.thousands, self.dates) for name in said if name is not None
        )

    def given(self, name: str) -> Given:
        own = any(name in said for said in (self.decimal, self.thousands, self.dates))
        decimal, thousands = (said.get(name, said.get(None)) for said in (self.decimal, self.thousands))
        if decimal is not None and decimal == thousands:
            raise DataError(
                f"Column {shown(name)}: {decimal!r} cannot be the decimal mark and stand between thousands, too."
            )
        dates = self.dates.get(name, self.dates.get(None))
        said = decimal is not None or thousands is not None or dates is not None
        return Given(decimal, thousands, dates, None if said else self.recorded.get(name), own)

    def only(self, names: Iterable[str]) -> Formats:
        """What is said of these columns, and of all."""
        kept = {None, *names}
        return Formats(
            {name: mark for name, mark in self.decimal.items() if name in kept},
            {name: mark for name, mark in self.thousands.items() if name in kept},
            {name: one for name, one in self.dates.items() if name in kept},
            {name: one for name, one in self.recorded.items() if name in kept},
        )

    def check_names(self, names: tuple[str, ...]) -> None:
        """DataError if something is said of a column that is not there."""
        if unknown := sorted(self.names - set(names)):
            hint = did_you_mean(unknown[0], names)
            raise DataError(f"Formats are set for columns that are not in the data: {listing(unknown)}.{hint}")


def rewritten(texts: pa.Array, notations: tuple[Notation, ...], *, but: Iterable[str] = ()) -> pa.Array:
    """Texts in plain form where one of the notations fits, each by itself; `but` are texts that stay as they are.

    >>> rewritten(pa.array(["1,5", "3.4.2024", "x"]), (DateNotation("day-first"), NumberNotation(","))).to_pylist()
    ['1.5', '2024-04-03', 'x']
    """
    if not notations:
        return texts
    trimmed = pc.utf8_trim_whitespace(texts.cast(pa.string()))
    open_ = pc.if_else(pc.is_in(trimmed, value_set=pa.array(sorted(but), pa.string())), None, trimmed)
    for notation in notations:
        plain = notation.plain(open_)
        trimmed = pc.coalesce(plain, trimmed)
        open_ = pc.if_else(pc.is_valid(plain), None, open_)
    return trimmed


def _by_name(value: Any, option: str) -> list[tuple[str | None, str]]:
    listed: list[tuple[Any, Any]] = []
    if value is not None:
        listed = list(value.items()) if isinstance(value, Mapping) else [(None, value)]
    if not all(isinstance(text, str) for _, text in listed):
        raise DataError(Setting(option), " is a text, or a mapping of columns to texts.")
    return listed


def _mark(text: str, option: str, marks: tuple[str, ...]) -> str:
    mark = _SPOKEN.get(text, " " if text in SPACES and text else text)
    if mark not in marks:
        words = {".": "'.' (point)", ",": "',' (comma)", " ": "' ' (space)", "'": '"\'" (apostrophe)', "": "none"}
        raise DataError(
            Setting(option), f" must be one of {', '.join(words[one] for one in marks)}; it was something else."
        )
    return mark


def _date_format(text: str) -> DateNotation:
    notation = DateNotation.named(text.strip()) if 0 < len(text.strip()) <= _LONGEST else None
    if notation is None:
        raise DataError(
            Setting("date_format"),
            " must be day-first, month-first, year-first or a format such as %d.%m.%Y or DD.MM.YYYY, for"
            " years of two digits with the first of their hundred years (%d.%m.%y from 1930); it was something else.",
        )
    return notation
