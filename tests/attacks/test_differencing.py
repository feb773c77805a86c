# SPDX-License-Identifier: Apache-2.0
"""One row more tells its value where counts are exact, whatever k is; noise holds that to a bound."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet import (
    DataError,
    DifferentialPrivacy,
    Mondrian,
    PrivateTable,
    Roles,
    RolesError,
    Table,
    TopDownSpecialization,
    attack,
)
from discreet.attacks import Published
from discreet.attacks.differencing import _counts, differencing
from discreet.attacks.matching import Matching
from discreet.attacks.membership import accuracy_bound, simulated
from discreet.cli.app import app

ROLES = Roles(target="again", quasi=["age", "sex"], sensitive=["ill"])
DOMAIN = {
    "age": {"cuts": [40, 60]},
    "sex": ["f", "m"],
    "ill": {"values": ["flu", "gout", "cold"], "missing": False},
    "again": {"values": ["no", "yes"], "missing": False},
}


def people(n=60, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "ill": rng.choice(["flu", "gout", "cold"], n),
            "again": rng.choice(["no", "yes"], n),
        }
    )


@pytest.mark.parametrize("method", [Mondrian(10), TopDownSpecialization(10)], ids=lambda m: m.name)
def test_k_does_not_help_against_one_row_more(method):
    found = differencing(method, people(), ROLES, targets=6)
    assert found.success.value == 1.0
    assert found.baseline == 1 / 3
    assert found.bound is None
    assert "'ill'" in found.question


@pytest.mark.slow
def test_noise_keeps_the_bound_and_none_does_not():
    found = differencing(PrivateTable(1.0, DOMAIN), people(), ROLES, targets=60)
    assert found.bound == accuracy_bound(1.0, choices=3)
    assert not found.breaks_promise
    exact = differencing(PrivateTable(900.0, DOMAIN), people(), ROLES, targets=30, promise=DifferentialPrivacy(1.0))
    assert exact.success.value > 0.9
    assert exact.breaks_promise


def test_counts_equal_their_slow_twin():
    rows = people(40)
    person = rows.iloc[[3]]
    drawn = simulated(PrivateTable(50.0, DOMAIN), Table.of(rows), ROLES, 2)
    written = drawn.recode(Table.of(person)).to_arrow().to_pylist()[0]
    released = drawn.table.to_arrow().to_pylist()
    texts = ["cold", "flu", "gout"]
    near = [row for row in released if all(row[name] == written[name] for name in ("age", "sex", "again"))]
    expected = [[sum(row["ill"] == text for row in some) for text in texts] for some in (near, released)]
    found = [_counts(drawn, Table.of(person), "ill", texts, whole).tolist() for whole in (True, False)]
    assert found == expected
    assert 0 < sum(expected[0]) < sum(expected[1]) == 40


def test_a_column_that_differs_in_every_row_without_one_person_is_no_name():
    """Two of forty persons share an amount; without one of them it differs in every row."""
    table = {"age": [30, 40] * 20, "cost": [1.5, *range(1, 39), 1.5], "again": ["yes", "no", "no", "yes"] * 10}
    some = Table.of(table).take(np.arange(39))
    roles = Roles(target="again", quasi=["age"], other=["cost"])
    assert len(simulated(Mondrian(5), some, roles, 0).data) == 39


def test_the_same_seed_gives_the_same_finding():
    method = PrivateTable(2.0, DOMAIN)
    one, again = (differencing(method, people(), ROLES, column="again", targets=8, random_state=4) for _ in range(2))
    assert one == again
    assert one.baseline == 0.5


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(RolesError, match="not a quasi-identifier"):
        differencing(Mondrian(5), people(), ROLES, column="age")
    with pytest.raises(DataError, match="two values"):
        differencing(Mondrian(5), people().assign(ill="flu"), ROLES)


# -- two releases that were made ---------------------------------------------------------------------------------------


def two_releases(method, frame, rows, roles=ROLES):
    """A release of all, one without some rows, and these rows."""
    return method.release(frame, roles), method.release(frame.drop(index=rows), roles), frame.loc[rows]


@pytest.mark.parametrize("method", [Mondrian(10, random_state=1), TopDownSpecialization(10, random_state=1)])
@pytest.mark.parametrize("row", [0, 17, 59])
def test_two_releases_tell_all_of_the_one_who_is_gone(method, row):
    first, second, gone = two_releases(method, people(), [row])
    found = attack(first, others=[second], gone=gone, attacks=["differencing"])
    assert [finding.attack for finding in found] == ["differencing, ill", "differencing, again"]
    for finding in found:
        assert finding.success.value == 1.0
        assert (finding.targets, finding.bound, finding.note) == (1, None, "")
    counts = people().drop(index=[row])["ill"].value_counts()
    assert found[0].baseline == counts.max() / counts.sum()


def slow_success(first, second, gone, name):
    """Row by row: which value grew most among the rows that fit, no more than in the whole table."""
    total = 0.0
    cells = [[row[name] for row in release.table.to_arrow().to_pylist()] for release in (first, second)]
    values = sorted(set(cells[0]))
    for person in range(len(gone)):
        fit = []
        for release, lines in zip((first, second), cells, strict=True):
            one = Matching(Published.of(release), Table.of(gone.iloc[[person]]))
            patterns = one.sums(np.eye(one.n_patterns))[0]
            fit.append([cell for cell, pattern in zip(lines, one.pattern_of_row, strict=True) if patterns[pattern]])
        whole = {value: max(cells[0].count(value) - cells[1].count(value), 0) for value in values}
        grown = {v: max(min(fit[0].count(v) - fit[1].count(v), whole[v]), 0) for v in values}
        grown = grown if any(grown.values()) else whole
        best = [value for value in values if grown[value] == max(grown.values())]
        total += (gone[name].iloc[person] in best) / len(best)
    return total / len(gone)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("method", [Mondrian(5, random_state=1), TopDownSpecialization(5, random_state=1)])
def test_several_who_are_gone_equal_their_slow_twin(method, seed):
    rows = np.random.default_rng(seed).choice(60, 6, replace=False)
    first, second, gone = two_releases(method, people(seed=seed), rows)
    found = attack(first, others=[second], gone=gone, attacks=["differencing"])
    for finding, name in zip(found, ("ill", "again"), strict=True):
        assert finding.success.value == pytest.approx(slow_success(first, second, gone, name))
        assert finding.targets == 6


def test_who_is_in_neither_is_the_control_and_others_who_left_are_noted():
    frame = people()
    first, second, gone = two_releases(Mondrian(10, random_state=1), frame, [3, 4])
    (ill, _) = attack(
        first, roles=ROLES, others=[second], gone=gone[:1], control=people(200, seed=8), attacks=["differencing"]
    )
    assert 0.1 < ill.control.value < 0.7  # what a guess among three values gets
    assert "2 fewer rows" in ill.note
    both = attack(first, others=[second, second], gone=gone, attacks=["differencing"])
    assert [finding.attack for finding in both][::2] == [
        "differencing, ill, beside release 2",
        "differencing, ill, beside release 3",
    ]


def test_what_differencing_needs_is_said():
    first, second, gone = two_releases(Mondrian(10, random_state=1), people(), [3])
    with pytest.raises(DataError, match=r"in this release but not in the other\. Give 'gone'"):
        attack(first, others=[second], attacks=["differencing"])
    with pytest.raises(DataError, match="known for the persons who left; there is none"):
        attack(first, others=[second], gone=gone[["age", "sex"]], attacks=["differencing"])


def test_the_command_reaches_it_with_two_saved_releases(tmp_path):
    first, second, gone = two_releases(Mondrian(10, random_state=1), people(), [3])
    first.save(tmp_path / "with")
    second.save(tmp_path / "without")
    gone.to_csv(tmp_path / "gone.csv", index=False)
    folders = [str(tmp_path / name / "release") for name in ("with", "without")]
    asked = ["attack", *folders, "--gone", str(tmp_path / "gone.csv"), "--sensitive", "ill", "--json"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    found = {finding["attack"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert found["differencing, ill"]["success"]["value"] == 1.0
    assert found["differencing, again"]["success"]["value"] == 1.0
