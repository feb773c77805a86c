# SPDX-License-Identifier: Apache-2.0
"""The top of a tree of strict cuts, level by level, where the rows outgrow memory.

A strict cut depends only on how many rows of the node have each rank of a column. So for each level an engine counts
these once, for all open nodes together, and the cuts are made that `partition` would make of the same rows. A node of
few rows, or one that cannot be cut, is left as it is: it is a part of the table, to be cut in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.counting.router import Router
from discreet.engines.protocol import HistogramEngine
from discreet.methods.trees.cut_telling import telling_cut
from discreet.methods.trees.mondrian_value_rule import ValueRule

_MOST_CELLS = 2**25  # of histograms in memory at a time


@dataclass
class TopNode:
    """A node of the top: the cut between ranks `ends` and `begins` of a column, or -1 for a part of the table."""

    rows: int
    times: np.ndarray  # how often each column was cut above it
    column: int = -1
    ends: int = -1
    begins: int = -1
    children: tuple[TopNode, TopNode] | None = None
    is_leaf: bool = False  # whether it is known that it cannot be cut

    def __iter__(self) -> Iterator[TopNode]:
        """This node and those below it, as `partition` meets them: the left side first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.children is not None:
                waiting += reversed(node.children)

    @property
    def parts(self) -> list[TopNode]:
        return [node for node in self if node.children is None]


@dataclass(frozen=True)
class CutRule:
    """Which cuts are made: both sides have `least` rows; see `partition`."""

    least: int
    position: np.ndarray = field(repr=False)
    by_information: bool = False
    in_turn: bool = False
    values: ValueRule | None = None  # what is asked of values, too


