# SPDX-License-Identifier: Apache-2.0
"""Candidates with measures, and the choice among them. A candidate is a subset of attributes, or a whole release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from discreet.choose.criteria import Criterion, Number, exact, repeated
from discreet.choose.e_score import By, EScore, evaluate
from discreet.choose.recommendable import ABOVE_GUESSING, passed_over
from discreet.choose.weights import THREE, WEIGHTS
from discreet.errors import DataError, ParameterError, did_you_mean, listing, shown

UTILITY_ERROR = "utility_error"


class Measure(BaseModel):
    """The meaning of a measure: its title in plots, its unit, and which direction is better.

    `scale` is (worst, best): the values that count as 0 and 1 in a score by values.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    unit: str = ""
    higher_is_better: bool = True
    scale: tuple[float, float] | None = None


def _lower(title: str, unit: str = "") -> Measure:
    return Measure(title=title, unit=unit, higher_is_better=False)


MEASURES: dict[str, Measure] = {  # measures known by name; others need a meaning
    "utility": Measure(title="Utility"),
    "performance": Measure(title="Performance"),
    "accuracy": Measure(title="Accuracy"),
    "privacy": Measure(title="Privacy"),
    "detail": Measure(title="Detail", unit="share", scale=(0.0, 1.0)),
    "raw": Measure(title="Accuracy without recoding", unit="share"),
    UTILITY_ERROR: Measure(title="Standard error of the utility", unit="share", higher_is_better=False),
    ABOVE_GUESSING: Measure(title="Gain over guessing, at least", unit="share"),
    "size": _lower("Size"),
    "pbi": _lower("Privacy breach increase"),
    "risk": _lower("Average risk"),
    "information_loss": _lower("Information loss"),
    "certainty_penalty": _lower("Certainty penalty"),
}


@dataclass(frozen=True)
class Candidate:
    """A candidate with its measures; `meanings` explain them, see `Measure`."""

    name: str
    measures: Mapping[str, Number]
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    meanings: Mapping[str, Measure] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """The candidates, with their evaluation; `passed_over` says why some are not recommended (recommendable.py)."""

    candidates: tuple[Candidate, ...]
    evaluation: EScore
    meanings: Mapping[str, Measure]
    passed_over: Mapping[str, str] = field(default_factory=dict)

    @property
    def best(self) -> Candidate | None:
        """The best of those that can be recommended, if there is one."""
        return next(iter(self.recommendable), None)

    @property
    def second(self) -> Candidate | None:
        """The second best of those that can be recommended, if there are two."""
        return next(iter(self.recommendable[1:]), None)

    @property
    def recommendable(self) -> tuple[Candidate, ...]:
        """The candidates that can be recommended, the best first."""
        return tuple(candidate for candidate in self.ranking if candidate.name not in self.passed_over)

    @property
    def ranking(self) -> tuple[Candidate, ...]:
        """All candidates, the best first."""
        return tuple(self.candidates[place] for place in self.evaluation.order)

    @property
    def scores(self) -> dict[str, float]:
        """E(S), or the score by values, by name; the best first."""
        return {self.candidates[place].name: self.evaluation.scores[place] for place in self.evaluation.order}

    @property
    def front(self) -> tuple[Candidate, ...]:
        """The candidates that no other dominates, in the order of the ranking."""
        members = set(self.evaluation.front)
        return tuple(self.candidates[place] for place in self.evaluation.order if place in members)

    @property
    def knee(self) -> Candidate | None:
        return None if self.evaluation.knee is None else self.candidates[self.evaluation.knee]

    def __repr__(self) -> str:
        best = "none" if self.best is None else f"{self.best.name!r}"
        second = "" if self.second is None else f", second={self.second.name!r}"
        return f"Choice(best={best}{second}, {len(self.candidates)} candidates by {self.evaluation.by})"


