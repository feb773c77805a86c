# SPDX-License-Identifier: Apache-2.0
"""Recognise how a column of texts writes numbers or dates, from all its cells.

Each way to read them is tried on every cell and is out as soon as one does not fit. If one way is left, or all that are
left give the same values, that is how the column is read. If two are left that differ, nobody can tell: `Unclear` says
so, and the owner is asked. Nothing is guessed from how likely it is.

Texts that may be codes stay texts: 01067, 1,2,3, 123 456 789, versions, telephones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.date_texts import ANY, DAY, MONTH, ORDERS, QUARTER, WEEK, ZONE, Dated, Days, days_of, time_of
from discreet.data.notation import DateNotation, Given, Notation
from discreet.data.number_texts import (
    DASHES,
    IN_SOME_NOTATION,
    LOOKS_LIKE_NUMBER,
    PERCENT,
    NumberNotation,
    NumberParts,
    all_match,
    n_matching,
)
from discreet.data.usual_signs import usual_numbers

_FEW = 50  # texts that are looked at first
_MOSTLY = 0.8  # of the texts: a column of numbers with a few others
_MARKS = {",": "a comma", ".": "a dot", " ": "a space", "'": "an apostrophe"}
_PAIR = re.compile(r"([1-9][0-9]?),([1-9][0-9]?)")
_LIKE_DATE = r"(?:[0-9]{1,2}[./-]){2}[0-9]{2,4}.*|[0-9]{4}-[0-9]{2}-[0-9]{2}.*"
_THREE_DIGITS = r"[+-]?(?:[1-9][0-9]{0,2}\.[0-9]{3}|0|[1-9][0-9]*)"


@dataclass(frozen=True)
class Unclear:
    """Two ways to read a column that differ: what the owner is asked.

    choices   each way in words, and the option that says so
    """

    kind: str
    choices: tuple[tuple[str, str, str], ...]  # words, name of the option, its value
    reason: str = ""


@dataclass(frozen=True)
class Recognised:
    """A column read by a notation: its texts in plain form, and what was found in how many cells.

    `features` are words and the distinct texts that have them.
    """

    notation: Notation
    plain: pa.Array
    features: tuple[tuple[str, pa.Array], ...] = ()
    certain: str = ""  # what the column shows for certain: "," or "." as decimal mark, or an order of dates
    period: bool = False  # whether dates are months, weeks or quarters, which are categories unless declared dates


@dataclass(frozen=True)
class Context:
    """What is known besides the cells of the column: whether semicolons delimit cells, as they do where a comma is the
    decimal mark, and whether the owner declared the kind."""

    semicolons: bool = False
    declared: bool = False


# -- numbers -----------------------------------------------------------------------------------------------------------


def numbers_in(texts: pa.Array, given: Given, context: Context) -> Recognised | Unclear | None:
    """How trimmed texts write numbers; None if they are none, or may be codes."""
    written, texts = texts, usual_numbers(texts)
    if not all_match(texts, LOOKS_LIKE_NUMBER):
        return None
    present = texts.drop_null()
    parts = NumberParts.of(present)
    notation = _decorated(parts, given, context)
    if notation is None or parts.core.null_count:
        return None
    zeros = context.declared
    decimals = [notation.decimal] if given.of_numbers is not None else [".", ","]
    ways = {one: parts.numbers(one, given.thousands, zeros=zeros) for one in decimals}
    ways = {one: numbers for one, numbers in ways.items() if not numbers.null_count}
    if not ways or (not context.declared and not given.own and _may_be_codes(parts)):
        return None
    values = {one: numbers.cast(pa.float64()) for one, numbers in ways.items()}
    if len(ways) > 1 and not values["."].equals(values[","]):
        return _unclear_mark(parts)
    decimal = "," if "," in ways and "." not in ways else "." if "." in ways and "," not in ways else notation.decimal
    unsaid = given.of_numbers is None and not context.declared and not context.semicolons
    if unsaid and "," in ways and "." not in ways and _may_be_pairs(parts):
        return _unclear_pairs()
    found = replace(notation, decimal=decimal)
    return Recognised(
        found,
        _in_place(texts, ways[decimal]),
        (*_number_features(texts, parts, found), *_rewritten(written, texts)),
        certain=decimal if len(ways) == 1 and given.of_numbers is None else "",
    )


def dot_may_mark_thousands(texts: pa.Array) -> bool:
    """Whether plain numbers have a dot that may stand between thousands in every one of them: 1.023 and 12."""
    return all_match(texts, _THREE_DIGITS) and bool(pc.any(pc.match_substring(texts, ".")).as_py())


def _decorated(parts: NumberParts, given: Given, context: Context) -> NumberNotation | None:
    """Unit and sign of the numbers; None if these are not the same in all cells, or not sure."""
    start = given.of_numbers or NumberNotation()
    units = set(parts.unit.unique().to_pylist()) - {None}
    if isinstance(given.notation, NumberNotation):
        return start if units == {start.unit} and (start.brackets or not pc.any(parts.aside).as_py()) else None
    named = units - {""}
    if len(named) > 1 or (named and "" in units):  # two currencies, or amounts with and without one
        return None
    unit = next(iter(named), "")
    aside = bool(pc.any(parts.aside).as_py())
    if aside:
        cents = all_match(parts.core, r".*[.,][0-9]{2}")
        sure = context.declared or (unit and unit != PERCENT) or cents  # a mark 2-, or a footnote (2), is no number
        if not sure or pc.all(parts.aside).as_py():
            return None
    return replace(start, unit=unit, brackets=aside)


def _may_be_codes(parts: NumberParts) -> bool:
    """Whether marks may belong to codes: all of one length in groups of three, or addresses of computers."""
    if all_match(parts.core, r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){3}"):
        return True
    return all_match(parts.core, r"[1-9][0-9]{2}(?:[ '.][0-9]{3})+") and len(pc.unique(pc.utf8_length(parts.core))) == 1


def _may_be_pairs(parts: NumberParts) -> bool:
    """Whether 1,2 may be a list of two codes: whole numbers that increase, in every cell with a comma."""
    core = parts.core.filter(pc.match_substring(parts.core, ","))
    if not 0 < len(core) <= 200 or pc.any(pc.not_equal(parts.unit, "")).as_py() or pc.any(parts.negative).as_py():
        return False  # so many different pairs, all of them increasing, are no accident; units are no codes
    pairs = [_PAIR.fullmatch(text) for text in core.to_pylist()]
    return all(pair is not None and int(pair[1]) < int(pair[2]) for pair in pairs)


def _unclear_mark(parts: NumberParts) -> Unclear:
    """1,023 is a thousand or one; with dots, 1.023 only where other columns show a decimal comma."""
    comma, dot = (pc.any(pc.match_substring(parts.core, mark)).as_py() for mark in ",.")
    other = "the comma stands between thousands" if comma and not dot else "the dot is the decimal mark"
    one = "the dot stands between thousands" if dot and not comma else "the comma is the decimal mark"
    return Unclear("number", ((one, "decimal", ","), (other, "decimal", ".")))


def _unclear_pairs() -> Unclear:
    return Unclear(
        "number",
        (("the comma is the decimal mark", "decimal", ","), ("the cells are lists of codes", "kinds", "category")),
    )


def _number_features(texts: pa.Array, parts: NumberParts, found: NumberNotation) -> tuple[tuple[str, pa.Array], ...]:
    core = parts.core
    features = []
    if found.decimal == ",":
        features.append(("a decimal comma", pc.match_substring(core, ",")))
    for mark, words in _MARKS.items():
        if mark != found.decimal:
            features.append((f"{words} between thousands", pc.match_substring(core, mark)))
    if found.unit:
        words = "a percent sign" if found.unit == PERCENT else f"the currency {found.unit}"
        features.append((words, pc.equal(parts.unit, found.unit)))
    features.append(("a dash for minus", pc.match_substring_regex(usual_numbers(texts.drop_null()), DASHES)))
    if found.brackets:
        features.append(("a minus after the digits, or brackets for it", parts.aside))
    return tuple((words, _in_place(texts, where)) for words, where in features if pc.any(where).as_py())


def _rewritten(written: pa.Array, usual: pa.Array) -> tuple[tuple[str, pa.Array], ...]:
    where = pc.not_equal(written, usual)
    return (("signs of full width, or a mark for no cents", where),) if pc.any(where).as_py() else ()


def _in_place(texts: pa.Array, of_present: pa.Array) -> pa.Array:
    """Values of the texts that are not null, with null for the others."""
    if not texts.null_count:
        return of_present
    places = pc.subtract(pc.cumulative_sum(texts.is_valid().cast(pa.int64())), 1)
    return of_present.take(pc.if_else(texts.is_valid(), places, None))


# -- dates -------------------------------------------------------------------------------------------------------------


def dates_in(texts: pa.Array, given: Given, context: Context) -> Recognised | Unclear | None:
    """How trimmed texts write dates; None if they are none."""
    said = given.notation if isinstance(given.notation, DateNotation) else given.dates
    if said is not None:
        plain = said.plain(texts)
        if plain.null_count == texts.null_count:
            return Recognised(said, plain, _said_features(texts, said))
        if said == given.notation or given.own:
            return None
    present = texts.drop_null()
    few = present.slice(0, _FEW)
    if not len(present) or not all(_read(Dated.of(few), context.declared)):
        return None
    cut = Dated.of(present)
    found = _read(cut, context.declared)
    days, times = [one for one in found if one is not None], [time_of(text) if text else "" for text in cut.times]
    if len(days) < len(found) or None in times or not _alike(days):
        return None
    orders = [order for order in ORDERS if all(order in one.by_order or ANY in one.by_order for one in days)]
    if all(ANY in one.by_order for one in days):
        orders = [ANY]
    if any(one.short for one in days):
        return _unclear_years(orders)
    ways = {order: [one.by_order.get(order) or one.by_order[ANY] for one in days] for order in orders}
    if not ways:
        return None
    if len({tuple(way) for way in ways.values()}) > 1:
        return _unclear_order(orders)
    order = orders[0]
    notation = _as_notation(order, days, cut)
    plain = _in_place(texts, cut.joined(list(ways[order]), times))
    every = texts.is_valid()
    certain = order if len(orders) == 1 and order != ANY else ""
    words = _date_words(order, days[0].names)
    features = ((words, every), *zones_in(texts))
    return Recognised(notation, plain, features, certain=certain, period=days[0].names != DAY)


def zones_in(texts: pa.Array) -> tuple[tuple[str, pa.Array], ...]:
    """The texts with a time zone, which is not read: times are those that clocks showed there."""
    where = pc.match_substring_regex(texts, rf":[0-9]{{2}}(?:[.,][0-9]+)?[ ]?(?:{ZONE})$")
    return (("a time zone, which is left out", where),) if pc.any(where).as_py() else ()


def _read(cut: Dated, digits: bool) -> list[Days | None]:
    return [days_of(text, digits=digits) for text in cut.days]


def _alike(days: list[Days]) -> bool:
    """Whether all texts name the same, days or months or weeks, and numbers have one mark between them."""
    if len({one.names for one in days}) > 1 or len({one.mark for one in days} - {""}) > 1:
        return False
    return not all(one.names == MONTH and one.next_year for one in days)


def _as_notation(order: str, days: list[Days], cut: Dated) -> DateNotation:
    return DateNotation(pattern="%Y%m%d") if all(text.isdigit() for text in cut.days) else DateNotation(order)


def _said_features(texts: pa.Array, said: DateNotation) -> tuple[tuple[str, pa.Array], ...]:
    words = _date_words(said.order, DAY) if not said.pattern else f"a date in the format {said.pattern}"
    if said.century is not None or "%y" in said.pattern:
        first = said.century or 1969
        words += f" (years of two digits are {first} to {first + 99})"
    return ((words, texts.is_valid()),)


_NAMED = {
    DAY: "a date that can be read in one way only",
    MONTH: "a month, read as its first day",
    WEEK: "a week, read as its Monday",
    QUARTER: "a quarter, read as its first day",
}


def _date_words(order: str, names: str) -> str:
    return _NAMED[names] if order == ANY else f"a date with the {order.removesuffix('-first')} first"


def _unclear_order(orders: list[str]) -> Unclear:
    return Unclear(
        "date", tuple((f"the {order.removesuffix('-first')} comes first", "date_format", order) for order in orders)
    )


def _unclear_years(orders: list[str]) -> Unclear | None:
    if not orders:
        return None
    choices = tuple(
        (
            f"the {'dates name the month' if order == ANY else order.removesuffix('-first') + ' comes first'}",
            "date_format",
            f"{order or 'dates'} from 1930",
        )
        for order in orders
    )
    return Unclear(
        "date", choices, "the years have two digits, so their century must be said (1930: from 1930 to 2029)"
    )


# -- nearly ------------------------------------------------------------------------------------------------------------


def nearly(texts: pa.Array) -> tuple[str, pa.Array] | None:
    """What most of the texts look like though no notation fits all, numbers or dates, and which of them do; None if
    most look like neither, or all are mere digits."""
    present = texts.drop_null()
    few = present.slice(0, _FEW).to_pylist()
    if len(few) < 5 or all_match(texts, "[0-9]+"):
        return None
    for words, pattern in (("dates", _LIKE_DATE), ("numbers", IN_SOME_NOTATION)):
        if n_matching(few, pattern) >= _MOSTLY * len(few):
            where = pc.match_substring_regex(texts, f"^(?:{pattern})$")
            if pc.sum(where).as_py() >= _MOSTLY * len(present):
                return words, where
    return None
