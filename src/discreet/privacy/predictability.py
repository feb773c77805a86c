# SPDX-License-Identifier: Apache-2.0
"""How well a sensitive attribute can be predicted from some attributes, beside all of them and beside the bare guess.

Definitions (Jafer, Matwin, Sokolova). S: the attributes that are kept, BL: all of them. Acc(S): the share of rows whose
sensitive value a classifier gets right that learnt from other rows, by cross-validation. Privacy breach increase:
PBI(S) = Acc(S)/Acc(BL) - 1. The guess that needs no attribute is the commonest value; DistP_PBI is its PBI.

Beyond the paper: of several classifiers the one that is right most often counts, for S and for BL; the advantage over
the guess, Acc(S) less the share of the commonest value; and 95 % intervals, from the variance between rows (or persons,
whose rows stand and fall together), of the ratio by its linear approximation. Intervals are about the choice of the
test rows, not of the rows that were learnt from.

Folds depend on the content of the rows alone, not on their order: they can be made again from the same rows.
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
from discreet.errors import DataError, ParameterError, did_you_mean, shown
from discreet.prepare.binning import Binning

if TYPE_CHECKING:  # learners are loaded when an attacker learns: no other promise needs them
    from discreet.learning.cross_validation import Fold
    from discreet.learning.subset_scores import Answers, SubsetScores

ATTACKERS = ("c45", "naive-bayes", "logistic", "boosting")
MOST_NUMBERS = 20  # different numbers that a sensitive attribute may have without cuts
_Z = 1.959963984540054  # 97.5 % point of the normal distribution
_MOST_REMEMBERED = 1024  # breaches
_REMEMBERED: dict[tuple[bytes, tuple[str, ...]], Breach] = {}


@dataclass(frozen=True)
class Breach:
    """What an attacker gets right of `rows` test rows: with the kept attributes, with all, by the commonest value.

    The attackers are the strongest ones, each with its own attributes; the intervals are of 95 %.
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
        """Accuracy with all the attributes."""
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
        """DistP_PBI: the breach increase of the guess that needs no attribute."""
        return self.majority / self.baseline_right - 1

    @property
    def advantage(self) -> float:
        """How much more often the attacker is right than the commonest value is."""
        return (self.right - self.majority) / self.rows


