# SPDX-License-Identifier: Apache-2.0
"""The walk of kACTUS over a decision tree: which rows are published at which node, so that each node has enough.

Paper: Kisilevich, Elovici, Shapira, Rokach, "kACTUS 2: Privacy Preserving in Classification Tasks Using k-Anonymity",
Algorithms 1 to 4, repaired (see kactus2.py). A row that is published at a node shows the cells of the node's path and
nothing else. Children come before their parents; families do not touch each other, so any such order gives the same.

The walk sees how many rows of each class a node holds. Which of them leave is decided afterwards, by a given order.

Why single rows are chosen without computing an entropy: with n rows, n_c of class c, n times the entropy is
n log n - sum f(n_c), f(x) = x log x. f(x) - f(x - 1) grows with x, so taking a row from the smallest class leaves the
least entropy, and so does giving one to the largest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from discreet.counting.entropy import entropy
from discreet.methods.trees.kactus_needs import StockNeed
from discreet.methods.trees.kactus_rows import PersonStock, Stock

_EQUAL = 1e-12  # bits: two entropies nearer than this are the same, the rest is rounding


@dataclass(frozen=True)
class WalkRule:
    """What is asked: k persons and l sensitive values at every node that is published; swaps up to a share of k.

    needs     what else is asked of the values of columns; their places are those of the stocks' values
    keep_all  whether no row may be left out
    """

    k: int
    l: float = 0  # noqa: E741
    swap: float = 0.0
    pool: bool = False
    needs: Sequence[tuple[int, StockNeed]] = ()
    keep_all: bool = False

    def holds(self, stock: Stock) -> bool:
        if stock.persons < self.k or stock.values < self.l:
            return False
        return not self.needs or all(need.met(stock.seen[place], stock.persons) for place, need in self.needs)  # type: ignore[attr-defined]

    def lacking(self, stock: Stock) -> int:
        return max(self.k - stock.persons, 0)

    @cached_property
    def most_swapped(self) -> int:
        """The largest q with q / k <= swap."""
        return next(q for q in range(self.k, -1, -1) if q / self.k <= self.swap)


@dataclass
class Batch:
    """Rows published together at a node: all that the batch's own holders have left, and what others gave."""

    node: int
    stock: Stock
    swapped: int = 0


@dataclass
class Moves:
    """What becomes of the rows. A node without an entry in `batch_of` left its rows to its parent; -1: left out.

    `given` are the rows that nodes gave away before they were published: (node, batch, rows of each class), in order.
    """

    batches: list[Batch] = field(default_factory=list)
    batch_of: dict[int, int] = field(default_factory=dict)
    given: list[tuple[int, int, list[int]]] = field(default_factory=list)

    def publish(self, node: int, stock: Stock, at: int, swapped: int = 0) -> int:
        self.batches.append(Batch(at, stock, swapped))
        self.batch_of[node] = len(self.batches) - 1
        return len(self.batches) - 1


def decide(children: Sequence[Sequence[int]], stocks: list[Stock], rule: WalkRule) -> Moves | None:
    """Walk over the tree whose node i has `children[i]`, all of them larger than i; node 0 shows nothing.

    `stocks[i]` are the rows that end at node i; they are used up. None when not even all rows together are enough.
    """
    moves = Moves()
    for parent in range(len(children) - 1, 0, -1):  # lines 1.12 and 1.13: the longest path first
        if children[parent]:
            _settle(parent, children[parent], stocks, rule, moves)  # line 1.15
    for child in children[0]:
        if rule.holds(stocks[child]):  # line 1.17
            moves.publish(child, stocks[child], child)  # lines 1.18 and 1.19
        else:
            stocks[0].add(stocks[child])  # line 1.21
    if rule.needs:
        return _settle_together(stocks[0], rule, moves)
    return _settle_pool(stocks[0], rule, moves)


