# SPDX-License-Identifier: Apache-2.0
"""Attribute inference: what does a classifier that learnt from the release predict for a person's sensitive value?

The strongest of several learners counts; one of them memorises: a tree grown until its leaves are pure. Each learns
from all published rows; persons are recoded to the labels of the release. The strongest learner is chosen on one half
of the persons and its success is measured on the other half, so the choice does not bias the result. The guess without
attributes is the commonest published value. What the same learner gets right for persons outside the release holds for
everybody; only what it gets right beyond that comes from being in it.
"""

from __future__ import annotations

import numpy as np

from discreet.attacks.case import Case
from discreet.attacks.finding import CannotAttack, Finding, in_words, rate_of_persons
from discreet.attacks.homogeneity import codes_among, known_besides, sensitive_columns
from discreet.attacks.label_meanings import recode_known
from discreet.counting.tally import same_rows
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.evaluate.confidence import Share
from discreet.foundation.progress import track
from discreet.learning.classifiers import CLASSIFIERS, Classifier, examples_for
from discreet.prepare.binning import Binning, equal_frequency_cuts
from discreet.privacy.predictability import ATTACKERS, MOST_NUMBERS

LEARNERS = (*ATTACKERS, "tree")


def inference(case: Case) -> list[Finding]:
    """For each known sensitive column and the target: how often is the strongest learner right?"""
    names = [name for name in sensitive_columns(case) if name in case.table]
    if not names:
        raise CannotAttack("Inferred values cannot be checked: the known table lacks the column.")
    findings = [_finding(case, name) for name in names]
    return [finding for finding in findings if finding is not None]


def _finding(case: Case, name: str) -> Finding | None:
    """The finding for a column; None if there is nothing to guess, or nothing to guess it from."""
    published = case.published
    release, known, absent, note = _in_classes(published.table, case.table, case.absent, name)
    values, people = release.column(name), recode_known(published, case.table)
    features = [column for column in known_besides(case, name) if column in people]
    if values.levels < 2 or not features:
        return None
    persons, truth = case.persons(known), codes_among(values, known.column(name))
    models = _learnt(release, features, name)
    right = {learner: _answers(model, people, values) == truth for learner, model in models.items()}
    strongest, measured_on, success, n = _judged(right, persons, case.random_state)
    whose = None if persons is None else persons[measured_on]
    commonest = int(np.argmax(np.bincount(values.codes)[: len(values.values)]))
    guess, _ = rate_of_persons((truth[measured_on] == commonest).astype(float), whose)
    control = None
    if absent is not None and case.absent is not None:
        answers = _answers(models[strongest], recode_known(published, case.absent), values)
        hits = answers == codes_among(values, absent.column(name))
        control, _ = rate_of_persons(hits.astype(float), case.persons(absent))
    knows = tuple(dict.fromkeys(map(published.source, features)))
    return Finding(
        attack=f"inference of {name}",
        question=f"Does a classifier that learnt from the release predict a person's {name} from {in_words(knows)}?",
        success=success,
        targets=n,
        baseline=guess.value,
        control=control,
        note=note.strip(),
        kind="guess",
        column=name,
        detail=f"The strongest of {len(models)} learners is {strongest}, chosen on the other half of the persons.",
        knows=knows,
    )


def _judged(
    right: dict[str, np.ndarray], persons: np.ndarray | None, random_state: int | None
) -> tuple[str, np.ndarray, Share, int]:
    """The strongest learner on one half of the persons, the rows of the other half, and its success on these."""
    rows = len(next(iter(right.values())))
    chosen_on, measured_on = _halves(rows, persons, random_state)
    strongest = max(right, key=lambda learner: int(right[learner][chosen_on].sum()))
    whose = None if persons is None else persons[measured_on]
    everybody = rows if persons is None else len(np.unique(persons))
    return strongest, measured_on, *rate_of_persons(right[strongest][measured_on].astype(float), whose, of=everybody)


def _learnt(release: Table, features: list[str], name: str) -> dict[str, Classifier]:
    """The learners, fitted on the published rows."""
    models = {}
    for learner in track(LEARNERS, f"Learning {name}"):
        model = CLASSIFIERS[learner]()
        model.fit(examples_for(model, release, features, name))
        models[learner] = model
    return models


def _answers(model: Classifier, people: Table, values: Column) -> np.ndarray:
    """What the model says of each person, as codes of the published column; asked once per distinct row."""
    groups, first = same_rows(people.columns())
    place_of = {text: code for code, text in enumerate(values.texts)}
    answers = np.array([place_of[text] for text in model.predict(people.take(first))], dtype=np.int64)
    return answers[groups]


def _halves(n: int, persons: np.ndarray | None, random_state: int | None) -> tuple[np.ndarray, np.ndarray]:
    """The rows of one half of the persons, and those of the other."""
    units = np.arange(n) if persons is None else np.unique(persons, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    if n_units < 4:
        raise CannotAttack(f"Inference is tried on half of the persons; {n_units} are too few. Give at least four.")
    is_first = np.zeros(n_units, dtype=bool)
    is_first[np.random.default_rng(random_state).permutation(n_units)[: n_units // 2]] = True
    return np.flatnonzero(is_first[units]), np.flatnonzero(~is_first[units])


def _in_classes(
    release: Table, known: Table, absent: Table | None, name: str
) -> tuple[Table, Table, Table | None, str]:
    """Bin numbers with many values at the quartiles of the release, so that the interval is to be guessed."""
    column = release.column(name)
    absent = None if absent is None or name not in absent else absent
    if column.kind == "category" or column.levels <= MOST_NUMBERS:
        return release, known, absent, ""
    cuts = equal_frequency_cuts(column, 4)
    binning = Binning.fit(release, [name], target=None, cuts={name: cuts})
    cut = None if absent is None else binning.apply(absent)
    return binning.apply(release), binning.apply(known), cut, f" One of {len(cuts) + 1} intervals is to be guessed."
