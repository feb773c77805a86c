# SPDX-License-Identifier: Apache-2.0
"""Mondrian where the distinct rows outgrow memory: top cuts by counts, the parts below them in memory, one tree.

Rows are scattered by the parts of the top (mondrian_levels.py) to files of codes. Each part is cut as a table in memory
is, by its own ranks at the positions of the whole table, and its tree takes the place of the part. A strict cut depends
only on the rows of its node, so the tree is the one of all rows at once, node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.router import Router
from discreet.counting.tally import pair_counts
from discreet.data.column import Column, from_labels
from discreet.data.roles import Roles
from discreet.engines.code_file import CodeFile
from discreet.engines.protocol import HistogramEngine
from discreet.errors import DataError
from discreet.foundation.atomic_files import scratch_folder
from discreet.methods.engine_release import EngineDecision
from discreet.methods.grouping import Decision, Grouping
from discreet.methods.published_rows import refuse_marks
from discreet.methods.trees.mondrian_least import stacked
from discreet.methods.trees.mondrian_levels import CutRule, TopNode, router_of, top_of
from discreet.methods.trees.mondrian_partition import CutTree, Need, partition
from discreet.recoding.axis import Axis
from discreet.recoding.leaf_labels import LeafBox, LeafLabels, cuts_between
from discreet.recoding.plan import Recode
from discreet.release.losses import Crossing, penalty_of

_FEW = 2**21  # rows that fit in memory whatever they are
_MOST_DISTINCT = 2**26  # distinct rows that are counted at once, if they are much fewer than the rows
_MOST_ROWS = 2**20  # of a part in memory
_SCATTERED = 2**20  # rows that are scattered at once
_Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class PartedTable:
    """The tree of a table that was cut in parts.

    router   leads coded rows to their leaf
    plan     for new rows; its codes are the labels of the leaves
    crossed  of each column, the pairs of code and label that occur, and the rows of each
    """

    router: Router
    plan: Recode
    crossed: list[_Pairs]


# -- decision ------------------------------------------------------------------------------------------------------


def outgrow_memory(engine: HistogramEngine, columns: Sequence[str]) -> bool:
    """Whether the distinct rows are too many to be kept, or nearly as many as the rows, by an estimate."""
    if len(engine) <= _FEW:
        return False
    likely = engine.likely_distinct(columns)
    return likely > min(len(engine) // 2, _MOST_DISTINCT)


def too_many_rows(engine: HistogramEngine, why: str) -> DataError:
    return DataError(
        f"The quasi-identifiers have too many distinct rows for memory, and {why}, which needs them all. Round or leave"
        " out the columns with most values, name `least` for cuts by information, ask for k alone, or release a sample."
    )


def decided_in_parts(
    engine: HistogramEngine,
    roles: Roles,
    make_axis: Callable[[CodedRows, str], Axis],
    *,
    least: int,
    by_information: bool,
    in_turn: bool,
    most: int = _MOST_ROWS,
) -> EngineDecision:
    """What Mondrian publishes of an engine's rows, of which parts of `most` rows are in memory."""
    axes = [make_axis(rows, name) for name, rows in _by_column(engine, roles).items()]
    refuse_marks(_Columns({axis.name: axis.column for axis in axes}), roles)
    rule = CutRule(least, stacked([axis.position for axis in axes]), by_information, in_turn)
    parted = cut_in_parts(engine, axes, rule, most=most, target=roles.target)
    plan, labellings = parted.plan, parted.plan.labellings
    grouping = Grouping(np.empty(0, dtype=np.int64), labellings, plan.codes, plan)
    crossed = [
        _crossing(axis, *one, parted.plan.labels[c])
        for c, (axis, one) in enumerate(zip(axes, parted.crossed, strict=True))
    ]
    trace: list[dict[str, Any]] = [{"groups": len(plan.codes), "persons in a group at least": least}]
    trace += [{"column": axis.name, "cuts": int((plan.column == c).sum())} for c, axis in enumerate(axes)]
    penalties = [
        penalty_of(labellings, _Columns({name: one.old}), {name: one.new}, [name], 0, one.weights)
        for name, one in zip(roles.quasi, crossed, strict=True)
    ]
    return EngineDecision(
        parted.router,
        grouping.columns(np.arange(len(plan.codes))),
        Decision(plan, trace),
        crossed,
        None if None in penalties else float(np.mean(penalties)),
        len(engine),
    )


@dataclass(frozen=True)
class _Columns:
    """Columns by name, which need not have the same rows."""

    columns: dict[str, Column]

    def column(self, name: str) -> Column:
        return self.columns[name]