def _settle(parent: int, children: Sequence[int], stocks: list[Stock], rule: WalkRule, moves: Moves) -> None:
    """Algorithm 2: publish what can be published of a parent's leaves; the rest belongs to the parent, now a leaf.

    Leaves that are short are filled up one by one, or pooled; a pool that is enough by itself needs nobody's rows.
    """
    able = [child for child in children if rule.holds(stocks[child])]  # line 2.8
    short = [child for child in children if stocks[child].persons and not rule.holds(stocks[child])]  # line 2.7
    if able and rule.swap > 0:  # line 2.14
        short = [child for child in short if not _swap(child, able, stocks, rule, moves)]
    if able and rule.pool and len(short) > 1:
        for child in short[1:]:
            stocks[short[0]].add(stocks[child])
        families = [] if rule.holds(stocks[short[0]]) else [short]
        short = short[:1]
    else:
        families = [[child] for child in short]
    for giver in able:  # line 2.15; lines 4.2 and 4.3
        families = [family for family in families if not _fill(family, giver, parent, stocks, rule, moves)]
        moves.publish(giver, stocks[giver], giver)  # lines 2.10 and 4.12
    for child in short:
        if child not in moves.batch_of:
            stocks[parent].add(stocks[child])  # lines 2.4 and 2.16


def _swap(child: int, able: Sequence[int], stocks: list[Stock], rule: WalkRule, moves: Moves) -> bool:
    """Algorithm 3: fill a leaf up with rows of the sibling that keeps the least entropy; they pass for its own."""
    receiver, required = stocks[child], rule.lacking(stocks[child])  # line 3.3
    if required > rule.most_swapped:  # lines 3.4 and 3.5
        return False
    best, least = -1, math.inf
    for candidate in able:  # line 3.9
        giver = stocks[candidate]
        if giver.persons - rule.k <= required:  # line 3.10
            continue
        drawn = _draw(giver, receiver, _fitting, rule.most_swapped, rule)
        if drawn is None:
            continue
        bits = float(entropy(giver.counts))  # line 3.11
        _undo(giver, receiver, drawn)
        if bits < least - _EQUAL:  # lines 3.12 and 3.13
            best, least = candidate, bits
    if best < 0:  # line 3.17
        return False
    drawn = _draw(stocks[best], receiver, _fitting, rule.most_swapped, rule)  # line 3.21, before line 3.20
    assert drawn is not None
    batch = moves.publish(child, receiver, child, len(drawn))
    moves.given.append((best, batch, _by_class(drawn, len(receiver.counts))))
    return True


def _fill(short: Sequence[int], giver: int, parent: int, stocks: list[Stock], rule: WalkRule, moves: Moves) -> bool:
    """Lines 4.4 to 4.10: publish leaves, whose rows the first one holds, at their parent, filled up by a sibling."""
    receiver = stocks[short[0]]
    if stocks[giver].persons - rule.k < rule.lacking(receiver):  # lines 4.4 to 4.6
        return False
    drawn = _draw(stocks[giver], receiver, _least_missed, rule.k, rule)  # line 4.10
    if drawn is None:
        return False
    batch = moves.publish(short[0], receiver, parent)  # line 4.9
    moves.batch_of |= dict.fromkeys(short, batch)
    moves.given.append((giver, batch, _by_class(drawn, len(receiver.counts))))
    return True


def _settle_pool(pool: Stock, rule: WalkRule, moves: Moves) -> Moves | None:
    """Line 1.25: rows that no node shows are published with nothing at all if they are enough, else left out.

    Enough persons with too few values are not left out: they share the fate of the smallest batch, which has enough.
    """
    if rule.holds(pool):
        moves.publish(0, pool, 0)
    elif pool.persons < rule.k:
        moves.batch_of[0] = -1
    elif moves.batches:  # values are counted, so the stocks are PersonStock
        smallest = min(moves.batches, key=lambda batch: (batch.stock.persons, batch.stock.first))
        smallest.node, smallest.swapped = 0, 0
        moves.publish(0, pool, 0)
    else:
        return None
    return moves


