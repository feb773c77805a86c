# SPDX-License-Identifier: Apache-2.0
"""Growth of a kADET tree: the most informative allowed question at each node, then pruning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.methods.trees.kadet_questions import BranchRule, NodeEntries, Question, Split
from discreet.recoding.published_tree import children_of

_LEAST = 1e-9  # bits of information gain per row below which a question tells nothing


@dataclass(frozen=True, eq=False)
class Growth:
    """Grows a tree; `named` are the classes that may be named."""

    questions: Sequence[Question]
    rule: BranchRule
    classes: Sequence[Any]
    named: np.ndarray
    prune: bool = True

    def nodes(self, entries: NodeEntries) -> list[dict[str, Any]]:
        """The nodes as they are published: a child comes after its parent."""
        nodes: list[dict[str, Any]] = [{}]
        leaves: list[Leaf] = [self._leaf(entries)]  # what each node would be as a leaf
        waiting = [(0, entries)]
        while waiting:
            place, here = waiting.pop()
            split = self._best(here)
            if split is None:
                nodes[place] = leaves[place].node
                continue
            first = len(nodes)
            branch, n_branches, node = split.make()
            nodes[place] = _renumbered(node, dict(enumerate(range(first, first + n_branches))))
            parts = [here.take(branch == b) for b in range(n_branches)]
            leaves += [self._leaf(part) for part in parts]
            nodes += [{}] * n_branches
            waiting += zip(range(first, len(nodes)), parts, strict=True)
        return pruned(nodes, leaves) if self.prune else nodes

    def _best(self, entries: NodeEntries) -> Split | None:
        """The allowed split of highest information gain; a split that is not allowed is replaced by its generalisation.

        Allowed: every non-empty branch holds k persons, or, where the class is public, every non-empty class of each
        branch does (see `BranchRule`).
        """
        n_rows = int(entries.rows.sum())
        if n_rows < 2 * self.rule.k or (entries.label == entries.label[0]).all():
            return None  # too few persons for two branches, or only one class
        least = _LEAST * n_rows
        ways = [question.splits(entries, entries.codes[:, i], self.rule) for i, question in enumerate(self.questions)]
        candidates = [next(way, None) for way in ways]
        while True:
            gains = [-1.0 if split is None else round(split.gain, 9) for split in candidates]
            best = int(np.argmax(gains))
            split = candidates[best]
            if split is None or split.gain <= least:
                return None
            if split.allowed:
                return split
            candidates[best] = next(ways[best], None)  # one level up the hierarchy (departure 3)

    def _leaf(self, entries: NodeEntries) -> Leaf:
        rows = np.bincount(entries.label, entries.rows, minlength=entries.n_classes).astype(np.int64)
        persons = rows
        if entries.person is not None:
            persons = entries.persons(np.zeros_like(entries.label), 1, by_class=True)[0]
        shown = ((persons == 0) | (persons >= self.rule.k)).all()
        node = {
            "class": self.classes[int(np.argmax(rows[self.named]))],
            "at_least": int(self.rule.k),
            "counts": rows[self.named].tolist() if shown else None,
        }
        return Leaf(node, int(rows.sum()), int(rows.sum() - rows[self.named].max()))


@dataclass(frozen=True)
class Leaf:
    """A leaf as it would be published, its rows, and those of them that are of another class."""

    node: dict[str, Any]
    rows: int
    errors: int


def pruned(nodes: list[dict[str, Any]], leaves: Sequence[Leaf]) -> list[dict[str, Any]]:
    """Pessimistic pruning (Quinlan 1987): a leaf takes the place of a subtree whose errors, with half a row more for
    each of its leaves and one standard error, are no fewer. A leaf of several has more persons: the promise is kept.
    """
    stays, errors = [True] * len(nodes), [leaf.errors + 0.5 for leaf in leaves]
    for place in reversed(range(len(nodes))):  # children first
        children = children_of(nodes[place])
        below = sum(errors[child] for child in children)
        rows = leaves[place].rows
        if children and errors[place] > below + math.sqrt(max(below * (rows - below), 0) / rows):
            errors[place] = below
        else:
            stays[place] = False
    number, queue, nodes_kept = {0: 0}, [0], []
    for place in queue:
        children = children_of(nodes[place]) if stays[place] else []
        number |= {child: len(number) + i for i, child in enumerate(children)}
        queue += children
        nodes_kept.append(place)
    return [_renumbered(nodes[place], number) if stays[place] else leaves[place].node for place in nodes_kept]


def _renumbered(node: dict[str, Any], number: Mapping[int, int]) -> dict[str, Any]:
    if "cut" in node:
        return node | {field: number[node[field]] for field in ("below", "not_below")}
    new = {"branches": {name: number[child] for name, child in node["branches"].items()}}
    return node | new | {field: number.get(node[field]) for field in ("missing", "otherwise")}
