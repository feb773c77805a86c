# SPDX-License-Identifier: Apache-2.0
"""Individual risk: sdcMicro's published figures, the sum over the negative binomial distribution, households."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import risk_twins
from discreet import Roles, Table, risk_of
from discreet.risk import SampledGroups, mean_inverse
from discreet.risk.individual_risk import IndividualRisk, household_risk, individual_risk, risk_of_groups
from discreet.risk.population_uniqueness import PitmanParameters
from practice_guide import GUIDELINE

# sdcMicro 5, tests/testthat/test_indivRisk.R: eight rows with sampling weights, three key variables
SDCMICRO = {
    "A": [2, 3, 2, 2, 3, 3, 1, 2],
    "B": [3, 3, 3, 3, 3, 3, 4, 3],
    "C": [1, 3, 1, 2, 1, 1, 1, 1],
    "weight": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0],
}
EXACT = [0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01355297]
APPROXIMATE = [0.01369863, 0.08579129, 0.01369863, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01369863]
UNWEIGHTED = [1 / 3, 1, 1 / 3, 1, 1 / 2, 1 / 2, 1, 1 / 3]


def weighted(table=SDCMICRO):
    table = Table.of(table)
    weights = np.array(SDCMICRO["weight"])
    return SampledGroups.of(table, ["A", "B", "C"]).weighted(weights)


def test_the_figures_of_sdcmicro():
    """freqCalc's fk and Fk, and indivRisk with method "exact" and "approx", to the eight digits of its tests."""
    groups = weighted()
    assert groups.sizes[groups.of_row].tolist() == [3, 1, 3, 1, 2, 2, 1, 3]
    assert groups.population[groups.of_row].tolist() == [108, 45.5, 108, 17, 100, 100, 123.5, 108]
    assert individual_risk(groups).of_row == pytest.approx(EXACT, abs=5e-9)
    assert individual_risk(groups, approximate=True).of_row == pytest.approx(APPROXIMATE, abs=5e-9)


def test_the_figures_of_sdcmicro_for_francdat():
    """The example of freqCalc and indivRisk: data of Capobianchi, Polettini and Lucarelli, keys 1 to 4."""
    keys = {
        "Key1": [1, 1, 1, 3, 4, 4, 6, 1],
        "Key2": [2, 2, 2, 3, 3, 3, 2, 2],
        "Key3": [5, 1, 1, 1, 1, 1, 1, 5],
        "Key4": [1, 1, 1, 5, 4, 1, 5, 1],
    }
    weights = np.array([18, 45.5, 39, 17, 541, 8, 5, 92])
    groups = SampledGroups.of(Table.of(keys), list(keys)).weighted(weights)
    assert groups.sizes[groups.of_row].tolist() == [2, 2, 2, 1, 1, 1, 1, 2]
    assert groups.population[groups.of_row].tolist() == [110, 84.5, 84.5, 17, 541, 8, 5, 110]
    published = [0.01714426, 0.02204233, 0.02204233, 0.17707583, 0.01165448, 0.29706308, 0.40235948, 0.01714426]
    assert individual_risk(groups).of_row == pytest.approx(published, abs=5e-9)


def test_the_figures_of_the_practice_guide():
    """T. Benschop, C. Machingauta and M. Welch, "Statistical disclosure control: a practice guide", example 4.3."""
    weights = [180, 180, 215, 76, 186, 76, 180, 215, 186, 76]
    found = risk_of(GUIDELINE, list(GUIDELINE), weights=weights).individual
    published = [0.005424520] * 2 + [0.025096439, 0.012563425, 0.028247279, 0.012563425, 0.029010932, 0.025096439]
    assert found.of_row == pytest.approx([*published, 0.007403834, 0.007403834], abs=5e-10)


def test_without_a_population_it_is_one_by_the_size_of_the_group():
    """sdcMicro with survey = FALSE, and without weights."""
    groups = SampledGroups.of(Table.of(SDCMICRO), ["A", "B", "C"])
    assert individual_risk(groups).of_row == pytest.approx(UNWEIGHTED)
    assert individual_risk(groups.sampled(1.0)).of_row == pytest.approx(UNWEIGHTED)


def test_a_missing_cell_is_a_value_and_no_wildcard():
    """sdcMicro counts the missing cell in row 8 as like all of column A: F = 5 there, 0.20; here the row is alone."""
    table = SDCMICRO | {"A": [2, 3, 2, 2, 3, 3, 1, None], "C": [1, 3, None, 2, 1, 1, None, 1]}
    groups = SampledGroups.of(Table.of(table), ["A", "B", "C"])
    assert groups.sizes[groups.of_row].tolist() == [1, 1, 1, 1, 2, 2, 1, 1]


