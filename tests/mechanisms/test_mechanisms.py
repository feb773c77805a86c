# SPDX-License-Identifier: Apache-2.0
"""Every mechanism keeps its statement: scale, loss and error; both back ends draw from the same distribution; and an
audit on the worst neighbours does not refute the claim. Odds of a false alarm: 1e-8 for each audit."""

import hashlib
import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import beta, binom, gamma, kstest

from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.evaluate.audit import audit
from discreet.foundation.randomness import Randomness
from discreet.mechanisms import (
    Euclidean,
    Exponential,
    Gaussian,
    Geometric,
    Laplace,
    LaplaceTop,
    Mechanism,
    PermuteAndFlip,
    euclidean,
)
from discreet.mechanisms.exact_sampling import DiscreteLaplace
from discreet.mechanisms.mechanism import opendp, scale_for

ALARM = 1e-8
SELECTIONS = [LaplaceTop, Exponential, PermuteAndFlip]


def make(cls, epsilon=1.0, sensitivity=1, **more):
    more = {"delta": 1e-5, **more} if cls is Gaussian else more
    return cls(sensitivity=sensitivity, epsilon=epsilon, **more)


EVERY = [Laplace, Geometric, Gaussian, Euclidean, *SELECTIONS]


# -- statements --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 1.0, 2.7])
@pytest.mark.parametrize("sensitivity", [1, 0.3, 19])
def test_the_loss_is_the_epsilon_asked_and_never_more(cls, epsilon, sensitivity):
    mechanism = make(cls, epsilon, sensitivity)
    assert epsilon * (1 - 1e-6) < mechanism.loss.epsilon <= epsilon
    assert mechanism.loss.delta == {Gaussian: 1e-5, Euclidean: 2.0**-100}.get(cls, 0.0)
    assert mechanism.noise.neighbours == "replace-one"
    assert mechanism.noise.proof.startswith("docs/privacy/differential_privacy.md#")


@pytest.mark.parametrize("cls", SELECTIONS)
def test_a_selection_of_n_has_n_times_the_scale_and_the_factor_2(cls):
    assert make(cls, 0.5, 3, picks=4).scale == 2 * 4 * 3 / 0.5


def test_a_scale_is_rounded_up():
    for cost, epsilon in ((1, 0.1), (7, 0.3), (2, 1e-3), (1, 3.3)):
        scale = Fraction(scale_for(cost, epsilon))
        assert scale * Fraction(str(epsilon)) >= cost
        assert Fraction(math.nextafter(float(scale), 0)) * Fraction(str(epsilon)) < cost


def test_opendp_computes_no_more_than_our_loss():
    dp = opendp()
    laplace, gaussian = make(Laplace, 0.7, 2, dimension=5), make(Gaussian, 0.7, 2, dimension=5)
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=5)
    theirs = dp.m.make_laplace(domain, dp.l1_distance(T=float), scale=laplace.scale, k=laplace.grid)
    assert theirs.map(2.0) <= laplace.loss.epsilon * (1 + 1e-12)
    theirs = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=gaussian.scale, k=gaussian.grid)
    assert theirs.map(2.0) <= gaussian.loss.rho * (1 + 1e-12)
    assert dp.c.make_zCDP_to_approxDP(theirs).map(2.0).epsilon(1e-5) == pytest.approx(0.7, rel=1e-6)
    vector = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    for cls, measure in ((PermuteAndFlip, dp.max_divergence()), (Exponential, dp.zero_concentrated_divergence())):
        ours = make(cls, 0.7, 2, picks=3)
        theirs = dp.m.make_noisy_top_k(*vector, measure, k=3, scale=ours.scale)
        loss = ours.loss.rho if cls is Exponential else ours.loss.epsilon
        assert theirs.map(2) == pytest.approx(loss, rel=1e-9)


@pytest.mark.parametrize("cls", EVERY)
def test_parameters_out_of_range_are_refused(cls):
    for wrong in ({"epsilon": 0}, {"epsilon": -1.0}, {"sensitivity": 0}):
        with pytest.raises(ParameterError):
            make(cls, **wrong)
    if cls is not Gaussian:  # whose delta allows even this
        with pytest.raises(ParameterError, match="finite"):
            make(cls, epsilon=1e-320, sensitivity=1e300)
    with pytest.raises(ParameterError, match="neighbours"):
        make(cls, neighbours="all")


def test_what_does_not_fit_is_refused():
    with pytest.raises(DataError, match="whole numbers"):
        make(Geometric).run([0.5])
    with pytest.raises(DataError, match="2 picks are impossible among 1"):
        make(LaplaceTop, picks=2).run([3])
    for cls in (Laplace, Gaussian, Euclidean):
        with pytest.raises(DataError, match=r"1 numbers|1 dimensions"):
            make(cls).run([1.0, 2.0])
        with pytest.raises(DataError, match="finite"):
            make(cls).run([float("nan")])


def test_without_opendp_the_message_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "opendp.prelude", None)
    with pytest.raises(DiscreetError, match=r"discreet\[dp\]"):
        make(Laplace).run([1.0])


