# SPDX-License-Identifier: Apache-2.0
"""kACTUS is the walk of kACTUS-2 without classes: the counts are the same, the rows are drawn at random."""

from collections import Counter

import numpy as np
import pytest

from discreet import KActus, KActus2, Roles
from discreet.learning.decision_tree import Branch
from discreet.methods.trees.kactus_walk import WalkRule
from kactus_cases import Case, random_case
from methods.trees.test_kactus2 import check_invariants, twin_of, walk
from methods.trees.test_kactus2_releases import cells_of, people


def without_classes(case: Case) -> Case:
    return Case(
        case.cells, np.zeros_like(case.labels), case.rank, case.persons, case.sensitive, case.levels, case.branches
    )


@pytest.mark.parametrize("by_person", [False, True])
def test_the_walk_equals_its_twin_and_keeps_the_invariants(by_person):
    rng = np.random.default_rng(8)
    for number in range(80):
        case, rule = without_classes(random_case(rng, thresholds=number % 4 == 0)), WalkRule(2 + number % 5)
        paths, swapped = walk(case, rule, by_person=by_person)
        twin = twin_of(case, rule, by_person=by_person)
        assert paths == [twin.published.get(i) for i in range(len(case.cells))]
        assert not swapped
        check_invariants(case, rule, paths, swapped, by_person=by_person)


def test_as_many_cells_are_suppressed_as_by_kactus2():
    table, roles = people()
    for k in (3, 8, 20):
        one, two = KActus(k).release(table, roles), KActus2(k).release(table, roles)
        assert one.changes == two.changes
        assert Counter(cells_of(one)) == Counter(cells_of(two))


def test_rows_are_drawn_at_random():
    """Seven women, five of whom stay, fill up two men: which rows do is a matter of the seed; their classes differ."""
    table = {"old": ["o"] * 12 + ["n"] * 12, "sex": ["f"] * 10 + ["m"] * 2 + ["f"] * 12, "y": ["a", "b"] * 12}
    roles = Roles(target="y", quasi=["old", "sex"])

    def tree(examples):
        from discreet.learning.decision_tree import Branch

        codes = np.eye(2, 3, dtype=bool)
        below = (Branch(1, codes[0]), Branch(1, codes[1]))
        return (Branch(0, codes[0]), Branch(0, codes[1], below))

    def filled(method, seed) -> Counter:
        release = method(4, inducer=tree, random_state=seed).release(table, roles)
        rows = release.data.to_pylist()
        return Counter(row["y"] for row in rows if (row["old"], row["sex"]) == ("o", "*"))

    drawn = [filled(KActus, seed) for seed in range(12)]
    assert all(counts.total() == 4 for counts in drawn)
    assert len({counts["a"] for counts in drawn}) > 1
    assert len({filled(KActus2, seed)["a"] for seed in range(12)}) == 1  # kACTUS-2 keeps the giver pure


def test_a_whole_number_that_one_person_has_is_not_named_beside_missing_cells_or_swapped_rows():
    """An inducer that asks for the interval of 31 alone, or of 31 and missing; one person is 31."""

    def asks(codes):
        def inducer(examples):
            inside = np.isin(np.arange(len(examples.features[0].texts) + 1), codes)
            return [Branch(0, inside), Branch(0, ~inside)]

        return inducer

    table = {"age": [31, *[None] * 4, *range(40, 50)], "y": [0, 1, 0, 1, 0] * 3}
    roles, cuts = Roles(target="y", quasi=["age"]), {"age": [31, 32]}
    release = KActus(5, inducer=asks([1, 3]), cuts=cuts).release(table, roles)
    assert "31 or missing" not in release.table.column("age").texts
    assert b'"31' not in release.record
    swapped = KActus2(3, inducer=asks([1]), cuts=cuts, swap=1.0).release(table, roles)
    assert {"31"}.isdisjoint(swapped.table.column("age").texts)
    assert b'"31' not in swapped.record
