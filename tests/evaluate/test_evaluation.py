# SPDX-License-Identifier: Apache-2.0
"""Means, differences and tables say what the scores of the folds say."""

import json
import math

import numpy as np
import pytest

from discreet import DataError
from discreet.evaluate.evaluation import MEASURES, ORIGINAL, Evaluation
from discreet.evaluate.folds import Folds
from discreet.evaluate.score_cache import Refusal
from discreet.learning.cross_validation import Score
from discreet.learning.significance import corrected_resampled, five_by_two_cv


def scores(seed, n=10, shift=0.0):
    rng = np.random.default_rng(seed)
    return tuple(Score(*(float(x) for x in rng.uniform(0.5, 0.7, 3) + shift), 0.2, 30) for _ in range(n))


def made(folds="5x2", **outcomes):
    outcomes = {(name, "c45"): found for name, found in ({ORIGINAL: scores(0)} | outcomes).items()}
    methods = tuple(name for name, _ in outcomes)
    return Evaluation("holdout", Folds.of(folds), methods, ("c45",), outcomes, 300, "rows")


@pytest.mark.parametrize("folds", ["5x2", "10-fold"])
def test_differences_are_those_of_the_folds(folds):
    found = made(folds, mine=scores(1), theirs=scores(2))
    for measure in MEASURES:
        mine, theirs = ([getattr(score, measure) for score in scores(seed)] for seed in (1, 2))
        apart = np.array(mine) - np.array(theirs)
        if folds == "5x2":
            by_hand = five_by_two_cv(apart.reshape(5, 2).tolist())
        else:
            by_hand = corrected_resampled(apart.tolist(), test_share=1 / 9)
        assert found.difference("mine", "c45", measure, other="theirs") == by_hand
        back = found.difference("theirs", "c45", measure, other="mine")
        assert back.mean == -by_hand.mean
        assert found.mean("mine", "c45", measure).value == pytest.approx(np.mean(mine))


def test_the_original_is_what_a_method_is_compared_with():
    found = made(mine=scores(0, shift=-0.05))
    apart = found.difference("mine", "c45")
    assert apart.mean == pytest.approx(-0.05)
    assert apart == found.difference("mine", "c45", other=ORIGINAL)


def test_intervals_of_means_stay_between_0_and_1():
    perfect = tuple(Score(1.0 - 0.2 * (i == 3), 1.0, 1.0, 0.0, 30) for i in range(10))
    found = made("10-fold", mine=perfect)
    assert found.mean("mine", "c45").high == 1.0
    assert found.mean("mine", "c45", "brier").low == 0.0


def test_a_measure_without_a_figure_is_none():
    lacking = (*scores(1)[:9], Score(0.5, 0.5, float("nan"), 0.2, 3))
    found = made(mine=lacking)
    assert math.isnan(found.mean("mine", "c45", "auc").value)
    assert not math.isnan(found.mean("mine", "c45").value)
    assert "none" in found.table("auc")
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["results"][1]["auc"] == {"value": None, "low": None, "high": None}
    assert plain["results"][1]["folds"][9]["auc"] is None


def test_the_table_has_a_line_for_each_method_and_says_what_was_done():
    found = made(mine=scores(1), other=(Refusal("k = 5 was asked."),) * 10)
    text = found.table()
    lines = text.splitlines()
    assert lines[0] == "Protocol holdout, 5x2 (300 rows); intervals by Dietterich's 5x2 test."
    assert [line.split()[0] for line in lines[2:5]] == ["method", "original", "mine"]
    assert f"{found.mean('mine', 'c45').value:.3f}" in lines[4]
    apart = found.difference("mine", "c45")
    assert f"{apart.mean:+.3f}".replace("-", "−") in lines[4]
    assert "c45: missing cells unknown, suppressed cells unknown." in text
    assert "other: no release in 10 of 10 folds. k = 5 was asked." in text
    assert found.table("auc").splitlines()[2].split()[2] == "auc"


def test_everything_is_in_the_dictionary():
    found = made(mine=scores(1), other=(Refusal("why"),) * 10)
    plain = found.to_dict()
    assert plain["protocol"] == "holdout"
    assert plain["folds"] == "5x2"
    by_name = {cell["method"]: cell for cell in plain["results"]}
    assert by_name["other"]["refused"] == "no release in 10 of 10 folds. why"
    assert by_name["mine"]["accuracy"]["value"] == found.mean("mine", "c45").value
    assert by_name["mine"]["auc_difference"]["p"] == found.difference("mine", "c45", "auc").p
    assert len(by_name["mine"]["folds"]) == 10
    assert "accuracy_difference" not in by_name[ORIGINAL]


def test_an_unknown_name_is_named():
    found = made(mine=scores(1))
    with pytest.raises(DataError, match=r"no method 'mne'.*Did you mean 'mine'"):
        found.mean("mne", "c45")
    with pytest.raises(DataError, match="no classifier 'svm'"):
        found.mean("mine", "svm")
