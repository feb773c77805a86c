# SPDX-License-Identifier: Apache-2.0
"""What Mondrian publishes of an engine whose distinct rows outgrow memory, and when that is so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.coding import ListedCells
from discreet.counting.router import Router
from discreet.counting.tally import Tally, row_order, same_rows, tally_of_sorted
from discreet.data.column import Column, from_labels
from discreet.data.roles import Roles
from discreet.engines import estimate
from discreet.engines.protocol import CompactEngine, HistogramEngine
from discreet.errors import DataError
from discreet.methods.engine_release import EngineDecision, judged_columns
from discreet.methods.grouping import Decision, Grouping, PublishedColumns
from discreet.methods.published_rows import refuse_marks
from discreet.methods.trees.cut_partition import stacked
from discreet.methods.trees.mondrian_levels import CutRule
from discreet.methods.trees.mondrian_parts import cut_in_parts
from discreet.methods.trees.mondrian_value_rule import ValueRule, least_of
from discreet.privacy.promise import Promise
from discreet.recoding.axis import Axis
from discreet.release.counted_source import SourceGroups
from discreet.release.losses import Crossing, penalty_of_crossings

_MOST_ROWS = 2**20  # of a part in memory


def outgrow_memory(engine: HistogramEngine, columns: Sequence[str]) -> bool:
    """Whether the distinct rows are too many to be kept, or nearly as many as the rows, by an estimate."""
    if len(engine) <= estimate.FEW:
        return False  # nothing has to be estimated
    return estimate.outgrow_memory(len(engine), engine.likely_distinct(columns))


def too_many_rows(why: str) -> DataError:
    return DataError(
        f"The quasi-identifiers have too many distinct rows for memory, and {why}, which needs them all. Round or leave"
        " out the columns with most values, name `least` for cuts by information, or release a sample."
    )


def decided_in_parts(
    engine: HistogramEngine,
    roles: Roles,
    make_axis: Callable[[CodedRows, str], Axis],
    *,
    promise: Promise,
    least: int,
    by_information: bool,
    in_turn: bool,
    most: int = _MOST_ROWS,
) -> EngineDecision:
    """What Mondrian publishes of an engine's rows, of which parts of `most` rows are in memory."""
    judged, kept = judged_columns(roles), _kept_beside(engine, roles)
    if isinstance(engine, CompactEngine):
        engine.read_together([*roles.quasi, *judged, *(kept or ())])
    by_column, counted = _by_column(engine, roles)
    axes = [make_axis(rows, name) for name, rows in by_column.items()]
    columns: Any = _Columns({axis.name: axis.column for axis in axes})
    refuse_marks(columns, roles)
    values = ValueRule.of(promise, roles, by_column[roles.quasi[0]])
    position = stacked([axis.position for axis in axes])
    rule = CutRule(max(least, least_of(promise)), position, by_information, in_turn, values)
    parted = cut_in_parts(engine, axes, rule, most=most, counted=counted, judged=judged, kept=kept)
    plan, labellings = parted.plan, parted.plan.labellings
    grouping = Grouping(np.empty(0, dtype=np.int64), labellings, plan.codes, plan)
    labels = grouping.columns(np.arange(len(plan.codes)))
    crossed = [
        _crossing(axis, *one, plan.labels[c]) for c, (axis, one) in enumerate(zip(axes, parted.crossed, strict=True))
    ]
    trace: list[dict[str, Any]] = [{"groups": len(plan.codes), "persons in a group at least": least}]
    trace += [{"column": axis.name, "cuts": int((plan.column == c).sum())} for c, axis in enumerate(axes)]
    times = np.flatnonzero(parted.sizes)
    return EngineDecision(
        parted.lookup,
        labels,
        Decision(plan, trace),
        crossed,
        penalty_of_crossings(labellings, crossed, len(engine)),
        len(engine),
        SourceGroups(times, times, parted.sizes[times], len(engine)),
        _tally_of(engine, roles, labels, *parted.judged),
        found=parted.found,
    )


def _kept_beside(engine: HistogramEngine, roles: Roles) -> list[str] | None:
    """The columns that are published as they are, if the engine takes rows whose leaf is known; None if not."""
    kept = [name for name in engine.names if name in roles.published and name not in roles.quasi]
    listed = all(isinstance(engine.coding(name), ListedCells) for name in kept)
    return kept if listed and isinstance(engine, CompactEngine) else None


def _tally_of(
    engine: HistogramEngine,
    roles: Roles,
    labels: PublishedColumns,
    leaf: np.ndarray,
    judged: Sequence[np.ndarray],
    rows: np.ndarray,
) -> Tally:
    """The tally of the published rows; leaves are put in order first, which are fewer, and one column at a time."""
    published = [one for name in roles.quasi for one in labels[name]]
    values = [engine.values(name) for name in judged_columns(roles)]
    place_of_leaf, first = same_rows(published)
    order = row_order([place_of_leaf[leaf], *judged], len(leaf), [len(first), *(one.levels + 1 for one in values)])
    leaf = leaf[order]
    tallied = np.empty((len(order), len(published) + len(values)), dtype=np.int32, order="F")
    for place, one in enumerate(published):
        tallied[:, place] = one.codes[leaf]
    for place, codes in enumerate(judged, len(published)):
        tallied[:, place] = codes[order]
    every = [*published, *values]
    return tally_of_sorted([one.name for one in every], [one.values for one in every], tallied, rows[order])


@dataclass(frozen=True)
class _Columns:
    """Columns by name, where a table is expected."""

    columns: dict[str, Column]

    def column(self, name: str) -> Column:
        return self.columns[name]


def _by_column(engine: HistogramEngine, roles: Roles) -> tuple[dict[str, CodedRows], list[np.ndarray]]:
    """The rows counted by each column alone, and by the classes: as coded rows, and as arrays of code and class."""
    codings = [coding for name in roles.quasi if isinstance(coding := engine.coding(name, listed=True), ListedCells)]
    router = Router([np.arange(len(coding.values) + 1) for coding in codings], np.array([[-1, 0, 0]], dtype=np.int32))
    counted = engine.histograms(router, roles.quasi, opened=[0], by=roles.target)
    target = None if roles.target is None else engine.values(roles.target)
    by_column = {
        coding.name: CodedRows.of_column(coding.column(), counts[0], target, engine)
        for coding, counts in zip(codings, counted.of, strict=True)
    }
    return by_column, [counts[0] for counts in counted.of]


def _crossing(axis: Axis, old: np.ndarray, new: np.ndarray, rows: np.ndarray, labels: Sequence[str | None]) -> Crossing:
    column = Column(axis.name, axis.column.kind, axis.column.values, old.astype(np.int32))
    return Crossing(column, [from_labels(axis.name, labels, new)], rows)
