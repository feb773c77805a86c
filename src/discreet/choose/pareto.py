# SPDX-License-Identifier: Apache-2.0
"""The Pareto front: candidates that no other dominates, and its knee, where it bends most.

A candidate dominates another if it is as good by every criterion and better by one. The knee is the candidate of the
front with the largest sum of levels, each criterion scaled so that the front reaches from 0 to 1; criteria by which all
of the front are equal do not count. With two criteria that is the candidate farthest beyond the straight line between
the two ends. A front that does not bulge beyond that line has no knee.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from discreet.choose.criteria import Criterion


def pareto_front(criteria: Sequence[Criterion]) -> tuple[int, ...]:
    """Numbers of the candidates that no other dominates, in order; equal candidates are all included.

    >>> accuracy = Criterion("accuracy", [0.9, 0.8, 0.7, 0.7])
    >>> columns = Criterion("columns", [5, 3, 3, 1], higher_is_better=False)
    >>> pareto_front([accuracy, columns])
    (0, 1, 3)
    """
    if not criteria:
        return ()
    places = list(zip(*(criterion.ranks for criterion in criteria), strict=True))
    front: list[int] = []
    for candidate in sorted(
        range(len(places)), key=places.__getitem__, reverse=True
    ):  # dominating candidates come first
        if not any(_dominates(places[other], places[candidate]) for other in front):
            front.append(candidate)
    return tuple(sorted(front))


def _dominates(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return one != other and all(mine >= theirs for mine, theirs in zip(one, other, strict=True))


def knee_of(criteria: Sequence[Criterion], front: Sequence[int] | None = None) -> int | None:
    """The candidate at which the front bends most, None if it does not bend outwards; ties go to the first.

    >>> accuracy = Criterion("accuracy", [0.70, 0.88, 0.90])
    >>> columns = Criterion("columns", [1, 2, 9], higher_is_better=False)
    >>> knee_of([accuracy, columns])
    1
    """
    front = pareto_front(criteria) if front is None else front
    if not front:
        return None
    of_front = [[criterion.goodness[candidate] for candidate in front] for criterion in criteria]
    stretched = [Criterion("", values).levels for values in of_front if len(set(values)) > 1]
    if not stretched:  # all equal
        return front[0]
    sums = [sum(levels, Fraction(0)) for levels in zip(*stretched, strict=True)]
    return front[sums.index(max(sums))] if max(sums) > 1 else None
