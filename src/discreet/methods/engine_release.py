# SPDX-License-Identifier: Apache-2.0
"""What a release of an engine's rows needs beside the decision: roles checked on counts, and rows published as parts.

Parts are written to a scratch folder, which is removed with the release; `Release.save` puts them in place.
"""

from __future__ import annotations

import secrets
import weakref
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discreet.counting.coded_rows import CodedRows
from discreet.counting.coding import Coding, ListedCells, changed
from discreet.data.column import Kind
from discreet.data.roles import Roles
from discreet.data.stored_table import StoredTable
from discreet.engines.parts_sink import PartsSink
from discreet.engines.protocol import Engine
from discreet.errors import DataError
from discreet.foundation.atomic_files import scratch_folder
from discreet.methods.apply_groups import ApplyGroups
from discreet.methods.grouping import Grouping
from discreet.methods.published_rows import refuse_clashes


def needs_rows(method: str, why: str) -> DataError:
    return DataError(
        f"{method} cannot release the rows of an engine: {why}, so it needs all of them in memory. Read them as a table"
        " (leave out the engine), release a random sample of them, or take a method that decides on counts: TreeLadder,"
        " Mondrian with strict cuts, TopDownSpecialization or TopDownRefinement."
    )


# -- roles ---------------------------------------------------------------------------------------------------------


def check_columns(engine: Engine, roles: Roles, *, needs_target: bool) -> None:
    """As `Roles.check_for_release`, by the values that the engine counts."""
    roles.check_for_release(_Columns(engine), needs_target=needs_target)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Columns:
    """What roles are checked by, of an engine."""

    engine: Engine

    @property
    def names(self) -> tuple[str, ...]:
        return self.engine.names

    def __contains__(self, name: object) -> bool:
        return name in self.engine.names

    def __len__(self) -> int:
        return len(self.engine)

    def column(self, name: str) -> _Counted:
        return _Counted(self.engine, self.engine.coding(name), len(self.engine))


@dataclass(frozen=True)
class _Counted:
    """What roles are checked by, of a column."""

    engine: Engine
    coding: Coding
    n_rows: int

    def __len__(self) -> int:
        return self.n_rows

    @property
    def kind(self) -> Kind:
        return self.coding.kind

    @cached_property
    def levels(self) -> int:
        levels = self.coding.levels
        return self.engine.values(self.coding.name).levels if levels is None else levels

    @property
    def has_missing(self) -> bool:
        return self.engine.values(self.coding.name).has_missing

    @property
    def n_missing(self) -> int:
        counted = self.engine.tally([self.coding.name])
        return int(counted.counts[counted.codes[:, 0] == len(counted.values[0])].sum())


# -- rows ----------------------------------------------------------------------------------------------------------


def publish_groups(engine: Engine, roles: Roles, grouping: Grouping, rows: CodedRows) -> StoredTable:
    """The published rows, as parts in a scratch folder that lives as long as the table."""
    kept = [engine.coding(name) for name in engine.names if name in roles.published and name not in roles.quasi]
    apply = ApplyGroups.of(
        grouping,
        rows,
        [_listed(engine, name) for name in roles.quasi],
        kept=kept,
        order=engine.names,
        person=None if roles.person is None else _listed(engine, roles.person),
    )
    refuse_clashes(list(apply.names))
    scratch = _Scratch(getattr(engine, "scratch", None))
    by_person = roles.person is not None
    with PartsSink(scratch.folder / "table", scratch.folder / "persons" if by_person else None) as sink:
        if engine.publish(apply.columns, apply, secrets.token_bytes(32), sink) != rows.n_rows:
            raise changed()
    return StoredTable(sink.files, apply.kinds, persons=sink.person_files, keep=scratch)


def _listed(engine: Engine, name: str) -> ListedCells:
    coding = engine.coding(name, listed=True)
    assert isinstance(coding, ListedCells)
    return coding


class _Scratch:
    """A folder that is removed with this object."""

    def __init__(self, parent: Path | None):
        until_gone = ExitStack()
        self.folder = until_gone.enter_context(scratch_folder(parent))
        weakref.finalize(self, until_gone.close)
