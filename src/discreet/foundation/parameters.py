# SPDX-License-Identifier: Apache-2.0
"""Ranges of parameters, declared beside the parameters, and one error for a value outside its range.

The names and messages follow scikit-learn, whose own checker is private and loads all of scikit-learn.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

from discreet.errors import Outside, ParameterError, did_you_mean


@dataclass(frozen=True)
class Interval:
    """Numbers of one kind between two ends; None stands for infinity.

    >>> Interval(Integral, 2, None, closed="left").allows(2), Interval(Real, 0, 1, closed="neither").allows(1)
    (True, False)
    """

    kind: Any  # Integral or Real
    left: float | None
    right: float | None
    closed: Literal["left", "right", "both", "neither"]

    def allows(self, value: Any) -> bool:
        if not isinstance(value, self.kind) or isinstance(value, bool) or math.isnan(value):
            return False
        low, high = self._ends()
        above = value >= low if self.closed in ("left", "both") else value > low
        below = value <= high if self.closed in ("right", "both") else value < high
        return bool(above and below)

    def _ends(self) -> tuple[float, float]:
        return (-math.inf if self.left is None else self.left), (math.inf if self.right is None else self.right)

    def __str__(self) -> str:
        low, high = self._ends()
        opening = "[" if self.closed in ("left", "both") else "("
        closing = "]" if self.closed in ("right", "both") else ")"
        kind = "an int" if self.kind is Integral else "a float"
        return f"{kind} in the range {opening}{low}, {high}{closing}"

    @property
    def in_words(self) -> str:
        """As people say it.

        >>> print(Interval(Integral, 2, None, closed="left").in_words, Interval(Real, 0, 1, closed="right").in_words)
        a whole number of at least 2 a number above 0 and at most 1
        """
        kind = "a whole number" if self.kind is Integral else "a number"
        low = (
            "" if self.left is None else f"{'of at least' if self.closed in ('left', 'both') else 'above'} {self.left}"
        )
        high = (
            "" if self.right is None else f"{'at most' if self.closed in ('right', 'both') else 'below'} {self.right}"
        )
        return " ".join([kind, *([f"{low} and {high}"] if low and high else [low or high or "that is finite"])])


@dataclass(frozen=True)
class StrOptions:
    """One of several words."""

    options: set[str]

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.options

    def __str__(self) -> str:
        return f"a str among {{{', '.join(map(repr, sorted(self.options)))}}}"

    @property
    def in_words(self) -> str:
        *most, last = sorted(self.options)
        return f"{', '.join(most)} or {last}" if most else last


@dataclass(frozen=True)
class Allowed:
    """The ranges of one parameter.

    >>> allowed = Allowed((Interval(Integral, 2, None, closed="left"), None))
    >>> print(allowed.in_python, "|", allowed.in_words)
    an int in the range [2, inf) or None | a whole number of at least 2, or left out
    """

    ranges: tuple[Any, ...]

    @property
    def in_python(self) -> str:
        *most, last = [_words(allowed) for allowed in self.ranges]
        return f"{', '.join(most)} or {last}" if most else last

    @property
    def in_words(self) -> str:
        """Without what only Python can pass."""
        named = list(dict.fromkeys(filter(None, map(_plain_words, self.ranges))))
        text = " or ".join(named) or "left out"
        return f"{text}, or left out" if named and None in self.ranges else text


@dataclass(frozen=True)
class _Generators:
    """NumPy's generators, which scikit-learn takes as a `random_state`."""

    def allows(self, value: Any) -> bool:
        if "numpy" not in sys.modules:
            return False
        from discreet.foundation.randomness import is_source

        return is_source(value)

    def __str__(self) -> str:
        return "a NumPy generator"


_GENERATOR = _Generators()


def check_parameters(obj: object, constraints: dict[str, list[Any]]) -> None:
    """Raise ParameterError unless every parameter of the object is in one of its ranges.

    A range is an Interval, StrOptions, a type, None, or `callable`.
    """
    for name, ranges in constraints.items():
        value = getattr(obj, name)
        ranges = [*ranges, _GENERATOR] if name == "random_state" else ranges
        if not any(allows(allowed, value) for allowed in ranges):
            words = {word for allowed in ranges if isinstance(allowed, StrOptions) for word in allowed.options}
            near = did_you_mean(value, sorted(words)) if isinstance(value, str) else ""
            raise ParameterError(Outside(name, type(obj).__name__, Allowed(tuple(ranges)), value), near)


def allows(allowed: Any, value: Any) -> bool:
    if allowed is None:
        return value is None
    if allowed is callable:
        return callable(value)
    if isinstance(allowed, type):
        is_truth = isinstance(value, bool) and allowed is not bool
        return isinstance(value, allowed) and not (is_truth and issubclass(allowed, (Integral, Real)))
    return allowed.allows(value)


def _words(allowed: Any) -> str:
    if allowed is None:
        return "None"
    if allowed is callable:
        return "a callable"
    if isinstance(allowed, type):
        return "an int" if allowed is Integral else f"an instance of {allowed.__name__!r}"
    return str(allowed)


_PLAIN = {
    bool: "true or false",
    str: "a text",
    dict: "a JSON object",
    Mapping: "a JSON object",
    list: "a list",
    tuple: "a list",
    Integral: "a whole number",
    Real: "a number",
    int: "a whole number",
    float: "a number",
}


def _plain_words(allowed: Any) -> str:
    """A range in words, empty if only Python can pass it."""
    if isinstance(allowed, type):
        return _PLAIN.get(allowed, "")
    return getattr(allowed, "in_words", "")
