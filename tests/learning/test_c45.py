# SPDX-License-Identifier: Apache-2.0
"""C4.5 on distinct rows equals a plain recursive one on rows, and Weka's J48 on Weka's own folds."""

import math
from itertools import pairwise

import numpy as np
import pytest
from benchmarks.learning.parity import accuracy, load
from benchmarks.learning.weka import folds
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from discreet.data.table import Table
from discreet.errors import DataError, ParameterError
from discreet.learning.c45 import C45
from discreet.learning.c45_prune import added_errors
from discreet.learning.examples import Examples

SMALL = 1e-6

# -- the slow twin: a row is (values, class, weight), a missing value None ---------------------------------------------


def n_log_n(n):
    return n * math.log2(n) if n > SMALL else 0.0


def entropy(counts):
    return n_log_n(sum(counts)) - sum(map(n_log_n, counts))


def class_counts(rows, n_classes):
    counts = [0.0] * n_classes
    for _, label, weight in rows:
        counts[label] += weight
    return counts


class Twin:
    def __init__(self, rows, domains, n_classes, *, least=2, confidence=0.25, raising=True, collapse=True):
        """`domains[f]` are the values of feature f; numbers are told from texts by their type."""
        self.domains, self.n_classes, self.least, self.confidence = domains, n_classes, least, confidence
        self.n, self.raising = sum(weight for *_, weight in rows), raising
        self.root = self.grow(rows)
        if collapse:
            self.collapse(self.root)

    def is_number(self, f):
        return bool(self.domains[f]) and not isinstance(self.domains[f][0], str)

    def bags(self, rows, f, cut):
        """The rows of each branch, with the shares of the branches; unknown values are left out."""
        places = [0, 1] if self.is_number(f) else self.domains[f]
        bags = [[] for _ in places]
        for row in rows:
            value = row[0][f]
            if value is not None:
                bags[int(value > cut) if self.is_number(f) else places.index(value)].append(row)
        return bags

    def split(self, rows, f, cut):
        bags = self.bags(rows, f, cut)
        weights = [sum(row[2] for row in bag) for bag in bags]
        known = sum(weights)
        for values, label, weight in rows:
            if values[f] is None:
                for bag, part in zip(bags, weights, strict=True):
                    share = part / known if known > 0 else 1 / len(bags)
                    if share > SMALL:
                        bag.append((values, label, round(weight * share * 2**28) / 2**28))
        return bags

    def rate(self, rows, f):
        """(gain, ratio, cut), or None if the feature offers no test."""
        total = sum(row[2] for row in rows)
        known_rows = [row for row in rows if row[0][f] is not None]
        known = sum(row[2] for row in known_rows)
        before = entropy(class_counts(known_rows, self.n_classes))

        def gain_of(bags):
            return (before - sum(entropy(class_counts(bag, self.n_classes)) for bag in bags)) / total

        best_cut = None
        if self.is_number(f):
            least = max(self.least, min(0.1 * known / self.n_classes, 25))
            values, gain, n_cuts = sorted({row[0][f] for row in known_rows}), 0.0, 0
            for low, high in pairwise(values):
                bags = self.bags(rows, f, (low + high) / 2)
                if min(sum(row[2] for row in bag) for bag in bags) >= least - SMALL:
                    n_cuts += 1
                    if gain_of(bags) > gain + SMALL:
                        gain, best_cut = gain_of(bags), (low + high) / 2
            if best_cut is None or gain - math.log2(n_cuts) / total <= SMALL:
                return None
            gain -= math.log2(n_cuts) / total
            best_cut = max(value for value in self.domains[f] if value <= best_cut)
            bags = self.bags(rows, f, best_cut)
        else:
            bags = self.bags(rows, f, None)
            if sum(sum(row[2] for row in bag) >= self.least - SMALL for bag in bags) < 2:
                return None
            gain = gain_of(bags) if gain_of(bags) * total > SMALL else 0.0
        pieces = [sum(row[2] for row in bag) for bag in bags]
        info = n_log_n(total) - sum(map(n_log_n, pieces)) - n_log_n(total - known)
        return gain, gain * total / info if info > SMALL else 0.0, best_cut

    def grow(self, rows):
        counts = class_counts(rows, self.n_classes)
        node = {"rows": rows, "counts": counts, "test": None, "sons": []}
        if sum(counts) < 2 * self.least - SMALL or max(counts) >= sum(counts) - SMALL:
            return node
        rated = {f: rate for f in range(len(self.domains)) if (rate := self.rate(rows, f))}
        few = [f for f in range(len(self.domains)) if self.is_number(f) or len(self.domains[f]) < 0.3 * self.n]
        heard = [rated[f][0] for f in rated if not few or f in few]
        best, best_ratio = None, 0.0
        for f, (gain, ratio, _) in rated.items():
            if heard and gain >= sum(heard) / len(heard) - 1e-3 and ratio > best_ratio + SMALL:
                best, best_ratio = f, ratio
        if best is not None:
            node["test"] = (best, rated[best][2])
            node["sons"] = [self.grow(bag) for bag in self.split(rows, *node["test"])]
        return node

    def collapse(self, node):
        def errors(node):
            return sum(map(errors, node["sons"])) if node["test"] else sum(node["counts"]) - max(node["counts"])

        if node["test"] and errors(node) >= sum(node["counts"]) - max(node["counts"]) - 1e-3:
            node["test"], node["sons"] = None, []
        for son in node["sons"]:
            self.collapse(son)

    def expected(self, counts):
        n, wrong = sum(counts), sum(counts) - max(counts)
        return wrong + self.added(n, wrong) if n > SMALL else 0.0

    def added(self, n, e):
        """Weka's Stats.addErrs, as it is written there."""
        if e < 1:
            base = n * (1 - self.confidence ** (1 / n))
            return base if e == 0 else base + e * (self.added(n, 1) - base)
        if e + 0.5 >= n:
            return max(n - e, 0)
        z, f = ndtri(1 - self.confidence), (e + 0.5) / n
        r = (f + z * z / (2 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
        return r * n - e

    def branch_errors(self, node, rows):
        if not node["test"]:
            return self.expected(class_counts(rows, self.n_classes))
        parts = self.split(rows, *node["test"])
        return sum(self.branch_errors(son, part) for son, part in zip(node["sons"], parts, strict=True))

    def give(self, node, rows):
        node["rows"], node["counts"] = rows, class_counts(rows, self.n_classes)
        for son, part in zip(node["sons"], self.split(rows, *node["test"]) if node["test"] else [], strict=True):
            self.give(son, part)

    def prune(self, node):
        if not node["test"]:
            return self.expected(node["counts"])
        tree, leaf = sum(self.prune(son) for son in node["sons"]), self.expected(node["counts"])
        heaviest = max(sum(son["counts"]) for son in node["sons"])
        largest = [son for son in node["sons"] if sum(son["counts"]) >= heaviest - SMALL][-1]
        branch = self.branch_errors(largest, node["rows"]) if self.raising else math.inf
        if leaf <= tree + 0.1 and leaf <= branch + 0.1:
            node["test"], node["sons"] = None, []
            return leaf
        if branch <= tree + 0.1:
            node["test"], node["sons"] = largest["test"], largest["sons"]
            self.give(node, node["rows"])
            return self.prune(node)
        return tree

    def shape(self, node=None):
        node = node or self.root
        return node["test"], pytest.approx(node["counts"], abs=1e-9), [self.shape(son) for son in node["sons"]]


def shape_of(tree, domains, node=0):
    """As Twin.shape: the cut is the last number of the table below it."""
    f = int(tree.test[node])
    cut = None if f < 0 or np.isnan(tree.cut[node]) else max(v for v in domains[f] if v < tree.cut[node])
    below = [shape_of(tree, domains, child) for child in tree.children(node)]
    return None if f < 0 else (f, cut), tree.counts[node].tolist(), below


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(["number", "category"]), min_size=1, max_size=4))
    cells = {"number": st.none() | st.integers(0, 6).map(float), "category": st.sampled_from([None, "a", "b", "c"])}
    row = st.tuples(*(cells[kind] for kind in kinds), st.integers(0, draw(st.integers(1, 2))).map(str))
    return kinds, draw(st.lists(row, min_size=1, max_size=40))


