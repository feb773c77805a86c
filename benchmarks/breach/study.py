# SPDX-License-Identifier: Apache-2.0
"""The study on the paper's four data sets: a sensitive attribute named for each, and C = SA beside it.

Best subset per weights by the paper's protocol (all rows select and judge), and nested: selected on the training rows
of five outer folds, judged on the rows that had no say.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from discreet import samples
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.learning.crossval import kfold
from discreet.learning.subsets import SubsetScores
from discreet.methods.breach_aware import BreachAwareSelector, Found
from discreet.methods.subset_candidates import region
from discreet.privacy.inference import with_classes

WEIGHTS = ((1 / 3, 1 / 3, 1 / 3), (0.5, 0.25, 0.25), (0.2, 0.6, 0.2))


@dataclass(frozen=True)
class Set:
    """A data set: how it is loaded, what is sensitive and why."""

    sensitive: str
    why: str
    options: dict
    cuts: tuple[float, ...] | None = None


SETS = {
    "pima": Set("preg", "the paper's; pregnancies are nobody's business", {}, (7.0,)),
    "ilpd": Set("Gender", "the one attribute that is no laboratory value: do these tell it?", {}),
    "adult": Set("marital-status", "private life, with a near copy in the table: relationship", {"quasi": 14}),
    "diabetes130": Set("insulin", "a treatment is health data, and other drugs hint at it", {}),
}


def load(name: str, *, same: bool = False) -> tuple[Table, Roles]:
    """The table, and its roles with the sensitive attribute, or with the class as the sensitive one."""
    sample = samples.load(name, **SETS[name].options)
    table, given = sample.data, sample.roles
    assert isinstance(table, Table)
    assert given is not None
    assert given.target is not None
    hidden = {given.target, given.person, *given.identifiers}
    features = [n for n in table.names if n not in hidden and table.column(n).levels > 1]
    sensitive = given.target if same else SETS[name].sensitive
    quasi = [n for n in features if n != sensitive]
    return table, Roles(target=given.target, quasi=quasi, sensitive=[sensitive], allow_unique=quasi)


def selector(name: str, learner: str, weights: Sequence[float], *, same: bool) -> BreachAwareSelector:
    """No limit on the breach: the weights decide, as in the paper."""
    cuts = SETS[name].cuts
    given = {SETS[name].sensitive: cuts} if cuts and not same else None
    return BreachAwareSelector(9.0, learner=learner, weights=tuple(weights), cuts=given)


def search(method: BreachAwareSelector, table: Table, roles: Roles) -> Found:
    return method.search_with(method.measures(table, roles))


def nested(method: BreachAwareSelector, table: Table, roles: Roles, folds: int = 5) -> tuple[float, float]:
    """Accuracy and breach increase, in percent, on rows that had no say in the choice."""
    assert roles.target is not None
    right, tested, mine, full = 0, 0, 0, 0
    for fold in kfold(len(table), folds, labels=table.column(roles.target).codes):
        chosen = search(method, table.take(fold.train), roles).chosen[0].attributes
        scores = SubsetScores(table, roles.quasi, roles.target, [fold], method.learner)
        right, tested = right + scores.of(chosen).n_right, tested + len(fold.test)
        (name,) = roles.sensitive
        classes = with_classes(table, name, (method.cuts or {}).get(name))
        attack = SubsetScores(classes, roles.quasi, name, [fold], method.learner)
        mine, full = mine + attack.of(chosen).n_right, full + attack.of(roles.quasi).n_right
    return 100 * right / tested, 100 * (mine / full - 1)


def report(names: Sequence[str], learners: Sequence[str], *, with_nested: bool) -> None:
    for name in names:
        print(f"\n{name}; sensitive: {SETS[name].sensitive} ({SETS[name].why})\n")
        titles = ("learner", "C = SA", "subset", "weights", "Perf", "PBI", "region", "nested Perf", "nested PBI", "s")
        print(_line(*titles))
        print(_line(*["---"] * len(titles)))
        for learner in learners:
            for same in (False, True):
                _of(name, learner, same=same, with_nested=with_nested)


def _of(name: str, learner: str, *, same: bool, with_nested: bool) -> None:
    table, roles = load(name, same=same)
    start = time.perf_counter()
    measures = selector(name, learner, WEIGHTS[0], same=same).measures(table, roles)
    base, kind = measures.baseline, "yes" if same else "no"
    for number, weights in enumerate(WEIGHTS):
        method = selector(name, learner, weights, same=same)
        found = method.search_with(measures)
        seconds = time.perf_counter() - start
        if not number:
            shown = [f"all {len(roles.quasi)}", f"{len(found.candidates)} candidates", f"{100 * base.performance:.2f}"]
            print(_line(learner, kind, *shown, "0", "", "", "", f"{seconds:.0f}"), flush=True)
        best = found.chosen[0]
        apart = [f"{figure:.2f}" for figure in nested(method, table, roles)] if with_nested else ["", ""]
        cells = [_names(best.attributes), ", ".join(f"{w:.2g}" for w in weights), f"{100 * best.performance:.2f}"]
        print(_line(learner, kind, *cells, f"{100 * best.pbi:.2f}", region(best, base), *apart, ""), flush=True)


def _names(attributes: Sequence[str]) -> str:
    return " ".join(attributes) if len(attributes) < 9 else f"{len(attributes)} attributes"


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


def timed(name: str, learner: str) -> tuple[float, int]:
    """Seconds of the whole generation of candidates, both rankings, and how many subsets it measured."""
    table, roles = load(name)
    start = time.perf_counter()
    measures = selector(name, learner, WEIGHTS[0], same=False).measures(table, roles)
    selector(name, learner, WEIGHTS[0], same=False).search_with(measures)
    return time.perf_counter() - start, measures.measured
