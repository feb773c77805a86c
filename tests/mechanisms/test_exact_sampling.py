# SPDX-License-Identifier: Apache-2.0
"""Discrete Laplace noise has exactly its distribution, digit by digit and in the frequencies of many draws."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2

from discreet.errors import ParameterError
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.exact_sampling import Coin, DiscreteLaplace


def taylor_exp(x: Fraction, terms: int) -> Fraction:
    """exp(x) by its series, in fractions: the slow twin."""
    term, found = Fraction(1), Fraction(1)
    for i in range(1, terms):
        term *= x / i
        found += term
    return found


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(7, 2), Fraction(1, 10**6)])
def test_the_digits_of_a_coin_are_those_of_its_probability(x):
    power = 1 / taylor_exp(x, 80)
    for kind, probability in (("power", power), ("logistic", power / (1 + power))):
        coin = Coin(x, kind)
        value = sum(Fraction(coin.digit(place), 2 ** (32 * (place + 1))) for place in range(6))
        assert 0 <= probability - value < Fraction(1, 2**192)


def test_an_equal_word_leaves_the_throw_to_the_next_digit(monkeypatch):
    coin = Coin(Fraction(1), "power")
    first, second = coin.digit(0), coin.digit(1)
    words = iter([np.uint32(first).tobytes(), np.uint32(second - 1).tobytes()])
    randomness = Randomness(1)
    monkeypatch.setattr(randomness, "bytes", lambda n: next(words))
    assert coin.throw(1, randomness).all()


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.5, 40.0])
def test_frequencies_fit_the_distribution(scale):
    """Chi-square over the values that are expected 20 times at least; odds of a false alarm 1e-6. The seed is fixed."""
    n = 200_000
    drawn = DiscreteLaplace(scale).draw(n, Randomness(5))
    q = np.exp(-1 / scale)
    values = np.arange(-2000, 2001)
    expected = n * (1 - q) / (1 + q) * q ** np.abs(values)
    kept = expected >= 20
    found = np.array([(drawn == value).sum() for value in values[kept]])
    rest = (n - found.sum(), n - expected[kept].sum())
    statistic = ((found - expected[kept]) ** 2 / expected[kept]).sum() + (rest[0] - rest[1]) ** 2 / max(rest[1], 1)
    assert statistic < chi2.ppf(1 - 1e-6, kept.sum())


def test_a_large_scale_has_its_mean_and_its_spread():
    scale, n = 1e7, 100_000
    drawn = DiscreteLaplace(scale).draw(n, Randomness(5)) / scale
    assert abs(drawn.mean()) < 5 * np.sqrt(2 / n)
    assert abs(np.abs(drawn).mean() - 1) < 5 / np.sqrt(n)


def test_numbers_beyond_the_digits_are_reached():
    """With the coin for 2^K always heads for a while, the size grows by whole 2^K."""
    laplace = DiscreteLaplace(1.0)
    k = len(laplace._coins)
    throws = iter([True, True, False])
    laplace._more = type("Heads", (), {"throw": lambda self, n, r: np.full(n, next(throws))})()
    (size,) = laplace._geometric(1, Randomness(2))
    assert 2 << k <= size < 3 << k


@pytest.mark.parametrize("scale", [0.0, -1.0, 1e-9, 2.0**41, float("inf"), float("nan")])
def test_a_scale_out_of_range_is_refused(scale):
    with pytest.raises(ParameterError, match="scale"):
        DiscreteLaplace(scale)


def test_seeded_draws_repeat_and_secure_ones_do_not():
    laplace = DiscreteLaplace(1000.0)
    assert (laplace.draw(50, Randomness(1)) == laplace.draw(50, Randomness(1))).all()
    assert (laplace.draw(50, Randomness()) != laplace.draw(50, Randomness())).any()
