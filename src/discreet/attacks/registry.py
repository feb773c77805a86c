# SPDX-License-Identifier: Apache-2.0
"""The attacks by name, what each applies to, and `run`, which makes those that apply.

An attack is a function of one case: what is published, what an attacker knows, and who was set aside. It returns its
findings. It is loaded when it is first made. A new attack joins by an entry in ATTACKS.

What an attacker knows is columns of the release. If nothing is said these are its quasi-identifiers, which is what a
promise is about, and attacks that depend on it are made a second time with all published columns known: a promise that
is kept says nothing of whoever knows more.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.attacks.attack import CannotAttack, Finding, Published
from discreet.data.baskets import Baskets
from discreet.data.document import Document
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, RolesError, did_you_mean, listing, shown
from discreet.foundation.progress import track
from discreet.privacy.promise import Promise
from discreet.release.release import Release
from discreet.sketching.sketches import Sketches

Known = Table | Baskets


@dataclass(frozen=True, eq=False)
class Case:
    """What an attack is given.

    published   the release
    known       the persons in the release, with all that an attacker may know of them, and what is to be found out
    roles       of the columns of `known`: what is a quasi-identifier, what is sensitive, whose row it is
    control     persons who are not in the release, with the columns of `known`
    population  all persons who could be in the release, with the quasi-identifiers
    share       of the population that is in the release, where no population is given
    others      further releases of the same persons
    gone        persons who are in the release and not in the others
    parties     two sets of published columns, each known to one of two parties
    aux_items   items that an attacker knows of a basket
    targets     persons, guesses or runs at most, for attacks that try some of them
    knows       published columns that an attacker knows of a person; None for the quasi-identifiers of the release
    hierarchies of the columns, as methods take them, where an attacker knows them
    """

    published: Published
    known: Known | None
    roles: Roles
    control: Known | None = None
    population: Table | None = None
    share: float = 0.1
    others: tuple[Published, ...] = ()
    gone: Table | None = None
    parties: tuple[Sequence[str], Sequence[str]] | None = None
    aux_items: int = 8
    targets: int = 2000
    seed: int | None = 0
    knows: tuple[str, ...] | None = None
    hierarchies: Any = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Published columns that are known of a person."""
        if self.knows is not None:
            return self.knows
        return () if self.published.roles is None else self.published.roles.quasi

    def columns_in(self, other: Published) -> tuple[str, ...]:
        """The same of another release."""
        if self.knows is None:
            return () if other.roles is None else other.roles.quasi
        return other.named(self.published.source(name) for name in self.knows)

    @property
    def knowing_all(self) -> Case | None:
        """The same with all published columns known that the known table has; None where these are no more."""
        if self.shape != "table" or not isinstance(self.known, Table):
            return None
        names = tuple(name for name in self.published.columns if self.published.source(name) in self.known)
        return replace(self, knows=names) if {*names} > {*self.columns} else None

    @property
    def shape(self) -> str:
        return shape_of(self.published)

    @property
    def promises(self) -> tuple[Promise, ...]:
        """The promises one by one."""
        return self.published.promises

    @property
    def records(self) -> Records | None:
        """What sketches were made of, where the owner is the one who tries."""
        return self.published.records

    @property
    def table(self) -> Table:
        """What is known, for attacks on tables; the control group is one, too, if there is one."""
        if not isinstance(self.known, Table) or not isinstance(self.control, Table | None):
            raise DataError("A published table is attacked with tables of persons; baskets were given.")
        return self.known

    @property
    def absent(self) -> Table | None:
        """Persons who are not in the release, for attacks on tables."""
        return self.control if isinstance(self.control, Table) else None

    def persons(self, table: Table) -> np.ndarray | None:
        """Whose each row is; None when every row is a person's own."""
        person = self.roles.person
        return table.column(person).codes if person is not None and person in table else None


@dataclass(frozen=True)
class Attack:
    """An attack: `where` is "module:function" in this folder; `needs` are attributes of a case that must be given.

    `by_columns` says that it depends on which columns are known, and is made a second time with all of them.
    """

    name: str
    what: str
    where: str
    shapes: tuple[str, ...]
    needs: tuple[str, ...] = ("known",)
    promises: tuple[str, ...] = ()  # it says something of these only; of all when empty
    by_columns: bool = False

    def why_not(self, case: Case) -> str:
        """Why it does not apply to the case; nothing when it does."""
        if case.shape not in self.shapes:
            return f"it is about {' and '.join(self.shapes)}, and the release holds {case.shape}"
        if self.promises and not {promise.name for promise in case.promises} & {*self.promises}:
            return f"it is about {' and '.join(self.promises)}, and the promise is {case.published.promise}"
        absent = [name for name in self.needs if getattr(case, name) in (None, ())]
        return f"it needs {listing(absent)}, which was not given" if absent else ""

    def __call__(self, case: Case) -> list[Finding]:
        module, function = self.where.split(":")
        found = getattr(importlib.import_module(f"discreet.attacks.{module}"), function)(case)
        knows = tuple(dict.fromkeys(map(case.published.source, case.columns))) if self.by_columns else None
        return [replace(one, by=self.name, knows=knows if one.knows is None else one.knows) for one in found]


