# SPDX-License-Identifier: Apache-2.0
import math
import os
import re
import sys
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
from discreet import CannotRelease, Roles, RolesError, Table, TreeLadder, verify
from discreet.counting.coded_rows import CodedRows
from discreet.errors import ParameterError
from discreet.methods.column_weights import ColumnWeights
from discreet.methods.group_needs import GroupNeeds, promise_of
from discreet.methods.trees.label_worth import LabelWorth
from discreet.methods.trees.tree_ladder_climb import climb, steps_of
from discreet.methods.trees.tree_ladder_growth import grow
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_ways import leaves
from discreet.recoding.axis import Axis
from discreet.samples import load

QUASI = ("age", "pay", "town")


@st.composite
def tables(draw):
    n = draw(st.integers(4, 40))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    return {
        "age": column(st.one_of(st.none(), st.integers(0, 9))),
        "pay": column(st.sampled_from([0.5, 1.25, 2.0, 7.5])),
        "town": column(st.one_of(st.none(), st.sampled_from("abcd"))),
        "who": column(st.integers(0, 12)),
        "y": column(st.sampled_from(["no", "yes", "perhaps"])),
    }


def ladders_of(table, k, bins, person=None, *, readable=True):
    rows = CodedRows.of(table, QUASI, target="y", person=person)
    return [Ladder.of(Axis.of(rows, name, rarest=k, by_class=True, readable=readable), bins) for name in QUASI]


@given(
    table=tables(),
    k=st.integers(2, 4),
    detail=st.sampled_from([0, 0.1, 10]),
    person=st.sampled_from([None, "who"]),
    target=st.sampled_from([None, "y"]),
)
def test_random_tables_are_k_anonymous_and_recode_to_the_release(table, k, detail, person, target):
    assume(len(set(table["y"])) > 1)
    roles = Roles(target=target, quasi=QUASI, person=person)
    method = TreeLadder(k, detail=detail, bins=4)
    persons = len(table["y"]) if person is None else len(set(table["who"]))
    if persons < k:
        with pytest.raises(CannotRelease):
            method.release(table, roles)
        return
    release = method.release(table, roles)
    rows = list(zip(*(release.data.column(name).to_pylist() for name in QUASI), strict=True))
    whose = None if person is None else release.owner.persons.tolist()
    assert oracles.k_anonymity(rows, whose) == release.verdict.measured >= k
    recoded = release.recode(table).to_arrow().select(QUASI).to_pylist()
    assert Counter(map(str, recoded)) == Counter(map(str, release.data.select(QUASI).to_pylist()))


@given(table=tables(), bins=st.integers(2, 6))
def test_a_ladder_is_nested_and_tells_ever_less(table, bins):
    assume(len(set(table["y"])) > 1)
    for ladder in ladders_of(Table.of(table), 2, bins):
        assert ladder.n_bins <= bins
        assert (ladder.bins[0] == np.arange(ladder.n_bins)).all()
        assert (ladder.bins[-1] == 0).all()
        assert (np.diff(ladder.information) <= 1e-9).all()
        for lower, higher in pairwise(ladder.bins):
            assert higher.max() < lower.max() or lower.max() == 0
            assert all(len(set(higher[lower == b])) == 1 for b in np.unique(lower))
            assert (np.diff(higher) >= 0).all()


def bits(counts):
    total = sum(counts)
    return -sum(c * math.log2(c / total) for c in counts if c)


def slow_ladder(counts, most):
    """Rungs of a ladder as lists of (first, last) piece, by trying every pair of neighbours."""
    parts = [(i, i) for i in range(len(counts))]

    def of(part):
        return [sum(c) for c in zip(*counts[part[0] : part[1] + 1], strict=True)]

    rungs, wanted = [], min(most, len(counts))
    while True:
        while len(parts) > wanted:
            loss = [round(bits(of((a[0], b[1]))) - bits(of(a)) - bits(of(b)), 9) for a, b in pairwise(parts)]
            i = loss.index(min(loss))
            parts[i : i + 2] = [(parts[i][0], parts[i + 1][1])]
        rungs.append(list(parts))
        if len(parts) == 1:
            return rungs
        wanted = min(len(parts) - 1, round(0.6 * len(parts)))


