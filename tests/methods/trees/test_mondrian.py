# SPDX-License-Identifier: Apache-2.0
import math
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise, takewhile

import numpy as np
import pytest
from benchmarks.downcoding.case import ROLES, downcoding_table, downcoding_trees, halves, what_labels_tell
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
from discreet import CannotRelease, DataError, Mondrian, ParameterError, Roles, RolesError
from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import pair_counts
from discreet.data.table import Table
from discreet.foundation.randomness import Randomness
from discreet.methods.trees.cut_partition import Need, partition
from discreet.methods.trees.hierarchy_labels import tree_axis
from discreet.methods.trees.mondrian_least import sizes_from
from discreet.prepare.automatic_hierarchy import automatic
from discreet.prepare.hierarchy import from_paths
from discreet.recoding.leaf_labels import recode
from group_needs_twin import ASKED, may_be_a_group


@st.composite
def tables(draw):
    n = draw(st.integers(2, 40))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    return {
        "age": column(st.one_of(st.none(), st.integers(0, 9))),
        "pay": column(st.sampled_from([0.5, 1.25, 2.0, 7.5])),
        "town": column(st.one_of(st.none(), st.sampled_from("abcd"))),
        "who": column(st.integers(0, 12)),
        "y": column(st.sampled_from(["no", "yes"])),
    }


QUASI = ("age", "pay", "town")


@pytest.mark.parametrize("split", ["median", "information"])
@given(table=tables(), k=st.integers(2, 4), person=st.sampled_from([None, "who"]))
def test_random_tables_are_k_anonymous(split, table, k, person):
    assume(len(set(table["y"])) > 1)
    roles = Roles(target="y", quasi=QUASI, person=person)
    persons = len(table["y"]) if person is None else len(set(table["who"]))
    if persons < k:
        with pytest.raises(CannotRelease):
            Mondrian(k, split=split).release(table, roles)
        return
    release = Mondrian(k, split=split).release(table, roles)
    rows = list(zip(*(release.data.column(name).to_pylist() for name in QUASI), strict=True))
    whose = None if person is None else release.owner.persons.tolist()
    assert oracles.k_anonymity(rows, whose) == release.verdict.measured >= k


@pytest.mark.parametrize("split", ["median", "information"])
@given(table=tables(), k=st.integers(2, 4), person=st.sampled_from([None, "who"]))
def test_no_further_cut_is_possible(split, table, k, person):
    """Strict partitioning ends only where no value of any column parts a group into two of k persons."""
    assume(len(set(table["y"])) > 1)
    whose = list(range(len(table["y"]))) if person is None else table["who"]
    assume(len(set(whose)) >= k)
    release = Mondrian(k, split=split, least=k).release(table, Roles(target="y", quasi=QUASI, person=person))
    support = Counter(zip(table["town"], whose, strict=True))
    rare = {t for t in "abcd" if len({w for town, w in support if town == t}) < k}
    towns = ["other" if town in rare else town for town in table["town"]]
    recoded = release.recode(table)
    leaves = list(zip(*(recoded.column(name).to_arrow().to_pylist() for name in QUASI), strict=True))
    for leaf in set(leaves):
        mine = [i for i, found in enumerate(leaves) if found == leaf]
        for values in (table["age"], table["pay"]):  # categories have another order in "information"
            for border in {values[i] for i in mine} - {None}:
                left = {whose[i] for i in mine if values[i] is not None and values[i] < border}
                right = {whose[i] for i in mine if values[i] is None or values[i] >= border}
                assert len(left) < k or len(right) < k
        ways = {towns[i] for i in mine}
        if len(ways) == 2:
            sides = [{whose[i] for i in mine if towns[i] == way} for way in ways]
            assert min(map(len, sides)) < k


def inside(label, value):
    """Whether a published label is true of a source value."""
    if label == "*":
        return True
    if label is None:
        return value is None
    if label.endswith(" or missing"):
        return value is None or inside(label.removesuffix(" or missing"), value)
    if label == "not missing":
        return value is not None
    if label.startswith("not {"):
        return value is None or value not in label[5:-1].split(", ")
    if label.startswith("{"):
        return value in label[1:-1].split(", ")
    if label.startswith("< "):
        return value is not None and value < float(label[2:])
    if label.startswith(">= "):
        return value is not None and value >= float(label[3:])
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return value is not None and float(low) <= value < float(high)
    return str(value) == label


@pytest.mark.parametrize("split", ["median", "information"])
@given(table=tables(), k=st.integers(2, 3))
def test_every_label_is_true_of_the_cell_it_replaces(split, table, k):
    assume(len(set(table["y"])) > 1 and len(table["y"]) >= k)
    release = Mondrian(k, split=split).release(table, Roles(target="y", quasi=QUASI))
    recoded = release.recode(table)
    rare = {town for town, rows in Counter(table["town"]).items() if rows < k and town is not None}
    for name in QUASI:
        source = ["other" if name == "town" and value in rare else value for value in table[name]]
        for label, value in zip(recoded.column(name).to_arrow().to_pylist(), source, strict=True):
            assert inside(label, value), (name, label, value)


