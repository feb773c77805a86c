# SPDX-License-Identifier: Apache-2.0
"""The study on the paper's four data sets: a sensitive attribute named for each, and C = SA beside it.

Best subset per weights by the paper's protocol (all rows select and judge), beside the published one where the paper
names one; and nested: selected on the training rows of outer folds, judged on the rows that had no say. Persons who
have several rows are held together in the outer folds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.breach.protocol import published
from discreet import samples
from discreet.choose.e_score import evaluation
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.learning.cross_validation import kfold
from discreet.learning.subset_scores import SubsetScores
from discreet.methods.breach.breach_aware import BreachAwareSelector, SearchResult
from discreet.methods.breach.breach_aware_measures import Measures
from discreet.methods.breach.breach_aware_rankings import merged, region
from discreet.privacy.predictability import with_classes

WEIGHTS = ((1 / 3, 1 / 3, 1 / 3), (0.5, 0.25, 0.25), (0.2, 0.6, 0.2))
TITLES = ("learner", "C = SA", "weights", "subset", "Perf", "PBI", "region", "nested Perf", "nested PBI")
PUBLISHED = ("published subset", "Perf", "PBI", "place by E(S)")
Weights = tuple[float, float, float]


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
    roles = Roles(target=given.target, quasi=quasi, sensitive=[sensitive], person=given.person, allow_unique=quasi)
    return table, roles


def selector(name: str, learner: str, weights: Sequence[float], *, same: bool) -> BreachAwareSelector:
    """No limit on the breach: the weights decide, as in the paper."""
    cuts = SETS[name].cuts
    given = {SETS[name].sensitive: cuts} if cuts and not same else None
    return BreachAwareSelector(9.0, learner=learner, weights=tuple(weights), cuts=given)


def measured(method: BreachAwareSelector, table: Table, roles: Roles) -> Measures:
    """Rows are divided into folds as in the paper, whoever they are of."""
    return method.measures(table, replace(roles, person=None))


def printed(name: str, learner: str) -> dict[Weights, tuple[str, ...]]:
    """The subsets that the paper names for C = SA, by weights."""
    rows = published()["best"].get(name, {}).get(learner, [])
    return {tuple(row["weights"]): tuple(row["attributes"]) for row in rows}


@dataclass
class Tested:
    """Rows that had no say in a choice: how many, and how many of them recipient and attacker get right."""

    rows: int = 0
    right: int = 0
    attacked: int = 0
    attacked_with_all: int = 0

    @property
    def cells(self) -> list[str]:
        return [f"{100 * self.right / self.rows:.2f}", f"{100 * (self.attacked / self.attacked_with_all - 1):.2f}"]


def nested(
    methods: Sequence[BreachAwareSelector], table: Table, roles: Roles, folds: int
) -> tuple[Tested, list[Tested]]:
    """All attributes, and what each method chooses, on rows that had no say in the choice."""
    assert roles.target is not None
    (name,) = roles.sensitive
    base, found = Tested(), [Tested() for _ in methods]
    persons = None if roles.person is None else table.column(roles.person).codes
    classes = with_classes(table, name, (methods[0].cuts or {}).get(name))
    for fold in kfold(len(table), folds, labels=table.column(roles.target).codes, persons=persons):
        measures = measured(methods[0], table.take(fold.train), roles)
        scores = SubsetScores(table, roles.quasi, roles.target, [fold], methods[0].learner)
        attack = SubsetScores(classes, roles.quasi, name, [fold], methods[0].learner)
        chosen = [method.search_with(measures).chosen[0].attributes for method in methods]
        for tested, subset in zip([base, *found], [roles.quasi, *chosen], strict=True):
            tested.rows += len(fold.test)
            tested.right += scores.of(subset).n_right
            tested.attacked += attack.of(subset).n_right
            tested.attacked_with_all += attack.of(roles.quasi).n_right
    return base, found


def report(
    names: Sequence[str],
    learners: Sequence[str],
    *,
    outer: int,
    cases: Sequence[bool] = (False, True),
    rows: int | None = None,
) -> None:
    """Print the tables; `outer` folds of the nested evaluation, none with 0; `cases` of C = SA; `rows` at random."""
    for name in names:
        print(f"\n{name}; sensitive: {SETS[name].sensitive} ({SETS[name].why})")
        for learner in learners:
            for same in cases:
                _of(name, learner, same=same, outer=outer, rows=rows)


def _of(name: str, learner: str, *, same: bool, outer: int, rows: int | None) -> None:
    table, roles = load(name, same=same)
    if rows is not None and rows < len(table):
        table = table.take(np.sort(np.random.default_rng(0).permutation(len(table))[:rows]))
    of_paper = printed(name, learner) if same else {}
    weights = list(dict.fromkeys([*WEIGHTS, *of_paper]))
    methods = [selector(name, learner, some, same=same) for some in weights]
    clock, start = time.perf_counter(), time.process_time()
    measures = measured(methods[0], table, roles)
    found = [method.search_with(measures) for method in methods]
    clock, seconds = time.perf_counter() - clock, time.process_time() - start
    print(
        f"\n{learner}, C {'=' if same else '!='} SA, {len(table):,} rows: {measures.measured} subsets measured,"
        f" {len(found[0].candidates)} candidates, in {clock:.0f} s, {seconds:.0f} s of the processor\n"
    )
    print(line(*TITLES, *(PUBLISHED if same else ())))
    print(line(*["---"] * len(TITLES), *["---"] * (len(PUBLISHED) if same else 0)), flush=True)
    base, apart = nested(methods, table, roles, outer) if outer else (None, [None] * len(methods))
    kind, more = "yes" if same else "no", [""] * (len(PUBLISHED) if same else 0)
    shown = [f"all {len(roles.quasi)}", f"{100 * measures.baseline.performance:.2f}", "0", ""]
    print(line(learner, kind, "", *shown, *(base.cells if base else ["", ""]), *more))
    for some, result, tested in zip(weights, found, apart, strict=True):
        best = result.chosen[0]
        cells = [", ".join(f"{w:.2g}" for w in some), names_of(best.attributes), f"{100 * best.performance:.2f}"]
        cells += [f"{100 * best.pbi:.2f}", region(best, measures.baseline), *(tested.cells if tested else ["", ""])]
        beside = _beside(of_paper[some], some, result, measures) if some in of_paper else more
        print(line(learner, kind, *cells, *beside), flush=True)


def _beside(subset: tuple[str, ...], weights: Weights, found: SearchResult, measures: Measures) -> list[str]:
    """A published subset by our measures, and its place by E(S) when it joins our candidates."""
    theirs = measures.of(tuple(name for name in measures.attributes if name in subset))
    among = merged(found.candidates, [theirs])
    values = ([c.performance for c in among], [c.pbi for c in among], [c.size for c in among])
    order = evaluation(*values, weights).order
    place = [among[number].attributes for number in order].index(theirs.attributes) + 1
    figures = [f"{100 * theirs.performance:.2f}", f"{100 * theirs.pbi:.2f}", f"{place} of {len(among)}"]
    return [names_of(theirs.attributes), *figures]


def names_of(attributes: Sequence[str]) -> str:
    return " ".join(attributes) if len(attributes) < 16 else f"{len(attributes)} attributes"


def line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"
