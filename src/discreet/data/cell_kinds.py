# SPDX-License-Identifier: Apache-2.0
"""Infer the kind of a column from its distinct values, in the same way for CSV files, data frames and queries.

Text that holds only numbers is a number (a leading zero keeps it text: "01067" is a post code), ISO dates are dates,
"true" and "false" are booleans, and the usual marks of a missing value are missing. Whole numbers of more than about 16
digits are identifiers (accounts, telephones), whether text or integer: a double cannot tell them apart. How else texts
may write numbers and dates (1.169,17 and 25.03.2024) is recognised from all of them (`recognition.py`), where a
`TextReader` is passed. All functions here see the distinct values of a column, never its rows.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.text_reader import ReadTexts, TextReader
from discreet.errors import DataError, Setting, quietly, shown

Kind = Literal["number", "category", "date"]
KINDS: tuple[Kind, ...] = ("number", "category", "date")

MISSING_MARKS = (
    *("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<NA>", "#N/A"),
    *("#NA", "-nan", "-NaN", "NaT"),  # of spreadsheets and pandas; "None" may be an answer and is not missing
    *("\\N", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"),  # of databases; errors of spreadsheets
    *("#WERT!", "#BEZUG!", "#ZAHL!", "#NV", "#VALEUR!", "#NOMBRE!", "#VALOR!"),
)
LONE_MARKS = ("-", "--", "---", ".", "..", ":")  # missing too, but only in a column of numbers or of dates

LARGEST = 2**53  # whole numbers below are exact as doubles
_FEW = 50  # values that Python checks before Arrow checks the rest
_YEARS = (-62_135_596_800_000_000, 253_402_300_799_999_999)  # the years 1 to 9999 in microseconds since 1970

_FRACTION = r"(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_INFINITE = r"([Ii]nf|INF|[Ii]nfinity)"
NUMBER = rf"[+-]?(((0|[1-9][0-9]*){_FRACTION}|{_INFINITE})"
ANY_NUMBER = rf"[+-]?(([0-9]+{_FRACTION}|{_INFINITE})"  # if declared a number: leading zeros allowed
_TRUTH = r"[Tt]rue|TRUE|[Ff]alse|FALSE"
_ZONE = r"Z|[+-][0-9]{2}(:?[0-9]{2})?"
_DATE = rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([ T][0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}(\.[0-9]{{1,9}})?)?({_ZONE})?)?"


def meaning(
    name: str,
    distinct: pa.Array,
    *,
    kind: Kind | None = None,
    missing: Sequence[str] = MISSING_MARKS,
    reader: TextReader | None = None,
) -> tuple[pa.Array, Kind]:
    """The typed distinct values, null for missing, and the kind of the column, which `kind` overrides.

    Without a `reader`, texts are numbers and dates only in the plain form in which releases write them.

    >>> meaning("x", pa.array(["1", "2.0", "?"]))[0].to_pylist(), meaning("x", pa.array(["1", "b"]))[1]
    ([1, 2, None], 'category')
    """
    if kind is not None and kind not in KINDS:
        raise DataError(f"Column {shown(name)} was given the kind {kind!r}; the kinds are {', '.join(KINDS)}.")
    values = plain(name, distinct)
    if pa.types.is_string(values.type):
        texts = _without_marks(values, missing)
        values = _read(name, texts, kind, lone=tuple(missing) == MISSING_MARKS, reader=reader)
    values = _without_mark_values(values, [mark for mark in missing if mark not in MISSING_MARKS])
    if values.null_count == len(values):
        return pa.nulls(len(values), _TYPE_OF_NOTHING[kind]), kind or "category"
    if pa.types.is_floating(values.type):
        values = _whole(name, values)
    elif pa.types.is_timestamp(values.type):
        values = _days(name, values)
    return _as_kind(name, values, kind)


def text_of(value: object) -> str:
    """The text of a value: whole numbers without a decimal point, dates in ISO form.

    >>> text_of(3.0), text_of(0.5), text_of("x")
    ('3', '0.5', 'x')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < LARGEST else repr(value)
    return str(value)


