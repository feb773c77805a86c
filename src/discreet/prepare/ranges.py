# SPDX-License-Identifier: Apache-2.0
"""Ranges of numbers as people write them in hierarchies: 37, 20-24, [20, 25), < 20, 65+."""

from __future__ import annotations

import re
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


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
