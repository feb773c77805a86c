# SPDX-License-Identifier: Apache-2.0
"""What went into a release, as its owner knows it: cells as texts, roles, and what was asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from benchmarks.random_releases.cells import key


@dataclass(frozen=True)
class Asked:
    """A promise that was asked for: its name as certificates have it, its level, and what else it depends on."""

    name: str
    level: Any
    absences: int = 0
    columns: tuple[str, ...] | None = None
    public_class: bool = False
    neighbour_search: str = ""
    known: int = 0


@dataclass(frozen=True)
class Source:
    """A table (`columns`, None where a cell is missing), or baskets (`baskets`, the items of each row).

    hidden    words that must not be in any published byte, with what they are
    link      a published column that tells which row of the table a published row is
    domain    the public values of each column, where there is one; cuts are pairs (low, high)
    raw       whether columns are published cell by cell, so that rare values are too
    """

    method: str
    promises: tuple[Asked, ...]
    columns: dict[str, list[str | None]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    target: str = "label"
    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    baskets: list[frozenset[str]] = field(default_factory=list)
    items: tuple[str, ...] = ()
    labels: list[str] = field(default_factory=list)
    persons: list[Any] | None = None
    hidden: dict[str, str] = field(default_factory=dict)
    link: str | None = None
    domain: dict[str, Any] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    gives: str = "table"
    raw: bool = False

    def __len__(self) -> int:
        return len(self.baskets) or len(self.columns[self.target])

    @property
    def as_it_is(self) -> tuple[str, ...]:
        """Columns that are published as they are."""
        return tuple(dict.fromkeys((self.target, *self.sensitive, *self.other)))

    @property
    def k(self) -> int | None:
        """The smallest number of persons that every promise about them asks for."""
        levels = [int(p.level) for p in self.promises if p.name in ("k-anonymity", "containment", "k-anonymous model")]
        return min(levels, default=None)

    def whose(self, rows: Sequence[int] | None = None) -> list[Any]:
        """The person of each row; every row is one of its own where persons are not counted."""
        persons = list(range(len(self))) if self.persons is None else self.persons
        return persons if rows is None else [persons[row] for row in rows]

    @cached_property
    def support(self) -> dict[str, dict[object, int]]:
        """How many persons have each value of each column."""
        whose, counted = self.whose(), {}
        for name, cells in self.columns.items():
            having: dict[object, set[Any]] = defaultdict(set)
            for person, cell in zip(whose, cells, strict=True):
                having[key(cell)].add(person)
            counted[name] = {value: len(persons) for value, persons in having.items()}
        return counted

    @cached_property
    def item_support(self) -> dict[str, int]:
        """How many persons have each item."""
        having: dict[str, set[Any]] = {item: set() for item in self.items}
        for person, items in zip(self.whose(), self.baskets, strict=True):
            for item in items:
                having[item].add(person)
        return {item: len(persons) for item, persons in having.items()}

    def is_rare(self, column: str, text: str | None) -> bool:
        """Whether some persons have the value, but fewer than k."""
        return self.k is not None and 0 < self.support[column].get(key(text), 0) < self.k
