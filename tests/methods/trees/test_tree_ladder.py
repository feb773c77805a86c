# SPDX-License-Identifier: Apache-2.0
import math
import os
import sys
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
from discreet import CannotRelease, Roles, Table, TreeLadder
from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.tree_ladder import _climb, _fill, _leaves
from discreet.methods.trees.tree_ladder_choice import chosen_tree
from discreet.methods.trees.tree_ladder_rungs import Ladder
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


@given(table=tables(), k=st.integers(2, 4), detail=st.booleans(), person=st.sampled_from([None, "who"]))
def test_random_tables_are_k_anonymous_and_recode_to_the_release(table, k, detail, person):
    assume(len(set(table["y"])) > 1)
    roles = Roles(target="y", quasi=QUASI, person=person)
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


def slow_climb(bins, rows, ladders, leaf, k):
    """Rungs of each distinct row: every step recounted from nothing."""
    top = [ladder.top for ladder in ladders]
    rungs, at, climbing = {}, [0] * len(ladders), set(range(len(bins)))

    def alike(at):
        sets = defaultdict(list)
        for r in climbing:
            sets[leaf[r], *(ladders[c].bins[at[c]][bins[r][c]] for c in range(len(at)))].append(r)
        return {r for members in sets.values() if sum(rows[m] for m in members) >= k for r in members}

    while climbing:
        for r in alike(at):
            rungs[r] = tuple(at)
        climbing -= set(rungs)
        scores = {}
        for c in range(len(at)):
            if at[c] < top[c]:
                freed = sum(rows[r] for r in alike([a + (i == c) for i, a in enumerate(at)]))
                loss = max(ladders[c].information[at[c]] - ladders[c].information[at[c] + 1], 0)
                scores[c] = round((freed + 1) / (loss + 1e-4), 6)
        if not scores:
            break
        at[max(scores, key=lambda c: (scores[c], -c))] += 1
    return [rungs.get(r, tuple(top)) for r in range(len(bins))]


@given(table=tables(), k=st.integers(2, 4), trust=st.integers(2, 8))
def test_the_climb_equals_its_slow_twin(table, k, trust):
    assume(len(set(table["y"])) > 1)
    coded = Table.of(table)
    ladders = ladders_of(coded, k, 4)
    bins = [ladder.codes() for ladder in ladders]
    rows, _ = CodedRows.of(coded, QUASI, target="y").merged(bins, [ladder.n_bins for ladder in ladders])
    leaf, *_ = _leaves(rows, *chosen_tree(rows.codes, rows.counts, max(trust, k))[:2], k)
    bins = rows.codes.tolist()
    rungs = _climb(rows, ladders, leaf, k)
    assert list(map(tuple, rungs.tolist())) == slow_climb(bins, rows.rows.tolist(), ladders, leaf.tolist(), k)
    before = rungs.copy()
    _fill(rows, ladders, leaf, rungs, k)
    assert (rungs >= before).all()


def test_nothing_is_suppressed_that_k_persons_share():
    """With one group and one rung to climb from, whoever is alike to k others in all bins is published with them."""
    table = {"a": ["x"] * 6 + ["y"] * 6, "b": ["u"] * 6 + ["v"] * 5 + ["u"], "y": [0, 1] * 6}
    release = TreeLadder(3, trust=12, detail=True).release(table, Roles(target="y", quasi=["a", "b"]))
    assert Counter(map(tuple, zip(*release.data.select(["a", "b"]).to_pydict().values(), strict=True)))["x", "u"] == 6


def test_detail_keeps_more_cells():
    sample = load("tic_tac_toe")
    loss = {
        detail: TreeLadder(5, detail=detail, random_state=0).release(sample.data, sample.roles).losses.information_loss
        for detail in (False, True)
    }
    assert loss[True] < loss[False] / 1.2


def calls_in(work, names):
    """How often functions of these names of discreet are called while `work` is done."""
    found = Counter()

    def watch(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_name in names and f"discreet{os.sep}" in code.co_filename:
            found[code.co_name] += 1

    sys.setprofile(watch)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def test_nothing_is_coded_or_grouped_again_and_again(tmp_path):
    """Making, checking, writing and verifying a release of a table with nine columns: each counts what it must once."""
    sample = load("clinic", rows=500, random_state=7)
    roles = Roles(target="readmitted", quasi=["age", "sex", "zip", "occupation", "marital"], other=["stay_days"])
    table = Table(sample.data.columns())
    calls = calls_in(lambda: TreeLadder(5).release(table, roles).save(tmp_path / "out"), ("encode", "group"))
    assert calls["encode"] <= 12  # none here: the columns are coded already
    assert 0 < calls["group"] <= 12
