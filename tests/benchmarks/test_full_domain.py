# SPDX-License-Identifier: Apache-2.0
"""The best full-domain release: against every choice of levels counted by hand, and rows that are like no group."""

import itertools
from collections import Counter

import numpy as np
import pytest
from benchmarks.frontier.protocol import Split
from benchmarks.frontier.rivals import best_full_domain
from benchmarks.rivals.full_domain import FullDomain, classification_metric, n_nodes, plain_hierarchy

from discreet import Roles, Table

TOWN = {"a": ["a", "north", "*"], "b": ["b", "north", "*"], "c": ["c", "south", "*"]}
SEX = {"f": ["f", "*"], "m": ["m", "*"]}


def _cost(rows, classes, levels, k):
    """The metric, row by row."""
    labels = [(TOWN[town][levels[0]], SEX[sex][levels[1]]) for town, sex in rows]
    sizes, of_class = Counter(labels), Counter(zip(labels, classes, strict=True))
    largest = {label: max(of_class[label, c] for c in set(classes)) for label in sizes}
    return sum(n if n < k else n - largest[label] for label, n in sizes.items())


@pytest.mark.parametrize("seed", range(5))
def test_no_choice_of_levels_is_better(seed):
    random = np.random.default_rng(seed)
    rows = [(str(random.choice([*TOWN])), str(random.choice([*SEX]))) for _ in range(40)]
    classes = [str(int(town == "c") ^ int(random.random() < 0.2)) for town, _ in rows]
    release = FullDomain.best(rows, classes, [TOWN, SEX], k=6)
    costs = {node: _cost(rows, classes, node, 6) for node in itertools.product(range(3), range(2))}
    assert len(costs) == n_nodes([TOWN, SEX])
    assert costs[release.levels] == min(costs.values())
    published = Counter(map(release.written, rows))
    assert all(n >= 6 for labels, n in published.items() if set(labels) != {"*"})


def test_the_metric_is_what_is_counted_by_hand():
    rows = [("a", "f")] * 3 + [("b", "m")] * 2 + [("c", "f")]
    classes = [*"001110"]
    label = np.array([int(c) for c in classes])
    columns = [np.array([0, 0, 0, 0, 0, 1]), np.zeros(6, dtype=int)]
    assert classification_metric(columns, label, k=2) == _cost(rows, classes, (1, 1), 2) == 3


def test_a_row_that_is_like_no_group_is_suppressed():
    release = FullDomain([TOWN, SEX], (0, 0), frozenset({("a", "f")}))
    assert release.written(("a", "f")) == ("a", "f")
    assert release.written(("c", "f")) == ("*", "*")


def test_plain_hierarchies():
    cells = {"age": [*range(20, 52), None], "zip": [f"{n:05d}" for n in range(33)], "sex": [*"fm" * 16, "f"]}
    table = Table.of(cells, kinds={"zip": "category"})
    age, code, sex = (plain_hierarchy(table, table, name) for name in cells)
    assert age["?"] == ["?", "?", "*"]
    assert [len({labels[level] for labels in age.values()}) for level in range(3)] == [17, 5, 1]
    assert code["00031"] == ["00031", "00", "*"]
    assert sex == {"f": ["f", "*"], "m": ["m", "*"]}


def test_it_is_measured_as_the_others_and_says_why_not():
    random = np.random.default_rng(0)
    label = random.integers(0, 2, 300)
    table = Table.of({"age": (40 + 20 * label + random.integers(0, 15, 300)).tolist(), "y": label.astype(str).tolist()})
    rows = Split.of(table, Roles(target="y", quasi=["age"]))
    found = best_full_domain(rows, 5)
    assert found["learners"]["tree"]["accuracy"] > 0.9
    assert set(found) == {"learners", "raw", "raw_auc", "counted", "suppressed", "stars", "cpu"}
    wide = Table.of({**{f"x{j}": random.random(300).tolist() for j in range(11)}, "y": label.astype(str).tolist()})
    asked = Split.of(wide, Roles(target="y", quasi=[f"x{j}" for j in range(11)]))
    assert best_full_domain(asked, 5) == {"refused": "its lattice has 177147 nodes"}