def _by_column(engine: HistogramEngine, roles: Roles) -> dict[str, CodedRows]:
    """The rows counted by each column alone, and by the classes."""
    codings = [engine.coding(name, listed=True) for name in roles.quasi]
    router = Router([np.arange(len(coding.values) + 1) for coding in codings], np.array([[-1, 0, 0]], dtype=np.int32))
    counted = engine.histograms(router, roles.quasi, opened=[0], by=roles.target)
    target = None if roles.target is None else engine.values(roles.target)
    return {
        coding.name: CodedRows.of_column(coding.column(), counts[0], target, engine)
        for coding, counts in zip(codings, counted.of, strict=True)
    }


def _crossing(axis: Axis, old: np.ndarray, new: np.ndarray, rows: np.ndarray, labels: Sequence[str | None]) -> Crossing:
    column = Column(axis.name, axis.column.kind, axis.column.values, old.astype(np.int32))
    return Crossing(column, [from_labels(axis.name, labels, new)], rows)


# -- the tree ------------------------------------------------------------------------------------------------------


def cut_in_parts(
    engine: HistogramEngine, axes: Sequence[Axis], rule: CutRule, *, most: int, target: str | None = None
) -> PartedTable:
    """Cut all rows of an engine, with parts of at most `most` rows in memory, unless one of more cannot be cut."""
    columns, rank_of_code = [axis.name for axis in axes], [_ranks_of(axis) for axis in axes]
    top = top_of(engine, columns, rank_of_code, rule, most=most, target=target)
    by = target if rule.by_information else None
    tree, labels = _Tree(axes), LeafLabels(axes)
    with scratch_folder() as folder:
        files = _scattered(engine, columns if by is None else [*columns, by], router_of(top, rank_of_code), top, folder)
        for node, box in _boxed(top, axes):
            if node.children is not None:
                tree.cut(node, cuts_between(axes, *_line(node))[0])
                continue
            file = next(files)
            tree.add(*_cut_part(file, node, rank_of_code, axes, rule, labels, box))
            file.remove()
    texts, meanings = labels.written()
    nodes, cut, codes, crossed = tree.whole()
    plan = Recode(tuple(axis.scale for axis in axes), nodes[:, 0], cut, nodes[:, 2], codes, texts, meanings)
    return PartedTable(Router(rank_of_code, nodes), plan, crossed)


def _ranks_of(axis: Axis) -> np.ndarray:
    """The rank of each code that occurs."""
    return axis.rank_of_code[: axis.column.levels].astype(np.int32)


def _scattered(
    engine: HistogramEngine, columns: Sequence[str], router: Router, top: TopNode, folder: Path
) -> Iterator[CodeFile]:
    """The rows of each part, as codes."""
    files = [CodeFile(folder / f"part-{place}") for place in range(len(top.parts))]
    waiting: list[list[np.ndarray]] = []
    for codes in engine.coded(columns):
        waiting.append(codes)
        if sum(len(batch[0]) for batch in waiting) >= _SCATTERED:
            _scatter(waiting, router, files)
            waiting = []
    _scatter(waiting, router, files)
    return iter(files)


def _scatter(batches: list[list[np.ndarray]], router: Router, files: list[CodeFile]) -> None:
    if not batches:
        return
    codes = [np.concatenate(column) for column in zip(*batches, strict=True)]
    part = router.find(codes[: len(router.rank_of_code)])
    order = np.argsort(part.astype(np.uint16) if len(files) < 2**16 else part, kind="stable")  # a radix sort
    ends = np.cumsum(np.bincount(part, minlength=len(files)))
    codes = [column[order] for column in codes]
    for file, start, end in zip(files, np.append(0, ends), ends, strict=False):
        if end > start:
            file.append([column[start:end] for column in codes])


def _boxed(top: TopNode, axes: Sequence[Axis]) -> Iterator[tuple[TopNode, LeafBox]]:
    """The nodes of the top as `partition` meets them, each with what the cuts above it leave."""
    waiting = [(top, LeafBox.whole(axes))]
    while waiting:
        node, box = waiting.pop()
        yield node, box
        if node.children is not None:
            halves = box.halves(node.column, float(cuts_between(axes, *_line(node))[0]))
            waiting += reversed(list(zip(node.children, halves, strict=True)))


def _line(node: TopNode) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.array([node.column]), np.array([node.ends]), np.array([node.begins])


def _cut_part(
    file: CodeFile,
    node: TopNode,
    rank_of_code: Sequence[np.ndarray],
    axes: Sequence[Axis],
    rule: CutRule,
    labels: LeafLabels,
    box: LeafBox,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[_Pairs]]:
    """The tree of a part, its cuts, the labels of its leaves, and the pairs of code and label."""
    if node.is_leaf:
        return _leaf(file, rank_of_code, labels, box)
    codes = file.whole()
    router = Router(rank_of_code, np.empty((0, 3), dtype=np.int32))
    ranks = router.ranks(codes[: len(axes)])
    cuts = partition(
        ranks,
        _by_class(codes[len(axes) :], len(ranks)),
        [Need(rule.least)],
        rule.position,
        by_information=rule.by_information,
        in_turn=rule.in_turn,
        cut_before=node.times,
    )
    cut = cuts_between(axes, cuts.column, cuts.ends, cuts.begins)
    written = labels.add(ranks, cuts.leaf_of, cuts.column, cut, cut, cuts.left, box)
    crossed = [pair_counts(codes[c], written[cuts.leaf_of, c]) for c in range(len(axes))]
    return _nodes(cuts), cut, written, crossed


