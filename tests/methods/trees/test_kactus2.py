# SPDX-License-Identifier: Apache-2.0
"""The walk over the tree against its slow twin, and the invariants of every output."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.learning.decision_tree import Branch
from discreet.methods.trees.kactus_rows import stocks_of
from discreet.methods.trees.kactus_tree import Nodes
from discreet.methods.trees.kactus_walk import WalkRule, carry_out, decide
from kactus_cases import Case, cases, random_case
from kactus_twin import Row, Twin

RULES = [
    {"k": 2},
    {"k": 3, "swap": 0.5},
    {"k": 4, "swap": 1.0},
    {"k": 5, "pool": True},
    {"k": 3, "swap": 0.7, "pool": True},
    {"k": 2, "l": 2},
    {"k": 4, "l": 3, "swap": 0.8},
    {"k": 3, "l": 2, "pool": True},
]


def walk(case: Case, rule: WalkRule, *, by_person=False):
    """The path that each row is published with (None: left out), and the swapped rows; None when it is impossible."""
    nodes = Nodes.of(case.branches, case.levels)
    ends = nodes.ends(case.cells)
    persons = case.persons if by_person else None
    stocks = stocks_of(
        ends, case.labels, len(nodes), case.rank.__getitem__, persons, [case.sensitive] if rule.l else []
    )
    moves = decide(nodes.children, stocks, rule)
    if moves is None:
        return None
    batch, swapped = carry_out(moves, nodes.parent, ends, case.labels, case.rank.__getitem__)
    paths = []
    for b in batch:
        path, node = {}, 0 if b < 0 else moves.batches[b].node
        while node > 0:
            column = int(nodes.column[node])
            path.setdefault(column, tuple(nodes.codes[node].tolist()))
            node = int(nodes.parent[node])
        paths.append(None if b < 0 else path)
    return paths, set(swapped.tolist())


def twin_of(case: Case, rule: WalkRule, *, by_person=False, **options) -> Twin:
    rows = [
        Row(
            tuple(case.cells[i].tolist()),
            int(case.labels[i]),
            int(case.rank[i]),
            int(case.persons[i]) if by_person else i,
            (int(case.sensitive[i]),),
        )
        for i in range(len(case.cells))
    ]
    return Twin(rows, case.branches, case.levels, rule.k, rule.swap, rule.pool, rule.l, **options)


def node_paths(case: Case) -> set:
    """The paths of all nodes of the tree, and the empty one."""
    nodes = Nodes.of(case.branches, case.levels)
    paths: list[dict] = [{}]
    for node in range(1, len(nodes)):
        codes = tuple(nodes.codes[node].tolist())
        paths.append(paths[nodes.parent[node]] | {int(nodes.column[node]): codes})
    return {frozenset(path.items()) for path in paths}


def fits(cells, path, but=None) -> bool:
    return all(int(cells[column]) in codes for column, codes in path.items() if column != but)


def check_invariants(case: Case, rule: WalkRule, paths, swapped, *, by_person=False) -> None:
    """Eight invariants. No row is used twice and no class altered: each row has one path at most."""
    persons = case.persons if by_person else np.arange(len(case.cells))
    left_out = [i for i, path in enumerate(paths) if path is None]
    assert len(set(persons[left_out].tolist())) < rule.k
    if not by_person:
        assert len(left_out) <= rule.k - 1
    known, groups = node_paths(case), {}
    for i, path in enumerate(paths):
        if path is None:
            continue
        assert frozenset(path.items()) in known  # kept cells form the path of a tree node
        groups.setdefault(frozenset(path.items()), []).append(i)
        if i in swapped:  # every other cell is true, and the swapped one is not
            wrong = [column for column, codes in path.items() if int(case.cells[i][column]) not in codes]
            assert len(wrong) == 1
        else:
            assert fits(case.cells[i], path)
    for members in groups.values():
        assert len(set(persons[members].tolist())) >= rule.k  # every published row looks like k persons
        assert len(set(members) & swapped) <= rule.swap * rule.k + 1e-9
        if rule.l:
            assert len(set(case.sensitive[members].tolist())) >= rule.l
    assert sum(map(len, groups.values())) == len(paths) - len(left_out)
    if not by_person:
        for cells in case.cells:  # whoever links a record finds nobody or k
            found = sum(len(members) for path, members in groups.items() if fits(cells, dict(path)))
            assert found == 0 or found >= rule.k


@pytest.mark.parametrize("by_person", [False, True])
@pytest.mark.parametrize("options", RULES, ids=str)
def test_fast_walk_equals_the_slow_twin(options, by_person):
    rng, rule = np.random.default_rng(11), WalkRule(**options)
    treated = 0
    for number in range(60):
        case = random_case(rng, thresholds=number % 3 == 0)
        found, twin = walk(case, rule, by_person=by_person), twin_of(case, rule, by_person=by_person)
        if found is None:
            assert twin.impossible
            continue
        paths, swapped = found
        assert paths == [twin.published.get(i) for i in range(len(case.cells))]
        assert swapped == twin.swapped
        treated += bool(twin.batches)
    assert treated > 20


def test_the_invariants_hold_on_a_thousand_random_tables_and_the_twin_agrees():
    met = Counter()

    @settings(max_examples=1000)
    @given(
        case=cases(),
        k=st.sampled_from([2, 3, 4, 5, 8]),
        swap=st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.0]),
        pool=st.booleans(),
        l=st.sampled_from([0, 0, 2, 3]),
        by_person=st.booleans(),
    )
    def hold(case, k, swap, pool, l, by_person):  # noqa: E741
        rule = WalkRule(k, l, swap, pool)
        found, twin = walk(case, rule, by_person=by_person), twin_of(case, rule, by_person=by_person)
        assert (found is None) == twin.impossible
        if found is None:
            assert l or by_person
            return
        paths, swapped = found
        check_invariants(case, rule, paths, swapped, by_person=by_person)
        assert paths == [twin.published.get(i) for i in range(len(case.cells))]
        assert swapped == twin.swapped
        met["tables"] += 1
        met["with swapped rows"] += bool(swapped)
        met["with rows left out"] += None in paths
        met["with longer paths"] += any(path is not None and len(path) > 1 for path in paths)

    hold()
    assert met["tables"] > 700
    assert min(met["with swapped rows"], met["with rows left out"], met["with longer paths"]) > 50, met


def printed_case() -> Case:
    """Eleven rows: below the root node x = 0 a leaf of seven and one of two, and two rows elsewhere; k = 3."""
    cells = np.array([[0, 0]] * 7 + [[0, 1]] * 2 + [[1, 0]] * 2)
    codes = np.eye(2, 3, dtype=bool)
    below = (Branch(1, codes[0]), Branch(1, codes[1]))
    n = len(cells)
    return Case(
        cells, np.zeros(n, int), np.arange(n), np.arange(n), np.zeros(n, int), [2, 2],
        (Branch(0, codes[0], below), Branch(0, codes[1])),
    )  # fmt: skip


def test_as_printed_the_algorithm_breaks_k_and_ours_does_not():
    """Lines 3.20 and 3.21 publish the leaf of two, and swap a row into it that is never published with it."""
    case, rule = printed_case(), WalkRule(3, swap=0.5)
    printed = twin_of(case, rule, as_printed=True)
    sizes = Counter(frozenset(path.items()) for path in printed.published.values())
    assert min(sizes.values()) == 2
    paths, swapped = walk(case, rule)
    check_invariants(case, rule, paths, swapped)
    assert (
        Counter(frozenset(path.items()) for path in paths if path is not None)[frozenset({(0, (0,)), (1, (1,))})] == 3
    )
    assert len(swapped) == 1


def test_as_printed_many_random_tables_break_k():
    rng, broken = np.random.default_rng(2), 0
    rule = WalkRule(3, swap=0.7)
    for _ in range(200):
        printed = twin_of(random_case(rng, n=40), rule, as_printed=True)
        sizes = Counter(frozenset(path.items()) for path in printed.published.values())
        broken += bool(sizes) and min(sizes.values()) < rule.k
    assert broken > 20