@given(table=tables(), k=st.integers(2, 4))
def test_a_category_that_fewer_than_k_persons_have_is_never_named(table, k):
    assume(len(set(table["y"])) > 1 and len(table["y"]) >= k)
    table = {**table, "town": [None if town is None else f"town-{town}" for town in table["town"]]}
    rare = [town for town, rows in Counter(table["town"]).items() if town is not None and rows < k]
    for split in ("median", "information"):
        release = Mondrian(k, split=split).release(table, Roles(target="y", quasi=QUASI))
        text = " ".join(str(label) for label in release.data.column("town").to_pylist())
        assert not any(town in text for town in rare)


# -- the slow twin of the cuts ----------------------------------------------------------------------------------------


class Twin:
    """Cuts of rows, one by one; sorts in place as the kernel does, since relaxed cuts share rows in their order."""

    def __init__(self, ranks, counts, groups, needs, position, by_information, relaxed):
        self.ranks, self.counts, self.groups, self.needs = ranks, counts, groups, needs
        self.position, self.by_information, self.relaxed = position, by_information, relaxed

    def has(self, rows, need):
        inside = [t for t, row in enumerate(self.groups) if row in set(rows)]
        _, codes = need
        return len(inside) if codes is None else len({codes[t] for t in inside})

    def fits(self, *sides):
        return all(self.has(side, need) >= need[0] for side in sides for need in self.needs)

    def bits(self, rows):
        by_class = [sum(self.counts[row][label] for row in rows) for label in range(len(self.counts[0]))]
        return sum(n * math.log2(sum(by_class) / n) for n in by_class if n)

    def telling(self, rows, c):
        best, most = 0, -1.0
        for i in range(1, len(rows)):
            if self.ranks[rows[i]][c] != self.ranks[rows[i - 1]][c] and self.fits(rows[:i], rows[i:]):
                gain = self.bits(rows) - self.bits(rows[:i]) - self.bits(rows[i:])
                if gain > most + 1e-9:
                    best, most = i, gain
        return best, most

    def even(self, rows, c):
        ways = []
        for i in range(1, len(rows)):
            among = self.ranks[rows[i]][c] == self.ranks[rows[i - 1]][c]
            if (self.relaxed or not among) and self.fits(rows[:i], rows[i:]):
                first = self.needs[0]
                ways.append((abs(self.has(rows[:i], first) - self.has(rows[i:], first)), among, i))
        return min(ways)[2] if ways else 0

    def leaves(self, rows):
        columns = range(len(self.ranks[0]))
        ends = [sorted(self.ranks[row][c] for row in rows) for c in columns]
        width = {c: self.position[ends[c][-1]][c] - self.position[ends[c][0]][c] for c in columns}
        is_open = [c for c in columns if ends[c][0] < ends[c][-1]]
        found = None
        if self.by_information:
            most = 1e-9
            for c in is_open:
                rows.sort(key=lambda row: self.ranks[row][c])
                place, gain = self.telling(rows, c)
                if place and gain > most:
                    found, most = (c, place), gain + 1e-9
            if found:
                rows.sort(key=lambda row: self.ranks[row][found[0]])
        for c in sorted(is_open, key=lambda c: (-width[c], c)):
            if found is None:
                rows.sort(key=lambda row: self.ranks[row][c])
                place = self.even(rows, c)
                found = (c, place) if place else None
        if found is None:
            return {frozenset(rows)}
        return self.leaves(rows[: found[1]]) | self.leaves(rows[found[1] :])


@given(data=st.data(), by_information=st.booleans(), relaxed=st.booleans())
def test_the_cuts_are_those_of_the_slow_twin(data, by_information, relaxed):
    n = data.draw(st.integers(1, 24))

    def numbers(most, length):
        return np.array(data.draw(st.lists(st.integers(0, most), min_size=length, max_size=length)), dtype=np.int64)

    groups = np.concatenate([np.arange(n), numbers(n - 1, data.draw(st.integers(0, 12)))])
    ranks = np.column_stack([numbers(5, n), numbers(2, n), numbers(9, n)])
    labels = numbers(2, len(groups))
    counts = np.zeros((n, 3), dtype=np.int64)
    np.add.at(counts, (groups, labels), 1)
    persons = numbers(9, len(groups)) if data.draw(st.booleans()) else None
    asked = [(data.draw(st.integers(1, 4)), persons)]
    if data.draw(st.booleans()):
        asked += [(2, numbers(3, len(groups))), (2, labels)]
    needs = [Need(least, None if codes is None else pair_counts(groups, codes)[:2]) for least, codes in asked]
    position = np.column_stack([np.arange(10) / scale for scale in (5, 2, 9)])
    cuts = partition(ranks, counts, needs, position, by_information=by_information, relaxed=relaxed)
    found = {frozenset(np.flatnonzero(cuts.leaf_of == leaf).tolist()) for leaf in set(cuts.leaf_of.tolist())}
    twin = Twin(ranks.tolist(), counts.tolist(), groups.tolist(), asked, position.tolist(), by_information, relaxed)
    assert found == twin.leaves(list(range(n)))


# -- relaxed, with hierarchies, diverse -------------------------------------------------------------------------------

TREES = {
    "town": from_paths("town", [("a", "north", "*"), ("d", "north", "*"), ("b", "south", "*"), ("c", "south", "*")])
}
MODES = {
    "relaxed": {"relaxed": True},
    "relaxed-information": {"relaxed": True, "split": "information"},
    "hierarchy": {"labels": "hierarchy"},
    "hierarchy-given": {"labels": "hierarchy", "hierarchies": TREES},
    "hierarchy-relaxed": {"labels": "hierarchy", "relaxed": True, "split": "information"},
    "diverse": {"l": 2},
    "diverse-relaxed": {"l": 2, "relaxed": True, "split": "information"},
}


