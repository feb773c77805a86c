# SPDX-License-Identifier: Apache-2.0
"""What is measured of a method on a table at one k: 70 % of the rows (whole persons) are released, the rest is used.

accuracy, auc, log_loss   of each learner that learnt from the release, on the other rows, recoded record by record
raw                       the best accuracy on the other rows as a recipient reads them who does not recode: each cell
                          as the narrowest published label of its column that covers it
suppressed                the share of suppressed cells of quasi-identifiers
detail                    of the released rows, as `evaluate` and `compare` measure it: the mean over quasi-identifiers
                          of the bits that a recipient reads off the labels by their meanings, as a share of all bits
counted                   the mean of I(cell; label) / H(cell), counted on the other rows as they are recoded. It says
                          more than a recipient can read where few rows have many labels: of 60 rows, any labels that
                          are all different seem to tell everything. It is the only one for rows of representatives.
cpu                       CPU seconds of the release; the first of a method is made twice, so none compiles

Probabilities are taken to be at least 0.001 for the log-loss, in nats: trees that are sure of themselves would
otherwise pay without limit for a single row.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet import Roles, Table
from discreet.counting.entropy import entropy_times_n
from discreet.errors import CannotRelease
from discreet.evaluate.protocols import read
from discreet.evaluate.utility import split
from discreet.foundation.randomness import Randomness
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import score
from discreet.methods import Method
from discreet.release.release import Release

LEARNERS = ("logistic", "naive-bayes", "tree")
LEAST_PROBABILITY = 1e-3
_COMPILED = set[type[Method]]()


@dataclass(frozen=True)
class Split:
    """Rows to release, and rows to be asked about."""

    train: Table
    test: Table
    roles: Roles

    @classmethod
    def of(cls, table: Table, roles: Roles, seed: int = 0) -> Split:
        labels = table.column(str(roles.target)).codes
        persons = None if roles.person is None else table.column(roles.person).codes
        train, test = split(labels, persons, 0.3, Randomness(seed))
        return cls(table.take(train), table.take(test), roles)

    @property
    def target(self) -> str:
        return str(self.roles.target)


def measured(make: Callable[[], Method], rows: Split, learners: tuple[str, ...] = LEARNERS) -> dict[str, Any]:
    """Everything about one release; an empty dictionary with `refused` if there is none."""
    try:
        if (kind := type(make())) not in _COMPILED:
            make().release(rows.train, rows.roles)
            _COMPILED.add(kind)
        start = time.process_time()
        release = make().release(rows.train, rows.roles)
    except CannotRelease:
        return {"refused": True}
    cpu = time.process_time() - start
    return figures_of(release, rows, learners) | {"cpu": cpu}


def figures_of(release: Release, rows: Split, learners: tuple[str, ...] = LEARNERS) -> dict[str, Any]:
    """Everything about one release but what it cost."""
    recoded, raw = release.recode(rows.test), read(release, rows.test)
    found = {name: scores(name, release.table, recoded, rows) for name in learners}
    unrecoded = {name: scores(name, release.table, raw, rows) for name in learners}
    return {
        "learners": found,
        "raw": max(one["accuracy"] for one in unrecoded.values()),
        "raw_auc": max(one["auc"] for one in unrecoded.values()),
        "suppressed": release.losses.information_loss,
        "detail": detail_of(release),
        "counted": counted_detail(release, rows),
    }


def scores(learner: str, learnt: Table, tested: Table, rows: Split) -> dict[str, float]:
    """How well a learner answers about rows in the form of those it learnt from."""
    model = CLASSIFIERS[learner](random_state=0)
    model.fit(examples_for(model, learnt, list(rows.roles.quasi), rows.target))
    label = rows.test.column(rows.target)
    classes = sorted({*model.classes_, *label.texts})
    proba = np.zeros((len(tested), len(classes)))
    proba[:, [classes.index(text) for text in model.classes_]] = model.predict_proba(tested)
    truth = np.array([classes.index(text) for text in label.texts])[label.codes]
    found = score(truth, proba)
    likely = np.maximum(proba[np.arange(len(truth)), truth], LEAST_PROBABILITY)
    return {"accuracy": found.accuracy, "auc": found.auc, "log_loss": float(-np.log(likely).mean())}


def detail_of(release: Release) -> float:
    """The detail of the released rows, as the product measures it."""
    return 0.0 if release.detail is None else release.detail.whole


def counted_detail(release: Release, rows: Split) -> float:
    """The information kept about a quasi-identifier, on average; on the rows to be asked about, as they are recoded."""
    return information_kept(rows.test, release.recode(rows.test), rows.roles.quasi)


def information_kept(before: Table, after: Table, quasi: Sequence[str]) -> float:
    """The mean over quasi-identifiers of the information that cells keep."""
    return float(np.mean([_kept(before, after, name) for name in quasi]))


def _kept(before: Table, after: Table, name: str) -> float:
    if name not in after.names:
        return 0.0
    cell, label = before.column(name), after.column(name)
    counts = np.zeros((label.levels, cell.levels), dtype=np.int64)
    np.add.at(counts, (label.codes, cell.codes), 1)
    all_bits = float(entropy_times_n(counts.sum(axis=0)))
    return 1.0 - float(entropy_times_n(counts).sum()) / all_bits if all_bits > 0 else 0.0


def best_of(found: dict[str, Any], measure: str) -> float:
    """The best learner's accuracy, AUC or log-loss."""
    values = [one[measure] for one in found["learners"].values()]
    return min(values) if measure == "log_loss" else max(values)


def lines(found: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A line of Markdown for each release."""
    heads = ("k", "method", "accuracy", "AUC", "log-loss", "LR accuracy", "LR AUC", "LR log-loss", "raw", "detail",
             "counted", "suppressed", "CPU-s")  # fmt: skip
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for name, one in found.items():
        k, method = name.split(" ", 1)
        if one.get("refused"):
            yield f"| {k} | {method} | no release |" + " |" * (len(heads) - 3)
            continue
        values = [best_of(one, m) for m in ("accuracy", "auc", "log_loss")]
        linear = one["learners"].get("logistic", {})
        values += [linear.get(m, float("nan")) for m in ("accuracy", "auc", "log_loss")]
        values += [one["raw"], one.get("detail", float("nan")), one["counted"], one["suppressed"], one["cpu"]]
        yield f"| {k} | {method} | " + " | ".join(f"{v:.3f}" for v in values) + " |"
