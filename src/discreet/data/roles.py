# SPDX-License-Identifier: Apache-2.0
"""Roles of columns. A column without a role is never published.

target        what a classifier is to predict; published unchanged
quasi         quasi-identifiers, what an attacker may know of a person; covered by the promise
sensitive     what an attacker wants to learn; published unchanged, covered by l-diversity and t-closeness
other         published unchanged, assumed unknown to an attacker
identifiers   names, numbers, addresses; never published
person        identifies the person behind each row, so that k and l count persons, not rows; never published
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import RolesError, Setting, did_you_mean, listing, shown
from discreet.foundation.displayed import Displayed

if TYPE_CHECKING:
    from discreet.data.role_suggestions import Suggestion


def _names(value: str | Iterable[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(str(name) for name in value)


MOST_CLASSES = 256  # of a target; counts per class are kept for every group


@dataclass(frozen=True)
class Roles(Displayed):
    """Roles of the columns of a table.

    >>> Roles(target="readmitted", quasi=["age", "sex"], identifiers=["name"]).published
    ('readmitted', 'age', 'sex')
    """

    target: str | None = None
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    person: str | None = None
    allow_unique: tuple[str, ...] = field(default=())

    if TYPE_CHECKING:  # names come as one string or in any collection, and are kept as tuples

        def __init__(
            self,
            target: str | None = None,
            quasi: str | Iterable[str] = (),
            sensitive: str | Iterable[str] = (),
            identifiers: str | Iterable[str] = (),
            other: str | Iterable[str] = (),
            person: str | None = None,
            allow_unique: str | Iterable[str] = (),
        ) -> None: ...

    def __post_init__(self) -> None:
        for role in ("target", "person"):
            name = getattr(self, role)
            object.__setattr__(self, role, None if name is None else str(name))
        for role in ("quasi", "sensitive", "identifiers", "other", "allow_unique"):
            object.__setattr__(self, role, _names(getattr(self, role)))
        self._check_overlaps()

    @property
    def published(self) -> tuple[str, ...]:
        """The published columns, in the order target, quasi, sensitive, other."""
        target = () if self.target is None else (self.target,)
        return tuple(dict.fromkeys((*target, *self.quasi, *self.sensitive, *self.other)))

    @property
    def named(self) -> tuple[str, ...]:
        """All columns with a role."""
        person = () if self.person is None else (self.person,)
        return tuple(dict.fromkeys((*self.published, *self.identifiers, *person)))

    def without_role(self, table: Table) -> tuple[str, ...]:
        """The table's columns without a role; they are never published."""
        named = set(self.named)
        return tuple(name for name in table.names if name not in named)

    def for_part(self) -> Roles:
        """For some of the rows: whether a column works like a name was decided on all of them."""
        as_they_are = [name for name in self.published if name not in self.quasi]
        return replace(self, allow_unique=tuple(dict.fromkeys((*self.allow_unique, *as_they_are))))

    def check(self, table: Table) -> None:
        """Raise RolesError unless every column exists and none would be published that works like a name."""
        self.check_names(table)
        for name in self.published:
            if name not in self.quasi and name not in self.allow_unique and works_like_a_name(table.column(name)):
                raise RolesError(
                    f"Column {shown(name)} has {table.column(name).levels} different values in {len(table)} rows and"
                    f" would be published as it is: it works like a name. Make it a quasi-identifier or an identifier,"
                    f" or say ",
                    Setting("allow_unique", [name]),
                    " if nobody outside can know it.",
                )

    def check_names(self, table: Any) -> None:
        """Raise RolesError unless every column exists."""
        absent = [name for name in dict.fromkeys((*self.named, *self.allow_unique)) if name not in table]
        if absent:
            hint = did_you_mean(absent[0], table.names)
            raise RolesError(f"Roles name columns that are not in the table: {listing(absent)}.{hint}")

    def check_for_release(self, table: Table, *, needs_target: bool = True) -> None:
        """As `check`, and there must be quasi-identifiers, and a target with at least two classes; or none, unless
        `needs_target`.
        """
        self.check(table)
        if self.target is None and needs_target:
            raise RolesError("A release needs a target, the column a classifier is to predict. None was named.")
        if not self.quasi:
            raise RolesError(
                "A release needs quasi-identifiers, the columns an attacker may know. None was named;"
                " `discreet inspect` suggests some."
            )
        if self.target is None:
            return
        target = table.column(self.target)
        if target.has_missing:
            raise RolesError(
                f"The target {shown(self.target)} is missing in {target.n_missing} of {len(table)} rows. Leave these"
                f" rows out of the source, or give them a class of their own, such as 'unknown'."
            )
        if target.levels < 2:
            raise RolesError(f"The target {shown(self.target)} has one class only: there is nothing to learn from it.")
        if target.levels > MOST_CLASSES:
            raise RolesError(
                f"The target {shown(self.target)} has {target.levels} classes; at most {MOST_CLASSES} make sense for a"
                f" classifier. Cut its numbers into a few intervals, or name another target."
            )

    @staticmethod
    def suggest(table: Any, target: str | None = None) -> list[Suggestion]:
        """Suggest a role for each column of a table, file or frame; see `suggest`."""
        from discreet.data.role_suggestions import suggest

        return suggest(table, target=target)

    def _check_overlaps(self) -> None:
        role_of: dict[str, str] = {}
        roles = {
            "target": () if self.target is None else (self.target,),
            "quasi": self.quasi,
            "sensitive": self.sensitive,
            "other": self.other,
            "identifiers": self.identifiers,
            "person": () if self.person is None else (self.person,),
        }
        may_share = {("target", "sensitive"), ("identifiers", "person")}  # a label may be sensitive
        for role, names in roles.items():
            if len(set(names)) < len(names):
                raise RolesError(f"The role {role!r} names a column twice: {listing(names)}.")
            for name in names:
                if name in role_of and (role_of[name], role) not in may_share:
                    raise RolesError(
                        f"Column {shown(name)} has two roles, {role_of[name]!r} and {role!r}. Give it one."
                    )
                role_of.setdefault(name, role)


def works_like_a_name(column: Column) -> bool:
    """Whether values single out persons: unique in every row, or text that is unique in most."""
    if len(column) < 20:
        return False
    return column.levels == len(column) or (column.kind == "category" and column.levels > len(column) / 2)