@given(table=tables(), bins=st.integers(2, 6))
def test_the_ladder_equals_its_slow_twin(table, bins):
    assume(len(set(table["y"])) > 1)
    coded = Table.of(table)
    for ladder in ladders_of(coded, 2, bins, readable=False):
        axis, target = ladder.axis, coded.column("y")
        n_ranks = axis.n_values + axis.column.has_missing
        counts = [[0] * target.levels for _ in range(n_ranks)]
        for code, label in zip(coded.column(axis.name).codes, target.codes, strict=True):
            counts[axis.rank_of_code[code]][label] += 1
        rungs = slow_ladder(counts, bins)
        assert [rung[0] for rung in rungs[0]] == ladder.starts[:-1].tolist()
        assert len(rungs) == len(ladder.bins)
        for rung, in_bin in zip(rungs, ladder.bins, strict=True):
            of_start = [next(i for i, (a, b) in enumerate(rung) if a <= start <= b) for start in ladder.starts[:-1]]
            assert of_start == in_bin.tolist()


def slow_steps(ladders, detail, weights):
    """The columns that step up, by the share of the class and of the column that each step loses."""

    def of_rung(ladder, rung):
        counts = ladder.axis.counts_of_ranks.tolist()
        values, classes = [sum(c) for c in counts], [sum(c) for c in zip(*counts, strict=True)]
        bins = Counter()
        for rank, n in enumerate(values):
            bins[ladder.bins[rung][max(i for i, start in enumerate(ladder.starts[:-1]) if start <= rank)]] += n
        return ladder.information[rung] / max(bits(classes) / sum(values), 1e-9), bits(bins.values()) / sum(values)

    def score(c, rung):
        (class_before, before), (class_after, after) = (of_rung(ladders[c], r) for r in (rung, rung + 1))
        loss = max(class_before - class_after, 0) + detail / len(ladders) * (before - after) / max(before, 1e-9)
        return round((before - after) / (weights[c] * loss + 1e-5), 6)

    at, steps = [0] * len(ladders), []
    while open_columns := [c for c, ladder in enumerate(ladders) if at[c] < ladder.top]:
        steps.append(max(open_columns, key=lambda c: (score(c, at[c]), -c)))
        at[steps[-1]] += 1
    return steps


@given(table=tables(), detail=st.sampled_from([0.0, 0.1, 3.0]), weights=st.tuples(*[st.sampled_from([0.5, 1, 4])] * 3))
def test_the_steps_equal_their_slow_twin(table, detail, weights):
    assume(len(set(table["y"])) > 1)
    ladders = ladders_of(Table.of(table), 2, 6)
    steps, twin = steps_of(ladders, LabelWorth(detail, np.array(weights))), slow_steps(ladders, detail, weights)
    assert sorted(steps) == sorted(twin)
    at = [0] * len(ladders)
    for step, other in zip(steps, twin, strict=True):  # equal, but for rounding
        if step != other:
            return
        at[step] += 1


def slow_climb(bins, rows, ladders, leaf, k, steps):
    """Rungs of each distinct row before too small rests are filled: every step recounted from nothing."""
    rungs, at, climbing = {}, [0] * len(ladders), set(range(len(bins)))
    for step in [*steps, None]:
        sets = defaultdict(list)
        for r in climbing:
            sets[leaf[r], *(ladders[c].bins[at[c]][bins[r][c]] for c in range(len(at)))].append(r)
        for members in sets.values():
            if sum(rows[m] for m in members) >= k:
                rungs |= dict.fromkeys(members, tuple(at))
        climbing -= set(rungs)
        if step is not None:
            at[step] += 1
    return [rungs.get(r, tuple(ladder.top for ladder in ladders)) for r in range(len(bins))]


