# SPDX-License-Identifier: Apache-2.0
"""Slow twin of top-down specialisation and refinement: everything is counted anew from the rows at every step.

A row is a tuple of leaves (small whole numbers), a part of a column is a frozen set of leaves. A column is
("tree", paths), paths[leaf] leading from the leaf's label to the root's; ("line",); or ("star", leaves that may be
disclosed).
"""

import math
from collections import Counter
from fractions import Fraction

from oracles import group_persons


def n_log_n(n):
    return round(n * math.log2(n) * 2**20) if n else 0


def entropy(labels):
    """Entropy of the class times the rows, in 2^-20 bits."""
    return n_log_n(len(labels)) - sum(map(n_log_n, Counter(labels).values()))


def _tree_children(paths, part, level, present):
    """Parts on the next level down; where all rows are in one, that one's children in its place, and so on."""
    if level == 0:
        return []
    below = {}
    for leaf in sorted(part):
        below.setdefault(paths[leaf][level - 1], set()).add(leaf)
    children = [(frozenset(leaves), level - 1) for leaves in below.values()]
    full = [child for child in children if child[0] & present]
    if len(full) == 1:
        deeper = _tree_children(paths, *full[0], present)
        return [child for child in children if child is not full[0]] + deeper if deeper else []
    return children


class TopDown:
    """`steps` are (column, part, children as a set of parts); `parts[column]` what is left at the end."""

    def __init__(self, rows, labels, columns, n_leaves, sets, persons=None):
        self.rows, self.labels, self.columns, self.sets, self.persons = rows, labels, columns, sets, persons
        top = [len(kind[1][0]) - 1 if kind[0] == "tree" else 0 for kind in columns]
        self.parts = [[(frozenset(range(n)), top[c])] for c, n in enumerate(n_leaves)]  # with the level of a tree
        self.steps = []
        while True:
            tried = [self._try(c, part, *way) for c in range(len(columns)) for part in self.parts[c]
                     for way in self._ways(c, *part)]  # fmt: skip
            valid = [way for way in tried if way is not None]
            if not valid:
                break
            best = max(score for score, *_ in valid)
            _, c, _, part, children = min((way for way in valid if way[0] == best), key=lambda way: way[1:3])
            self.parts[c].remove(part)
            self.parts[c] += children
            self.steps.append((c, part[0], {leaves for leaves, _ in children}))

    def _ways(self, c, part, level):
        """(place for ties, children) of each refinement of a part."""
        kind = self.columns[c][0]
        present = {row[c] for row in self.rows}
        if kind == "tree":
            children = _tree_children(self.columns[c][1], part, level, present)
            return [(min(part), children)] if children else []
        if kind == "star":
            shown = level == -1
            rest = [(v, [(frozenset([v]), -1), (part - {v}, 0)]) for v in sorted(part) if v in self.columns[c][1]]
            return [] if shown else [(v, [child for child in children if child[0]]) for v, children in rest]
        cuts = sorted(part)[1:]
        below = [frozenset(x for x in part if x < cut) for cut in cuts]
        halves = [[(left, 0), (part - left, 0)] for left in below]
        return [(min(part), max(halves, key=lambda children: self._gain(c, part, children)))] if cuts else []

    def _gain(self, c, part, children):
        """InfoGain times the rows."""
        inside = [self._labels(c, leaves) for leaves, _ in children]
        return max(entropy(self._labels(c, part)) - sum(map(entropy, inside)), 0)

    def _labels(self, c, part):
        return [y for row, y in zip(self.rows, self.labels, strict=True) if row[c] in part]

    def smallest(self, columns, parts):
        """Persons in the smallest group."""
        place = {(c, leaf): number for c in columns for number, (part, _) in enumerate(parts[c]) for leaf in part}
        keys = [tuple(place[c, row[c]] for c in columns) for row in self.rows]
        return min(len(found) for found in group_persons(keys, self.persons).values())

    def _try(self, c, part, place, children):
        """(score, column, place, part, children), or None if the refinement is not valid or not beneficial."""
        inside = self._labels(c, part[0])
        if len(set(inside)) < 2:
            return None
        after = [list(parts) for parts in self.parts]
        after[c].remove(part)
        after[c] += children
        losses = []
        for columns, k in self.sets:
            if c in columns:
                left = self.smallest(columns, after)
                if left < k:
                    return None
                losses.append(self.smallest(columns, self.parts) - left)
        gain = Fraction(self._gain(c, part[0], children), len(inside))
        return gain / (Fraction(sum(losses), len(losses)) + 1), c, place, part, children
