# SPDX-License-Identifier: Apache-2.0
"""Cross-evaluation: in each fold every method releases the training rows, and every classifier learns from the release.

Every method gets the same folds. A method without a `random_state` is given one that follows from the seed and the
fold, so that the figures can be repeated; only a differentially private one keeps drawing anew, since it releases
nothing with a seed. Work is shared by threads: the kernels and scikit-learn let go of the interpreter, and private rows
stay in this process. Figures do not depend on how many threads there are.
"""

from __future__ import annotations

import hashlib
import os
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from discreet.choose.reference_lines import GUESSING, LINES, ORIGINAL, WITHOUT_QUASI
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
from discreet.evaluate.evaluation import Evaluation
from discreet.evaluate.fingerprint import digest, source_of
from discreet.evaluate.folds import Folds
from discreet.evaluate.lessons import Lesson
from discreet.evaluate.protocols import PROTOCOLS, Protocol, as_published, held_out, original, unlearnt, without_quasi
from discreet.evaluate.score_cache import Cache, Refusal
from discreet.foundation.progress import progress
from discreet.learning.classifiers import CLASSIFIERS
from discreet.learning.cross_validation import Fold, Score
from discreet.methods import Method
from discreet.privacy.differential_privacy import DifferentialPrivacy
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
    classifiers: Sequence[str] = ALL,
    random_state: int = 0,
    n_jobs: int = 1,
    cache: str | os.PathLike[str] | Cache | None = None,
) -> Evaluation:
    """Accuracy and other measures of classifiers that learn from releases, beside the original, on the same folds.

    `data` is a table with its roles, or labelled baskets without. `protocol`: see protocols.py; `folds`: see folds.py.
    A mapping gives methods names of your own. `cache` is a folder of the owner's that keeps scores.

    >>> from discreet import Mondrian, samples
    >>> clinic = samples.clinic(300, random_state=1)
    >>> found = evaluate_utility(Mondrian(k=5), clinic.data, clinic.roles, folds="3-fold", classifiers=["naive-bayes"])
    >>> found.methods, found.difference("mondrian(k=5)", "naive-bayes").mean < 0.1
    (('original', 'mondrian(k=5)'), True)
    """
    dataset = Dataset.of(data, roles)
    plan = Folds.of(folds, random_state)
    named = _named(methods, dataset)
    learners = _checked_classifiers(classifiers)
    if protocol not in PROTOCOLS:
        hint = did_you_mean(protocol, PROTOCOLS)
        raise ParameterError(
            Setting("protocol"), f" must be one of {listing(PROTOCOLS)}. Got {protocol!r} instead.{hint}"
        )
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs < 1:
        raise ParameterError(Setting("n_jobs"), f" must be a whole number of at least 1. Got {n_jobs!r} instead.")
    opened = None if cache is None else cache if isinstance(cache, Cache) else Cache(cache)
    study = _Study(dataset, plan, plan.split(dataset.labels, dataset.persons), protocol, learners, opened)
    lines = (*([WITHOUT_QUASI] if dataset.not_quasi else []), GUESSING)
    study.run([_Task(study, *part) for part in study.parts({**dict.fromkeys((ORIGINAL, *lines)), **named})], n_jobs)
    models = frozenset(name for name, method in named.items() if method.gives == MODEL)
    names = (ORIGINAL, *named)
    by_themselves = {*models, GUESSING}
    outcomes = {
        (name, classifier): tuple(
            study.found[name, fold, MODEL if name in by_themselves else classifier] for fold in range(len(plan))
        )
        for name in (*names, *lines)
        for classifier in learners
    }
    units = "rows" if dataset.persons is None else "persons"
    return Evaluation(protocol, plan, names, learners, outcomes, len(dataset), units, models, lines)


