# SPDX-License-Identifier: Apache-2.0
"""Categories in the order of a tree: every label of the tree is a run of neighbours, and any run is few labels.

The tree is a given hierarchy, or that of the prefixes of a code (100**). Siblings stand in the order of their class
shares, numbers and dates in their own. A value that fewer than k persons have is not named. A code of this kind belongs
to the rest of the lowest prefix that k persons share, which stands last in its run (10*** except 100**); a value of a
hierarchy, to "other". A run that is no label of the tree is written as the labels that make it up; the values between
two numbers, as an interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from discreet.data.column import SUPPRESSED, Column
from discreet.prepare.hierarchy import Hierarchy
from discreet.prepare.prefixes import prefix_tree
from discreet.recoding.axis import Axis, in_class_order, written
from discreet.recoding.branch_sets import BranchSets, best_cut, noise
from discreet.recoding.labels import EVERYTHING, MISSING, Meaning, other_mark
from discreet.recoding.names import MOST_SPELT, Names


class Run(NamedTuple):
    """A label of the tree: the ranks from `start` to before `end`, its level, and what it means."""

    start: int
    end: int
    level: int
    label: str
    meaning: Meaning


class Piece(NamedTuple):
    """A label of the tree, and those below it that are left out."""

    run: Run
    but: list[Run]


@dataclass(frozen=True, eq=False)
class Branches:
    """The tree of an axis. `above[rank, level]` is the node that a rank belongs to on a level, -1 below its own label.

    `runs` are the labels, and `home` is the label that each rank has if it stands alone.
    """

    axis: Axis  # without the tree
    above: np.ndarray
    runs: tuple[Run, ...]
    home: tuple[int, ...]

    @cached_property
    def levels(self) -> np.ndarray:
        """For each rank but the first, the lowest level on which it and the rank before it have the same label."""
        same = (self.above[1:] == self.above[:-1]) & (self.above[1:] >= 0)
        return np.argmax(same, axis=1)

    def label(self, ranks: tuple[int, ...]) -> str | None:
        return self._written(ranks)[0]

    def meaning(self, ranks: tuple[int, ...]) -> Meaning:
        return self._written(ranks)[1]

    def _written(self, ranks: tuple[int, ...]) -> tuple[str | None, Meaning]:
        """The label of the run from the first to the last rank, with or without missing."""
        n_values, has_missing = self.axis.n_values, self.axis.column.has_missing
        missing = ranks[-1] == n_values
        inside = ranks[:-1] if missing else ranks
        if not inside:
            return None, MISSING
        start, end = inside[0], inside[-1] + 1
        if end - start == n_values:
            return (SUPPRESSED, EVERYTHING) if missing == has_missing else ("not missing", Meaning(but=True))
        suffix = " or missing" if missing else ""
        pieces = self.cover(start, end)
        if self.axis.names is None:
            return self._of_numbers(pieces, start, end, missing)
        if pieces[0].run.label == SUPPRESSED:
            return self._of_all_but(pieces[0].but, start, end) + suffix, _union(
                pieces[0].but, but=True, missing=missing
            )
        meaning = _union([piece.run for piece in pieces], missing=missing)
        if pieces[0].but:
            meaning = replace(meaning, less=_union(pieces[0].but))
        return self._listed(pieces, (start, end)) + suffix, meaning

    def _of_numbers(self, pieces: list[Piece], start: int, end: int, missing: bool) -> tuple[str | None, Meaning]:
        run = pieces[0].run
        if len(pieces) > 1:
            ends = self._border(start), self._border(end)
            return self.axis.interval(*ends, missing), self.axis.meaning_of_interval(*ends, missing)
        if run.label == SUPPRESSED:  # all that could be said of a value too rare to be named
            return SUPPRESSED, EVERYTHING
        return run.label + (" or missing" if missing else ""), replace(run.meaning, missing=missing)

    def _of_all_but(self, but: list[Run], start: int, end: int) -> str:
        """The label of all values but those of some labels."""
        if end - start == 1:
            return self._other
        if len(but) <= MOST_SPELT:
            return "not {" + ", ".join(sorted(written(run.label) for run in but)) + "}"
        return self._name(self.cover(start, end - 1), (start, end), (self._other,))

    def cover(self, start: int, end: int) -> list[Piece]:
        """The highest labels inside the run; the first may be one that begins before it, without what does."""
        pieces, at = [], start
        around = [run for run in self._with_rest if run.start < start < run.end <= end]
        if around:
            widest = max(around, key=lambda run: run.end - run.start)
            pieces, at = [Piece(widest, [piece.run for piece in self.cover(widest.start, start)])], widest.end
        while at < end:
            run = [run for run in self._starting[at] if run.end <= end][-1]
            pieces.append(Piece(run, []))
            at = run.end
        return pieces

    @cached_property
    def _with_rest(self) -> list[Run]:
        """The labels that are also the label of values too rare to be named, which stand last."""
        return [
            self.runs[home] for rank, home in enumerate(self.home) if self.runs[home].level and self.above[rank, 0] < 0
        ]

    @cached_property
    def _starting(self) -> dict[int, list[Run]]:
        """The labels whose run starts at a rank, from low to high; of labels with one run the lowest."""
        starting: dict[int, list[Run]] = {}
        for run in sorted(self.runs, key=lambda run: (run.end - run.start, run.level)):
            others = starting.setdefault(run.start, [])
            if not others or others[-1].end < run.end:
                others.append(run)
        return starting

    def _border(self, rank: int) -> float:
        if rank in (0, self.axis.n_values):
            return -np.inf if rank == 0 else np.inf
        return self.axis.cut(rank - 1, rank)

    def _listed(self, pieces: list[Piece], of: tuple[int, int]) -> str:
        if sum(1 + len(piece.but) for piece in pieces) > MOST_SPELT:
            return self._name(pieces, of)
        labels = [written(piece.run.label) for piece in pieces]
        if pieces[0].but:
            labels[0] += " except " + " and ".join(sorted(written(run.label) for run in pieces[0].but))
        if len(pieces) == 1:
            return labels[0] if pieces[0].but else pieces[0].run.label
        return "{" + ", ".join(sorted(labels)) + "}"

    def _name(self, pieces: list[Piece], of: tuple[int, int], last: tuple[str, ...] = ()) -> str:
        rows = np.append(0, np.cumsum(self.axis.counts_of_ranks.sum(axis=1)))
        common = sorted((piece.run for piece in pieces), key=lambda run: (rows[run.start] - rows[run.end], run.label))
        but = [written(run.label) for run in pieces[0].but]  # of a label that is not whole, its exceptions count
        return self._names.name(of, [*(written(run.label) for run in common), *last, *but])

    @cached_property
    def _other(self) -> str:
        return other_mark(run.label for run in self.runs)

    @cached_property
    def _names(self) -> Names:
        return Names()


def _union(runs: list[Run], *, but: bool = False, missing: bool = False) -> Meaning:
    texts = frozenset[str]().union(*(run.meaning.texts for run in runs))
    prefixes = frozenset[str]().union(*(run.meaning.prefixes for run in runs))
    return Meaning(texts=texts, prefixes=prefixes, but=but, missing=missing)


# -- making ----------------------------------------------------------------------------------------------------------


def in_branches(axis: Axis, hierarchy: Hierarchy | None, *, by_class: bool = True) -> Axis:
    """The axis in the order of a given hierarchy, or of the prefixes of a code; else the axis itself.

    Siblings stand in the order of their class shares, or, not `by_class`, in that of the values. Where the best cut of
    the hierarchy's order tells less about the class than that of the class shares, by more than chance would, the axis
    keeps its own order, and sets are written by the labels of the branches that they hold.
    """
    column = axis.column
    if hierarchy is None:
        tree = prefix_tree(column) if axis.readable else None
        if tree is None:
            return axis
        return _of_categories(axis, by_class, *tree) if column.kind == "category" else _of_codes(axis, *tree)
    hierarchy.check_against(column)
    assert axis.rare is not None
    hierarchy = hierarchy.completed(column).veiled(axis.rare.is_named_by)
    order = None if column.kind == "category" else _line(hierarchy, column)
    if order is not None:
        return _of_numbers(axis, hierarchy, *order)
    branches = _of_categories(axis, by_class, hierarchy)
    if column.kind != "category" or not by_class:
        return branches
    lost = best_cut(axis.counts_of_ranks) - best_cut(branches.counts_of_ranks)
    if lost <= noise(axis.counts.sum(axis=0)):
        return branches
    return replace(axis, tree=BranchSets.of(axis, hierarchy))


def _of_categories(axis: Axis, by_class: bool, hierarchy: Hierarchy, prefixes: dict[str, str] | None = None) -> Axis:
    column, rare = axis.column, axis.rare
    assert rare is not None
    assert rare.persons is not None
    leaf_of_code = hierarchy.leaf_codes(column)[:-1]
    ancestors, n_levels = hierarchy.ancestors, hierarchy.levels
    persons = np.bincount(leaf_of_code, rare.persons[:-1], minlength=len(hierarchy))
    hidden = np.bincount(leaf_of_code, rare.is_rare, minlength=len(hierarchy)) > 0
    if prefixes is None:
        home = np.where(hidden, n_levels - 1, 0)[leaf_of_code]
    else:
        home = _homes(hierarchy, persons, rare.rarest)[leaf_of_code]
    nodes = ancestors[leaf_of_code].astype(np.int64)
    nodes[np.arange(n_levels) < home[:, None]] = -1
    codes = np.arange(len(leaf_of_code))
    order = np.lexsort(_keys(nodes, axis.counts[:-1] if by_class else None))
    ordered = nodes[order]
    is_new = np.ones(len(codes), dtype=bool)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    rank_of_code = np.empty(len(codes) + 1, dtype=np.int64)
    rank_of_code[order] = np.cumsum(is_new) - 1
    rank_of_code[-1] = int(is_new.sum())
    above, home_level = ordered[is_new], home[order][is_new]
    labels = [hierarchy.labels(level) for level in range(n_levels)]
    runs, place = _runs(above, labels)
    homes = tuple(place[int(level), int(above[rank, level])] for rank, level in enumerate(home_level))
    named = frozenset(rare.common)
    named_leaves = [[] for _ in range(n_levels)] if prefixes else _leaves_of(hierarchy, named)
    meanings = [_meaning(run, node, named_leaves, prefixes) for run, (_, node) in zip(runs, place, strict=True)]
    runs = _alike(runs, meanings)
    names = tuple(runs[home].label for home in homes)
    plain = Axis(column, rank_of_code, axis.counts, names, rare=rare, by_cuts=True, readable=axis.readable)
    tree = Branches(plain, above, tuple(runs), homes)
    return replace(plain, tree=tree, prefixes=_ends(runs, prefixes))


def _ends(runs: list[Run], prefixes: dict[str, str] | None) -> dict[str, int] | None:
    """The last rank of each prefix, where its rest stands, if it has one: there new codes belong."""
    if prefixes is None:
        return None
    return {prefixes[run.label]: run.end - 1 for run in runs if run.label in prefixes}


def _homes(hierarchy: Hierarchy, persons: np.ndarray, least: int) -> np.ndarray:
    """The level of each leaf's own label: its own, or the lowest above it that `least` persons share."""
    home = np.where(persons < least, -1, 0)
    for level in range(1, hierarchy.levels):
        codes = hierarchy.codes(level)
        shared = np.bincount(codes, persons)[codes] >= least
        home[(home < 0) & (shared | (level == hierarchy.levels - 1))] = level
    return home


