# SPDX-License-Identifier: Apache-2.0
"""PART equals a plain recursion over rows on random tables, and its rules are asked in their order."""

import math

import numpy as np
import pytest
from benchmarks.learning.others import on_weka_folds
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import ndtri

from discreet.data.table import Table
from discreet.errors import DataError, ParameterError
from discreet.learning.c45_entries import entries_of, memory_of
from discreet.learning.c45_prune import added_errors
from discreet.learning.c45_split import Stretch, choose
from discreet.learning.examples import Examples
from discreet.learning.part import Part


class SlowTwin:
    """The paper's recursion on lists of (entry, weight), with C4.5's choice of a test and its pessimistic errors."""

    def __init__(self, examples, least, confidence):
        self.entries = entries_of(examples)
        self.n_classes = examples.counts.shape[1]
        self.least, self.confidence, self.z = float(least), confidence, float(ndtri(1 - confidence))
        self.rules = []
        rows = [*enumerate(self.entries.weight.tolist())]
        while rows:
            tree = self.build(rows)
            conditions, counts = self.path(tree)
            self.rules.append((conditions, counts))
            left = [(e, w, 1 - self.covered(tree, e)) for e, w in rows]
            rows = [(e, w * share) for e, w, share in left if share > 1e-6]

    def counts(self, rows):
        found = [0.0] * self.n_classes
        for e, w in rows:
            found[self.entries.label[e]] += w
        return found

    def errors(self, counts):
        n, wrong = sum(counts), sum(counts) - max(counts)
        return wrong + added_errors(n, wrong, self.confidence, self.z) if n > 1e-6 else 0.0

    def branch(self, f, limit, e):
        code = int(self.entries.codes[f, e])
        if code == self.entries.levels[f]:
            return None
        return code if limit < 0 else int(code > limit)

    def part(self, e, w, share):
        times = self.entries.weight[e]
        return times * round(w / times * share * 2**28) / 2**28

    def build(self, rows):
        counts = self.counts(rows)
        n = sum(counts)
        leaf = {"counts": counts, "sons": None}
        if n < 2 * self.least - 1e-6 or max(counts) >= n - 1e-6:
            return leaf
        items, weights = np.array([e for e, _ in rows], dtype=np.int32), np.array([w for _, w in rows])
        f, limit = choose(
            self.entries, memory_of(0, 0), -1, Stretch(items, weights, 0, len(items)), n, self.least, True
        )
        if f < 0:
            return leaf
        width = int(self.entries.levels[f]) if limit < 0 else 2
        bags = [[(e, w) for e, w in rows if self.branch(f, limit, e) == b] for b in range(width)]
        known = sum(w for bag in bags for _, w in bag)
        shares = [sum(w for _, w in bag) / known for bag in bags]
        unknown = [(e, w) for e, w in rows if self.branch(f, limit, e) is None]
        bags = [
            bag + [(e, self.part(e, w, s)) for e, w in unknown if s > 1e-6] for bag, s in zip(bags, shares, strict=True)
        ]
        of_bag = [self.counts(bag) for bag in bags]
        sons = [None] * width
        heavy = [b for b in range(width) if sum(of_bag[b]) >= self.least - 1e-6]
        while True:
            left = [b for b in heavy if sons[b] is None]
            if not left:
                sons = [son or {"counts": c, "sons": None} for son, c in zip(sons, of_bag, strict=True)]
                if self.errors(counts) <= sum(map(self.errors, of_bag)) + 0.1 + 1e-6:
                    return leaf
                break
            b = min(left, key=lambda b: (round(self.entropy(of_bag[b]), 9), b))
            sons[b] = self.build(bags[b])
            if sons[b]["sons"] is not None:
                break
        rated = [b for b in heavy if sons[b] is not None]
        index = min(rated, key=lambda b: (-round(self.size(sons[b]), 9), b))
        return {"counts": counts, "sons": sons, "test": (f, limit), "shares": shares, "index": index}

    def entropy(self, counts):
        n = sum(counts)
        return -sum(c / n * math.log(c / n) for c in counts if c > 0)

    def size(self, node):
        return sum(node["counts"]) if node["sons"] is None else self.size(node["sons"][node["index"]])

    def path(self, node):
        conditions = []
        while node["sons"] is not None:
            conditions.append((*node["test"], node["index"]))
            node = node["sons"][node["index"]]
        return conditions, node["counts"]

    def covered(self, node, e):
        covered = 1.0
        while node["sons"] is not None:
            taken = self.branch(*node["test"], e)
            if taken is None:
                covered *= node["shares"][node["index"]]
            elif taken != node["index"]:
                return 0.0
            node = node["sons"][node["index"]]
        return covered


