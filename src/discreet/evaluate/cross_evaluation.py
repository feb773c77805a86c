# SPDX-License-Identifier: Apache-2.0
"""Cross-evaluation: in each fold every method releases the training rows, and every classifier learns from the release.

Every method gets the same folds. A method without a `random_state` is given one that follows from the seed and the
fold, so that the figures can be repeated; only a differentially private one keeps drawing anew, since it releases
nothing with a seed. Work is shared by threads: the kernels and scikit-learn let go of the interpreter, and private rows
stay in this process. Figures do not depend on how many threads there are.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.choose.reference_lines import GUESSING, ORIGINAL, WITHOUT_QUASI
from discreet.data.dataset import Dataset
from discreet.data.roles import Roles
from discreet.errors import (
    CannotRelease,
    DataError,
    ParameterError,
    PrivacyLeakWarning,
    PromiseBroken,
    RolesError,
    Setting,
    did_you_mean,
    listing,
)
from discreet.evaluate.compared_methods import drawn_once, named_methods, seeded
from discreet.evaluate.compared_methods import label as label
from discreet.evaluate.compared_methods import parameters_of as parameters_of
from discreet.evaluate.evaluation import Evaluation
from discreet.evaluate.fingerprint import digest, source_of
from discreet.evaluate.folds import Folds
from discreet.evaluate.lessons import Lesson, Questions
from discreet.evaluate.own_test_rows import OwnTestRows, read_own_rows
from discreet.evaluate.protocols import PROTOCOLS, Protocol, as_published, held_out, original, unlearnt, without_quasi
from discreet.evaluate.score_cache import Cache, Refusal
from discreet.foundation.progress import progress
from discreet.foundation.randomness import RandomState, drawn_seed
from discreet.learning.cross_validation import Fold, Score
from discreet.learning.own_classifiers import Learner, Scorer, checked_classifiers, checked_scorers
from discreet.methods import Method
from discreet.release.release import Release

ALL = ("c45", "part", "naive-bayes", "logistic", "svm", "3nn", "forest", "boosting")
MODEL = "model"
_Place = tuple[int, str]  # a fold, and a classifier


def evaluate_utility(
    methods: Method | Iterable[Method] | Mapping[str, Method],
    data: object,
    roles: Roles | None = None,
    *,
    protocol: Protocol = "holdout",
    folds: str = "10-fold",
    classifiers: Any = ALL,
    scoring: Any = None,
    test: object = None,
    random_state: RandomState = 0,
    n_jobs: int = 1,
    cache: str | os.PathLike[str] | Cache | None = None,
) -> Evaluation:
    """Accuracy and other measures of classifiers that learn from releases, beside the original, on the same folds.

    Parameters
    ----------
    methods : one, several, or a mapping that gives them names of your own
    data, roles : a table with its roles, or labelled baskets without
    protocol : "holdout", "recoded" or "as-published", see protocols.py
    folds : such as "5-fold", "5x2" or "10x10-fold", see folds.py
    classifiers : names (see learning/classifiers.py), classifiers of scikit-learn, Pipelines among them, or a mapping
        that gives them names of your own; see learning/own_classifiers.py
    scoring : scorers besides accuracy and the like, as in scikit-learn: a name, a callable, several, or a mapping
    test : rows that you held out, with their classes. The methods then see all rows of `data`, and there are no folds
    random_state : seed of the folds, and of methods and classifiers that have none
    n_jobs : number of threads
    cache : a folder of the owner's that keeps scores; not those of classifiers and scorers of your own

    >>> from discreet import Mondrian, samples
    >>> clinic = samples.clinic(300, random_state=1)
    >>> found = evaluate_utility(Mondrian(k=5), clinic.data, clinic.roles, folds="3-fold", classifiers=["naive-bayes"])
    >>> found.methods, found.difference("mondrian(k=5)", "naive-bayes").mean < 0.1
    (('original', 'mondrian(k=5)'), True)
    """
    dataset, seed = Dataset.of(data, roles), drawn_seed(random_state)
    own = None if test is None else read_own_rows(test, dataset)
    plan = Folds.of(folds, seed) if own is None else OwnTestRows.of(own, seed)
    named = {name: drawn_once(method) for name, method in named_methods(methods, dataset).items()}
    learners, scorers = checked_classifiers(classifiers), checked_scorers(scoring)
    if protocol not in PROTOCOLS:
        hint = did_you_mean(protocol, PROTOCOLS)
        raise ParameterError(
            Setting("protocol"), f" must be one of {listing(PROTOCOLS)}. Got {protocol!r} instead.{hint}"
        )
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs < 1:
        raise ParameterError(Setting("n_jobs"), f" must be a whole number of at least 1. Got {n_jobs!r} instead.")
    if own is not None and protocol == "as-published":
        raise ParameterError("The protocol 'as-published' tests on released rows. Leave it out, or the test rows.")
    opened = None if cache is None or scorers else cache if isinstance(cache, Cache) else Cache(cache)
    study = _Study(dataset, plan, protocol, learners, scorers, opened, own)
    lines = (WITHOUT_QUASI, GUESSING)
    study.run([_Task(study, *part) for part in study.parts({**dict.fromkeys((ORIGINAL, *lines)), **named})], n_jobs)
    models = frozenset(name for name, method in named.items() if method.gives == MODEL)
    names = (ORIGINAL, *named)
    by_themselves = {*models, *(name for name in lines if study.is_guess(name))}
    outcomes = {
        (name, classifier): tuple(
            study.found[name, fold, MODEL if name in by_themselves else classifier] for fold in range(len(plan))
        )
        for name in (*names, *lines)
        for classifier in learners
    }
    units = "rows" if dataset.persons is None else "persons"
    readings = {name: one.reading for name, one in learners.items() if not isinstance(one, str)}
    kinds = {name: one for name, one in learners.items() if isinstance(one, str)}
    return Evaluation(
        protocol,
        plan,
        names,
        tuple(learners),
        outcomes,
        len(dataset),
        units,
        models,
        lines,
        (*scorers,),
        readings,
        kinds,
        None if own is None else len(own),
    )


class _Study:
    """What all tasks share, and their scores."""

    def __init__(
        self,
        dataset: Dataset,
        plan: Folds | OwnTestRows,
        protocol: Protocol,
        classifiers: dict[str, Learner],
        scorers: dict[str, Scorer],
        cache: Cache | None,
        own: Dataset | None,
    ):
        self.dataset, self.plan, self.protocol, self.own = dataset, plan, protocol, own
        self.classifiers, self.cache = classifiers, cache
        self.asked = Questions(scorers=scorers, random_state=plan.random_state)
        if isinstance(plan, OwnTestRows):
            self.asked = replace(self.asked, parts=plan.parts)
            every = np.arange(len(dataset))
            self.folds = [Fold(every, part) for part in plan.parts]
        else:
            self.folds = plan.split(dataset.labels, dataset.persons)
        self.found: dict[tuple[str, int, str], Score | Refusal] = {}
        self.stopped = threading.Event()  # after an error or Ctrl-C no task begins with another classifier
        self.about_data = ""
        if cache is not None:
            self.about_data = digest(dataset.data, dataset.roles)
            self.about_data = self.about_data if own is None else digest(self.about_data, own.data)

    def is_guess(self, name: str) -> bool:
        """Whether a line leaves nothing to learn from; so does that without quasi-identifiers if all columns are."""
        return name == GUESSING or (name == WITHOUT_QUASI and not self.dataset.not_quasi)

    def parts(self, methods: Mapping[str, Method | None]) -> Iterator[tuple[str, Method | None, tuple[int, ...]]]:
        """Folds that share one release: each has its own; as published, and with test rows of one's own, all share the
        release of all rows.
        """
        every = range(len(self.folds))
        share = self.protocol == "as-published" or self.own is not None
        at_once = [tuple(every)] if share else [(fold,) for fold in every]
        for part in at_once:  # fold by fold, so that an interrupted study has all methods on some folds
            for name, method in methods.items():
                yield name, method, part

    def run(self, tasks: list[_Task], n_jobs: int) -> None:
        total = sum(len(task.places) for task in tasks)
        with _quiet(), progress("Releasing and learning", total) as bar:
            if n_jobs == 1:
                for task in self._in_turn(tasks):
                    for _ in task.run():
                        bar.advance()
                return
            pool = ThreadPoolExecutor(n_jobs)
            try:
                for done in as_completed([pool.submit(list, task.run()) for task in tasks]):
                    bar.advance(len(done.result()))
            finally:
                self.stopped.set()
                pool.shutdown(cancel_futures=True)

    def _in_turn(self, tasks: list[_Task]) -> Iterator[_Task]:
        """Yield the tasks; those that another process is measuring come last, from the cache."""
        later = []
        for task in tasks:
            with task.claimed(wait=False) as mine:
                if mine:
                    yield task
                else:
                    later.append(task)
        for task in later:
            with task.claimed(wait=True):
                yield task


@dataclass
class _Task:
    """One release and all that is learnt from it."""

    study: _Study
    name: str
    method: Method | None
    folds: tuple[int, ...]

    def __post_init__(self) -> None:
        is_model = self._guesses if self.method is None else self.method.gives == MODEL
        names = (MODEL,) if is_model else self.study.classifiers
        self.places: list[_Place] = [(fold, name) for fold in self.folds for name in names]
        if self.method is not None:
            self.method = seeded(self.method, self.study.plan.random_state, self.folds)

    @property
    def _guesses(self) -> bool:
        return self.method is None and self.study.is_guess(self.name)

    def claimed(self, *, wait: bool) -> AbstractContextManager[bool]:
        """Among processes that share a cache, one measures the original; see Cache.claimed."""
        if self.method is not None or self.study.cache is None or self._guesses:
            return nullcontext(True)
        return self.study.cache.claimed(self._key(self.places[0]), wait=wait)

    def run(self) -> Iterator[_Place]:
        """Yield each place when it is scored, from the cache or from a release."""
        cache = None if self._guesses else self.study.cache  # to guess takes no longer than to look it up
        kept = [place for place in self.places if isinstance(self.study.classifiers.get(place[1], ""), str)]
        keys = {} if cache is None else {place: self._key(place) for place in kept}
        wanted = []
        for place in self.places:
            cached = cache.get(keys[place]) if cache is not None and place in keys else None
            if cached is None:
                wanted.append(place)
            else:
                self.study.found[(self.name, *place)] = cached
                yield place
        if not wanted:
            return
        for place, outcome in self._measured(wanted):
            self.study.found[(self.name, *place)] = outcome
            if cache is not None and place in keys:
                cache.put(keys[place], outcome, self._about(place))
            yield place

    def _measured(self, wanted: list[_Place]) -> Iterator[tuple[_Place, Score | Refusal]]:
        try:
            lessons = self._lessons()
        except (CannotRelease, PromiseBroken, DataError, RolesError) as refused:
            reason = Refusal(str(refused))
            yield from ((place, reason) for place in wanted)
            return
        folds = [(fold,) for fold in self.folds] if self.study.own is None else [self.folds]
        for together, lesson in zip(folds, lessons, strict=True):
            for classifier in dict.fromkeys(place[1] for place in wanted if place[0] in together):
                if self.study.stopped.is_set():
                    return
                for fold, outcome in zip(together, self._scores(lesson, classifier), strict=True):
                    if (fold, classifier) in wanted:
                        yield (fold, classifier), outcome

    def _scores(self, lesson: Lesson, classifier: str) -> list[Score]:
        if self._guesses:
            return lesson.guesses(self.study.asked)
        return lesson.scores(self.study.classifiers.get(classifier, classifier), self.study.asked)

    def _lessons(self) -> Iterable[Lesson]:
        study = self.study
        if self.method is None:
            lesson = unlearnt if self._guesses else without_quasi if self.name == WITHOUT_QUASI else original
            if study.own is not None:
                return [lesson(study.dataset, study.own)]
            return (lesson(*self._split(fold)) for fold in self.folds)
        if study.own is not None:
            return [held_out(_released(self.method, study.dataset), study.dataset, study.own, study.protocol)]
        if study.protocol == "as-published":
            assert isinstance(study.plan, Folds)
            return as_published(_released(self.method, study.dataset), study.dataset, study.plan)
        train, test = self._split(self.folds[0])
        return [held_out(_released(self.method, train), train, test, study.protocol)]

    def _split(self, fold: int) -> tuple[Dataset, Dataset]:
        train, test = self.study.folds[fold]
        return self.study.dataset.take(train), self.study.dataset.take(test)

    # -- its key in the cache ----------------------------------------------------------------------------------------

    def _key(self, place: _Place) -> str:
        study, (fold, classifier) = self.study, place
        rows: list[Any] = [*study.folds[fold]]
        if self.method is None:
            inputs: list[Any] = [self.name, rows, source_of(None)]
        else:
            if study.protocol == "as-published":  # the folds of released rows follow from these
                rows = [str(study.plan), fold]
            code = source_of(type(self.method))  # type: ignore[arg-type]
            inputs = [study.protocol, rows, code, parameters_of(self.method)]
        learner = study.classifiers.get(classifier, classifier)  # whatever it is called here
        return digest(study.about_data, inputs, learner, study.plan.random_state)

    def _about(self, place: _Place) -> dict[str, Any]:
        about = {"method": self.name if self.method is None else self.method.name, "protocol": self.study.protocol}
        return about | {"folds": str(self.study.plan), "fold": place[0], "classifier": place[1]}


def _released(method: Method, dataset: Dataset) -> Release:
    return method.release(dataset)


@contextmanager
def _quiet() -> Iterator[None]:
    """Limit libraries to one thread each and silence warnings. Set once around all threads: each learner sets the same
    limits again, and restores these.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", PrivacyLeakWarning)  # scores are the owner's; nothing is released
        yield
