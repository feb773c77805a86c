# SPDX-License-Identifier: Apache-2.0
"""Labels that people can read: what they mean, that they mean one thing, and that they name nobody."""

import datetime
import json
import re
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import discreet as ds
from discreet import KActus2, Mondrian, Roles, Table, TopDownSpecialization, TreeLadder
from discreet.counting.coded_rows import CodedRows
from discreet.foundation.randomness import Randomness
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.prepare.hierarchy import from_paths
from discreet.recoding.axis import Axis
from discreet.recoding.labels import Labelling, Meaning
from discreet.recoding.names import MOST_SPELT
from discreet.recoding.record import from_bytes
from read_labels import holds, members

QUASI = ("age", "pay", "day", "zip", "job")
KINDS = {"age": "number", "pay": "number", "day": "date", "zip": "category", "job": "category"}
JOBS = [f"job {letter}" for letter in "abcdefghijklmnopqrstuvwx"] + ["x, y", "{z}"]
ROLES = Roles(target="y", quasi=QUASI)


def people(seed, n=400):
    """A table with numbers, days, post codes and many categories, some of them rare, some missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    days = [datetime.date(2015, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(0, 3000, n)]
    zips = [f"{a:02}{b:03}" for a, b in zip(rng.integers(0, 12, n), rng.choice([1, 2, 17, 500], n), strict=True)]
    jobs = [JOBS[int(j)] if rng.random() > 0.05 else None for j in np.minimum(rng.exponential(9, n), 25)]
    y = (age / 90 + rng.normal(0, 0.3, n) + [0.3 * (z < "05") for z in zips] > 0.7).astype(int)
    pay = np.round(rng.lognormal(7, 1, n), 2)
    return {
        "age": [int(a) if rng.random() > 0.04 else None for a in age],
        "pay": pay.tolist(),
        "day": days,
        "zip": zips,
        "job": jobs,
        "y": y.tolist(),
    }


METHODS = {
    "ladder": lambda k: TreeLadder(k),
    "detail": lambda k: TreeLadder(k),
    "median": lambda k: Mondrian(k),
    "information": lambda k: Mondrian(k, split="information"),
    "kactus2": lambda k: KActus2(k),
    "top-down": lambda k: TopDownSpecialization(k),
}


def recorded(release):
    return {labelling.name: labelling for labelling in from_bytes(release.record).labellings}


def in_order(method, table):
    """What is published of each row, in the order of the table."""
    rows = CodedRows.of(Table.of(table), QUASI, target="y")
    columns = method._decide(rows, ROLES, Randomness(0)).decision(rows).published
    return Table([columns[name][0] for name in QUASI]).to_arrow()


def named_by(labelling):
    return {text for meaning in labelling.meanings for text in meaning.texts}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_label_holds_the_values_that_are_published_with_it(method, seed):
    table, k = people(seed), 5 + 10 * seed
    release = METHODS[method](k).release(table, ROLES)
    record, written = recorded(release), release.recode(table).to_arrow()
    if method == "top-down":  # which "other" of its tree a code is that it does not name, no record says
        written = in_order(METHODS[method](k), table)
    rows = Counter(zip(*(written.column(name).to_pylist() for name in QUASI), strict=True))
    published = Counter(zip(*(release.data.column(name).to_pylist() for name in QUASI), strict=True))
    if method != "kactus2":  # which rows it gives away to fill up others, no plan says
        assert rows == published
    for name in QUASI:
        labelling = record[name]
        meaning_of = dict(zip(labelling.labels, labelling.meanings, strict=True))
        assert len(meaning_of) == len(labelling.labels)
        named = named_by(labelling)
        common = Counter(table[name])
        for label, value in zip(written.column(name).to_pylist(), table[name], strict=True):
            if KINDS[name] == "category" and value is not None and common[value] < k and value not in named:
                continue  # too rare to be said where it belongs
            if method == "kactus2" and not any(holds(one, value, KINDS[name], named) for one in labelling.labels):
                continue  # of rows that were left out
            found = holds(label, value, KINDS[name], named)
            assert found in (True, None)
            if found is None:
                meaning = meaning_of[label]
                assert value in meaning.texts or value.startswith(tuple(meaning.prefixes))


@pytest.mark.parametrize("method", METHODS)
def test_no_label_and_no_record_names_what_fewer_than_k_persons_have(method):
    table, k = people(7), 12
    release = METHODS[method](k).release(table, ROLES)
    for name, labelling in recorded(release).items():
        common = {value for value, n in Counter(table[name]).items() if n >= k}
        if KINDS[name] == "category":
            assert named_by(labelling) <= common
            for label in filter(None, labelling.labels):
                text = re.sub(r" and \d+ more(?: #\d+)?$", "", label.removesuffix(" or missing"))
                text = text.removeprefix("not ").removeprefix("{").removesuffix("}") if "{" in text[:5] else text
                spelt = [part for one in members(text) for part in re.split(" except | and ", one)]
                spelt = [one for one in spelt if not one.endswith(("*", "…")) and one != "other"]
                assert set(spelt) <= common | {"missing", "not missing"}
        else:
            for label in filter(None, labelling.labels):
                if re.fullmatch(r"[\d.]+|\d{4}-\d\d-\d\d", label):
                    assert label in {str(value) for value in common}


@pytest.mark.parametrize("method", ["ladder", "detail", "information"])
def test_at_most_eight_members_are_spelt_out_and_most_borders_are_round(method):
    release = METHODS[method](10).release(people(3, 1500), ROLES)
    for name, labelling in recorded(release).items():
        for label in filter(None, labelling.labels):
            if "{" in label:
                text = label.removesuffix(" or missing")
                assert len(members(text[text.index("{") + 1 : -1])) <= MOST_SPELT
            assert len(label) < 160
        if name == "age":
            borders = [int(b) for label in labelling.labels if label for b in re.findall(r"\d+", label)]
            assert np.mean([border % 5 == 0 for border in borders]) > 0.5
        if name == "zip":
            assert any("*" in label and len(label) > 1 for label in labelling.labels if label)


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
@pytest.mark.parametrize("method", ["detail", "information"])
def test_labels_survive_files_and_recipients_write_them_again(tmp_path, fmt, method):
    table = people(5)
    release = METHODS[method](8).release(table, ROLES)
    release.save(tmp_path, format=fmt)
    folder = tmp_path / "release"
    assert ds.verify(folder).holds
    again = ds.recode(folder, table).to_arrow()
    for name in QUASI:
        assert again.column(name).to_pylist() == release.recode(table).to_arrow().column(name).to_pylist()
    record = json.loads((folder / "recoding.json").read_text(encoding="utf-8"))
    starts = [label["starts"] for column in record["columns"] for label in column["labels"] if "starts" in label]
    assert starts
    assert all(len(prefix) < 5 for listed in starts for prefix in listed)


@pytest.mark.parametrize(("name", "has_prefixes"), [("PLZ", True), ("grade", False)])
def test_a_few_post_codes_are_written_by_prefix_too(name, has_prefixes):
    """Other codes of so few values may be classes of anything: they are listed."""
    rng = np.random.default_rng(3)
    codes = np.array(["01067", "01069", "01097", "01099", "04103", "04105", "04107", "10115", "10117", "80331"])
    table = {name: codes[rng.integers(0, 10, 600)], "age": rng.integers(20, 80, 600), "y": rng.integers(0, 2, 600)}
    release = Mondrian(5).release(table, Roles(target="y", quasi=[name, "age"]))
    meanings = json.loads(release.record)["columns"][0]["labels"]
    assert any("starts" in meaning for meaning in meanings) == has_prefixes


def test_a_new_code_is_written_by_its_prefix():
    table = people(11, 1500)
    for method in (TreeLadder(10), Mondrian(10)):
        release = method.release(table, ROLES)
        new = {name: [table[name][0]] * 2 for name in (*QUASI, "y")} | {"zip": ["00999", "07888"]}
        for label, code in zip(release.recode(new).to_arrow().column("zip").to_pylist(), new["zip"], strict=True):
            assert holds(label, code, "category", named_by(recorded(release)["zip"])) in (True, None)


def test_missing_stays_apart_where_k_persons_lack_the_value():
    rng = np.random.default_rng(0)
    table = {"job": [None] * 30 + [*rng.choice([*"abcdef"], 300)], "y": [1] * 30 + [*rng.integers(0, 2, 300).tolist()]}
    rows = CodedRows.of(Table.of(table), ["job"], target="y")
    ladder = Ladder.of(Axis.of(rows, "job", rarest=5, by_class=True), 16)
    for rung in ladder.bins[:-1]:
        assert (rung[:-1] != rung[-1]).all()
    few = Ladder.of(Axis.of(rows, "job", rarest=31, by_class=True), 3)
    assert few.n_bins <= 3


# -- given hierarchies -----------------------------------------------------------------------------------------------

REGIONS = {"job": from_paths("job", [(job, f"group {ord(job[-1]) % 4}", "*") for job in JOBS])}


@given(seed=st.integers(0, 10_000), k=st.integers(2, 20), most=st.integers(2, 30))
@settings(max_examples=25)
def test_the_ladder_of_a_hierarchy_has_its_labels_and_merges_siblings_only(seed, k, most):
    table = people(seed, 150)
    assume(len(set(table["y"])) > 1)
    rows = CodedRows.of(Table.of(table), ["job"], target="y")
    ladder = Ladder.of(Axis.of(rows, "job", rarest=k, by_class=True), most, REGIONS["job"])
    persons = Counter(table["job"])
    values = defaultdict(set)
    column = ladder.axis.column
    for code, place in zip(column.codes, ladder.codes(), strict=True):
        values[int(place)].add([*column.texts, None][code])
    group_of = {path[0]: path[1] for path in REGIONS["job"].paths}
    for first in range(ladder.n_bins):
        _, meaning = ladder.label(first, first)
        inside = values[first]
        groups = {group_of[value] for value in inside if value is not None}
        assert len(groups) <= 1 or meaning.but or {group_of[v] for v in meaning.texts} <= groups
        for value in inside - {None}:
            assert persons[value] < k or meaning.but or value in meaning.texts
    assert ladder.label(0, ladder.n_bins - 1)[0] == "*"
    assert (np.diff(ladder.information) <= 1e-9).all()


def test_a_hierarchy_of_numbers_gives_its_own_intervals():
    table = people(4, 600)
    ages = from_paths("age", [(str(a), f"{a // 10 * 10} to {a // 10 * 10 + 9}", "*") for a in range(120)])
    rows = CodedRows.of(Table.of(table), ["age"], target="y")
    ladder = Ladder.of(Axis.of(rows, "age", rarest=5, by_class=True), 9, {"age": ages}["age"])
    labels = [ladder.label(i, i) for i in range(ladder.n_bins)]
    assert ("40 to 49", (40.0, 50.0)) in [(label, meaning.interval) for label, meaning in labels]
    assert ladder.label(ladder.n_bins - 1, ladder.n_bins - 1)[0] is None


def test_sets_that_do_not_follow_the_hierarchy_are_written_by_whole_branches():
    towns = {"a": 0.9, "b": 0.1, "c": 0.9, "d": 0.1, "e": 0.5, "f": 0.5}
    rng = np.random.default_rng(0)
    town = rng.choice([*towns], 900)
    table = {"town": town.tolist(), "y": [int(rng.random() < towns[t]) for t in town]}
    tree = from_paths(
        "town", [(t, region, "*") for t, region in zip("abcdef", ["N", "N", "S", "S", "W", "W"], strict=True)]
    )
    rows = CodedRows.of(Table.of(table), ["town"], target="y")
    ladder = Ladder.of(Axis.of(rows, "town", rarest=5, by_class=True), 16, tree)
    plain = Ladder.of(Axis.of(rows, "town", rarest=5, by_class=True), 16)
    assert (ladder.information == plain.information).all()  # N and S say nothing, so they do not bind
    written = {ladder.label(first, last) for first in range(6) for last in range(first, 6)}
    assert {"{a, c}", "{b, d}", "W", "*", "not {a, c}", "not {b, d}"} <= {label for label, _ in written}
    regions = {"N": "ab", "S": "cd", "W": "ef"}
    for label, meaning in written - {ladder.label(0, 5)}:
        inside = set("".join(regions.get(one, one) for one in members(label.removeprefix("not ").strip("{}"))))
        assert (inside if not label.startswith("not ") else set(towns) - inside) == {
            t for t in towns if (t in meaning.texts) != meaning.but
        }


def test_a_label_that_looks_like_a_period_means_its_leaves_if_these_lie_elsewhere():
    days = ("2019-03-01", "2019-03-09", "2020-01-01")
    tree = from_paths("day", [(days[0], "2019-03", "*"), (days[1], "2019-03", "*"), (days[2], "2021", "*")])
    meanings = dict(
        zip(*(lambda one: (one.labels, one.meanings))(Labelling.of_hierarchy(tree, "date", days)), strict=True)
    )
    assert meanings["2019-03"].interval == (17956.0, 17987.0)
    assert meanings["2021"] == Meaning.of([days[2]])
