# SPDX-License-Identifier: Apache-2.0
"""Unique persons of a population: ARX's published figures, slow twins, and populations drawn from the models."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as ds
import risk_twins
from discreet.errors import DataError, ParameterError
from discreet.evaluate.risk import risk
from discreet.risk import estimate_uniqueness
from discreet.risk.population_uniqueness_pitman import PitmanParameters, fit_pitman, pitman
from discreet.risk.population_uniqueness_sizes import CannotEstimate, GroupSizes
from discreet.risk.population_uniqueness_snb import expected_groups, shlosser, snb
from discreet.risk.population_uniqueness_zayatz import zayatz
from discreet.risk.sampled_groups import SampledGroups

sizes_of_groups = st.lists(st.integers(1, 9), min_size=1, max_size=30)


# -- published ---------------------------------------------------------------------------------------------------------


@pytest.mark.data
def test_the_figures_of_arx_for_its_adult_table():
    """ARX 3.9, src/test/org/deidentifier/arx/test/TestRiskMetrics.java: testAverageRisk2 and testDecisionRule2.

    All nine columns of the table are quasi-identifiers. ARX's SNB does not converge here, so at 0.2 it falls back on
    Zayatz; ours converges, and the estimate of Zayatz is compared.
    """
    table = ds.samples.load("adult_arx").data
    groups = SampledGroups.of(table, table.names)
    counted = risk(table, table.names)
    assert counted.average == pytest.approx(0.6465751607983555, rel=1e-12)
    assert counted.unique / counted.rows == pytest.approx(0.5142895033485844, rel=1e-12)
    shares = {}
    for fraction in (0.01, 0.1, 0.2, 1.0):
        found = estimate_uniqueness(groups.sizes, fraction=fraction)
        shares[fraction] = {name: value / found.persons for name, value in found.estimates.items()}
        shares[fraction]["chosen"] = found.share
    assert shares[0.01]["chosen"] == pytest.approx(0.1446083531167384, rel=1e-9)  # Pitman
    assert shares[0.1]["chosen"] == pytest.approx(0.27684993883653597, rel=1e-9)  # Pitman
    assert shares[0.1]["zayatz"] == pytest.approx(0.3207402393466189, rel=1e-9)
    assert shares[0.2]["zayatz"] == pytest.approx(0.3577099234829125, rel=1e-9)
    assert shares[1.0]["chosen"] == pytest.approx(0.5142895033485844, rel=1e-12)


def test_the_figure_of_arx_for_its_table_of_seven():
    """ARX 3.9, testDecisionRule: seven different rows, a fifth of the population: all are unique there, too."""
    found = estimate_uniqueness([1] * 7, fraction=0.2)
    assert (found.model, found.share) == ("zayatz", pytest.approx(1.0))
    assert estimate_uniqueness([2, 2, 3], fraction=0.1).unique == 0  # after 2-anonymisation


# -- twins -------------------------------------------------------------------------------------------------------------


@given(sizes_of_groups.filter(lambda sizes: 1 in sizes), st.integers(2, 20))
def test_zayatz_is_bayes_with_exact_fractions(sizes, times):
    groups = GroupSizes.of(np.array(sizes), 1 / times)
    assert zayatz(groups) == pytest.approx(float(risk_twins.zayatz(sizes, sum(sizes) * times)), rel=1e-9)


@given(sizes_of_groups.filter(lambda sizes: 1 < len(sizes) < sum(sizes)))
def test_no_parameters_of_pitman_are_likelier_than_the_ones_found(sizes):
    found = fit_pitman(GroupSizes.of(np.array(sizes), 0.1))
    assert 0 <= found.alpha < 1
    assert found.theta > -found.alpha
    best = risk_twins.pitman_log_likelihood(sizes, found.theta, found.alpha)
    for by in (0.97, 1.0, 1.03, 0.5, 2.0):
        for add in (-0.2, -0.01, 0.0, 0.01, 0.2):
            alpha, both = found.alpha + add, (found.theta + found.alpha) * by
            if 0 <= alpha < 1 and both > alpha * 1e-9:
                assert risk_twins.pitman_log_likelihood(sizes, both - alpha, alpha) <= best + 1e-7 * abs(best) + 1e-9


def test_pitmans_formula_for_large_populations():
    """Beside the exact mean of the model, N (theta + alpha)_{N-1} / (theta + 1)_{N-1}."""
    theta, alpha, persons = 3.0, 0.4, 200_000
    exact = math.exp(
        math.log(persons)
        + math.lgamma(theta + alpha + persons - 1)
        - math.lgamma(theta + alpha)
        + math.lgamma(theta + 1)
        - math.lgamma(theta + persons)
    )
    assert PitmanParameters(theta, alpha).unique(persons) == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize(("alpha", "beta", "fraction"), [(0.2, 0.2, 0.2), (1.5, 0.4, 0.5), (3.0, 0.7, 0.05)])
def test_the_equations_of_snb_are_what_sampling_gives(alpha, beta, fraction):
    expected = [risk_twins.snb_expected(1000, alpha, beta, fraction, size) for size in (1, 2)]
    assert expected_groups(1000, alpha, beta, fraction) == pytest.approx(expected, rel=1e-9)


def test_shlossers_estimator_by_hand():
    # sizes 1, 1, 2 and f = 1/2: sum (3/4)^j - (1/2)^j = 1/4 + 1/4 + 5/16, sum j f^2 (3/4)^(j-1) = 1/4 + 1/4 + 3/8,
    # sum (1/2)^j = 5/4, sum j f (1/2)^(j-1) = 1/2 + 1/2 + 1/2
    groups = GroupSizes.of(np.array([1, 1, 2]), 0.5)
    assert shlosser(groups) == pytest.approx(3 + 2 * (0.875 / 0.8125) * (1.25 / 1.5) ** 2)


# -- populations -------------------------------------------------------------------------------------------------------


def sampled(sizes, fraction, rng):
    seen = rng.binomial(sizes, fraction)
    return seen[seen > 0]


@pytest.mark.parametrize(("fraction", "error"), [(0.2, 0.3), (0.5, 0.1), (0.8, 0.02)])
def test_a_population_of_the_slide_negative_binomial_model_is_recovered(fraction, error):
    """Up to the number of groups of the population, which is estimated, too: too high in small samples."""
    rng = np.random.default_rng(4)
    population = 1 + rng.negative_binomial(0.5, 0.2, size=40_000)
    estimate = snb(GroupSizes.of(sampled(population, fraction, rng), fraction))
    assert estimate == pytest.approx((population == 1).sum(), rel=error)


def test_a_population_of_pitmans_model_is_recovered():
    rng = np.random.default_rng(5)
    theta, alpha = 50.0, 0.6
    group_of, sizes = [], []
    for person in range(40_000):  # the model's own urn: start a group, or join one of s persons by s - alpha
        group = len(sizes)
        if rng.random() >= (theta + alpha * len(sizes)) / (theta + person):
            group = group_of[int(rng.integers(person))]
            while rng.random() < alpha / sizes[group]:
                group = group_of[int(rng.integers(person))]
        if group == len(sizes):
            sizes.append(0)
        sizes[group] += 1
        group_of.append(group)
    population = np.array(sizes)
    estimate = pitman(GroupSizes.of(sampled(population, 0.1, rng), 0.1))
    assert estimate == pytest.approx((population == 1).sum(), rel=0.15)


# -- the rule, and failures --------------------------------------------------------------------------------------------


def test_the_rule_of_dankar_and_others():
    sizes = [1] * 60 + [2] * 15 + [3] * 5 + [10]
    small, large = (estimate_uniqueness(sizes, fraction=fraction) for fraction in (0.1, 0.11))
    assert (small.model, small.unique) == ("pitman", small.estimates["pitman"])
    assert large.unique == min(large.estimates["zayatz"], large.estimates["snb"])
    assert large.model == min(("zayatz", "snb"), key=large.estimates.get)


def test_a_model_that_cannot_be_fitted_says_so_and_zayatz_takes_its_place():
    found = estimate_uniqueness([1, 1, 1, 3], fraction=0.5)  # no pairs
    assert (found.model, found.estimates["snb"]) == ("zayatz", None)
    assert "pairs" in found.failures["snb"]
    found = estimate_uniqueness([1] * 5, fraction=0.01)
    assert (found.model, found.estimates["pitman"]) == ("zayatz", None)
    assert "everybody is unique" in found.failures["pitman"]
    with pytest.raises(CannotEstimate, match="one group"):
        fit_pitman(GroupSizes.of(np.array([5]), 0.1))


def test_a_census_needs_no_model():
    found = estimate_uniqueness([1, 1, 4], fraction=1.0)
    assert (found.model, found.unique, found.persons, found.failures) == ("census", 2, 6, {})


@given(sizes_of_groups, st.sampled_from([0.001, 0.05, 0.1, 0.3, 0.7, 0.99]))
def test_every_estimate_lies_between_nobody_and_everybody(sizes, fraction):
    found = estimate_uniqueness(sizes, fraction=fraction)
    for name, estimate in found.estimates.items():
        assert (estimate is None) == (name in found.failures)
        assert estimate is None or 0 <= estimate <= found.persons * (1 + 1e-9)
    assert found.unique == found.estimates[found.model]


@pytest.mark.parametrize("fraction", [0, -0.1, 1.5, math.nan])
def test_a_fraction_that_is_none_is_refused(fraction):
    with pytest.raises(ParameterError, match="above 0, at most 1"):
        estimate_uniqueness([1, 2], fraction=fraction)


def test_groups_without_persons_are_refused():
    with pytest.raises(DataError, match="at least one person"):
        estimate_uniqueness([0, 1], fraction=0.5)
