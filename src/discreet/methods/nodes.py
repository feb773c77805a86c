# SPDX-License-Identifier: Apache-2.0
"""The branches of a decision tree as numbered nodes: where each row ends, and what is written at each node.

Node 0 shows nothing. Any other node is one more cell of a row: the codes that its branch and the branches of the same
column above it accept. Children have larger numbers than their parents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np

from discreet.data.column import SUPPRESSED
from discreet.errors import DataError
from discreet.labels import EVERYTHING, Labelling
from discreet.learning.tree import Branch
from discreet.methods.quasi import Quasi


@dataclass(frozen=True, eq=False)
class Nodes:
    """`parent[i]`, `children[i]` and `column[i]` of node i, and the codes of that column that rows at it may have."""

    parent: np.ndarray
    children: list[list[int]]
    column: np.ndarray
    accepted: list[np.ndarray]

    @classmethod
    def of(cls, branches: Sequence[Branch], levels: Sequence[int]) -> Nodes:
        """Number the branches of a tree over columns with so many codes; branches that no code can take are left out.

        >>> sexes = np.eye(2, 3, dtype=bool)
        >>> Nodes.of([Branch(0, sexes[0]), Branch(0, sexes[1])], [2]).children
        [[1, 2], [], []]
        """
        parent, column, children = [-1], [-1], [[]]  # type: list[int], list[int], list[list[int]]
        accepted = [np.empty(0, dtype=bool)]
        waiting: list[tuple[int, Sequence[Branch], dict[int, np.ndarray]]] = [(0, branches, {})]
        while waiting:
            above, family, path = waiting.pop()
            if not family:
                continue
            place = _common_column(family, levels)
            allowed = path.get(place)
            for branch in family:
                accepts = branch.accepts[: levels[place]]
                accepts = accepts if allowed is None else accepts & allowed
                if not accepts.any():
                    continue
                node = len(parent)
                parent.append(above)
                column.append(place)
                children.append([])
                accepted.append(accepts)
                children[above].append(node)
                waiting.append((node, branch.children, path | {place: accepts}))
        return cls(np.array(parent), children, np.array(column), accepted)

    def __len__(self) -> int:
        return len(self.parent)

    def ends(self, codes: np.ndarray, levels: Sequence[int]) -> np.ndarray:
        """The last node on the way of each row: a leaf, unless no branch accepts the row."""
        test, start = np.full(len(self), -1, dtype=np.int64), np.zeros(len(self), dtype=np.int64)
        goes: list[np.ndarray] = []
        place = 0
        for node, below in enumerate(self.children):
            if below:
                c = int(self.column[below[0]])
                child_of = np.full(levels[c], -1, dtype=np.int64)
                for child in below:
                    child_of[self.accepted[child]] = child
                test[node], start[node] = c, place
                place += len(child_of)
                goes.append(child_of)
        steps = np.concatenate(goes) if goes else np.empty(0, dtype=np.int64)
        return _descend(np.ascontiguousarray(codes, dtype=np.int32), test, start, steps)

    def labels(self, quasi: Sequence[Quasi]) -> tuple[list[Labelling], np.ndarray]:
        """What rows published at each node show: the labels of each column, and their places (node x column)."""
        labels: list[list[str | None]] = [[SUPPRESSED] for _ in quasi]
        meanings = [[EVERYTHING] for _ in quasi]
        known: list[dict[bytes, int]] = [{} for _ in quasi]
        cells = np.zeros((len(self), len(quasi)), dtype=np.int32)
        for node in range(1, len(self)):
            c, key = int(self.column[node]), self.accepted[node].tobytes()
            if key not in known[c]:
                label, meaning = quasi[c].label(self.accepted[node])
                if label not in labels[c]:
                    labels[c].append(label)
                    meanings[c].append(meaning)
                known[c][key] = labels[c].index(label)
            cells[node] = cells[self.parent[node]]
            cells[node, c] = known[c][key]
        columns = [
            Labelling(one.name, one.axis.column.kind, tuple(texts), tuple(means))
            for one, texts, means in zip(quasi, labels, meanings, strict=True)
        ]
        return columns, cells


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


@numba.njit(cache=True, nogil=True)
def _descend(codes, test, start, steps):
    ends = np.empty(len(codes), dtype=np.int64)
    for row in range(len(codes)):
        node = 0
        while test[node] >= 0:
            child = steps[start[node] + codes[row, test[node]]]
            if child < 0:
                break
            node = child
        ends[row] = node
    return ends
