# SPDX-License-Identifier: Apache-2.0
"""Trees as arrays: rows go down as C4.5 sends them, branches part the codes, and scikit-learn's trees read the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.learning.c45 import C45
from discreet.learning.decision_tree import DecisionTree
from discreet.learning.examples import Examples
from discreet.learning.sklearn_tree import from_sklearn, one_hot, sklearn_branches

FEATURES = ["a", "b", "c"]


@pytest.fixture
def tree() -> DecisionTree:
    """a = u: 3 yes, 1 no; a = v: b below 2.5: 2 no, else 2 yes; a = w was never met below."""
    table = Table.of({"a": ["u", "v", "w"], "b": [1, 2, 3], "y": ["no", "yes", "no"]})
    features = Examples.of(table, ["a", "b"], "y").features
    test, first, width = np.array([0, -1, 1, -1, -1, -1]), np.array([1, 0, 4, 0, 0, 0]), np.array([3, 0, 2, 0, 0, 0])
    cut = np.where(test == 1, 2.5, np.nan)
    counts = np.array([[3, 5], [1, 3], [2, 2], [0, 0], [2, 0], [0, 2]], dtype=float)
    return DecisionTree(features, ("no", "yes"), test, cut, first, width, counts)


def test_rows_go_down_by_hand(tree):
    rows = Table.of({"a": ["u", "v", "v", "w", None, "v", "new", None], "b": [9, 2, 2.5, 1, 2, None, 9, None]})
    known = [[1 / 4, 3 / 4], [1, 0], [0, 1], [3 / 8, 5 / 8]]  # nobody was w: the shares of the root
    # a unknown: half u, half v. With b = 2: 1/2 (1/4, 3/4) + 1/2 (1, 0); b unknown too: v is half no, half yes.
    parts = [[5 / 8, 3 / 8], [1 / 2, 1 / 2], [1 / 8, 7 / 8], [3 / 8, 5 / 8]]
    np.testing.assert_allclose(tree.distribution(rows), known + parts)
    assert tree.predict(rows).tolist() == ["yes", "no", "yes", "yes", "no", "no", "yes", "yes"]


def test_shape_by_hand(tree):
    assert (tree.n_nodes, tree.leaves.tolist(), tree.depth) == (6, [1, 3, 4, 5], 2)
    assert tree.parent.tolist() == [-1, 0, 0, 0, 2, 2]
    lines = ["a = u: yes (4, 1 wrong)", "a = v", "|   b < 2.5: no (2)", "|   b >= 2.5: yes (2)", "a = w: yes (0)"]
    assert tree.to_text().splitlines() == lines
    assert repr(tree) == "DecisionTree(6 nodes, 4 leaves, depth 2)"


def test_branches_by_hand(tree):
    """u and v have as many rows: the first of them takes what is not known."""
    u, v, w = tree.branches()
    accepted = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
    assert [branch.accepts.astype(int).tolist() for branch in (u, v, w)] == accepted
    assert [branch.column for branch in (u, v, w)] == [0, 0, 0]
    assert u.children == w.children == ()
    assert [branch.accepts.astype(int).tolist() for branch in v.children] == [[1, 1, 0, 1], [0, 0, 1, 0]]


@st.composite
def tables(draw, most: int = 30) -> Table:
    categories = st.sampled_from([None, "u", "v", "w"])
    row = st.tuples(categories, st.none() | st.integers(0, 5), categories, st.sampled_from("pqr"))
    rows = draw(st.lists(row, min_size=1, max_size=most))
    kinds = {"a": "category", "b": "number", "c": "category", "y": "category"}
    return Table.of({name: [row[f] for row in rows] for f, name in enumerate("abcy")}, kinds=kinds)


def slow_distribution(tree: DecisionTree, values: list, node: int = 0) -> np.ndarray:
    """The shares of one row, straight from the definition."""
    f, weights = int(tree.test[node]), tree.counts.sum(axis=1)
    if f < 0:
        while weights[node] == 0:
            node = int(tree.parent[node])
        return tree.counts[node] / weights[node]
    feature, children = tree.features[f], list(tree.children(node))
    if values[f] is not None and (feature.is_number or values[f] in feature.texts):
        place = int(values[f] >= tree.cut[node]) if feature.is_number else feature.texts.index(values[f])
        return slow_distribution(tree, values, children[place])
    parts = weights[children] / weights[children].sum()
    return sum(
        part * slow_distribution(tree, values, child) for part, child in zip(parts, children, strict=True) if part
    )


@given(tables(), tables())
def test_distribution_equals_the_slow_one(table, others):
    examples = Examples.of(table, FEATURES, "y")
    tree = C45(min_objects=1, prune=False, collapse=False).fit(examples).tree_
    rows = list(zip(*(others.column(name).to_arrow().to_pylist() for name in FEATURES), strict=True))
    np.testing.assert_allclose(tree.distribution(others), [slow_distribution(tree, row) for row in rows])
    same = tree.distribution_of(examples)
    decoded = [
        [None if code == feature.unknown else (feature.numbers if feature.is_number else feature.texts)[code]
         for feature, code in zip(examples.features, row, strict=True)]
        for row in examples.codes
    ]  # fmt: skip
    np.testing.assert_allclose(same, [slow_distribution(tree, row) for row in decoded])


def reached(branches, codes):
    """The path of a row, as the places of the branches that it takes."""
    path = []
    while branches:
        accepting = [place for place, branch in enumerate(branches) if branch.accepts[codes[branch.column]]]
        assert len(accepting) == 1
        path += accepting
        branches = branches[accepting[0]].children
    return tuple(path)


def all_tests(branches):
    yield branches
    for branch in branches:
        if branch.children:
            yield from all_tests(branch.children)


@given(tables())
def test_every_code_takes_exactly_one_branch_of_a_test(table):
    examples = Examples.of(table, FEATURES, "y")
    learnt = C45(min_objects=1, prune=False, collapse=False).fit(examples).tree_.branches()
    for branches in (learnt, sklearn_branches(examples, random_state=0)):
        for siblings in all_tests(branches) if branches else ():
            assert (np.sum([branch.accepts for branch in siblings], axis=0) == 1).all()
            assert len(siblings[0].accepts) == examples.features[siblings[0].column].unknown + 1
            assert len({branch.column for branch in siblings}) == 1


@given(tables())
def test_branches_and_distribution_agree_on_known_rows(table):
    examples = Examples.of(table, FEATURES, "y")
    tree = C45(min_objects=1, prune=False, collapse=False).fit(examples).tree_
    shares, branches = tree.distribution_of(examples), tree.branches()
    for codes, share in zip(examples.codes, shares, strict=True):
        if all(code < feature.unknown for code, feature in zip(codes, examples.features, strict=True)):
            node = 0
            for place in reached(branches, codes):
                node = tree.children(node)[place]
            np.testing.assert_allclose(share, tree.probabilities[node])


@given(tables(), st.booleans())
def test_branches_of_scikit_learn_part_rows_as_its_leaves_do(table, as_codes):
    examples = Examples.of(table, FEATURES, "y")
    rows, labels = np.nonzero(examples.counts)
    matrix = examples.codes.astype(np.float32) if as_codes else one_hot(examples)
    if as_codes:
        unknown = examples.codes[:, 1] == examples.features[1].unknown
        matrix[unknown, 1] = np.nan
    estimator = DecisionTreeClassifier(random_state=0, max_depth=4)
    estimator.fit(matrix[rows], labels, sample_weight=examples.counts[rows, labels])
    branches = from_sklearn(estimator, examples, codes=as_codes)
    leaves = [reached(branches, codes) for codes in examples.codes]
    found = estimator.apply(matrix)
    assert len(set(zip(leaves, found, strict=True))) == len(set(leaves)) == len(set(found))


def test_a_tree_on_other_columns_is_refused():
    examples = Examples.of(Table.of({"a": ["u", "v", "w"], "b": [1, 2, 3], "y": [0, 1, 1]}), ["a", "b"], "y")
    estimator = DecisionTreeClassifier().fit(np.zeros((2, 7)), [0, 1])
    with pytest.raises(DataError, match="fitted to 7 columns; the examples have 4 with the categories as 0 and 1"):
        from_sklearn(estimator, examples)
    with pytest.raises(DataError, match="fitted to 7 columns; the examples have 2 columns of codes"):
        from_sklearn(estimator, examples, codes=True)