def _keys(nodes: np.ndarray, counts: np.ndarray | None) -> list[np.ndarray]:
    """Sort keys, the weakest first: on each level the place of the node by class share, or in the tree."""
    keys: list[np.ndarray] = []
    for level in range(nodes.shape[1]):
        node = nodes[:, level]
        n_nodes = int(node.max()) + 1
        place = np.full(n_nodes + 1, n_nodes)  # -1 takes the last: the rest of a label stands at its end
        if counts is None:
            place[:n_nodes] = np.arange(n_nodes)
        elif n_nodes:
            of_node = np.zeros((n_nodes, counts.shape[1]), dtype=np.int64)
            np.add.at(of_node, node[node >= 0], counts[node >= 0])
            there = np.flatnonzero(of_node.any(axis=1))
            place[there[in_class_order(of_node[there])]] = np.arange(len(there))
        keys.append(place[node])
    return keys


def _runs(above: np.ndarray, labels: list[tuple[str, ...]]) -> tuple[list[Run], dict[tuple[int, int], int]]:
    """The labels of the tree as runs of ranks, and the place of each by level and node."""
    runs: list[Run] = []
    place: dict[tuple[int, int], int] = {}
    for level, names in enumerate(labels):
        node = above[:, level]
        starts = np.flatnonzero(np.append(True, node[1:] != node[:-1]))
        for start, end in zip(starts, [*starts[1:], len(node)], strict=True):
            if node[start] >= 0:
                place[level, int(node[start])] = len(runs)
                runs.append(Run(int(start), int(end), level, names[node[start]], EVERYTHING))
    return runs, place


