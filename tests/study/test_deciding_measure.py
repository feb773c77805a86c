# SPDX-License-Identifier: Apache-2.0
"""Which measure decides where the recipe leaves it open: accuracy, unless it tells releases hardly apart."""

import numpy as np
import pytest

from discreet.study import recipe_from
from discreet.study.deciding_measure import decided

RECIPE = 'format = 1\n[roles]\ntarget = "ill"\nquasi = ["age"]\n'
EVEN = np.array(["no"] * 50 + ["yes"] * 50)


def result(*, accuracy=(0.6, 0.7), auc=(0.6, 0.7), gain=(0.05, 0.15), refused=None):
    """A release: intervals of the original by both measures, and of the gain in accuracy over guessing."""

    def interval(ends):
        return {"low": ends[0], "high": ends[1]}

    best = {measure: {"lines": {"original": "logistic"}} for measure in ("accuracy", "auc")}
    best["accuracy"]["differences"] = {"guessing": interval(gain)}
    before = {"logistic": {"accuracy": interval(accuracy), "auc": interval(auc)}}
    return {"refused": refused, "evaluations": [{"best": best, "before": before}]}


def measure(*results, labels=EVEN, recipe=RECIPE):
    found, why = decided(recipe_from(recipe), {str(j): one for j, one in enumerate(results)}, labels)
    return found.evaluation.measure, why


def test_accuracy_decides_where_it_tells_something():
    assert measure(result()) == ("accuracy", "")
    assert measure() == ("accuracy", "")


@pytest.mark.parametrize(("rare", "decides"), [(20, "auc"), (21, "accuracy")])
def test_where_four_fifths_are_of_one_class_auc_decides(rare, decides):
    """To say the common class of everybody is as right as most classifiers are."""
    labels = np.array(["yes"] * rare + ["no"] * (100 - rare))
    assert measure(result(accuracy=(0.85, 0.9)), labels=labels)[0] == decides


def test_where_the_original_is_within_noise_of_guessing_auc_decides():
    """Even if one release of several is better than guessing: with many releases some are by chance."""
    found = measure(result(accuracy=(0.48, 0.56)), result(accuracy=(0.48, 0.56), gain=(-0.01, 0.05)))
    assert found == ("auc", "by accuracy the original is within noise of guessing")


def test_where_every_release_is_within_noise_of_guessing_auc_decides():
    found = measure(result(gain=(-0.01, 0.05)), result(gain=(0.0, 0.05)), result(refused="no release"))
    assert found == ("auc", "by accuracy no release is better than guessing by more than noise")


@pytest.mark.parametrize("auc", [(0.5, 0.6), (None, None)])
def test_auc_does_not_decide_where_it_tells_no_more(auc):
    assert measure(result(accuracy=(0.48, 0.56), auc=auc, gain=(-0.01, 0.05))) == ("accuracy", "")


def test_a_measure_that_was_named_decides():
    named = RECIPE + '[evaluation]\nmeasure = "accuracy"\n'
    assert measure(result(gain=(-0.01, 0.05)), recipe=named) == ("accuracy", "")
