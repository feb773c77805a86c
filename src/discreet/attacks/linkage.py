# SPDX-License-Identifier: Apache-2.0
"""Linkage on quasi-identifiers: whose row is it, whose is any of them, whose are all of them?

The three attackers of El Emam and Dankar 2008. The prosecutor knows a person who is in the release and picks one of the
published rows that fit. The journalist picks a published row, and a person of the population who fits it. The marketer
holds a register of persons and links every published row with one who fits. Which of those that fit is the right one
nothing tells, so each is picked with the same chance, and the chance is computed, not drawn: 1/(persons behind the rows
that fit), or 1/(persons who fit the row).

Where no population is given it is modelled: the release is a sample of a share s of it, each person drawn by
themselves. Of f persons in the release who share a row the number F in the population then follows the negative
binomial distribution, and the mean of 1/F is (s/f) 2F1(1, 1; f + 1; 1 - s) (Benedetti and Franconi 1998).

Persons who fit a row are never counted as fewer than those behind the rows equal to it, which nothing tells apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import hyp2f1

from discreet.attacks.case import Case
from discreet.attacks.finding import Finding, counted, in_words, rate_of_persons
from discreet.attacks.matching import Matching
from discreet.attacks.published import Published
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.evaluate.confidence import Share
from discreet.privacy.containment import Containment
from discreet.privacy.k_anonymity import KAnonymity

NOT_TRUE = (
    "Cells were swapped, flipped or drawn: all rows that match a person may be other people's, so the success is an"
    " upper bound."
)


@dataclass(frozen=True)
class Knowledge:
    """Published columns that an attacker knows, and the k promised against that knowledge, if any.

    presences  the attacker knows only which items the person has, not which are lacking
    """

    columns: tuple[str, ...]
    k: int | None = None
    presences: bool = False
    name: str = ""


def promised_k(published: Published, columns: Iterable[str]) -> int | None:
    """The k promised against an attacker who knows these columns; k holds for every subset of promised columns."""
    assert published.roles is not None
    wanted, ks = {*columns}, []
    for promise in published.promises:
        if isinstance(promise, KAnonymity):
            sets = promise.sets or (promise.columns or published.roles.quasi,)
            label = {published.roles.target} if promise.label_known else set()
            ks += [promise.k for names in sets if wanted <= {*names, *label}]
    return max(ks, default=None)


def knowledge(case: Case) -> list[Knowledge]:
    """The attacker's knowledge; by default also what single promises cover: sets of columns, items a person has."""
    published, known = case.published, case.columns
    whole = Knowledge(known, promised_k(published, known))
    if case.knows is not None:
        return [whole]
    further = []
    for promise in published.promises:
        if isinstance(promise, KAnonymity):
            sets = promise.sets or ((promise.columns,) if promise.columns else ())
            further += [
                Knowledge(tuple(n), promise.k, name=f" of {', '.join(n)}") for n in sets if not {*n} >= {*known}
            ]
        elif isinstance(promise, Containment):
            further.append(Knowledge(known, promise.k, presences=True, name=", presences only"))
        if isinstance(promise, (KAnonymity, Containment)) and promise.label_known:
            further += _with_label(case, promise)
    return [whole, *further]


def _with_label(case: Case, promise: KAnonymity | Containment) -> list[Knowledge]:
    """Knowledge of the label, too, where the promise covers it and the known table has it."""
    published, known = case.published, case.columns
    label = None if published.roles is None else published.roles.target
    if label is None or label in known or published.source(label) not in case.table:
        return []
    if isinstance(promise, Containment):
        return [Knowledge((*known, label), promise.k, presences=True, name=", presences and the label")]
    return [Knowledge((*known, label), promised_k(published, (*known, label)), name=" and the label")]


def prosecutor(case: Case) -> list[Finding]:
    """Pick the row of a person known to be in the release: on average, and for the easiest target."""
    findings: list[Finding] = []
    for known in knowledge(case):
        findings += _prosecutor(case, known)
    return findings


def _prosecutor(case: Case, knows: Knowledge) -> list[Finding]:
    published, table = case.published, case.table
    matched = Matching(published, table, knows.columns, presences=knows.presences)
    chances = chances_of(matched)
    success, n = counted(chances, case.persons(table))
    control = None
    if case.absent is not None:
        others = Matching(published, case.absent, knows.columns, presences=knows.presences)
        control, _ = rate_of_persons(chances_of(others), case.persons(case.absent))
    bound = None if knows.k is None else 1 / knows.k
    sources = tuple(dict.fromkeys(map(published.source, knows.columns)))
    what = f"which items of {in_words(sources)} a person has" if knows.presences else in_words(sources)
    worst = float(chances.max(initial=0.0))
    finding = Finding(
        attack=f"prosecutor{knows.name}",
        question=f"Can an attacker who knows {what} pick the row of a person who is in the release?",
        success=success,
        targets=n,
        baseline=1 / matched.n_persons,
        control=control,
        bound=bound,
        note=_note(case, knows, matched, chances),
        knows=sources,
    )
    easiest = Finding(
        attack=f"prosecutor{knows.name}, worst target",
        question=f"Knowing {what}, what is the chance to pick the row of the person who is easiest to find?",
        success=Share(worst, worst, worst),
        targets=n,
        baseline=1 / matched.n_persons,
        bound=bound,
        kind="easiest row",
        detail=f"{int((chances == worst).sum())} rows are as easy to find." if worst else "",
        knows=sources,
    )
    return [finding, easiest]


