# SPDX-License-Identifier: Apache-2.0
"""Automatic generalisation hierarchies, built from a column's kind and the form of its values.

dates        day, month, quarter, year
numbers      intervals with round borders, merged level by level; if one interval would hold most of the rows, intervals
             of about equal counts instead
post codes   shorter and shorter prefixes: 01067, 0106*, 010**, 01***, 0****
categories   alphabetical neighbours, merged so that siblings hold about equally many rows

Borders and groups that depend on counts are learnt from the private table and are visible in a release.
"""

from __future__ import annotations

import heapq
import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from discreet.data.column import SUPPRESSED, Column
from discreet.errors import DataError, shown
from discreet.prepare.hierarchy import Hierarchy
from discreet.prepare.intervals import interval_label, is_whole, roundest

_MOST_LEAVES = 200  # distinct numbers above which the leaves are intervals
_BASE = 64  # number of these intervals, at most
_POST_CODE_NAME = re.compile(r"zip|plz|postal|post[ _-]?code|postleitzahl|^pc$", re.IGNORECASE)
_POST_CODE_LENGTH = range(4, 13)
_SHOWN = 3  # values named in the label of a group
_VALUES = "the values themselves"
_LONGEST = 24  # characters of a value in the label of a group


def automatic(column: Column, *, counts: np.ndarray | None = None, fanout: int = 3) -> Hierarchy:
    """An automatic hierarchy for a column; its `how` states which of the four forms was chosen.

    `counts` are the rows of each of the column's values, by default those of the column itself; about `fanout`
    neighbours are merged from each level to the next.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> h = automatic(encode("zip", pa.array(["01067", "01069", "10115"])))
    >>> h.how, h.paths[0]
    ('prefixes of the code', ('01067', '0106*', '010**', '01***', '0****', '*'))
    >>> automatic(encode("age", pa.array(range(18, 90)))).paths[13]
    ('31', '[30, 35)', '[30, 40)', '[20, 40)', '*')
    """
    if not len(column.values):
        raise DataError(f"Column {shown(column.name)} has no values to build a hierarchy from. Leave it out.")
    if isinstance(fanout, bool) or not isinstance(fanout, (int, np.integer)) or fanout < 2:
        raise DataError(f"The fan-out of a hierarchy must be a whole number from 2 on. Got {fanout!r} instead.")
    counts = _checked_counts(column, counts)
    if is_post_code(column):
        return _prefixes(column)
    if column.kind == "date":
        return _calendar(column)
    if column.kind == "number":
        return _intervals(column, counts, int(fanout))
    return _groups(column, counts, int(fanout))


def _checked_counts(column: Column, counts: np.ndarray | None) -> np.ndarray:
    n = len(column.values)
    if counts is None:
        return np.bincount(column.codes, minlength=n + 1)[:n]
    counts = np.asarray(counts)
    if counts.shape != (n,) or (counts < 0).any():
        raise DataError(f"Column {shown(column.name)} has {n} different values; each needs a count of 0 or more.")
    return counts


def _hierarchy(
    column: Column, levels: Sequence[Sequence[str]], how: str, cuts: tuple[float, ...] | None = None
) -> Hierarchy:
    """A hierarchy from the labels of all leaves, level by level, without the root."""
    paths = list(zip(*levels, [SUPPRESSED] * len(levels[0]), strict=True))
    return Hierarchy(column.name, tuple(levels[0]), tuple(paths), how, cuts)


# -- dates ---------------------------------------------------------------------------------------------------------


def _calendar(column: Column) -> Hierarchy:
    stamps = column.values.to_pylist()
    days = [] if is_whole(column) else [[s.date().isoformat() for s in stamps]]
    months = [f"{s.year:04}-{s.month:02}" for s in stamps]
    quarters = [f"{s.year:04}-Q{(s.month + 2) // 3}" for s in stamps]
    years = [f"{s.year:04}" for s in stamps]
    return _hierarchy(column, [column.texts, *days, months, quarters, years], "day, month, quarter, year")


# -- post codes ----------------------------------------------------------------------------------------------------


def called_post_code(name: str) -> bool:
    """Whether the name of a column suggests post codes."""
    return bool(_POST_CODE_NAME.search(name))