# -- types ---------------------------------------------------------------------------------------------------------

_TYPE_OF_NOTHING = {None: pa.string(), "category": pa.string(), "number": pa.int64(), "date": pa.date32()}


def refuse(name: str, arrow_type: pa.DataType) -> DataError:
    """The error for a column of lists, structures, bytes and the like."""
    return DataError(
        f"Column {shown(name)} holds values of the Arrow type {_outer(arrow_type)}; supported are text, numbers,"
        f" booleans and dates. Convert it, or leave it without a role."
    )


def _outer(arrow_type: pa.DataType) -> str:
    """The name of the outer type, without the names of fields inside it."""
    return str(arrow_type).split("<")[0].split("[")[0]


def plain(name: str, distinct: pa.Array) -> pa.Array:
    """The values as text, booleans, 64-bit integers, doubles or timestamps; anything else is refused."""
    t = distinct.type
    if pa.types.is_string(t) or pa.types.is_boolean(t):
        return distinct
    if pa.types.is_null(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t):
        return distinct.cast(pa.string())
    if pa.types.is_integer(t):
        return _integers(distinct)
    if pa.types.is_decimal(t):
        return _integers(distinct) if t.scale <= 0 else _doubles(distinct.cast(pa.string()))
    if pa.types.is_float64(t):
        return _doubles(distinct)
    if pa.types.is_floating(t):
        return _doubles(_as_printed(distinct))
    if pa.types.is_date(t) or pa.types.is_timestamp(t):
        return _moments(name, distinct)
    if pa.types.is_time(t):
        times = distinct.cast(pa.time64("us"), safe=False).to_pylist()
        return pa.array([None if time is None else str(time) for time in times], pa.string())
    if pa.types.is_fixed_size_binary(t) and t.byte_width == 16:
        return pa.array([None if raw is None else str(uuid.UUID(bytes=raw)) for raw in distinct.to_pylist()])
    raise refuse(name, t)


def _integers(distinct: pa.Array) -> pa.Array:
    """As 64-bit integers, or as text if one of them is too large for a double."""
    whole, failure = quietly(distinct.cast, pa.int64())
    if not failure:
        ends = pc.min_max(whole)
        if ends["min"].as_py() is None or -LARGEST < ends["min"].as_py() <= ends["max"].as_py() < LARGEST:
            return whole
    return distinct.cast(pa.string())


def _doubles(distinct: pa.Array) -> pa.Array:
    """As doubles; not-a-number is missing, and minus zero is zero."""
    numbers = distinct.cast(pa.float64())
    return pc.if_else(pc.is_nan(numbers), None, pc.add(numbers, 0.0))


def _as_printed(distinct: pa.Array) -> pa.Array:
    """Numbers of 16 or 32 bits as they are printed: 0.1, not 0.10000000149011612."""
    short = distinct.to_numpy(zero_copy_only=False)
    exact = short.astype(np.float64)
    return pa.array(np.where(exact == np.floor(exact), exact, short.astype(str).astype(np.float64)))


def _moments(name: str, distinct: pa.Array) -> pa.Array:
    """As timestamps in microseconds of local time, without a time zone."""

    def convert() -> pa.Array:
        local = distinct
        if pa.types.is_timestamp(distinct.type):
            if distinct.type.tz is not None and distinct.type.tz != "UTC":
                local = pc.local_timestamp(local)
            if local.type.unit == "ns":
                local = pc.floor_temporal(local, unit="microsecond")
        return local.cast(pa.timestamp("us"), safe=local.type != pa.timestamp("ns"))

    moments, failure = quietly(convert)
    if moments is None or not _in_years(moments):
        raise DataError(
            f"Column {shown(name)} holds dates that cannot be used ({failure or 'outside the years 1 to 9999'}): check"
            f" their range and time zone, or turn them into text."
        )
    return moments