@pytest.mark.parametrize("mode", MODES)
@given(table=tables(), k=st.integers(2, 4), person=st.sampled_from([None, "who"]))
def test_random_tables_keep_the_promise_in_every_mode(mode, table, k, person):
    assume(len(set(table["y"])) > 1)
    whose = list(range(len(table["y"]))) if person is None else table["who"]
    assume(len(set(whose)) >= k)
    assume("l" not in MODES[mode] or oracles.distinct_l([()] * len(whose), table["y"], whose) >= 2)
    release = Mondrian(k, **MODES[mode]).release(table, Roles(target="y", quasi=QUASI, sensitive=["y"], person=person))
    rows = list(zip(*(release.data.column(name).to_pylist() for name in QUASI), strict=True))
    persons = None if person is None else release.owner.persons.tolist()
    measured = oracles.k_anonymity(rows, persons)
    assert measured >= k
    if "l" in MODES[mode]:
        labels = release.data.column("y").to_pylist()
        assert oracles.distinct_l(rows, labels, persons) >= 2


@pytest.mark.parametrize("asked", ASKED[1:], ids=str)
@pytest.mark.parametrize("mode", [{}, {"split": "information"}, {"relaxed": True}], ids=str)
@given(table=tables(), k=st.integers(2, 3), person=st.sampled_from([None, "who"]))
def test_groups_have_what_they_need_and_no_cut_was_missed(mode, asked, table, k, person):
    """Against the definitions in plain Python: every group, and both sides of every cut that was not made."""
    assume(len(set(table["y"])) > 1)
    table = {**table, "visits": [(7 * i + len(town or "")) % 5 for i, town in enumerate(table["town"])]}
    whose = list(range(len(table["y"]))) if person is None else table["who"]
    roles = Roles(target="y", quasi=["age", "visits"], sensitive=["pay"], person=person)
    method = Mondrian(k, **mode, **asked)
    if not may_be_a_group(table, range(len(whose)), whose, k, asked):
        with pytest.raises(CannotRelease):
            method.release(table, roles)
        return
    release = method.release(table, roles)
    assert release.verdict.holds
    published = {name: release.data.column(name).to_pylist() for name in release.columns}
    owners = list(range(len(whose))) if person is None else release.owner.persons.tolist()
    for mine in _groups(published, roles.quasi):
        assert may_be_a_group(published, mine, owners, k, asked)
    if "relaxed" in mode:
        return
    recoded = release.recode(table)
    for mine in _groups({name: recoded.column(name).to_arrow().to_pylist() for name in roles.quasi}, roles.quasi):
        for name in roles.quasi:
            for border in {table[name][i] for i in mine} - {None}:
                left = [i for i in mine if table[name][i] is not None and table[name][i] < border]
                right = [i for i in mine if i not in left]
                assert not left or not all(may_be_a_group(table, side, whose, k, asked) for side in (left, right))


def _groups(table, names):
    """The row numbers of each group of rows that are equal in these columns."""
    rows = list(zip(*(table[name] for name in names), strict=True))
    return [[i for i, row in enumerate(rows) if row == one] for one in set(rows)]


@pytest.mark.parametrize("split", ["median", "information"])
@given(table=tables(), k=st.integers(2, 3), person=st.sampled_from([None, "who"]))
def test_relaxed_labels_are_true_of_the_cells_they_replace(split, table, k, person):
    whose = list(range(len(table["y"]))) if person is None else table["who"]
    assume(len(set(table["y"])) > 1 and len(set(whose)) >= k)
    roles = Roles(target="y", quasi=QUASI, person=person)
    method = Mondrian(k, split=split, relaxed=True)
    published = method._plan(Table.of(table), roles, Randomness(0)).published
    few = [t for t in "abcd" if len({w for w, town in zip(whose, table["town"], strict=True) if town == t}) < k]
    for name in QUASI:
        source = ["other" if name == "town" and value in few else value for value in table[name]]
        (column,) = published[name]
        for label, value in zip(column.to_arrow().to_pylist(), source, strict=True):
            assert inside(label, value), (name, label, value)


@given(table=tables(), k=st.integers(2, 4), is_given=st.booleans())
def test_a_group_is_written_as_the_lowest_label_its_values_share(table, k, is_given):
    assume(len(set(table["y"])) > 1 and len(table["y"]) >= k and set(table["town"]) != {None} != set(table["age"]))
    method, source = Mondrian(k, labels="hierarchy", hierarchies=TREES if is_given else None), Table.of(table)
    plan = method._plan(source, Roles(target="y", quasi=QUASI), Randomness(0)).plan
    leaf_of = plan.leaves(source).tolist()
    few = {town for town, rows in Counter(table["town"]).items() if rows < k}
    towns = table["town"] if is_given else ["other" if t and t in few else t for t in table["town"]]
    written = {"town": towns} if is_given else {"age": table["age"], "pay": table["pay"], "town": towns}
    for name, values in written.items():
        tree = TREES["town"] if is_given else automatic(Table.of({name: values}).column(name))
        paths = dict(zip(tree.values, tree.paths, strict=True))
        labels = plan.apply(source)[name][0].to_arrow().to_pylist()
        for leaf in set(leaf_of):
            mine = {i for i, other in enumerate(leaf_of) if other == leaf}
            known = [None if values[i] is None else paths[str(values[i]).removesuffix(".0")] for i in mine]
            rows = Counter(str(value).removesuffix(".0") for value in values)
            rare = {text for text in rows if rows[text] < k and text != "other"}
            assert {labels[i] for i in mine} == {lowest(known, rare)}


