# SPDX-License-Identifier: Apache-2.0
"""Releases by kACTUS-2: cells that are true, swaps, diversity, persons, inducers, losses as published."""

import json
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from discreet import CannotRelease, DataError, KActus2, Roles, RolesError, Table
from discreet.cli.app import app
from discreet.learning.c45 import C45
from discreet.learning.decision_tree import Branch
from discreet.samples import load
from group_needs_twin import ASKED, may_be_a_group


def people(n=400, seed=0) -> tuple[dict, Roles]:
    rng = np.random.default_rng(seed)
    age, town = rng.integers(18, 90, n), rng.choice(["North", "South", "East"], n, p=[0.6, 0.3, 0.1])
    job = rng.choice(["nurse", "clerk", "smith", "pilot"], n, p=[0.5, 0.3, 0.17, 0.03])
    ill = rng.choice(["flu", "gout", "cold"], n, p=[0.7, 0.2, 0.1])
    label = np.where((age > 50) ^ (town == "South") ^ (rng.random(n) < 0.15), "yes", "no")
    table = {"age": age, "town": town, "job": job, "ill": ill, "y": label, "who": np.arange(n) // 2}
    return {name: cells.tolist() for name, cells in table.items()}, Roles(
        target="y", quasi=["age", "town", "job"], sensitive=["ill"]
    )


def cells_of(release) -> list[tuple]:
    return [tuple(row[name] for name in release.roles.quasi) for row in release.data.to_pylist()]


@pytest.mark.parametrize("inducer", ["c45", "sklearn"])
def test_new_rows_are_written_as_published_patterns(inducer):
    """Recoding a source row gives a published pattern."""
    table, roles = people()
    release = KActus2(5, inducer=inducer, random_state=1).release(table, roles)
    recoded = Counter(cells_of_table(release.recode(Table.of(table)), roles.quasi))
    published = Counter(cells_of(release))
    assert set(recoded) <= set(published)
    assert min(published.values()) >= 5
    assert release.changes.swapped_cells == 0
    assert release.owner.notes == []


def is_true(label: str | None, value) -> bool:
    """Whether a published label of a number or a category can stand for the source value."""
    if label == "*":
        return True
    if label is None or value is None:
        return (label is None or label.endswith("or missing")) and value is None
    label = label.removesuffix(" or missing")
    if label == "not missing":
        return True
    if isinstance(value, str):
        inside = label.removeprefix("not ").strip("{}").split(", ")
        known = value if value in ("nurse", "clerk", "smith", "North", "South", "East") else "other"
        return (known in inside) != label.startswith("not ")
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return float(low) <= value < float(high)
    if label[0] in "<>":
        return value < float(label[2:]) if label[0] == "<" else value >= float(label[3:])
    return float(label) == value


@pytest.mark.parametrize("inducer", ["c45", "sklearn"])
@pytest.mark.parametrize("swap", [0.0, 1.0])
@pytest.mark.parametrize("by_person", [False, True])
def test_every_published_cell_is_true_but_for_the_swapped_ones(inducer, swap, by_person):
    """Rows are known again by a number that is published with them. Missing ages and jobs, rare jobs."""
    table, _ = people(600, seed=4)
    rng = np.random.default_rng(1)
    table["age"] = [None if rng.random() < 0.05 else age for age in table["age"]]
    table["job"] = [
        rng.choice(["spy", "czar"]) if job == "pilot" and rng.random() < 0.3 else job for job in table["job"]
    ]
    table["job"] = [None if rng.random() < 0.1 else job for job in table["job"]]
    table["y"] = [
        f"{y}{job is None}" if rng.random() < 0.9 else y for y, job in zip(table["y"], table["job"], strict=True)
    ]
    table["number"] = list(range(600))
    roles = Roles(
        target="y", quasi=["age", "town", "job"], other=["number"], allow_unique=["number"],
        person="who" if by_person else None,
    )  # fmt: skip
    k = 25
    release = KActus2(k, swap=swap, inducer=inducer, random_state=5).release(table, roles)
    false_in = {}
    for row in release.data.to_pylist():
        at = row["number"]
        assert row["y"] == table["y"][at]
        wrong = [name for name in ("age", "town", "job") if not is_true(row[name], table[name][at])]
        false_in |= {at: wrong} if wrong else {}
    swapped = [step["swapped rows"] for step in release.owner.trace if "swapped rows" in step]
    assert sorted(false_in) == (swapped[0] if swapped else [])
    assert all(len(wrong) == 1 for wrong in false_in.values())
    assert len(false_in) == release.changes.swapped_cells
    assert len(set(cells_of(release))) > 4
    assert bool(swapped) == (swap > 0)
    numbers = [row["number"] for row in release.data.to_pylist()]
    assert len(set(numbers)) == len(numbers) == 600 - release.changes.rows_dropped


def test_with_persons_the_order_of_rows_tells_nothing():
    table, roles = people()
    roles = Roles(target="y", quasi=roles.quasi, sensitive=["ill"], person="who")
    order = np.random.default_rng(3).permutation(400)
    shuffled = {name: [cells[i] for i in order] for name, cells in table.items()}
    one, other = (KActus2(9, l=2, swap=0.5, random_state=1).release(data, roles) for data in (table, shuffled))
    assert one.data.equals(other.data)


def cells_of_table(table: Table, names) -> list[tuple]:
    return list(zip(*(table.column(name).to_arrow().to_pylist() for name in names), strict=True))


def test_swapped_rows_are_counted_noted_and_known_to_the_owner_only(tmp_path):
    sample = load("tic_tac_toe")
    release = KActus2(10, swap=0.5, random_state=1).release(sample.data, sample.roles)
    swapped = next(step["swapped rows"] for step in release.owner.trace if "swapped rows" in step)
    assert len(swapped) == release.changes.swapped_cells == release.certificate.changes.swapped_cells > 0
    assert swapped == sorted(set(swapped))
    assert "not their own" in release.owner.notes[0]
    folder = release.save(tmp_path / "out")
    assert "swapped rows" in (folder / "owner" / "trace.json").read_text()
    assert all(b"swapped rows" not in path.read_bytes() for path in (folder / "release").iterdir())


def test_diversity_is_promised_and_kept():
    """The tree seeks boards of one outcome; with the outcome as sensitive column none are shown."""
    sample = load("tic_tac_toe")
    roles = Roles(target="class", quasi=sample.roles.quasi, sensitive=["class"])
    found = {}
    for l in (None, 2):  # noqa: E741
        release = KActus2(5, l=l, random_state=1).release(sample.data, roles)
        groups: dict[tuple, set] = {}
        for cells, row in zip(cells_of(release), release.data.to_pylist(), strict=True):
            groups.setdefault(cells, set()).add(row["class"])
        found[l] = release, min(map(len, groups.values()))
        assert len(groups) > 10
    assert found[None][1] == 1
    assert found[2][1] == 2
    assert str(found[2][0].promise) == "5-anonymity and distinct 2-diversity"
    assert found[None][0].changes.suppressed_cells < found[2][0].changes.suppressed_cells


def test_diversity_that_not_even_the_whole_table_has_is_refused():
    table, roles = people()
    with pytest.raises(CannotRelease, match="l = 4 was asked, but column 'ill' has 3 different values"):
        KActus2(4, l=4).release(table, roles)
    with pytest.raises(RolesError, match="the roles name none"):
        KActus2(4, l=2).release(table, Roles(target="y", quasi=["age", "town"]))


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("asked", ASKED[1:], ids=str)
def test_rows_that_look_alike_have_what_they_need(asked, person):
    """Against the definitions in plain Python, on random tables; some of them show more than nothing."""
    groups_shown = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(30, 120)), int(rng.integers(2, 5))
        table = {
            "age": rng.integers(0, 60, n).tolist(),
            "town": rng.choice(list("abc"), n).tolist(),
            "pay": rng.choice([10, 20, 35, 70], n, p=[0.4, 0.3, 0.2, 0.1]).tolist(),
            "who": rng.integers(0, n // 2, n).tolist(),
        }
        table["y"] = [int((age > 30) ^ (rng.random() < 0.2)) for age in table["age"]]
        roles = Roles(target="y", quasi=["age", "town"], sensitive=["pay"], person=person)
        options = {"swap": 0.5 * (seed % 2), "pool": seed % 3 == 0, "min_objects": 2, "confidence": 0.5}
        release = KActus2(k, **options, **asked, random_state=seed).release(table, roles)
        published = {name: release.data.column(name).to_pylist() for name in release.columns}
        whose = list(range(len(release.data))) if person is None else release.owner.persons.tolist()
        rows = cells_of(release)
        for one in set(rows):
            assert may_be_a_group(published, [i for i, row in enumerate(rows) if row == one], whose, k, asked)
        groups_shown += len(set(rows)) - 1
        assert "t" not in asked or len(release.data) == n
    assert groups_shown >= 6


def test_pooling_suppresses_no_more_cells_on_tic_tac_toe():
    sample = load("tic_tac_toe")
    for k in (5, 10, 15):
        apart, pooled = (KActus2(k, pool=pool).release(sample.data, sample.roles).changes for pool in (False, True))
        assert pooled.suppressed_cells <= apart.suppressed_cells


def test_persons_are_counted():
    table, roles = people()
    roles = Roles(target="y", quasi=roles.quasi, person="who")
    release = KActus2(6, swap=0.5, random_state=2).release(table, roles)
    persons: dict[tuple, set] = {}
    for cells, person in zip(cells_of(release), release.owner.persons.tolist(), strict=True):
        persons.setdefault(cells, set()).add(person)
    assert len(persons) > 3
    assert min(map(len, persons.values())) >= 6


def test_numbers_without_a_cut_and_single_categories_are_suppressed():
    table = {"age": [30, 31] * 10, "sex": ["f"] * 20, "town": ["N", "S"] * 10, "y": ["a", "b"] * 10}
    release = KActus2(5, cuts={"age": []}).release(table, Roles(target="y", quasi=["age", "sex", "town"]))
    assert set(cells_of(release)) == {("*", "*", "N"), ("*", "*", "S")}


def test_missing_is_a_value_and_rare_categories_are_other():
    jobs = ["nurse"] * 8 + [None] * 8 + ["spy", "king", "pope", "czar"] * 2
    table = {"job": jobs, "y": ["a"] * 8 + ["b"] * 8 + ["c"] * 8}
    release = KActus2(4).release(table, Roles(target="y", quasi=["job"]))
    assert Counter(cells_of(release)) == {("nurse",): 8, (None,): 8, ("other",): 8}


def test_a_tree_without_a_split_shows_nothing():
    table = {"a": ["u", "v"] * 6, "y": ["x", "x", "z", "z"] * 3}
    release = KActus2(3).release(table, Roles(target="y", quasi=["a"]))
    assert set(cells_of(release)) == {("*",)}


def test_an_inducer_of_ones_own():
    def by_town(examples):
        place = [feature.name for feature in examples.features].index("town")
        codes = np.eye(len(examples.features[place].texts) + 1, dtype=bool)[:-1]
        return [Branch(place, accepts) for accepts in codes]

    table, roles = people()
    release = KActus2(5, inducer=by_town).release(table, roles)
    assert set(cells_of(release)) == {("*", "North", "*"), ("*", "South", "*"), ("*", "East", "*")}
    assert release.certificate.method.parameters["inducer"] == "by_town"


def test_the_arrays_of_c45_and_its_branches_give_the_same_release():
    table, roles = people()

    def branches(examples):
        return C45(min_objects=2, confidence=0.25).fit(examples).tree_.branches()

    one, other = (KActus2(7, inducer=inducer, random_state=3).release(table, roles) for inducer in ("c45", branches))
    assert one.data.equals(other.data)


@pytest.mark.parametrize(
    ("branches", "message"),
    [
        ([(0, [1, 0, 0]), (1, [0, 1, 0])], "different columns"),
        ([(0, [1, 1, 0]), (0, [0, 1, 1])], "accept the same code"),
        ([(7, [1, 1, 0])], "do not have"),
        ([(0, [1])], "do not have"),
    ],
)
def test_an_inducer_that_does_not_part_the_rows_is_refused(branches, message):
    table, roles = people()
    tree = [Branch(column, np.array(accepts, dtype=bool)) for column, accepts in branches]
    with pytest.raises(DataError, match=message):
        KActus2(5, inducer=lambda examples: tree, cuts={"age": [50]}).release(table, roles)


@pytest.mark.parametrize(("k", "published"), [(5, 0.58), (10, 0.61), (15, 0.64), (20, 0.65), (30, 0.68)])
def test_information_loss_on_tic_tac_toe_is_the_paper_s(k, published):
    sample = load("tic_tac_toe")
    changes = KActus2(k).release(sample.data, sample.roles).changes
    assert changes.suppressed_cells / changes.quasi_cells == pytest.approx(published, abs=0.03)


def test_a_limit_of_suppressed_cells_is_obeyed_or_refused():
    sample = load("tic_tac_toe")
    assert KActus2(5, max_suppressed=0.6).release(sample.data, sample.roles).verdict.holds
    with pytest.raises(CannotRelease, match="suppressed"):
        KActus2(30, max_suppressed=0.6).release(sample.data, sample.roles)


def test_the_command_line_releases_with_kactus2(tmp_path):
    sample = load("tic_tac_toe")
    sample.data.to_frame("pandas").to_csv(tmp_path / "boards.csv", index=False)
    out, quasi = tmp_path / "out", ",".join(sample.roles.quasi)
    options = ["--target", "class", "--quasi", quasi, "--method", "kactus2", "--k", "10", "--set", "swap=0.5"]
    done = CliRunner().invoke(app, ["release", str(tmp_path / "boards.csv"), *options, "-o", str(out)])
    assert done.exit_code == 0, done.output
    certificate = json.loads((out / "release" / "certificate.json").read_text())
    assert certificate["method"]["name"] == "kactus2"
    assert certificate["changes"]["swapped_cells"] > 0
    assert CliRunner().invoke(app, ["verify", str(out / "release")]).exit_code == 0
