# SPDX-License-Identifier: Apache-2.0
"""One call measures everything that can be measured with what is known, says what it left out, and quotes no cell."""

import json

import numpy as np
import pytest

import discreet as ds
from discreet import Baskets, Mondrian, Roles, risk_of
from discreet.errors import DataError, ParameterError, RolesError
from discreet.risk.special_uniques import SpecialUniques

SECRETS = ("nightingale", "kestrel", "987654", "brambling")


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(20, 80, n),
        "town": rng.choice(["nightingale", "kestrel", "brambling"], n),
        "sex": rng.choice(["f", "m"], n),
        "weight": rng.integers(5, 50, n).astype(float),
        "home": rng.integers(0, n // 3, n),
        "zip": np.where(rng.random(n) < 0.5, 987654, 12345),
        "ill": rng.integers(0, 2, n),
    }


QUASI = ["age", "town", "sex"]


def test_what_is_measured_depends_on_what_is_known():
    table = people()
    alone, sampled, weighted = risk_of(table, QUASI), risk_of(table, QUASI, sampling_fraction=0.05), None
    weighted = risk_of(table, QUASI, weights="weight")
    part = ds.Table.of(table).take(np.arange(0, 300, 3))
    inside = risk_of(part, QUASI, population=table)
    assert (alone.uniqueness, alone.individual, alone.k_map, alone.presence, alone.population) == (None,) * 5
    assert alone.attackers.basis == "table"
    assert any("Nothing is known about the population" in note for note in alone.notes)
    assert sampled.uniqueness.persons == pytest.approx(6000)
    assert (sampled.presence, sampled.population, sampled.attackers.basis) == (None, None, "estimated")
    assert weighted.uniqueness.persons == pytest.approx(table["weight"].sum())
    assert inside.population.persons == 300
    assert (inside.uniqueness, inside.attackers.basis) == (None, "counted")
    assert inside.presence.high <= 1
    assert inside.individual.of_row == pytest.approx(inside.individual.of_row.clip(1 / 300, 1))
    for found in (sampled, weighted, inside):
        assert (found.by_pitman or found.individual).rate == pytest.approx(found.attackers.marketer)
        assert found.special_uniques.dis is not None


def test_weights_may_be_given_as_numbers_and_households_by_name():
    table = people()
    by_name, by_number = (risk_of(table, QUASI, weights=given) for given in ("weight", table["weight"]))
    assert by_name.individual.of_row.tolist() == by_number.individual.of_row.tolist()
    together = risk_of(table, QUASI, weights="weight", household="home")
    assert together.individual.kind == "household"
    assert (together.individual.of_row >= by_name.individual.of_row - 1e-12).all()


def test_persons_are_counted_in_the_population_too():
    table = {"x": [1, 1, 2], "who": [0, 0, 1]}
    everybody = {"x": [1, 1, 1, 2, 2], "who": [0, 0, 5, 1, 6]}
    found = risk_of(table, Roles(quasi="x", person="who"), population=everybody)
    assert found.population.persons == 4
    assert found.individual.of_row == pytest.approx([1 / 2, 1 / 2, 1 / 2])


def test_identifiers_are_not_looked_at_since_they_are_never_published():
    table = {"name": list("abcd"), "age": [1, 2, 2, 2], "who": [1, 2, 3, 4]}
    assert {one.column for one in risk_of(table, ["age"]).safe_harbour.findings} == {"name"}
    assert risk_of(table, Roles(quasi="age", identifiers="name", person="who")).safe_harbour.passes


def test_nothing_quotes_a_cell():
    found = risk_of(people(), QUASI, weights="weight", household="home")
    told = repr(found) + json.dumps(found.to_dict()) + repr(found.individual) + repr(found.special_uniques)
    assert not any(secret in told for secret in SECRETS)
    assert isinstance(found.special_uniques, SpecialUniques)


def test_the_result_is_plain_and_complete():
    found = risk_of(people(), QUASI, sampling_fraction=0.3)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["sample"]["rows"] == 300
    assert plain["attackers"]["prosecutor"]["highest"] == 1
    assert set(plain["special_uniques"]["contributions"]) == set(QUASI)
    assert sum(one["rows"] for one in plain["individual"]["histogram"]) == 300
    lines = repr(found).split("\n")
    assert lines[0] == "Risk of 300 rows on 'age', 'town', 'sex'"
    for word in ("prosecutor", "journalist", "marketer", "k-map", "individual risk", "SUDA", "HIPAA"):
        assert any(word in line for line in lines), word


def test_a_release_is_measured_on_its_published_columns(tmp_path):
    table = people()
    release = Mondrian(k=5, random_state=1).release(table, Roles(target="ill", quasi=QUASI))
    release.save(tmp_path / "out")
    in_memory, saved = risk_of(release), risk_of(tmp_path / "out" / "release")
    assert in_memory.to_dict() == saved.to_dict()
    assert (saved.sample.k >= 5, saved.sample.unique, saved.special_uniques.scored) == (True, 0, 0)
    assert saved.attackers.prosecutor.highest <= 0.2


def test_the_population_of_a_release_is_recoded_as_the_release_is(tmp_path):
    everybody = ds.Table.of(people(900))
    part = everybody.take(np.arange(0, 900, 3))
    release = Mondrian(k=5, random_state=1).release(part, Roles(target="ill", quasi=QUASI))
    release.save(tmp_path / "out")
    found = risk_of(tmp_path / "out" / "release", population=everybody)
    assert found.population.persons == 900
    assert found.population.lacking == 0
    assert found.k_map.k >= 5
    assert found.attackers.journalist.average < found.attackers.prosecutor.average


def test_a_release_of_drawn_rows_says_what_its_figures_mean():
    domain = {"sex": ["f", "m"], "ill": ["0", "1"]}
    table = {name: people()[name] for name in ("sex", "ill")}
    release = ds.PrivateTable(1.0, domain).release(table, Roles(target="ill", quasi="sex"))
    assert any("drawn, swapped or flipped" in note for note in risk_of(release).notes)


def test_what_cannot_be_measured_is_refused():
    table = people()
    with pytest.raises(RolesError, match="none were named"):
        risk_of(table, [])
    with pytest.raises(RolesError, match="Pass their names"):
        risk_of(table)
    with pytest.raises(RolesError, match=r"not in the table: 'ages'. Did you mean 'age'\?"):
        risk_of(table, ["ages"])
    with pytest.raises(ParameterError, match="Give one of 'population', 'sampling_fraction' and 'weights'"):
        risk_of(table, QUASI, weights="weight", sampling_fraction=0.1)
    with pytest.raises(ParameterError, match="threshold"):
        risk_of(table, QUASI, threshold=2)
    with pytest.raises(DataError, match="holds no numbers"):
        risk_of(table, QUASI, weights="town")
    with pytest.raises(RolesError, match="no column 'flat' of the household"):
        risk_of(table, QUASI, sampling_fraction=0.1, household="flat")
    with pytest.raises(DataError, match="measured on tables"):
        risk_of(Baskets.of([[1, 0], [0, 1]]))


def test_a_risk_that_cannot_see_that_everybody_is_unique_is_contradicted():
    """In a table of 1 % each row that is alone has a risk of 4.7 %, even if all are unique in the population."""
    rng = np.random.default_rng(1)
    table = {f"c{place}": rng.integers(0, 10, 400) for place in range(8)}
    found = risk_of(table, list(table), sampling_fraction=0.01)
    assert found.individual.highest < 0.05
    assert any("Believe the higher figure" in note for note in found.notes)
    assert not any("Believe the higher" in note for note in risk_of(table, ["c0"], sampling_fraction=0.01).notes)
