# SPDX-License-Identifier: Apache-2.0
"""Homogeneity: of whom do all the rows that fit tell the same sensitive value?

Machanavajjhala and others 2007: k rows that fit a person hide nothing if they all hold one diagnosis. The attack counts
the persons of whom every row that fits tells one value, and those of whom nearly all do (a share of CONFIDENT). Where
the known table has the column, only values that are right count. Of what is known the column itself is left out.

The baseline is what guessing these very values without the release gives: of each person told, the share that the value
has in the table. l-diversity and t-closeness allow no such group: rows that fit a person are whole groups, and of whole
groups none tells one value.
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

CONFIDENT = 0.9  # share of the rows that fit, from which on a value is taken for told


def homogeneity(case: Case) -> list[Finding]:
    """For each sensitive column, and the target: whose value do all the rows that fit tell, or nearly all?"""
    names = [name for name in sensitive_columns(case) if known_besides(case, name)]
    if not names:
        raise CannotAttack("There is no sensitive column, or target, besides what is known.")
    return [_finding(case, name, least) for name in names for least in (1.0, CONFIDENT)]


def known_besides(case: Case, name: str) -> tuple[str, ...]:
    """Published columns that are known, without those that are made from this one."""
    source = case.published.source(name)
    return tuple(column for column in case.columns if case.published.source(column) != source)


def sensitive_columns(case: Case) -> tuple[str, ...]:
    """Published columns that are worth attacking: those that the roles call sensitive, and the target."""
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
    right, by_guessing, disclosed = _told(case, case.table, name, least)
    success, n = counted(right, case.persons(case.table))
    baseline = counted(by_guessing, case.persons(case.table))[0].value
    control = None
    if case.absent is not None:
        control, _ = rate_of_persons(_told(case, case.absent, name, least)[0], case.persons(case.absent))
    whole = least == 1
    known = tuple(dict.fromkeys(map(published.source, known_besides(case, name))))
    truth = "" if name in case.table else "The known table does not have the column: values are taken to be right."
    return Finding(
        attack=f"homogeneity of {name}" + ("" if whole else f", {least:.0%} alike"),
        question=f"Do {'all the' if whole else f'{least:.0%} of the'} rows that fit a person, knowing"
        f" {in_words(known)}, tell one value of {name}?",
        success=success,
        targets=n,
        baseline=baseline,
        control=control,
        bound=_bound(published, known_besides(case, name), name, least),
        note=truth,
        kind="value",
        column=name,
        detail=f"One value is told of {disclosed} of {len(case.table)} known rows.",
        knows=known,
    )


def _told(case: Case, table: Table, name: str, least: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Of which rows one value is told rightly, what guessing it gives, and of how many rows one is told."""
    matched = Matching(case.published, table, known_besides(case, name))
    column = case.published.table.column(name)
    counts = matched.counts(column.codes, len(column.values) + 1)
    total, most = counts.sum(axis=1), counts.argmax(axis=1)
    told = (total > 0) & (counts.max(axis=1) >= least * total)
    right, guess = told[matched.target_of_row], most[matched.target_of_row]
    disclosed = int(right.sum())
    shares = np.bincount(column.codes, minlength=len(column.values) + 1) / len(column)
    by_guessing = np.where(right, shares[guess], 0.0)
    if name in table:
        right = right & (codes_among(column, table.column(name)) == guess)
    return right.astype(float), by_guessing, disclosed


def _bound(published: Published, known: tuple[str, ...], name: str, least: float) -> float | None:
    """0 where a promise rules out that a value has this share of the rows that fit; None where none does."""
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