# -- back ends ---------------------------------------------------------------------------------------------------------


def test_seeded_randomness_simulates_and_secure_randomness_runs(monkeypatch):
    for cls in EVERY:
        mechanism, values = make(cls), [5]
        monkeypatch.setattr(cls, "run", lambda self, values: "ran")
        assert mechanism.apply(values, Randomness()) == "ran"
        again = [mechanism.apply(values, Randomness(3)) for _ in range(2)]
        assert np.array_equal(*again)
        monkeypatch.undo()


@pytest.mark.parametrize("cls", [Laplace, Geometric, Gaussian, Euclidean])
@pytest.mark.parametrize("dimension", [1, 4])
def test_the_error_is_the_mean_absolute_noise_on_both_back_ends(cls, dimension):
    n = 1000
    more = {} if cls is Geometric else {"dimension": dimension}
    mechanism = make(cls, **more)
    values, seeds = np.arange(dimension), Randomness(1).uint64(n).tolist()
    ran = np.array([mechanism.run(values) for _ in range(n)]) - values
    simulated = np.array([mechanism.simulate(values, Randomness(seed)) for seed in seeds]) - values
    for noise in (ran, simulated):
        spread = 7 * np.abs(noise).std() / math.sqrt(n)  # sizes are skew: odds of a false alarm 1e-8, not 1e-12
        assert abs(np.abs(noise).mean() - mechanism.error) < spread
        assert abs(noise.mean()) < 7 * noise.std() / math.sqrt(n)


def odds(scores, scale, flip) -> dict[tuple[int, ...], float]:
    """The probability of every order of picks, by the definitions."""
    found = {}
    for order in permutations(range(len(scores))):
        left, probability = list(range(len(scores))), 1.0
        for pick in order:
            probability *= (_flip_odds if flip else _exponential_odds)(
                [scores[i] for i in left], left.index(pick), scale
            )
            left.remove(pick)
        found[order] = probability
    return found


def _exponential_odds(scores, place, scale):
    weights = [math.exp(score / scale) for score in scores]
    return weights[place] / sum(weights)


def _flip_odds(scores, place, scale):
    """Candidates in random order; each is taken with odds exp(-(best - score)/scale)."""
    take = [math.exp((score - max(scores)) / scale) for score in scores]
    orders = list(permutations(range(len(scores))))
    total = 0.0
    for order in orders:
        passed = 1.0
        for candidate in order:
            if candidate == place:
                total += passed * take[place]
                break
            passed *= 1 - take[candidate]
    return total / len(orders)


@pytest.mark.parametrize("cls", [Exponential, PermuteAndFlip])
def test_picks_have_the_odds_of_the_definition_on_both_back_ends(cls):
    mechanism, scores, n = make(cls, 3.0, 1, picks=3), [0, 1, 2], 2000
    expected = odds(scores, mechanism.scale, cls is PermuteAndFlip)
    seeds = Randomness(2).uint64(n).tolist()
    ran = [tuple(mechanism.run(scores)) for _ in range(n)]
    simulated = [tuple(mechanism.simulate(scores, Randomness(seed))) for seed in seeds]
    for picks in (ran, simulated):
        for order, probability in expected.items():
            spread = math.sqrt(probability * (1 - probability) / n)
            assert abs(picks.count(order) / n - probability) < 6 * spread


def test_equal_scores_are_all_picked_in_the_end():
    for cls in SELECTIONS:
        assert sorted(make(cls, picks=5).run([7] * 5)) == list(range(5))


@pytest.mark.parametrize("cls", SELECTIONS)
def test_a_pick_falls_short_of_the_bound_no_oftener_than_stated(cls):
    mechanism, scores, n = make(cls), np.array([0] * 50 + [3] * 10 + [8]), 400
    for odds in (0.5, 0.05):
        bound = mechanism.shortfall(len(scores), odds)
        short = sum(8 - scores[mechanism.run(scores)[0]] > bound for _ in range(n))
        assert short <= binom.ppf(1 - 1e-9, n, odds)


@pytest.mark.parametrize("dimension", [1, 2, 7])
def test_euclidean_noise_has_a_gamma_norm_and_no_direction_on_both_back_ends(dimension):
    """Kolmogorov and Smirnov on the norm and on one coordinate's share; odds of a false alarm 1e-9 each."""
    mechanism, zero, n = make(Euclidean, 0.5, dimension=dimension), np.zeros(dimension), 400
    seeds = Randomness(4).uint64(n).tolist()
    ran = np.array([mechanism.run(zero) for _ in range(n)])
    simulated = np.array([mechanism.simulate(zero, Randomness(seed)) for seed in seeds])
    for noise in (ran, simulated):
        norm = np.linalg.norm(noise, axis=1)
        assert kstest(norm, gamma(dimension, scale=mechanism.scale).cdf).pvalue > 1e-9
        if dimension > 1:  # a coordinate of a uniform direction, squared, has a Beta distribution
            share = (noise[:, 0] / norm) ** 2
            assert kstest(share, beta(0.5, (dimension - 1) / 2).cdf).pvalue > 1e-9
        assert abs((noise > 0).mean() - 0.5) < 6 * 0.5 / math.sqrt(noise.size)


