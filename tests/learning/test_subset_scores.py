# SPDX-License-Identifier: Apache-2.0
"""Scores of subsets: as cross-validation from the start gives them, in any order, with any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError, ParameterError, Table
from discreet.learning.c45 import C45
from discreet.learning.c45_entries import entries_of, memory_of, using
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import cross_validate, kfold
from discreet.learning.examples import Examples
from discreet.learning.subset_scores import SubsetScores, project


def some_table(seed: int, n: int = 60) -> Table:
    """Numbers, categories and missing cells; the classes depend on two columns."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n).astype(object)
    job = rng.choice(["nurse", "clerk", "smith"], n).astype(object)
    age[rng.random(n) < 0.1], job[rng.random(n) < 0.1] = None, None
    sex = rng.choice(["f", "m"], n)
    y = np.where((sex == "f") & (rng.random(n) < 0.8) | (job == "smith"), "yes", "no")
    return Table.of({"age": age.tolist(), "job": job.tolist(), "sex": sex.tolist(), "y": y.tolist()})


FEATURES = ("age", "job", "sex")


@pytest.mark.parametrize("learner", ["c45", "naive-bayes", "logistic", "tree"])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000), subset=st.sets(st.sampled_from(FEATURES), min_size=1))
def test_a_subset_is_scored_as_by_cross_validation_from_the_start(learner, seed, subset):
    table = some_table(seed)
    folds = kfold(len(table), 4, seed, labels=table.column("y").codes)
    scores = SubsetScores(table, FEATURES, "y", folds, learner)
    names = [name for name in FEATURES if name in subset]
    expected = cross_validate(CLASSIFIERS[learner], table, names, "y", folds)
    assert scores.of(subset).of_folds == pytest.approx(expected.of("accuracy"))


def test_which_rows_were_right_is_told_row_by_row():
    table = some_table(1)
    folds = kfold(len(table), 3, 0)
    found = SubsetScores(table, FEATURES, "y", folds, "c45").of(["sex"])
    label = table.column("y")
    for fold, right, rows in zip(
        folds, np.split(found.right, found.ends[:-1]), np.split(found.rows, found.ends[:-1]), strict=True
    ):
        model = CLASSIFIERS["c45"]()
        model.fit(examples_for(model, table.take(fold.train), ["sex"], "y"))
        truth = [label.texts[code] for code in label.codes[fold.test]]
        assert rows.tolist() == fold.test.tolist()
        assert right.tolist() == [a == b for a, b in zip(model.predict(table.take(fold.test)), truth, strict=True)]
    assert found.n_right == sum(found.right)


def test_each_subset_is_learnt_once_and_the_order_does_not_matter():
    table = some_table(2)
    scores = SubsetScores(table, FEATURES, "y", kfold(len(table), 3, 0), "naive-bayes")
    one = scores.of(["age", "sex"])
    assert scores.of(("sex", "age", "sex")) is one
    scores.learn([["sex"], ["age", "sex"], ["sex"]])
    assert scores.learnt == 2


@pytest.mark.parametrize("learner", ["c45", "naive-bayes"])
def test_threads_do_not_change_the_answers(learner):
    table = some_table(3, 200)
    folds = kfold(len(table), 5, 0)
    subsets = [["age"], ["job"], ["sex"], ["age", "sex"], list(FEATURES)]
    one, many = (SubsetScores(table, FEATURES, "y", folds, learner, workers=w) for w in (1, 3))
    many.learn(subsets)
    for subset in subsets:
        assert one.of(subset).right.tolist() == many.of(subset).right.tolist()


