# SPDX-License-Identifier: Apache-2.0
"""k-map: the estimate against binomial sums, the count against plain Python; made, saved, verified, forged."""

import json
from math import comb

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

from discreet import CannotRelease, DataError, KMap, LDiversity, Mondrian, ParameterError, Roles, verify
from discreet.privacy import promise_from
from discreet.privacy.k_map import least_sampled, population_bound
from discreet.release.certificate import Certificate

ROLES = Roles(target="y", quasi=["age", "town"], sensitive=["ill"])


@given(st.integers(1, 8), st.sampled_from([0.05, 0.2, 0.5, 0.9, 1.0]))
def test_the_bound_is_that_of_binomial_sums(sampled, fraction):
    def chance(persons):
        return sum(
            comb(persons, i) * fraction**i * (1 - fraction) ** (persons - i) for i in range(sampled, persons + 1)
        )

    persons = sampled
    while chance(persons) < 0.05 - 1e-12:
        persons += 1
    assert population_bound(sampled, fraction) == persons


@given(st.integers(2, 60), st.sampled_from([0.01, 0.3, 1.0]))
def test_the_least_sample_is_the_first_whose_bound_is_k(k, fraction):
    least = next(n for n in range(1, k + 1) if population_bound(n, fraction) >= k)
    assert least_sampled(k, fraction) == least


def people(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(20, 60, n).tolist(),
        "town": rng.choice(["North", "South", "East"], n).tolist(),
        "ill": rng.choice(["flu", "gout", "cold"], n).tolist(),
        "y": rng.integers(0, 2, n).tolist(),
    }


def sample_and_population(n=80, times=6):
    population = people(n * times, 1)
    return {name: cells[::times] for name, cells in population.items()}, population


@pytest.mark.parametrize("options", [{}, {"split": "information"}, {"l": 2}, {"labels": "cuts"}], ids=str)
def test_k_persons_of_the_population_fit_every_group(options, tmp_path):
    sample, population = sample_and_population()
    release = Mondrian(8, population=population, random_state=1, **options).release(sample, ROLES)
    recoded = release.recode({name: population[name] for name in ROLES.quasi})
    rows = list(zip(*(recoded.column(name).to_arrow().to_pylist() for name in ROLES.quasi), strict=True))
    published = list(zip(*(release.data.column(name).to_pylist() for name in ROLES.quasi), strict=True))
    verdict = release.verdict.parts[0] if release.verdict.parts else release.verdict
    assert verdict.measured == min(rows.count(one) for one in set(published)) >= 8
    assert verdict.details["smallest group in the release"] == min(map(published.count, published)) < 8
    folder = release.save(tmp_path / "out")
    found = verify(folder / "release")
    assert found.holds, found.problems
    assert any("owner's word" in remark for remark in found.remarks)
    again = verify(folder / "release", owner=folder / "owner")
    assert again.holds, again.problems
    assert again.verdict == release.verdict
    more = len(set(published))
    assert more > len(set(map(tuple, zip(*(Mondrian(8, **options).release(sample, ROLES).data.column(name).to_pylist()
                                           for name in ROLES.quasi), strict=True))))  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"split": "information"}], ids=str)
def test_persons_like_nobody_in_the_table_count_too(options):
    """Most of 4,000 are like none of 200 sampled in all columns; groups of 10 of them have half a person sampled."""
    population = people(4000, 2) | {"job": np.random.default_rng(3).integers(0, 40, 4000).tolist()}
    sample = {name: cells[::20] for name, cells in population.items()}
    roles = Roles(target="y", quasi=["age", "town", "job"])

    def n_groups(**more):
        release = Mondrian(10, random_state=1, **options, **more).release(sample, roles)
        return len(set(zip(*(release.data.column(name).to_pylist() for name in roles.quasi), strict=True)))

    assert n_groups(population=population) > 4 * n_groups()


def test_the_population_may_be_a_file(tmp_path):
    sample, population = sample_and_population()
    csv.write_csv(pa.table(population), tmp_path / "town.csv")
    releases = [Mondrian(8, population=one, random_state=1) for one in (population, str(tmp_path / "town.csv"))]
    given, read = (release.release(sample, ROLES) for release in releases)
    assert given.data.equals(read.data)
    assert read.parameters["population"] == "given"