def _by_columns(name: str, what: str, where: str) -> Attack:
    return Attack(name, what, where, ("table",), by_columns=True)


# In the order in which they are made.
ATTACKS: dict[str, Attack] = {
    attack.name: attack
    for attack in (
        _by_columns("prosecutor", "pick the row of a person who is in the release", "linkage:prosecutor"),
        _by_columns("journalist", "pick the person behind a row, out of the population", "linkage:journalist"),
        _by_columns("marketer", "link all rows with a register of persons", "linkage:marketer"),
        _by_columns("homogeneity", "read a value that all rows that fit a person share", "homogeneity:homogeneity"),
        _by_columns("inference", "guess a sensitive value by learning from the release", "inference:inference"),
        Attack("singling-out", "say what only one person is", "singling_out:singling_out", ("table",)),
        _by_columns("linkability", "join what two parties know of a person", "linkability:linkability"),
        Attack("downcoding", "say what lies below a published label", "downcoding:downcoding", ("table",)),
        Attack("minimality", "infer values from groups that were not cut", "minimality:minimality", ("table",)),
        Attack(
            "sparse", "name the basket of a person of whom some items are known", "sparse:sparse_overlap", ("baskets",)
        ),
        Attack(
            "intersection",
            "put several releases of the same persons together",
            "intersection:intersection",
            ("table", "baskets"),
            ("known", "others"),
        ),
        Attack(
            "differencing",
            "tell a value of persons who are in the release and not in another",
            "differencing:between",
            ("table",),
            ("gone", "others"),
        ),
        Attack(
            "membership",
            "say which of two persons is in the release",
            "membership:membership",
            ("table",),
            ("known", "control"),
        ),
        Attack(
            "sketches",
            "get records back from sketches, signs from known records, and name whose sketch it is",
            "sketched_records:reconstruction",
            ("sketches",),
            ("records",),
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
) -> list[Finding]:
    """Make the attacks that apply to a release, or those named, and return what they found.

    If nothing is said of what an attacker knows, the quasi-identifiers of the release are known; then the attacks that
    depend on it are made again with all published columns known, and what they find is `beyond` the promise.

    Parameters
    ----------
    release : a release, or the folder of a saved one
    known : the persons in the release as an attacker may know them, any frame, file, or baskets
    roles : of the columns of `known`, where they say other than the release: the quasi-identifiers, which are then
        what an attacker knows; the sensitive ones; whose row it is
    control : persons who are not in the release, as `known`
    population : all persons who could be in the release
    others : further releases of the same persons
    gone : persons who are in the release and not in the others, with the value that is to be told
    owner : the owner's folder of a saved release, where persons are to be counted
    attacks : names of attacks, see `ATTACKS`; all that apply if not given
    knows : published columns that an attacker knows of a person, or "all" of them
    settings : further attributes of a `Case`: share, parties, aux_items, targets, seed, hierarchies

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
    return run_case(case, attacks)


def case_of(
    published: Published,
    known: object = None,
    roles: Roles | None = None,
    control: object = None,
    population: object = None,
    others: Iterable[Published | Release | str | os.PathLike[str]] = (),
    gone: object = None,
    *,
    knows: str | Iterable[str] | None = None,
    **settings: Any,
) -> Case:
    """What an attack is given, read from frames, files and folders."""
    read = _read(known)
    return Case(
        published,
        read,
        roles or published.roles or Roles(),
        _read(control),
        None if population is None else Table.of(population),
        others=tuple(Published.of(other) for other in others),
        gone=None if gone is None else Table.of(gone),
        knows=_knows(published, read, roles, knows),
        **settings,
    )


ALL = "all"  # published columns are known
BEYOND = ", all columns known"  # what titles of the second run end in


def _knows(
    published: Published, known: Known | None, roles: Roles | None, names: str | Iterable[str] | None
) -> tuple[str, ...] | None:
    """The published columns that an attacker knows; None where nothing else is said than the release does."""
    table = known if isinstance(known, Table) else None
    if names is not None:
        return _named(published, table, (names,) if isinstance(names, str) else tuple(names))
    if roles is None or not roles.quasi or published.roles is None or not isinstance(published.data, Table):
        return None
    sources = {published.source(name) for name in published.columns}
    strange = [name for name in roles.quasi if name not in sources and (table is None or name not in table)]
    if strange and table is not None:
        hint = did_you_mean(strange[0], [*sources, *table.names])
        raise RolesError(f"Neither the release nor the known table has the columns {listing(strange)}.{hint}")
    found = published.named(roles.quasi)
    return None if {*found} == {*published.roles.quasi} or not found else found


def _named(published: Published, known: Table | None, names: tuple[str, ...]) -> tuple[str, ...]:
    if not isinstance(published.data, Table):
        raise ParameterError(
            f"Which columns are known matters for a table; the release holds {shape_of(published)}. Of baskets and"
            " sketches say how many items are known (aux_items)."
        )
    if names == (ALL,) and ALL not in published.columns:
        found = tuple(n for n in published.columns if known is None or published.source(n) in known)
        return found or published.columns
    able = dict.fromkeys([*published.columns, *map(published.source, published.columns)])
    for name in names:
        if name not in able:
            raise RolesError(
                f"An attacker is to know {shown(name)}, which the release does not publish."
                f"{did_you_mean(name, able)} It publishes {listing(published.columns, most=12)}."
            )
        if known is not None and name not in known and published.source(name) not in known:
            raise RolesError(f"An attacker is to know {shown(name)}, and the known table has no such column.")
    if not names:
        raise ParameterError("Name the columns that an attacker knows, or say 'all'.")
    return published.named(names)


def run_case(case: Case, attacks: Sequence[str] | None = None) -> list[Finding]:
    """The findings of the attacks that apply, or of those named."""
    return tried(case, attacks)[0]


def tried(case: Case, attacks: Sequence[str] | None = None) -> tuple[list[Finding], dict[str, str]]:
    """The same; and of the attacks on such a release, where none were named, why some were not made.

    Where it was not said what is known, those that depend on it are made again with all published columns known.
    """
    found: list[Finding] = []
    left_out: dict[str, str] = {}
    if attacks is None:
        fitting = [attack for attack in ATTACKS.values() if case.shape in attack.shapes]
        left_out = {attack.name: why for attack in fitting if (why := attack.why_not(case))}
    further = case.knowing_all if case.knows is None else None
    for attack in track(chosen(case, attacks), "Attacks"):
        try:
            found += attack(case)
        except CannotAttack as error:
            if attacks is not None:
                raise
            left_out[attack.name] = str(error)
        else:
            found += _beyond(attack, further)
    return found, left_out


def _beyond(attack: Attack, case: Case | None) -> list[Finding]:
    """The same attack by whoever knows all published columns; nothing where that changes nothing."""
    if case is None or not attack.by_columns or case.parties is not None:
        return []
    try:
        return [replace(one, attack=f"{one.attack}{BEYOND}", beyond=True) for one in attack(case)]
    except CannotAttack:
        return []


def chosen(case: Case, names: Sequence[str] | None = None) -> list[Attack]:
    """The attacks that apply to a case; those named, if all of them do."""
    if names is None:
        found = [attack for attack in ATTACKS.values() if not attack.why_not(case)]
        if not found:
            reasons = dict.fromkeys(a.why_not(case) for a in ATTACKS.values() if case.shape in a.shapes)
            because = f": {'; '.join(reasons)}" if reasons else ""
            raise DataError(f"No attack applies to this release of {case.shape}{because}.")
        return found
    for name in names:
        if name not in ATTACKS:
            known = listing(ATTACKS, most=99)
            raise ParameterError(f"There is no attack {name!r}.{did_you_mean(name, ATTACKS)} They are {known}.")
        if why := ATTACKS[name].why_not(case):
            raise DataError(f"The attack {name!r} does not apply: {why}.")
    return [ATTACKS[name] for name in dict.fromkeys(names)]


def shape_of(published: Published) -> str:
    """table, baskets, sketches, or the shape of a document."""
    data = published.data
    if isinstance(data, Document):
        return data.shape
    if isinstance(data, Sketches):
        return "sketches"
    return "baskets" if isinstance(data, Baskets) else "table"


def _read(data: object) -> Known | None:
    return data if data is None or isinstance(data, Baskets) else Table.of(data)