def _alike(runs: list[Run], meanings: list[Meaning]) -> list[Run]:
    """The labels with their meanings; one that stands for a veiled label below it means the same there."""
    meaning_of = {run.label: meaning for run, meaning in zip(runs, meanings, strict=True)}  # the highest one's
    return [run._replace(meaning=meaning_of[run.label]) for run in runs]


def _leaves_of(hierarchy: Hierarchy, named: frozenset[str]) -> list[list[frozenset[str]]]:
    """The values below each label of each level, as far as they may be named."""
    leaves = []
    for level in range(hierarchy.levels):
        sets: list[set[str]] = [set() for _ in hierarchy.labels(level)]
        for value, node in zip(hierarchy.values, hierarchy.codes(level), strict=True):
            if value in named:
                sets[node].add(value)
        leaves.append([frozenset(one) for one in sets])
    return leaves


def _meaning(run: Run, node: int, leaves: list[list[frozenset[str]]], prefixes: dict[str, str] | None) -> Meaning:
    if run.label == SUPPRESSED:
        return EVERYTHING
    if prefixes is None:
        return Meaning(texts=leaves[run.level][node])
    return Meaning.of([], prefixes=[prefixes[run.label]]) if run.label in prefixes else Meaning.of([run.label])


# -- numbers and dates -----------------------------------------------------------------------------------------------


