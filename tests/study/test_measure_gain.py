# SPDX-License-Identifier: Apache-2.0
"""The gain over guessing of a study against one that is counted row by row."""

import numpy as np
import pytest

from discreet.evaluate.confidence import difference_of_shares, paired_difference
from discreet.study.measure import _gain_over_guessing


@pytest.mark.parametrize("commonest", [0.56, 0.65, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("skill", [0.1, 0.5, 0.9])
def test_two_classes_are_paired_as_row_by_row(commonest, skill):
    rng = np.random.default_rng(7)
    truth = np.arange(1000) >= 1000 * commonest  # True: the rarer class
    said = np.where(rng.random(1000) < skill, truth, rng.random(1000) < 0.3)
    right, guessed = said == truth, ~truth
    balanced = (right[truth].mean() + right[~truth].mean()) / 2
    gained, lost = float((right & ~guessed).mean()), float((guessed & ~right).mean())
    expected = paired_difference(gained, lost, 1000)
    found = _gain_over_guessing(float(right.mean()), float(balanced), float(guessed.mean()), 0.5, 1000)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_classes_as_common_or_more_than_two_are_not_paired():
    for guessed, guessed_balanced in ((0.51, 0.5), (0.6, 1 / 3)):
        found = _gain_over_guessing(0.7, 0.65, guessed, guessed_balanced, 500)
        assert found == difference_of_shares(0.7, guessed, 500)