class _Study:
    """What all tasks share, and their scores."""

    def __init__(
        self,
        dataset: Dataset,
        plan: Folds,
        folds: list[Fold],
        protocol: Protocol,
        classifiers: tuple[str, ...],
        cache: Cache | None,
    ):
        self.dataset, self.plan, self.folds, self.protocol = dataset, plan, folds, protocol
        self.classifiers, self.cache = classifiers, cache
        self.found: dict[tuple[str, int, str], Score | Refusal] = {}
        self.stopped = threading.Event()  # after an error or Ctrl-C no task begins with another classifier
        self.about_data = "" if cache is None else digest(dataset.data, dataset.roles)

    def parts(self, methods: Mapping[str, Method | None]) -> Iterator[tuple[str, Method | None, tuple[int, ...]]]:
        """Folds that share one release: each has its own; as published, all share the release of all rows."""
        every = range(len(self.folds))
        at_once = [tuple(every)] if self.protocol == "as-published" else [(fold,) for fold in every]
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
            self.method = _seeded(self.method, self.study.plan.random_state, self.folds)

    @property
    def _guesses(self) -> bool:
        return self.method is None and self.name == GUESSING

    def claimed(self, *, wait: bool) -> AbstractContextManager[bool]:
        """Among processes that share a cache, one measures the original; see Cache.claimed."""
        if self.method is not None or self.study.cache is None or self._guesses:
            return nullcontext(True)
        return self.study.cache.claimed(self._key(self.places[0]), wait=wait)

    def run(self) -> Iterator[_Place]:
        """Yield each place when it is scored, from the cache or from a release."""
        cache = None if self._guesses else self.study.cache  # to guess takes no longer than to look it up
        keys = {} if cache is None else {place: self._key(place) for place in self.places}
        wanted = []
        for place in self.places:
            cached = cache.get(keys[place]) if cache is not None else None
            if cached is None:
                wanted.append(place)
            else:
                self.study.found[(self.name, *place)] = cached
                yield place
        if not wanted:
            return
        for place, outcome in self._measured(wanted):
            self.study.found[(self.name, *place)] = outcome
            if cache is not None:
                cache.put(keys[place], outcome, self._about(place))
            yield place

    def _measured(self, wanted: list[_Place]) -> Iterator[tuple[_Place, Score | Refusal]]:
        try:
            lessons = self._lessons()
        except (CannotRelease, PromiseBroken, DataError, RolesError) as refused:
            reason = Refusal(str(refused))
            yield from ((place, reason) for place in wanted)
            return
        for fold, lesson in zip(self.folds, lessons, strict=True):
            for place in wanted:
                if self.study.stopped.is_set():
                    return
                if place[0] == fold:
                    seed = self.study.plan.random_state
                    yield place, lesson.guess() if self._guesses else lesson.score(place[1], seed)

    def _lessons(self) -> Iterable[Lesson]:
        study = self.study
        if self.method is None:
            lesson = {WITHOUT_QUASI: without_quasi, GUESSING: unlearnt}.get(self.name, original)
            return (lesson(*self._split(fold)) for fold in self.folds)
        if study.protocol == "as-published":
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
        return digest(study.about_data, inputs, classifier, study.plan.random_state)

    def _about(self, place: _Place) -> dict[str, Any]:
        about = {"method": self.name if self.method is None else self.method.name, "protocol": self.study.protocol}
        return about | {"folds": str(self.study.plan), "fold": place[0], "classifier": place[1]}


# -- methods -------------------------------------------------------------------------------------------------------


def parameters_of(method: Method) -> list[Any]:
    """What identifies a method: its class and parameters, and the content of files that parameters name."""
    parameters = method.get_params(deep=False)
    files = {name: value for name, value in parameters.items() if isinstance(value, str) and os.path.isfile(value)}
    contents = {name: Path(value).read_bytes() for name, value in files.items()}
    return [type(method).__module__, type(method).__qualname__, parameters, contents]


def _released(method: Method, dataset: Dataset) -> Release:
    return method.release(dataset)


def _seeded(method: Method, seed: int, folds: tuple[int, ...]) -> Method:
    """The method with a seed derived for these folds, unless it has one or takes none."""
    parameters = method.get_params(deep=False)
    may = "random_state" in parameters and not isinstance(method.promise, DifferentialPrivacy)
    if may and parameters["random_state"] is None:
        drawn = hashlib.sha256(f"discreet evaluation {seed} {folds[0]}".encode()).digest()
        parameters["random_state"] = int.from_bytes(drawn[:4], "big")
    return type(method)(**parameters)


def _named(methods: Method | Iterable[Method] | Mapping[str, Method], dataset: Dataset) -> dict[str, Method]:
    """The methods by name; unnamed ones by their `label`."""
    if isinstance(methods, Mapping):
        named = dict(methods)
    else:
        listed = [methods] if isinstance(methods, Method) else list(methods)
        named = {label(method): method for method in listed}
        if len(named) < len(listed):
            raise ParameterError("Two methods are the same. Give each once, or names of your own: {name: method}.")
    wrong = [name for name, method in named.items() if not isinstance(method, Method)]
    if wrong or not named or {*LINES} & {*named}:
        raise ParameterError(
            f"Give methods, under any name but {listing(LINES)}. Got {len(named)}, of which {len(wrong)} are not"
            " methods."
        )
    unfit = [name for name, method in named.items() if dataset.shape not in method.takes]
    if unfit:
        raise DataError(f"The data is a {dataset.shape}; {listing(unfit)} cannot release it. Leave these methods out.")
    return named


def label(method: Method) -> str:
    """A method's name, with the parameters that differ from their defaults.

    >>> from discreet import Mondrian
    >>> label(Mondrian(k=5)), label(Mondrian(7, split="information"))
    ('mondrian(k=5)', 'mondrian(k=7, split=information)')
    """
    defaults = {name: parameter.default for name, parameter in signature(type(method)).parameters.items()}
    parameters = method.get_params(deep=False)
    shown = [
        f"{name}={parameters[name]}" if isinstance(parameters[name], (int, float, str)) else f"{name}=given"
        for name, default in defaults.items()
        if name == "k" or (name != "random_state" and not _equal(parameters[name], default))
    ]
    return f"{method.name}({', '.join(shown)})" if shown else method.name


def _equal(value: object, default: object) -> bool:
    plain = type(value) is type(default) and isinstance(value, (int, float, str, tuple))
    return value is default or (plain and value == default)


def _checked_classifiers(classifiers: Sequence[str]) -> tuple[str, ...]:
    names = (classifiers,) if isinstance(classifiers, str) else tuple(dict.fromkeys(classifiers))
    unknown = [name for name in names if name not in CLASSIFIERS]
    if unknown or not names:
        hint = did_you_mean(unknown[0], CLASSIFIERS) if unknown else ""
        raise ParameterError(Setting("classifiers"), f" must be among {listing(CLASSIFIERS, most=20)}.{hint}")
    return names


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