def test_the_climb_of_many_columns_equals_its_slow_twin():
    """Twenty columns of up to sixteen bins: 80 bits, which no single number holds."""
    random = np.random.default_rng(4)
    columns = {f"c{c}": random.integers(0, 16, 60).repeat(4) for c in range(20)}
    columns = {name: np.where(random.random(240) < 0.02, 15 - cells, cells) for name, cells in columns.items()}
    coded = Table.of(columns | {"y": random.integers(0, 2, 240)})
    rows = CodedRows.of(coded, [*columns], target="y")
    ladders = [Ladder.of(Axis.of(rows, name, rarest=2, by_class=True, readable=False), 16) for name in columns]
    merged, place = rows.merged([lad.codes() for lad in ladders], [lad.n_bins for lad in ladders])
    met = GroupNeeds.of(rows, Roles(target="y", quasi=[*columns]), promise_of(3)).merged(merged, place).met
    steps, leaf = steps_of(ladders, LabelWorth(0.1, np.ones(20))), np.zeros(len(merged), dtype=np.int64)
    rungs = climb(merged, ladders, steps, leaf, met)
    twin = np.array(slow_climb(merged.codes.tolist(), merged.rows.tolist(), ladders, leaf.tolist(), 3, steps))
    stays = (rungs == twin).all(axis=1)
    assert stays.sum() > 100
    assert len(np.unique(rungs, axis=0)) > 3
    assert (rungs[~stays] == [ladder.top for ladder in ladders]).all()  # who filled up too small rests


@given(table=tables(), k=st.integers(2, 4), trust=st.integers(2, 8), ahead=st.booleans())
def test_the_climb_equals_its_slow_twin(table, k, trust, ahead):
    assume(len(set(table["y"])) > 1)
    coded = Table.of(table)
    ladders = ladders_of(coded, k, 4)
    coded_rows = CodedRows.of(coded, QUASI, target="y")
    rows, place = coded_rows.merged([lad.codes() for lad in ladders], [lad.n_bins for lad in ladders])
    met = GroupNeeds.of(coded_rows, Roles(target="y", quasi=QUASI), promise_of(k)).merged(rows, place).met
    tree = grow(rows.codes, rows.counts, max(trust, k), ahead=ahead)
    leaf, low, high = leaves(rows, tree, tree.pruned(0.69), met)
    assert ((rows.codes >= low[leaf]) & (rows.codes <= high[leaf])).all()
    assert (rows.sizes(leaf, len(low)) >= k).all()
    steps = steps_of(ladders, LabelWorth(0.1, np.ones(3)))
    rungs = climb(rows, ladders, steps, leaf, met)
    twin = np.array(slow_climb(rows.codes.tolist(), rows.rows.tolist(), ladders, leaf.tolist(), k, steps))
    top = [ladder.top for ladder in ladders]
    joined = (rungs != twin).any(axis=1)  # those who filled up too small rests
    assert (rungs[joined] == top).all()
    at_top = (twin == top).all(axis=1)
    for one in np.unique(leaf):
        rest = rows.rows[at_top & (leaf == one)].sum()
        assert joined[leaf == one].any() == (0 < rest < k)


def test_nothing_is_suppressed_that_k_persons_share():
    """With one rung to climb from, whoever is alike to k others in all bins is published with them."""
    table = {"a": ["x"] * 6 + ["y"] * 6, "b": ["u"] * 6 + ["v"] * 5 + ["u"], "y": [0, 1] * 6}
    release = TreeLadder(3, trust=12).release(table, Roles(target="y", quasi=["a", "b"]))
    assert Counter(map(tuple, zip(*release.data.select(["a", "b"]).to_pydict().values(), strict=True)))["x", "u"] == 6


