# SPDX-License-Identifier: Apache-2.0
"""One task of a study: make the release, save it verified, attack it, and measure what it is worth.

A differentially private method is measured and not released: each release would cost budget, and so would choosing
among them by looking. `discreet release` makes the one that was chosen, and pays for it from a ledger.

An unexpected error ends its own task only. Just the name of its type is kept: its message may quote cells.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import shutil
import time
import warnings
from dataclasses import asdict
from typing import Any, NamedTuple

from discreet.attacks.case import Case
from discreet.attacks.finding import Finding
from discreet.attacks.published import Published
from discreet.attacks.registry import ATTACKS, run_case
from discreet.choose.reference_lines import GUESSING, ORIGINAL
from discreet.data.dataset import Dataset
from discreet.data.roles import Roles
from discreet.errors import CannotRelease, DataError, DiscreetError, PrivacyLeakWarning, PromiseBroken
from discreet.evaluate.confidence import Share, difference_of_shares, effective_rows, paired_difference
from discreet.evaluate.cross_evaluation import evaluate_utility
from discreet.evaluate.detail import asked_on, what_is_kept
from discreet.evaluate.distributions import distributions
from discreet.evaluate.evaluation import MEASURES, Evaluation
from discreet.evaluate.facts import release_facts
from discreet.evaluate.utility import split
from discreet.foundation.randomness import Randomness
from discreet.learning.cross_validation import Measure
from discreet.methods import Method
from discreet.privacy import DifferentialPrivacy, LDiversity, TCloseness
from discreet.privacy.promise import Promise
from discreet.release.release import Release
from discreet.study.folder import StudyFolder
from discreet.study.recipe import Recipe
from discreet.study.tasks import Task

CONTROL = 0.2  # of the rows, or persons, who are left out of a release that is attacked
_UNEQUAL = 0.55  # the share of the commonest of two classes from which on they count as unequally common
DIED = "its process died"
DISK = "the disk is full or fails"
_AGAIN = "The same command tries it again, and leaves the other releases as they are."
_UNFORESEEN = (
    f"An unexpected error. {_AGAIN} `discreet --debug release` with this method and these parameters, or"
    " `discreet --debug evaluate`, shows where it is; what they show may hold private values."
)
_MEMORY = f"It probably needs more memory. Give the study more of it, fewer jobs, or a sample of the rows. {_AGAIN}"
_ROOM = f"Its files could not be written. Free some disk space. {_AGAIN}"
_REASONS = {DIED: _MEMORY, MemoryError.__name__: _MEMORY, DISK: _ROOM}
_TROUBLES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE})


def failed(task: Task, error: str) -> dict[str, Any]:
    """The result of a task that failed: the name of the error (its type, DIED or DISK), and what to do."""
    return asked_of(task) | {"refused": _REASONS.get(error, _UNFORESEEN), "failed": error}


def measured(task: Task, recipe: Recipe, dataset: Dataset, folder: StudyFolder, secret: int) -> dict[str, Any]:
    """The result of a task: facts, attacks and scores, or why there is no release."""
    start = time.perf_counter()
    try:
        method = task.make()
        spends = isinstance(method.promise, DifferentialPrivacy)
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", PrivacyLeakWarning
            )  # what is made here is the owner's, until it is published
            result = _noisy(task, dataset) if spends else _released(task, recipe, dataset, folder, secret)
            result["evaluations"] = [
                _evaluated(task, method, recipe, dataset, folder, p) for p in recipe.evaluation.protocols
            ]
        return asked_of(task) | result | {"refused": None, "seconds": round(time.perf_counter() - start, 2)}
    except Exception as error:
        if _is_disk_error(error):
            answer = failed(task, DISK)
        elif isinstance(error, DiscreetError):
            answer = asked_of(task) | {"refused": str(error)}
        else:
            answer = failed(task, type(error).__name__)
    shutil.rmtree(folder.releases / task.name, ignore_errors=True)  # what has no scores is no candidate
    return answer


def _is_disk_error(error: Exception) -> bool:
    """Whether the disk failed, directly or behind an error of ours: temporary, and not this task's fault."""
    return any(isinstance(one, OSError) and one.errno in _TROUBLES for one in (error, error.__context__))


