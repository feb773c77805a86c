# SPDX-License-Identifier: Apache-2.0
"""A published decision tree, and the classifier that anyone can rebuild from it.

A node splits on one column. Numbers and dates (in days): is the value below the cut? Missing comes after the largest
number; a cut of null separates missing from the others. Categories: which label does the value have on this level of
its column's hierarchy? A value that no branch names, and missing without a branch of its own, goes to `otherwise`.
A leaf states the commonest class, a lower bound on its persons, and its rows of each class if those may be shown.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discreet.counting.tally import group
from discreet.data.column import Column, text_of
from discreet.data.document import NODES, Document
from discreet.data.table import Table
from discreet.errors import DataError, shown

_KEYS = dict(zip(("leaf", "number", "category"), NODES, strict=True))


@dataclass(frozen=True, eq=False)
class PublishedTree:
    """A classifier of tables, rebuilt from the published document alone.

    classes   the possible predictions
    values    per category column: the labels of each value, from the value itself up
    nodes     the root first; a child comes after its parent
    """

    target: str
    kinds: dict[str, str]
    classes: tuple[Any, ...]
    values: dict[str, dict[str, list[str]]]
    nodes: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, document: Document) -> PublishedTree:
        """Parse the tree in a document; DataError unless it is complete and consistent."""
        content, kinds = document.content, {name: kind for name, role, kind in document.columns if role == "quasi"}
        try:
            (target,) = (name for name, role, _ in document.columns if role == "target")
            tree = cls(target, kinds, tuple(content["classes"]), content["values"], tuple(content["nodes"]))
            tree._check()
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(f"The document is not a tree ({type(error).__name__}).") from None
        return tree

    # -- a classifier ----------------------------------------------------------------------------------------------

    @property
    def classes_(self) -> np.ndarray:
        return np.array(self.classes)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """Numbers of the nodes that are leaves."""
        return tuple(place for place, node in enumerate(self.nodes) if "class" in node)

    def apply(self, rows: object) -> np.ndarray:
        """The leaf of each row, as an index into `leaves`."""
        table = Table.of(rows)
        columns = table.columns(self.kinds)
        groups, first = group([column.codes for column in columns], len(table), [c.levels for c in columns])
        leaf_of, place = np.zeros(len(first), dtype=np.int64), {leaf: number for number, leaf in enumerate(self.leaves)}
        for node, members, _ in self.walk(table, first):
            if "class" in self.nodes[node]:
                leaf_of[members] = place[node]
        return leaf_of[groups]

    def predict(self, rows: object) -> np.ndarray:
        """The commonest class in the leaf of each row."""
        place = {label: number for number, label in enumerate(self.classes)}
        answers = np.array([place[self.nodes[leaf]["class"]] for leaf in self.leaves])
        return self.classes_[answers[self.apply(rows)]]

    def predict_proba(self, rows: object) -> np.ndarray:
        """The class shares in the leaf of each row; NaN if the leaf does not show them."""
        shares = np.full((len(self.leaves), len(self.classes)), np.nan)
        for place, leaf in enumerate(self.leaves):
            counts = self.nodes[leaf]["counts"]
            if counts is not None:
                shares[place] = np.array(counts) / sum(counts)
        return shares[self.apply(rows)]

    def score(self, rows: object, y: object = None) -> float:
        """The accuracy on the rows, compared with `y` or their target column."""
        table = Table.of(rows)
        if y is None:
            column = table.column(self.target)
            truth = np.array([*column.texts, ""], dtype=object)[column.codes]
        else:
            truth = np.array([text_of(value) for value in np.asarray(y).tolist()], dtype=object)
        predicted = np.array([text_of(value) for value in self.predict(table).tolist()], dtype=object)
        if len(truth) != len(predicted):
            raise DataError(
                f"There are {len(predicted)} rows and {len(truth)} classes to compare with; there must be as many."
            )
        return float((truth == predicted).mean())

    # -- passing rows down -----------------------------------------------------------------------------------------

    def walk(self, table: Table, rows: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield every node in order: its number, the rows that reach it (as indices into `rows`), and the child that
        each of them goes to (empty at a leaf).
        """
        waiting = {0: np.arange(len(rows))}
        for place, node in enumerate(self.nodes):
            members = waiting.pop(place)
            if "class" in node:
                yield place, members, np.empty(0, dtype=np.int64)
                continue
            column = table.column(node["column"])
            child = self.children(node, column)[column.codes[rows[members]]]
            for number in children_of(node):
                waiting[number] = members[child == number]
            yield place, members, child

    def children(self, node: dict[str, Any], column: Column) -> np.ndarray:
        """The child that each code of a column goes to, missing included."""
        if "cut" in node:
            if column.kind == "category" and len(column.values):
                raise DataError(f"Column {shown(column.name)} was learnt as numbers, but holds categories here.")
            numbers = np.append(column.numbers if len(column.values) else np.empty(0), np.inf)
            cut = np.inf if node["cut"] is None else node["cut"]
            return np.where(numbers < cut, node["below"], node["not_below"])
        labels, level = self.values[column.name], node["level"]
        children = [
            node["branches"].get(labels[text][level], node["otherwise"]) if text in labels else node["otherwise"]
            for text in column.texts
        ]
        return np.array([*children, node["otherwise"] if node["missing"] is None else node["missing"]])

    # -- checks ----------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        if not self.classes or len(set(map(json.dumps, self.classes))) < len(self.classes):
            raise DataError("The tree names no class, or one of them twice.")
        if {name for name, kind in self.kinds.items() if kind == "category"} != set(self.values):
            raise DataError("The tree does not state the values of each column of categories.")
        for labels in self.values.values():
            if (
                not labels
                or len({len(path) for path in labels.values()}) != 1
                or any(k != p[0] for k, p in labels.items())
            ):
                raise DataError("The hierarchy of a column is uneven, or does not begin with the values themselves.")
        used, parents = set(), [0] * len(self.nodes)
        for place, node in enumerate(self.nodes):
            kind = self._kind(node)
            if kind == "leaf":
                self._check_leaf(node)
                continue
            used.add(node["column"])
            children = children_of(node)
            if len(children) < 2 or not all(type(c) is int and place < c < len(self.nodes) for c in children):
                raise DataError("A node of the tree has fewer than two children, or one that does not follow it.")
            for child in children:
                parents[child] += 1
        if parents != [0] + [1] * (len(self.nodes) - 1):
            raise DataError("The nodes do not form a tree.")
        if used != set(self.kinds):
            raise DataError("The tree splits on other columns than the document names.")

    def _kind(self, node: dict[str, Any]) -> str:
        kind = "leaf" if "class" in node else "number" if "cut" in node else "category"
        if set(node) != _KEYS[kind]:
            raise DataError("A node of the tree does not have the fields of its kind.")
        if kind == "leaf":
            return kind
        if (self.kinds[node["column"]] == "category") != (kind == "category"):
            raise DataError("A node splits in a way that does not fit the kind of its column.")
        if kind == "number":
            cut = node["cut"]
            if cut is not None and (type(cut) not in (int, float) or not math.isfinite(cut)):
                raise DataError("A cut must be a number, or null to separate missing from the others.")
            return kind
        labels = self._labels_of(node["column"], node["level"])
        followed = {*node["branches"].values(), node["missing"]}
        if not node["level"] >= 0 or not set(node["branches"]) <= labels or node["otherwise"] not in followed:
            raise DataError("A node names a branch that its column's hierarchy does not have.")
        return kind

    @cached_property
    def _classes(self) -> frozenset[Any]:
        return frozenset(self.classes)

    def _labels_of(self, column: str, level: int) -> frozenset[str]:
        """The labels on a level of a column's hierarchy, cached."""
        if type(level) is not int:
            raise DataError("A level of a hierarchy must be a whole number.")
        if (column, level) not in self._levels:
            self._levels[column, level] = frozenset(path[level] for path in self.values[column].values())
        return self._levels[column, level]

    @cached_property
    def _levels(self) -> dict[tuple[str, int], frozenset[str]]:
        return {}

    def _check_leaf(self, leaf: dict[str, Any]) -> None:
        counts = leaf["counts"]
        if leaf["class"] not in self._classes or type(leaf["at_least"]) is not int:
            raise DataError("A leaf does not state its class, or how many persons are behind it.")
        if counts is None:
            return
        if len(counts) != len(self.classes) or not all(type(count) is int and count >= 0 for count in counts):
            raise DataError("A leaf does not show one count for each class.")
        if counts[self.classes.index(leaf["class"])] < max(counts) or not sum(counts):
            raise DataError("A leaf states a class that is not its commonest.")


def children_of(node: dict[str, Any]) -> list[int]:
    """The numbers of a node's children; empty for a leaf."""
    if "class" in node:
        return []
    if "cut" in node:
        return [node["below"], node["not_below"]]
    return [*node["branches"].values(), *([] if node["missing"] is None else [node["missing"]])]