def choose(
    candidates: Sequence[Candidate],
    weights: Mapping[str, Number] = WEIGHTS,
    by: By = "rank",
    *,
    measures: Mapping[str, Measure] | None = None,
) -> Choice:
    """The best of the candidates by the weighted measures. Equal scores: the one of more `detail`, else of smaller
    `size`, then the first. Never one that is worse than another by utility, privacy and detail, or hardly better than
    guessing: so there may be none.

    By value, utilities within noise of the best are equal: a utility counts as one standard error better, the
    `utility_error` of the most useful candidate, but not better than that candidate (Breiman, Friedman, Olshen and
    Stone 1984, the rule of one standard error).

    `measures` are the meanings of measures, taking precedence over those of the candidates and of MEASURES. A measure
    of weight 0 is ignored; if some candidates lack it, it is not shown either.

    >>> few = Candidate("few columns", {"utility": 0.81, "privacy": 20, "size": 3})
    >>> many = Candidate("many columns", {"utility": 0.84, "privacy": 5, "size": 9})
    >>> choose([few, many], {"utility": 0.5, "privacy": 0.25, "size": 0.25})
    Choice(best='few columns', second='many columns', 2 candidates by rank)
    """
    if not candidates:
        raise DataError("There is no candidate to choose from.")
    names = [candidate.name for candidate in candidates]
    if twice := repeated(names):
        raise DataError(f"Several candidates have the same name: {listing(twice)}.")
    if weights and not any(weights.values()):
        raise ParameterError("The weights must sum to 1, and all of them are 0. Give one of them a weight.")
    used = [
        name for name, weight in weights.items() if weight or _count_having(name, candidates) in (0, len(candidates))
    ]
    meanings = {name: _meaning(name, candidates, measures or {}) for name in used}
    criteria = [
        Criterion(
            name,
            [candidate.measures[name] for candidate in candidates],
            meaning.higher_is_better,
            weights[name],
            scale=meaning.scale,
            noise=_noise(name, candidates, meaning),
        )
        for name, meaning in meanings.items()
    ]
    ways = {name: _higher(name, candidates, measures or {}) for name in THREE}
    judged = evaluate(criteria, by=by, tie_breaker=_tie_breaker(candidates))
    return Choice(tuple(candidates), judged, meanings, passed_over(candidates, ways))


def _higher(name: str, candidates: Sequence[Candidate], meanings_by_user: Mapping[str, Measure]) -> bool:
    """Whether more of a measure is better: as the user, the candidates, or else its name says."""
    stated = (candidate.meanings[name] for candidate in candidates if name in candidate.meanings)
    return (meanings_by_user.get(name) or next(stated, MEASURES[name])).higher_is_better


def _noise(name: str, candidates: Sequence[Candidate], meaning: Measure) -> Number:
    """How far behind the most useful candidate chance may put another: its standard error, 0 if it is not known."""
    if name != "utility":
        return 0
    sign = 1 if meaning.higher_is_better else -1
    most_useful = max(candidates, key=lambda one: sign * exact(one.measures[name]))
    return most_useful.measures.get(UTILITY_ERROR, 0)


def _count_having(name: str, candidates: Sequence[Candidate]) -> int:
    """Number of candidates that have a measure."""
    return sum(name in candidate.measures for candidate in candidates)


def _meaning(name: str, candidates: Sequence[Candidate], meanings_by_user: Mapping[str, Measure]) -> Measure:
    """The meaning of a measure; DataError unless all candidates have it, with the same meaning."""
    without = [candidate.name for candidate in candidates if name not in candidate.measures]
    if without:
        if len(without) < len(candidates):
            raise DataError(
                f"{len(without)} of {len(candidates)} candidates have no measure {shown(name)}: {listing(without)}."
                f" Leave them out, or take another measure."
            )
        available = dict.fromkeys(available for candidate in candidates for available in candidate.measures)
        has = f" They have {listing(available, most=12)}." if available else " They have no measures at all."
        raise DataError(f"No candidate has a measure {shown(name)}.{did_you_mean(name, available)}{has}")
    if name in meanings_by_user:
        return meanings_by_user[name]
    meanings = {candidate.meanings[name]: candidate.name for candidate in candidates if name in candidate.meanings}
    if len(meanings) > 1:  # different scales: use none of them
        meanings = {meaning.model_copy(update={"scale": None}): who for meaning, who in meanings.items()}
    if len(meanings) > 1:
        differing = " and ".join(f"{shown(m.title or name)} for {shown(who)}" for m, who in list(meanings.items())[:2])
        shared = [other for other in candidates[0].measures if other != name and _is_shared(other, candidates)]
        hint = f" All of them have {listing(shared, most=12)}." if shared else ""
        raise DataError(
            f"The measure {shown(name)} is {differing}: they cannot be compared. Measure the same of every candidate."
            f"{hint}"
        )
    if meanings:
        return next(iter(meanings))
    if name in MEASURES:
        return MEASURES[name]
    raise ParameterError(f"State whether more or less of {shown(name)} is better: its name does not tell.")


def _is_shared(name: str, candidates: Sequence[Candidate]) -> bool:
    """Whether all candidates have a measure, with the same meaning."""
    meanings = {(meaning.title, meaning.higher_is_better) for c in candidates if (meaning := c.meanings.get(name))}
    return _count_having(name, candidates) == len(candidates) and len(meanings) < 2


def _tie_breaker(candidates: Sequence[Candidate]) -> Criterion | None:
    for name in ("detail", "size"):
        if all(name in candidate.measures for candidate in candidates):
            return Criterion(name, [candidate.measures[name] for candidate in candidates], name == "detail")
    return None
