# SPDX-License-Identifier: Apache-2.0
"""Search by E(S): at each step the subset and its neighbours are the candidates, and the best one is kept.

Jafer, Matwin and Sokolova name it as future work: compare the ranks of the changed subset with those of the one before
and keep the one with the higher E(S). By ranks a step depends on the other neighbours; by values it does not, because
the scales are fixed: performance from the commonest class to always right, breach increase from that of the baseline
to that of the bare guess, size from all attributes to one.

A subset that does not keep up, that predicts the class worse than all the attributes do, is not released, and a score
that weighs size may prefer one attribute to any two. So attributes are added, whatever the score says, until the subset
keeps up, and none is removed with which it would not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from discreet.choose import choice as choosing
from discreet.choose.criteria import Criterion
from discreet.choose.e_score import By, EScore, evaluate, evaluation
from discreet.choose.study_file import BASELINE
from discreet.methods.breach.breach_aware_rankings import MeasuredSubset, SubsetMeasure

Subset = tuple[str, ...]
Allows = Callable[[MeasuredSubset], bool]


@dataclass(frozen=True)
class SubsetScore:
    """How candidates are compared: three weights, of performance, privacy and size; by rank or by value."""

    weights: tuple[float, float, float]
    by: By = "rank"
    guess: float = 0.0  # the share of the commonest class
    dist_pbi: float = -1.0  # the breach increase of the bare guess
    largest: int = 2  # attributes in all

    def of(self, candidates: Sequence[MeasuredSubset]) -> EScore:
        performance = [candidate.performance for candidate in candidates]
        pbi, size = [candidate.pbi for candidate in candidates], [candidate.size for candidate in candidates]
        if self.by == "rank":
            return evaluation(performance, pbi, size, self.weights)
        values: dict[str, Sequence[float]] = {"performance": performance, "pbi": pbi, "size": size}
        criteria = [
            Criterion(name, values[name], meaning.higher_is_better, weight, scale=meaning.scale)
            for (name, meaning), weight in zip(self.meanings.items(), self.weights, strict=True)
        ]
        return evaluate(criteria, by="value", tie_breaker=criteria[2])

    @property
    def meanings(self) -> dict[str, choosing.Measure]:
        """What is compared, with its scale from worst to best."""
        pbi, size = (0.0, min(self.dist_pbi, -0.01)), (max(self.largest, 2), 1)
        return {
            "performance": choosing.Measure(title="Performance", unit="share", scale=(min(self.guess, 0.99), 1.0)),
            "pbi": choosing.Measure(title="Privacy breach increase", higher_is_better=False, scale=pbi),
            "size": choosing.Measure(title="Attributes", higher_is_better=False, scale=size),
        }

    def choice(self, candidates: Sequence[MeasuredSubset]) -> choosing.Choice:
        """The candidates as `discreet.choose` has them, by the names of their attributes; the first is the baseline."""
        meanings = self.meanings
        named = []
        for place, candidate in enumerate(candidates):
            figures = {"performance": candidate.performance, "pbi": candidate.pbi, "size": candidate.size}
            called = " + ".join(candidate.attributes) if place else BASELINE
            named.append(choosing.Candidate(called, figures, meanings=meanings))
        return choosing.choose(named, dict(zip(meanings, self.weights, strict=True)), self.by)

    def best(self, candidates: Sequence[MeasuredSubset]) -> MeasuredSubset:
        return candidates[self.of(candidates).best]


def forward(measure: SubsetMeasure, score: SubsetScore, allows: Allows) -> list[MeasuredSubset]:
    """From nothing: add the attribute that gives the best subset, until none is better than what is there, and that
    keeps up."""
    path: list[MeasuredSubset] = []
    while (better := _step(measure, score, allows, path, _larger(measure, path))) is not None:
        path.append(better)
    return path


def backward(measure: SubsetMeasure, score: SubsetScore, allows: Allows) -> list[MeasuredSubset]:
    """From all the attributes: remove the one whose loss gives the best subset that keeps up, until none is better."""
    path, fits = [measure.baseline], _keeping_up(allows)
    while (better := _step(measure, score, fits, path, _smaller(measure, path))) is not None:
        path.append(better)
    return path


def floating(measure: SubsetMeasure, score: SubsetScore, allows: Allows) -> list[MeasuredSubset]:
    """Forward, and once the subset keeps up, after each addition remove attributes as long as that is better and the
    rest keeps up. No subset is visited twice.

    Pudil, Novovicova and Kittler, Floating search methods in feature selection, Pattern Recognition Letters 15, 1994;
    here a removal has to beat the subset at hand, not the best one of its size.
    """
    path, fits = list[MeasuredSubset](), _keeping_up(allows)
    while (better := _step(measure, score, allows, path, _larger(measure, path))) is not None:
        path.append(better)
        while path[-1].keeps_up and (better := _step(measure, score, fits, path, _smaller(measure, path))) is not None:
            path.append(better)
    return path


SEARCHES = {"forward": forward, "backward": backward, "floating": floating}


def _keeping_up(allows: Allows) -> Allows:
    return lambda candidate: candidate.keeps_up and allows(candidate)


def _larger(measure: SubsetMeasure, path: Sequence[MeasuredSubset]) -> list[Subset]:
    now = set(path[-1].attributes) if path else set()
    return [
        tuple(other for other in measure.attributes if other in now or other == name)
        for name in measure.attributes
        if name not in now
    ]


def _smaller(measure: SubsetMeasure, path: Sequence[MeasuredSubset]) -> list[Subset]:
    now = path[-1].attributes
    return [tuple(other for other in now if other != name) for name in now] if len(now) > 1 else []


def _step(
    measure: SubsetMeasure,
    score: SubsetScore,
    allows: Allows,
    path: Sequence[MeasuredSubset],
    neighbours: Iterable[Subset],
) -> MeasuredSubset | None:
    """The neighbour to move to; None if there is none, or the subset at hand keeps up and is the best of all."""
    visited = {candidate.attributes for candidate in path}
    fresh = [subset for subset in neighbours if subset not in visited]
    measure.learn(fresh)
    allowed = [candidate for candidate in map(measure.of, fresh) if allows(candidate)]
    if not allowed:
        return None
    stay = [candidate for candidate in path[-1:] if candidate.keeps_up]
    best = score.best([*stay, *allowed])
    return None if stay and best is stay[0] else best