def asked_of(task: Task) -> dict[str, Any]:
    """The part of a result that identifies its task."""
    return {"name": task.name, "method": task.method, "parameters": _plain(task.parameters)}


def _noisy(task: Task, dataset: Dataset) -> dict[str, Any]:
    """The facts of a differentially private release, which is not made: what it would promise.

    Anyone who picks one of n persons at random is right once in n; the release makes that e^epsilon times as likely at
    most.
    """
    promise = task.make().promise
    assert isinstance(promise, DifferentialPrivacy)
    members, control = map(dataset.take, split(dataset.labels, dataset.persons, CONTROL, Randomness(0)))
    kept = asked_on(task.make().release(members), members, control)  # drawn to be measured, as for the scores, and lost
    return {
        "facts": None,
        "kept": kept.to_dict(),
        "distributions": [],
        "folder": None,
        "promise": str(promise),
        "attacks": [],
        "attacks_left_out": {},
        "picked_at_most": min(1.0, math.exp(min(promise.epsilon, 700.0)) / dataset.n_persons + promise.delta),
        "why_not_made": "A differentially private release costs budget: make the one that you choose with"
        " `discreet release` and a ledger.",
    }


def release_of(task: Task, recipe: Recipe, dataset: Dataset, secret: int) -> Release:
    """The release of a task, which keeps all that the recipe promises. Its randomness follows from the secret: the same
    release whenever it is made.
    """
    release = _seeded(task, secret, "released").release(dataset)
    for promise in _extra_promises(recipe, release):
        verdict = release.check(promise)
        if not verdict.holds:
            raise PromiseBroken(f"{verdict.sentence()} The recipe also requires {promise}.")
    return release


def _released(task: Task, recipe: Recipe, dataset: Dataset, folder: StudyFolder, secret: int) -> dict[str, Any]:
    """The release itself, saved and attacked."""
    release = release_of(task, recipe, dataset, secret)
    target = folder.releases / task.name
    release.save(target, overwrite=True)
    attacked = _attacked(task, recipe, dataset, secret)
    kept = asked_on(attacked.release, attacked.members, attacked.control, what_is_kept(release, dataset))
    return {
        "facts": release_facts(release, dataset),
        "kept": kept.to_dict(),
        "distributions": distributions(release, dataset),
        "folder": f"releases/{task.name}",
        "promise": str(release.promise),
        **_attacks(attacked, recipe, dataset),
        "why_not_made": "",
    }


def _seeded(task: Task, secret: int, purpose: str) -> Method:
    drawn = hashlib.sha256(f"discreet study {secret} {task.name} {purpose}".encode()).digest()
    return task.make(int.from_bytes(drawn[:8], "big") >> 1)


def _extra_promises(recipe: Recipe, release: Release) -> list[Promise]:
    """Further promises that the recipe demands of every release of a table."""
    if release.shape != "table":
        return []
    promises: list[Promise] = []
    if recipe.promises.l is not None:
        promises.append(LDiversity(recipe.promises.l))
    if recipe.promises.t is not None:
        promises.append(TCloseness(recipe.promises.t))
    return promises


class _Attacked(NamedTuple):
    """A release of most of the rows, by the same method, and the persons who are not in it."""

    release: Release
    members: Dataset
    control: Dataset


def _attacked(task: Task, recipe: Recipe, dataset: Dataset, secret: int) -> _Attacked:
    randomness = Randomness(recipe.run.seed or 0)
    members, control = map(dataset.take, split(dataset.labels, dataset.persons, CONTROL, randomness))
    return _Attacked(_seeded(task, secret, "attacked").release(members), members, control)


def _attacks(attacked: _Attacked, recipe: Recipe, dataset: Dataset) -> dict[str, Any]:
    """The attacks that the recipe names, where they apply."""
    release, members, control = attacked
    published = Published.of(release)
    case = Case(published, members.data, dataset.roles or Roles(), control.data, random_state=recipe.run.seed or 0)
    named = ATTACKS if "all" in recipe.attacks else recipe.attacks
    findings: list[Finding] = []
    left_out: dict[str, str] = {}
    for name in named:
        if why := ATTACKS[name].why_not(case):
            left_out[name] = why
            continue
        try:
            findings += run_case(case, [name])
        except DataError as error:  # it has nothing to work with
            left_out[name] = str(error)
    return {"attacks": [asdict(finding) for finding in findings], "attacks_left_out": left_out}


