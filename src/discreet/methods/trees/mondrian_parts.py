# SPDX-License-Identifier: Apache-2.0
"""Mondrian where the distinct rows outgrow memory: top cuts by counts, the parts below them in memory, one tree.

Rows are scattered by the parts of the top (mondrian_levels.py) to files of codes. Each part is cut as a table in memory
is, by its own ranks at the positions of the whole table, and its tree takes the place of the part. A strict cut depends
only on the rows of its node, so the tree is the one of all rows at once, node by node.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from discreet.counting.coding import smallest
from discreet.counting.router import Router
from discreet.counting.tally import group_sizes, pair_counts
from discreet.engines.code_file import CodeFile
from discreet.engines.protocol import HistogramEngine
from discreet.errors import DataError, listing
from discreet.foundation.atomic_files import ScratchFolder, scratch_folder
from discreet.foundation.system import give_back_memory
from discreet.methods.trees.cut_partition import CutTree, Need, partition
from discreet.methods.trees.mondrian_crossed import CrossedCodes, repeats
from discreet.methods.trees.mondrian_levels import CutRule, TopNode, router_of, top_of
from discreet.recoding.axis import Axis
from discreet.recoding.leaf_labels import LeafBox, LeafLabels, cuts_between
from discreet.recoding.plan import Recode

_MOST_JUDGED = 2**40  # combinations of judged columns
_SCATTERED = 2**20  # rows that are scattered at once
_ONE_LEAF, _NUMBER_0 = np.array([-1], dtype=np.int32), np.array([0], dtype=np.int32)
_Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class PartedTable:
    """The tree of a table that was cut in parts.

    lookup   leads coded rows to their leaf
    plan     for new rows; its codes are the labels of the leaves
    crossed  of each column, the pairs of code and label that occur, and the rows of each
    judged   the leaf, the codes of the judged columns, and the rows of each combination that occurs
    sizes    how many distinct rows are so many rows
    found    the leaf of every row, and its codes of the columns that were to be kept beside it
    """

    lookup: LeafLookup
    plan: Recode
    crossed: list[_Pairs]
    judged: tuple[np.ndarray, list[np.ndarray], np.ndarray]
    sizes: np.ndarray
    found: FoundRows | None = None


@dataclass(frozen=True, eq=False, repr=False)
class LeafLookup:
    """Finds the leaf of coded rows, by a router that is made when it is first needed."""

    rank_of_code: Sequence[np.ndarray]
    column: np.ndarray
    begins: np.ndarray
    left: np.ndarray

    @property
    def arrays(self) -> list[np.ndarray]:
        return [self.column, self.begins, self.left, *self.rank_of_code]

    @cached_property
    def _router(self) -> Router:
        return Router(self.rank_of_code, np.column_stack([self.column, self.begins, self.left]))

    def find(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        return self._router.find(codes)


class FoundRows:
    """Rows with their leaf and the codes of some columns, in a scratch folder that lives as long as this object."""

    def __init__(self, columns: Sequence[str], parent: Path | None):
        self.columns, self._scratch = tuple(columns), ScratchFolder(parent)
        self._file = CodeFile(self._scratch.folder / "found")

    def append(self, leaf: np.ndarray, codes: Sequence[np.ndarray]) -> None:
        self._file.append([leaf, *codes])

    def batches(self) -> Iterator[list[np.ndarray]]:
        """The leaf of each row, then its codes, a batch at a time; the file is removed when all were read."""
        yield from self._file.batches()
        self._file.remove()


def cut_in_parts(
    engine: HistogramEngine,
    axes: Sequence[Axis],
    rule: CutRule,
    *,
    most: int,
    counted: Sequence[np.ndarray] | None = None,
    judged: Sequence[str] = (),
    kept: Sequence[str] | None = None,
) -> PartedTable:
    """Cut all rows of an engine, with parts of at most `most` rows in memory, unless one of more cannot be cut.

    `counted` are the rows of each code and class, one array a column, where they are known.
    `judged` are further columns that are counted in each leaf; for cuts by information, the first has the classes.
    Of `kept` columns the codes are written beside the leaf of each row; None for no such rows.
    """
    columns, rank_of_code = [axis.name for axis in axes], [_ranks_of(axis) for axis in axes]
    levels = [engine.values(name).levels + 1 for name in judged]
    if math.prod(levels) > _MOST_JUDGED:
        raise DataError(
            f"The columns {listing(judged)} have too many different values together to be counted in parts."
        )
    every = list(dict.fromkeys([*columns, *judged, *(kept or ())]))
    target = judged[0] if judged else None
    top = top_of(engine, columns, rank_of_code, rule, most=most, target=target, counted=counted)
    router = router_of(top, rank_of_code)
    asked = _Asked(axes, rule, router, levels, judged)
    labels, tree, counts = LeafLabels(axes), _Tree(), _Counts(len(axes))
    scratch = getattr(engine, "scratch", None)
    found = None if kept is None else FoundRows(kept, scratch)
    with scratch_folder(scratch) as folder:
        files = _scattered(engine, every, router, len(top.parts), folder)
        for node, box in _boxed(top, axes):
            if node.children is not None:
                tree.cut(node, _cut_of(node, axes))
                continue
            file = next(files)
            rows = file.whole()
            file.remove()
            part = _leaf(rows, asked, labels, box) if node.is_leaf else _cut_part(rows, asked, labels, box, node.times)
            first = tree.add(part)
            counts.add(rows, part, first)
            if found is not None:
                found.append(part.leaf_of + np.int32(first), [rows[every.index(name)] for name in found.columns])
            del rows, part
        give_back_memory(len(engine))
    texts, meanings = labels.written()
    column, begins, left, cut, codes = tree.whole()
    plan = Recode(tuple(axis.scale for axis in axes), column, cut, left, codes, texts, meanings)
    return PartedTable(LeafLookup(rank_of_code, column, begins, left), plan, *counts.whole(levels), found)


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is the same for all parts: axes, rule, the router of the top, the judged columns and their levels."""

    axes: Sequence[Axis]
    rule: CutRule
    router: Router
    levels: Sequence[int]
    judged: Sequence[str]

    @cached_property
    def one_to_one(self) -> bool:
        """Whether rows of equal ranks are equal."""
        return all(len(np.unique(of)) == len(of) for of in self.router.rank_of_code)


