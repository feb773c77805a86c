# SPDX-License-Identifier: Apache-2.0
"""A decision tree as numbered nodes: where each row ends, and what is written at each node.

Node 0 shows nothing. Any other node is one more cell of a row: the codes that its branch and the branches of the same
column above it accept. Children have larger numbers than their parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.data.column import SUPPRESSED
from discreet.errors import DataError
from discreet.foundation.compiled_kernels import compiled
from discreet.learning.decision_tree import Branch, DecisionTree
from discreet.methods.trees.kactus_columns import TreeColumn
from discreet.recoding.labels import EVERYTHING, Labelling


@dataclass(frozen=True, eq=False)
class Nodes:
    """`parent[i]` and `column[i]` of node i, and `codes[i]` of that column that rows at it may have, increasing."""

    parent: np.ndarray
    column: np.ndarray
    codes: list[np.ndarray]

    @classmethod
    def of(cls, branches: Sequence[Branch], levels: Sequence[int]) -> Nodes:
        """Number the branches of a tree over columns with so many codes; branches that no code can take are left out.

        >>> sexes = np.eye(2, 3, dtype=bool)
        >>> Nodes.of([Branch(0, sexes[0]), Branch(0, sexes[1])], [2]).children
        [[1, 2], [], []]
        """
        parent, column, codes = [-1], [-1], [np.empty(0, dtype=np.int64)]
        waiting: list[tuple[int, Sequence[Branch], dict[int, np.ndarray]]] = [(0, branches, {})]
        while waiting:
            above, family, path = waiting.pop()
            if not family:
                continue
            place = _common_column(family, levels)
            for branch in family:
                accepts = branch.accepts[: levels[place]]
                accepts = accepts & path[place] if place in path else accepts
                if accepts.any():
                    waiting.append((len(parent), branch.children, path | {place: accepts}))
                    parent.append(above)
                    column.append(place)
                    codes.append(np.flatnonzero(accepts))
        return cls(np.array(parent), np.array(column), codes)

    @classmethod
    def of_tree(cls, tree: DecisionTree) -> Nodes:
        """Number the nodes of a tree of categories; those that no training row reaches are left out."""
        reached = np.flatnonzero(tree.weights > 0)
        number = np.cumsum(tree.weights > 0) - 1
        above = tree.parent[reached[1:]]
        place = reached[1:] - tree.first[above]  # a test of a category has a child for each of its codes
        every = np.arange(int(place.max(initial=0)) + 1)
        codes = [every[:0], *(every[code : code + 1] for code in place.tolist())]
        return cls(np.append(-1, number[above]), np.append(-1, tree.test[above]), codes)

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in range(len(self))]
        for node, above in enumerate(self.parent[1:].tolist(), start=1):
            children[above].append(node)
        return children

    def ends(self, rows: np.ndarray) -> np.ndarray:
        """The last node on the way of each row of codes: a leaf, unless no branch accepts the row."""
        child = np.repeat(np.arange(len(self)), [len(codes) for codes in self.codes])
        code, above = np.concatenate(self.codes), self.parent[child]
        order = np.lexsort((code, above))  # the steps that lead on from a node stand side by side, by code
        start = np.searchsorted(above[order], np.arange(len(self) + 1))
        test = np.full(len(self), -1, dtype=np.int64)
        test[self.parent[1:]] = self.column[1:]
        return _descend(np.ascontiguousarray(rows, dtype=np.int32), test, start, code[order], child[order])

    def labels(self, quasi: Sequence[TreeColumn], nodes: np.ndarray) -> tuple[list[Labelling], np.ndarray]:
        """What rows published at these nodes show: the labels of each column, and their places (node x column)."""
        places: list[dict[str | None, int]] = [{SUPPRESSED: 0} for _ in quasi]
        meanings = [[EVERYTHING] for _ in quasi]
        cells = np.full((len(nodes), len(quasi)), -1, dtype=np.int32)
        number_of: dict[tuple[int, bytes], int] = {}
        reached = np.asarray(nodes)
        while (reached > 0).any():  # upwards; of nodes of one column the lowest says most
            here, which = np.unique(reached, return_inverse=True)
            place = np.zeros(len(here), dtype=np.int32)
            for i, node in enumerate(here.tolist()):
                key = int(self.column[node]), self.codes[node].tobytes()
                if node and key not in number_of:
                    label, meaning = quasi[key[0]].label(self.codes[node])
                    number_of[key] = places[key[0]].setdefault(label, len(places[key[0]]))
                    if number_of[key] == len(meanings[key[0]]):
                        meanings[key[0]].append(meaning)
                place[i] = number_of[key] if node else 0
            open_ = np.flatnonzero((reached > 0) & (cells[np.arange(len(nodes)), self.column[reached]] < 0))
            cells[open_, self.column[reached[open_]]] = place[which.ravel()[open_]]
            reached = np.maximum(self.parent[reached], 0)
        columns = [
            Labelling(one.name, one.axis.column.kind, tuple(texts), tuple(means), known=one.axis.known)
            for one, texts, means in zip(quasi, places, meanings, strict=True)
        ]
        return columns, np.maximum(cells, 0)


def _common_column(family: Sequence[Branch], levels: Sequence[int]) -> int:
    """The column that the branches of a test ask about; each code may take one of them only."""
    place = int(family[0].column)
    if any(int(branch.column) != place for branch in family):
        raise DataError(
            "The branches of one test ask about different columns. An inducer must ask about one at a time."
        )
    if not 0 <= place < len(levels) or any(len(branch.accepts) < levels[place] for branch in family):
        raise DataError("A branch of the inducer's tree asks about a column or a code that the examples do not have.")
    taken = np.zeros(levels[place], dtype=np.int64)
    for branch in family:
        taken += branch.accepts[: levels[place]]
    if (taken > 1).any():
        raise DataError("Two branches of one test accept the same code. An inducer must part the rows.")
    return place


@compiled
def _descend(rows, test, start, code, child):
    ends = np.empty(len(rows), dtype=np.int64)
    for row in range(len(rows)):
        node = 0
        while test[node] >= 0:
            wanted = rows[row, test[node]]
            low, high = start[node], start[node + 1]
            while low < high:
                middle = (low + high) // 2
                if code[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low == start[node + 1] or code[low] != wanted:
                break
            node = child[low]
        ends[row] = node
    return ends
