# SPDX-License-Identifier: Apache-2.0
"""The slow twin of kACTUS-2: rows in plain Python, step by step; entropies are computed."""

import math
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Row:
    cells: tuple
    label: int
    rank: int
    person: int
    values: tuple = ()


@dataclass(eq=False)
class Node:
    column: int
    path: dict  # column -> frozenset of codes
    parent: object = None
    children: list = field(default_factory=list)


def grow(branches, levels, parent=None):
    nodes = []
    for branch in branches:
        path = dict(parent.path) if parent else {}
        codes = frozenset(code for code in range(levels[branch.column]) if branch.accepts[code])
        path[branch.column] = codes & path.get(branch.column, codes)
        if path[branch.column]:
            node = Node(branch.column, path, parent)
            node.children = grow(branch.children, levels, node)
            nodes.append(node)
    return nodes


class Twin:
    """`published[row]` is the path that a row is published with; rows that are left out have none."""

    def __init__(self, rows, branches, levels, k, swap=0.0, pool=False, l=0, as_printed=False):  # noqa: E741
        self.rows, self.k, self.swap, self.pool, self.l = rows, k, swap, pool, l
        self.n_classes = max(row.label for row in rows) + 1
        self.as_printed = as_printed
        self.left = set(range(len(rows)))
        self.published = {}
        self.batches = []  # (path, rows)
        self.swapped = set()
        self.impossible = False
        for root in grow(branches, levels):
            while True:
                leaf, depth = self.deepest(root)
                if depth == 0:
                    if self.complies(self.at(root)):
                        self.move(self.at(root), root.path)
                    break
                self.anonymise(leaf.parent)
        self.finish(sorted(self.left))

    def deepest(self, node, depth=0):
        found = [self.deepest(child, depth + 1) for child in node.children]
        return max(found, key=lambda pair: pair[1], default=(node, depth))

    def at(self, node):
        return [r for r in sorted(self.left) if all(self.rows[r].cells[c] in codes for c, codes in node.path.items())]

    def persons(self, rows):
        return len({self.rows[r].person for r in rows})

    def complies(self, rows):
        if self.persons(rows) < self.k:
            return False
        n_sensitive = len(self.rows[0].values) if self.l else 0
        kinds = [len({self.rows[r].values[s] for r in rows}) for s in range(n_sensitive)]
        return all(min(kind, self.persons(rows)) >= self.l for kind in kinds)

    def move(self, rows, path):
        assert set(rows) <= self.left
        self.left -= set(rows)
        self.batches.append([path, list(rows)])

    def entropy(self, rows):
        counts = Counter(self.rows[r].label for r in rows)
        return round(-sum(n / len(rows) * math.log2(n / len(rows)) for n in counts.values()), 9) + 0.0

    def anonymise(self, parent):
        children = [child for child in parent.children if self.at(child)]
        parent.children = []
        if not self.complies(self.at(parent)):
            return
        able = [child for child in children if self.complies(self.at(child))]
        short = [child for child in children if child not in able]
        if self.swap > 0 and able:
            short = [child for child in short if not self.perform_swap(child, able)]
        if self.pool and able and len(short) > 1:
            together = [r for child in short for r in self.at(child)]
            groups = [] if self.complies(together) else [together]
        else:
            groups = [self.at(child) for child in short]
        for giver in able:
            for group in list(groups):
                if self.perform_fill(group, giver, parent):
                    groups.remove(group)
            self.move(self.at(giver), giver.path)

    def first_of(self, rows, label):
        return min((r for r in rows if self.rows[r].label == label), key=lambda r: self.rows[r].rank, default=None)

    def least_missed(self, giver):
        """The row to take from the giver: of the class whose loss leaves it with the least entropy."""
        found = [(label, self.first_of(giver, label)) for label in range(self.n_classes)]
        found = [
            (self.entropy([r for r in giver if r != row]) if len(giver) > 1 else 0.0, label, row)
            for label, row in found
            if row is not None
        ]
        return min(found)[2]

    def fitting(self, giver, receiver):
        def after(label):
            counts = Counter(self.rows[r].label for r in receiver)
            counts[label] += 1
            n = sum(counts.values())
            return round(-sum(c / n * math.log2(c / n) for c in counts.values() if c), 9) + 0.0

        wanted = min(range(self.n_classes), key=lambda label: (after(label), label))
        row = self.first_of(giver, wanted)
        return row if row is not None else self.least_missed(giver)

    def draw(self, giver, receiver, most, choose):
        giver, receiver, drawn = list(giver), list(receiver), []
        while not self.complies(receiver) and len(drawn) < most and giver:
            row = choose(giver, receiver)
            giver.remove(row)
            receiver.append(row)
            drawn.append(row)
        return (drawn, giver) if self.complies(receiver) and self.complies(giver) else None

    def perform_swap(self, child, able):
        mine = self.at(child)
        required = max(self.k - self.persons(mine), 0)
        if required / self.k > self.swap:
            return False
        most = max(q for q in range(self.k + 1) if q / self.k <= self.swap)
        best = None
        for giver in able:
            if self.persons(self.at(giver)) - self.k > required:
                found = self.draw(self.at(giver), mine, most, self.fitting)
                if found and (best is None or self.entropy(found[1]) < best[0]):
                    best = self.entropy(found[1]), found[0]
        if best is None:
            return False
        if self.as_printed:  # lines 3.20 and 3.21: published first, and what is swapped afterwards never moves along
            self.move(mine, child.path)
            self.swapped |= set(best[1])
            for row in best[1]:
                cells = list(self.rows[row].cells)
                cells[child.column] = min(child.path[child.column])
                self.rows[row].cells = tuple(cells)
            return True
        self.move([*mine, *best[1]], child.path)
        self.swapped |= set(best[1])
        return True

    def perform_fill(self, group, giver, parent):
        if self.persons(self.at(giver)) - self.k < max(self.k - self.persons(group), 0):
            return False
        found = self.draw(self.at(giver), group, self.k, lambda g, r: self.least_missed(g))
        if found is None:
            return False
        self.move([*group, *found[0]], parent.path)
        return True

    def finish(self, pooled):
        if self.complies(pooled):
            self.move(pooled, {})
        elif self.persons(pooled) >= self.k:
            if not self.batches:
                self.impossible = True
                return
            smallest = min(
                self.batches, key=lambda batch: (self.persons(batch[1]), min(self.rows[r].rank for r in batch[1]))
            )
            smallest[0] = {}
            self.swapped -= set(smallest[1])
            self.move(pooled, {})
        for path, rows in self.batches:
            for row in rows:
                assert row not in self.published
                self.published[row] = {column: tuple(sorted(codes)) for column, codes in path.items()}