def _ranks_of(axis: Axis) -> np.ndarray:
    """The rank of each code that occurs."""
    return axis.rank_of_code[: axis.column.levels].astype(np.int32)


def _scattered(
    engine: HistogramEngine, columns: Sequence[str], router: Router, n_parts: int, folder: Path
) -> Iterator[CodeFile]:
    """The rows of each part, as codes."""
    files = [CodeFile(folder / f"part-{place}") for place in range(n_parts)]
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
            halves = box.halves(node.column, _cut_of(node, axes))
            waiting += reversed(list(zip(node.children, halves, strict=True)))


def _cut_of(node: TopNode, axes: Sequence[Axis]) -> float:
    return axes[node.column].cut(node.ends, node.begins)


@dataclass(frozen=True, eq=False)
class _Part:
    """The tree of a part, its cuts, the labels of its leaves, and what is counted of it."""

    nodes: np.ndarray
    cut: np.ndarray
    codes: np.ndarray
    judged: _Pairs  # leaf, number of the combination of judged codes, rows
    sizes: np.ndarray
    leaf_of: np.ndarray


def _cut_part(codes: list[np.ndarray], asked: _Asked, labels: LeafLabels, box: LeafBox, times: np.ndarray) -> _Part:
    """Cut the rows of a part; `times` says how often each column was cut above it."""
    rule, n_columns, n = asked.rule, len(asked.axes), len(codes[0])
    ranks = asked.router.ranks_of_rows(codes[:n_columns])
    judged = dict(zip(asked.judged, codes[n_columns:], strict=False))  # the columns that are kept follow
    needs, sides = ([], None) if rule.values is None else rule.values.needs(judged)
    counts = np.empty((n, 0), dtype=np.int64)  # each row is one
    if rule.by_information or rule.values is not None:
        counts = _by_class(codes[n_columns] if rule.by_information else np.zeros(n, dtype=np.int64), n)
    cuts = partition(
        ranks,
        counts,
        [Need(rule.least), *needs],
        rule.position,
        by_information=rule.by_information,
        in_turn=rule.in_turn,
        cut_before=times,
        sides=sides,
    )
    cut = cuts_between(asked.axes, cuts.column, cuts.ends, cuts.begins)
    rank_of = asked.router.rank_of_code
    written = labels.add(lambda c: rank_of[c][codes[c]], cuts.leaf_of, cuts.column, cut, cut, cuts.left, box)
    if counts.shape[1] or not asked.one_to_one:
        sizes = np.bincount(group_sizes(codes[:n_columns], n))
    else:
        sizes = repeats(ranks, cuts.leaf_of, len(written))
    return _Part(_nodes(cuts), cut, written, _judged(codes, asked, cuts.leaf_of), sizes, cuts.leaf_of)


def _leaf(codes: list[np.ndarray], asked: _Asked, labels: LeafLabels, box: LeafBox) -> _Part:
    """As `_cut_part`, of a part that cannot be cut and may be large: of its labels, what occurs in it counts once."""
    n_columns, rank_of = len(asked.axes), asked.router.rank_of_code
    occurring = [np.unique(column) for column in codes[:n_columns]]
    longest = max(map(len, occurring))
    no_cut, leaf_of = np.array([np.nan]), np.zeros(len(codes[0]), dtype=np.int32)
    written = labels.add(
        lambda c: rank_of[c][np.resize(occurring[c], longest)],
        leaf_of[:longest],
        _ONE_LEAF,
        no_cut,
        no_cut,
        _NUMBER_0,
        box,
    )
    nodes = np.array([[-1, 0, 0]], dtype=np.int32)
    sizes = np.bincount(group_sizes(codes[:n_columns], len(leaf_of)))
    return _Part(nodes, no_cut, written, _judged(codes, asked, leaf_of), sizes, leaf_of)