def lowest(paths, rare):
    """The lowest label that all paths have and that is no rare value, missing aside."""
    known = [path for path in paths if path is not None]
    if not known:
        return None
    shared = (labels[0] for labels in zip(*known, strict=True) if len(set(labels)) == 1)
    label = next(label for label in shared if label not in rare | {f"[{n}, {int(n) + 1})" for n in rare if n.isdigit()})
    return label if None not in paths or label == "*" else f"{label} or missing"


def test_rows_at_the_cut_are_shared_by_hand():
    """Ages 1 2 2 2 2 3 at k = 3: no cut between ages leaves three on both sides; the four of age 2 can be shared."""
    table, roles = {"age": [1, 2, 2, 2, 2, 3], "y": [0, 1] * 3}, Roles(target="y", quasi=["age"])
    assert set(Mondrian(3).release(table, roles).data.column("age").to_pylist()) == {"*"}
    release = Mondrian(3, relaxed=True).release(table, roles)
    assert Counter(release.data.column("age").to_pylist()) == {"< 3": 3, ">= 2": 3}
    assert release.recode({"age": [0, 2, 9]}).column("age").to_arrow().to_pylist() == ["< 3", "< 3", ">= 2"]


def test_missing_at_the_cut_is_shared_too():
    table = {"age": [1, None, None, None, None, None], "y": [0, 1] * 3}
    release = Mondrian(3, relaxed=True).release(table, Roles(target="y", quasi=["age"]))
    assert Counter(release.data.column("age").to_pylist()) == {"*": 3, None: 3}


def test_chance_decides_who_is_shared():
    table = {"age": [1] * 4 + [2] * 12 + [3] * 4, "mark": list(range(20)), "y": [0, 1] * 10}
    roles = Roles(target="y", quasi=["age"], other=["mark"], allow_unique=["mark"])
    sides = []
    for seed in range(4):
        rows = Mondrian(10, relaxed=True, random_state=seed).release(table, roles).data.to_pylist()
        sides.append(frozenset(row["mark"] for row in rows if row["age"] == "< 3"))
    assert len(set(sides)) == 4
    assert all(set(range(4)) <= side <= set(range(16)) for side in sides)


def test_groups_follow_the_tree_by_hand():
    """In the order of the tree, a d b c, the median cut parts the regions; by name it would part a b from c d."""
    table, roles = {"town": list("abcd") * 2, "y": [0, 1] * 4}, Roles(target="y", quasi=["town"])
    release = Mondrian(4, labels="hierarchy", hierarchies=TREES).release(table, roles)
    assert Counter(release.data.column("town").to_pylist()) == {"north": 4, "south": 4}
    assert release.certificate.method.parameters["hierarchies"] == ["town"]


def test_a_hierarchy_across_the_classes_tells_as_much_as_none():
    """One town of each land is of another class; only an order that mixes the lands brings these together."""
    rng = np.random.default_rng(4)
    lands = {f"{land}{town}": land for land in "ABCDE" for town in range(4)}
    tree = from_paths("town", [(town, land, "*") for town, land in lands.items()])

    def people():
        town, age = rng.choice([*lands], 1000), rng.integers(18, 90, 1000)
        y = rng.random(1000) < np.where([one.endswith("1") for one in town], 0.75, 0.35)
        return {"town": town.tolist(), "age": age.tolist(), "y": y.astype(int).tolist()}

    learnt, asked, told = people(), people(), []
    for hierarchies in (None, {"town": tree}):
        method = Mondrian(5, split="information", hierarchies=hierarchies)
        release = method.release(learnt, Roles(target="y", quasi=["town", "age"]))
        cells = [
            [*zip(*(t[name].to_pylist() for name in ("town", "age")), strict=True)]
            for t in (release.data, release.recode(asked).to_arrow())
        ]
        classes = {}
        for cell, y in zip(cells[0], release.data["y"].to_pylist(), strict=True):
            classes.setdefault(cell, []).append(y)
        told.append(
            np.mean([(np.mean(classes[cell]) > 0.5) == y for cell, y in zip(cells[1], asked["y"], strict=True)])
        )
    assert told[1] >= told[0] - 0.01


@pytest.mark.parametrize("split", ["median", "information"])
def test_a_hierarchy_of_one_column_takes_no_detail_from_any(split):
    """Part of a branch is written by its values, and columns without a hierarchy as if there were none at all."""
    random = np.random.default_rng(0)
    age, town = random.integers(20, 80, 600), random.integers(0, 12, 600)
    table = {"age": age, "town": [f"t{i:02d}" for i in town], "y": (age + 8 * (town % 4) > 60).astype(int)}
    tree = from_paths("town", [(f"t{i:02d}", ("few" if i == 11 else f"region {i // 4}"), "*") for i in range(12)])
    roles = Roles(target="y", quasi=["age", "town"])
    without = Mondrian(5, split=split).release(table, roles)
    release = Mondrian(5, split=split, labels="hierarchy", hierarchies={"town": tree}).release(table, roles)
    assert {"region 0", "region 1", "{t08, t09}"} & set(release.data.column("town").to_pylist())
    if split == "information":  # median cuts are written by the lowest label of the group, as in the papers
        assert release.detail.whole > without.detail.whole - 0.03
    ages = set(release.data.column("age").to_pylist())
    assert any(re.fullmatch(r"\[\d+, \d+\)", label) for label in ages)
    assert len(ages) > 6


