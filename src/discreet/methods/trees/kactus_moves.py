# SPDX-License-Identifier: Apache-2.0
"""Which rows of an engine kACTUS moves, drawn while they stream by.

The walk decides on counts how many rows of a class a node gives away, and to which others. Which rows these are is
chance: of N rows of which T leave, the next one leaves with probability T / N, and T and N are counted down. So every
set of T rows is equally likely (selection sampling; Fan, Muller and Rezucha 1962), as it is where rows are sorted by
random keys in memory; neither their order nor their content has a say. It takes one pass, in which each row is seen
once, so it is for engines that stream rows through this process.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.counting.coding import changed
from discreet.counting.row_lookup import RowLookup
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.randomness import Randomness
from discreet.methods.apply_groups import LEFT_OUT
from discreet.methods.trees.kactus_walk import Moves, holders


class DrawnMoves:
    """Finds the published pattern of rows, given the codes of their quasi-identifiers and, if classes count, of their
    class. Each row must be asked for once.

    lookup    finds the distinct row of coded rows
    node_of   the node where each distinct row ends
    counts    rows of each distinct row by class, as the walk saw them
    pattern   what each batch of the moves is published as
    """

    in_one_pass = True

    def __init__(
        self,
        lookup: RowLookup,
        moves: Moves,
        parent: np.ndarray,
        node_of: np.ndarray,
        counts: np.ndarray,
        pattern: np.ndarray,
        randomness: Randomness,
    ):
        holder, batch_of = holders(moves, parent)
        self._lookup, self._randomness, self._n_classes = lookup, randomness, counts.shape[1]
        self._holder = holder[node_of]
        self._stays = np.append(pattern, LEFT_OUT)[batch_of[self._holder]]
        slots: dict[int, list[int]] = {}
        for node, to, given in moves.given:
            for label, n in enumerate(given):
                slots.setdefault(node * self._n_classes + label, []).extend([int(pattern[to])] * n)
        slots = {cell: where for cell, where in slots.items() if where}
        self._cell = np.full(len(parent) * self._n_classes, -1, dtype=np.int64)
        self._cell[list(slots)] = np.arange(len(slots))
        self._slots = [np.array(where)[randomness.permutation(len(where))] for where in slots.values()]
        in_cell = np.zeros(len(self._cell), dtype=np.int64)
        np.add.at(in_cell, self._holder[:, None] * self._n_classes + np.arange(self._n_classes), counts)
        self._remaining = in_cell[list(slots)]
        self._wanted = np.array([len(where) for where in self._slots], dtype=np.int64)
        self._starts = np.cumsum(np.append(0, self._wanted))
        self._taken = np.zeros(len(self._slots), dtype=np.int64)
        self._moved: list[tuple[np.ndarray, np.ndarray]] = []

    @property
    def arrays(self) -> list[np.ndarray]:
        """All that decides, the order of the places among it: another draw is another decision."""
        return [*self._lookup.arrays, self._stays, self._starts, *self._slots]

    def find(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The pattern of each row, LEFT_OUT for rows that are not published, -1 for rows that were not counted."""
        by_class = self._n_classes > 1
        row = self._lookup.find(codes[:-1] if by_class else codes)
        if len(row) and int(row.min()) < 0:
            return np.where(row < 0, -1, 0)
        found = self._stays[row].astype(np.int64)
        if not len(self._slots) or not len(row):
            return found
        cell = self._cell[self._holder[row] * self._n_classes + (codes[-1] if by_class else 0)]
        asked = np.flatnonzero(cell >= 0)
        chance = (self._randomness.uint64(len(asked)) >> np.uint64(11)) / 2.0**53
        place = np.full(len(asked), -1, dtype=np.int64)
        _draw(cell[asked], chance, self._wanted, self._remaining, self._taken, self._starts, place)
        leaves = asked[place >= 0]
        found[leaves] = np.concatenate(self._slots)[place[place >= 0]]
        self._moved.append((row[leaves], found[leaves]))
        return found

    def published(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """After all rows were found: distinct rows, the pattern of each, and how many rows; left out are those of none.

        `rows` are the rows of each distinct row.
        """
        if self._wanted.any() or self._remaining.any():
            raise changed()
        none = np.empty(0, dtype=np.int64)
        row = np.concatenate([none, *(one for one, _ in self._moved)])
        pattern = np.concatenate([none, *(one for _, one in self._moved)])
        stay = rows - np.bincount(row, minlength=len(rows))
        at = np.flatnonzero((self._stays >= 0) & (stay > 0))
        return (
            np.concatenate([at, row]),
            np.concatenate([self._stays[at], pattern]).astype(np.int64),
            np.concatenate([stay[at], np.ones(len(row), dtype=np.int64)]),
        )


@compiled
def _draw(cell, chance, wanted, remaining, taken, starts, place):
    """Selection sampling in every cell: the place of the rows that leave, in the order in which they are drawn."""
    for i in range(len(cell)):
        c = cell[i]
        if chance[i] * remaining[c] < wanted[c]:
            place[i] = starts[c] + taken[c]
            taken[c] += 1
            wanted[c] -= 1
        remaining[c] -= 1