def test_euclidean_answers_lie_on_the_grid():
    mechanism = make(Euclidean, dimension=6)
    steps = mechanism.run(np.linspace(-1, 1, 6) / 3) / mechanism.grid
    assert (steps == np.round(steps)).all()


class _Bits:
    """The random bytes of uniform numbers, each cut to its first `size` of 128."""

    def __init__(self, size):
        self.size, self.drawn = size, 0

    def bytes(self, n):
        first, self.drawn = self.drawn, self.drawn + n // self.size
        whole = (hashlib.shake_256(b"%d" % number).digest(128) for number in range(first, self.drawn))
        return b"".join(content[: self.size] for content in whole)


@pytest.mark.parametrize("dimension", [1, 2, 3, 40])
def test_more_bits_and_digits_give_the_same_euclidean_noise(dimension, monkeypatch):
    """The proof counts on an error below 2^-224 of the scale; that of these draws is far smaller."""
    with localcontext(Context(prec=euclidean.DIGITS)):
        drawn = euclidean._noise(dimension, Decimal(1), _Bits(64))
    monkeypatch.setattr(euclidean, "_BYTES", 128)
    monkeypatch.setattr(euclidean, "_PARTS", Decimal(2**1025))
    with localcontext(Context(prec=400)):
        finer = euclidean._noise(dimension, Decimal(1), _Bits(128))
        error = max(abs(a - b) for a, b in zip(drawn, finer, strict=True))
        assert 0 < error < Decimal(2) ** -400


def test_the_delta_of_euclidean_noise_covers_what_the_page_counts():
    """In powers of two, for the most dimensions: what is left out, and what lies near the middle of two steps."""
    t, eta, d = Fraction(1, 2**240), Fraction(1, 2**224), 2**20
    left_out = 5 * d * t + Fraction(1, 2**300)  # 2^d exp(-2^27) is far below this
    assert d * math.log(2) - 2**27 < -300 * math.log(2)
    assert left_out < Fraction(1, 2**217)
    error = Fraction(2**28, 2**264) + Fraction(1, 2**251) + Fraction(1, 2**480)
    assert error < eta
    near = 2 * eta * (2 + 2 * 2048)
    beta_ = left_out + d * near
    assert (1 + Fraction(math.exp(60)) * 2) * beta_ < Fraction(2.0**-100)


def test_euclidean_noise_brings_far_numbers_to_its_bound_and_refuses_none():
    mechanism = make(Euclidean, dimension=2)
    near = mechanism.run([1e300, -1e300]) / 2.0**40
    assert near == pytest.approx([1, -1])


# -- audits ------------------------------------------------------------------------------------------------------------


def many(mechanism: Mechanism):
    """Outcomes of many runs. One run on a long vector is many runs, where each number has noise of its own."""
    if isinstance(mechanism, Geometric):
        return lambda value, runs: mechanism.run(np.full(runs, value))
    return lambda value, runs: np.array([mechanism.run(value) for _ in range(runs)])


def test_additive_noise_keeps_its_epsilon():
    assert 0.8 < audit(many(make(Geometric)), 0, 1, runs=60_000, false_alarm=ALARM).epsilon <= 1
    assert audit(many(make(Laplace)), [0.0], [1.0], runs=2000, false_alarm=ALARM).epsilon <= 1
    assert audit(many(make(Gaussian)), [0.0], [1.0], runs=2000, false_alarm=ALARM, delta=1e-5).epsilon <= 1
    found = audit(many(make(Euclidean, 2.0, dimension=2)), [0.0, 0.0], [0.6, 0.8], runs=2000, false_alarm=ALARM)
    assert found.epsilon <= 2


@pytest.mark.parametrize("cls", SELECTIONS)
@pytest.mark.parametrize("picks", [1, 2])
def test_selections_keep_their_epsilon_where_one_score_falls_and_all_others_rise(cls, picks):
    mechanism = make(cls, 2.0, 1, picks=picks)
    one, other = [1, 0, 0, 0, 0], [0, 1, 1, 1, 1]
    assert audit(many(mechanism), one, other, runs=2000, false_alarm=ALARM).epsilon <= 2


def test_an_audit_catches_noise_without_the_factor_2():
    """N = 1 with ten rivals loses twice its claim of 2."""
    claim = 2.0
    assert make(LaplaceTop, claim).scale == 2 / claim

    def broken(scores, runs):
        noise = DiscreteLaplace(1 / claim).draw(runs * len(scores), Randomness()).reshape(runs, -1)
        return np.argmax(scores + noise, axis=1)

    one, other = [1] + [0] * 10, [0] + [1] * 10
    assert audit(broken, np.array(one), np.array(other), runs=40_000, false_alarm=ALARM).refutes(claim)


def test_an_audit_catches_half_the_noise():
    assert audit(many(make(Geometric, 2.0)), 0, 1, runs=60_000, false_alarm=ALARM).refutes(1.0)
