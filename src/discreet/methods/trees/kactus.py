# SPDX-License-Identifier: Apache-2.0
"""kACTUS: a decision tree says which cells matter; what its leaves cannot show to k persons is suppressed.

Paper: Kisilevich, Elovici, Shapira, Rokach, "A multi-dimensional suppression for k-anonymity", as the paper of its
successor retells it ("kACTUS 2: Privacy Preserving in Classification Tasks Using k-Anonymity", Section 2).
Departures from the paper:
1. The walk over the tree is that of kACTUS-2 without swapping, repaired (see kactus2.py); the rows that fill up a leaf
   are drawn at random from one sibling, the first one that can spare them.
2. Cells outside the path of a row's node are suppressed. Without that the release would not be k-anonymous.
3. Numbers and dates are binned first, and their intervals published; a category that fewer than k persons have is part
   of "other", and an interval of a single whole number or day that fewer have is suppressed; missing is a value.
4. With a person column k counts persons. Rows of fewer than k persons that no node can show are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import row_order
from discreet.data.column import SUPPRESSED, Column
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import CannotRelease
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness
from discreet.learning.c45 import C45
from discreet.learning.sklearn_tree import sklearn_branches
from discreet.methods.base import Method
from discreet.methods.grouping import Grouping
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.methods.trees.kactus_columns import TreeRows
from discreet.methods.trees.kactus_rows import stocks_of
from discreet.methods.trees.kactus_tree import Nodes
from discreet.methods.trees.kactus_walk import Moves, WalkRule, carry_out, decide
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.labels import EVERYTHING, Labelling


class KActus(Method):
    """Show of each row the cells on its way down a decision tree, as far as k persons share them; suppress the others.

    Parameters
    ----------
    k : int in [2, inf)
    inducer : "c45", "sklearn", or a callable
        What builds the tree. A callable takes Examples, with intervals as categories, and returns branches
        (discreet.learning.decision_tree.Branch); it must be deterministic for a seed to give the same release again.
    min_objects : int in [1, inf)
        The least rows that two branches of a test, or a leaf of scikit-learn's tree, have.
    confidence : float in (0, 0.5]
        Of C4.5's pruning: lower prunes more. scikit-learn's tree is not pruned.
    cuts : mapping of column name to cut points; other numbers are cut by MDL against the target
    max_suppressed : float, dict or None
        At most this share of the quasi-identifier cells may be suppressed, or there is no release. A dict limits
        "cells", "rows" (left out, or suppressed in all quasi-identifiers) or both.
    random_state : int or None
        Which rows fill up a leaf, and the order of the released rows.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, counted in persons when the roles name a person column. Rows of k - 1
    persons at most may be left out.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = KActus(k=3, cuts={"age": [40]}).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist())), set(release.data.column("sex").to_pylist())
    (['< 40', '>= 40'], {'*'})
    """

    name = "kactus"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "inducer": [StrOptions({"c45", "sklearn"}), callable],
        "min_objects": [Interval(Integral, 1, None, closed="left")],
        "confidence": [Interval(Real, 0, 0.5, closed="right")],
        "cuts": [dict, None],
        "max_suppressed": MAX_SUPPRESSED,
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        inducer: Any = "c45",
        min_objects: int = 2,
        confidence: float = 0.25,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        max_suppressed: float | Mapping[str, float] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.inducer = inducer
        self.min_objects = min_objects
        self.confidence = confidence
        self.cuts = cuts
        self.max_suppressed = max_suppressed
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KAnonymity(self.k)

    def _rule(self, table: Table, roles: Roles) -> tuple[WalkRule, Sequence[str]]:
        """What is asked of rows that are published together, and the columns whose values count for it."""
        return WalkRule(self.k), ()

    def _classes(self, target: Column) -> np.ndarray:
        """The class of each row, as the choice of rows sees it: all the same, so that they are drawn at random."""
        return np.zeros(len(target), dtype=np.int64)

    def _decide(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Grouping:
        coded = TreeRows.of(rows, k=self.k, cuts=self.cuts)
        nodes = self._grown(coded)
        table, group_of_row = rows.table, coded.place[rows.group_of_row]
        ends = nodes.ends(coded.rows.codes)[group_of_row]
        labels = self._classes(table.column(roles.target))  # type: ignore[arg-type]
        rule, valued = self._rule(table, roles)
        rank = _Ranks(table, roles, group_of_row, randomness)
        persons = None if roles.person is None else table.column(roles.person).codes
        sensitive = [table.column(name).codes for name in valued]
        stocks = stocks_of(ends, labels, len(nodes), rank, persons, sensitive)
        moves = decide(nodes.children, stocks, rule)
        if moves is None:
            raise CannotRelease(
                f"All {len(table)} rows together do not keep {self.promise}: a sensitive column has too few different"
                f" values. Ask for less, or name other sensitive columns."
            )
        batch, swapped = carry_out(moves, nodes.parent, ends, labels, rank)
        return _grouping(rows, coded, nodes, moves, batch, swapped)

    def _grown(self, coded: TreeRows) -> Nodes:
        """The tree of the inducer; no node but the first where there is nothing to ask about."""
        if not coded.quasi:
            return Nodes.of((), ())
        if callable(self.inducer):
            return Nodes.of(tuple(self.inducer(coded.examples())), coded.levels)
        if self.inducer == "sklearn":
            examples = coded.examples(ordered=True)
            branches = sklearn_branches(examples, min_samples_leaf=self.min_objects, random_state=0)
            return Nodes.of(branches, coded.levels)
        learner = C45(min_objects=self.min_objects, confidence=self.confidence)
        return Nodes.of_tree(learner.fit(coded.examples()).tree_)


def _grouping(
    rows: CodedRows, coded: TreeRows, nodes: Nodes, moves: Moves, batch: np.ndarray, swapped: np.ndarray
) -> Grouping:
    """Rows published at one node look alike: they show the cells of its path."""
    shown, pattern = np.unique([one.node for one in moves.batches], return_inverse=True)
    group_of = np.where(batch >= 0, np.append(pattern.ravel(), -1)[batch], -1)
    columns, cells = nodes.labels(coded.quasi, shown)
    shown_columns = {one.name for one in columns}
    hidden = [_suppressed(column) for column in rows.columns if column.name not in shown_columns]
    n_given, n_kept = sum(sum(counts) for _, _, counts in moves.given), int((batch >= 0).sum())
    trace: list[dict[str, Any]] = [
        {"nodes of the tree": len(nodes) - 1, "nodes published": len(shown)},
        {
            "rows given to fill up others": n_given - len(swapped),
            "rows that show nothing": int((shown[group_of[batch >= 0]] == 0).sum()),
        },
    ]
    notes = []
    if len(swapped):
        trace.append({"swapped rows": swapped.tolist()})
        notes.append(
            f"{len(swapped)} of {n_kept} rows show in one column a value that is not their own: the release is"
            f" false there. The trace says which rows they are; with swap=0 there are none."
        )
    return Grouping(
        group_of,
        (*columns, *hidden),
        np.pad(cells, ((0, 0), (0, len(hidden)))),
        trace=trace,
        notes=notes,
        of_single_rows=True,
        swapped=len(swapped),
    )


class _Ranks:
    """Orders rows by a keyed hash: of their content and the randomness, not of their places in the table."""

    def __init__(self, table: Table, roles: Roles, group_of_row: np.ndarray, randomness: Randomness):
        names = dict.fromkeys((roles.target, *roles.sensitive, *roles.other, roles.person))
        columns = [table.column(name) for name in names if name is not None]
        self._codes = [group_of_row, *(column.codes for column in columns)]
        self._levels = [int(group_of_row.max()) + 1, *(column.levels for column in columns)]
        self._randomness = randomness
        self._cached: np.ndarray | None = None

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Of each of these rows the place in their order; the order of all rows, once asked for, is kept."""
        if self._cached is not None:
            return self._cached[rows]
        rank = np.empty(len(rows), dtype=np.int64)
        order = row_order((codes[rows] for codes in self._codes), len(rows), self._levels)
        rank[order] = self._randomness.permutation(len(rows))
        if len(rows) == len(self._codes[0]):
            self._cached = rank
        return rank


def _suppressed(column: Column) -> Labelling:
    """The labelling of a column that is suppressed everywhere."""
    return Labelling(column.name, column.kind, (SUPPRESSED,), (EVERYTHING,))
