# SPDX-License-Identifier: Apache-2.0
"""One learner, the same folds, any subset of the features: each subset is learnt once, and nothing is counted twice.

The training rows of a fold become distinct rows with counts once; those of a subset are joined from them. Naive Bayes
counts every feature once per fold, and a subset then only adds up logarithms. C4.5 rates a test of a node once per
fold: trees of other subsets that come to the same node look it up. The answers of a subset are those that
`crossval.cross_validate` scores, row by row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.counting.tally import distinct_codes
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, did_you_mean, shown
from discreet.learning.c45 import C45
from discreet.learning.c45_entries import entries_of, memory_of, using
from discreet.learning.classifiers import CLASSIFIERS, Classifier, examples_for
from discreet.learning.cross_validation import Fold
from discreet.learning.examples import Examples, Feature
from discreet.learning.naive_bayes import NaiveBayes

_SIDE_BY_SIDE = frozenset({"c45", "naive-bayes"})  # learners that let go of the interpreter, and change nothing global


@dataclass(frozen=True, eq=False)
class Answers:
    """Which test rows were predicted right: `right[i]` is about row `rows[i]`; fold f ends before `ends[f]`."""

    right: np.ndarray
    rows: np.ndarray
    ends: np.ndarray

    @property
    def n_right(self) -> int:
        return int(self.right.sum())

    @property
    def accuracy(self) -> float:
        """The share of all test rows that were predicted right."""
        return self.n_right / len(self.right)

    @property
    def of_folds(self) -> np.ndarray:
        """The share of each fold."""
        return np.array([part.mean() for part in np.split(self.right, self.ends[:-1])])


class SubsetScores:
    """Cross-validated answers of a learner about a target, by subset of the features. Subsets are kept in memory.

    Parameters
    ----------
    table, features, target, folds : as for `cross_validate`
    learner : a name of `CLASSIFIERS`
    workers : threads; the answers do not depend on it

    Examples
    --------
    >>> from discreet.learning.cross_validation import kfold
    >>> t = Table.of({"x": ["a", "b"] * 6, "z": ["c"] * 12, "y": ["no", "yes"] * 6})
    >>> scores = SubsetScores(t, ["x", "z"], "y", kfold(12, 3), "naive-bayes")
    >>> scores.of(["x"]).accuracy, scores.of(["z"]).n_right, scores.learnt
    (1.0, 4, 2)
    """

    def __init__(
        self,
        table: Table,
        features: Sequence[str],
        target: str,
        folds: Sequence[Fold],
        learner: str = "c45",
        *,
        workers: int | None = None,
    ):
        if learner not in CLASSIFIERS:
            raise ParameterError(f"{learner!r} is not a learner.{did_you_mean(learner, CLASSIFIERS)}")
        self.features, self.learner = tuple(features), learner
        self._place = {name: place for place, name in enumerate(self.features)}
        self._cached: dict[tuple[int, ...], Answers] = {}
        self._workers = (workers or os.cpu_count() or 1) if learner in _SIDE_BY_SIDE else 1
        label = table.column(target)
        texts = np.array([*label.texts, ""], dtype=object)[label.codes]
        needed = table.select([*self.features, target])
        tested = [fold.test[label.codes[fold.test] < len(label.values)] for fold in folds]
        if not all(len(rows) for rows in tested):
            raise DataError("A fold has no test row whose class is known: nothing can be scored. Use fewer folds.")
        make = CLASSIFIERS[learner]
        kind = {"naive-bayes": _Bayes, "c45": _Trees}.get(learner, _Learnt)
        self._folds = [
            kind(make, _Task(needed.take(fold.train), needed, rows, texts[rows], self.features, target))
            for fold, rows in zip(folds, tested, strict=True)
        ]
        self._rows, self._ends = np.concatenate(tested), np.cumsum([len(rows) for rows in tested])

    @property
    def learnt(self) -> int:
        """How many subsets have been learnt so far."""
        return len(self._cached)

    def of(self, subset: Iterable[str]) -> Answers:
        """The answers from these features; the order in which they are named does not matter."""
        places = self._places(subset)
        self._learn([places])
        return self._cached[places]

    def learn(self, subsets: Iterable[Iterable[str]]) -> None:
        """Learn several subsets at once, for `of` to look up."""
        self._learn([self._places(subset) for subset in subsets])

    def _places(self, subset: Iterable[str]) -> tuple[int, ...]:
        names = list(subset)
        unknown = [name for name in names if name not in self._place]
        if unknown:
            raise DataError(f"{shown(unknown[0])} is not a feature here.{did_you_mean(unknown[0], self.features)}")
        return tuple(sorted({self._place[name] for name in names}))

    def _learn(self, subsets: Sequence[tuple[int, ...]]) -> None:
        fresh = [places for places in dict.fromkeys(subsets) if places not in self._cached]
        if not fresh:
            return

        def of_fold(fold: Any) -> list[np.ndarray]:  # a fold is in the hands of one thread
            return [fold.right(places) for places in fresh]

        if self._workers > 1:
            with ThreadPoolExecutor(self._workers) as pool:
                by_fold = list(pool.map(of_fold, self._folds))
        else:
            by_fold = [of_fold(fold) for fold in self._folds]
        for places, *own in zip(fresh, *by_fold, strict=True):
            self._cached[places] = Answers(np.concatenate(own), self._rows, self._ends)


@dataclass(frozen=True, eq=False)
class _Task:
    """What a fold is learnt from, and the rows of the table that it is tested on, with their true classes."""

    train: Table
    table: Table
    rows: np.ndarray
    truth: np.ndarray
    features: Sequence[str]
    target: str

    def examples(self, model: Classifier) -> Examples:
        return examples_for(model, self.train, self.features, self.target)


class _Learnt:
    """A fold of any learner: the distinct training rows of all features, from which those of a subset are joined."""

    def __init__(self, make: Callable[[], Classifier], task: _Task):
        self._make, self._truth, self._examples = make, task.truth, task.examples(make())
        tested = task.table.select(list(task.features)) if task.features else task.table
        self._test = tested.take(task.rows)

    def right(self, places: tuple[int, ...]) -> np.ndarray:
        model = self._make()
        model.fit(project(self._examples, places))
        return model.predict(self._test) == self._truth


class _Trees:
    """A fold of C4.5: the entries of all features, and the ratings of tests that any subset needed so far."""

    def __init__(self, make: Callable[[], Classifier], task: _Task):
        model = make()
        assert isinstance(model, C45)
        self._model, self._examples = model, task.examples(model)
        self._entries = entries_of(self._examples)
        self._memory = memory_of(len(task.features))
        place = {text: c for c, text in enumerate(self._examples.classes)}
        self._truth = np.array([place.get(text, -1) for text in task.truth], dtype=np.int64)
        self._test = _coded(self._examples, task.table.columns(task.features), task.rows)

    def right(self, places: tuple[int, ...]) -> np.ndarray:
        if self._memory.used[0] > 0.9 * len(self._memory.gains):
            self._memory.used[:] = 0  # full: subsets to come are like the latest ones, not like the first
        tree = self._model.fit_entries(self._examples, using(self._entries, places), self._memory).tree_
        return tree.distribution_of(self._test).argmax(axis=1) == self._truth


def _coded(examples: Examples, columns: Sequence[Column], rows: np.ndarray) -> Examples:
    """Some rows, without their classes, in the codes of the examples; numbers keep codes of their own."""
    features, codes = [], np.empty((len(rows), len(columns)), dtype=np.int32)
    for f, (feature, column) in enumerate(zip(examples.features, columns, strict=True)):
        features.append(Feature(feature.name, numbers=column.numbers) if feature.is_number else feature)
        codes[:, f] = (column.codes if feature.is_number else feature.codes(column))[rows]
    return Examples(tuple(features), codes, np.empty((len(rows), 0)), examples.classes)


class _Bayes:
    """A fold of naive Bayes: log P(value | class) of every value of every feature."""

    def __init__(self, make: Callable[[], Classifier], task: _Task):
        model = make()
        assert isinstance(model, NaiveBayes)
        model.fit(task.examples(model))
        columns = task.table.columns(task.features)
        self._prior, self._classes, self._truth = model.log_prior_, np.array(model.classes_, dtype=object), task.truth
        self._codes = [column.codes[task.rows] for column in columns]
        self._logs = model.evidence(Table([_every_value(column, columns) for column in columns])) if columns else None

    def right(self, places: tuple[int, ...]) -> np.ndarray:
        scores = np.repeat(self._prior[None, :], len(self._truth), axis=0)
        for place in places:
            assert self._logs is not None
            scores += self._logs[place][self._codes[place]]
        return self._classes[np.argmax(scores, axis=1)] == self._truth


def _every_value(column: Column, columns: Sequence[Column]) -> Column:
    """A column with each code once, missing included, made as long as the longest by repeating missing."""
    longest = max(len(other.values) for other in columns) + 1
    return Column(column.name, column.kind, column.values, np.minimum(np.arange(longest), len(column.values)))


def project(examples: Examples, places: Sequence[int]) -> Examples:
    """The examples of some of the features, without another look at the rows.

    >>> t = Table.of({"sex": ["f", "m", "f"], "age": [1, 2, 3], "y": [1, 1, 0]})
    >>> project(Examples.of(t, ["sex", "age"], "y"), [0]).counts.tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    features = tuple(examples.features[place] for place in places)
    columns = [examples.codes[:, place] for place in places]
    codes, groups = distinct_codes(columns, len(examples), [feature.unknown + 1 for feature in features])
    counts = np.empty((len(codes), examples.counts.shape[1]))
    for c in range(counts.shape[1]):
        counts[:, c] = np.bincount(groups, examples.counts[:, c], minlength=len(codes))
    return Examples(features, codes, counts, examples.classes)