def _leaf(
    file: CodeFile, rank_of_code: Sequence[np.ndarray], labels: LeafLabels, box: LeafBox
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[_Pairs]]:
    """As `_cut_part`, of a part that cannot be cut and may be larger than memory: what occurs in it, once each."""
    n_columns = len(rank_of_code)
    counts = [np.zeros(len(of), dtype=np.int64) for of in rank_of_code]
    for batch in file.batches():
        for c in range(n_columns):
            counts[c] += np.bincount(batch[c], minlength=len(counts[c]))
    occurring = [np.flatnonzero(one) for one in counts]
    longest = max(map(len, occurring))
    ranks = np.column_stack([np.resize(of[found], longest) for of, found in zip(rank_of_code, occurring, strict=True)])
    one, no_cut = np.array([-1]), np.array([np.nan])
    leaf_of = np.zeros(longest, dtype=np.int64)
    written = labels.add(ranks, leaf_of, one, no_cut, no_cut, np.array([0]), box)
    crossed = [
        (found, np.full(len(found), written[0, c], dtype=np.int64), counts[c][found])
        for c, found in enumerate(occurring)
    ]
    return np.array([[-1, 0, 0]], dtype=np.int32), no_cut, written, crossed


def _by_class(labels: Sequence[np.ndarray], n: int) -> np.ndarray:
    """Every row as one of its class."""
    if not labels:
        return np.ones((n, 1), dtype=np.int64)
    counts = np.zeros((n, int(labels[0].max(initial=0)) + 1), dtype=np.int64)
    counts[np.arange(n), labels[0]] = 1
    return counts


def _nodes(cuts: CutTree) -> np.ndarray:
    return np.column_stack([cuts.column, np.maximum(cuts.begins, 0), cuts.left]).astype(np.int32)


class _Tree:
    """The tree as it grows, in the order in which `partition` numbers nodes and leaves."""

    def __init__(self, axes: Sequence[Axis]):
        self._pieces: list[np.ndarray] = []  # nodes of parts without their roots, and pairs of children of the top
        self._cuts: list[np.ndarray] = []
        self._codes: list[np.ndarray] = []
        self._crossed: list[list[_Pairs]] = [[] for _ in axes]
        self._n_nodes, self._n_leaves = 1, 0
        self._waiting = [0]  # places of nodes that come next, the next one last
        self._filled: dict[int, tuple[np.ndarray, float]] = {}  # lines of nodes of the top and of roots of parts

    def cut(self, node: TopNode, cut: float) -> None:
        place = self._waiting.pop()
        self._filled[place] = np.array([node.column, node.begins, self._n_nodes], dtype=np.int32), float(cut)
        self._waiting += [self._n_nodes + 1, self._n_nodes]
        self._append(np.full((2, 3), -1, dtype=np.int32), np.full(2, np.nan))

    def add(self, nodes: np.ndarray, cut: np.ndarray, codes: np.ndarray, crossed: list[_Pairs]) -> None:
        place = self._waiting.pop()
        is_leaf = nodes[:, 0] < 0
        nodes[is_leaf, 2] += self._n_leaves
        nodes[~is_leaf, 2] += self._n_nodes - 1
        self._filled[place] = nodes[0], float(cut[0])
        self._append(nodes[1:], cut[1:])
        self._n_leaves += len(codes)
        self._codes.append(codes)
        for pairs, more in zip(self._crossed, crossed, strict=True):
            pairs.append(more)

    def _append(self, nodes: np.ndarray, cut: np.ndarray) -> None:
        self._pieces.append(nodes)
        self._cuts.append(cut)
        self._n_nodes += len(nodes)

    def whole(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[_Pairs]]:
        """All nodes, their cuts, the labels of all leaves, and the pairs of code and label with their rows."""
        nodes = np.concatenate([np.full((1, 3), -1, dtype=np.int32), *self._pieces])
        cuts = np.concatenate([[np.nan], *self._cuts])
        for place, (line, cut) in self._filled.items():
            nodes[place], cuts[place] = line, cut
        self._pieces, self._cuts = [], []
        return nodes, cuts, np.concatenate(self._codes), [_summed(pairs) for pairs in self._crossed]


def _summed(pairs: list[_Pairs]) -> _Pairs:
    old, new, rows = (np.concatenate(column) for column in zip(*pairs, strict=True))
    return pair_counts(old, new, rows)