def _settle_together(pool: Stock, rule: WalkRule, moves: Moves) -> Moves | None:
    """As `_settle_pool`, where rows that are enough may be too little together with others of the same node.

    A node whose batches are not enough together shows nothing. While all rows that show nothing are not enough, those
    of the smallest other node join them.
    """
    if pool.persons >= rule.k or (pool.persons and rule.keep_all):
        moves.publish(0, pool, 0)
    else:
        moves.batch_of[0] = -1
    at_nodes: dict[int, list[Batch]] = {}
    for batch in moves.batches:
        at_nodes.setdefault(batch.node, []).append(batch)
    hidden = at_nodes.pop(0, [])
    for node in [node for node, batches in at_nodes.items() if not rule.holds(_together(batches))]:
        hidden += at_nodes.pop(node)
    while hidden and not rule.holds(_together(hidden)):
        if not at_nodes:
            return None
        stocks = {node: _together(batches) for node, batches in at_nodes.items()}
        hidden += at_nodes.pop(min(stocks, key=lambda node: (stocks[node].persons, stocks[node].first)))
    for batch in hidden:
        batch.node, batch.swapped = 0, 0
    return moves


def _together(batches: Sequence[Batch]) -> Stock:
    """All rows of some batches; needs look at values, so the stocks are PersonStock."""
    first = batches[0].stock
    assert isinstance(first, PersonStock)
    return first.together([batch.stock for batch in batches[1:]]) if len(batches) > 1 else first


def _draw(giver: Stock, receiver: Stock, choose: Callable[..., Any], most: int, rule: WalkRule) -> list[int] | None:
    """Hand rows on until the receiver has enough; their classes. None, and nothing happens, if one is then short."""
    drawn: list[int] = []
    while not rule.holds(receiver) and len(drawn) < most and any(giver.counts):
        drawn.append(choose(giver.counts, receiver.counts))
        giver.give(drawn[-1], receiver)
    if rule.holds(receiver) and rule.holds(giver):
        return drawn
    _undo(giver, receiver, drawn)
    return None


def _undo(giver: Stock, receiver: Stock, drawn: Sequence[int]) -> None:
    for label in reversed(drawn):
        receiver.give(label, giver)


def _least_missed(giver: list[int], receiver: list[int]) -> int:
    """The class whose loss leaves the giver with the least entropy: its smallest one, the first of equals."""
    least = min(count for count in giver if count)
    return giver.index(least)


def _fitting(giver: list[int], receiver: list[int]) -> int:
    """Section 4.2: the class that leaves the receiver with the least entropy, its largest; else the least missed."""
    wanted = receiver.index(max(receiver))
    return wanted if giver[wanted] else _least_missed(giver, receiver)


def _by_class(labels: Sequence[int], n_classes: int) -> list[int]:
    counts = [0] * n_classes
    for label in labels:
        counts[label] += 1
    return counts


def holders(moves: Moves, parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The node that holds the rows of each node in the end, and the batch of each holder (-1: left out)."""
    holder = np.arange(len(parent))
    batch_of = np.full(len(parent), -1, dtype=np.int64)
    for node in range(len(parent)):
        if node in moves.batch_of:
            batch_of[node] = moves.batch_of[node]
        else:
            holder[node] = holder[parent[node]]
    return holder, batch_of


def carry_out(
    moves: Moves,
    parent: np.ndarray,
    node_of: np.ndarray,
    labels: np.ndarray,
    rank: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """The batch of each row (-1: left out), and the rows whose cells were swapped, in increasing order.

    `node_of` is the node where each row ends; `rank(rows)` orders rows: a node gives its first ones of a class.
    """
    holder, batch_of = holders(moves, parent)
    batch = batch_of[holder][node_of]
    gives = np.zeros(len(parent), dtype=bool)
    gives[[node for node, _, _ in moves.given]] = True
    rows = np.flatnonzero(gives[holder][node_of])
    order = np.lexsort((rank(rows), labels[rows], holder[node_of[rows]]))
    rows = rows[order]
    n_classes = int(labels.max()) + 1 if len(labels) else 0
    cells = holder[node_of[rows]] * n_classes + labels[rows]
    place: dict[int, int] = {}
    swapped: list[np.ndarray] = []
    for node, to, counts in moves.given:
        for label, count in enumerate(counts):
            if count:
                cell = node * n_classes + label
                start = place.get(cell)
                start = int(np.searchsorted(cells, cell)) if start is None else start
                chosen = rows[start : start + count]
                batch[chosen] = to
                place[cell] = start + count
                if moves.batches[to].swapped:
                    swapped.append(chosen)
    return batch, np.sort(np.concatenate(swapped)) if swapped else np.empty(0, dtype=np.int64)