class Inference:
    """Attackers of one sensitive attribute. Every subset that is asked about is learnt once.

    Parameters
    ----------
    table : the owner's rows
    attributes : all that could be published, BL
    sensitive : the attribute that is attacked
    attackers : names of classifiers
    folds : how many, or the folds themselves
    persons : whose each row is: a person's rows lie in one fold
    cuts : cut points of a sensitive number
    scores : what attackers have learnt already about the sensitive attribute, on the same folds

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
        """A hash of all that the answers depend on, but for the attributes kept; None if folds were given."""
        if not isinstance(self._folds, int):
            return None
        order, found = content_order(self._table, self._persons), hashlib.sha256()
        columns = self._table.columns([*self.attributes, self.sensitive])
        found.update(repr((self._attackers, self._folds, [(c.name, c.kind, c.texts) for c in columns])).encode())
        for codes in (*(column.codes for column in columns), *([] if self._persons is None else [self._persons])):
            found.update(codes[order].astype(np.int64).tobytes())
        return found.digest()

    @cached_property
    def _baseline(self) -> tuple[str, Answers]:
        name, found = self.strongest(self.attributes)
        if not found.n_right:
            raise DataError(
                f"No attacker gets {shown(self.sensitive)} right in a single row, even with all the attributes:"
                f" there is nothing to compare with."
            )
        return name, found

    def learn(self, subsets: Iterable[Iterable[str]]) -> None:
        """Learn several subsets at once, for `of` to look up."""
        kept = [tuple(subset) for subset in subsets]
        for scores in self._scores.values():
            scores.learn(kept)

    def strongest(self, kept: Iterable[str]) -> tuple[str, Answers]:
        """The attacker that is right most often with these attributes, the first one of equals; and its answers."""
        kept = tuple(kept)
        found = {name: scores.of(kept) for name, scores in self._scores.items()}
        best = max(found, key=lambda name: found[name].n_right)
        return best, found[best]

    def of(self, kept: Iterable[str]) -> Breach:
        """What can be inferred from the attributes that are kept.

        Answers depend on the content of the rows alone and are remembered by it, in figures without any row: what a
        method found of its candidates need not be learnt again when the release is checked, or is saved.
        """
        asked = dict.fromkeys(kept)
        unknown = [name for name in asked if name not in self.attributes]
        if unknown:
            raise DataError(f"{shown(unknown[0])} is not an attribute here.{did_you_mean(unknown[0], self.attributes)}")
        kept = tuple(name for name in self.attributes if name in asked)
        if self._content is None:
            return self._found(kept)
        key = (self._content, kept)
        if key not in _REMEMBERED:
            found = self._found(kept)
            while len(_REMEMBERED) >= _MOST_REMEMBERED:
                _REMEMBERED.pop(next(iter(_REMEMBERED)), None)
            _REMEMBERED[key] = found
        return _REMEMBERED[key]

    def _found(self, kept: tuple[str, ...]) -> Breach:
        (base_name, base), (name, found) = self._baseline, self.strongest(kept)
        label = self._table.column(self.sensitive)
        commonest = int(np.argmax(np.bincount(label.codes, minlength=label.levels)[: len(label.values)]))
        guess = label.codes[found.rows] == commonest
        whose = None if self._persons is None else self._persons[found.rows]
        apart, error = ratio_error(found.right, base.right, whose)
        gain, spread = difference_error(found.right, guess, whose)
        return Breach(
            sensitive=self.sensitive,
            rows=len(found.right),
            right=found.n_right,
            baseline_right=base.n_right,
            majority=int(guess.sum()),
            attacker=name,
            baseline_attacker=base_name,
            pbi_interval=(apart - 1 - _Z * error, apart - 1 + _Z * error),
            advantage_interval=(gain - _Z * spread, gain + _Z * spread),
        )


def with_classes(table: Table, name: str, cuts: Sequence[float] | None) -> Table:
    """The table with a sensitive number cut into intervals, or refused when it has too many values to be guessed."""
    if cuts is not None:
        table = Binning.fit(table, [name], target=None, cuts={name: cuts}).apply(table)
    column = table.column(name)
    if column.kind != "category" and column.levels > MOST_NUMBERS:
        raise DataError(
            f"The sensitive column {shown(name)} has {column.levels} different values of the kind {column.kind!r}; that"
            f" one of them is guessed says little. Give the borders that matter: cuts={{{shown(name)}: [...]}}."
        )
    if column.levels > MOST_CLASSES:
        raise DataError(
            f"The sensitive column {shown(name)} has {column.levels} different values; at most {MOST_CLASSES} make"
            f" sense for an attacker's classifier. Join rare ones first."
        )
    return table


def content_order(table: Table, persons: np.ndarray | None = None) -> np.ndarray:
    """The rows in an order that depends on their content alone; rows of equal content are interchangeable.

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
    """Folds with equal shares of each class, which depend on the content of the rows alone."""
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
    """The ratio of two sums over the same rows, and its standard error by linearisation; persons are drawn whole.

    >>> ratio_error(np.array([1, 1, 0, 0]), np.array([1, 1, 1, 1]))[0]
    0.5
    """
    total = int(below.sum())
    ratio = int(above.sum()) / total
    rest = _of_units(above, persons) - ratio * _of_units(below, persons)
    return ratio, _error(rest) * len(rest) / total


def difference_error(one: np.ndarray, other: np.ndarray, persons: np.ndarray | None = None) -> tuple[float, float]:
    """The mean difference over the rows, and its standard error; persons are drawn whole."""
    n = len(one)
    mean = (int(one.sum()) - int(other.sum())) / n
    rest = _of_units(one, persons) - _of_units(other, persons) - mean * _of_units(np.ones(n), persons)
    return mean, _error(rest) * len(rest) / n


def _of_units(counts: np.ndarray, persons: np.ndarray | None) -> np.ndarray:
    """The counts of the rows, or those of the persons: whole numbers."""
    if persons is None:
        return counts.astype(float)
    return np.bincount(np.unique(persons, return_inverse=True)[1], counts)


def _error(rest: np.ndarray) -> float:
    """The standard error of the mean of values whose mean is 0; to the last digit whatever their order is."""
    n = len(rest)
    return math.sqrt(math.fsum(rest**2) / (n - 1) / n) if n > 1 else 0.0


def cuts_of(cuts: Mapping[str, Sequence[float]] | None, name: str) -> Sequence[float] | None:
    return None if cuts is None else cuts.get(name)


def check_cuts(cuts: Mapping[str, Sequence[float]] | None, sensitive: Sequence[str]) -> None:
    """Cuts of a column that is not attacked would be passed over in silence."""
    for name, borders in (cuts or {}).items():
        if name not in sensitive:
            hint = did_you_mean(name, sensitive)
            raise ParameterError(f"'cuts' speaks of {shown(name)}, which is no sensitive column.{hint}")
        if isinstance(borders, (str, Real)):
            raise ParameterError(f"The cuts of {shown(name)} are a list of borders, such as [6.5]; got one value.")
