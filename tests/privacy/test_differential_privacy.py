# SPDX-License-Identifier: Apache-2.0
"""The promise adds up what the stated noise costs; budgets compose as proved."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import DifferentialPrivacy
from discreet.errors import DataError, ParameterError
from discreet.privacy import PROMISES, promise_from
from discreet.privacy.budget import Budget, epsilon_of, exact, rho_for, total, within
from discreet.privacy.noise import COSTS, Noise

TOP = Noise("laplace-top", sensitivity=9, scale=36.0, picks=2)


def test_the_verdict_is_proved_and_counts_every_use():
    verdict = DifferentialPrivacy(1.0).check([TOP])
    assert verdict.holds
    assert (verdict.kind, verdict.measured, verdict.required) == ("proved", 1.0, 1.0)
    assert "docs/privacy/differential_privacy.md#noisy-top-n" in verdict.notes[0]
    twice = DifferentialPrivacy(1.0).check([TOP, TOP])
    assert not twice.holds
    assert twice.measured == 2.0


def test_delta_counts():
    euclidean = Noise("euclidean", sensitivity=1, scale=2.0, delta=2.0**-100)
    assert not DifferentialPrivacy(1.0).check([euclidean]).holds
    assert DifferentialPrivacy(1.0, 2.0**-100).check([euclidean]).holds
    assert not DifferentialPrivacy(1.0, 2.0**-100).check([euclidean] * 2).holds


@pytest.mark.parametrize("data", [None, [], [[0, 1]], [1.0], "noise", {"age": [1]}])
def test_data_show_no_differential_privacy(data):
    with pytest.raises(DataError, match="how a release was drawn"):
        DifferentialPrivacy(1.0).check(data)


def test_neighbours_are_not_mixed():
    with pytest.raises(DataError, match="neighbours"):
        DifferentialPrivacy(1.0, neighbours="add-remove").check([TOP])


def test_a_promise_is_described_and_found_again():
    promise = DifferentialPrivacy(0.5, 1e-6)
    assert promise_from(promise.to_dict()) == promise
    assert PROMISES["differential privacy"] is DifferentialPrivacy
    assert [str(p) for p in (promise, DifferentialPrivacy(2))] == [
        "(0.5, 1e-06)-differential privacy",
        "2-differential privacy",
    ]


@pytest.mark.parametrize("wrong", [{"epsilon": 0}, {"epsilon": -1}, {"delta": 1}, {"delta": -1e-9}, {"epsilon": "1"}])
def test_parameters_are_checked(wrong):
    with pytest.raises(ParameterError):
        DifferentialPrivacy(**{"epsilon": 1, **wrong})
    with pytest.raises(ParameterError):
        DifferentialPrivacy(math.inf)


# -- statements of noise -----------------------------------------------------------------------------------------------


def test_losses_by_hand():
    assert Noise("laplace", 2, 4.0).loss == Budget(0.5)
    assert Noise("geometric", 3, 1.0).loss == Budget(3.0)
    assert TOP.loss.epsilon == 1.0
    exponential = Noise("exponential", 1, 40.0, picks=20).loss
    assert exponential.epsilon == 1.0
    assert exponential.rho == pytest.approx(20 * 0.05**2 / 8)  # far below 1/2, which epsilon alone would give
    gaussian = Noise("gaussian", 2, 8.0, delta=1e-6).loss
    assert gaussian.rho == 2**2 / (2 * 8**2)
    assert gaussian.epsilon == epsilon_of(gaussian.rho, 1e-6)


@pytest.mark.parametrize(
    "wrong",
    [
        {"mechanism": "laplase"},
        {"scale": 0},
        {"scale": math.inf},
        {"sensitivity": -1},
        {"sensitivity": math.inf},
        {"picks": 0},
        {"neighbours": "any"},
        {"mechanism": "euclidean"},  # its delta is missing
    ],
)
def test_a_statement_that_cannot_be_is_refused(wrong):
    with pytest.raises((DataError, ParameterError)):
        Noise(**{"mechanism": "laplace", "sensitivity": 1, "scale": 1.0, **wrong})


def test_gaussian_noise_promises_nothing_without_a_delta():
    with pytest.raises(DataError, match="without a delta"):
        _ = Noise("gaussian", 1, 1.0).loss


def test_every_mechanism_has_its_proof_on_the_page():
    from pathlib import Path

    page = (Path(__file__).parents[2] / "docs" / "privacy" / "differential_privacy.md").read_text(encoding="utf-8")
    anchors = {line[4:].strip().lower().replace(" ", "-") for line in page.splitlines() if line.startswith("### ")}
    assert {cost.anchor for cost in COSTS.values()} <= anchors


# -- composition -------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=20))
def test_decimal_budgets_add_up_exactly(thousandths):
    budgets = [Budget(n / 1000) for n in thousandths]
    limit = sum(thousandths) / 1000
    assert total(budgets).epsilon == limit
    assert within(budgets, Budget(limit))
    assert not within([*budgets, Budget(0.001)], Budget(limit))


def test_numbers_are_what_they_are_written_as():
    assert exact(0.1) == exact(1) / 10
    assert within([Budget(0.1)] * 10, Budget(1.0))


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("rho", [1e-6, 0.01, 0.5, 10.0])
def test_zcdp_gives_at_most_the_textbook_epsilon_and_at_least_what_the_gaussian_needs(rho, delta):
    from scipy.optimize import brentq
    from scipy.stats import norm

    epsilon = epsilon_of(rho, delta)
    assert epsilon <= rho + 2 * math.sqrt(rho * math.log(1 / delta))  # Bun and Steinke 2016

    def gap(eps):  # the exact delta of the Gaussian mechanism (Balle and Wang 2018), which has this rho
        a = math.sqrt(2 * rho)
        return norm.cdf(a / 2 - eps / a) - math.exp(eps) * norm.cdf(-a / 2 - eps / a) - delta

    if gap(0) > 0:
        assert epsilon >= brentq(gap, 0, 200)
        assert rho_for(epsilon, delta) == pytest.approx(rho, rel=1e-6)


def test_many_small_releases_cost_less_under_zcdp():
    budgets, limit = [Budget(0.05)] * 400, Budget(7.0, 1e-6)
    assert within(budgets, limit, "zcdp")
    assert not within(budgets, limit)
    assert not within([Budget(0.1, 1e-9)], Budget(7.0, 1e-6), "zcdp")  # its rho is not known
    assert not within(budgets, Budget(7.0), "zcdp")  # no delta to convert at