@settings(max_examples=400)
@given(tables(), st.integers(1, 3), st.sampled_from([0.1, 0.25, 0.5]), st.booleans(), st.booleans(), st.booleans())
@example((["number"], [(1.0, "0"), (2.0, "1")]), 1, 0.25, True, True, True)
def test_equals_the_slow_twin(table, least, confidence, prune, raising, collapse):
    mine, twin = both(*table, least=least, confidence=confidence, prune=prune, raising=raising, collapse=collapse)
    assert mine == twin


def both(kinds, rows, *, least, confidence, prune, raising, collapse):
    """The shape of our tree, and that of the twin's."""
    names = [f"x{f}" for f in range(len(kinds))]
    columns = {name: [row[f] for row in rows] for f, name in enumerate([*names, "y"])}
    data = Table.of(columns, kinds={"y": "category", **dict(zip(names, kinds, strict=True))})
    learner = C45(min_objects=least, confidence=confidence, prune=prune, subtree_raising=raising, collapse=collapse)
    learner.fit(Examples.of(data, names, "y"))

    domains = [sorted({row[f] for row in rows if row[f] is not None}) for f in range(len(kinds))]
    classes = sorted({row[-1] for row in rows})
    listed = [(row[:-1], classes.index(row[-1]), 1.0) for row in rows]
    options = {"least": least, "confidence": confidence, "raising": raising, "collapse": collapse}
    twin = Twin(listed, domains, len(classes), **options)
    if prune:
        twin.prune(twin.root)
    return shape_of(learner.tree_, domains), twin.shape()


