# SPDX-License-Identifier: Apache-2.0
"""The results of a study as comparable candidates, whatever kind of method they come from.

utility    the score of the best of the recipe's classifiers under its first protocol, for the original as well
privacy    of 100 persons, how many are not picked by an attacker who knows their quasi-identifiers, or some items:
           100 less the success of the strongest of these attacks in percent; a release without rows of persons has 100;
           of a differentially private one, not made yet, what its epsilon guarantees. Sketches are attacked with their
           key by anyone who knows some items; where that was not tried they have none
detail     what can still be read of the quasi-identifiers, see evaluate/detail.py
inference  success of the strongest guess at a sensitive value, where one was tried
size       columns with two labels or more that a recipient gets, without the target
raw        accuracy on rows that are not recoded
utility_error     the standard error of the utility: of accuracy over the tested rows, of other measures over the folds
above_guessing    the gain over guessing over the folds, the lower end of its interval; none where that of the original
                  is below its standard error: no release tells more than the original, but some look so by chance

What attacks find is comparable across families, as k and epsilon are not. The original table, the columns that are no
quasi-identifiers, and guessing are lines beside the candidates. Where a choice goes by values, utility counts from what
guessing is worth (0) to what the original is worth (1); from the worst release to the best, where the original is
within noise of guessing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.attacks.finding import NAMES_A_PERSON
from discreet.choose import MEASURES, Candidate, Choice, Measure, choose
from discreet.choose.criteria import Number
from discreet.choose.e_score import By
from discreet.choose.reference_lines import GUESSING, ORIGINAL, WITHOUT_QUASI
from discreet.evaluate.folds import Folds
from discreet.study.recipe import Recipe

_TITLES = {"accuracy": "Accuracy", "balanced_accuracy": "Balanced accuracy", "auc": "AUC", "brier": "Brier score"}


_ROUNDING = 1e-9  # of means over folds


def candidates_of(
    results: Mapping[str, dict[str, Any]], recipe: Recipe, original: dict[str, Any]
) -> tuple[Candidate, ...]:
    """A candidate for each result that has scores."""
    scored = [(name, result) for name, result in results.items() if result["refused"] is None]
    if not scored:
        return ()
    meanings = _meanings(scored[0][1], recipe, original)
    nothing_to_tell = _tells_nothing(line_score(scored[0][1], ORIGINAL, recipe), recipe, original)

    def measures(result: dict[str, Any]) -> dict[str, float]:
        found = _measures(result, recipe) | {
            "utility_error": _error(release_score(result, recipe), recipe, original["tested"])
        }
        if nothing_to_tell and found["above_guessing"] is not None:
            found["above_guessing"] = min(found["above_guessing"], 0.0)
        return _without_missing(found)

    return tuple(
        Candidate(
            name,
            measures(result),
            result["method"],
            result["parameters"],
            meanings,
        )
        for name, result in scored
    )


def lines_of(results: Mapping[str, dict[str, Any]], recipe: Recipe, original: dict[str, Any]) -> dict[str, Candidate]:
    """What the candidates are compared with, by name; nothing if there are none."""
    first = next((result for result in results.values() if result["refused"] is None), None)
    if first is None:
        return {}
    known = {
        ORIGINAL: {"privacy": 100 * (1 - original["risk"]), "detail": 1.0, "size": original["columns"]},
        WITHOUT_QUASI: {"privacy": 100.0, "detail": 0.0, "size": original["not_quasi"]},
        GUESSING: {"privacy": 100.0, "detail": 0.0, "size": 0},
    }
    lines = {}
    for name in (ORIGINAL, *first["evaluations"][0]["lines"]):
        utility = line_score(first, name, recipe)["value"]
        measures = known[name] | ({} if utility is None else {"utility": utility})
        lines[name] = Candidate(name, measures, "", {}, _meanings(first, recipe, original))
    return lines


def _meanings(result: dict[str, Any], recipe: Recipe, original: dict[str, Any]) -> dict[str, Measure]:
    score, guessed = line_score(result, ORIGINAL, recipe), original["guess"]
    worth = None if _is_noise(score, guessed) else (guessed, score["value"])
    return meanings_of(recipe, worth, original["columns"])


def _is_noise(score: dict[str, Any], guessed: float) -> bool:
    """Whether a score is none, or within noise of guessing: what is between the two is then no scale for others."""
    value, low, high = score["value"], score["low"], score["high"]
    if value is None or math.isclose(value, guessed, abs_tol=_ROUNDING):
        return True
    return low is not None and high is not None and low <= guessed <= high


def line_score(result: dict[str, Any], name: str, recipe: Recipe) -> dict[str, Any]:
    """The score of a line by its best classifier, with its interval, as stored beside a result."""
    found, measure = result["evaluations"][0], recipe.evaluation.measure
    scores = found["before"] if name == ORIGINAL else found["lines"][name]
    return scores[found["best"][measure]["lines"][name]][measure]


def release_score(result: dict[str, Any], recipe: Recipe) -> dict[str, Any]:
    """The score of a release by its best classifier, with its interval."""
    found, measure = result["evaluations"][0], recipe.evaluation.measure
    return found["after"][found["best"][measure]["release"]][measure]


def adds_nothing(result: dict[str, Any], recipe: Recipe) -> str | None:
    """A sentence if what is published beside the quasi-identifiers tells the class as well without them."""
    measure, found = recipe.evaluation.measure, result["evaluations"][0]
    apart = found["best"][measure]["differences"].get(WITHOUT_QUASI)
    without, guessed = (line_score(result, name, recipe)["value"] for name in (WITHOUT_QUASI, GUESSING))
    if apart is None or None in (apart["low"], apart["high"], without, guessed):
        return None
    if math.isclose(without, guessed, abs_tol=_ROUNDING):  # nothing else is published, or it tells nothing
        return None
    if (-apart["high"] if measure == "brier" else apart["low"]) > _ROUNDING:
        return None
    is_told = without < 0.01 if measure == "brier" else without > 0.99
    asked = " Is one of these columns the target under another name?" if is_told else ""
    return (
        f"Its quasi-identifiers add nothing to what the columns published as they are tell of the class:"
        f" {_TITLES[measure].replace('Accuracy', 'accuracy')} {without:.3f} without them,"
        f" {release_score(result, recipe)['value']:.3f} with them.{asked}"
    )


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
        "detail": MEASURES["detail"],
        "inference": Measure(title="Sensitive value guessed", unit="share", higher_is_better=False, scale=(1.0, 0.0)),
        "raw": MEASURES["raw"],
        "utility_error": MEASURES["utility_error"],
        "above_guessing": MEASURES["above_guessing"],
    }


def chosen(candidates: tuple[Candidate, ...], by: By, weights: Mapping[str, Number]) -> Choice | None:
    """The choice by these weights among the releases that have all weighed measures."""
    weighed = {name: weight for name, weight in weights.items() if weight > 0}
    complete = [candidate for candidate in candidates if weighed.keys() <= candidate.measures.keys()]
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


def _measures(result: dict[str, Any], recipe: Recipe) -> dict[str, Any]:
    measure, kept = recipe.evaluation.measure, result["kept"]
    gain = result["evaluations"][0]["best"][measure]["differences"][GUESSING]
    measures: dict[str, Any] = {"utility": release_score(result, recipe)["value"]}
    measures["above_guessing"] = None if gain["low"] is None else -gain["high"] if measure == "brier" else gain["low"]
    guessed = [f["success"]["value"] for f in result["attacks"] if f.get("kind") == "guess" and not f.get("beyond")]
    if (privacy := unfound(result)) is not None:
        measures["privacy"] = privacy["value"]
    if guessed:
        measures["inference"] = max(guessed)
    measures["detail"] = kept["detail"]["whole"]
    measures["raw"] = None if kept["raw"] is None else kept["raw"]["raw"]["value"]
    if result["facts"] is None:  # not made: as many columns as it would name
        measures["size"] = result["parameters"].get("n_features") or kept["content"] or kept["columns"]
    else:
        blank = set(kept["blank"])
        columns = result["facts"]["certificate"]["columns"]
        measures["size"] = sum(column["role"] != "target" and column["name"] not in blank for column in columns)
    return measures


def _error(score: dict[str, Any], recipe: Recipe, tested: float) -> float | None:
    """One standard error of the utility; `tested` rows of different persons. Folds are few, rows are many: of an
    accuracy it is that of the rows."""
    if recipe.evaluation.measure == "accuracy":
        return None if score["value"] is None else math.sqrt(score["value"] * (1 - score["value"]) / tested)
    if None in (score["low"], score["high"]):
        return None
    return (score["high"] - score["low"]) / (2 * Folds.of(recipe.evaluation.folds).quantile)


def _tells_nothing(score: dict[str, Any], recipe: Recipe, original: dict[str, Any]) -> bool:
    """Whether the original is not even by one standard error better than guessing."""
    error = _error(score, recipe, original["tested"])
    if error is None or score["value"] is None:
        return False
    gain = score["value"] - original["guess"]
    return (-gain if recipe.evaluation.measure == "brier" else gain) < error


def _without_missing(measures: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in measures.items() if value is not None and math.isfinite(value)}
