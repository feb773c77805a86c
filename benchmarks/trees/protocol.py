# SPDX-License-Identifier: Apache-2.0
"""The study of the kACTUS-2 paper: what classifiers learn from k-anonymous training halves.

5x2 cross-validation. In each of the ten turns a method sees one half of the rows and releases it; C4.5, PART, naive
Bayes and logistic regression learn from the release and are tested on the other half, which the published recoding
brings to the form of the release. Nothing is learnt from the test half, not even the cuts of numbers (the paper's
figures fit cuts that were learnt on the whole file). kADET is its own classifier.

The area under the curve of accuracy against k is taken over the logarithm of k, and divided by its range: an accuracy.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import discreet
from discreet import (
    CannotRelease,
    KActus,
    KActus2,
    KAdet,
    Mondrian,
    Roles,
    Table,
    TopDownRefinement,
    TopDownSpecialization,
    TreeLadder,
)
from discreet.foundation.progress import track
from discreet.learning import classifiers
from discreet.learning import cross_validation as crossval
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import Fold, five_by_two, score_on
from discreet.methods import Method
from discreet.samples import load

RESULTS = Path(__file__).parents[1] / "results" / "trees"
LEARNERS = ("c45", "part", "naive-bayes", "logistic")
OWN_TREE = "own tree"
DATA: dict[str, tuple[str, dict, tuple[int, ...]]] = {
    "tic_tac_toe": ("tic_tac_toe", {}, (5, 10, 15, 20, 30)),
    "glass": ("glass", {}, (5, 10, 15, 20, 30)),
    "german": ("german", {"quasi": 9}, (5, 10, 15, 20, 30, 40, 50, 80, 100)),
    "waveform": ("waveform40", {}, (5, 10, 15, 20, 30, 40, 50)),
    "adult": ("adult", {"quasi": 14}, (5, 20, 50, 100, 500, 1000)),
}
PAPERS: dict[str, Callable[[int], Method]] = {
    "TDS": lambda k: TopDownSpecialization(k, recoding="global", random_state=0),
    "TDR": lambda k: TopDownRefinement(k, random_state=0),
    "kADET": lambda k: KAdet(k),
    "kACTUS": lambda k: KActus(k, random_state=0),
    "kACTUS-2": lambda k: KActus2(k, random_state=0),
}
METHODS: dict[str, Callable[[int], Method]] = {
    **PAPERS,
    "Mondrian, information": lambda k: Mondrian(k, split="information", random_state=0),
    "TreeLadder": lambda k: TreeLadder(k, random_state=0),
}
ORIGINAL = "original"


@dataclass(frozen=True)
class Cell:
    """One data set, method and k: the accuracy of each learner in each turn, or why there is none."""

    data: str
    method: str
    k: int

    @property
    def file(self) -> Path:
        """Results are kept by what was asked and by what answered: a changed method or learner starts anew."""
        return RESULTS / f"{self.data}-{self.method.replace(', ', '-')}-{self.k}-{version(self.method)}.json"


@cache
def version(method: str) -> str:
    """A hash of the source that a method's cells depend on: the learners and the method, with what they import from
    learning, methods and prepare. The class Method, which writes and checks what methods decide, is not part of it.
    """
    start = [inspect.getfile(classifiers), inspect.getfile(crossval)]
    if method != ORIGINAL:
        start.append(inspect.getfile(type(METHODS[method](2))))
    digest = hashlib.sha256()
    for path in sorted(_imported([*map(Path, start)])):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _imported(files: list[Path]) -> set[Path]:
    """The files, and those of the three folders that they import, directly or not."""
    folders, found, left = Path(discreet.__file__).parent, set(files), list(files)
    while left:
        for node in ast.walk(ast.parse(left.pop().read_text(encoding="utf-8"))):
            parts = (getattr(node, "module", None) or "").split(".")
            if len(parts) == 3 and parts[1] in ("learning", "methods", "prepare") and parts[2] != "base":
                path = folders / parts[1] / f"{parts[2]}.py"
                if path not in found:
                    found.add(path)
                    left.append(path)
    return found


def loaded(name: str) -> tuple[Table, Roles]:
    sample, parameters, _ = DATA[name]
    found = load(sample, **parameters)
    assert isinstance(found.data, Table)
    assert found.roles is not None
    return found.data.select(found.roles.named), found.roles


def turns(table: Table, roles: Roles, n: int) -> list[Fold]:
    return five_by_two(len(table), 0, labels=table.column(str(roles.target)).codes)[:n]


def accuracies(train: Table, test: Table, target: str) -> dict[str, float]:
    features = [name for name in train.names if name != target]
    found = {}
    for name in LEARNERS:
        model = CLASSIFIERS[name]()
        model.fit(examples_for(model, train, features, target))
        found[name] = score_on(model, test, target).accuracy
    return found


def run(cell: Cell, n_turns: int) -> dict:
    """The accuracies of a cell, from its file when they are there."""
    if cell.file.exists() and len((kept := json.loads(cell.file.read_text()))["turns"]) >= n_turns:
        return {**kept, "turns": kept["turns"][:n_turns]}
    make = None if cell.method == ORIGINAL else METHODS[cell.method]
    result = measured(cell.data, make, cell.k, n_turns)
    if "refused" not in result:
        cell.file.parent.mkdir(parents=True, exist_ok=True)
        cell.file.write_text(json.dumps(result))
    return result


def measured(data: str, make: Callable[[int], Method] | None, k: int, n_turns: int) -> dict:
    """The accuracies of a data set, method and k, measured now; without a method those of the original rows."""
    table, roles = loaded(data)
    target, result = str(roles.target), {"turns": [], "lost": []}
    for fold in turns(table, roles, n_turns):
        train, test = table.take(fold.train), table.take(fold.test)
        if make is None:
            columns = list(roles.published)
            result["turns"].append(accuracies(train.select(columns), test.select(columns), target))
            continue
        method = make(k)
        if isinstance(method, KAdet):
            predicted = method.fit(train, roles).predict(test)
            label = test.column(target)
            truth = np.array(label.texts)[label.codes]
            result["turns"].append({OWN_TREE: float((np.array(list(map(str, predicted))) == truth).mean())})
            continue
        try:
            release = method.release(train, roles)
        except CannotRelease as refusal:
            return {"turns": [], "lost": [], "refused": str(refusal)}
        result["turns"].append(accuracies(release.table, release.recode(test), target))
        result["lost"].append(release.losses.information_loss)
    return result


def cells(data: list[str], methods: list[str], ks: list[int] | None) -> Iterator[Cell]:
    for name in data:
        yield Cell(name, ORIGINAL, 0)
        for k in DATA[name][2]:
            if ks is None or k in ks:
                for method in methods:
                    yield Cell(name, method, k)


def study(asked: list[Cell], turns_of: dict[str, int], workers: int) -> dict[Cell, dict]:
    """All cells, several at a time, with so many turns by data set; an interrupted study goes on where it was."""
    with ProcessPoolExecutor(workers) as pool:
        results = pool.map(run, asked, [turns_of[cell.data] for cell in asked])
        return dict(zip(asked, track(results, "releases and classifiers", total=len(asked)), strict=True))


def mean(result: dict, learner: str) -> float:
    found = [turn[learner] for turn in result["turns"] if learner in turn]
    return float(np.mean(found)) if found else float("nan")
