# SPDX-License-Identifier: Apache-2.0
"""Classifiers and scorers of scikit-learn that users bring, judged like those of this library.

A classifier is cloned before it learns, and each of its random states that nobody set gets the seed. A Pipeline, and
what searches or calibrates one, gets the rows as a data frame, with the cells as they are published, and encodes them
itself. Any other classifier gets numbers: categories one-hot, numbers standardised and in 16 parts. What stands for
what is decided on the training rows alone.

A scorer gets a fitted classifier, rows and labels, as in scikit-learn. Of a classifier of this library the rows are a
`Table`; its `predict`, `predict_proba` and `classes_` are as usual.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, Setting, did_you_mean, listing, quietly
from discreet.foundation.frame_output import as_frame
from discreet.learning.classifiers import CLASSIFIERS, Classifier
from discreet.learning.cross_validation import MEASURES, Score, score, score_on
from discreet.learning.encoding import encoded

Scorer = Callable[[Any, Any, np.ndarray], float]
Learner = str | Any  # the name of a classifier of this library, or an OwnClassifier
_UNWRAPPED = ("estimator", "base_estimator")  # of a search or a calibration, the classifier inside


@dataclass(frozen=True, eq=False)
class OwnClassifier:
    """A classifier of scikit-learn under a name; never fitted itself."""

    name: str
    estimator: Any

    @property
    def takes_frames(self) -> bool:
        """Whether it encodes cells itself."""
        inside, steps = self.estimator, 0
        while steps < 10 and not hasattr(inside, "steps"):
            inside = next((getattr(inside, name) for name in _UNWRAPPED if hasattr(inside, name)), None)
            steps += 1
        return hasattr(inside, "steps")

    @property
    def reading(self) -> str:
        """How it gets cells, in words."""
        return (
            "rows as a data frame, cells as published" if self.takes_frames else "missing and suppressed cells one-hot"
        )

    def learnt(self, learnt: Table, tested: Table, target: str, random_state: int) -> Judged:
        """The classifier, fitted to some rows, and the other rows as it takes them."""
        from sklearn.base import clone

        names = [name for name in learnt.names if name != target]
        made = clone(self.estimator)
        free = [key for key, value in made.get_params().items() if _is_random(key) and value is None]
        made.set_params(**dict.fromkeys(free, random_state % 2**32))
        if self.takes_frames:
            rows, asked = _frame(learnt.select(names)), _frame(tested.select(names))
        else:
            rows, asked = encoded(learnt, tested, names)
        label = learnt.column(target)
        labels = _values(label)[label.codes]
        fitted, failure = quietly(lambda: made.fit(rows, labels))
        if failure:
            raise DataError(
                f"The classifier {self.name!r} could not learn from the rows ({failure}). A Pipeline gets a data frame"
                " with texts and numbers and must encode it; any other classifier gets a sparse matrix of numbers."
            )
        return Judged(self.name, fitted, asked, tested.column(target))


def _is_random(parameter: str) -> bool:
    return parameter == "random_state" or parameter.endswith("__random_state")


def _frame(table: Table) -> Any:
    """A pandas frame, or a polars one where pandas is not installed."""
    made, failure = quietly(as_frame, table.to_arrow(), "pandas", errors=(DataError,))
    return as_frame(table.to_arrow(), "polars") if failure else made


def _values(label: Column) -> np.ndarray:
    """The classes as they are in the data: numbers as numbers, truth values as such."""
    return np.array(label.values.to_pylist())


# -- judging -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Judged:
    """A fitted classifier, the rows that it is asked about as it takes them, and their labels."""

    name: str
    model: Any
    rows: Any
    label: Column

    def score(self, part: np.ndarray | None, scorers: Mapping[str, Scorer]) -> Score:
        """How well it answers about these rows, or all."""
        known = np.flatnonzero(self.label.codes < len(self.label.values))
        part = known if part is None else np.intersect1d(part, known)
        rows, truth = _taken(self.rows, part), _values(self.label)[self.label.codes[part]]
        found, failure = quietly(self._score, rows, truth)
        if failure:
            raise DataError(f"The classifier {self.name!r} could not answer about the test rows ({failure}).")
        return with_scorers(found, self.model, rows, truth, scorers)

    def _score(self, rows: Any, truth: np.ndarray) -> Score:
        classes = np.unique(np.concatenate([self.model.classes_, truth]))
        place = np.searchsorted(classes, truth)
        mine = np.searchsorted(classes, self.model.classes_)
        wide = np.zeros((len(truth), len(classes)))
        if hasattr(self.model, "predict_proba"):
            wide[:, mine] = self.model.predict_proba(rows)
            return score(place, wide)
        wide[np.arange(len(truth)), np.searchsorted(classes, self.model.predict(rows))] = 1.0
        found = score(place, wide)
        auc = math.nan
        if hasattr(self.model, "decision_function"):
            far = np.full(wide.shape, -np.inf)
            distance = self.model.decision_function(rows)
            far[:, mine] = np.column_stack([-distance, distance]) if distance.ndim == 1 else distance
            auc = score(place, far).auc
        return replace(found, auc=auc, brier=math.nan)  # it gives no probabilities


def judged_by_name(learner: Classifier, tested: Table, target: str, scorers: Mapping[str, Scorer]) -> Score:
    """The scores of a classifier of this library, with those of scorers."""
    found = score_on(learner, tested, target)
    return with_face(found, learner.classes_, learner.predict_proba, tested, target, scorers)


def with_face(
    found: Score,
    classes: Sequence[str],
    probabilities: Callable[[Table], np.ndarray],
    tested: Table,
    target: str,
    scorers: Mapping[str, Scorer],
) -> Score:
    """The scores, with those of scorers, to which whatever gives probabilities of classes looks like an estimator."""
    if not scorers:
        return found
    label = tested.column(target)
    known = np.flatnonzero(label.codes < len(label.values))
    typed = dict(zip(label.texts, label.values.to_pylist(), strict=True))
    seen = type(_values(label)[0].item()) if len(label.values) else str
    values = np.array([typed[text] if text in typed else _as_type(text, seen) for text in classes])
    rows = tested.select([name for name in tested.names if name != target])
    rows = rows if len(known) == len(rows) else rows.take(known)
    return with_scorers(found, _face(values, probabilities), rows, _values(label)[label.codes[known]], scorers)


def _as_type(text: str, kind: type) -> Any:
    """A class that no test row has, as the others are."""
    if kind is bool:
        return text == "true"
    value, failure = quietly(kind, text, errors=(ValueError, TypeError))
    return text if failure else value


def _face(classes: np.ndarray, probabilities: Callable[[Table], np.ndarray]) -> Any:
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Face(ClassifierMixin, BaseEstimator):
        """A classifier of this library as scorers see it."""

        def __sklearn_is_fitted__(self) -> bool:
            return True

        def predict_proba(self, X: Table) -> np.ndarray:
            order = np.argsort(classes, kind="stable")
            return probabilities(X)[:, order]

        def predict(self, X: Table) -> np.ndarray:
            return classes[np.argmax(probabilities(X), axis=1)]

    face = Face()
    face.classes_ = np.sort(classes, kind="stable")
    return face


def _taken(rows: Any, part: np.ndarray) -> Any:
    if hasattr(rows, "iloc"):
        return rows.iloc[part]
    return rows[part] if hasattr(rows, "shape") else rows.take(part)


# -- what users pass -----------------------------------------------------------------------------------------------


def checked_classifiers(given: Any) -> dict[str, Learner]:
    """Classifiers by name: names of this library's, classifiers of scikit-learn, or either under names of one's own.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> list(checked_classifiers(["c45", GaussianNB()])), list(checked_classifiers({"mine": GaussianNB()}))
    (['c45', 'GaussianNB'], ['mine'])
    """
    if isinstance(given, Mapping):
        named = [(str(name), one) for name, one in given.items()]
    else:
        several = [given] if isinstance(given, str) or hasattr(given, "fit") else list(given)
        named = [(one if isinstance(one, str) else _name_of(one), one) for one in several]
    found: dict[str, Learner] = {}
    for name, one in named:
        if isinstance(one, str):
            if one not in CLASSIFIERS:
                hint = did_you_mean(one, CLASSIFIERS)
                raise ParameterError(Setting("classifiers"), f" must be among {listing(CLASSIFIERS, most=20)}.{hint}")
            found[one if name == one else name] = one
        else:
            found[_free(name, found)] = OwnClassifier(name, _checked(one))
    if not found:
        known = listing(CLASSIFIERS, most=20)
        raise ParameterError(Setting("classifiers"), f" must be among {known}, or of scikit-learn.")
    return found


def _checked(estimator: Any) -> Any:
    from sklearn.base import is_classifier

    fits = not isinstance(estimator, type) and hasattr(estimator, "get_params") and is_classifier(estimator)
    if not fits:
        what = "its class: make an instance" if isinstance(estimator, type) else f"a {type(estimator).__name__}"
        raise ParameterError(Setting("classifiers"), f" takes names and classifiers of scikit-learn. Got {what}.")
    return estimator


def _name_of(estimator: Any) -> str:
    """The class of a classifier; of a Pipeline, that of its last step."""
    steps = getattr(estimator, "steps", None)
    return type(steps[-1][1] if steps else estimator).__name__


def _free(name: str, used: Mapping[str, Any]) -> str:
    number = 2
    while (free := name if number == 2 and name not in used else f"{name} ({number})") in used:
        number += 1
    return free


def checked_scorers(given: Any) -> dict[str, Scorer]:
    """Scorers by name: names of scikit-learn's, functions of (classifier, rows, labels), or either under own names.

    Measures that are always taken, such as accuracy, are left out.
    """
    if given is None:
        return {}
    from sklearn.metrics import get_scorer, get_scorer_names

    if isinstance(given, Mapping):
        named = {str(name): one for name, one in given.items()}
    else:
        several: Iterable[Any] = [given] if isinstance(given, str) or callable(given) else given
        named = {one if isinstance(one, str) else getattr(one, "__name__", "own score"): one for one in several}
    found = {}
    for name, one in named.items():
        if isinstance(one, str) and one not in get_scorer_names():
            hint = did_you_mean(one, get_scorer_names())
            raise ParameterError(Setting("scoring"), f" names no scorer of scikit-learn: {one!r}.{hint}")
        if not isinstance(one, str) and not callable(one):
            raise ParameterError(Setting("scoring"), f" takes names and callables. Got a {type(one).__name__}.")
        if name in MEASURES and name != one:
            raise ParameterError(Setting("scoring"), f" cannot call a score {name!r}: that one is always measured.")
        if name not in MEASURES:
            found[name] = get_scorer(one) if isinstance(one, str) else one
    return found


def with_scorers(found: Score, model: Any, rows: Any, labels: np.ndarray, scorers: Mapping[str, Scorer]) -> Score:
    """The scores, with those of scorers."""
    others = []
    for name, scorer in scorers.items():
        value, failure = quietly(lambda scorer=scorer: float(scorer(model, rows, labels)))
        if failure:
            raise DataError(
                f"The scorer {name!r} failed ({failure}). One that needs a positive class is told which:"
                " sklearn.metrics.make_scorer(f1_score, pos_label=...)."
            )
        others.append((name, value))
    return replace(found, others=tuple(others)) if others else found