def is_post_code(column: Column) -> bool:
    """Whether all texts have one length and a digit; numbers only if the column's name suggests post codes."""
    has_name = called_post_code(column.name)
    if column.kind == "date" or (column.kind == "number" and not has_name):
        return False
    texts = column.texts
    if column.kind == "number" and not all(text.isdigit() for text in texts):
        return False
    if not all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 -]*", text) for text in texts):
        return False
    lengths = {len(text) for text in texts}
    return max(lengths) in _POST_CODE_LENGTH and (
        (has_name and min(lengths) >= 3)
        or (len(lengths) == 1 and all(any(c.isdigit() for c in text) for text in texts))
    )


def _prefixes(column: Column) -> Hierarchy:
    longest = max(map(len, column.texts))
    # A number has lost its leading zeros; a shorter text is a truncated code.
    codes = [text.zfill(longest) if column.kind == "number" else text for text in column.texts]
    shorter = [[code[:n].ljust(longest, SUPPRESSED) for code in codes] for n in range(longest - 1, 0, -1)]
    return _hierarchy(column, [column.texts, *shorter], "prefixes of the code")


# -- numbers -------------------------------------------------------------------------------------------------------


def _intervals(column: Column, counts: np.ndarray, fanout: int) -> Hierarchy:
    numbers = np.unique(column.numbers)
    if len(numbers) <= fanout or len(numbers) < len(column.values):
        return _hierarchy(column, [column.texts], _VALUES)
    many = len(numbers) > _MOST_LEAVES
    most = _BASE if many else max(2, len(numbers) // fanout)
    ladder, how = _round_steps(numbers, most, fanout, whole=is_whole(column)), "intervals with round borders"
    if not ladder or _crowded(numbers, counts, ladder[0]):
        ladder, how = _equal_counts(column, counts, most, fanout), "intervals of about equal counts"
    if many:
        base = ladder[0]
        return _hierarchy(column, [_interval_labels(cuts, [-np.inf, *base]) for cuts in ladder], how, tuple(base))
    return _hierarchy(column, [column.texts, *(_interval_labels(cuts, numbers) for cuts in ladder)], how)


def _interval_labels(cuts: Sequence[float], numbers: Sequence[float] | np.ndarray) -> list[str]:
    labels = [interval_label(low, high, "number") for low, high in pairwise((None, *cuts, None))]
    return [labels[place] for place in np.searchsorted(np.asarray(cuts), numbers, side="right")]


def _round_steps(numbers: np.ndarray, most: int, fanout: int, *, whole: bool) -> list[list[float]]:
    """Cuts at multiples of 1, 2 or 5 times a power of ten: fewer than `most` on the first level, and on each further
    level a subset of those of the level below, down to none."""
    low, high = float(numbers[0]), float(numbers[-1])
    if not np.isfinite([low, high, high - low]).all():
        return []
    exponent = 0 if whole else math.floor(math.log10((high - low) / most)) - 1
    steps = ((mantissa, e) for e in itertools.count(exponent) for mantissa in (1, 2, 5))
    step = next(step for step in steps if len(_multiple_numbers(low, high, step)) < most)
    ladder: list[list[float]] = []
    while multiples := _multiple_numbers(low, high, step):
        if ladder and len(multiples) == len(ladder[-1]):  # a single cut that remains, such as 0
            break
        mantissa, e = step
        ladder.append([k * mantissa * 10**e if e >= 0 else k * mantissa / 10**-e for k in multiples])
        step = _coarser(step, fanout)
    return [[float(cut) for cut in cuts] for cuts in ladder]


def _multiple_numbers(low: float, high: float, step: tuple[int, int]) -> range:
    """The k for which k times the step lies in (low, high]."""
    size = step[0] * Fraction(10) ** step[1]
    return range(math.floor(Fraction(repr(low)) / size) + 1, math.floor(Fraction(repr(high)) / size) + 1)


def _coarser(step: tuple[int, int], fanout: int) -> tuple[int, int]:
    """The next coarser step, a multiple of this one: the largest up to `fanout` times as long, or the smallest."""
    mantissa, exponent = step
    steps = {m * 10**e: (m, exponent + e) for e in range(len(str(fanout)) + 2) for m in (1, 2, 5)}
    factors = sorted(size // mantissa for size in steps if size > mantissa and size % mantissa == 0)
    factor = max((f for f in factors if f <= fanout), default=factors[0])
    return steps[mantissa * factor]


def _crowded(numbers: np.ndarray, counts: np.ndarray, cuts: Sequence[float]) -> bool:
    """Whether one interval holds most of the rows, not just through a single value, and should be cut further."""
    place = np.searchsorted(np.asarray(cuts), numbers, side="right")
    rows = np.bincount(place, weights=counts)
    heaviest = np.zeros(len(rows))
    np.maximum.at(heaviest, place, counts)
    return bool((rows - heaviest).max() > counts.sum() / 2)


def _equal_counts(column: Column, counts: np.ndarray, most: int, fanout: int) -> list[list[float]]:
    """Cuts into at most `most` intervals with about equally many rows; then neighbours are merged.

    A border may move by a quarter of an interval's rows to become rounder.
    """
    numbers, upto = column.numbers, np.cumsum(counts)
    cuts: dict[int, float] = {}
    for j in range(1, most):
        low, high = np.searchsorted(upto, upto[-1] * np.array([j - 0.25, j + 0.25]) / most)
        if low == high:
            low, high = (low, low + 1) if low + 1 < len(numbers) else (low - 1, low)
        cut = roundest(numbers[low], numbers[high])
        cuts.setdefault(int(np.searchsorted(numbers, cut)), cut)  # no interval without a value
    places = sorted(cuts)
    rows = np.add.reduceat(counts, [0, *places])
    return [[cuts[places[i - 1]] for i in starts if i] for starts in [range(len(rows)), *merged_levels(rows, fanout)]]


# -- categories ----------------------------------------------------------------------------------------------------


def _groups(column: Column, counts: np.ndarray, fanout: int) -> Hierarchy:
    texts = column.texts
    run_of: dict[str, tuple[int, int]] = {text: (leaf, leaf + 1) for leaf, text in enumerate(texts)}
    levels = [texts]
    for starts in merged_levels(counts, fanout):
        labels: list[str] = []
        for start, stop in pairwise((*starts, len(texts))):
            labels += [_group_label(texts, start, stop, run_of)] * (stop - start)
        levels.append(labels)
    how = "neighbouring values in groups of about equal counts"
    return _hierarchy(column, levels, how if len(levels) > 1 else _VALUES)


def merged_levels(counts: np.ndarray, fanout: int) -> list[list[int]]:
    """Starts of the groups on each level: repeatedly merge the two neighbours that together hold the fewest rows, the
    lowest of equal pairs first; a level ends whenever 1/fanout of its groups are left."""
    size = [int(count) for count in counts]
    following, preceding = list(range(1, len(size) + 1)), list(range(-1, len(size) - 1))
    alive, n_left, levels = [True] * len(size), len(size), []
    pairs = [(size[i] + size[i + 1], i, i + 1) for i in range(len(size) - 1)]
    heapq.heapify(pairs)
    while n_left > fanout:
        keep = -(-n_left // fanout)
        while n_left > keep:
            rows, i, j = heapq.heappop(pairs)
            if not (alive[i] and alive[j]) or following[i] != j or rows != size[i] + size[j]:
                continue  # outdated: one of them has been merged
            size[i], alive[j], following[i], n_left = rows, False, following[j], n_left - 1
            if following[i] < len(size):
                preceding[following[i]] = i
                heapq.heappush(pairs, (rows + size[following[i]], i, following[i]))
            if preceding[i] >= 0:
                heapq.heappush(pairs, (size[preceding[i]] + rows, preceding[i], i))
        levels.append([i for i in range(len(size)) if alive[i]])
    return levels


def _group_label(texts: list[str], start: int, stop: int, run_of: dict[str, tuple[int, int]]) -> str:
    """The label "{a, b, c}", or "{a, b, +7}" for many values; numbered if another group has the same."""
    if stop - start == 1:
        return texts[start]
    few = stop - start <= _SHOWN
    shown = [_short(text) for text in texts[start : stop if few else start + _SHOWN - 1]]
    label = f"{{{', '.join(shown if few else [*shown, f'+{stop - start - len(shown)}'])}}}"
    candidates = itertools.chain([label], (f"{label} #{number}" for number in itertools.count(2)))
    return next(name for name in candidates if run_of.setdefault(name, (start, stop)) == (start, stop))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