def test_numbers_along_a_hierarchy_are_labelled_up_to_the_cuts():
    """Not up to the values that happen to occur in a group, which made twice as many labels."""
    rng = np.random.default_rng(8)
    table = {"age": rng.integers(20, 60, 400), "pay": rng.integers(0, 900, 400), "y": rng.integers(0, 2, 400)}
    decades = from_paths("age", [(str(age), f"{age // 10}0s", "*") for age in range(18, 62)])
    found = []
    for hierarchies in (None, {"age": decades}):
        release = Mondrian(5, hierarchies=hierarchies).release(table, Roles(target="y", quasi=["age", "pay"]))
        found.append(Counter(release.data["age"].to_pylist()))
    assert len(found[1]) <= 1.1 * len(found[0])


@pytest.mark.parametrize("split", ["median", "information"])
def test_numbers_whose_labels_are_no_neighbours_are_cut_along_their_tree(split):
    """Cut as numbers, groups were labelled by all branches between their ends on the line, which overlapped."""
    rng = np.random.default_rng(8)
    table = {"age": rng.integers(20, 60, 600), "sex": rng.choice([*"fm"], 600), "y": rng.integers(0, 2, 600)}
    parity = from_paths("age", [(str(age), "even" if age % 2 == 0 else "odd", "*") for age in range(20, 60)])
    method = Mondrian(5, split=split, least=5, hierarchies={"age": parity})
    release = method.release(table, Roles(target="y", quasi=["age", "sex"]))
    names = ["age", "sex"]
    rows = [
        Counter(zip(*(data.column(name).to_pylist() for name in names), strict=True))
        for data in (release.data, release.recode(table).to_arrow())
    ]
    assert rows[0] == rows[1]
    assert min(rows[0].values()) >= 5


def test_numbers_at_median_cuts_are_written_by_the_labels_of_their_hierarchy():
    decades = from_paths("age", [(str(age), f"{age // 10}0s", "*") for age in range(20, 60)])
    table = {"age": [*range(20, 60)], "y": [0, 1] * 20}
    release = Mondrian(10, labels="hierarchy", hierarchies={"age": decades}).release(
        table, Roles(target="y", quasi=["age"])
    )
    assert set(release.data.column("age").to_pylist()) == {"20s", "30s", "40s", "50s"}


def test_what_is_tried_for_a_larger_k_is_tried_for_a_smaller_one():
    """A smaller k need not make worse groups: 20, 200, 2000 are no sizes among 5, 50, 500, but of one series."""
    tried = {k: {*takewhile(lambda size: size <= 5000, sizes_from(k))} for k in (2, 3, 5, 20, 50, 100)}
    for k, larger in pairwise(tried):
        assert tried[larger] < tried[k] | {larger}
    assert tried[20] == {20, 50, 100, 200, 500, 1000, 2000, 5000}


@pytest.mark.parametrize("k", [2, 5, 20])
def test_groups_that_mislead_about_a_rare_class_are_not_taken(k):
    """1 % of the rows, told by two of five columns: in groups of k chance says more, whatever their detail."""
    random, n = np.random.default_rng(5), 6000
    hour, amount = random.integers(0, 24, n), np.exp(random.normal(4, 1.2, n)).round(2)
    likely = 0.005 + 0.03 * (amount > 250) + 0.02 * (hour < 5)
    table = {"hour": hour, "amount": amount, "fraud": (random.random(n) < likely).astype(int)}
    table |= {
        name: random.choice([*values], n) for name, values in {"card": "abc", "land": "pqrstuvw", "sex": "fm"}.items()
    }
    roles = Roles(target="fraud", quasi=["hour", "amount", "card", "land", "sex"])
    assert Mondrian(k, split="information").release(table, roles).verdict.measured >= 100


def test_post_codes_and_ages_are_written_by_automatic_trees():
    table = {
        "zip": ["01067", "01069", "01097", "10115", "10117", "10119"],
        "age": [31, 32, 33, 61, 62, 63],
        "y": [0, 1] * 3,
    }
    release = Mondrian(3, labels="hierarchy").release(table, Roles(target="y", quasi=["zip", "age"]))
    assert Counter(release.data.column("zip").to_pylist()) == {"010**": 3, "1011*": 3}
    assert Counter(release.data.column("age").to_pylist()) == {"< 50": 3, ">= 50": 3}


def test_diversity_is_kept_in_every_group():
    """Cutting between 4 and 5 would part the ill from the well; the only cut left is none."""
    table = {"age": list(range(8)), "ill": ["flu"] * 4 + ["none"] * 4, "y": [0, 1] * 4}
    roles = Roles(target="y", quasi=["age"], sensitive=["ill"])
    assert len(set(Mondrian(2).release(table, roles).data.column("age").to_pylist())) == 4
    release = Mondrian(2, l=2).release(table, roles)
    assert set(release.data.column("age").to_pylist()) == {"*"}
    assert release.verdict.parts[1].measured == 2