@given(st.integers(1, 40), st.floats(0.02, 1.0))
def test_it_is_the_mean_of_one_by_f(size, p):
    (found,) = mean_inverse(np.array([size]), np.array([size / p]))
    assert found == pytest.approx(risk_twins.mean_inverse(size, min(p, size / (size / p))), rel=1e-9)


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 170, 5000, 40_000])
@pytest.mark.parametrize("p", [1e-7, 1e-3, 0.4999, 0.5, 0.9999])
def test_large_groups_and_small_fractions(size, p):
    """Bounds that hold for every f and p: 1/F' <= r <= 1/f, and p / (f - 1 + p) beyond f = 1."""
    (found,) = mean_inverse(np.array([size]), np.array([size / p]))
    assert p / size <= found * (1 + 1e-12)
    assert found <= 1 / size
    if size > 1:
        assert found <= p / (size - 1 + p) * (1 + 1e-9)


@given(st.lists(st.integers(1, 25), min_size=1, max_size=6), st.floats(0.3, 1), st.floats(0, 0.99), st.floats(0, 50))
def test_under_pitmans_model_it_is_a_mean_of_one_by_f_too(sizes, fraction, alpha, theta):
    rows = [name for name, size in enumerate(sizes) for _ in range(size)]
    groups = SampledGroups.of(Table.of({"x": rows}), ["x"]).sampled(fraction)
    found = risk_of_groups(groups, pitman=PitmanParameters(theta, alpha))
    n = sum(sizes)
    q = (theta + n) / (theta + n / fraction)
    twin = {size: risk_twins.mean_inverse(size, q, alpha) for size in set(sizes)}
    assert found == pytest.approx([twin[size] for size in groups.sizes], rel=1e-7)


def test_a_population_of_pitmans_model():
    """Each further person starts a group or joins one; the mean of 1/F over the sample is as predicted."""
    rng = np.random.default_rng(8)
    theta, alpha, n, total = 30.0, 0.7, 1500, 15_000
    group_of, sizes = [], []
    for person in range(total):
        group = len(sizes)
        if rng.random() >= (theta + alpha * len(sizes)) / (theta + person):
            group = group_of[int(rng.integers(person))]
            while rng.random() < alpha / sizes[group]:
                group = group_of[int(rng.integers(person))]
        if group == len(sizes):
            sizes.append(0)
        sizes[group] += 1
        group_of.append(group)
    sample = np.array(group_of)[rng.choice(total, n, replace=False)]
    truth = np.mean(1 / np.array(sizes)[sample])
    groups = SampledGroups.of(Table.of({"x": sample}), ["x"]).sampled(n / total)
    predicted = individual_risk(groups, pitman=PitmanParameters(theta, alpha)).rate
    assert predicted == pytest.approx(truth, rel=0.1)
    assert individual_risk(groups).rate < 0.6 * truth  # which Benedetti and Franconi's model cannot see


def test_everybody_is_unique_if_all_of_a_table_are():
    found = risk_of({"x": list(range(30))}, ["x"], sampling_fraction=0.01)
    assert found.individual.highest < 0.05
    assert found.by_pitman.of_row == pytest.approx([1.0] * 30)
    assert found.attackers.marketer == pytest.approx(1)
    assert found.k_map.below[2] == pytest.approx(30)


def test_sums_and_histogram():
    found = IndividualRisk(np.array([0.001, 0.2, 0.2001, 1.0]), "person", 0.2)
    assert (found.expected, found.at_risk, found.highest) == (pytest.approx(1.4011), 2, 1.0)
    rows = {(low, high): rows for low, high, rows in found.histogram}
    assert rows[0.0, 0.001] == rows[0.1, 0.2] == rows[0.2, 0.5] == rows[0.5, 1.0] == 1
    assert sum(rows.values()) == 4


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), min_size=1))
def test_who_is_recognised_in_a_household_gives_away_all_of_it(drawn):
    risks, households = [one[0] for one in drawn], [one[1] for one in drawn]
    found = household_risk(IndividualRisk(np.array(risks), "person", 0.2), np.array(households))
    assert found.of_row == pytest.approx(risk_twins.household_risk(risks, households), abs=1e-12)
    assert found.kind == "household"


def test_a_person_with_several_rows_counts_once():
    # the first two rows are one person's, with weight 10: the group has 2 persons who stand for 10 + 30
    table = {"x": [1, 1, 1, 2], "who": [0, 0, 1, 2], "w": [10, 10, 30, 5]}
    found = risk_of(table, Roles(quasi="x", person="who"), weights="w")
    expected = [*mean_inverse([2, 2, 2], [40.0, 40.0, 40.0]), *mean_inverse([1], [5.0])]
    assert found.individual.of_row == pytest.approx(expected)
    assert found.uniqueness.fraction == pytest.approx(3 / 45)
