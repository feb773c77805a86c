# SPDX-License-Identifier: Apache-2.0
"""What cells look like: addresses, numbers, dates and ages that HIPAA's safe harbour does not let through.

Each function is given the distinct values of a column and tells which of them match; nothing here quotes one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from discreet.data.column import Column
from discreet.data.identifiers import contains
from discreet.prepare.intervals import read_interval

# three-digit areas of at most 20,000 people, census of 2000: HHS, "Guidance regarding methods for de-identification"
SMALL_AREAS = frozenset(
    "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split()  # noqa: SIM905 (one line to compare)
)
_KINDS = {"D": "phone", "F": "email", "G": "ssn", "J": "account", "L": "vehicle", "N": "web", "O": "ip"}
_DATE = re.compile(
    r"(?<!\d)(\d{4}[-/]\d{1,2}([-/]\d{1,2})?|\d{1,2}[./]\d{1,2}[./](\d{4}|\d{2})|\d{1,2}-\d{1,2}-\d{4})(?![\d-])"
)
_PERIOD = re.compile(
    r"\b((19|20)\d\d-?W\d\d?|(19|20)\d\d[- /]?Q[1-4]|Q[1-4][- /]?(19|20)\d\d"
    r"|(jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])[a-z]*\.?,? ?(\d{1,2},? )?((19|20)\d\d))\b",
    re.IGNORECASE,
)
_AND_UP = re.compile(r"(\d+)(?:\.0+)? ?(\+|(and|or|&) (over|older|more|up|above))|(?:≥|>=) ?(\d+)")
_BEYOND = re.compile(r"(?:>|over|above|older than|more than) ?(\d+)")
_YEAR = 365.0  # days
_LONGEST = 5000  # characters of a cell that are searched


def looks_like(texts: Sequence[str]) -> dict[str, np.ndarray]:
    """For each identifier that can be told by its form, which of the texts contain one."""
    found = contains(texts)
    return {identifier: found[kind] for identifier, kind in _KINDS.items() if kind in found}


def zip_codes(texts: Sequence[str], kind: str, areas: frozenset[str] | None) -> tuple[np.ndarray, np.ndarray]:
    """Which zip codes show more than three digits, and which are of a small area.

    A number has lost its leading zeros: it is taken to have five digits, or three where it has no more.

    >>> [part.tolist() for part in zip_codes(["100**", "03601", "036", "{10001, 10002}"], "category", None)]
    [[False, True, False, True], [False, True, True, False]]
    """
    small = SMALL_AREAS if areas is None else areas
    whole = np.array([_is_of_areas(text) for text in texts], dtype=bool)
    runs = [re.findall(r"\d+", _padded(text) if kind == "number" else text) for text in texts]
    finer = np.array([any(len(run) > 3 for run in of_text) for of_text in runs], dtype=bool) & ~whole
    inside = np.array([any(run[:3] in small for run in of_text if len(run) >= 3) for of_text in runs], dtype=bool)
    return finer, inside & ~whole


def _is_of_areas(text: str) -> bool:
    """Whether a label is an interval of several whole areas of three digits: [10000, 20000), not [03600, 03700)."""
    interval = read_interval(text, "number")
    if interval is None:
        return False
    low, high = interval
    return all(end % 100 == 0 for end in interval if np.isfinite(end)) and high - low > 100


def _padded(text: str) -> str:
    return text.zfill(5 if len(text) > 3 else 3) if text.isdigit() else text


def ages_over_89(column: Column) -> np.ndarray:
    """Which ages are over 89 and more precise than one group of 90 and older."""
    if column.kind == "number":
        return column.numbers > 89
    return np.array([_tells_over_89(text) for text in column.texts], dtype=bool)


def _tells_over_89(text: str) -> bool:
    """Whether a label of ages tells one over 89, more than that it is: "92", "[85, 95)", "85-94", ">= 95", "{85, 91}".

    What has no end and begins at 90 or before tells nothing more: ">= 85", "90+", "over 89".
    """
    interval = read_interval(text, "number")
    if interval is not None:
        return 90 < interval[1] < np.inf or (interval[1] == np.inf and interval[0] > 90)
    if open_ended := _AND_UP.search(text) or _BEYOND.search(text):
        begins = int(next(one for one in reversed(open_ended.groups()) if one and one.isdigit()))
        return begins > (90 if open_ended.re is _AND_UP else 89)
    return any(89 < float(one) < 130 for one in re.findall(r"\d+(?:\.\d+)?", text[:_LONGEST]))


def old_birth_years(column: Column, year: int) -> np.ndarray:
    """Which years or dates of birth are of persons over 89 in this year."""
    if column.kind == "date":
        years = 1970 + column.numbers / 365.2425
    elif column.kind == "number":
        years = column.numbers
    else:
        years = np.array([float(text) if re.fullmatch(r"\d{4}", text) else np.nan for text in column.texts])
    return (years > 1800) & (years < year - 89)


def finer_dates(column: Column, *, by_name: bool = False) -> np.ndarray:
    """Which values are dates that tell more than a year; a column of first days of years tells years.

    `by_name`: the name of the column says that they are dates, so that 20240131 is one.
    """
    if column.kind == "number":
        numbers = column.numbers
        month, day = numbers // 100 % 100, numbers % 100
        is_date = (numbers >= 18000101) & (numbers < 21000101) & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
        return is_date & by_name
    if column.kind == "date":
        days = column.values.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
        is_year = days == days.astype("datetime64[Y]")
        return np.full(len(days), not is_year.all())
    return np.array([_is_finer(text) for text in column.texts], dtype=bool)


def _is_finer(text: str) -> bool:
    interval = read_interval(text, "date")
    if interval is not None:
        return interval[1] - interval[0] < _YEAR
    return any(form.search(text[:_LONGEST]) is not None for form in (_DATE, _PERIOD))
