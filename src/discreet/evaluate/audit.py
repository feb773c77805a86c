# SPDX-License-Identifier: Apache-2.0
"""A lower bound on the epsilon of a mechanism, from running it on two neighbouring inputs.

One half of the runs chooses an event, the other half counts it: so the bound is not led astray by having looked for a
striking event. The counts give exact confidence bounds (Clopper and Pearson) of the event's probability on either
input, and their quotient bounds e^epsilon from below. A bound above the claim proves a defect, up to the stated
probability of a false alarm; a bound below the claim proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import beta

from discreet.errors import ParameterError
from discreet.foundation.randomness import Randomness, RandomState
from discreet.mechanisms import Geometric, Mechanism
from discreet.mechanisms.selection import Selection

_EVENTS = 200  # outcomes, and thresholds, that are tried for each view of the outcome
_RIVALS = 10  # candidates of a selection that the first ones are compared with


@dataclass(frozen=True)
class Audit:
    """The result of an audit: epsilon is at least `epsilon`, except with probability `false_alarm`."""

    epsilon: float
    event: str
    runs: int
    false_alarm: float

    def refutes(self, claimed: float) -> bool:
        """Whether the bound lies above the claim."""
        return self.epsilon > claimed


def audit(
    sample: Callable[[Any, int], Any],
    one: Any,
    other: Any,
    *,
    runs: int = 20_000,
    false_alarm: float = 1e-6,
    delta: float = 0.0,
) -> Audit:
    """Audit a mechanism on two neighbouring inputs.

    `sample(input, runs)` gives that many independent outcomes: numbers, or rows of numbers. Events are single
    outcomes and tails, of each column of the outcomes too.

    >>> coin = lambda bit, runs: np.full(runs, bit)  # tells its input: no epsilon is large enough
    >>> audit(coin, 0, 1, runs=2000).epsilon > 3
    True
    """
    if runs < 100 or not 0 < false_alarm < 1:
        raise ParameterError("An audit needs at least 100 runs, and a false-alarm probability between 0 and 1.")
    outcomes = [_rows(sample(data, runs)) for data in (one, other)]
    half = runs // 2
    first, second = ([rows[part] for rows in outcomes] for part in (slice(half), slice(half, runs)))
    level = false_alarm / 4  # two directions, and in each a bound from below and one from above
    events = list(_events(first))
    best = Audit(0.0, "none", runs, false_alarm)
    for forward in (True, False):
        chosen = events[int(np.argmax(_bounds(first, events, forward, level, delta)))]
        (bound,) = _bounds(second, [chosen], forward, level, delta)
        if bound > best.epsilon:
            best = Audit(float(bound), _words(chosen, forward), runs, false_alarm)
    return best


def audit_mechanism(
    mechanism: Mechanism, *, runs: int = 20_000, false_alarm: float = 1e-6, random_state: RandomState = None
) -> Audit:
    """Audit a mechanism of ours on the neighbours that tell most: what `run` draws, or with a seed what it simulates.

    >>> found = audit_mechanism(Geometric(sensitivity=1, epsilon=1.0), runs=4000, random_state=1)
    >>> 0.5 < found.epsilon <= 1, found.refutes(0.4)
    (True, True)
    """
    randomness = Randomness(random_state)

    def sample(values: list[Any], runs: int) -> np.ndarray:
        if isinstance(mechanism, Geometric):  # each number has noise of its own: many runs in one
            return mechanism.apply(np.repeat(values, runs), randomness)
        return np.array([mechanism.apply(values, randomness) for _ in range(runs)])

    one, other = worst_neighbours(mechanism)
    return audit(sample, one, other, runs=runs, false_alarm=false_alarm, delta=mechanism.loss.delta)


def worst_neighbours(mechanism: Mechanism) -> tuple[list[Any], list[Any]]:
    """Two inputs as far apart as the sensitivity allows, where the outcomes differ most.

    A number, or the first of a vector, changes by the whole sensitivity. Of a selection's scores as many as it picks
    fall by it, and ten rivals rise by it. Whole numbers change by whole numbers.

    >>> worst_neighbours(Geometric(sensitivity=2, epsilon=1.0))
    ([0], [2])
    """
    step = mechanism.sensitivity
    if isinstance(mechanism, Selection):
        step, picks = int(step), mechanism.picks
        return [step] * picks + [0] * _RIVALS, [0] * picks + [step] * _RIVALS
    if isinstance(mechanism, Geometric):
        return [0], [int(step)]
    rest = [0.0] * (getattr(mechanism, "dimension", 1) - 1)
    return [0.0, *rest], [float(step), *rest]


@dataclass(frozen=True)
class _Event:
    column: int | None  # None: the whole row
    relation: str  # "is", "at least", "at most"
    value: Any

    def holds(self, rows: np.ndarray) -> np.ndarray:
        if self.column is None:
            return (rows == self.value).all(axis=1)
        column = rows[:, self.column]
        if self.relation == "is":
            return column == self.value
        return column >= self.value if self.relation == "at least" else column <= self.value


def _rows(outcomes: Any) -> np.ndarray:
    rows = np.asarray(outcomes)
    return rows.reshape(len(rows), -1)


def _events(samples: list[np.ndarray]) -> Iterator[_Event]:
    """The commonest outcomes, as whole rows and column by column, and tails at quantiles of both samples."""
    both = np.concatenate(samples)
    if both.shape[1] > 1:
        yield from (_Event(None, "is", row) for row in _commonest(both))
    for column in range(both.shape[1]):
        values = both[:, column]
        yield from (_Event(column, "is", value) for value in _commonest(values))
        for cut in np.unique(np.quantile(values, np.linspace(0, 1, _EVENTS), method="nearest")):
            yield _Event(column, "at least", cut)
            yield _Event(column, "at most", cut)


def _commonest(values: np.ndarray) -> np.ndarray:
    distinct, counts = np.unique(values, axis=0, return_counts=True)
    return distinct[np.argsort(-counts, kind="stable")[:_EVENTS]]


def _bounds(samples: list[np.ndarray], events: list[_Event], forward: bool, level: float, delta: float) -> np.ndarray:
    """For each event, ln of (probability on one, at least, less delta) over (probability on the other, at most)."""
    one, other = samples if forward else samples[::-1]
    low = at_least(np.array([event.holds(one).sum() for event in events]), len(one), level) - delta
    high = at_most(np.array([event.holds(other).sum() for event in events]), len(other), level)
    return np.log(np.maximum(low, np.finfo(float).tiny) / high)


def at_least(hits: np.ndarray, runs: int, level: float) -> np.ndarray:
    """Bounds that the probabilities lie below with odds `level` only (Clopper and Pearson)."""
    return np.where(hits == 0, 0.0, beta.ppf(level, np.maximum(hits, 1), runs - hits + 1))


def at_most(hits: np.ndarray, runs: int, level: float) -> np.ndarray:
    """Bounds that the probabilities lie above with odds `level` only."""
    return np.where(hits == runs, 1.0, beta.ppf(1 - level, hits + 1, np.maximum(runs - hits, 1)))


def _words(event: _Event, forward: bool) -> str:
    what = "the outcome" if event.column is None else f"number {event.column + 1} of the outcome"
    return f"{what} is {event.relation.removeprefix('is')} {event.value}".replace("  ", " ") + (
        "" if forward else " (likelier on the other input)"
    )