def _in_years(moments: pa.Array) -> bool:
    ends = pc.min_max(moments.cast(pa.int64()))
    return ends["min"].as_py() is None or _YEARS[0] <= ends["min"].as_py() <= ends["max"].as_py() <= _YEARS[1]


def _whole(name: str, numbers: pa.Array) -> pa.Array:
    """Whole numbers as integers, whatever their type; infinite ones are refused."""
    present = numbers.drop_null().to_numpy()
    infinite = int(np.isinf(present).sum())
    if infinite:
        raise DataError(
            f"Column {shown(name)} holds infinite numbers, which cannot be placed on a scale. Replace them, or declare"
            f" them missing: ",
            Setting("missing", ["", "inf", "-inf"]),
            ".",
        )
    if (np.abs(present) < LARGEST).all() and (present == np.floor(present)).all():
        return numbers.cast(pa.int64())
    return numbers


def _days(name: str, moments: pa.Array) -> pa.Array:
    """Timestamps that are all at midnight, as days."""
    days = moments.cast(pa.date32(), safe=False)
    return days if pc.all(pc.equal(days.cast(pa.timestamp("us")), moments)).as_py() else moments


def kind_of(t: pa.DataType) -> Kind:
    """The kind of a column whose typed distinct values have this Arrow type."""
    if pa.types.is_string(t) or pa.types.is_boolean(t):
        return "category"
    return "date" if pa.types.is_temporal(t) else "number"


def _as_kind(name: str, values: pa.Array, kind: Kind | None) -> tuple[pa.Array, Kind]:
    t, natural = values.type, kind_of(values.type)
    if kind is None or kind == natural:
        return values, natural
    if kind == "category":
        texts = [None if value is None else text_of(value) for value in values.to_pylist()]
        return pa.array(texts, pa.string()), "category"
    if kind == "number" and pa.types.is_boolean(t):
        return values.cast(pa.int64()), "number"
    actual = "categories" if natural == "category" else f"{natural}s"
    raise DataError(f"Column {shown(name)} was declared a {kind}, but it holds {actual}. Leave its kind out.")


# -- text ----------------------------------------------------------------------------------------------------------


def _without_marks(texts: pa.Array, missing: Sequence[str]) -> pa.Array:
    """Trimmed texts, with null for empty cells and the marks of a missing value."""
    trimmed = pc.utf8_trim_whitespace(texts)
    marks = pa.array({"", *(str(mark).strip() for mark in missing)}, pa.string())
    is_mark = pc.is_in(trimmed, value_set=marks)
    return pc.if_else(is_mark, None, trimmed) if pc.any(is_mark).as_py() else trimmed


def _without_mark_values(values: pa.Array, marks: Sequence[str]) -> pa.Array:
    """Replace the values of the owner's marks by null: a mark -9 also stands for the number -9.0."""
    if not marks or pa.types.is_string(values.type) or pa.types.is_boolean(values.type):
        return values
    is_number = not pa.types.is_temporal(values.type)
    pattern, convert = (ANY_NUMBER, _to_numbers) if is_number else (_DATE, _to_moments)
    converted = [convert(pa.array([mark.strip()])) for mark in marks if re.fullmatch(pattern, mark.strip())]
    meant_values = [one[0].as_py() for one in converted if one is not None]
    where = pc.is_in(values, value_set=pa.array(meant_values).cast(values.type, safe=False)) if meant_values else None
    return values if where is None else pc.if_else(where, None, values)


