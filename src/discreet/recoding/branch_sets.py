# SPDX-License-Identifier: Apache-2.0
"""Sets of values in an order of their own, written by the labels of a hierarchy.

For columns whose classes do not follow the hierarchy: they stay in the order that they have without it, where the
values below a label are not neighbours.

BranchSets     any set of categories: whole branches by their label, the rest by name
WholeBranches  what has intervals or prefixes: by labels of the hierarchy only if it is whole branches and nothing else
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
        leaf_of_code, common = hierarchy.leaf_codes(axis.column)[:-1], np.arange(len(axis.column.values))
        if axis.has_other:
            common = common[axis.rank_of_code[:-1] < axis.n_values - 1]
        levels = [_codes_below(hierarchy, level, leaf_of_code, common) for level in range(hierarchy.levels - 1)]
        below: dict[str, frozenset[int]] = {}
        for labels in levels:  # of a label on several levels, the lowest: a value is not called like others beside it
            for label, codes in labels.items():
                below.setdefault(label, frozenset(axis.rank_of_code[codes].tolist()))
        return cls(axis, {label: below[label] for labels in reversed(levels) for label in labels})

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
        found += [(1, self._name_of(rank)) for rank in left]  # what is not named comes last
        return [label for _, label in sorted(found)]

    def _name_of(self, rank: int) -> str:
        axis = self.axis
        return self._other if axis.has_other and rank == axis.n_values - 1 else (axis.names or ())[rank]

    @cached_property
    def _other(self) -> str:
        return other_mark(self.below)

    @cached_property
    def _names(self) -> Names:
        return Names()


@dataclass(frozen=True, eq=False)
class WholeBranches:
    """Labels of a hierarchy for sets of ranks of an axis that are a branch of it, of two ranks or more."""

    axis: Axis
    hierarchy: Hierarchy

    def label(self, ranks: range) -> str | None:
        """The label that says exactly this set; None if there is none."""
        missing = ranks[-1] == self.axis.n_values
        label = self._label_of.get(frozenset(ranks[:-1] if missing else ranks))
        return f"{label} or missing" if label is not None and missing else label

    @cached_property
    def _label_of(self) -> dict[frozenset[int], str]:
        """The lowest label of each branch."""
        leaf_of_code, ranks = self.hierarchy.leaf_codes(self.axis.column)[:-1], self.axis.rank_of_code[:-1]
        values = np.bincount(ranks, minlength=self.axis.n_values)
        label_of: dict[frozenset[int], str] = {}
        for level in range(1, self.hierarchy.levels - 1):
            for label, codes in _codes_below(self.hierarchy, level, leaf_of_code, np.arange(len(ranks))).items():
                inside = np.unique(ranks[codes])
                if 1 < len(inside) < self.axis.n_values and values[inside].sum() == len(codes):
                    label_of.setdefault(frozenset(inside.tolist()), label)
        return label_of


def _codes_below(
    hierarchy: Hierarchy, level: int, leaf_of_code: np.ndarray, codes: np.ndarray
) -> dict[str, np.ndarray]:
    """Those of some codes that are below each label of a level, if any are; the root has none."""
    nodes, labels = hierarchy.codes(level)[leaf_of_code[codes]], hierarchy.labels(level)
    order = np.argsort(nodes, kind="stable")
    there, starts = np.unique(nodes[order], return_index=True)
    of_node = zip(there, np.split(codes[order], starts[1:]), strict=False)
    return {labels[node]: inside for node, inside in of_node if labels[node] != SUPPRESSED}


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
