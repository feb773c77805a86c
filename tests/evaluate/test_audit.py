# SPDX-License-Identifier: Apache-2.0
"""The auditor finds defects, and raises no false alarm."""

import numpy as np
import pytest
from scipy.stats import binom

from discreet.errors import ParameterError
from discreet.evaluate.audit import at_least, at_most, audit


def laplace(scale):
    rng = np.random.default_rng(7)
    return lambda value, runs: value + rng.laplace(0, scale, runs)


def test_calibration():
    """Laplace noise at epsilon 1 gives about 0.93 and half the noise 1.91, at 99 %."""
    assert 0.85 < audit(laplace(1.0), 0, 1, runs=200_000, false_alarm=0.01).epsilon <= 1.0
    assert 1.75 < audit(laplace(0.5), 0, 1, runs=200_000, false_alarm=0.01).epsilon <= 2.0


def test_a_broken_mechanism_is_refuted_and_a_sound_one_is_not():
    assert audit(laplace(0.5), 0, 1).refutes(1.0)
    assert not audit(laplace(1.0), 0, 1).refutes(1.0)


def test_the_direction_does_not_matter():
    """A mechanism that tells only when the input is 1: the event has probability 0 on the other input."""

    def tell_tale(bit, runs):
        return np.random.default_rng(bit).random(runs) < (0.2 if bit else 0.0)

    for pair in ((0, 1), (1, 0)):
        assert audit(tell_tale, *pair, runs=2000).epsilon > 1


def test_rows_of_outcomes_are_looked_at_together():
    """Each column is a fair coin; only the pair of them tells the input."""

    def pair(bit, runs):
        first = np.random.default_rng(3 + bit).integers(0, 2, runs)
        return np.column_stack([first, first ^ bit])

    found = audit(pair, 0, 1, runs=2000)
    assert found.epsilon > 2
    assert "the outcome is" in found.event


def test_delta_is_taken_off():
    def leak(bit, runs):
        return np.random.default_rng(bit).random(runs) < (0.01 if bit else 0.0)

    assert audit(leak, 1, 0, runs=50_000).epsilon > 1
    assert audit(leak, 1, 0, runs=50_000, delta=0.011).epsilon == 0


def test_false_alarms_are_no_commoner_than_stated():
    """Twice the same distribution: epsilon is 0, and a bound above 0 is a false alarm."""
    rng = np.random.default_rng(11)
    alarms = sum(
        audit(lambda _, n: rng.integers(0, 5, n), 0, 1, runs=400, false_alarm=0.2).epsilon > 0 for _ in range(150)
    )
    assert alarms <= binom.ppf(1 - 1e-6, 150, 0.2)


@pytest.mark.parametrize("hits", [0, 1, 7, 19, 20])
def test_the_bounds_invert_the_binomial_distribution(hits):
    low, high = (float(bound(np.array(hits), 20, 0.01)) for bound in (at_least, at_most))
    if hits > 0:
        assert binom.sf(hits - 1, 20, low) == pytest.approx(0.01)
    if hits < 20:
        assert binom.cdf(hits, 20, high) == pytest.approx(0.01)
    assert low <= hits / 20 <= high


def test_an_audit_of_few_runs_is_refused():
    with pytest.raises(ParameterError, match="100 runs"):
        audit(laplace(1.0), 0, 1, runs=10)