def with_cells(seed: int, n: int, *, missing: bool) -> Table:
    """Eight columns, some of many values; the classes follow two of them, or chance."""
    rng = np.random.default_rng(seed)
    columns: dict[str, list] = {f"n{i}": rng.integers(0, 3 * 6**i, n).tolist() for i in range(4)}
    columns |= {f"c{i}": [f"v{v}" for v in rng.integers(0, 2 * 4**i, n)] for i in range(4)}
    if missing:
        for name in ("n1", "c2"):
            columns[name] = [None if rng.random() < 0.2 else value for value in columns[name]]
    odd = [(a or 0) + len(b) + (rng.random() < 0.3) for a, b in zip(columns["n1"], columns["c3"], strict=True)]
    return Table.of({**columns, "y": [("x", "y", "z")[int(value) % 3] for value in odd]})


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("room", [0, 600, 1 << 20])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1000))
def test_trees_that_share_ratings_are_those_learnt_alone(missing, room, seed):
    """Every tree of a walk through subsets, node by node and count by count, whatever room the memory has."""
    table = with_cells(seed, 300, missing=missing)
    names = [name for name in table.names if name != "y"]
    examples = Examples.of(table, names, "y")
    entries = entries_of(examples)
    memory = memory_of(len(names), room)
    rng = np.random.default_rng(seed)
    walk = [[*range(8)], *([f for f in range(8) if f != left] for left in range(8)), [0, 2], [1, 6, 7], [4]]
    walk += [sorted(rng.choice(8, 4, replace=False).tolist()) for _ in range(4)]
    for places in walk:
        alone = C45().fit(project(examples, places)).tree_
        shared = C45().fit_entries(examples, using(entries, places), memory).tree_
        assert [places.index(f) if f >= 0 else -1 for f in shared.test] == alone.test.tolist()
        assert shared.counts.tolist() == alone.counts.tolist()
        np.testing.assert_array_equal(shared.cut, alone.cut)
        assert shared.first.tolist() == alone.first.tolist()
    assert bool(memory.used[0]) == bool(room)


def test_a_memory_that_is_full_is_emptied():
    table = with_cells(1, 400, missing=False)
    names = [name for name in table.names if name != "y"]
    folds = kfold(len(table), 2, 0)
    scores = SubsetScores(table, names, "y", folds, "c45")
    (fold, _), room = scores._folds, 8 * 30
    fold._memory = memory_of(8, room)
    for left in range(8):
        subset = names[:left] + names[left + 1 :]
        expected = cross_validate(CLASSIFIERS["c45"], table, subset, "y", folds)
        assert scores.of(subset).of_folds == pytest.approx(expected.of("accuracy"))
    assert 0 < fold._memory.used[0] <= 30


@given(seed=st.integers(0, 1000), places=st.lists(st.sampled_from([0, 1, 2]), unique=True, min_size=1))
@settings(max_examples=30, deadline=None)
def test_projected_examples_are_those_of_the_rows(seed, places):
    table = some_table(seed)
    direct = Examples.of(table, [FEATURES[place] for place in places], "y")
    joined = project(Examples.of(table, FEATURES, "y"), places)
    assert joined.codes.tolist() == direct.codes.tolist()
    assert joined.counts.tolist() == direct.counts.tolist()
    assert [feature.name for feature in joined.features] == [feature.name for feature in direct.features]


def test_rows_whose_class_is_missing_are_not_tested():
    table = Table.of({"x": ["a", "b"] * 6, "y": ["no", "yes", None, "yes"] * 3})
    found = SubsetScores(table, ["x"], "y", kfold(12, 3, 0), "c45").of(["x"])
    assert len(found.right) == 9
    assert set(found.rows.tolist()) == {row for row in range(12) if row % 4 != 2}


def test_what_cannot_be_asked_is_said():
    table = some_table(4)
    with pytest.raises(ParameterError, match="is not a learner"):
        SubsetScores(table, FEATURES, "y", kfold(60, 3), "c4.5")
    with pytest.raises(DataError, match="'aeg' is not a feature here"):
        SubsetScores(table, FEATURES, "y", kfold(60, 3), "c45").of(["aeg"])
    unlabelled = Table.of({"x": ["a"] * 6, "y": ["no", None, None, None, None, "yes"]})
    with pytest.raises(DataError, match="no test row whose class is known"):
        SubsetScores(unlabelled, ["x"], "y", kfold(6, 3, 0), "c45")
