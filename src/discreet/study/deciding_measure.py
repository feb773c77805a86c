# SPDX-License-Identifier: Apache-2.0
"""The measure that a choice goes by, where the recipe leaves it open: accuracy, unless it tells releases hardly apart.

It does not where four fifths of the rows are of one class: who always says this class is right nearly as often as any
classifier. Nor where by accuracy no release is better than guessing by more than noise: then AUC decides, if by AUC
some are. Accuracy sees only who changes sides; AUC sees the whole order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.choose.recommendable import ABOVE_GUESSING
from discreet.data.dataset import Dataset
from discreet.evaluate.confidence import effective_rows
from discreet.learning.cross_validation import Measure
from discreet.study.candidates import candidates_of, guess
from discreet.study.recipe import AUTO, Recipe

_COMMON = 0.8  # of the rows in one class


def decided(recipe: Recipe, results: Mapping[str, dict[str, Any]], dataset: Dataset) -> tuple[Recipe, str]:
    """The recipe with the measure that the choice goes by, and why it is not accuracy; "" where it is, or was named."""
    if recipe.evaluation.measure != AUTO:
        return recipe, ""
    rows = np.unique(dataset.labels, return_counts=True)[1]
    if rows.max(initial=0) >= _COMMON * rows.sum():
        return _by(recipe, "auc"), "most rows are of one class, and always to say this class has a high accuracy"
    right, ranked = _by(recipe, "accuracy"), _by(recipe, "auc")
    if _is_any_better(right, results, dataset) is False and _is_any_better(ranked, results, dataset):
        return ranked, "by accuracy no release is better than guessing by more than noise"
    return right, ""


def _by(recipe: Recipe, measure: Measure) -> Recipe:
    return recipe.model_copy(update={"evaluation": recipe.evaluation.model_copy(update={"measure": measure})})


def _is_any_better(recipe: Recipe, results: Mapping[str, dict[str, Any]], dataset: Dataset) -> bool | None:
    """Whether any release is better than guessing by more than noise; None if of none it is known."""
    worth = guess(dataset.labels, str(recipe.evaluation.measure))
    original = {"tested": effective_rows(dataset.persons, len(dataset)), "guess": worth, "columns": 0}
    gains = [one.measures.get(ABOVE_GUESSING) for one in candidates_of(results, recipe, original)]
    known = [gain for gain in gains if gain is not None]
    return any(gain > 0 for gain in known) if known else None