def test_persons_whose_values_a_label_does_not_stand_for_do_not_fit_it(tmp_path):
    """Nobody sampled is old and lives in the south; 30 of the population who do come into the group of the young."""
    sample = {"town": ["North"] * 8 + ["South"] * 4, "age": ["young", "old"] * 4 + ["young"] * 4, "y": [0, 1] * 6}
    population = {"town": ["North"] * 80 + ["South"] * 40, "age": ["young", "old"] * 40 + ["young"] * 10 + ["old"] * 30}
    release = Mondrian(4, population=population).release(sample, Roles(target="y", quasi=["town", "age"]))
    published = set(zip(*(release.data.column(name).to_pylist() for name in ("town", "age")), strict=True))
    assert published == {("North", "young"), ("North", "old"), ("South", "young")}
    assert release.verdict.measured == 10
    folder = release.save(tmp_path / "out")
    assert verify(folder / "release", owner=folder / "owner").holds


def test_a_forged_count_of_groups_does_not_verify(tmp_path):
    sample, population = sample_and_population()
    folder = Mondrian(8, population=population, l=2).release(sample, ROLES).save(tmp_path / "out") / "release"
    place = folder / "certificate.json"
    honest = json.loads(place.read_text())

    def forged(change):
        content = json.loads(json.dumps(honest))
        change(content)
        written = Certificate.model_validate(content)
        place.write_bytes(written.sealed(written.files).to_bytes())
        return verify(folder)

    assert forged(lambda content: None).holds

    def more_groups(content):
        content["verdict"]["parts"][0]["details"]["groups"] += 1

    def other_diversity(content):
        content["verdict"]["parts"][1]["measured"] += 1

    def a_fraction(content):
        content["promise"]["promises"][0]["fraction"] = 0.1

    def another_parameter(content):
        content["method"]["parameters"]["population"] = 0.5

    for change in (more_groups, other_diversity, a_fraction, another_parameter):
        assert not forged(change).holds, change.__name__


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 0.5, 1.0]), st.integers(2, 12))
def test_a_sampled_fraction_is_estimated_by_anyone(seed, fraction, k):
    sample = people(60, seed)
    release = Mondrian(k, population=fraction).release(sample, ROLES)
    published = list(zip(*(release.data.column(name).to_pylist() for name in ROLES.quasi), strict=True))
    smallest = min(map(published.count, published))
    assert release.verdict.measured == population_bound(smallest, fraction) >= k
    assert release.verdict.kind == "recomputed"
    assert "Estimated, not counted" in release.verdict.notes[0]


def test_a_value_that_fits_k_persons_by_the_estimate_is_named(tmp_path):
    """Of a tenth, 12 sampled persons of a town stand for 50 or more; 2 of another do not, and are not named."""
    assert least_sampled(50, 0.1) <= 12 < 50
    table = {"town": [f"t{i % 5}" for i in range(60)] + ["lonely"] * 2, "y": [0, 1] * 31}
    roles = Roles(target="y", quasi=["town"])
    release = Mondrian(50, population=0.1).release(table, roles)
    towns = set(release.data.column("town").to_pylist())
    assert {"t0", "t1", "t2", "t3"} <= {name for label in towns for name in label.strip("{}").split(", ")}
    folder = release.save(tmp_path / "out") / "release"
    assert verify(folder).holds
    assert all("lonely" not in path.read_text(encoding="utf-8") for path in folder.iterdir())


def test_a_fraction_of_one_is_k_anonymity():
    sample = people(60, 3)
    of_all, plain = (Mondrian(5, random_state=1, **asked).release(sample, ROLES) for asked in ({"population": 1.0}, {}))
    assert of_all.data.equals(plain.data)


def test_descriptions_and_refusals():
    assert promise_from(KMap(3, fraction=0.2).to_dict()) == KMap(3, fraction=0.2)
    assert KMap(3).to_dict() == {"name": "k-map", "k": 3}
    assert str(KMap(3) & LDiversity(2)) == "3-map and distinct 2-diversity"
    sample, population = sample_and_population()
    with pytest.raises(DataError, match="needs the population"):
        KMap(3).check(sample, ROLES)
    with pytest.raises(DataError, match="lacks the quasi-identifiers 'town'"):
        Mondrian(3, population={"age": [1, 2, 3]}).release(sample, ROLES)
    with pytest.raises(CannotRelease, match="persons of the population"):
        Mondrian(3, population={"age": [1, 2, 3], "town": ["West"] * 3}).release(sample, ROLES)
    with pytest.raises(ParameterError, match="strict cuts only"):
        Mondrian(3, population=population, relaxed=True).release(sample, ROLES)
    with pytest.raises(ParameterError, match="Leave out one"):
        Mondrian(3, population=0.5, label_known=True).release(sample, ROLES)
