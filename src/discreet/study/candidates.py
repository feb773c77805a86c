# SPDX-License-Identifier: Apache-2.0
"""The results of a study as comparable candidates, whatever kind of method they come from.

utility    the mean score of the recipe's classifiers under its first protocol
privacy    of 100 persons, how many are not picked by an attacker who knows their quasi-identifiers, or some items:
           100 less the success of the strongest of these attacks in percent; a release without rows of persons has 100;
           of a differentially private one, not made yet, what its epsilon guarantees. Sketches are attacked with their
           key by anyone who knows some items; where that was not tried they have none
inference  success of the strongest guess at a sensitive value, where one was tried
size       columns that a recipient gets, without the target

What attacks find is comparable across families, as k and epsilon are not. The original table is the baseline. Where a
choice goes by values, utility counts from what guessing is worth (0) to what the original is worth (1); from the worst
release to the best, where the original is worth no more than guessing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.attacks.finding import NAMES_A_PERSON
from discreet.choose import Candidate, Choice, Measure, choose
from discreet.choose.e_score import By
from discreet.choose.study_file import BASELINE
from discreet.study.recipe import Recipe

_TITLES = {"accuracy": "Accuracy", "balanced_accuracy": "Balanced accuracy", "auc": "AUC", "brier": "Brier score"}


def candidates_of(
    results: Mapping[str, dict[str, Any]], recipe: Recipe, original: dict[str, Any]
) -> tuple[Candidate, ...]:
    """A candidate for each result, and the original table as the baseline where there is a result to compare with."""
    scored = [(name, candidates) for name, candidates in results.items() if candidates["refused"] is None]
    if not scored:
        return ()
    worth = _mean(scored[0][1]["evaluations"][0]["before"], recipe)
    base = {"utility": worth, "privacy": 100 * (1 - original["risk"]), "size": original["columns"]}
    meanings = meanings_of(recipe, (original["guess"], worth), original["columns"])
    candidates = [Candidate(BASELINE, _without_missing(base), "", {}, meanings)]
    for name, result in scored:
        measures = _without_missing(_measures(result, recipe, original))
        candidates.append(Candidate(name, measures, result["method"], result["parameters"], meanings))
    return tuple(candidates)


def guess(labels: np.ndarray, measure: str) -> float:
    """The score of a classifier that knows the shares of the classes and nothing about a row.

    >>> guess(np.array([0, 0, 0, 1]), "accuracy"), guess(np.array([0, 0, 0, 1]), "brier")
    (0.75, 0.1875)
    """
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    guesses = {"accuracy": shares.max(), "balanced_accuracy": 1 / len(shares), "auc": 0.5}
    return float(guesses.get(measure, (1 - (shares**2).sum()) / 2))


def meanings_of(recipe: Recipe, worth: tuple[float, float] | None = None, columns: int = 0) -> dict[str, Measure]:
    """What the measures mean; `worth` is of guessing and of the original, which has so many columns."""
    measure = recipe.evaluation.measure
    higher = measure != "brier"
    has_scale = worth is not None and (worth[0] < worth[1] if higher else worth[0] > worth[1])
    return {
        "utility": Measure(
            title=_TITLES[measure], unit="share", higher_is_better=higher, scale=worth if has_scale else None
        ),
        "privacy": Measure(title="Persons not found", unit="of 100", scale=(0.0, 100.0)),
        "size": Measure(
            title="Size", unit="columns", higher_is_better=False, scale=(columns, 0.0) if columns else None
        ),
        "inference": Measure(title="Sensitive value guessed", unit="share", higher_is_better=False, scale=(1.0, 0.0)),
    }


def chosen(candidates: tuple[Candidate, ...], recipe: Recipe, by: By) -> Choice | None:
    """The choice by the recipe's weights among the releases that have all weighed measures; the original is none."""
    weighed: dict[str, float] = {name: weight for name, weight in recipe.weights.items() if weight > 0}
    complete = [
        candidate
        for candidate in candidates
        if candidate.name != BASELINE and weighed.keys() <= candidate.measures.keys()
    ]
    return choose(complete, weighed, by) if complete else None


def unfound(result: dict[str, Any]) -> dict[str, Any] | None:
    """Of 100 persons, how many are not found, with an interval; by which attack, and on how many targets.

    Figures counted on all rows, or implied by the promise, have no interval.
    """
    tried = [
        finding for finding in result["attacks"] if finding.get("kind") in NAMES_A_PERSON and not finding.get("beyond")
    ]
    facts = result["facts"]
    if tried:
        strongest = max(tried, key=lambda finding: finding["success"]["value"])
        value, low, high = (100 * (1 - strongest["success"][end]) for end in ("value", "high", "low"))
        if low == high:  # everybody was tried
            low = high = None
        n, by, units = strongest["targets"], strongest["attack"], strongest["units"]
        return {"value": value, "low": low, "high": high, "by": by, "n": n, "units": units}
    if facts is None:
        chance, by, n, units = result["picked_at_most"], "what is promised", None, ""
    elif facts["shape"] in ("table", "baskets"):  # no such attack was tried
        chance, by, n, units = facts["risk_after"]["average"], "mean chance in a group", facts["rows"], "rows"
    elif facts["shape"] == "sketches":
        return None
    else:
        chance, by, n, units = 0.0, "no row of a person is published", None, ""
    return {"value": 100 * (1 - chance), "low": None, "high": None, "by": by, "n": n, "units": units}


def _measures(result: dict[str, Any], recipe: Recipe, original: dict[str, Any]) -> dict[str, float]:
    measures = {"utility": _mean(result["evaluations"][0]["after"], recipe)}
    guessed = [f["success"]["value"] for f in result["attacks"] if f.get("kind") == "guess" and not f.get("beyond")]
    facts = result["facts"]
    if (privacy := unfound(result)) is not None:
        measures["privacy"] = privacy["value"]
    if guessed:
        measures["inference"] = max(guessed)
    if facts is None:  # not made: as many columns as it would name
        measures["size"] = result["parameters"].get("n_features") or original["columns"]
    else:
        measures["size"] = sum(column["role"] != "target" for column in facts["certificate"]["columns"])
    return measures


def _mean(scores: dict[str, dict[str, Any]], recipe: Recipe) -> float:
    values = [cell[recipe.evaluation.measure]["value"] for cell in scores.values()]
    return math.nan if None in values or not values else sum(values) / len(values)


def _without_missing(measures: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in measures.items() if math.isfinite(value)}