def _read(name: str, texts: pa.Array, kind: Kind | None, *, lone: bool, reader: TextReader | None) -> pa.Array:
    """The texts as numbers, dates or booleans if all of them are; otherwise unchanged."""
    if kind == "category" or texts.null_count == len(texts):
        return texts
    present = texts
    if lone:
        is_lone = pc.is_in(texts, value_set=pa.array(LONE_MARKS))
        present = pc.if_else(is_lone, None, texts) if pc.any(is_lone).as_py() else texts
    said = None if reader is None else _written(present, kind, lambda: reader.as_said(name, present, kind))
    if said is not None:
        return said
    for candidate, pattern, convert in _PLAIN:
        if kind in (None, candidate):
            pattern = ANY_NUMBER if kind == "number" else pattern
            values = convert(present) if _all_match(present, pattern) else None
            if values is not None and (kind == "number" or not _too_long(present, values)):
                if reader is not None and candidate == "number":
                    reader.check_dots(name, present)
                    reader.note_days(name, present)
                elif reader is not None:
                    reader.note_zones(name, present)
                return values
    if _all_match(texts, _TRUTH):
        return pc.equal(pc.utf8_lower(texts), "true")
    found = None if reader is None else _written(present, kind, lambda: reader.recognised(name, present, kind))
    if found is not None:
        return found
    if kind is not None:
        raise _unreadable(name, present, kind)
    return texts


def _written(present: pa.Array, kind: Kind | None, read: Callable[[], ReadTexts | None]) -> pa.Array | None:
    """The values of texts that were rewritten in plain form; None if they were not, or if digits would be lost."""
    found = read()
    if found is None:
        return None
    values = (_to_numbers if found.kind == "number" else _to_moments)(found.plain)
    if values is None or (kind is None and _too_long(found.plain, values)):
        return None
    found.accept()
    return values


def _all_match(texts: pa.Array, pattern: str) -> bool:
    """Whether all texts match; Python checks a few first, since Arrow has to compile the pattern."""
    present = texts.drop_null() if texts.null_count else texts
    if not len(present) or not all(re.fullmatch(pattern, text) for text in present.slice(0, _FEW).to_pylist()):
        return False
    return len(present) <= _FEW or bool(pc.all(pc.match_substring_regex(present, f"^({pattern})$")).as_py())


def _to_numbers(texts: pa.Array) -> pa.Array | None:
    """The texts as doubles; None if one of them is too large for a double."""
    numbers = _doubles(pc.utf8_ltrim(texts, characters="+"))
    infinite = texts.filter(pc.is_inf(numbers))
    return numbers if not len(infinite) or pc.all(pc.match_substring_regex(infinite, "[iI]")).as_py() else None


def _to_moments(texts: pa.Array) -> pa.Array | None:
    """The texts as local timestamps; None if one of them is no date, such as 31 February."""

    def convert() -> pa.Array:
        local = pc.replace_substring_regex(texts, rf"(:[0-9]{{2}}(\.[0-9]+)?)({_ZONE})$", r"\1")
        return pc.replace_substring_regex(local, r"(\.[0-9]{6})[0-9]+$", r"\1").cast(pa.timestamp("us"))

    moments, _ = quietly(convert)
    return moments if moments is not None and _in_years(moments) else None


def _too_long(texts: pa.Array, values: pa.Array) -> bool:
    """Whether digits exceed the precision of a double, or only infinities occur, which then are words."""
    if not pa.types.is_floating(values.type):
        return False
    large = pc.fill_null(pc.greater_equal(pc.abs(values), float(LARGEST)), False)
    if not pc.any(large).as_py():
        return False
    digits = pc.any(pc.match_substring_regex(texts.filter(large), "^[+-]?[0-9]+$")).as_py()
    return bool(digits) or not pc.any(pc.is_finite(values)).as_py()


def _unreadable(name: str, texts: pa.Array, kind: Kind) -> DataError:
    present = texts.drop_null().to_pylist()
    pattern, convert = (ANY_NUMBER, _to_numbers) if kind == "number" else (_DATE, _to_moments)
    bad = sum(not re.fullmatch(pattern, text) or convert(pa.array([text])) is None for text in present)
    return DataError(
        f"Column {shown(name)} was declared a {kind}, but {bad} of its {len(present)} distinct values cannot be read"
        f" as one. Declare their marks as missing, or leave the column a category."
    )


_PLAIN = (("number", NUMBER, _to_numbers), ("date", _DATE, _to_moments))