def random_table(seed, n, missing):
    rng = np.random.default_rng(seed)
    a, b, c = rng.integers(0, 3, n), rng.integers(0, 2, n), rng.integers(0, 12, n) / 2
    noise = rng.integers(0, 4, n) == 0
    y = np.where(noise, rng.integers(0, 3, n), (a == 1) * 1 + (c > 3) * (b == 0))
    hide = rng.random((3, n)) < missing
    return Table.of(
        {
            "a": [None if h else "xyz"[v] for v, h in zip(a, hide[0], strict=True)],
            "b": [None if h else "pq"[v] for v, h in zip(b, hide[1], strict=True)],
            "c": [None if h else v for v, h in zip(c, hide[2], strict=True)],
            "y": np.array(["u", "v", "w"])[y],
        },
        kinds={"a": "category", "b": "category", "c": "number"},
    )


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    missing=st.sampled_from([0.0, 0.2]),
    least=st.sampled_from([1, 2, 5]),
    confidence=st.sampled_from([0.25, 0.5]),
)
@example(seed=89, n=89, missing=0.2, least=2, confidence=0.25)
def test_it_equals_the_recursion(seed, n, missing, least, confidence):
    examples = Examples.of(random_table(seed, n, missing), ["a", "b", "c"], "y")
    twin = SlowTwin(examples, least, confidence)
    learner = Part(min_objects=least, confidence=confidence).fit(examples)
    assert len(learner.rules_) == len(twin.rules)
    for rule, (conditions, counts) in zip(learner.rules_, twin.rules, strict=True):
        names = [examples.features[f].name for f, _, _ in conditions]
        assert [feature.name for feature, _, _ in rule.conditions] == names
        assert [branch for _, _, branch in rule.conditions] == [branch for _, _, branch in conditions]
        for (feature, cut, _), (_, limit, _) in zip(rule.conditions, conditions, strict=True):
            if feature.is_number:
                assert feature.numbers[limit] < cut <= feature.numbers[limit + 1]
        np.testing.assert_allclose(rule.counts, counts, atol=1e-9)
    assert learner.rules_[-1].conditions == ()


def holds(rule, row):
    """The part of a row that a rule covers, None where a value is not known."""
    for feature, cut, branch in rule.conditions:
        cell = row[feature.name]
        if cell is None:
            return None
        if (int(cell >= cut) if feature.is_number else feature.texts.index(cell)) != branch:
            return 0
    return 1


@given(seed=st.integers(0, 10**6), n=st.integers(2, 200))
def test_the_first_rule_that_holds_decides(seed, n):
    table = random_table(seed, n, 0.0)
    learner = Part().fit(Examples.of(table, ["a", "b", "c"], "y"))
    covered = np.zeros(len(learner.rules_))
    for row, got in zip(table.to_arrow().to_pylist(), learner.predict_proba(table), strict=True):
        place = next(r for r, rule in enumerate(learner.rules_) if holds(rule, row))
        counts = learner.rules_[place].counts
        np.testing.assert_allclose(got, counts / counts.sum())
        covered[place] += 1
    assert covered.tolist() == [rule.counts.sum() for rule in learner.rules_]


def test_an_unknown_value_is_covered_in_part():
    days = {"sky": ["sun", "sun", "rain", "rain"], "wind": [2, 9, 3, 8], "play": ["yes", "yes", "yes", "no"]}
    learner = Part().fit(Examples.of(Table.of({k: v * 3 for k, v in days.items()}), ["sky", "wind"], "play"))
    assert learner.to_text() == "sky = sun: yes (6)\nwind < 5.5: yes (3)\notherwise: no (3)"
    new = Table.of({"sky": [None, "snow", "rain", "*"], "wind": [9, 2, None, None]}, kinds={"wind": "number"})
    np.testing.assert_allclose(learner.predict_proba(new), [[0.5, 0.5], [0, 1], [0.5, 0.5], [0.25, 0.75]])


def test_weights_are_rows():
    table = random_table(3, 60, 0.1)
    times = np.random.default_rng(0).integers(1, 4, 60)
    plain = Part().fit(Examples.of(table.take(np.repeat(np.arange(60), times)), ["a", "b", "c"], "y"))
    weighted = Part().fit(Examples.of(table, ["a", "b", "c"], "y", weights=times))
    assert plain.to_text() == weighted.to_text()
    np.testing.assert_allclose(plain.predict_proba(table), weighted.predict_proba(table))


def test_without_a_test_one_rule_remains():
    table = Table.of({"x": ["a", "a", "a"], "y": ["u", "v", "v"]})
    learner = Part().fit(Examples.of(table, ["x"], "y"))
    assert learner.to_text() == "otherwise: v (3, 1 wrong)"
    np.testing.assert_allclose(learner.predict_proba(table), [[1 / 3, 2 / 3]] * 3)


def test_parameters_and_empty_data_are_refused():
    table = Table.of({"x": ["a"], "y": ["u"]})
    with pytest.raises(ParameterError, match="'min_objects' parameter of Part must be"):
        Part(min_objects=0).fit(Examples.of(table, ["x"], "y"))
    with pytest.raises(DataError, match="at least one row whose class is known"):
        Part().fit(Examples.of(Table.of({"x": ["a"], "y": [None]}), ["x"], "y"))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "published"), [("german", 69.4), ("tic_tac_toe", 94.26), ("glass", 67.76), ("pima", 75.26)]
)
def test_ten_folds_of_weka_give_the_figure_of_its_part(name, published):
    """Weka's PART with its defaults, `-x 10 -s 1`: the same rows are right, to the second decimal."""
    assert on_weka_folds("part", name) == published