def test_parameters_that_contradict_each_other_are_refused():
    table = {"age": list(range(8)), "ill": ["flu"] * 4 + ["none"] * 4, "y": [0, 1] * 4}
    roles = Roles(target="y", quasi=["age"], sensitive=["ill"])
    with pytest.raises(CannotRelease, match="l = 3 was asked, but column 'ill' has 2 different values"):
        Mondrian(2, l=3).release(table, roles)
    with pytest.raises(RolesError, match="l = 2 is about sensitive columns"):
        Mondrian(2, l=2).release(table, Roles(target="y", quasi=["age"]))
    with pytest.raises(ParameterError, match="labels='readable' or labels='hierarchy' only"):
        Mondrian(2, labels="local", hierarchies={"age": TREES["town"]}).release(table, roles)
    with pytest.raises(ParameterError, match="grids with labels='cuts' only"):
        Mondrian(2, grids={"age": [3]}).release(table, roles)
    with pytest.raises(RolesError, match="There are grids for 'aeg'"):
        Mondrian(2, labels="cuts", grids={"aeg": [3]}).release(table, roles)
    with pytest.raises(ParameterError, match="Grids are a list for each column"):
        Mondrian(2, labels="cuts", grids={"age": "3"}).release(table, roles)
    with pytest.raises(DataError, match="cuts of 'age' must be finite and strictly increasing"):
        Mondrian(2, labels="cuts", grids={"age": [3, 3]}).release(table, roles)
    with pytest.raises(DataError, match="must list different categories, none of them '\\*'"):
        Mondrian(2, labels="cuts", grids={"town": ["a", "*"]}).release(
            {"town": list("aabb"), "y": [0, 1, 0, 1]}, Roles(target="y", quasi=["town"])
        )
    with pytest.raises(DataError, match="does not cover column 'age'"):
        Mondrian(2, labels="hierarchy", hierarchies={"age": TREES["town"]}).release(table, roles)


# -- values that few persons have -------------------------------------------------------------------------------------


def written(release, name):
    return set(release.data.column(name).to_pylist())


@pytest.mark.parametrize(
    ("rare", "common", "label"),
    [("01067", "01069", "0106* or missing"), (31, 33, "*"), ("2020-03-05", "2020-03-09", "2020-03 or missing")],
)
def test_a_value_and_missing_cells_are_not_written_as_the_value(rare, common, label):
    """The first five are a group: a code, age or day that one person has, and four missing cells."""
    table = {"c": [rare, *[None] * 4, *[common] * 5], "part": [0] * 5 + [1] * 5, "y": [0, 1] * 5}
    release = Mondrian(5, labels="hierarchy").release(table, Roles(target="y", quasi=["c", "part"]))
    assert written(release, "c") == {label, str(common)}
    assert str(rare).encode() not in release.record


def test_a_given_hierarchy_costs_median_cuts_little():
    """No label but `*` holds two of these towns: with one label each, groups of two towns would not tell them."""
    rng = np.random.default_rng(3)
    table = {"town": rng.choice([*"abcdefghijkl"], 300).tolist(), "age": rng.integers(20, 80, 300).tolist()}
    roles = Roles(quasi=["town", "age"])
    flat = {"town": from_paths("town", [(town, "*") for town in "abcdefghijkl"])}
    none, given = Mondrian(20).release(table, roles), Mondrian(20, hierarchies=flat).release(table, roles)
    assert given.verdict.holds
    assert given.detail.columns["town"] > 0.9 * none.detail.columns["town"]
    assert all(label in {*"abcdefghijkl", "*"} or "{" in label for label in written(given, "town"))


def test_a_label_above_the_leaves_that_names_a_rare_value_gives_way():
    """One person lives in a, whose name the label above it repeats."""
    north = [("a", "a and b", "north", "*"), ("b", "a and b", "north", "*"), ("c", "c", "north", "*")]
    towns = from_paths("town", [*north, ("d", "d", "d", "*")])
    table, roles = {"town": [*"abbbccccdddd"], "y": [0, 1] * 6}, Roles(target="y", quasi=["town"])
    release = Mondrian(4, labels="hierarchy", hierarchies={"town": towns}).release(table, roles)
    assert written(release, "town") == {"north", "c", "d"}
    assert b"a and b" not in release.record


def test_categories_that_are_not_named_are_one_place_of_the_line():
    """A cut between two of them would write both sides alike."""
    towns = from_paths("town", [*((town, "north", "*") for town in "ab"), *((town, "south", "*") for town in "cdef")])
    table = Table.of({"town": [*"aaaaabbbbbeeeeecd"], "y": [0, 1] * 8 + [0]})
    axis = tree_axis(CodedRows.of(table, ["town"], target="y"), "town", rarest=2, given=towns, by_branches=True)
    assert [axis.tree.label((rank,)) for rank in range(axis.n_values)] == ["e", "b", "a", "other"]
    assert axis.rank_of_code[:-1].tolist() == [2, 1, 3, 3, 0]


# -- labels that follow from the cuts ---------------------------------------------------------------------------------


def tables_of_groups(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 90))
    table = {
        "age": [None if rng.random() < 0.1 else int(a) for a in rng.integers(18, 80, n)],
        "pay": [float(p) for p in np.round(rng.lognormal(3, 1, n), 1)],
        "town": [None if rng.random() < 0.1 else str(t) for t in rng.choice([*"abcdefgh"], n)],
        "y": rng.permutation(np.arange(n) % 2).tolist(),
    }
    return table, Roles(target="y", quasi=["age", "pay", "town"])


