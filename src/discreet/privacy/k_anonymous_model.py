# SPDX-License-Identifier: Apache-2.0
"""k-anonymity of a model: everybody shares their path down the published tree with at least k persons.

Paper: Friedman, Wolff, Schuster, "Providing k-anonymity in data mining", VLDB Journal 17, 2008. A model divides all
possible persons into sets that it cannot tell apart; the set that an attacker who knows the quasi-identifiers can
narrow a person down to is the *span* of these quasi-identifiers. A model is k-anonymous if every span holds nobody or
at least k of the persons it was learnt from. A tree that tests only quasi-identifiers has one span per leaf if the
attacker does not know the class, and one per leaf and class otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.tally import persons_per_group
from discreet.data.column import Column
from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.errors import DataError
from discreet.privacy.promise import Interval, Promise, Verdict, VerdictKind
from discreet.recoding.published_tree import PublishedTree


@dataclass(frozen=True)
class KAnonymousModel(Promise):
    """At least k persons are behind every leaf of the published tree, and behind every count that it shows.

    `public_class` requires it of every class within every leaf, for attackers who also know the class.

    Promise
    -------
    The persons are those that the tree was learnt from. They cannot be counted from the tree, so the published file
    allows only its own statements to be checked, and the verdict's kind is "owner"; with the owner's rows they are
    counted.
    """

    name: ClassVar[str] = "k-anonymous model"
    kind: ClassVar[VerdictKind] = "owner"
    does_not_protect: ClassVar[str] = (
        "A leaf says of all its persons which class is their commonest: where they share one class, it gives that class"
        " away. Questions and cuts of the tree are learnt from the private rows. An attacker who knows more than the"
        " quasi-identifiers, or compares the model with another release of the same persons, is not held back."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "public_class": [bool],
    }

    k: int = 5
    public_class: bool = False

    def __str__(self) -> str:
        return f"{self.k}-anonymous model" + (", class known" if self.public_class else "")

    def check(self, data: Any, roles: Roles | None = None) -> Verdict:
        if getattr(data, "shape_name", None) != "model":
            raise DataError("KAnonymousModel can be checked on a published model only; for rows, use KAnonymity.")
        tree = PublishedTree.of(data)
        if data.evidence is None:
            return self._check_statements(tree)
        return self._count(tree, data)

    def _check_statements(self, tree: PublishedTree) -> Verdict:
        """Check what the tree states. A published count below k refutes the promise, even if it counts rows."""
        sizes = []
        for leaf in (tree.nodes[place] for place in tree.leaves):
            counts = [leaf["at_least"]] if leaf["counts"] is None else [c for c in leaf["counts"] if c]
            if leaf["counts"] is None and self.public_class:
                raise DataError("A leaf does not show its classes, although the class is assumed to be known.")
            sizes.append(min(counts, default=0))
        return self._verdict(tree, min(sizes), rows=0, rows_short=0)

    def _count(self, tree: PublishedTree, document: Document) -> Verdict:
        """Count the owner's rows in the leaves of the tree."""
        table, persons = document.evidence, document.persons
        assert table is not None
        leaf_of, n_leaves, label = tree.apply(table), len(tree.leaves), table.column(tree.target)
        rows = np.bincount(leaf_of, minlength=n_leaves)
        sizes = persons_per_group(leaf_of, n_leaves, persons)
        of_class = _cells(leaf_of, n_leaves, label)
        for place, leaf in enumerate(tree.leaves):
            _compare(tree, tree.nodes[leaf], of_class[place], label)
        cell = leaf_of * label.levels + label.codes
        cells = persons_per_group(cell, n_leaves * label.levels, persons).reshape(n_leaves, label.levels)
        shown = np.array([self.public_class or tree.nodes[leaf]["counts"] is not None for leaf in tree.leaves])
        smallest = np.where(shown[:, None] & (cells > 0), cells, sizes[:, None]).min(axis=1)
        behind_names = min(self._persons_behind_names(tree, document), default=int(smallest.min()))
        return self._verdict(
            tree, min(int(smallest.min()), behind_names), rows=len(table), rows_short=int(rows[smallest < self.k].sum())
        )

    def _persons_behind_names(self, tree: PublishedTree, document: Document) -> list[int]:
        """Numbers of persons behind every value and class that the tree names, and behind every branch."""
        table, persons = document.evidence, document.persons
        assert table is not None
        sizes = [*_having(table.column(tree.target), tree.classes, persons)]
        for name, labels in tree.values.items():
            sizes += _having(table.column(name), labels, persons)
        for place, members, _ in tree.walk(table, np.arange(len(table))):
            node = tree.nodes[place]
            if "branches" in node:
                column, labels = table.column(node["column"]), tree.values[node["column"]]
                branch = [labels[text][node["level"]] if text in labels else None for text in column.texts]
                order = {label: number for number, label in enumerate(node["branches"])}
                number = np.array([*(order.get(b, -1) for b in branch), -1])[column.codes[members]]
                inside = number >= 0
                whose = None if persons is None else persons[members][inside]
                sizes += persons_per_group(number[inside], len(order), whose).tolist()
        return sizes

    def _verdict(self, tree: PublishedTree, measured: int, rows: int, rows_short: int) -> Verdict:
        shown = sum(tree.nodes[leaf]["counts"] is not None for leaf in tree.leaves)
        return Verdict(
            promise=str(self),
            holds=measured >= self.k,
            required=self.k,
            measured=measured,
            rows=rows,
            rows_short=rows_short,
            kind="owner",
            details={"leaves": len(tree.leaves), "leaves that show their classes": shown},
        )


def _cells(leaf_of: np.ndarray, n_leaves: int, label: Column) -> np.ndarray:
    cell = leaf_of * label.levels + label.codes
    return np.bincount(cell, minlength=n_leaves * label.levels).reshape(n_leaves, label.levels)


def _codes(column: Column, values: Any) -> list[int]:
    """Codes of published values, which may be texts or numbers."""
    place = {text: code for code, text in enumerate(column.texts)}
    place |= dict(zip(column.values.to_pylist(), place.values(), strict=True))
    if not all(value in place for value in values):
        raise DataError("The tree names a value that none of the owner's rows has.")
    return [place[value] for value in values]


def _having(column: Column, values: Any, persons: np.ndarray | None) -> list[int]:
    """Number of persons with each of the values."""
    return persons_per_group(column.codes, column.levels, persons)[_codes(column, values)].tolist()


def _compare(tree: PublishedTree, leaf: dict[str, Any], counts: np.ndarray, label: Column) -> None:
    """DataError unless the leaf's statements fit the owner's rows in it."""
    codes = _codes(label, tree.classes)
    if leaf["counts"] is not None and (leaf["counts"] != counts[codes].tolist() or counts.sum() != sum(leaf["counts"])):
        raise DataError("The counts that the tree shows are not those of the owner's rows.")
    if counts[codes].max() != counts[codes[tree.classes.index(leaf["class"])]]:
        raise DataError("A leaf states a class that is not the commonest of the owner's rows in it.")
