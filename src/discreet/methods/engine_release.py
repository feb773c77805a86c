# SPDX-License-Identifier: Apache-2.0
"""What a release of an engine's rows needs beside the decision: roles checked on counts, and rows published as parts.

Parts are written to a scratch folder, which is removed with the release; `Release.save` puts them in place.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa

from discreet.counting.coded_rows import CodedRows
from discreet.counting.coding import Coding, ListedCells, changed
from discreet.counting.row_counts import remember_counts
from discreet.counting.row_lookup import RowLookup
from discreet.counting.tally import Tally, distinct_codes, pair_counts, same_rows, tally_of_groups
from discreet.data.column import Column, Kind
from discreet.data.roles import Roles
from discreet.data.stored_table import StoredTable
from discreet.data.table import Table
from discreet.engines.parts_sink import PartsSink
from discreet.engines.protocol import CompactEngine, Engine, state_of
from discreet.errors import DataError
from discreet.foundation.atomic_files import ScratchFolder
from discreet.foundation.system import give_back_memory
from discreet.methods.apply_groups import ApplyGroups, GroupLookup, KnownRows
from discreet.methods.grouping import Decision, Grouping, PublishedColumns
from discreet.methods.published_rows import refuse_clashes
from discreet.release.counted_source import CountedColumn, CountedSource, SourceGroups
from discreet.release.losses import Crossing, penalty_of_crossings


def needs_rows(method: str, why: str) -> DataError:
    return DataError(
        f"{method} cannot release the rows of an engine: {why}, so it needs all of them in memory. Read them as a table"
        " (leave out the engine), release a random sample of them, or take a method that decides on counts: TreeLadder,"
        " Mondrian with strict cuts, TopDownSpecialization or TopDownRefinement."
    )


# -- roles ---------------------------------------------------------------------------------------------------------


def notations_of(engine: Engine, names: Sequence[str]) -> dict[str, str]:
    """The names of the notations of columns whose texts are not plain."""
    found = {name: getattr(engine.coding(name), "reading", None) for name in names}
    return {name: one.notation.name for name, one in found.items() if one is not None and one.notation is not None}


def check_columns(engine: Engine, roles: Roles, *, needs_target: bool) -> None:
    """As `Roles.check_for_release`, by the values that the engine counts."""
    if prepare := getattr(engine, "prepare", None):
        prepare([name for name in engine.names if name in roles.named])
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


@dataclass(frozen=True, eq=False)
class EngineDecision:
    """What is published of an engine's rows.

    lookup   finds the group of coded rows
    labels   the published columns of each quasi-identifier, with a row for each group
    crossed  each quasi-identifier beside its published columns, with the rows of each pair
    penalty  the certainty penalty of all cells
    groups   the sizes of the groups of the source
    counted  the tally of the published rows, if it is known; `Release.save` counts the written parts, and refuses them
             if the counts are not these
    left_out, swapped  rows that are not published, and rows that show a cell which is not their own
    beside   columns whose codes the lookup looks at, too
    secret   what rows are ordered by, where the decision depends on it; else it is drawn when they are published
    found    all rows with their group, where the decision met them
    """

    lookup: GroupLookup
    labels: PublishedColumns
    decision: Decision
    crossed: Sequence[Crossing]
    penalty: float | None
    n_rows: int
    groups: SourceGroups
    counted: Tally | None = None
    left_out: int = 0
    swapped: int = 0
    beside: tuple[str, ...] = ()
    secret: bytes | None = field(default=None, repr=False)
    found: KnownRows | None = None

    @classmethod
    def of(cls, grouping: Grouping, rows: CodedRows, roles: Roles) -> EngineDecision:
        """From groups of distinct rows."""
        labels = grouping.columns(np.arange(len(grouping.codes)))
        plan = grouping.plan_for_new_rows
        decision = Decision(plan, grouping.trace, grouping.notes, population=grouping.population)
        return cls._of_groups(decision, labels, grouping.group, rows, roles)

    @classmethod
    def of_plan(cls, decision: Decision, rows: CodedRows, roles: Roles) -> EngineDecision:
        """From a plan for columns: distinct rows that are published alike are a group."""
        assert decision.plan is not None
        written = decision.plan.apply(Table(rows.columns))
        every = [column for columns in written.values() for column in columns]
        group, first = same_rows(every)
        labels = {
            name: [Column(one.name, one.kind, one.values, one.codes[first]) for one in columns]
            for name, columns in written.items()
        }
        return cls._of_groups(decision, labels, group, rows, roles)

    @classmethod
    def _of_groups(
        cls, decision: Decision, labels: PublishedColumns, group: np.ndarray, rows: CodedRows, roles: Roles
    ) -> EngineDecision:
        assert decision.plan is not None
        crossed = [_crossing(one, labels.get(one.name, ()), group, rows.rows) for one in rows.columns]
        return cls(
            RowLookup(rows.codes, group),
            labels,
            decision,
            crossed,
            penalty_of_crossings(decision.plan.labellings, crossed, rows.n_rows),
            rows.n_rows,
            SourceGroups.of(rows),
            _published_tally(roles, labels, group, rows),
        )

    def keys(self, codings: Sequence[Coding]) -> Callable[[pa.RecordBatch], np.ndarray] | None:
        """The hash by which the lookup tells rows apart that are equal in all it looks at; None if it need not."""
        return None

    def source(self, engine: Engine, roles: Roles) -> CountedSource:
        """What reports say about the source."""
        columns = [CountedColumn(one.old.name, one.old.kind, one.old.levels) for one in self.crossed]
        kept = (engine.coding(name) for name in roles.published if name not in roles.quasi)
        columns += [CountedColumn(coding.name, coding.kind, coding.levels) for coding in kept]
        return CountedSource(engine.names, roles, tuple(columns), self.n_rows, self.groups)


def publish_groups(
    engine: Engine, roles: Roles, decided: EngineDecision, *, state: object
) -> tuple[StoredTable, tuple[Path, ...]]:
    """The published rows, as parts in a scratch folder that lives as long as the table, and the persons' files.

    `state` is that of the engine before the decision. Where it is not known, the parts are counted: other rows may have
    been published than those that the decision is about.
    """
    kept = [engine.coding(name) for name in engine.names if name in roles.published and name not in roles.quasi]
    apply = ApplyGroups.found_by(
        decided.lookup,
        decided.labels,
        [listed_cells(engine, name) for name in roles.quasi],
        kept=kept,
        order=engine.names,
        person=None if roles.person is None else listed_cells(engine, roles.person),
        beside=[listed_cells(engine, name) for name in decided.beside],
        keys=decided.keys(kept),
    )
    refuse_clashes(list(apply.names))
    scratch = ScratchFolder(getattr(engine, "scratch", None))
    by_person = roles.person is not None
    with PartsSink(scratch.folder / "table", scratch.folder / "persons" if by_person else None) as sink:
        secret = decided.secret or secrets.token_bytes(32)
        if decided.found is not None and isinstance(engine, CompactEngine):
            written = engine.publish_compact(apply.compact_found(decided.found), apply, secret, sink)
        else:
            written = engine.publish(apply.columns, apply, secret, sink)
        if written != decided.n_rows - decided.left_out:
            raise changed()
        if state_of(engine) != state:
            raise changed()
    kinds = apply.kinds
    del apply
    give_back_memory(decided.n_rows)
    table = StoredTable(sink.files, kinds, keep=scratch)
    if decided.counted is not None and state is not None:
        remember_counts(table, decided.counted)
    return table, tuple(sink.person_files)


def judged_columns(roles: Roles) -> list[str]:
    """The columns whose values are counted in every published group."""
    return list(dict.fromkeys([*([] if roles.target is None else [roles.target]), *roles.sensitive]))


def _published_tally(roles: Roles, labels: PublishedColumns, of_row: np.ndarray, rows: CodedRows) -> Tally:
    """The tally of the published rows, from the group of each distinct row and the labels of each group."""
    judged = judged_columns(roles)
    if judged == [roles.target]:
        n_groups = int(of_row.max()) + 1
        counts = np.stack([np.bincount(of_row, rows_, minlength=n_groups) for rows_ in rows.counts.T])
        label, group = np.nonzero(counts)
        n, codes = counts[label, group].astype(np.int64), [label]  # exact: rows are below 2^53
    else:
        row, codes, n = rows.split_by(judged) if judged else (np.arange(len(rows)), [], rows.rows)
        group = of_row[row]
    columns = [
        Column(one.name, one.kind, one.values, one.codes[group]) for name in roles.quasi for one in labels.get(name, ())
    ]
    for name, code in zip(judged, codes, strict=True):
        values = rows.values_of(name)
        columns.append(Column(name, values.kind, values.values, code.astype(np.int32)))
    return tally_of_groups(columns, n)


def _crossing(old: Column, labels: Sequence[Column], group: np.ndarray, rows: np.ndarray) -> Crossing:
    """A quasi-identifier of distinct rows beside the labels of their groups; each pair that occurs is kept once."""
    combined, of_group = distinct_codes([one.codes for one in labels], int(group.max()) + 1)
    was, now, n = pair_counts(old.codes, of_group[group], rows)
    before = Column(old.name, old.kind, old.values, was.astype(np.int32))
    after = [Column(one.name, one.kind, one.values, combined[now, place]) for place, one in enumerate(labels)]
    return Crossing(before, after, n)


def listed_cells(engine: Engine, name: str) -> ListedCells:
    coding = engine.coding(name, listed=True)
    assert isinstance(coding, ListedCells)
    return coding