def region_of(plan, leaf):
    """For each column where the region of a leaf begins and ends, and whether missing belongs to it."""
    parent = {}
    for node in np.flatnonzero(plan.column >= 0):
        parent[int(plan.left[node])], parent[int(plan.left[node]) + 1] = (int(node), 0), (int(node), 1)
    node = next(int(n) for n in np.flatnonzero(plan.column < 0) if plan.left[n] == leaf)
    low, high, missing = [-np.inf] * 3, [np.inf] * 3, [True] * 3
    while node in parent:
        node, side = parent[node]
        c, cut = int(plan.column[node]), plan.cut[node]
        if side == 0:
            high[c], missing[c] = min(high[c], cut), False
        else:
            low[c] = max(low[c], cut)
    return low, high, missing


@pytest.mark.parametrize("split", ["median", "information"])
@pytest.mark.parametrize("seed", range(8))
def test_a_label_is_that_of_the_region_whatever_values_lie_in_it(seed, split):
    """Values of each group are replaced by others of its region: the same cuts write the same labels."""
    table, roles = tables_of_groups(seed)
    method, source = Mondrian(3, labels="cuts", split=split), Table.of(table)
    axes = method._axes(CodedRows.of(source, roles.quasi, target=roles.target), roles, method.k)
    plan = method._plan(source, roles, Randomness(0)).plan
    leaf_of, rng = plan.leaves(source), np.random.default_rng(seed)
    moved = np.column_stack([axis.rank_of_code[source.column(axis.name).codes] for axis in axes])
    for leaf in set(leaf_of.tolist()):
        low, high, missing = region_of(plan, leaf)
        for c, axis in enumerate(axes):
            places = np.append(axis.numbers if axis.numbers is not None else np.arange(axis.n_values), np.inf)
            inside = (places >= low[c]) & (places < high[c])
            inside[-1] = missing[c] and axis.column.has_missing
            moved[leaf_of == leaf, c] = rng.choice(np.flatnonzero(inside), int((leaf_of == leaf).sum()))
    again = recode(axes, lambda c: moved[:, c], leaf_of, plan.column, plan.cut, plan.left)
    assert (again.labels, again.meanings) == (plan.labels, plan.meanings)
    assert (again.codes == plan.codes).all()
    local = recode(
        [replace(axis, by_cuts=False) for axis in axes],
        lambda c: moved[:, c],
        leaf_of,
        plan.column,
        plan.cut,
        plan.left,
    )
    assert split == "information" or local.labels[2] != plan.labels[2]  # sets that occur do depend on the values


def test_groups_that_are_larger_than_asked_are_told():
    rng = np.random.default_rng(5)
    table = {"age": rng.integers(18, 90, 1500), "pay": rng.integers(0, 5000, 1500)}
    table["y"] = np.where(rng.random(1500) < 0.35 + 0.3 * (table["age"] > 50), "yes", "no")
    roles = Roles(target="y", quasi=["age", "pay"])
    release = Mondrian(5, split="information").release(table, roles)
    assert release.verdict.measured > 50
    (note,) = release.owner.notes
    assert re.match(r"Groups of at least [\d,]+ were taken because .*; `--set least=5` keeps more detail\.", note)
    for asked in (Mondrian(5, split="information", least=5), Mondrian(5)):
        assert not asked.release(table, roles).owner.notes


def test_cuts_lie_at_round_places():
    """Between 38 and 41 the middle is 39, between 38 and 44 it is 41; the roundest number is 40 in both cases."""
    roles = Roles(target="y", quasi=["age"])
    for age, middle in ((41, 39), (44, 41)):
        table = {"age": [31, 34, 38, age, 47, 49], "y": [0, 1] * 3}
        assert written(Mondrian(3, labels="local").release(table, roles), "age") == {f"< {middle}", f">= {middle}"}
        for labels in ("cuts", "readable"):
            assert written(Mondrian(3, labels=labels).release(table, roles), "age") == {"< 40", ">= 40"}
    days = {"day": ["2019-11-05", "2019-12-24", "2020-01-09", "2020-02-01"], "y": [0, 1, 0, 1]}
    release = Mondrian(2, labels="cuts").release(days, Roles(target="y", quasi=["day"]))
    assert written(release, "day") == {"< 2020-01-01", ">= 2020-01-01"}


def test_columns_of_public_grids_are_cut_at_their_borders_only():
    rng = np.random.default_rng(4)
    table = {"age": rng.integers(18, 80, 90), "town": rng.choice([*"abcdxyz"], 90), "y": [0, 1] * 45}
    grids, roles = {"age": [25, 45, 65], "town": list("dcba")}, Roles(target="y", quasi=["age", "town"])
    method = Mondrian(4, labels="cuts", grids=grids)
    release = method.release(table, roles)
    ends = {float(end) for label in written(release, "age") for end in re.findall(r"\d+", label)}
    assert ends <= {25, 45, 65}
    assert ends
    named = {name for label in written(release, "town") for name in re.findall(r"\w+", label)} - {"not"}
    assert named <= {*"abcd", "other"}
    assert release.certificate.method.parameters["grids"] == ["age", "town"]
    recoded = release.recode(table).to_arrow().to_pylist()
    assert Counter(map(str, recoded)) == Counter(map(str, release.table.to_arrow().to_pylist()))


