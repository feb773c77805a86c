# SPDX-License-Identifier: Apache-2.0
"""Problem (1) for few columns: all maximal feasible sets, with a proof where the utility allows one."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain, combinations

from discreet.foundation.progress import progress
from discreet.methods.containment.optimal_best import Best
from discreet.methods.containment.optimal_bound import ceiling
from discreet.methods.containment.optimal_measures import guides
from discreet.methods.containment.optimal_search import Maximal

_SETS = 500  # maximal sets that are evaluated
_SUBSETS = 2000  # subsets that are all evaluated, when there are no more
SCREEN = "weight x hamdist"  # the guide whose sum over a set follows its AUC best


def exactly(best: Best) -> None:
    """Solve Problem (1) over the AC-maximal sets; it is not solved if they are too many, or the time is over."""
    maximal = Maximal(best.baskets, best.k, best.items)
    bounded = best.worth.monotone and (best.limit is None or best.worth.modular)
    value = _bound_by(best, maximal) if bounded else int.bit_count
    with progress("Searching the maximal sets") as bar:
        while maximal.open and not (bounded and maximal.feasible):
            best.late()
            if maximal.exhausted or best.stopped:
                best.bound = value(max(maximal.open, key=value)) if bounded else ceiling(best)
                return
            maximal.step(value)
            bar.advance()
    sets = [maximal.columns(c) for c in maximal.feasible]
    if bounded:
        best.consider(sets[0])
        best.bound, best.proven = best.value, True
    else:
        _evaluate(best, sets)


def _bound_by(best: Best, maximal: Maximal) -> Callable[[int], float]:
    """The value of a candidate, feasible or not: an upper bound for its subsets (Theorems 1 and 2)."""
    bounds: dict[int, float] = {}

    def value(candidate: int) -> float:
        if candidate not in bounds:
            bounds[candidate] = best.worth.value(best.trimmed(maximal.columns(candidate)))
        return bounds[candidate]

    return value


def _evaluate(best: Best, sets: list[list[int]]) -> None:
    """Without a bound: try the maximal sets, and all their subsets if these are few."""
    best.bound = ceiling(best)
    subsets = _subsets(best, sets)
    if subsets is not None:
        with progress("Evaluating sets of features", len(subsets)) as bar:
            for subset in subsets:
                if best.late():
                    return
                best.consider(subset)
                bar.advance()
        best.bound, best.proven = best.value, True
        return
    weights = guides(best.baskets)[SCREEN]
    with progress("Evaluating sets of features", min(len(sets), _SETS)) as bar:
        for features in sorted(sets, key=lambda s: (-weights[s].sum(), s))[:_SETS]:
            if best.late():
                return
            best.consider(features)
            bar.advance()
    while not best.late() and any(best.consider([f for f in best.features if f != out]) for out in [*best.features]):
        pass  # drop features while that helps


def _subsets(best: Best, sets: list[list[int]]) -> list[tuple[int, ...]] | None:
    """All subsets that may be best, for a monotone utility the largest; None if there are too many."""
    subsets: set[tuple[int, ...]] = set()
    for features in sets:
        most = len(features) if best.limit is None else min(best.limit, len(features))
        sizes = range(most if best.worth.monotone else 1, most + 1)
        if max(math.comb(len(features), size) for size in sizes) > _SUBSETS:
            return None
        subsets.update(chain.from_iterable(combinations(features, size) for size in sizes))
        if len(subsets) > _SUBSETS:
            return None
    return sorted(subsets, key=lambda s: (len(s), s))  # ties go to the smallest