def _judged(codes: list[np.ndarray], asked: _Asked, leaf_of: np.ndarray) -> _Pairs:
    """The combinations of judged codes in each leaf, as numbers."""
    n_columns = len(asked.axes)
    combined = np.zeros(len(leaf_of), dtype=np.int64)
    for column, levels in zip(codes[n_columns : n_columns + len(asked.levels)], asked.levels, strict=True):
        combined = combined * levels + column
    return pair_counts(leaf_of, combined)


def _by_class(labels: np.ndarray, n: int) -> np.ndarray:
    """Every row as one of its class."""
    counts = np.zeros((n, int(labels.max(initial=0)) + 1), dtype=np.int64)
    counts[np.arange(n), labels] = 1
    return counts


def _nodes(cuts: CutTree) -> np.ndarray:
    return np.column_stack([cuts.column, np.maximum(cuts.begins, 0), cuts.left]).astype(np.int32)


class _Tree:
    """The tree as it grows, in the order in which `partition` numbers nodes and leaves."""

    def __init__(self) -> None:
        self._nodes = [np.full((1, 3), -1, dtype=np.int32)]
        self._cuts = [np.full(1, np.nan)]
        self._codes: list[np.ndarray] = []
        self._n_nodes, self._n_leaves = 1, 0
        self._waiting = [0]  # places of nodes that come next, the next one last
        self._filled: dict[int, tuple[np.ndarray, float]] = {}  # the lines of nodes of the top and of roots of parts

    def cut(self, node: TopNode, cut: float) -> None:
        place = self._waiting.pop()
        self._filled[place] = np.array([node.column, node.begins, self._n_nodes], dtype=np.int32), cut
        self._waiting += [self._n_nodes + 1, self._n_nodes]
        self._append(np.full((2, 3), -1, dtype=np.int32), np.full(2, np.nan))

    def add(self, part: _Part) -> int:
        """Put the tree of a part in its place; the number of its first leaf."""
        place, nodes, first = self._waiting.pop(), part.nodes, self._n_leaves
        is_leaf = nodes[:, 0] < 0
        nodes[is_leaf, 2] += first
        nodes[~is_leaf, 2] += self._n_nodes - 1
        self._filled[place] = nodes[0], float(part.cut[0])
        self._append(nodes[1:], part.cut[1:])
        self._n_leaves += len(part.codes)
        self._codes.append(part.codes)
        return first

    def _append(self, nodes: np.ndarray, cut: np.ndarray) -> None:
        self._nodes.append(nodes)
        self._cuts.append(cut)
        self._n_nodes += len(nodes)

    def whole(self) -> tuple[np.ndarray, ...]:
        """Column, first rank on the right, left child and cut of all nodes, and the labels of all leaves."""
        cuts, self._cuts = np.concatenate(self._cuts), []
        places = np.array([*self._filled], dtype=np.int64)
        cuts[places] = [cut for _, cut in self._filled.values()]
        lines = [np.concatenate([nodes[:, place] for nodes in self._nodes]) for place in range(3)]
        self._nodes = []
        for place, line in enumerate(lines):
            line[places] = [node[place] for node, _ in self._filled.values()]
        narrow = smallest(max(int(codes.max()) for codes in self._codes) + 1)
        codes, self._codes = np.concatenate(self._codes, dtype=narrow, casting="unsafe"), []
        return *lines, cuts, codes


class _Counts:
    """What is counted of all parts together."""

    def __init__(self, n_columns: int):
        self._crossed = [CrossedCodes() for _ in range(n_columns)]
        self._judged: list[_Pairs] = []
        self._sizes = np.zeros(1, dtype=np.int64)

    def add(self, codes: Sequence[np.ndarray], part: _Part, first_leaf: int) -> None:
        for c, crossed in enumerate(self._crossed):
            crossed.add(codes[c], part.codes[:, c], part.leaf_of)
        leaf, combined, rows = part.judged
        narrow = combined.astype(smallest(int(combined.max(initial=0)) + 1))
        self._judged.append(((leaf + first_leaf).astype(np.int32), narrow, rows.astype(np.int32)))
        longer = np.zeros(max(len(self._sizes), len(part.sizes)), dtype=np.int64)
        longer[: len(self._sizes)] += self._sizes
        longer[: len(part.sizes)] += part.sizes
        self._sizes = longer

    def whole(
        self, levels: Sequence[int]
    ) -> tuple[list[_Pairs], tuple[np.ndarray, list[np.ndarray], np.ndarray], np.ndarray]:
        leaf, combined, rows = (np.concatenate(column) for column in zip(*self._judged, strict=True))
        judged: list[np.ndarray] = []
        for n in reversed(levels):
            combined, code = np.divmod(combined, n)
            judged.insert(0, code.astype(np.int32))
        return [one.whole() for one in self._crossed], (leaf, judged, rows.astype(np.int64)), self._sizes
