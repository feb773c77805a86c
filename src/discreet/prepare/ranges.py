# SPDX-License-Identifier: Apache-2.0
"""Ranges of numbers as people write them in hierarchies: 37, 20-24, [20, 25), < 20, 65+."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.prepare.intervals import read_interval

_RANGE = re.compile(r"(?P<low>-?[\d.]+)\s*(?:-|\u2013|to|\.\.)\s*(?P<high>-?[\d.]+)")
_ABOVE = re.compile(r"(?P<low>-?[\d.]+)\s*\+|(?:>=|\u2265)\s*(?P<from>-?[\d.]+)")
_BELOW = re.compile(r"<\s*(?P<high>-?[\d.]+)")


@dataclass(frozen=True)
class Range:
    """The numbers that a label denotes, from `low` to `high`; `high` itself only if it is closed."""

    low: float
    high: float
    closed: bool = True

    @property
    def is_number(self) -> bool:
        return self.low == self.high

    def holds(self, numbers: np.ndarray) -> np.ndarray:
        return (self.low <= numbers) & ((numbers <= self.high) if self.closed else (numbers < self.high))


def read_range(text: str) -> Range | None:
    """A number, or a range of numbers as people write it; None for all else.

    >>> read_range("20-24"), read_range("65+")
    (Range(low=20.0, high=24.0, closed=True), Range(low=65.0, high=inf, closed=False))
    >>> read_range("37.0").is_number, read_range("[20, 25)").closed, read_range("unknown")
    (True, False, None)
    """
    number = _number(text)
    if number is not None:
        return Range(number, number) if np.isfinite(number) else None
    half_open = read_interval(text, "number")
    if half_open is not None:
        return Range(*half_open, closed=False)
    low: float | None = -np.inf
    high: float | None = np.inf
    closed = False
    if match := _RANGE.fullmatch(text):
        low, high, closed = _number(match["low"]), _number(match["high"]), True
    elif match := _ABOVE.fullmatch(text):
        low = _number(match["low"] or match["from"])
    elif match := _BELOW.fullmatch(text):
        high = _number(match["high"])
    else:
        return None
    return Range(low, high, closed) if low is not None and high is not None and low < high else None


def stretch(values: Sequence[str], chosen: Sequence[int]) -> tuple[float, float] | None:
    """The interval [low, high) of the chosen values, if all values are numbers or ranges and these are neighbours.

    It ends where the next value begins, and is open where there is none.

    >>> stretch(["20", "21", "22", "23"], [1, 2]), stretch(["20", "21", "22"], [0, 2]), stretch(["20", "x"], [0])
    ((21.0, 23.0), None, None)
    """
    ranges = [read_range(text) for text in values]
    begins = sorted(found.low for found in ranges if found is not None)
    if len(begins) < len(values) or len(set(begins)) < len(begins):
        return None
    places = sorted(begins.index(found.low) for place in chosen if (found := ranges[place]) is not None)
    if places[-1] - places[0] + 1 != len(places):
        return None
    low = begins[places[0]] if places[0] else -np.inf
    return low, begins[places[-1] + 1] if places[-1] + 1 < len(begins) else np.inf


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
