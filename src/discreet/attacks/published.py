# SPDX-License-Identifier: Apache-2.0
"""What an attacker has: a release, in memory or from its published folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from discreet.attacks.attacked_rows import attacked_rows
from discreet.data.baskets import Baskets
from discreet.data.content import Content
from discreet.data.records import Records
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.privacy.promise import Both, Promise
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.plan import Plan
from discreet.recoding.record import from_bytes
from discreet.release.release import Release
from discreet.release.verify import check_owner, open_release, persons_of, read_groups, read_record, read_records
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches

_NAMED = {"table": "a published table", "baskets": "baskets", "sketches": "sketches"}


@dataclass(frozen=True, eq=False)
class Published:
    """What an attacker has: the published data, roles, promise, and the recoding if one is published.

    `method` and `parameters` come from the certificate. `swapped`: cells were exchanged between rows. `persons`, the
    person of each published row, is known to the owner only and serves to count successes, not to attack; so are
    `records` and `signs` behind sketches.
    """

    data: Content
    promise: Promise
    roles: Roles | None = None
    recoding: Plan | None = None
    swapped: bool = False
    persons: np.ndarray | None = None
    records: Records | None = None
    signs: Signs | None = None
    method: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    groups: GroupedItems | None = None  # published items with their members, where items were grouped
    sample: str = ""  # says which rows are attacked, where not all of them are

    @classmethod
    def of(
        cls, release: Published | Release | str | os.PathLike[str], *, owner: str | os.PathLike[str] | None = None
    ) -> Published:
        """From a release in memory, or the folder of a saved one, whose files must match its certificate.

        `owner` is the owner's folder.
        """
        if isinstance(release, Published):
            return release
        if isinstance(release, Release):
            record = None if release.record is None or release.groups is not None else from_bytes(release.record)
            swapped = release.changes.swapped_cells > 0
            data, persons, sample = attacked_rows(release.content, release.roles, release.owner.persons)
            private = persons, release.owner.records, release.owner.signs
            method = release.method, release.parameters
            known = (data, release.promise, release.roles, record, swapped)
            return cls(*known, *private, *method, groups=release.groups, sample=sample)
        check_owner(owner)
        certificate, data, roles = open_release(release)
        recoding = read_record(release)
        by_person = owner is not None and certificate.counted == "persons"
        whose = persons_of(Path(owner), data) if by_person else None  # type: ignore[arg-type]
        data, persons, sample = attacked_rows(data, roles, whose)
        swapped = certificate.changes.swapped_cells > 0
        is_sketched = owner is not None and certificate.shape == "sketches"
        records, signs = read_records(data, Path(owner)) if is_sketched else (None, None)  # type: ignore[arg-type]
        method = certificate.method.name, certificate.method.parameters
        known = (data, certificate.the_promise(), roles, recoding, swapped)
        return cls(*known, persons, records, signs, *method, groups=read_groups(release), sample=sample)

    @property
    def shape(self) -> str:
        """table, baskets, sketches, or the shape of a document."""
        return self.data.shape_name

    @property
    def table(self) -> Table:
        """The published table; DataError where something else is published."""
        return self._content("table")

    @property
    def baskets(self) -> Baskets:
        return self._content("baskets")

    @property
    def sketches(self) -> Sketches:
        return self._content("sketches")

    def _content(self, shape: str) -> Any:
        if self.shape != shape:
            raise DataError(f"The attack needs {_NAMED[shape]}; the release holds {self.shape}.")
        return self.data

    @property
    def quasi(self) -> tuple[str, ...]:
        """The published quasi-identifiers of a table."""
        return () if self.roles is None else self.roles.quasi

    @property
    def promises(self) -> tuple[Promise, ...]:
        """The single promises."""
        return self.promise.promises if isinstance(self.promise, Both) else (self.promise,)

    @property
    def columns(self) -> tuple[str, ...]:
        """The published columns of a table, quasi-identifiers first; empty for other shapes."""
        names = self.table.names if self.shape == "table" else ()
        return (*(name for name in self.quasi if name in names), *(n for n in names if n not in self.quasi))

    def source(self, column: str) -> str:
        """The column that a published one was made from: "town" of the item "town=North"."""
        recorded = () if self.recoding is None else self.recoding.labellings
        return next((one.source for one in recorded if one.name == column), column)

    def named(self, names: Iterable[str]) -> tuple[str, ...]:
        """The published columns that have one of these names, or were made from a column of that name."""
        wanted = {*names}
        return tuple(name for name in self.columns if name in wanted or self.source(name) in wanted)

    @property
    def is_true(self) -> bool:
        """Whether all published rows are true: no cell was drawn, swapped or flipped."""
        drawn = any(promise.kind == "proved" for promise in self.promises)
        flips = self.recoding is None and self.shape == "table"
        flipped = flips and any("=" in name for name in self.quasi)
        return not (drawn or self.swapped or flipped)


def with_groups(people: Baskets, releases: Iterable[Published]) -> Baskets:
    """The people's baskets with a further column for each group of items that is published."""
    for release in releases:
        if release.groups is not None:
            new = [name for name in release.groups.names if name not in people.names]
            grouped = release.groups.within(new).apply(people)
            matrix = sp.csr_array(sp.hstack([people.matrix, grouped.matrix]))
            people = replace(people, matrix=matrix, names=people.names + grouped.names, sources=None)
    return people
