# SPDX-License-Identifier: Apache-2.0
"""Numbers as people write them: a decimal comma, marks between thousands, percent and currency signs.

A notation says which sign is the decimal mark. Every other mark (dot or comma, space, apostrophe) then stands between
thousands, and only where digits are grouped as numbers are: 1.234.567 or, in India, 12,34,567. What is not grouped so
is no number: 1,2,3 is a list, 0.512.33 a telephone. `plain` rewrites texts as they are read everywhere: 1169.17.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, reduce
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.usual_signs import usual_numbers

Decimal = Literal[".", ","]

SPACES = " \u00a0\u2009\u202f"  # and the no-break, the thin, the narrow no-break one
_APOSTROPHES = "'\u2019"
_MINUS = "\u2212\u2013"  # the minus sign, and the dash that text programs make of it
DASHES = f"[{_MINUS}]"
_MINUSES = ("-", *_MINUS)
THOUSANDS = (",", ".", " ", "'")
_SYMBOLS = (
    *(
        "US$",
        "R$",
        "A$",
        "C$",
        "NZ$",
        "HK$",
        "S$",
        "€",
        "$",
        "£",
        "¥",
        "₹",
        "₽",
        "₺",
        "₩",
        "₪",
        "₴",
        "₦",
        "฿",
        "₫",
        "₱",
        "円",
        "元",
        "원",
    ),
    *("zł", "kr.", "kr", "Kr.", "Kr", "Kč", "Ft", "лв", "руб.", "SFr.", "Fr.", "Rs."),
)
_CODES = (
    *("EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "ISK", "PLN", "CZK", "HUF", "RON", "BGN"),
    *("RSD", "TRY", "RUB", "UAH", "JPY", "CNY", "INR", "KRW", "BRL", "MXN", "ARS", "CLP", "COP"),
    *("PEN", "CAD", "AUD", "NZD", "ZAR", "EGP", "NGN", "KES", "ILS", "AED", "SAR", "SGD", "HKD"),
    *("TWD", "THB", "IDR", "MYR", "PHP", "VND", "PKR"),
)
CURRENCIES = (*_SYMBOLS, *_CODES)
PERCENT = "%"


def _escaped(text: str) -> str:
    return "".join(f"\\{sign}" if sign in "$.%" else sign for sign in text)


_UNIT = "|".join(map(_escaped, (*CURRENCIES, PERCENT)))
_GAP = f"[{SPACES}]?"
_CORE = f"[.,]?[0-9](?:[0-9.,{SPACES}{_APOSTROPHES}]*[0-9])?(?:[eE][+-]?[0-9]+)?"
_SIGN = f"[+{_MINUS}-]?"
_DECORATED = (
    f"(?P<open>\\(?)(?P<sign>{_SIGN})(?P<before>(?:{_UNIT})?){_GAP}(?P<inner>{_SIGN})(?P<core>{_CORE})"
    f"(?P<next>-?){_GAP}(?P<after>(?:{_UNIT})?)(?P<last>-?)(?P<close>\\)?)"
)
LOOKS_LIKE_NUMBER = f"\\(?{_SIGN}(?:{_UNIT})?{_GAP}{_SIGN}{_CORE}-?{_GAP}(?:{_UNIT})?-?\\)?"
_BARE = f"{_SIGN}{_CORE}"


@dataclass(frozen=True)
class NumberNotation:
    """How a column writes its numbers.

    decimal    the decimal mark
    thousands  the mark between thousands; None for any but the decimal mark, empty for none
    unit       % or a currency, which every cell then has
    brackets   whether (5) and 5- are minus five

    >>> NumberNotation(",").plain(pa.array(["1.169,17", "12", "1,2,3"])).to_pylist()
    ['1169.17', '12', None]
    """

    decimal: Decimal = "."
    thousands: str | None = None
    unit: str = ""
    brackets: bool = False

    kind = "number"

    @property
    def name(self) -> str:
        """The notation in words, as it is recorded."""
        words = ["decimal comma" if self.decimal == "," else "decimal point"]
        if self.thousands is not None:
            words.append(
                {"": "no thousands", " ": "thousands space"}.get(self.thousands, f"thousands {self.thousands}")
            )
        words += ["percent"] if self.unit == PERCENT else [f"currency {self.unit}"] if self.unit else []
        return "; ".join([*words, *(["brackets"] if self.brackets else [])])

    @classmethod
    def named(cls, name: str) -> NumberNotation | None:
        """The notation of that name, None if there is none.

        >>> NumberNotation.named(NumberNotation(",", unit="€").name)
        NumberNotation(decimal=',', thousands=None, unit='€', brackets=False)
        """
        return _by_name().get(name)

    def plain(self, texts: pa.Array, *, zeros: bool = False) -> pa.Array:
        """The texts with a decimal point and nothing else, null where they are no numbers of this notation.

        `zeros` allows leading zeros.
        """
        parts = NumberParts.of(texts)
        fits = pc.equal(parts.unit, self.unit)
        if not self.brackets:
            fits = pc.and_(fits, pc.invert(parts.aside))
        return pc.if_else(fits, parts.numbers(self.decimal, self.thousands, zeros=zeros), None)


@cache
def _by_name() -> dict[str, NumberNotation]:
    every = (
        NumberNotation(decimal, thousands, unit, brackets)
        for decimal in (".", ",")
        for thousands in (None, "", *(mark for mark in THOUSANDS if mark != decimal))
        for unit in ("", PERCENT, *CURRENCIES)
        for brackets in (False, True)
    )
    return {one.name: one for one in every}


@dataclass(frozen=True, eq=False, repr=False)
class NumberParts:
    """Texts taken apart: digits with their marks, whether they are negative, the unit; null for texts that are none.

    `aside` says that the minus comes after the digits, or is written as brackets.
    """

    core: pa.Array
    negative: pa.Array
    unit: pa.Array
    aside: pa.Array

    @classmethod
    def of(cls, texts: pa.Array) -> NumberParts:
        texts = usual_numbers(texts)
        if all_match(texts, _BARE):
            signs = pc.utf8_slice_codeunits(texts, 0, 1)
            core = pc.utf8_ltrim(texts, characters=f"+-{_MINUS}")
            negative = pc.is_in(signs, value_set=pa.array(_MINUSES))
            empty = pa.array([""] * len(texts), pa.string())
            return cls(_usual_marks(core), negative, empty, pa.array([False] * len(texts)))
        found = pc.extract_regex(texts, f"^{_DECORATED}$")
        part = {name: pc.struct_field(found, name) for name in ("sign", "inner", "next", "last", "open", "close")}
        before, after = pc.struct_field(found, "before"), pc.struct_field(found, "after")
        bracketed = pc.and_(pc.equal(part["open"], "("), pc.equal(part["close"], ")"))
        half = pc.xor(pc.equal(part["open"], "("), pc.equal(part["close"], ")"))
        signs_of = ("sign", "inner", "next", "last")
        marks = [pc.not_equal(part[name], "") for name in signs_of]
        count = reduce(pc.add, (mark.cast(pa.int8()) for mark in marks))
        several, marked = pc.greater(count, 1), pc.greater(count, 0)
        twice = pc.and_(pc.not_equal(before, ""), pc.not_equal(after, ""))
        bad = pc.or_(pc.or_(half, several), pc.or_(twice, pc.and_(bracketed, marked)))
        minus = [pc.is_in(part[name], value_set=pa.array(_MINUSES)) for name in signs_of]
        negative = reduce(pc.or_, minus, bracketed)
        core = pc.if_else(pc.fill_null(bad, True), None, pc.struct_field(found, "core"))
        unit = pc.if_else(pc.equal(before, ""), after, before)
        return cls(_usual_marks(core), negative, unit, reduce(pc.or_, marks[2:], bracketed))

    def numbers(self, decimal: str, thousands: str | None = None, *, zeros: bool = False) -> pa.Array:
        """The numbers with a decimal point, null where the digits and marks are none."""
        matches = pc.match_substring_regex(self.core, f"^(?:{core_pattern(decimal, thousands, zeros)})$")
        marks = "".join(mark for mark in THOUSANDS if mark != decimal)
        digits = pc.replace_substring_regex(self.core, f"[{marks}]", "")
        digits = pc.replace_substring(digits, ",", ".") if decimal == "," else digits
        signed = pc.if_else(self.negative, pc.binary_join_element_wise("-", digits, ""), digits)
        return pc.if_else(pc.fill_null(matches, False), signed, None)


@cache
def core_pattern(decimal: str, thousands: str | None = None, zeros: bool = False) -> str:
    """Digits with this decimal mark; leading zeros only if `zeros`, since a post code has them."""
    marks = [mark for mark in THOUSANDS if mark != decimal and thousands in (None, mark)]
    grouped = [f"[1-9][0-9]{{0,2}}(?:{_mark(mark)}[0-9]{{3}})+" for mark in marks]
    if "," in marks:
        grouped.append("[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")
    whole = "|".join(["[0-9]+" if zeros else "0|[1-9][0-9]*", *grouped])
    point = _mark(decimal)
    return f"(?:(?:{whole})(?:{point}[0-9]+)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?"


def _mark(mark: str) -> str:
    return r"\." if mark == "." else mark


_NUMBER = "|".join(core_pattern(decimal) for decimal in (".", ","))
IN_SOME_NOTATION = f"\\(?{_SIGN}(?:{_UNIT})?{_GAP}{_SIGN}(?:{_NUMBER})-?{_GAP}(?:{_UNIT})?-?\\)?"


def _usual_marks(core: pa.Array) -> pa.Array:
    """One kind of space and of apostrophe."""
    for signs, usual in ((SPACES, " "), (_APOSTROPHES, "'")):
        core = pc.replace_substring_regex(core, f"[{signs}]", usual)
    return core


def all_match(texts: pa.Array, pattern: str) -> bool:
    """Whether all texts that are not null match as a whole; some first, since most columns fail on them."""
    present = texts.drop_null() if texts.null_count else texts
    if not len(present) or not all(re.fullmatch(pattern, text) for text in present.slice(0, 50).to_pylist()):
        return False
    return len(present) <= 50 or bool(pc.all(pc.match_substring_regex(present, f"^(?:{pattern})$")).as_py())


def n_matching(texts: Iterable[str | None], pattern: str) -> int:
    """How many of some texts match as a whole."""
    compiled = re.compile(pattern)
    return sum(text is not None and compiled.fullmatch(text) is not None for text in texts)
