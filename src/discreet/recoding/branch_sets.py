# SPDX-License-Identifier: Apache-2.0
"""Sets of values in an order of their own, written by the labels of a hierarchy.

For columns whose classes do not follow the hierarchy: they stay in the order that they have without it, where the
values below a label are not neighbours.

BranchSets     any set of categories: whole branches by their label, the rest by name
WholeBranches  what has intervals or prefixes: by a label of the hierarchy only if it is a whole branch and nothing else
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from discreet.counting.entropy import entropy_times_n
from discreet.data.column import SUPPRESSED, Column, Kind, encode
from discreet.errors import quietly
from discreet.prepare.hierarchy import Hierarchy
from discreet.recoding.axis import Axis, written
from discreet.recoding.labels import Labelling, Meaning, other_mark
from discreet.recoding.names import MOST_SPELT, Names

_NO_CLASS = 0.01  # bits per row that may be lost where no class says what is told


@dataclass(frozen=True, eq=False)
class BranchSets:
    """Sets of ranks of an axis, by the labels of a hierarchy; `below` has the ranks of each, the highest first.

    `torn` are labels that also have values which are not named, and so belong to the others, whether or not they occur.
    """

    axis: Axis
    below: dict[str, frozenset[int]]
    torn: frozenset[str]

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
        unnamed = np.setdiff1d(np.arange(len(hierarchy)), leaf_of_code[common])
        return cls(
            axis,
            {label: below[label] for labels in reversed(levels) for label in labels},
            frozenset(label for leaf in unnamed for label in hierarchy.paths[leaf]),
        )

    def label(self, ranks: tuple[int, ...]) -> str | None:
        axis = self.axis
        missing = ranks[-1] == axis.n_values
        inside = frozenset(rank for rank in ranks if rank < axis.n_values)
        if len(inside) in (0, axis.n_values):
            return axis.set_of(ranks)
        suffix = " or missing" if missing else ""
        torn = self.torn if axis.has_other and axis.n_values - 1 in inside else frozenset()
        labels, outside = self._cover(inside), self._cover(frozenset(range(axis.n_values)) - inside, but=torn)
        if len(labels) == 1:
            return labels[0] + suffix
        if len(outside) < min(len(labels), MOST_SPELT + 1) and missing == axis.column.has_missing:
            return "not {" + ", ".join(sorted(map(written, outside))) + "}"
        if len(labels) <= MOST_SPELT:
            return "{" + ", ".join(sorted(map(written, labels))) + "}" + suffix
        return self._names.name(inside, list(map(written, labels))) + suffix

    def meaning(self, ranks: tuple[int, ...]) -> Meaning:
        return self.axis.meaning_of_set(ranks)

    def _cover(self, inside: frozenset[int], *, but: frozenset[str] = frozenset()) -> list[str]:
        """The highest labels whose values are all inside, the commonest first; a value alone by its own name.

        `but` are labels that are not used: who is not in them shall not be among the others either.
        """
        rows, left = self.axis.counts_of_ranks.sum(axis=1), set(inside)
        below = {label: ranks for label, ranks in self.below.items() if label not in but}
        found: list[tuple[int, str]] = []
        for ranks in below.values():
            if ranks <= left:
                lowest = [name for name, others in below.items() if others == ranks][-1]
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
    """Labels of a hierarchy for meanings that are a branch of it, of two values or more.

    Meanings and the hierarchy decide, not which values occur: labels shall not tell who has a value that is not named.
    """

    name: str
    kind: Kind
    hierarchy: Hierarchy

    def label(self, meaning: Meaning) -> str | None:
        """The lowest label whose values are those that the meaning stands for; None if there is none."""
        inside = self._inside(meaning)
        if inside is None or not 1 < inside.sum() < len(inside):
            return None
        example = int(inside.argmax())
        for level in range(1, self.hierarchy.levels - 1):
            codes = self.hierarchy.codes(level)
            if np.array_equal(codes == codes[example], inside):
                label = self.hierarchy.labels(level)[codes[example]]
                if label == SUPPRESSED:
                    return None
                return f"{label} or missing" if meaning.missing else label
        return None

    def _inside(self, meaning: Meaning) -> np.ndarray | None:
        """Which values of the hierarchy the meaning stands for; None if they cannot be told."""
        if self._column is None:
            return None
        label = Labelling(self.name, self.kind, ("",), (meaning,))
        classes = label.classes(self._column)
        return classes.fit(0)[classes.of_code[self._column.codes]]

    @cached_property
    def _column(self) -> Column | None:
        """The values of the hierarchy as a column; None if it has a line for all others, or one like 20-24."""
        if SUPPRESSED in self.hierarchy.values:
            return None
        values = pa.array(self.hierarchy.values, pa.string())
        return quietly(lambda: encode(self.name, values, kind=self.kind))[0]


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
