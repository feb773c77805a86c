# SPDX-License-Identifier: Apache-2.0
"""Which candidates are never recommended, whatever the weights.

One that is hardly better than guessing: the lower end of the 95 % interval of its gain over guessing, `above_guessing`,
is not above 0. One that is worse than another candidate by utility, privacy and detail. If none is left, nothing is
recommended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from discreet.choose.criteria import Number, exact
from discreet.choose.weights import THREE

ABOVE_GUESSING = "above_guessing"


class _Candidate(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def measures(self) -> Mapping[str, Number]: ...


def passed_over(candidates: Sequence[_Candidate], higher_is_better: Mapping[str, bool]) -> dict[str, str]:
    """Why some candidates are not recommended, by name; `higher_is_better` of the three measures."""
    signs = {name: 1 if higher_is_better.get(name, True) else -1 for name in THREE}
    places = {
        one.name: tuple(signs[name] * exact(one.measures[name]) for name in THREE)
        for one in candidates
        if all(name in one.measures for name in THREE)
    }
    reasons = {}
    for one in candidates:
        if one.measures.get(ABOVE_GUESSING, 1) <= 0:
            reasons[one.name] = "hardly better than guessing: the difference is within noise"
        elif (other := _better_by_all(one.name, places)) is not None:
            reasons[one.name] = f"worse than {other} by utility, privacy and detail"
    return reasons


def _better_by_all(name: str, places: Mapping[str, tuple[Fraction, ...]]) -> str | None:
    mine = places.get(name)
    if mine is None:
        return None
    return next((other for other, its in places.items() if all(a > b for a, b in zip(its, mine, strict=True))), None)