def test_downcoding_finds_less_in_labels_of_cuts():
    """Minimal labels tell which groups hold exactly one row of the rare kind; those of cuts tell what was known."""
    found = {}
    methods = {
        "hierarchy": Mondrian(5, labels="hierarchy", hierarchies=downcoding_trees()),
        "cuts": Mondrian(5, labels="cuts"),
        "grids": Mondrian(5, labels="cuts", grids=halves()),
    }
    for name, method in methods.items():
        table = downcoding_table(0)
        found[name] = what_labels_tell(table, method.release(table, ROLES).table.to_arrow().to_pylist())
    prior, forms = found["hierarchy"]
    assert 0.15 < prior.share < 0.3
    assert forms["cluster"].share > 0.75
    assert forms["cluster"].right == prior.right  # all of them are found
    for name in ("cuts", "grids"):
        prior, forms = found[name]
        assert forms["low"].cells == 0
        likely = 4 * np.sqrt(prior.share * (1 - prior.share) / np.maximum([f.cells for f in forms.values()], 1))
        assert all(abs(f.share - prior.share) < e for f, e in zip(forms.values(), likely, strict=True) if f.cells)


# -- by hand ----------------------------------------------------------------------------------------------------------


def test_median_halves_by_hand():
    """Ages 1..8 at k = 2: cut at 5, then at 3 and 7; groups of two."""
    table = {"age": list(range(1, 9)), "y": [0, 1] * 4}
    release = Mondrian(2).release(table, Roles(target="y", quasi=["age"]))
    assert Counter(release.data.column("age").to_pylist()) == {"< 3": 2, "[3, 5)": 2, "[5, 7)": 2, ">= 7": 2}


def test_information_cuts_where_the_class_changes():
    table = {"age": list(range(12)), "noise": [0, 5] * 6, "y": ["a"] * 3 + ["b"] * 9}
    release = Mondrian(3, split="information").release(table, Roles(target="y", quasi=["noise", "age"]))
    pairs = set(zip(release.data.column("age").to_pylist(), release.data.column("y").to_pylist(), strict=True))
    assert all(len({y for age, y in pairs if age == label}) == 1 for label, _ in pairs)


def test_a_table_that_cannot_be_cut_is_suppressed_as_a_whole():
    table = {"age": [1, 2, 3], "town": list("abc"), "y": [0, 1, 0]}
    release = Mondrian(2).release(table, Roles(target="y", quasi=["age", "town"]))
    assert set(release.data.column("age").to_pylist()) == {"*"}
    assert release.changes.suppressed_cells >= 3


def test_single_whole_numbers_are_written_as_such():
    table = {"age": [40] * 5 + [41] * 5 + [42] * 5, "y": [0, 1, 0] * 5}
    release = Mondrian(5).release(table, Roles(target="y", quasi=["age"]))
    assert set(release.data.column("age").to_pylist()) == {"< 41", "41", ">= 42"}  # others may be younger or older
    flags = {"age": [0] * 5 + [1] * 5, "y": [0, 1] * 5}
    release = Mondrian(5).release(flags, Roles(target="y", quasi=["age"]))
    assert set(release.data.column("age").to_pylist()) == {"0", "1"}
    by_cuts = Mondrian(5, labels="cuts").release(flags, Roles(target="y", quasi=["age"]))
    assert set(by_cuts.data.column("age").to_pylist()) == {"< 1", ">= 1"}  # whatever values are in it


def test_dates_are_cut_as_dates():
    days = [f"2024-0{month}-15" for month in range(1, 9)]
    release = Mondrian(4).release({"day": days, "y": [0, 1] * 4}, Roles(target="y", quasi=["day"]))
    assert set(release.data.column("day").to_pylist()) == {"< 2024-05-01", ">= 2024-05-01"} or all(
        label.startswith(("< 2024-0", ">= 2024-0")) for label in release.data.column("day").to_pylist()
    )


def test_infinite_numbers_are_refused():
    table = {"pay": [1.5, float("inf"), 2.5, 3.5], "y": [0, 1, 0, 1]}
    with pytest.raises(DataError, match="'pay' holds infinite numbers"):
        Mondrian(2).release(table, Roles(target="y", quasi=["pay"]))


def test_many_distinct_numbers_are_sorted_not_counted():
    """Sparse ranks take the sorting path of the kernel; the result is as for dense ones."""
    rng = np.random.default_rng(2)
    numbers = np.sort(rng.choice(10**6, 3000, replace=False))
    table = {"n": numbers.tolist(), "m": rng.permutation(numbers).tolist(), "y": (numbers % 2).tolist()}
    release = Mondrian(5).release(table, Roles(target="y", quasi=["n", "m"]))
    assert release.verdict.measured >= 5
    assert release.verdict.details["groups"] > 200


def test_baskets_are_refused():
    with pytest.raises(DataError, match="Mondrian releases table, not baskets"):
        Mondrian(2).release(np.eye(3), [0, 1, 1])


@pytest.mark.data
def test_adult_at_k_5():
    from discreet.samples import load

    sample = load("adult_arx")
    for split in ("median", "information"):
        release = Mondrian(5, split=split).release(sample.data, sample.roles)
        assert release.verdict.holds
        assert len(release.table) == 30_162
        assert release.verdict.details["groups"] > 3000