def top_of(
    engine: HistogramEngine,
    columns: Sequence[str],
    rank_of_code: Sequence[np.ndarray],
    rule: CutRule,
    *,
    most: int,
    target: str | None = None,
    counted: Sequence[np.ndarray] | None = None,
) -> TopNode:
    """Cut all rows of an engine until no node has more than `most` rows and can be cut.

    `counted` are all rows by code and class, one array a column, where they are known.
    """
    root = TopNode(len(engine), np.zeros(len(columns), dtype=np.int32))
    cells = sum(int(of.max(initial=0)) + 1 for of in rank_of_code)
    values = () if rule.values is None else rule.values.names
    at_once = max(1, _MOST_CELLS // (cells * max((engine.values(name).levels + 1 for name in values), default=1)))
    if counted is not None and root.rows > most and not values:
        _cut(root, [_by_rank(*one, rule) for one in zip(counted, rank_of_code, strict=True)], rule)
    while True:
        parts = root.parts
        opened = [place for place, node in enumerate(parts) if node.rows > most and not node.is_leaf]
        if not opened:
            return root
        router = router_of(root, rank_of_code)
        for start in range(0, len(opened), at_once):
            some = opened[start : start + at_once]
            by = target if rule.by_information else None
            by_rank = engine.histograms(router, columns, opened=some, by=by)
            beside = {name: engine.histograms(router, columns, opened=some, by=name).of for name in values}
            for place, part in enumerate(some):
                by_value = [{name: of[c][place] for name, of in beside.items()} for c in range(len(columns))]
                _cut(parts[part], [counts[place] for counts in by_rank.of], rule, by_value)


def router_of(root: TopNode, rank_of_code: Sequence[np.ndarray]) -> Router:
    """Leads rows to the parts, numbered in their order."""
    lines, n_parts = [[-1, 0, 0]], 0
    place_of = {id(root): 0}
    for node in root:
        place = place_of[id(node)]
        if node.children is None:
            lines[place] = [-1, 0, n_parts]
            n_parts += 1
            continue
        lines[place] = [node.column, node.begins, len(lines)]
        for child in node.children:
            place_of[id(child)] = len(lines)
            lines.append([-1, 0, 0])
    return Router(rank_of_code, np.array(lines, dtype=np.int32))


def _by_rank(counts: np.ndarray, rank_of_code: np.ndarray, rule: CutRule) -> np.ndarray:
    """Rows by rank and class, or by rank alone, from rows by code and class."""
    counts = counts if rule.by_information else counts.sum(axis=1, keepdims=True)
    by_rank = np.zeros((int(rank_of_code.max(initial=0)) + 1, counts.shape[1]), dtype=np.int64)
    np.add.at(by_rank, rank_of_code, counts[: len(rank_of_code)])
    return by_rank


def _cut(
    node: TopNode, counts: list[np.ndarray], rule: CutRule, by_value: Sequence[dict[str, np.ndarray]] | None = None
) -> None:
    """Cut a node by its rows of each rank and class, one array a column, and by its rows of each rank and value."""
    by_value = [{} for _ in counts] if by_value is None else by_value
    found = _best_cut([_Line.of(*one) for one in zip(counts, by_value, strict=True)], node.times, rule)
    if found is None:
        node.is_leaf = True
        return
    node.column, node.ends, node.begins, on_left = found
    times = node.times.copy()
    times[node.column] += 1
    node.children = TopNode(on_left, times), TopNode(node.rows - on_left, times)


@dataclass(frozen=True)
class _Line:
    """The ranks that occur in a node, and their rows by class, and by the values of columns."""

    ranks: np.ndarray
    counts: np.ndarray
    by_value: dict[str, np.ndarray]

    @classmethod
    def of(cls, counts: np.ndarray, by_value: dict[str, np.ndarray]) -> _Line:
        ranks = np.flatnonzero(counts.any(axis=1))
        return cls(ranks, counts[ranks], {name: one[ranks] for name, one in by_value.items()})

    def fits(self, rule: CutRule) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows before and from each rank on, and whether both are enough."""
        before = np.append(0, np.cumsum(self.counts.sum(axis=1)))
        after = before[-1] - before
        fits = (before >= rule.least) & (after >= rule.least)
        return before, after, fits if rule.values is None else rule.values.narrow(fits, self.by_value)


def _best_cut(lines: list[_Line], times: np.ndarray, rule: CutRule) -> tuple[int, int, int, int] | None:
    """Column, ranks around the cut, rows left of it: as `_best_cut` of cut_partition.py, on counts."""
    if rule.by_information:
        best_column, best_place, best_gain = -1, 0, 1e-9
        for c, line in enumerate(lines):
            if len(line.ranks) > 1:
                place, gain = _telling(line, rule)
                if place > 0 and gain > best_gain:
                    best_column, best_place, best_gain = c, place, gain + 1e-9
        if best_column >= 0:
            return _found(lines[best_column], best_column, best_place)
    is_open = [len(line.ranks) > 1 for line in lines]
    while any(is_open):
        c = _widest(lines, is_open, times, rule)
        is_open[c] = False
        before, after, fits = lines[c].fits(rule)
        places = np.flatnonzero(fits[1:-1]) + 1
        if len(places):
            return _found(lines[c], c, int(places[np.argmin(np.abs(before - after)[places])]))
    return None


def _found(line: _Line, c: int, place: int) -> tuple[int, int, int, int]:
    return c, int(line.ranks[place - 1]), int(line.ranks[place]), int(line.counts[:place].sum())


def _widest(lines: list[_Line], is_open: list[bool], times: np.ndarray, rule: CutRule) -> int:
    """The open column of widest normalised range, or cut least often; the first of equals."""
    widest, width = -1, 0.0
    for c, line in enumerate(lines):
        if is_open[c]:
            span = rule.position[line.ranks[-1], c] - rule.position[line.ranks[0], c]
            span = -1.0 * times[c] if rule.in_turn else span
            if widest < 0 or span > width:
                widest, width = c, span
    return widest


def _telling(line: _Line, rule: CutRule) -> tuple[int, float]:
    """The place of the cut that tells most about the class, and its gain."""
    n, n_classes = line.counts.shape
    in_all, on_left = np.empty((2, n_classes), dtype=np.int64)
    fits = line.fits(rule)[2].astype(np.int64)
    ranks = line.ranks.astype(np.int32)[:, None]
    return telling_cut(np.arange(n), 0, n, ranks, 0, line.counts, fits, in_all, on_left)
