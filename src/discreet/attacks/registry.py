# SPDX-License-Identifier: Apache-2.0
"""The registry of attacks, and `run`, which runs those that apply to a release.

An attack is a function of one case that returns its findings, loaded on first use. To add one, write its file and an
entry in ATTACKS.

Attacks that depend on the attacker's knowledge are repeated with all published columns known: a promise that is kept
says nothing about attackers who know more.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from discreet.attacks.case import Case, case_of
from discreet.attacks.finding import AttackFindings, CannotAttack, Finding
from discreet.attacks.published import Published
from discreet.data.roles import Roles
from discreet.errors import DataError, ParameterError, Setting, did_you_mean, listing
from discreet.foundation.progress import track
from discreet.release.release import Release

BEYOND = ", all columns known"  # suffix of titles in the second run


@dataclass(frozen=True)
class Attack:
    """An attack: `where` is "module:function" in this folder; `needs` are attributes that a case must have.

    `plain` says in a few words what an attacker who succeeds has done, with the column in place of {}.
    `uses` are settings of a case that change what it finds, beside what it needs.
    `by_columns`: it depends on which columns are known, and is repeated with all of them.
    """

    name: str
    what: str
    where: str
    shapes: tuple[str, ...]
    needs: tuple[str, ...] = ("known",)
    plain: str = ""
    uses: tuple[str, ...] = ()
    promises: tuple[str, ...] = ()  # promises that it tests; empty for all
    by_columns: bool = False
    quick: bool = False  # takes about as long as a release

    def why_not(self, case: Case) -> str:
        """Why it does not apply to the case; empty if it does."""
        if case.shape not in self.shapes:
            return f"it applies to {' and '.join(self.shapes)}, and the release holds {case.shape}"
        if self.promises and not {promise.name for promise in case.promises} & {*self.promises}:
            return f"it applies to {' and '.join(self.promises)}, and the promise is {case.published.promise}"
        absent = self.lacks(case)
        return f"it needs {' and '.join(_NEEDED[name] for name in absent)}" if absent else ""

    def lacks(self, case: Case) -> list[str]:
        """What it needs and the case does not have."""
        return [name for name in self.needs if getattr(case, name) in (None, ())]

    def __call__(self, case: Case) -> list[Finding]:
        module, function = self.where.split(":")
        findings = getattr(importlib.import_module(f"discreet.attacks.{module}"), function)(case)
        knows = tuple(dict.fromkeys(map(case.published.source, case.columns))) if self.by_columns else None
        return [replace(one, by=self.name, knows=knows if one.knows is None else one.knows) for one in findings]


_NEEDED = {
    "known": "a table of the persons in the release",
    "others": "another release of the same persons",
    "gone": "the persons who are in this release but not in the other",
    "control": "persons who are not in the release",
    "records": "the owner's folder, which holds the records",
}


def _by_columns(name: str, what: str, where: str, plain: str, uses: tuple[str, ...], *, quick: bool = False) -> Attack:
    return Attack(name, what, where, ("table",), plain=plain, uses=uses, by_columns=True, quick=quick)


_SAMPLED = ("targets", "random_state")  # of attacks on some persons, drawn by a seed


# In the order in which they run.
ATTACKS: dict[str, Attack] = {
    attack.name: attack
    for attack in (
        _by_columns(
            "prosecutor",
            "pick the row of a person who is in the release",
            "linkage:prosecutor",
            "finds a person's row",
            ("control",),
            quick=True,
        ),
        _by_columns(
            "journalist",
            "pick the person behind a row, out of the population",
            "linkage:journalist",
            "finds the person behind a row",
            ("population", "share"),
        ),
        _by_columns(
            "marketer",
            "link all rows with a register of persons",
            "linkage:marketer",
            "links all rows with a register",
            ("control", "population"),
        ),
        _by_columns(
            "homogeneity",
            "read a value that all rows that fit a person share",
            "homogeneity:homogeneity",
            "reads {} off the rows that fit",
            ("control", "sensitive"),
            quick=True,
        ),
        _by_columns(
            "inference",
            "guess a sensitive value by learning from the release",
            "inference:inference",
            "guesses {}, having learnt from the release",
            ("control", "sensitive", "random_state"),
        ),
        Attack(
            "singling-out",
            "say what only one person is",
            "singling_out:singling_out",
            ("table",),
            plain="describes one person and nobody else",
            uses=("control", *_SAMPLED),
        ),
        _by_columns(
            "linkability",
            "join what two parties know about a person",
            "linkability:linkability",
            "joins what two parties know of a person",
            ("control", *_SAMPLED),
        ),
        Attack(
            "downcoding",
            "say what lies below a published label",
            "downcoding:downcoding",
            ("table",),
            plain="tells the values behind coarse labels",
            uses=("hierarchies", *_SAMPLED),
        ),
        Attack(
            "minimality",
            "infer values from groups that were not cut",
            "minimality:minimality",
            ("table",),
            plain="infers {} from how the groups were cut",
            uses=_SAMPLED,
        ),
        Attack(
            "sparse",
            "name the basket of a person by some known items",
            "sparse:sparse_overlap",
            ("baskets",),
            plain="finds a person's row by some items",
            uses=("control", "aux_items", *_SAMPLED),
            quick=True,
        ),
        Attack(
            "intersection",
            "combine several releases of the same persons",
            "intersection:intersection",
            ("table", "baskets"),
            ("known", "others"),
            plain="finds a person by several releases",
            uses=("control", "aux_items", "sensitive", *_SAMPLED),
        ),
        Attack(
            "differencing",
            "infer a value of persons who are in this release but not in another",
            "differencing:between",
            ("table",),
            ("gone", "others"),
            plain="infers {} of persons who are gone",
            uses=("control", "sensitive"),
        ),
        Attack(
            "membership",
            "say which of two persons is in the release",
            "membership:membership",
            ("table",),
            ("known", "control"),
            plain="tells who of two persons is in the release",
            uses=_SAMPLED,
        ),
        Attack(
            "sketches",
            "recover records from sketches, signs from known records, and link sketches to persons",
            "sketched_records:reconstruction",
            ("sketches",),
            ("records",),
            plain="recovers records behind sketches",
            uses=("aux_items", *_SAMPLED),
            quick=True,
        ),
    )
}


def run(
    release: Release | str | os.PathLike[str],
    known: object = None,
    *,
    roles: Roles | None = None,
    control: object = None,
    population: object = None,
    others: Iterable[Release | str | os.PathLike[str]] = (),
    gone: object = None,
    owner: str | os.PathLike[str] | None = None,
    attacks: Sequence[str] | None = None,
    knows: str | Iterable[str] | None = None,
    **settings: Any,
) -> AttackFindings:
    """Run the attacks that apply to a release, or those named, and return their findings, a list.

    By default an attacker knows the quasi-identifiers of the release. Attacks that depend on this knowledge are then
    repeated with all published columns known; these findings are `beyond` the promise.

    Parameters
    ----------
    release : a release, or the folder of a saved one
    known : the persons in the release as an attacker may know them, any frame, file, or baskets
    roles : of the columns of `known`, where they differ from the release: quasi-identifiers (what an attacker knows),
        sensitive columns, the person of each row
    control : persons who are not in the release, as `known`
    population : all persons who could be in the release
    others : further releases of the same persons
    gone : persons who are in the release but not in the others, with the value to infer
    owner : the owner's folder of a saved release, needed to count persons
    attacks : names of attacks, see `ATTACKS`; all that apply if not given
    knows : published columns that an attacker knows of a person, or "all" of them
    settings : further attributes of a `Case`: share, parties, aux_items, targets, random_state, hierarchies

    >>> from discreet import Mondrian, Roles
    >>> table = {"age": [31, 33, 45, 47], "ill": ["flu", "flu", "flu", "gout"]}
    >>> release = Mondrian(k=2).release(table, Roles(target="ill", quasi=["age"]))
    >>> found = run(release, table, knows=["age"], attacks=["prosecutor"])
    >>> [(one.attack, one.success.value, one.bound, one.knows) for one in found]
    [('prosecutor', 0.5, 0.5, ('age',)), ('prosecutor, worst target', 0.5, 0.5, ('age',))]
    >>> [(one.attack, one.success.value) for one in run(release, table, knows="all", attacks=["prosecutor"])][:1]
    [('prosecutor', 0.75)]
    """
    published = Published.of(release, owner=owner)
    case = case_of(published, known, roles, control, population, others, gone, knows=knows, **settings)
    return AttackFindings(run_case(case, attacks))


def run_case(case: Case, attacks: Sequence[str] | None = None) -> list[Finding]:
    """The findings of the attacks that apply, or of those named."""
    return tried(case, attacks)[0]


def tried(case: Case, attacks: Sequence[str] | None = None) -> tuple[list[Finding], dict[str, str]]:
    """The findings and, if no attacks were named, why some that suit the release were not run.

    Unless the attacker's knowledge was stated, attacks that depend on it are repeated with all columns known.
    """
    findings: list[Finding] = []
    left_out: dict[str, str] = {}
    if attacks is None:
        fitting = [attack for attack in ATTACKS.values() if case.shape in attack.shapes]
        left_out = {attack.name: why for attack in fitting if (why := attack.why_not(case))}
    further = case.knowing_all if case.knows is None else None
    for attack in track(chosen(case, attacks), "Attacks"):
        try:
            findings += attack(case)
        except CannotAttack as error:
            if attacks is not None:
                raise
            left_out[attack.name] = str(error)
        else:
            findings += _beyond(attack, further)
    return findings, left_out


def _beyond(attack: Attack, case: Case | None) -> list[Finding]:
    """The findings of the same attack with all published columns known; none if that adds nothing."""
    if case is None or not attack.by_columns or case.parties is not None:
        return []
    try:
        return [replace(one, attack=f"{one.attack}{BEYOND}", beyond=True) for one in attack(case)]
    except CannotAttack:
        return []


def _give(names: Sequence[str]) -> list[str | Setting]:
    """The advice to give what is lacking, as parts of a message."""
    parts: list[str | Setting] = []
    for one in names:
        parts += [" and " if parts else " Give ", Setting(one)]
    return [*parts, "."] if parts else []


def chosen(case: Case, names: Sequence[str] | None = None) -> list[Attack]:
    """The attacks that apply to a case, or those named, which must apply."""
    if names is None:
        applicable = [attack for attack in ATTACKS.values() if not attack.why_not(case)]
        if not applicable:
            fitting = [attack for attack in ATTACKS.values() if case.shape in attack.shapes]
            nearest = min(fitting, key=lambda attack: len(attack.lacks(case)), default=None)
            lacking = [] if nearest is None else nearest.lacks(case)
            because = f": {nearest.name} is the nearest, and {nearest.why_not(case)}" if nearest is not None else ""
            raise DataError(f"No attack applies to this release of {case.shape}{because}.", *_give(lacking))
        return applicable
    for name in names:
        if name not in ATTACKS:
            all_names = listing(ATTACKS, most=99)
            raise ParameterError(f"There is no attack {name!r}.{did_you_mean(name, ATTACKS)} They are {all_names}.")
        if why := ATTACKS[name].why_not(case):
            raise DataError(f"The attack {name!r} does not apply: {why}.", *_give(ATTACKS[name].lacks(case)))
    return [ATTACKS[name] for name in dict.fromkeys(names)]
