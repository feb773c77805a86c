# SPDX-License-Identifier: Apache-2.0
"""Arrays in random order, without sorting keys."""

from collections import Counter
from itertools import permutations

import numpy as np
from scipy.stats import chisquare

from discreet.foundation.randomness import Randomness


def shuffled(n, randomness):
    order = np.arange(n)
    randomness.shuffle(order)
    return order.tolist()


def test_every_order_is_equally_likely():
    found = Counter(tuple(shuffled(4, Randomness(seed))) for seed in range(4800))
    assert chisquare([found[order] for order in permutations(range(4))]).pvalue > 1e-6


def test_every_place_is_equally_likely_for_every_number():
    counts = np.zeros((20, 20), dtype=int)
    randomness = Randomness(3)
    for _ in range(4000):
        counts[np.arange(20), shuffled(20, randomness)] += 1
    assert chisquare(counts.ravel()).pvalue > 1e-6


def test_nothing_is_lost_and_a_seed_repeats_it():
    assert sorted(shuffled(1000, Randomness())) == list(range(1000))
    assert shuffled(1000, Randomness(1)) == shuffled(1000, Randomness(1)) != shuffled(1000, Randomness(2))
    assert shuffled(0, Randomness()) == []
