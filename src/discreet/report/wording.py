# SPDX-License-Identifier: Apache-2.0
"""Numbers formatted for people, the same in every report."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

_LETTERS = ("k", "m", "l", "t", "epsilon", "delta", "alpha")  # parameters that promises mention


def count(value: float) -> str:
    """A count with thousands separators.

    >>> count(45222)
    '45,222'
    """
    return f"{int(value):,}"


def plural(value: float, thing: str, things: str = "") -> str:
    """A count with its noun.

    >>> plural(1, "row"), plural(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count(value)} {thing if value == 1 else things or thing + 's'}"


def number(value: float, digits: int = 3) -> str:
    """A measured number, without decimals if it is whole.

    >>> number(5.0), number(0.12345), number(74.359, 5)
    ('5', '0.123', '74.359')
    """
    return count(value) if float(value).is_integer() else f"{value:.{digits}g}"


def precise(value: float) -> str:
    """A measured number with five digits, to compare with others."""
    return number(value, 5)


def width(text: str) -> int:
    """The columns that a text takes on a terminal: signs of East Asia take two.

    >>> width("age"), width("年齢")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def percent(share: float) -> str:
    """A share with one decimal, the same everywhere; 0 % and 100 % only if exact.

    >>> [percent(share) for share in (0, 0.0001, 0.004, 0.123, 0.8, 0.9996, 1)]
    ['0 %', '< 0.1 %', '0.4 %', '12.3 %', '80.0 %', '> 99.9 %', '100 %']
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if 0 < share < 0.001:
        return "< 0.1 %"
    return "> 99.9 %" if 0.999 < share < 1 else f"{100 * share:.1f} %"


def score(value: float | None, measure: str = "accuracy") -> str:
    """A score of a classifier: a share in per cent; the Brier score, which is no share, as a number.

    >>> score(0.8), score(0.1234, "brier"), score(None)
    ('80.0 %', '0.123', 'none')
    """
    if value is None:
        return "none"
    return f"{value:.3f}" if measure == "brier" else f"{100 * value:.1f} %"


def score_interval(low: float | None, high: float | None, measure: str = "accuracy") -> str:
    """The ends of an interval of scores; nothing if it has none.

    >>> score_interval(0.77, 0.823), score_interval(0.1, 0.2, "brier"), score_interval(None, None)
    ('77.0 to 82.3 %', '0.100 to 0.200', '')
    """
    if low is None or high is None:
        return ""
    if measure == "brier":
        return f"{low:.3f} to {high:.3f}"
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def score_difference(value: float | None, measure: str = "accuracy") -> str:
    """A difference of two scores with its sign: in percentage points, or of Brier scores.

    >>> score_difference(-0.012), score_difference(0.012, "brier")
    ('−1.2', '+0.012')
    """
    if value is None:
        return "none"
    return f"{value:+.3f}".replace("-", "−") if measure == "brier" else points(value)


approximately = percent  # its name where shares were once written in a shorter form


def points(difference: float) -> str:
    """A difference of two shares in percentage points, with its sign.

    >>> points(-0.0287), points(0.012)
    ('−2.9', '+1.2')
    """
    return f"{100 * difference:+.1f}".replace("-", "−")


def interval(share: Mapping[str, float]) -> str:
    """A 95 % interval of a share.

    >>> interval({"value": 0.8, "low": 0.776, "high": 0.817})
    '77.6 to 81.7 %'
    >>> interval({"value": 0, "low": 0, "high": 0.000104})
    '0 to 0.01 %'
    """
    if share["high"] < 0.001:
        return f"{100 * share['low']:.2g} to {100 * share['high']:.2g} %"
    return f"{100 * share['low']:.1f} to {100 * share['high']:.1f} %"


def unsure(difference: Mapping[str, float]) -> bool:
    """Whether the interval of a difference contains zero, so that no difference is shown."""
    return difference["low"] <= 0 <= difference["high"]


def brief(value: object) -> object:
    """A parameter of a method in short form; long collections are counted.

    >>> brief(5), brief([1, 2]), brief({"age": {"values": list(range(40))}, "sex": {"values": ["f", "m"]}})
    (5, [1, 2], '(2 given)')
    """
    return f"({len(value)} given)" if isinstance(value, dict | list | tuple) and len(str(value)) > 60 else value


def here(promise: Mapping[str, Any]) -> str:
    """The values of the letters in the words of a promise, to append to them.

    >>> here({"name": "k-anonymity", "k": 10})
    ' Here k is 10.'
    >>> here({"name": "both", "promises": [{"name": "k-anonymity", "k": 5}, {"name": "l-diversity", "l": 2}]})
    ' Here k is 5, l is 2.'
    """
    parts = promise.get("promises", [promise])
    values = [f"{name} is {number(part[name])}" for part in parts for name in _LETTERS if _is_number(part.get(name))]
    return f" Here {', '.join(values)}." if values else ""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def short(name: str, most: int = 18) -> str:
    """A name cut to fit beside a bar.

    >>> short("number_of_procedures", 12)
    'number_of_p…'
    """
    return name if len(name) <= most else name[: most - 1] + "…"
