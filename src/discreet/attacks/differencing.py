# SPDX-License-Identifier: Apache-2.0
"""Differencing: what two releases reveal together, one made with a person and one without.

The attacker knows the person's other columns, and that the second release was made without the person. Every exact
count differs by one, and that one is the person, whatever k is. Columns that are published unchanged are counted
exactly, however the quasi-identifiers are recoded.

The game: a row is drawn, its value in one column is drawn anew, all values being equally likely, and the method
releases the table with that row and without it. The attacker names the value whose count grew most: in the whole table
where counts are exact; among the rows that agree with the person in all other columns where noise is on every cell.
Guessing blindly names one of v values rightly once in v times. Under (epsilon, delta)-differential privacy only the
first release depends on the value, so nobody is right more often than (e^epsilon + (v - 1) delta)/(e^epsilon + v - 1).

The game needs the method. Two releases that were made need none (`between`): persons who are in the one and not in the
other are known, and of each the value is named that grew most among the rows that fit the person. What grew there and
not in the whole table comes of rows that were grouped anew; it does not count, and where nothing is left the whole
table decides. There is no bound: real values are not equally likely.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.attacks.case import Case
from discreet.attacks.finding import CannotAttack, Finding, in_words, per_person, rate
from discreet.attacks.homogeneity import codes_among, known_besides, sensitive_columns
from discreet.attacks.matching import Matching
from discreet.attacks.membership import equal_cells, replacement_bound, simulated
from discreet.attacks.published import Published
from discreet.data.column import from_labels
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, RolesError
from discreet.evaluate.confidence import mean_chance
from discreet.foundation.randomness import RandomState, seed_of
from discreet.methods import Method
from discreet.privacy.differential_privacy import private_part
from discreet.privacy.promise import Promise


def differencing(
    method: Method,
    data: object,
    roles: Roles,
    *,
    column: str | None = None,
    promise: Promise | None = None,
    targets: int = 200,
    random_state: RandomState = 0,
) -> Finding:
    """Play the game with rows of a table. `column` is the first sensitive one, or the target, if none is named;
    `promise` is what is claimed, the method's own if nothing else is.

    >>> from discreet import Mondrian
    >>> table = {"age": [*range(20, 60)], "ill": ["flu", "gout"] * 20, "again": ["no", "no", "yes", "yes"] * 10}
    >>> found = differencing(Mondrian(5), table, Roles(target="again", quasi="age", sensitive="ill"), targets=5)
    >>> found.success.value, found.baseline
    (1.0, 0.5)
    """
    table = Table.of(data).select(roles.named)
    column = column or next(iter(roles.sensitive), roles.target)
    if column is None or column not in table or column in roles.quasi:
        raise RolesError("Differencing needs a published column that is not a quasi-identifier: name one.")
    coded = table.column(column)
    if len(coded.values) < 2:
        raise DataError("Differencing needs a column of two values or more.")
    promise = method.promise if promise is None else promise
    near = private_part(method.promise) is not None
    rng = np.random.default_rng(seed_of(random_state))
    chances = []
    for _ in range(targets):
        row, value = int(rng.integers(len(table))), int(rng.integers(len(coded.values)))
        codes = coded.codes.copy()
        codes[row] = value
        changed = table.with_columns([from_labels(column, [*coded.texts, None], codes)])
        seeds = rng.integers(0, 2**31, 2).tolist()
        with_row = simulated(method, changed, roles, seeds[0])
        without = simulated(method, changed.take(np.delete(np.arange(len(table)), row)), roles, seeds[1])
        person = changed.take(np.array([row]))
        counts = [_counts(drawn, person, column, coded.texts, near) for drawn in (with_row, without)]
        grown = counts[0] - counts[1]
        best = np.flatnonzero(grown == grown.max())
        chances.append((value in best) / len(best))
    return Finding(
        attack=f"differencing, {column}",
        question=f"Can an attacker who has a release with the person and one without tell the person's {column!r}?",
        success=rate(float(np.sum(chances)), targets),
        targets=targets,
        baseline=1 / len(coded.values),
        bound=replacement_bound(promise, len(coded.values)),
        note=f"{len(coded.values)} values, equally likely; the method ran twice for each target.",
        kind="value",
        column=column,
    )


def _counts(drawn: Any, person: Table, column: str, texts: list[str], near: bool) -> np.ndarray:
    """Counts of each value in the release, or only among rows that agree with the person in all other columns."""
    released = drawn.table
    rows: Any = slice(None)
    if near:
        others = np.array([name != column for name in released.names])
        rows = equal_cells(released, drawn.recode(person), 0)[:, others].all(axis=1)
    values = released.column(column)
    place = {text: code for code, text in enumerate(values.texts)}
    counted = np.append(np.bincount(values.codes[rows], minlength=len(values.values) + 1), 0)
    return counted[[place.get(text, -1) for text in texts]]


# -- two releases that were made ---------------------------------------------------------------------------------------


def between(case: Case) -> list[Finding]:
    """What the release and each other one reveal about persons who are in the first but not in the second.

    >>> from discreet import Mondrian, attack
    >>> table = {"age": [*range(20, 60)], "ill": ["flu", "gout"] * 20, "again": ["no", "no", "yes", "yes"] * 10}
    >>> gone, rest = ({name: cells[rows] for name, cells in table.items()} for rows in (slice(1), slice(1, None)))
    >>> roles = Roles(target="again", quasi="age", sensitive="ill")
    >>> first, second = (Mondrian(5).release(people, roles) for people in (table, rest))
    >>> [found.success.value for found in attack(first, others=[second], gone=gone)]
    [1.0, 1.0]
    """
    gone = case.gone
    assert gone is not None
    findings = []
    for number, other in enumerate(case.others, start=1):
        beside = "" if len(case.others) == 1 else f", beside release {number + 1}"
        names = [name for name in sensitive_columns(case) if name in other.table and name in gone]
        findings += [_finding(case, gone, other, name, beside) for name in names]
    if not findings:
        raise CannotAttack(
            "Differencing needs a sensitive column, or the target, that all releases publish and that is known for"
            " the persons who left; there is none."
        )
    return findings


def _finding(case: Case, gone: Table, other: Published, name: str, beside: str) -> Finding:
    first, second = case.published.table.column(name), other.table.column(name)
    chances = _chances(case, gone, other, name)
    control = None
    if case.absent is not None and name in case.absent:
        control = mean_chance(_chances(case, case.absent, other, name))
    knows = tuple(dict.fromkeys(map(case.published.source, known_besides(case, name))))
    before = np.bincount(second.codes)
    fewer = len(first.codes) - len(second.codes)
    note = "" if fewer == len(gone) else f"The other release has {fewer} fewer rows: others joined or left as well."
    return Finding(
        attack=f"differencing, {name}{beside}",
        question=f"Do the release and one without the person tell the person's {name!r} to anyone who knows"
        f" {in_words(knows)}?",
        success=mean_chance(chances, of=len(chances)),
        targets=len(chances),
        baseline=float(before.max() / before.sum()),
        control=control,
        note=note,
        kind="value",
        column=name,
        knows=knows,
    )


def _chances(case: Case, persons: Table, other: Published, name: str) -> np.ndarray:
    """Chance that the value whose count grew most is the person's; ties are picked with equal chance."""
    first, second = case.published.table.column(name), other.table.column(name)
    n_values = len(first.values) + 1
    codes = codes_among(first, second)
    codes = np.where(codes < 0, n_values, codes)  # a value that is only in the second has not grown
    whole = np.bincount(first.codes, minlength=n_values) - np.bincount(codes, minlength=n_values + 1)[:n_values]
    near = []
    for release, values in ((case.published, first.codes), (other, codes)):
        columns = [column for column in case.columns_in(release) if release.source(column) != name]
        matched = Matching(release, persons, columns)
        near.append(matched.counts(values, n_values + 1)[matched.target_of_row, :n_values])
    grown = np.minimum(near[0] - near[1], whole).clip(min=0)
    grown = np.where(grown.any(axis=1, keepdims=True), grown, whole.clip(min=0))
    best = grown == grown.max(axis=1, keepdims=True)
    true = codes_among(first, persons.column(name))
    hit = (true >= 0) & best[np.arange(len(best)), true]
    return per_person(hit / best.sum(axis=1), case.persons(persons))
