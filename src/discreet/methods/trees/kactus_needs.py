# SPDX-License-Identifier: Apache-2.0
"""What the rows that kACTUS-2 publishes at one node need beyond persons: diversity, closeness, persons with each label.

Each need looks at how many persons of a stock have each value of a column. Everything but the entropy is compared in
whole numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from discreet.data.roles import Roles
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.l_diversity import LDiversity
from discreet.privacy.promise import Both, Promise
from discreet.privacy.t_closeness import TCloseness

Counts = Mapping[int, int]  # persons with each value


@dataclass(frozen=True)
class StockNeed:
    """Whether the values of a column, by how many persons have them, are enough among so many persons."""

    column: str
    met: Callable[[Counts, int], bool]


def stock_needs(promise: Promise, roles: Roles, whole: Callable[[str], Counter[int]]) -> tuple[list[StockNeed], bool]:
    """What a promise asks beyond k persons; and whether it compares with all rows, so that none may be left out.

    `whole` gives for a column how many persons have each value.
    """
    needs, compares = [], False
    for part in promise.promises if isinstance(promise, Both) else (promise,):
        if isinstance(part, KAnonymity) and part.label_known:
            needs.append(StockNeed(str(roles.target), _each(part.k)))
        elif isinstance(part, LDiversity):
            needs += [StockNeed(name, _diverse(part)) for name in roles.sensitive]
        elif isinstance(part, TCloseness):
            needs += [StockNeed(name, _close(part, whole(name))) for name in roles.sensitive]
            compares = True
    return needs, compares


def _each(k: int) -> Callable[[Counts, int], bool]:
    return lambda counts, persons: min(counts.values()) >= k


def _diverse(promise: LDiversity) -> Callable[[Counts, int], bool]:
    ratio = None if promise.c is None else Fraction(str(promise.c))

    def met(counts: Counts, persons: int) -> bool:
        if persons < promise.l or max(counts.values()) == persons:  # a group has no more values than persons, and
            return False  # only one if all have it
        if promise.measure == "distinct":
            return len(counts) >= promise.l
        if ratio is not None:
            ordered = sorted(counts.values(), reverse=True)
            return ordered[0] * ratio.denominator < ratio.numerator * sum(ordered[int(promise.l) - 1 :])
        total = sum(counts.values())
        bits = math.log2(total) - sum(n * math.log2(n) for n in counts.values()) / total
        return 2**bits >= promise.l - 0.9e-9  # the check allows 1e-9

    return met


def _close(promise: TCloseness, whole: Counter[int]) -> Callable[[Counts, int], bool]:
    limit, everyone, values = Fraction(str(promise.t)), sum(whole.values()), sorted(whole)

    def met(counts: Counts, persons: int) -> bool:
        total = sum(counts.values())
        apart = [counts.get(value, 0) * everyone - whole[value] * total for value in values]
        if promise.distance == "equal":
            far, scale = sum(map(abs, apart)), 2 * everyone * total
        else:
            far, scale = sum(map(abs, accumulate(apart))), everyone * total * max(len(values) - 1, 1)
        return far * limit.denominator <= scale * limit.numerator

    return met
