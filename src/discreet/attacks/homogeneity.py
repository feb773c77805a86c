# SPDX-License-Identifier: Apache-2.0
"""Homogeneity: for whom do all matching rows have the same sensitive value?

Machanavajjhala and others 2007: k matching rows hide nothing if they all have the same diagnosis. The attack counts the
persons whose matching rows all share one value, and those for whom nearly all do (a share of CONFIDENT). Where the
known table has the column, only correct values count. The attacker does not know the column itself.

The baseline is guessing these values without the release: for each person whose value is revealed, the share of that
value in the table. l-diversity and t-closeness rule out such groups: the rows that match a person are whole groups, and
no whole group has a single value.
"""

from __future__ import annotations

import numpy as np

from discreet.attacks.case import Case
from discreet.attacks.finding import CannotAttack, Finding, counted, in_words, rate_of_persons
from discreet.attacks.matching import Matching
from discreet.attacks.published import Published
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import DataError, did_you_mean, listing
from discreet.privacy.l_diversity import LDiversity
from discreet.privacy.t_closeness import TCloseness

CONFIDENT = 0.9  # share of the matching rows from which a value counts as revealed


def homogeneity(case: Case) -> list[Finding]:
    """For each sensitive column and the target: whose value do all matching rows share, or nearly all?"""
    names = [name for name in sensitive_columns(case) if known_besides(case, name)]
    if not names:
        raise CannotAttack("There is no sensitive column or target that the attacker does not already know.")
    return [_finding(case, name, least) for name in names for least in (1.0, CONFIDENT)]


def known_besides(case: Case, name: str) -> tuple[str, ...]:
    """Known published columns, without those made from this one."""
    source = case.published.source(name)
    return tuple(column for column in case.columns if case.published.source(column) != source)


def sensitive_columns(case: Case) -> tuple[str, ...]:
    """Published columns worth attacking: the sensitive ones and the target."""
    published = case.published
    ours = () if published.roles is None else (*published.roles.sensitive, published.roles.target)
    names = [name for name in dict.fromkeys((*case.roles.sensitive, *ours, case.roles.target)) if name is not None]
    absent = [name for name in case.roles.sensitive if name not in published.table]
    if absent:
        hint = did_you_mean(absent[0], published.table.names)
        raise DataError(f"The release does not hold the sensitive columns {listing(absent)}.{hint}")
    return tuple(name for name in names if name in published.table)


def codes_among(values: Column, column: Column) -> np.ndarray:
    """The rows of a known column as codes of a published one; -1 for a value that is not published."""
    place_of = {text: code for code, text in enumerate(values.texts)}
    return np.array([*(place_of.get(text, -1) for text in column.texts), len(values.values)])[column.codes]


def _finding(case: Case, name: str, least: float) -> Finding:
    published = case.published
    right, by_guessing, disclosed = _revealed(case, case.table, name, least)
    success, n = counted(right, case.persons(case.table))
    baseline = counted(by_guessing, case.persons(case.table))[0].value
    control = None
    if case.absent is not None:
        control, _ = rate_of_persons(_revealed(case, case.absent, name, least)[0], case.persons(case.absent))
    whole = least == 1
    knows = tuple(dict.fromkeys(map(published.source, known_besides(case, name))))
    truth = "" if name in case.table else "The known table lacks the column: all revealed values count as correct."
    return Finding(
        attack=f"homogeneity of {name}" + ("" if whole else f", {least:.0%} alike"),
        question=f"Do {'all' if whole else f'{least:.0%} of the'} rows that match a person on {in_words(knows)} have"
        f" the same value of {name}?",
        success=success,
        targets=n,
        baseline=baseline,
        control=control,
        bound=_bound(published, known_besides(case, name), name, least),
        note=truth,
        kind="value",
        column=name,
        detail=f"A single value is revealed for {disclosed} of {len(case.table)} known rows.",
        knows=knows,
    )


def _revealed(case: Case, table: Table, name: str, least: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Which rows have a value revealed correctly, the chance of guessing it, and how many have one revealed."""
    matched = Matching(case.published, table, known_besides(case, name))
    column = case.published.table.column(name)
    counts = matched.counts(column.codes, len(column.values) + 1)
    total, most = counts.sum(axis=1), counts.argmax(axis=1)
    is_revealed = (total > 0) & (counts.max(axis=1) >= least * total)
    right, guess = is_revealed[matched.target_of_row], most[matched.target_of_row]
    disclosed = int(right.sum())
    shares = np.bincount(column.codes, minlength=len(column.values) + 1) / len(column)
    by_guessing = np.where(right, shares[guess], 0.0)
    if name in table:
        right = right & (codes_among(column, table.column(name)) == guess)
    return right.astype(float), by_guessing, disclosed


def _bound(published: Published, known: tuple[str, ...], name: str, least: float) -> float | None:
    """0 if a promise rules out that a value has this share of the matching rows, else None."""
    assert published.roles is not None
    if name not in published.roles.sensitive or not {*known} <= {*published.roles.quasi}:
        return None
    column = published.table.column(name)
    commonest = float(np.bincount(column.codes).max() / len(column))
    for promise in published.promises:
        if isinstance(promise, LDiversity):
            # (c, l): the commonest value has less than c times the others, so less than c/(1 + c) of all
            most = promise.c / (1 + promise.c) if promise.c is not None else 1.0
            if least == 1 or most <= least:
                return 0.0
        elif isinstance(promise, TCloseness) and promise.distance == "equal" and commonest + promise.t < least:
            return 0.0
    return None
