# SPDX-License-Identifier: Apache-2.0
"""The input of an attack: the release, what the attacker knows, and a control group.

The attacker knows columns of the release: by default its quasi-identifiers, which the promise covers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from discreet.attacks.attacked_rows import who_fits
from discreet.attacks.finding import CannotAttack
from discreet.attacks.label_meanings import recode_known
from discreet.attacks.published import Published
from discreet.data.baskets import Baskets
from discreet.data.dataset import rows_of
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, Outside, ParameterError, RolesError, Setting, did_you_mean, listing, shown
from discreet.foundation.parameters import Allowed, Interval
from discreet.privacy.promise import Promise
from discreet.release.release import Release

Known = Table | Baskets
ALL = "all"  # published columns are known


@dataclass(frozen=True, eq=False)
class Case:
    """The input of an attack.

    published   the release
    known       the persons in the release, with what an attacker may know about them and what is to be inferred
    roles       of the columns of `known`: quasi-identifiers, sensitive columns, the person of each row
    control     persons who are not in the release, with the columns of `known`
    population  all persons who could be in the release, with the quasi-identifiers
    share       of the population that is in the release, where no population is given
    others      further releases of the same persons
    gone        persons who are in the release but not in the others
    parties     two sets of published columns, each known to one of two parties
    aux_items   number of items of a basket that an attacker knows
    targets     most persons, guesses or runs, for attacks that sample
    knows       published columns that an attacker knows; None for the quasi-identifiers of the release
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
    random_state: int | None = 0
    knows: tuple[str, ...] | None = None
    hierarchies: Any = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Published columns that the attacker knows."""
        if self.knows is not None:
            return self.knows
        return self.published.quasi

    def columns_in(self, other: Published) -> tuple[str, ...]:
        """Published columns of another release that the attacker knows."""
        if self.knows is None:
            return other.quasi
        return other.named(self.published.source(name) for name in self.knows)

    @property
    def knowing_all(self) -> Case | None:
        """This case with every published column known that the known table has; None if that adds none."""
        if not self.shape == self.known_shape == "table":
            return None
        names = tuple(name for name in self.published.columns if self.published.source(name) in self.table)
        return replace(self, knows=names) if {*names} > {*self.columns} else None

    @property
    def shape(self) -> str:
        return self.published.shape

    @property
    def known_shape(self) -> str | None:
        """table, baskets, or None where nothing is known."""
        return None if self.known is None else self.known.shape_name

    @property
    def promises(self) -> tuple[Promise, ...]:
        """The promises one by one."""
        return self.published.promises

    @property
    def records(self) -> Records | None:
        """The records behind sketches, if the owner is the attacker."""
        return self.published.records

    @property
    def table(self) -> Table:
        """The known table; DataError if it or the control group is not a table."""
        if not self._are("table"):
            raise DataError("Attacks on a published table need tables of persons; baskets were given.")
        return self.known  # type: ignore[return-value]

    @property
    def absent(self) -> Table | None:
        """Persons who are not in the release, for attacks on tables."""
        return self.control if _is("table", self.control) else None  # type: ignore[return-value]

    @property
    def baskets(self) -> tuple[Baskets, Baskets | None]:
        """What is known, and the control group or None, for attacks on baskets."""
        if not self._are("baskets"):
            raise CannotAttack("The attack on sparse data needs the baskets of persons; a table was given.")
        return self.known, self.control  # type: ignore[return-value]

    def _are(self, shape: str) -> bool:
        return self.known_shape == shape and (self.control is None or _is(shape, self.control))

    def persons(self, table: Table) -> np.ndarray | None:
        """The person of each row; None if every row is a person of its own."""
        person = self.roles.person
        return table.column(person).codes if person is not None and person in table else None


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
    """Build a case from frames, files and folders."""
    for name, ranges in _RANGES.items():
        if name in settings and not ranges.allows(settings[name]):
            raise ParameterError(Outside(name, "attack", Allowed((ranges,)), settings[name]))
    read = _in_sample(published, _rows(known))
    return Case(
        published,
        read,
        roles or published.roles or Roles(),
        _rows(control),
        None if population is None else Table.of(population),
        others=tuple(Published.of(other) for other in others),
        gone=None if gone is None else Table.of(gone),
        knows=_knows(published, read, roles, knows),
        **settings,
    )


_RANGES = {
    "share": Interval(Real, 0, 1, closed="right"),
    "aux_items": Interval(Integral, 1, None, closed="left"),
    "targets": Interval(Integral, 1, None, closed="left"),
}


def _in_sample(published: Published, known: Known | None) -> Known | None:
    """The known persons whose group is among the attacked rows, where these are a sample."""
    if not published.sample or known is None or not _is("table", known):
        return known
    table: Any = known
    return table.take(who_fits(recode_known(published, table), published.table, published.quasi))


def _knows(
    published: Published, known: Known | None, roles: Roles | None, names: str | Iterable[str] | None
) -> tuple[str, ...] | None:
    """The published columns that an attacker knows; None for the quasi-identifiers of the release."""
    table: Any = known if _is("table", known) else None
    if names is not None:
        return _named(published, table, (names,) if isinstance(names, str) else tuple(names))
    if roles is None or not roles.quasi or published.roles is None or published.shape != "table":
        return None
    sources = {published.source(name) for name in published.columns}
    strange = [name for name in roles.quasi if name not in sources and (table is None or name not in table)]
    if strange and table is not None:
        hint = did_you_mean(strange[0], [*sources, *table.names])
        raise RolesError(f"Neither the release nor the known table has the columns {listing(strange)}.{hint}")
    columns = published.named(roles.quasi)
    return None if {*columns} == {*published.roles.quasi} or not columns else columns


def _named(published: Published, known: Table | None, names: tuple[str, ...]) -> tuple[str, ...]:
    if published.shape != "table":
        raise ParameterError(
            f"Known columns can be named for tables only; the release holds {published.shape}. For baskets and"
            " sketches say how many items are known: ",
            Setting("aux_items"),
            ".",
        )
    if names == (ALL,) and ALL not in published.columns:
        columns = tuple(n for n in published.columns if known is None or published.source(n) in known)
        return columns or published.columns
    able = dict.fromkeys([*published.columns, *map(published.source, published.columns)])
    for name in names:
        if name not in able:
            raise RolesError(
                f"The attacker cannot know {shown(name)}: the release does not publish it."
                f"{did_you_mean(name, able)} It publishes {listing(published.columns, most=12)}."
            )
        if known is not None and name not in known and published.source(name) not in known:
            raise RolesError(f"The attacker cannot know {shown(name)}: the known table has no such column.")
    if not names:
        raise ParameterError("Name the columns that an attacker knows, or say 'all'.")
    return published.named(names)


def _is(shape: str, data: Known | None) -> bool:
    return data is not None and data.shape_name == shape


def _rows(data: object) -> Known | None:
    return None if data is None else rows_of(data)