def journalist(case: Case) -> list[Finding]:
    """Pick the person behind a published row, who is somewhere in the population."""
    published = case.published
    if case.population is not None:
        matched = Matching(published, case.population, case.columns)
        fit, alike = _persons_who_fit(matched, case.population, case), matched.persons_of_pattern
        chance, size = 1 / np.maximum(fit, alike), float(_n_persons(case.population, case))
        short = int((fit < alike)[matched.pattern_of_row].sum())
        note = f"The population has too few persons who match {short} of {matched.n_rows} rows." if short else ""
    else:
        matched = Matching(published, case.table, case.columns)
        chance = modelled_chance(matched.persons_of_pattern, case.share)
        size = matched.n_persons / case.share
        note = f"The population is modelled: the release is assumed to be a random sample of {case.share:.0%} of it."
    question = f"Can an attacker who knows everybody's {_knowledge(case)} pick the person behind a published row?"
    return [_by_row(case, "journalist", question, matched, chance, 1 / size, note)]


def marketer(case: Case) -> list[Finding]:
    """Link all published rows with a register: the persons known, those set aside, or the population."""
    tables = [case.table, case.absent] if case.population is None else [case.population]
    registers = [register for register in tables if register is not None]
    fit: float | np.ndarray = 0.0
    for register in registers:
        matched = Matching(case.published, register, case.columns)
        fit = fit + _persons_who_fit(matched, register, case)
    size = sum(_n_persons(register, case) for register in registers)
    chance = 1 / np.maximum(fit, matched.persons_of_pattern)
    question = f"Can an attacker link a row correctly with a register of {size:,} persons, by {_knowledge(case)}?"
    return [_by_row(case, "marketer", question, matched, chance, 1 / size, "")]


def _knowledge(case: Case) -> str:
    return in_words(dict.fromkeys(map(case.published.source, case.columns)))


def modelled_chance(alike: np.ndarray, share: float) -> np.ndarray:
    """The mean of 1/F, if F persons of the population share a row and `alike` of them are in a sample of this share.

    >>> modelled_chance(np.array([1, 10]), 0.1).round(3).tolist()
    [0.256, 0.011]
    """
    if not 0 < share <= 1:
        raise DataError(f"The share of the population in the release must be above 0 and at most 1. Got {share}.")
    return share / alike * hyp2f1(1.0, 1.0, alike + 1.0, 1 - share)


def _n_persons(table: Table, case: Case) -> int:
    persons = case.persons(table)
    return len(table) if persons is None else len(np.unique(persons))


def _persons_who_fit(matched: Matching, table: Table, case: Case) -> np.ndarray:
    """For each pattern, how many persons fit it; a person with several rows counts by the share that fit."""
    persons = case.persons(table)
    return matched.fitting(None if persons is None else 1 / np.bincount(persons)[persons])


def chances_of(matched: Matching) -> np.ndarray:
    """For each known row, the chance of picking a row of the right person; 0 where no row fits."""
    behind = matched.persons
    return np.divide(1.0, behind, out=np.zeros(len(behind)), where=behind > 0)[matched.target_of_row]


def _by_row(
    case: Case, attack: str, question: str, matched: Matching, chance: np.ndarray, baseline: float, note: str
) -> Finding:
    """The finding of an attack on published rows, with the chance of each pattern."""
    mean = float(chance[matched.pattern_of_row].mean())
    k = promised_k(case.published, case.columns)
    notes = [note, "" if case.published.is_true else NOT_TRUE]
    return Finding(
        attack=attack,
        question=question,
        success=Share(mean, mean, mean),
        targets=matched.n_persons,
        baseline=baseline,
        bound=None if k is None else 1 / k,
        note=" ".join(filter(None, notes)),
    )


def _note(case: Case, knows: Knowledge, matched: Matching, chances: np.ndarray) -> str:
    notes = [] if case.published.is_true else [NOT_TRUE]
    if missing := len(knows.columns) - len(matched.columns):
        notes.append(f"The known table lacks {missing} of the {len(knows.columns)} published columns.")
    if missed := int((chances == 0).sum()):
        notes.append(f"No published row matches {missed} of the {len(chances)} known rows.")
    if len(chances) != matched.n_rows:
        notes.append(f"{len(chances)} rows are known, {matched.n_rows} are published.")
    if case.roles.person is not None and case.published.persons is None:
        notes.append("The persons behind the published rows are unknown: rows are counted instead of persons.")
    return " ".join(notes)