def test_weights_are_rows():
    rows = {"a": ["u", "u", "v", "w", "v"], "b": [1, 2, 3, 4, 5], "y": ["0", "1", "1", "0", "1"]}
    times = np.array([3, 1, 4, 2, 5])
    listed = Table.of({name: np.repeat(cells, times).tolist() for name, cells in rows.items()})
    one = C45().fit(Examples.of(listed, ["a", "b"], "y")).tree_
    other = C45().fit(Examples.of(Table.of(rows), ["a", "b"], "y", weights=times)).tree_
    assert one.to_text() == other.to_text()
    np.testing.assert_array_equal(one.counts, other.counts)


def test_added_errors_are_those_of_the_book():
    """Quinlan 1993, section 4.2: U(0, 6) = 0.206, U(0, 9) = 0.143, U(0, 1) = 0.750, U(1, 16) = 0.157, at 25 %."""
    z = float(ndtri(0.75))
    for n, errors, published in ((6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)):
        assert (errors + added_errors(float(n), float(errors), 0.25, z)) / n == pytest.approx(published, abs=5e-3)


def test_collapsing_replacing_and_raising_each_do_their_part():
    """On noisy rows every step leaves a smaller tree, and each of these trees is the twin's."""
    chance = np.random.default_rng(11)  # the first seed for which all four trees differ in size
    a, b, c = (chance.integers(0, levels, 150) for levels in (4, 10, 3))
    y = ((b > 5) & (c > 0)) ^ (a == 0) ^ (chance.random(150) < 0.2)
    rows = [(f"v{i}", float(j), f"w{k}", str(int(z))) for i, j, k, z in zip(a, b, c, y, strict=True)]
    kinds, sizes = ["category", "number", "category"], []
    for prune, raising, collapse in (
        (False, False, False),
        (False, False, True),
        (True, False, True),
        (True, True, True),
    ):
        options = {"prune": prune, "raising": raising, "collapse": collapse}
        mine, twin = both(kinds, rows, least=2, confidence=0.25, **options)
        assert mine == twin
        sizes.append(str(mine).count("("))
    assert sizes == sorted(set(sizes), reverse=True)


def test_a_table_of_one_class_and_one_without_features_are_leaves():
    one = C45().fit(Examples.of(Table.of({"a": ["u", "v"], "y": [1, 1]}), ["a"], "y"))
    assert one.tree_.to_text() == "1 (2)"
    none = C45().fit(Examples.of(Table.of({"a": ["u", "v", "v"], "y": [1, 0, 0]}), [], "y"))
    assert none.predict_proba(Table.of({"a": ["u"]})).tolist() == [[2 / 3, 1 / 3]]
    assert none.tree_.branches() == ()


def test_a_feature_that_is_unknown_everywhere_is_not_tested():
    data = Table.of({"a": [None] * 8, "b": ["u"] * 4 + ["v"] * 4, "y": [1] * 4 + [0] * 4})
    assert C45().fit(Examples.of(data, ["a", "b"], "y")).tree_.test.tolist() == [1, -1, -1]


def test_neighbouring_doubles_can_be_parted():
    low, high = 1.0, float(np.nextafter(1.0, 2.0))
    data = Table.of({"a": [low] * 3 + [high] * 3, "y": [0, 0, 0, 1, 1, 1]})
    assert C45().fit(Examples.of(data, ["a"], "y")).predict(data).tolist() == ["0"] * 3 + ["1"] * 3


def test_what_cannot_be_learnt_from_is_refused():
    with pytest.raises(DataError, match="at least one row"):
        C45().fit(Examples.of(Table.of({"a": ["u"], "y": [None]}), ["a"], "y"))
    with pytest.raises(ParameterError, match=r"'confidence' parameter of C45 must be a float in the range \(0, 0.5\]"):
        C45(confidence=0.7).fit(Examples.of(Table.of({"a": ["u"], "y": [1]}), ["a"], "y"))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "how", "published"),
    [
        ("tic_tac_toe", "raw", 84.55),
        ("german", "raw", 70.50),
        ("german", "inside the fold", 72.40),
        ("german", "whole file", 72.10),
        ("glass", "whole file", 74.77),
        ("pima", "raw", 73.83),
        ("pima", "inside the fold", 73.70),
        ("pima", "whole file", 78.26),
    ],
)
def test_ten_folds_of_weka_give_the_figure_of_j48(name, how, published):
    """Weka's J48 with its defaults, `-x 10 -s 1`: the same rows are right, to the second decimal."""
    table, features, target = load(name)
    found = accuracy(C45, table, features, target, folds(table.column(target).codes, 10, seed=1), how=how)
    assert round(100 * found, 2) == published