def people(n=600, seed=0):
    """Age and town tell the class, sex and pay do not; sick follows from pay, and region from the town."""
    random = np.random.default_rng(seed)
    age, town = random.integers(18, 80, n), random.integers(0, 6, n)
    sex, pay = random.integers(0, 2, n), random.integers(10, 90, n)
    ill = random.random(n) < 1 / (1 + np.exp(-(0.08 * (age - 49) + 1.2 * (town % 2) - 0.6)))
    return {
        "age": age.tolist(),
        "town": [f"town {t}" for t in town],
        "sex": ["fm"[s] for s in sex],
        "pay": pay.tolist(),
        "ill": [["no", "yes"][int(i)] for i in ill],
        "sick": [int(p > 50) for p in pay],
        "who": random.integers(0, n // 2, n).tolist(),
    }


COLUMNS = ("age", "town", "sex", "pay")


def kept_of(release, table, name):
    """The share of its information that a column keeps: in plain Python."""
    recoded = release.recode(table).to_arrow().column(name).to_pylist()
    together = Counter(zip(recoded, table[name], strict=True))
    return 1 + (bits(Counter(recoded).values()) - bits(together.values())) / bits(Counter(table[name]).values())


def test_detail_is_kept_for_its_own_sake():
    table, roles = people(), Roles(target="ill", quasi=COLUMNS)
    kept = [
        np.mean([kept_of(TreeLadder(10, detail=detail).release(table, roles), table, c) for c in COLUMNS])
        for detail in (0, 5)
    ]
    assert kept[1] > kept[0] + 0.02


def test_the_form_of_weights_is_said_in_words():
    assert "columns, each with a number of at least 0" in ColumnWeights().in_words
    with pytest.raises(ParameterError, match="a dict of columns with floats"):
        TreeLadder(2, weights={"age": -1}).release(
            {"age": [1, 1, 2, 2], "y": [*"abab"]}, Roles(target="y", quasi=["age"])
        )


def test_weights_say_what_is_kept():
    table, roles = people(), Roles(target="ill", quasi=COLUMNS)
    for name in ("pay", "sex"):
        kept = [
            kept_of(TreeLadder(20, weights=weights, detail=1).release(table, roles), table, name)
            for weights in ({name: 0}, {name: 20})
        ]
        assert kept[1] > kept[0]
    with pytest.raises(RolesError, match="weights for 'ill'"):
        TreeLadder(weights={"ill": 1}).release(table, roles)


def test_without_a_target_detail_decides(tmp_path):
    table, roles = people(), Roles(quasi=COLUMNS, other=["sick"])
    release = TreeLadder(5).release(table, roles)
    assert release.verdict.holds
    assert all(kept_of(release, table, name) > 0.1 for name in COLUMNS)
    release.save(tmp_path / "out")
    assert release.roles.target is None


def test_further_targets_are_served():
    """Sick follows from pay alone, which says nothing about the target."""
    table = people()
    roles = Roles(target="ill", quasi=COLUMNS, other=["sick"])
    kept = [
        kept_of(TreeLadder(40, targets=targets, detail=0).release(table, roles), table, "pay")
        for targets in (None, ["sick"])
    ]
    assert kept[1] > kept[0]
    with pytest.raises(RolesError, match="do not publish"):
        TreeLadder(targets=["who"]).release(table, roles)


def test_persons_are_counted_with_targets_and_without():
    table = people()
    for roles, targets in (
        (Roles(target="ill", quasi=COLUMNS, other=["sick"], person="who"), ["sick"]),
        (Roles(quasi=COLUMNS, person="who"), None),
    ):
        release = TreeLadder(7, targets=targets).release(table, roles)
        rows = list(zip(*(release.data.column(name).to_pylist() for name in COLUMNS), strict=True))
        assert oracles.k_anonymity(rows, release.owner.persons.tolist()) >= 7


@pytest.mark.parametrize("needs", [{"l": 2}, {"t": 0.35}, {"l": 1.5, "diversity": "entropy"}, {"label_known": True}])
def test_what_a_group_needs_is_asked_of_every_set(needs, tmp_path):
    table = people(200)
    release = TreeLadder(4, **needs).release(table, Roles(target="ill", quasi=COLUMNS, sensitive=["sick"]))
    assert release.verdict.holds  # recounted by the promise, whose twins are in oracles.py
    assert release.losses.groups.groups > 1
    release.save(tmp_path / "out")
    assert verify(tmp_path / "out" / "release").holds


def test_a_target_that_nothing_predicts_leaves_no_column_blank():
    table = people()
    table["ill"] = np.random.default_rng(3).permutation(table["ill"]).tolist()
    release = TreeLadder(10).release(table, Roles(target="ill", quasi=COLUMNS))
    assert all(len(set(release.data.column(name).to_pylist())) > 1 for name in COLUMNS)
    assert release.losses.information_loss < 0.5


@pytest.mark.parametrize("k", [20, 60, 100])
def test_no_column_is_blank_if_a_set_could_be_told_apart_by_it(k):
    """Every column has two values in halves: a set whose pattern no other row fits is split if both parts have k."""
    random = np.random.default_rng(1)
    table = {name: random.choice(["no", "yes"], 400).tolist() for name in "abcdefgh"}
    table["y"] = table["a"]
    release = TreeLadder(k).release(table, Roles(target="y", quasi=[*"abcdefgh"]))
    rows = release.data.select([*"abcdefgh"]).to_pylist()
    original = release.recode(table).to_arrow().select([*"abcdefgh"]).to_pylist()
    sets = defaultdict(list)
    for place, row in enumerate(original):
        sets[str(row)].append(place)
    for name in "abcdefgh":
        if {row[name] for row in rows} == {"*"}:
            for places in sets.values():
                pattern = original[places[0]]
                fit = [all(pattern[c] in ("*", table[c][i]) for c in "abcdefgh") for i in range(400)]
                if sum(fit) > len(places):
                    continue  # another row would be recoded as one of the parts
                halves = Counter(table[name][place] for place in places)
                assert min(halves.values()) < k


def test_a_limit_on_suppression_is_met_if_a_way_meets_it():
    table, roles = people(), Roles(target="ill", quasi=COLUMNS)
    free = TreeLadder(30, detail=0).release(table, roles)
    limit = free.losses.information_loss - 0.001
    limited = TreeLadder(30, detail=0, max_suppressed=limit).release(table, roles)
    assert limited.losses.information_loss <= limit
    with pytest.raises(CannotRelease, match="max_suppressed"):
        TreeLadder(250, max_suppressed=0.0).release(table, roles)


def test_a_refusal_says_how_much_would_be_suppressed_at_least():
    table, roles = people(), Roles(target="ill", quasi=COLUMNS)
    with pytest.raises(CannotRelease, match="max_suppressed") as refused:
        TreeLadder(30, max_suppressed=0.0).release(table, roles)
    least = float(re.search(r"but ([\d.]+) would be", str(refused.value))[1])
    limited = TreeLadder(30, max_suppressed=least + 0.0001).release(table, roles)
    assert limited.losses.information_loss == pytest.approx(least, abs=0.0001)


def calls_in(work, names, n_rows):
    """How often functions of these names of discreet are called about so many rows while `work` is done."""
    found = Counter()

    def watch(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_name in names and f"discreet{os.sep}" in code.co_filename:
            found[code.co_name] += frame.f_locals.get("n_rows", n_rows) == n_rows

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def test_nothing_is_coded_or_grouped_again_and_again(tmp_path):
    """Making, checking, writing and verifying a release of 500 rows, of which fewer are distinct: what is tried on
    held-out rows is not counted, all else counts what it must once.
    """
    sample = load("clinic", rows=500, random_state=7)
    roles = Roles(target="readmitted", quasi=["age", "sex", "marital"], other=["stay_days"])
    table = Table(sample.data.columns())
    calls = calls_in(lambda: TreeLadder(5).release(table, roles).save(tmp_path / "out"), ("encode", "group"), 500)
    assert calls["encode"] <= 12  # none here: the columns are coded already
    assert 0 < calls["group"] <= 12
