# SPDX-License-Identifier: Apache-2.0
"""How well a sensitive attribute can be predicted from some attributes, compared with all of them and with guessing.

Definitions (Jafer, Matwin, Sokolova). S: the kept attributes, BL: all of them. Acc(S): the cross-validated accuracy of
a classifier that predicts the sensitive value from S. Privacy breach increase: PBI(S) = Acc(S)/Acc(BL) - 1. Guessing
without attributes means taking the commonest value; DistP_PBI is its PBI.

Beyond the paper: the most accurate of several classifiers counts, for S and for BL; the advantage over guessing is
Acc(S) minus the share of the commonest value; and there are 95 % intervals, from the variance between rows (or persons,
whose rows are kept together), for the ratio by linear approximation. They cover the choice of test rows, not that of
training rows.

Folds depend on the content of the rows, not on their order, so they can be reproduced from the same rows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from discreet.counting.tally import group
from discreet.data.roles import MOST_CLASSES
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, Setting, did_you_mean, shown
from discreet.prepare.binning import Binning

if TYPE_CHECKING:  # learners are loaded late: no other promise needs them
    from discreet.learning.cross_validation import Fold
    from discreet.learning.subset_scores import Answers, SubsetScores

ATTACKERS = ("c45", "naive-bayes", "logistic", "boosting")
MOST_NUMBERS = 20  # distinct numbers of a sensitive attribute without cuts
_Z = 1.959963984540054  # 97.5 % point of the normal distribution
_MOST_REMEMBERED = 1024  # breaches
_REMEMBERED: dict[tuple[bytes, tuple[str, ...]], Breach] = {}


@dataclass(frozen=True)
class Breach:
    """Correct predictions among `rows` test rows: with the kept attributes, with all, by the commonest value.

    The strongest attacker counts, separately for kept and for all attributes; the intervals are 95 % intervals.
    """

    sensitive: str
    rows: int
    right: int
    baseline_right: int
    majority: int
    attacker: str
    baseline_attacker: str
    pbi_interval: tuple[float, float]
    advantage_interval: tuple[float, float]

    @property
    def accuracy(self) -> float:
        return self.right / self.rows

    @property
    def baseline(self) -> float:
        """Accuracy with all attributes."""
        return self.baseline_right / self.rows

    @property
    def majority_share(self) -> float:
        return self.majority / self.rows

    @property
    def pbi(self) -> float:
        """Privacy breach increase, Acc(S)/Acc(BL) - 1."""
        return self.right / self.baseline_right - 1

    @property
    def dist_pbi(self) -> float:
        """DistP_PBI: the breach increase of guessing the commonest value."""
        return self.majority / self.baseline_right - 1

    @property
    def advantage(self) -> float:
        """Accuracy minus the share of the commonest value."""
        return (self.right - self.majority) / self.rows


class Inference:
    """Attackers of one sensitive attribute. Each subset of attributes is learnt only once.

    Parameters
    ----------
    table : the owner's rows
    attributes : all attributes that could be published, BL
    sensitive : the attacked attribute
    attackers : names of classifiers
    folds : their number, or the folds themselves
    persons : the person behind each row; a person's rows share a fold
    cuts : cut points of a sensitive number
    scores : scores already learnt for the sensitive attribute, on the same folds

    Examples
    --------
    >>> rows = {"job": ["nurse", "smith"] * 10, "sex": ["f", "m", "m", "m"] * 5, "ill": ["flu", "gout"] * 10}
    >>> found = Inference(Table.of(rows), ["job", "sex"], "ill", attackers=["c45"], folds=5).of(["sex"])
    >>> found.right, found.baseline_right, found.majority, found.pbi, found.dist_pbi
    (15, 20, 10, -0.25, -0.5)
    """

    def __init__(
        self,
        table: Table,
        attributes: Sequence[str],
        sensitive: str,
        *,
        attackers: Sequence[str] = ATTACKERS,
        folds: int | Sequence[Fold] = 10,
        persons: np.ndarray | None = None,
        cuts: Sequence[float] | None = None,
        scores: Mapping[str, SubsetScores] | None = None,
        workers: int | None = None,
    ):
        self.attributes, self.sensitive, self._attackers = tuple(attributes), sensitive, tuple(attackers)
        self._table = with_classes(table.select([*attributes, sensitive]), sensitive, cuts)
        self._folds, self._persons, self._given, self._workers = folds, persons, scores or {}, workers

    @cached_property
    def _scores(self) -> dict[str, SubsetScores]:
        from discreet.learning.subset_scores import SubsetScores

        folds = self._folds
        if isinstance(folds, int):
            folds = content_folds(self._table, self.sensitive, folds, self._persons)
        about = (self._table, self.attributes, self.sensitive, folds)
        return {
            name: self._given.get(name) or SubsetScores(*about, name, workers=self._workers) for name in self._attackers
        }

    @cached_property
    def _content(self) -> bytes | None:
        """A hash of everything that the answers depend on except the kept attributes; None for explicit folds."""
        if not isinstance(self._folds, int):
            return None
        order, digest = content_order(self._table, self._persons), hashlib.sha256()
        columns = self._table.columns([*self.attributes, self.sensitive])
        digest.update(repr((self._attackers, self._folds, [(c.name, c.kind, c.texts) for c in columns])).encode())
        for codes in (*(column.codes for column in columns), *([] if self._persons is None else [self._persons])):
            digest.update(codes[order].astype(np.int64).tobytes())
        return digest.digest()

    @cached_property
    def _baseline(self) -> tuple[str, Answers]:
        name, answers = self.strongest(self.attributes)
        if not answers.n_right:
            raise DataError(
                f"No attacker gets {shown(self.sensitive)} right in a single row, even with all the attributes:"
                f" there is nothing to compare with."
            )
        return name, answers

    def learn(self, subsets: Iterable[Iterable[str]]) -> None:
        """Learn several subsets at once, for `of` to look up."""
        selections = [tuple(subset) for subset in subsets]
        for scores in self._scores.values():
            scores.learn(selections)

    def strongest(self, kept: Iterable[str]) -> tuple[str, Answers]:
        """The most accurate attacker with these attributes (the first of equals), and its answers."""
        kept = tuple(kept)
        answers = {name: scores.of(kept) for name, scores in self._scores.items()}
        best = max(answers, key=lambda name: answers[name].n_right)
        return best, answers[best]

    def of(self, kept: Iterable[str]) -> Breach:
        """The breach by the kept attributes.

        Breaches depend on the content of the rows alone and are cached by its hash, without any row, so that what a
        method measured need not be learnt again when the release is checked or saved.
        """
        requested = dict.fromkeys(kept)
        unknown = [name for name in requested if name not in self.attributes]
        if unknown:
            raise DataError(f"{shown(unknown[0])} is not an attribute here.{did_you_mean(unknown[0], self.attributes)}")
        kept = tuple(name for name in self.attributes if name in requested)
        if self._content is None:
            return self._breach(kept)
        key = (self._content, kept)
        if key not in _REMEMBERED:
            breach = self._breach(kept)
            while len(_REMEMBERED) >= _MOST_REMEMBERED:
                _REMEMBERED.pop(next(iter(_REMEMBERED)), None)
            _REMEMBERED[key] = breach
        return _REMEMBERED[key]

    def _breach(self, kept: tuple[str, ...]) -> Breach:
        (base_name, base), (name, answers) = self._baseline, self.strongest(kept)
        label = self._table.column(self.sensitive)
        commonest = int(np.argmax(np.bincount(label.codes, minlength=label.levels)[: len(label.values)]))
        guess = label.codes[answers.rows] == commonest
        whose = None if self._persons is None else self._persons[answers.rows]
        apart, error = ratio_error(answers.right, base.right, whose)
        gain, spread = difference_error(answers.right, guess, whose)
        return Breach(
            sensitive=self.sensitive,
            rows=len(answers.right),
            right=answers.n_right,
            baseline_right=base.n_right,
            majority=int(guess.sum()),
            attacker=name,
            baseline_attacker=base_name,
            pbi_interval=(apart - 1 - _Z * error, apart - 1 + _Z * error),
            advantage_interval=(gain - _Z * spread, gain + _Z * spread),
        )


def with_classes(table: Table, name: str, cuts: Sequence[float] | None) -> Table:
    """Cut a sensitive number into intervals; DataError if the column has too many values to be guessed."""
    if cuts is not None:
        table = Binning.fit(table, [name], target=None, cuts={name: cuts}).apply(table)
    column = table.column(name)
    if column.kind != "category" and column.levels > MOST_NUMBERS:
        raise DataError(
            f"The sensitive column {shown(name)} has {column.levels} different values of the kind {column.kind!r}, too"
            f" many for guessing one to mean much. Give the cut points that matter: ",
            Setting("cuts", {name: [...]}),
            ".",
        )
    if column.levels > MOST_CLASSES:
        raise DataError(
            f"The sensitive column {shown(name)} has {column.levels} different values; at most {MOST_CLASSES} make"
            f" sense for an attacker's classifier. Merge rare ones first."
        )
    return table


def content_order(table: Table, persons: np.ndarray | None = None) -> np.ndarray:
    """Row numbers in an order that depends on the content alone; rows of equal content are interchangeable.

    >>> t = Table.of({"b": [2, 1, 2], "a": ["x", "z", "w"]})
    >>> t.take(content_order(t)).column("a").to_arrow().to_pylist()
    ['w', 'x', 'z']
    """
    columns = [table.column(name) for name in sorted(table.names)]
    keys, levels = [column.codes for column in columns], [column.levels for column in columns]
    if persons is not None:
        keys.append(persons)
        levels.append(int(persons.max()) + 1)
    groups, _ = group(keys, len(table), levels)
    return np.argsort(groups, kind="stable")


def content_folds(table: Table, label: str, folds: int, persons: np.ndarray | None = None) -> list[Fold]:
    """Stratified folds that depend on the content of the rows alone."""
    from discreet.learning.cross_validation import Fold, kfold

    order = content_order(table, persons)
    divided = kfold(
        len(table),
        folds,
        labels=table.column(label).codes[order],
        persons=None if persons is None else persons[order],
    )
    return [Fold(np.sort(order[fold.train]), np.sort(order[fold.test])) for fold in divided]


def ratio_error(above: np.ndarray, below: np.ndarray, persons: np.ndarray | None = None) -> tuple[float, float]:
    """The ratio of two sums over the same rows, and its standard error by linearisation, clustered by person.

    >>> ratio_error(np.array([1, 1, 0, 0]), np.array([1, 1, 1, 1]))[0]
    0.5
    """
    total = int(below.sum())
    ratio = int(above.sum()) / total
    rest = _of_units(above, persons) - ratio * _of_units(below, persons)
    return ratio, _error(rest) * len(rest) / total


def difference_error(one: np.ndarray, other: np.ndarray, persons: np.ndarray | None = None) -> tuple[float, float]:
    """The mean difference over the rows, and its standard error, clustered by person."""
    n = len(one)
    mean = (int(one.sum()) - int(other.sum())) / n
    rest = _of_units(one, persons) - _of_units(other, persons) - mean * _of_units(np.ones(n), persons)
    return mean, _error(rest) * len(rest) / n


def _of_units(counts: np.ndarray, persons: np.ndarray | None) -> np.ndarray:
    """The counts by row, or summed by person."""
    if persons is None:
        return counts.astype(float)
    return np.bincount(np.unique(persons, return_inverse=True)[1], counts)


def _error(rest: np.ndarray) -> float:
    """The standard error of the mean of values with mean 0, independent of their order to the last digit."""
    n = len(rest)
    return math.sqrt(math.fsum(rest**2) / (n - 1) / n) if n > 1 else 0.0


def cuts_of(cuts: Mapping[str, Sequence[float]] | None, name: str) -> Sequence[float] | None:
    return None if cuts is None else cuts.get(name)


def check_cuts(cuts: Mapping[str, Sequence[float]] | None, sensitive: Sequence[str]) -> None:
    """ParameterError unless all cuts are lists for sensitive columns; others would be ignored silently."""
    for name, borders in (cuts or {}).items():
        if name not in sensitive:
            hint = did_you_mean(name, sensitive)
            raise ParameterError(Setting("cuts"), f" names {shown(name)}, which is not a sensitive column.{hint}")
        if isinstance(borders, (str, Real)):
            raise ParameterError(
                f"The cuts of {shown(name)} must be a list of cut points, such as [6.5]; got one value."
            )
