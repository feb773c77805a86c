# SPDX-License-Identifier: Apache-2.0
"""Two releases together leave fewer than k: planted, against a slow twin, of tables and of baskets."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from discreet import Baskets, Containment, DataError, GreedySelector, KAnonymity, LDiversity, Mondrian, Roles, Table
from discreet.attacks import intersection as module
from discreet.attacks.case import Case
from discreet.attacks.intersection import intersection
from discreet.attacks.published import Published
from discreet.attacks.registry import run
from discreet.cli.app import app

PLANTED = pd.DataFrame(
    {
        "age": ["young", "young", "old", "old"],
        "zip": ["east", "west", "east", "west"],
        "ill": ["flu", "gout", "cold", "flu"],
    }
)


def by(column, promise=None, table=PLANTED):
    """A release of one quasi-identifier, unchanged: as anonymous as its smallest group."""
    promise = promise or KAnonymity(int(table[column].value_counts().min()))
    roles = Roles(quasi=[column], sensitive=["ill"])
    return Published(Table.of(table[[column, "ill"]].sample(frac=1, random_state=3)), promise, roles)


def findings(releases, known, roles=None, **more):
    roles = roles or releases[0].roles or Roles()
    known = known if isinstance(known, Baskets) else Table.of(known)
    return intersection(Case(releases[0], known, roles, others=tuple(releases[1:]), **more))


def test_two_k_anonymous_releases_break_k_together():
    """Young are flu and gout, east are flu and cold: the young one in the east has flu, and is one row."""
    mean, worst, ill = findings([by("age"), by("zip")], PLANTED)
    assert mean.success.value == (1 + 1 / 2 + 1 / 2 + 1) / 4
    assert (worst.success.value, worst.bound) == (1.0, 1 / 2)
    assert worst.breaks_promise
    assert "2 of 4 are left among fewer than promised" in mean.note
    assert "the smallest group would have 1" in mean.note
    assert (ill.success.value, ill.baseline) == (0.5, 0.0)
    assert ill.bound is None


def test_one_release_twice_breaks_nothing():
    mean, worst, ill = findings([by("age"), by("age")], PLANTED)
    assert mean.success.value == worst.success.value == worst.bound == 1 / 2
    assert not worst.breaks_promise
    assert ill.success.value == ill.baseline == 0
    assert "0 of 4 are left" in mean.note


def test_diversity_of_each_release_does_not_survive_either():
    promise = KAnonymity(2) & LDiversity(2)
    *_, ill = findings([by("age", promise), by("zip", promise)], PLANTED)
    assert ill.bound == 0.0
    assert ill.breaks_promise


def test_of_several_rows_of_a_person_the_promise_says_nothing():
    mean, worst, _ = findings([by("age"), by("zip")], PLANTED.assign(name="p"), Roles(person="name"))
    assert mean.bound is worst.bound is None
    assert "Rows are counted" in mean.note


def test_persons_who_are_in_no_release_are_the_control_group():
    absent = Table.of(pd.DataFrame({"age": ["young", "old"], "zip": ["east", "west"], "ill": ["rash", "flu"]}))
    *_, ill = findings([by("age"), by("zip")], PLANTED, control=absent)
    assert ill.control.value == 0.5  # flu is told of both, and one of them has it


def twin(table, quasi, common):
    """Chances and values left, from the definition: a row of one release, a row of the other, equal where common."""
    rows = table.to_dict("records")
    chances, left = [], []
    for person in rows:
        fit = [[row for row in rows if all(row[q] == person[q] for q in names)] for names in quasi]
        kept = [
            [row for row in mine if any(all(row[c] == other[c] for c in common) for other in theirs)]
            for mine, theirs in (fit, fit[::-1])
        ]
        chances.append(1 / min(map(len, kept)))
        left.append({tuple(row[c] for c in common) for row in kept[0]})
    return chances, left


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 30), st.booleans(), st.booleans())
def test_it_equals_its_slow_twin(seed, n, overlap, small):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({name: rng.integers(0, 3, n).astype(str) for name in ("a", "b", "c", "s", "t")})
    quasi = [["a", "b"], ["b", "c"] if overlap else ["c"]]
    releases = [
        Published(
            Table.of(table[[*names, "s", "t"]].sample(frac=1, random_state=seed)),
            KAnonymity(2),
            Roles(quasi=names, sensitive=["s"], target="t"),
        )
        for names in quasi
    ]
    cells = module.CELLS
    module.CELLS = 2 * n if small else cells
    try:
        mean, worst, s, _ = findings(releases, table)
    finally:
        module.CELLS = cells
    chances, left = twin(table, quasi, ["s", "t"])
    assert mean.success.value == pytest.approx(np.mean(chances))
    assert worst.success.value == pytest.approx(max(chances))
    assert s.success.value == pytest.approx(np.mean([len({values[0] for values in found}) == 1 for found in left]))


def test_releases_of_a_method_are_read_with_their_recoding():
    rng = np.random.default_rng(4)
    n = 600
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "height": rng.integers(150, 200, n),
            "ill": rng.integers(0, 40, n).astype(str),
            "again": rng.choice(["no", "yes"], n),
        }
    )
    releases = [
        Mondrian(5, random_state=1).release(table, Roles(target="again", quasi=[quasi], sensitive=["ill"]))
        for quasi in ("age", "height")
    ]
    mean, worst, *_ = run(releases[0], table, others=releases[1:], attacks=["intersection"])
    assert all(release.verdict.holds for release in releases)
    assert worst.success.value == 1.0
    assert mean.success.low > mean.bound == 0.2  # on average, not only for somebody
    assert mean.breaks_promise
    assert "Joined on 'ill', 'again'." in mean.note


def test_at_the_command_line_releases_are_named_one_after_the_other(tmp_path):
    rng = np.random.default_rng(4)
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 90, 300),
            "height": rng.integers(150, 200, 300),
            "ill": rng.integers(0, 40, 300).astype(str),
            "again": rng.choice(["no", "yes"], 300),
        }
    )
    table.to_csv(tmp_path / "known.csv", index=False)
    for quasi in ("age", "height"):
        Mondrian(5).release(table, Roles(target="again", quasi=[quasi], sensitive=["ill"])).save(tmp_path / quasi)
    folders = [str(tmp_path / quasi / "release") for quasi in ("age", "height")]
    asked = ["--known", str(tmp_path / "known.csv"), "--attacks", "intersection", "--json"]
    done = CliRunner().invoke(app, ["attack", *folders, *asked])
    assert done.exit_code == 1, done.output
    said = json.loads(done.stdout)
    assert said["broken"]
    assert [found["breaks_promise"] for found in said["findings"]][:2] == [True, True]
    wrong = CliRunner().invoke(app, ["attack", folders[0], str(tmp_path), *asked])
    assert wrong.exit_code == 2
    assert "not a release folder" in wrong.stderr


def test_at_the_command_line_baskets_have_the_items_of_all_releases(tmp_path):
    rng = np.random.default_rng(3)
    words = pd.DataFrame((rng.random((120, 6)) < 0.4).astype(int), columns=[f"word {j}" for j in range(6)])
    words.assign(label=rng.choice(["a", "b"], 120)).to_csv(tmp_path / "words.csv", index=False)
    labels = rng.choice(["a", "b"], 120)
    for part in (slice(0, 3), slice(3, 6)):
        baskets = Baskets.of(words.iloc[:, part], labels)
        GreedySelector(3).release(baskets).save(tmp_path / str(part.start))
    folders = [str(tmp_path / name / "release") for name in ("0", "3")]
    asked = ["--known", str(tmp_path / "words.csv"), "--attacks", "intersection", "--json"]
    done = CliRunner().invoke(app, ["attack", *folders, *asked])
    assert done.exit_code in (0, 1), done.output
    assert [found["targets"] for found in json.loads(done.stdout)["findings"]] == [120] * 3


@pytest.mark.data
def test_two_releases_of_adult_break_k():
    """With nothing in common but a label of two values."""
    from discreet.samples import load

    people = load("adult").data
    quasi = [["age", "sex", "race", "marital-status"], ["education", "workclass", "native-country", "sex"]]
    releases = [Mondrian(5, random_state=1).release(people, Roles(target="income", quasi=names)) for names in quasi]
    assert all(release.verdict.holds for release in releases)
    _, worst, _ = run(releases[0], people, others=releases[1:], attacks=["intersection"], targets=5000)
    assert worst.success.value > worst.bound == 0.2
    assert worst.breaks_promise


def test_what_is_known_need_not_hold_the_common_columns():
    mean, worst, ill = findings([by("age"), by("zip")], PLANTED[["age", "zip"]])
    assert (mean.success.value, worst.success.value, ill.success.value) == (0.75, 1.0, 0.5)


def test_without_a_common_column_nothing_joins_them():
    releases = [Published(Table.of(PLANTED[[name]]), KAnonymity(2), Roles(quasi=[name])) for name in ("age", "zip")]
    mean, worst = findings(releases, PLANTED)
    assert worst.success.value == 1 / 2
    assert "nothing joins them" in mean.note


# -- baskets -----------------------------------------------------------------------------------------------------------


def baskets_twin(baskets, parts):
    rows = [set(baskets.items(row)) for row in range(len(baskets))]
    labels = [str(baskets.classes[code]) for code in baskets.labels]
    common = set(parts[0]) & set(parts[1])
    chances = []
    for mine in rows:
        kept = [[(r & common, y) for r, y in zip(rows, labels, strict=True) if mine & part <= r] for part in parts]
        left = [[key for key in one if key in other] for one, other in (kept, kept[::-1])]
        chances.append(1 / min(map(len, left)))
    return chances


@given(st.integers(0, 10**6))
def test_baskets_equal_their_slow_twin(seed):
    rng = np.random.default_rng(seed)
    baskets = Baskets.of((rng.random((25, 6)) < 0.5).astype(int), rng.integers(0, 2, 25))
    parts = [{"x0", "x1", "x2", "x3"}, {"x3", "x4", "x5"}]
    releases = [
        Published(baskets.keep([int(name[1]) for name in sorted(part)]).take(rng.permutation(25)), Containment(2))
        for part in parts
    ]
    mean, worst, label = findings(releases, baskets, aux_items=6)
    assert mean.success.value == pytest.approx(np.mean(baskets_twin(baskets, parts)))
    assert worst.attack == "intersection of 2 releases, worst target"
    assert label.attack.endswith("label")


def test_two_selections_under_containment_break_k_by_their_labels():
    """Each item's rows have both labels; those with both items are of one label, and two of either side."""
    X = np.array([[1, 0]] * 2 + [[0, 1]] * 2 + [[1, 1]])
    baskets = Baskets.of(X, ["a", "b", "a", "c", "b"])
    releases = [Published(baskets.keep([item]).take(np.arange(5)[::-1]), Containment(3)) for item in (0, 1)]
    assert all(Containment(3).check(release.data).holds for release in releases)
    mean, worst, label = findings(releases, baskets.take(np.array([4])))
    assert (mean.success.value, worst.bound) == (1 / 2, 1 / 3)
    assert worst.breaks_promise
    assert label.success.value == 0
    assert "the smallest group would have 1" in findings(releases, baskets)[0].note


def test_a_selection_twice_breaks_nothing():
    rng = np.random.default_rng(1)
    baskets = Baskets.of((rng.random((200, 12)) < 0.3).astype(int), rng.integers(0, 2, 200))
    releases = [GreedySelector(5, random_state=seed).release(baskets) for seed in (1, 2)]
    found = run(releases[0], baskets, others=releases[1:], attacks=["intersection"], aux_items=1)
    assert found[1].success.value <= found[1].bound == 1 / 5
    found = run(releases[0], baskets, others=releases[1:], attacks=["intersection"], aux_items=3)
    assert found[1].success.value <= found[1].bound == 1 / 5


def test_what_does_not_go_together_is_refused():
    baskets = Baskets.of([[1], [0]], [0, 1])
    with pytest.raises(DataError, match="all tables or all baskets"):
        findings([by("age"), Published(baskets, Containment(2))], PLANTED)
    other = Published(Baskets.of([[1], [0]], [0, 1], names=["other"]), Containment(2))
    with pytest.raises(DataError, match="1 of the 2 published items"):
        findings([Published(baskets, Containment(2)), other], baskets)
