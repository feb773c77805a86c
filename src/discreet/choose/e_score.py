# SPDX-License-Identifier: Apache-2.0
"""E(S): a score of candidates by several criteria at once.

Y. Jafer, S. Matwin, M. Sokolova, "A Multi-dimensional Privacy-aware Evaluation Function in Automatic Feature
Selection": E(S) = w1 prf + w2 prv + w3 num, where prf, prv and num are the ranks of a subset S among the candidates by
performance (the higher the better), privacy breach increase and number of attributes (the lower the better).

Departures from the paper:
1. Any number of further criteria; the paper says that this is possible.
2. Besides ranks, a score by values, with levels from 0 to 1 in place of ranks. Ranks depend on irrelevant candidates:
   one more bad candidate may change which of two good ones is ahead. Levels on a fixed scale do not; on the scale that
   the candidates themselves span, only its ends matter.
3. Weights need to sum to 1 only within 0.01: the paper's own weights, 0.333 three times, sum to 0.999.
4. Ties go to the smallest candidate, as in the paper, then to the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Literal, get_args

from discreet.choose.criteria import Criterion, Number, check_weights, exact, repeated
from discreet.choose.pareto import knee_of, pareto_front
from discreet.errors import DataError, ParameterError, did_you_mean, listing

By = Literal["rank", "value"]


@dataclass(frozen=True)
class EScore:
    """Candidates scored by criteria; candidates are numbered from 0."""

    criteria: tuple[Criterion, ...]
    by: By = "rank"
    tie_breaker: Criterion | None = None  # decides among equal scores

    def __len__(self) -> int:
        return len(self.criteria[0])

    @property
    def ranks(self) -> dict[str, tuple[int, ...]]:
        return {criterion.name: criterion.ranks for criterion in self.criteria}

    @cached_property
    def exact_scores(self) -> tuple[Fraction, ...]:
        """The exact scores, as fractions."""
        return _weighted(self.criteria, self.by)

    @cached_property
    def scores(self) -> tuple[float, ...]:
        """E(S) of each candidate, or its score by values."""
        return tuple(map(float, self.exact_scores))

    @cached_property
    def scores_by_rank(self) -> tuple[float, ...]:
        return tuple(map(float, _weighted(self.criteria, "rank")))

    @cached_property
    def scores_by_value(self) -> tuple[float, ...]:
        return tuple(map(float, _weighted(self.criteria, "value")))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All candidates, the best first."""
        ties = self.tie_breaker.ranks if self.tie_breaker is not None else (0,) * len(self)
        return tuple(sorted(range(len(self)), key=lambda place: (-self.exact_scores[place], -ties[place], place)))

    @property
    def best(self) -> int:
        return self.order[0]

    @property
    def second(self) -> int | None:
        """The second best, if there are two."""
        return self.order[1] if len(self) > 1 else None

    @property
    def weighed(self) -> tuple[Criterion, ...]:
        """The criteria with a weight."""
        return tuple(criterion for criterion in self.criteria if criterion.weight)

    @cached_property
    def front(self) -> tuple[int, ...]:
        """Candidates that no other dominates by the weighted criteria; see pareto.py."""
        return pareto_front(self.weighed)

    @cached_property
    def knee(self) -> int | None:
        """The candidate at which the front bends most; the best-ranked of equals."""
        return knee_of(self.weighed, [place for place in self.order if place in self.front])


def evaluation(
    perf: Sequence[Number],
    pbi: Sequence[Number],
    size: Sequence[Number],
    weights: Sequence[Number] = (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)),
    *,
    further: Sequence[Criterion] = (),
    by: By = "rank",
) -> EScore:
    """E(S) of candidate subsets with these performances, breach increases and sizes; `weights` in this order.

    `further` criteria bring their own weights; all weights together sum to 1.

    >>> found = evaluation([73.835, 74.486, 73.043], [0, 0.882, -1.072], [8, 2, 1], (0.5, 0.25, 0.25))
    >>> found.ranks
    {'performance': (2, 3, 1), 'pbi': (2, 1, 3), 'size': (1, 2, 3)}
    >>> found.scores, found.best, found.second
    ((1.75, 2.25, 2.0), 1, 2)
    """
    weights = tuple(weights)
    if len(weights) != 3:
        raise ParameterError(
            f"'weights' are three: of performance, breach increase and size. Got {len(weights)}; further criteria"
            " carry their own weight."
        )
    smallest = Criterion("size", size, higher_is_better=False, weight=weights[2])
    criteria = (
        Criterion("performance", perf, weight=weights[0]),
        Criterion("pbi", pbi, higher_is_better=False, weight=weights[1]),
        smallest,
        *further,
    )
    return evaluate(criteria, by=by, tie_breaker=smallest)


def evaluate(criteria: Sequence[Criterion], *, by: By = "rank", tie_breaker: Criterion | None = None) -> EScore:
    """Score candidates by any criteria, whose weights must sum to 1."""
    if by not in get_args(By):
        raise ParameterError(f"'by' is 'rank' or 'value'; got {by!r}.{did_you_mean(by, get_args(By))}")
    if not criteria:
        raise ParameterError("At least one criterion is needed.")
    if twice := repeated([criterion.name for criterion in criteria]):
        raise ParameterError(f"These criteria are named twice: {listing(twice)}.")
    judged = [*criteria, *([tie_breaker] if tie_breaker is not None else [])]
    if len({len(criterion) for criterion in judged}) > 1:
        counts = ", ".join(dict.fromkeys(f"{criterion.name}: {len(criterion)}" for criterion in judged))
        raise DataError(f"Every criterion needs one value for each candidate. They have {counts}.")
    if not len(criteria[0]):
        raise DataError("There is no candidate to choose from.")
    check_weights(criteria)
    return EScore(tuple(criteria), by, tie_breaker)


def _weighted(criteria: Sequence[Criterion], by: By) -> tuple[Fraction, ...]:
    weights = [exact(criterion.weight) for criterion in criteria]
    whole = lcm(*(weight.denominator for weight in weights))
    parts = [int(weight * whole) for weight in weights]
    places = (criterion.ranks if by == "rank" else criterion.levels for criterion in criteria)
    sums = [
        sum(part * place for part, place in zip(parts, of_one, strict=True)) for of_one in zip(*places, strict=True)
    ]
    return tuple(Fraction(total) / whole for total in sums)