def _line(hierarchy: Hierarchy, column: Column) -> tuple[np.ndarray, np.ndarray] | None:
    """The leaves in the order of their numbers, and these; None unless each label is a run of them."""
    if hierarchy.cuts is not None:
        return np.arange(len(hierarchy)), np.arange(len(hierarchy), dtype=np.float64)
    leaf_of_code = hierarchy.leaf_codes(column)[:-1]
    numbers = np.full(len(hierarchy), np.nan)
    numbers[leaf_of_code] = column.numbers
    if column.kind == "number":
        for leaf in np.flatnonzero(np.isnan(numbers)):
            try:
                numbers[leaf] = float(hierarchy.values[leaf])
            except ValueError:
                continue  # a mark of missing, or a value that the column cannot have
    order = np.argsort(numbers, kind="stable")
    order = order[np.isfinite(numbers[order])]
    if not len(order) or (np.diff(numbers[order]) <= 0).any():
        return None
    ancestors = hierarchy.ancestors[order]
    for level in range(hierarchy.levels):
        node = ancestors[:, level]
        if (node[1:] != node[:-1]).sum() + 1 != len(np.unique(node)):
            return None
    return order, numbers[order]


def _of_codes(axis: Axis, hierarchy: Hierarchy, prefixes: dict[str, str]) -> Axis:
    """Post codes that were read as numbers: a prefix is an interval of them."""
    line = _line(hierarchy, axis.column)
    if line is None:
        return axis
    longest = max(map(len, axis.column.texts))
    steps = {label: 10 ** (longest - len(prefix)) for label, prefix in prefixes.items()}
    blocks = {
        label: Meaning.between(int(prefixes[label]) * n, (int(prefixes[label]) + 1) * n) for label, n in steps.items()
    }
    return _of_numbers(axis, hierarchy, *line, blocks=blocks)


def _of_numbers(
    axis: Axis,
    hierarchy: Hierarchy,
    order: np.ndarray,
    numbers: np.ndarray,
    *,
    blocks: Mapping[str, Meaning] = MappingProxyType({}),
) -> Axis:
    column, rare = axis.column, axis.rare
    place = np.full(len(hierarchy) + 1, len(order))
    place[order] = np.arange(len(order))
    rank_of_code = np.append(place[hierarchy.leaf_codes(column)[:-1]], len(order))
    line = {"borders": hierarchy.cuts} if hierarchy.cuts is not None else {"numbers": numbers}
    plain = Axis(column, rank_of_code, axis.counts, rare=rare, readable=axis.readable, **line)
    above = hierarchy.ancestors[order].astype(np.int64)
    runs, at = _runs(above, [hierarchy.labels(level) for level in range(hierarchy.levels)])
    inner = np.arange(1, plain.n_values)
    borders = np.concatenate(([-np.inf], plain.cuts(inner - 1, inner), [np.inf])).tolist()
    between = [Meaning((borders[run.start], borders[run.end])) for run in runs]
    meanings = [
        EVERYTHING if run.label == SUPPRESSED else blocks.get(run.label, interval)
        for run, interval in zip(runs, between, strict=True)
    ]
    runs = _alike(runs, meanings)
    for place_of, run in enumerate(runs):
        if run.level == 0 and rare is not None and rare.is_named_by(run.label):  # no label above the leaves names it
            parent = runs[at[1, int(above[run.start, 1])]]
            runs[place_of] = run._replace(label=parent.label, meaning=parent.meaning)
    homes = tuple(at[0, int(node)] for node in above[:, 0])
    return replace(plain, tree=Branches(plain, above, tuple(runs), homes))
