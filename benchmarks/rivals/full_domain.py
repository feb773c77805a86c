# SPDX-License-Identifier: Apache-2.0
"""The best release that writes every column at one level of its hierarchy, in all rows: what ARX searches for.

ARX's source is not in package registries, but on a small lattice what it looks for can be computed. Every node of the
lattice is counted: its groups of fewer than k rows are suppressed, and a row costs 1 if it is suppressed or not of the
largest class of its group (the classification metric of Iyengar, 2002). No search finds a release that is better by
this metric. ARX's own metrics differ from it in details, and its local recoding is not here. As in ARX, the rows that
are suppressed make no group: there may be fewer than k of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet import Table

SUPPRESSED = "*"
MISSING = "?"
MOST_NODES = 100_000  # of a lattice
_RANGES = (16, 4)  # of a number, about equally many rows in each: the levels of a plain hierarchy
_PREFIX = 2  # characters of a code that a plain hierarchy keeps

Row = tuple[str, ...]
Levels = dict[str, list[str]]  # of each value its labels, the finest first


@dataclass(frozen=True, eq=False)
class FullDomain:
    """One level of the hierarchy of each column, and the groups that are published."""

    hierarchies: Sequence[Levels]
    levels: tuple[int, ...]
    groups: frozenset[Row]

    @classmethod
    def best(cls, rows: Sequence[Row], classes: Sequence[str], hierarchies: Sequence[Levels], k: int) -> FullDomain:
        """That with the lowest classification metric; of equals the one of the lowest levels."""
        label = np.unique(classes, return_inverse=True)[1]
        coded = [_codes_by_level(cells, of) for cells, of in zip(zip(*rows, strict=True), hierarchies, strict=True)]
        nodes = sorted(itertools.product(*(range(len(levels)) for levels in coded)), key=lambda node: (sum(node), node))
        metric = [classification_metric([coded[c][at] for c, at in enumerate(node)], label, k) for node in nodes]
        levels = nodes[int(np.argmin(metric))]
        written = [_at(row, hierarchies, levels) for row in rows]
        patterns, sizes = np.unique(np.array(written), axis=0, return_counts=True)
        return cls(hierarchies, levels, frozenset(map(tuple, patterns[sizes >= k].tolist())))

    def written(self, row: Row) -> Row:
        """A row as it is published; suppressed if no group is like it."""
        labels = self.read(row)
        return labels if labels in self.groups else (SUPPRESSED,) * len(labels)

    def read(self, row: Row) -> Row:
        """A row as somebody reads it who does not recode: each cell by itself."""
        return _at(row, self.hierarchies, self.levels)


def n_nodes(hierarchies: Sequence[Levels]) -> int:
    """Of the lattice of these hierarchies."""
    return math.prod(_depth(levels) for levels in hierarchies)


def classification_metric(columns: Sequence[np.ndarray], label: np.ndarray, k: int) -> int:
    """Rows that are suppressed or not of the largest class of their group.

    >>> classification_metric([np.array([0, 0, 0, 1])], np.array([0, 0, 1, 1]), k=2)
    2
    """
    key = np.zeros(len(label), dtype=np.int64)
    for codes in columns:
        key = key * (int(codes.max(initial=0)) + 1) + codes
    groups, of = np.unique(key, return_inverse=True)
    n_classes = int(label.max(initial=0)) + 1
    counts = np.bincount(of * n_classes + label, minlength=len(groups) * n_classes).reshape(-1, n_classes)
    sizes = counts.sum(axis=1)
    return int(np.where(sizes < k, sizes, sizes - counts.max(axis=1)).sum())


def plain_hierarchy(learnt: Table, asked: Table, name: str) -> Levels:
    """A hierarchy that somebody makes who knows a column's values, and nothing of the class.

    Numbers in sixteen ranges, then four; codes by their first characters; other categories as they are; then nothing.
    Missing stays apart.
    """
    of = learnt.column(name)
    values = dict.fromkeys([*texts_of(learnt, name), *texts_of(asked, name)])
    if of.kind == "number":
        numbers = np.sort([float(text) for text in texts_of(learnt, name) if text != MISSING])
        ranges = [np.unique(np.quantile(numbers, np.arange(1, n) / n)) for n in _RANGES]
        return {text: [*(_range(text, borders) for borders in ranges), SUPPRESSED] for text in values}
    if _is_code(list(values)):
        return {text: [text, text[:_PREFIX], SUPPRESSED] for text in values}
    return {text: [text, SUPPRESSED] for text in values}


def texts_of(table: Table, name: str) -> list[str]:
    """The cells of a column."""
    column = table.column(name)
    return np.array([*column.texts, MISSING], dtype=object)[column.codes].tolist()


def _range(text: str, borders: np.ndarray) -> str:
    return MISSING if text == MISSING else f"range {int(np.searchsorted(borders, float(text), side='right'))}"


def _is_code(values: list[str]) -> bool:
    """Whether values are digits of one length, as post codes are."""
    return len(values) > 1 and all(text.isdigit() for text in values) and len({*map(len, values)}) == 1 < len(values[0])


def _at(row: Row, hierarchies: Sequence[Levels], levels: Sequence[int]) -> Row:
    return tuple(of[cell][level] for cell, of, level in zip(row, hierarchies, levels, strict=True))


def _depth(levels: Levels) -> int:
    return len(next(iter(levels.values())))


def _codes_by_level(cells: Sequence[str], levels: Levels) -> list[np.ndarray]:
    """The number of each cell's label, level by level."""
    values, code = np.unique(cells, return_inverse=True)
    return [np.unique([levels[v][at] for v in values], return_inverse=True)[1][code] for at in range(_depth(levels))]