def _evaluated(
    task: Task, method: Method, recipe: Recipe, dataset: Dataset, folder: StudyFolder, protocol: str
) -> dict[str, Any]:
    settings = recipe.evaluation
    evaluation = evaluate_utility(
        {task.name: method},
        dataset,
        protocol=protocol,  # type: ignore[arg-type]
        folds=settings.folds,
        classifiers=settings.classifiers,
        random_state=recipe.run.seed or 0,
        cache=folder.cache,
    )
    if (refused := evaluation.refusal(task.name)) is not None:
        raise CannotRelease(refused)
    return evaluation_facts(evaluation, task.name, effective_rows(dataset.persons, len(dataset)))


def evaluation_facts(evaluation: Evaluation, name: str, n: float) -> dict[str, Any]:
    """The scores of one method and of the lines beside it, by classifier; n rows of different persons were tested."""
    cells = evaluation.to_dict()
    scores: dict[str, dict[str, Any]] = {}
    for cell in cells["results"]:
        scores.setdefault(cell["method"], {})[cell["classifier"]] = _scores(cell)
    return {
        "protocol": evaluation.protocol,
        "folds": str(evaluation.folds),
        "test": evaluation.folds.test,
        "rows": evaluation.n_rows,
        "units": evaluation.units,
        "readings": cells["classifiers"],
        "answers_itself": name in evaluation.models,
        "after": scores[name],
        "before": scores[ORIGINAL],
        "lines": {line: scores[line] for line in evaluation.lines},
        "best": {measure: _best(evaluation, name, measure, n) for measure in MEASURES},
    }


def _best(evaluation: Evaluation, name: str, measure: Measure, n: float) -> dict[str, Any]:
    """The best classifier of a release and of each line, and how far the release is from the original and from
    guessing, by the best classifier of each. Folds are few and tell little about how much they vary: the interval of
    the gain in accuracy over guessing is that of the n tested rows, which are many (`_gain_over_guessing`).
    """
    best = {one: evaluation.best_classifier(one, measure) for one in (name, ORIGINAL, *evaluation.lines)}
    apart = {
        one: asdict(evaluation.difference(name, best[name], measure, other=one, other_classifier=best[one]))
        for one in (ORIGINAL, *evaluation.lines)
    }
    if measure == "accuracy":
        by_rows = _gain_over_guessing(
            evaluation.mean(name, best[name], "accuracy").value,
            evaluation.mean(name, best[name], "balanced_accuracy").value,
            evaluation.mean(GUESSING, best[GUESSING], "accuracy").value,
            evaluation.mean(GUESSING, best[GUESSING], "balanced_accuracy").value,
            n,
        )
        apart[GUESSING] |= {"low": by_rows.low, "high": by_rows.high}
    plain = {one: {end: v if math.isfinite(v) else None for end, v in found.items()} for one, found in apart.items()}
    return {"release": best.pop(name), "lines": best, "differences": plain}


def _gain_over_guessing(right: float, balanced: float, guessed: float, guessed_balanced: float, n: float) -> Share:
    """The gain in accuracy over guessing on n rows, with its interval.

    Guessing is right about the rows of the commonest class. Of two classes, the accuracy and the balanced accuracy say
    which share of either was right, so that the rows can be paired: those that only the classifier, and those that only
    guessing got right. Where both classes are about as common, pairing tells no more than the two shares do; of more
    classes, those right of each are not known.

    >>> _gain_over_guessing(0.74, 0.63, 0.7, 0.5, 900).low > 0 > difference_of_shares(0.74, 0.7, 900).low
    True
    """
    if guessed_balanced != 0.5 or guessed < _UNEQUAL:
        return difference_of_shares(right, guessed, n)
    of_commonest = (right - (1 - guessed) * 2 * balanced) / (2 * guessed - 1)
    lost = min(max(guessed * (1 - of_commonest), 0.0), guessed)
    return paired_difference(max(right - guessed + lost, 0.0), lost, n)


def _scores(cell: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in cell.items() if name not in ("method", "classifier", "refused", "folds")}


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(parameters, default=str))
