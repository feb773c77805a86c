# SPDX-License-Identifier: Apache-2.0
"""The measure that a choice goes by, where the recipe leaves it open: accuracy, unless it tells releases hardly apart.

It does not where four fifths of the rows are of one class: who always says this class is right nearly as often as any
classifier. Nor where the original, or every release, is within noise of guessing: then AUC decides, if by AUC the
original is better than guessing. Accuracy sees only who changes sides; AUC sees the whole order of the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from discreet.choose.reference_lines import GUESSING, ORIGINAL
from discreet.learning.cross_validation import Measure
from discreet.study.recipe import AUTO, Recipe

_COMMON = 0.8  # of the rows in one class


def decided(recipe: Recipe, results: Mapping[str, dict[str, Any]], labels: np.ndarray) -> tuple[Recipe, str]:
    """The recipe with the measure that the choice goes by, and why it is not accuracy; "" where it is, or was named."""
    if recipe.evaluation.measure != AUTO:
        return recipe, ""
    measure, why = _measure([result for result in results.values() if result["refused"] is None], labels)
    return recipe.model_copy(update={"evaluation": recipe.evaluation.model_copy(update={"measure": measure})}), why


def _measure(scored: list[dict[str, Any]], labels: np.ndarray) -> tuple[Measure, str]:
    rows = np.unique(labels, return_counts=True)[1]
    if rows.max(initial=0) >= _COMMON * rows.sum():
        return "auc", "most rows are of one class, and always to say this class has a high accuracy"
    if not scored or not _is_above(_original(scored[0], "auc")["low"], 0.5):
        return "accuracy", ""
    right, guessed = _original(scored[0], "accuracy"), float(rows.max() / rows.sum())
    if right["low"] is not None and not _is_above(right["low"], guessed):
        return "auc", "by accuracy the original is within noise of guessing"
    if not any(_is_above(_gain(result)["low"], 0.0) for result in scored):
        return "auc", "by accuracy no release is better than guessing by more than noise"
    return "accuracy", ""


def _original(result: dict[str, Any], measure: Measure) -> dict[str, Any]:
    """The score of the original by its best classifier, with its interval."""
    found = result["evaluations"][0]
    return found["before"][found["best"][measure]["lines"][ORIGINAL]][measure]


def _gain(result: dict[str, Any]) -> dict[str, Any]:
    """How much more accurate than guessing a release is, with the interval."""
    return result["evaluations"][0]["best"]["accuracy"]["differences"][GUESSING]


def _is_above(low: float | None, guessing: float) -> bool:
    return low is not None and low > guessing
