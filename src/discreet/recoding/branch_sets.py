# SPDX-License-Identifier: Apache-2.0
"""Any set of categories written by the labels of a hierarchy: whole branches by their label, the rest by name.

For columns whose classes do not follow the hierarchy: they stay in the order of their class shares, where the values
below a label are not neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.counting.entropy import entropy_times_n
from discreet.data.column import SUPPRESSED
from discreet.prepare.hierarchy import Hierarchy
from discreet.recoding.axis import Axis, written
from discreet.recoding.labels import Meaning, other_mark
from discreet.recoding.names import MOST_SPELT, Names

_NO_CLASS = 0.01  # bits per row that may be lost where no class says what is told


@dataclass(frozen=True, eq=False)
class BranchSets:
    """Sets of ranks of an axis, by the labels of a hierarchy; `below` has the ranks of each, the highest first."""

    axis: Axis
    below: dict[str, frozenset[int]]

    @classmethod
    def of(cls, axis: Axis, hierarchy: Hierarchy) -> BranchSets:
        rank_of = {name: rank for rank, name in enumerate(axis.names or ())}
        below: dict[str, frozenset[int]] = {}
        for level in range(hierarchy.levels - 2, -1, -1):
            ranks: dict[str, set[int]] = {}
            for path in hierarchy.paths:
                if path[0] in rank_of and path[level] != SUPPRESSED and not (axis.has_other and path[0] == axis.other):
                    ranks.setdefault(path[level], set()).add(rank_of[path[0]])
            for label, inside in ranks.items():
                below.setdefault(label, frozenset(inside))
        return cls(axis, below)

    def label(self, ranks: tuple[int, ...]) -> str | None:
        axis = self.axis
        missing = ranks[-1] == axis.n_values
        inside = frozenset(rank for rank in ranks if rank < axis.n_values)
        if len(inside) in (0, axis.n_values):
            return axis.set_of(ranks)
        suffix = " or missing" if missing else ""
        labels, outside = self._cover(inside), self._cover(frozenset(range(axis.n_values)) - inside)
        if len(labels) == 1:
            return labels[0] + suffix
        if len(outside) < min(len(labels), MOST_SPELT + 1) and missing == axis.column.has_missing:
            return "not {" + ", ".join(sorted(map(written, outside))) + "}"
        if len(labels) <= MOST_SPELT:
            return "{" + ", ".join(sorted(map(written, labels))) + "}" + suffix
        return self._names.name(inside, list(map(written, labels))) + suffix

    def meaning(self, ranks: tuple[int, ...]) -> Meaning:
        return self.axis.meaning_of_set(ranks)

    def _cover(self, inside: frozenset[int]) -> list[str]:
        """The highest labels whose values are all inside, the commonest first; a value alone by its own name."""
        rows, left = self.axis.counts_of_ranks.sum(axis=1), set(inside)
        found: list[tuple[int, str]] = []
        for ranks in self.below.values():
            if ranks <= left:
                lowest = [name for name, others in self.below.items() if others == ranks][-1]
                found.append((-int(rows[list(ranks)].sum()), lowest))
                left -= ranks
        found += [(1, self._other) for _ in left]  # what is not named comes last
        return [label for _, label in sorted(found)]

    @cached_property
    def _other(self) -> str:
        return other_mark(self.below)

    @cached_property
    def _names(self) -> Names:
        return Names()


def best_cut(counts: np.ndarray) -> float:
    """Bits about the class that the best cut of an order tells, given the rows of each place by class."""
    if len(counts) < 2 or counts.shape[1] < 2:
        return 0.0
    upto = np.cumsum(counts, axis=0)
    after = entropy_times_n(upto[:-1]) + entropy_times_n(upto[-1] - upto[:-1])
    return float(entropy_times_n(upto[-1]) - after.min())


def noise(counts: np.ndarray) -> float:
    """Bits that the exact place of a border must save to be worth stating: half of the logarithm of the rows.

    From n rows a number is known to about 1 / sqrt(n) of its scale, so more digits say nothing (Rissanen 1978).
    """
    rows = max(int(counts.sum()), 1)
    return float(np.log2(rows)) / 2 if len(counts) > 1 else _NO_CLASS * rows
