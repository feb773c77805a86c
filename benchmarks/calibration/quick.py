# SPDX-License-Identifier: Apache-2.0
"""Attacks on targets that are drawn anew, many times, without making them each time.

What an attack does to one target does not depend on who else is tried. Where the attack is slow it is made once on all,
and the targets are drawn as the attack draws them: the intervals are the same to the last digit, as a test says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from discreet.attacks.case import Case
from discreet.attacks.homogeneity import codes_among, known_besides, sensitive_columns
from discreet.attacks.inference import _answers, _in_classes, _judged, _learnt
from discreet.attacks.label_meanings import read_columns, recode_known
from discreet.attacks.membership import _excess, _known_of_all
from discreet.attacks.registry import ATTACKS
from discreet.attacks.singling_out import _bets, _Rows
from discreet.attacks.sketched_records import named
from discreet.data.table import Table
from discreet.evaluate.confidence import Share, mean_chance, share_of_pairs
from discreet.sketching.sketches import Sketches

EVERYBODY = 10**9


@dataclass(frozen=True)
class Drawn:
    """What an attack found on some targets, on how many, and what it finds on all."""

    success: Share
    targets: int
    of_all: float

    @property
    def holds(self) -> bool:
        return self.success.low - 1e-9 <= self.of_all <= self.success.high + 1e-9


Draw = Callable[[int, int], dict[str, Drawn]]  # of a number of targets and a seed: what was found, by title


def drawing(name: str, case: Case) -> Draw:
    """How to make the attack on so many targets, drawn by a seed."""
    return _QUICK[name](case) if name in _QUICK else attacked(name, case)


def attacked(name: str, case: Case) -> Draw:
    """The attack itself, made anew each time; what it finds on all from all."""
    whole = {one.attack: one.success.value for one in ATTACKS[name](replace(case, targets=EVERYBODY))}

    def draw(targets: int, seed: int) -> dict[str, Drawn]:
        found = ATTACKS[name](replace(case, targets=targets, random_state=seed))
        return {one.attack: Drawn(one.success, one.targets, whole[one.attack]) for one in found}

    return draw


def _of_chances(chances: dict[str, np.ndarray]) -> Draw:
    """By the chance of each target, in the order in which the attack draws them."""

    def draw(targets: int, seed: int) -> dict[str, Drawn]:
        found = {}
        for title, mine in chances.items():
            chosen = np.sort(np.random.default_rng(seed).permutation(len(mine))[:targets])
            found[title] = Drawn(mean_chance(mine[chosen], of=len(mine)), len(chosen), float(mine.mean()))
        return found

    return draw


def _singling_out(case: Case) -> Draw:
    published, found = case.published, {}
    assert published.roles is not None
    columns = {"one column": published.columns, "several columns": published.columns}
    for how, names in (columns | {"several quasi-identifiers": published.roles.quasi}).items():
        readings = read_columns(published, case.table, names)
        release = _Rows(readings, None, are_published=True)
        known = _Rows(readings, None, are_published=False)
        bets, _ = _bets(readings, release, np.arange(release.size), how)
        found[f"singling out, {how}"] = np.array([known.count(bet) == 1 for bet in bets], dtype=float)
    return _of_chances(found)


def _sketches(case: Case) -> Draw:
    records, signs, sketches = case.published.records, case.published.signs, case.published.data
    assert records is not None
    assert signs is not None
    assert isinstance(sketches, Sketches)
    chances = named(records, sketches, signs, known=case.aux_items, targets=EVERYBODY)
    return _of_chances({f"sketches, known key and {case.aux_items} items": chances})


def _membership(case: Case) -> Draw:
    members, others = case.table, case.absent
    assert others is not None
    names = _known_of_all(case.published, (members, others))
    scores = [_excess(case.published, people, (members, others), names) for people in (members, others)]
    of_all = share_of_pairs(*scores).value

    def draw(targets: int, seed: int) -> dict[str, Drawn]:
        rng = np.random.default_rng(seed)
        inside, outside = (score[rng.permutation(len(score))[:targets]] for score in scores)
        return {"membership, one release": Drawn(share_of_pairs(inside, outside), len(inside), of_all)}

    return draw


def _inference(case: Case) -> Draw:
    """Tried on one half, whatever the number of targets. The truth is what the learner that was chosen gets right."""
    right = {name: _right(case, name) for name in sensitive_columns(case) if name in case.table}

    def draw(targets: int, seed: int) -> dict[str, Drawn]:
        found = {}
        for name, by_learner in right.items():
            strongest, _, success, n = _judged(by_learner, None, seed)
            found[f"inference of {name}"] = Drawn(success, n, float(by_learner[strongest].mean()))
        return found

    return draw


def _right(case: Case, name: str) -> dict[str, np.ndarray]:
    """Of each learner, of whom it is right."""
    assert isinstance(case.published.data, Table)
    release, known, _, _ = _in_classes(case.published.data, case.table, None, name)
    values, people = release.column(name), recode_known(case.published, case.table)
    features = [column for column in known_besides(case, name) if column in people]
    truth = codes_among(values, known.column(name))
    models = _learnt(release, features, name)
    return {learner: _answers(model, people, values) == truth for learner, model in models.items()}


_QUICK: dict[str, Callable[[Case], Draw]] = {
    "singling-out": _singling_out,
    "inference": _inference,
    "membership": _membership,
    "sketches": _sketches,
}
