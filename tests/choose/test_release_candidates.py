# SPDX-License-Identifier: Apache-2.0
"""Releases as candidates: the same in memory and saved, verified, comparable or refused."""

import json

import numpy as np
import pytest

from discreet import (
    DifferentialPrivacy,
    GreedySelector,
    KAnonymity,
    LDiversity,
    Mondrian,
    Roles,
    Table,
    TCloseness,
)
from discreet.choose import Candidate, choose, from_folder, from_release, owner_measures
from discreet.choose.release_candidates import MEASURED
from discreet.errors import DataError, PromiseBroken
from discreet.evaluate.utility import holdout


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 300)
    columns = {
        "age": age,
        "sex": rng.choice(["f", "m"], 300),
        "ill": rng.choice(["flu", "gout", "cold"], 300),
        "who": np.arange(300) // 2,
        "y": np.where(age + rng.normal(0, 9, 300) > 50, "yes", "no"),
    }
    return Table.of(columns)


ROLES = Roles(target="y", quasi=["age", "sex"], sensitive=["ill"])


def test_a_release_tells_its_measures(people):
    method = Mondrian(k=10)
    release, utility = method.release(people, ROLES), holdout(method, people, ROLES)
    found = from_release(release, utility=utility)
    groups = release.losses.groups.groups
    assert found.name == "mondrian, 10-anonymity"
    assert found.measures == {
        "utility": utility.accuracy_after.value,
        "utility_error": (utility.accuracy_after.high - utility.accuracy_after.low) / 3.92,
        "above_guessing": utility.above_guessing.low,
        "raw": utility.raw.raw.value,
        "detail": release.detail.whole,
        "privacy": release.verdict.measured,
        "k-anonymity": release.verdict.measured,
        "risk": groups / 300,
        "size": 3,  # age, sex, ill
        "information_loss": release.losses.information_loss,
        "certainty_penalty": release.losses.certainty_penalty,
    }
    assert found.meanings["privacy"].title == "k-anonymity"
    assert found.meanings["utility"].scale == (utility.majority.value, utility.accuracy_before.value)


@pytest.mark.parametrize("method", [Mondrian(k=5), GreedySelector(k=5)], ids=lambda m: m.name)
def test_a_saved_release_tells_the_same(people, tmp_path, method):
    release = method.release(people, ROLES)
    release.save(tmp_path / "out", owner_files=owner_measures(release, 0.75))
    in_memory = from_release(release, name="out", utility=0.75)
    assert from_folder(tmp_path / "out") == in_memory
    assert (
        from_folder(tmp_path / "out", size="cells").measures["size"]
        == (from_release(release, size="cells").measures["size"])
    )
    published = from_folder(tmp_path / "out" / "release", utility=0.75)
    assert published.name == "release"
    assert published.measures["utility"] == 0.75


def test_cells_that_are_suppressed_are_not_counted(people):
    release = Mondrian(k=5).release(people, ROLES)
    suppressed = release.changes.suppressed_cells
    assert from_release(release, size="cells").measures["size"] == 2 * release.rows - suppressed
    with pytest.raises(DataError, match="'columns' or 'cells'"):
        from_release(release, size="rows")


def test_another_promise_is_measured_on_every_candidate(people, tmp_path):
    for k in (3, 30):
        Mondrian(k=k).release(people, ROLES).save(tmp_path / f"k{k}")
    found = [from_folder(tmp_path / f"k{k}", privacy=TCloseness(0.5)) for k in (3, 30)]
    assert found[0].measures["privacy"] > found[1].measures["privacy"]
    assert found[0].measures["k-anonymity"] < found[1].measures["k-anonymity"]
    assert choose(found, {"privacy": 1}).best.name == "k30"  # the closer, the safer
    assert found[0].meanings["privacy"].title == "t-closeness (distance equal)"


def test_joined_promises_are_measures_of_their_own(people):
    releases = [Mondrian(k=k, l=2).release(people, ROLES) for k in (3, 12)]
    found = [from_release(release) for release in releases]
    assert {"k-anonymity", "l-diversity"} <= found[0].measures.keys()
    with pytest.raises(DataError, match=r"No candidate has a measure 'privacy'.*'k-anonymity', 'l-diversity'"):
        choose(found, {"privacy": 1})
    with pytest.raises(DataError, match="name one of them"):
        from_release(releases[0], privacy=KAnonymity(2) & LDiversity(2))
    assert choose(found, {"k-anonymity": 1}).best is found[1]


def test_an_attack_s_success_is_a_measure(people):
    release = Mondrian(k=3).release(people, ROLES)
    assert from_release(release, privacy=0.31).measures["privacy"] == 0.31
    assert "privacy" not in from_release(release, privacy=0.31).meanings


def test_persons_are_counted_where_the_release_counts_them(people, tmp_path):
    roles = Roles(target="y", quasi=["age", "sex"], sensitive=["ill"], person="who")
    release = Mondrian(k=5).release(people, roles)
    release.save(tmp_path / "out")
    assert from_folder(tmp_path / "out").measures["privacy"] == release.verdict.measured
    assert from_folder(tmp_path / "out" / "release").measures["privacy"] == release.verdict.measured
    with pytest.raises(DataError, match="counts persons"):
        from_folder(tmp_path / "out", privacy=KAnonymity(2))


def test_a_release_that_does_not_verify_is_no_candidate(people, tmp_path):
    Mondrian(k=5).release(people, ROLES).save(tmp_path / "out")
    data = tmp_path / "out" / "release" / "data.csv"
    data.write_text(data.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(PromiseBroken, match=r"'out' is no candidate. Not verified. Files were changed"):
        from_folder(tmp_path / "out")


def test_what_is_no_release_and_what_is_no_measure_are_refused(people, tmp_path):
    with pytest.raises(DataError, match="holds no release"):
        from_folder(tmp_path)
    release = Mondrian(k=5).release(people, ROLES)
    release.save(tmp_path / "out", owner_files={MEASURED: json.dumps({"measures": {"utility": "high"}}).encode()})
    with pytest.raises(DataError, match=r"measures.json cannot be read \(ValidationError\)"):
        from_folder(tmp_path / "out")


def test_candidates_compare_as_values():
    assert Candidate("a", {"utility": 1}) == Candidate("a", {"utility": 1})


def test_promises_say_which_way_is_safer():
    """Of more anonymity there is more; of a distance from the table, or of lost privacy, there should be less."""
    assert KAnonymity(2).higher_is_safer
    assert LDiversity(2).higher_is_safer
    assert not TCloseness(0.2).higher_is_safer
    assert not DifferentialPrivacy(1.0).higher_is_safer
