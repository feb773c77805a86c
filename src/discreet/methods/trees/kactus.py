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
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.row_lookup import RowLookup
from discreet.counting.tally import row_order
from discreet.data.column import SUPPRESSED, Column
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines.protocol import Engine, HistogramEngine
from discreet.errors import CannotRelease
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness, RandomState
from discreet.learning.c45 import C45
from discreet.learning.sklearn_tree import sklearn_branches
from discreet.methods.base import Method
from discreet.methods.engine_release import EngineDecision, needs_rows
from discreet.methods.grouping import Decision, Grouping
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.methods.published_rows import refuse_marks
from discreet.methods.trees.kactus_columns import TreeRows
from discreet.methods.trees.kactus_moves import DrawnMoves
from discreet.methods.trees.kactus_rows import Stock, stocks_of
from discreet.methods.trees.kactus_tree import Nodes
from discreet.methods.trees.kactus_walk import Moves, WalkRule, carry_out, decide
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.labels import EVERYTHING, Labelling
from discreet.release.counted_source import SourceGroups
from discreet.release.losses import Crossing, penalty_of
from discreet.release.release import Release


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
    random_state : int, RandomState, Generator or None
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
        random_state: RandomState = None,
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

    # -- engines ---------------------------------------------------------------------------------------------------

    def _release_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> Release:
        why = self._needs_rows() or ("the rows of a person are told apart" if roles.person is not None else "")
        if not why and not isinstance(engine, HistogramEngine):
            why = f"rows are drawn one by one, while {type(engine).__name__} works on many at once"
        if why:
            raise needs_rows(type(self).__name__, why)
        return super()._release_engine(engine, roles, randomness)

    def _needs_rows(self) -> str:
        return ""

    def _engine_rule(self) -> WalkRule:
        """The rule where rows are counted by class alone."""
        return WalkRule(self.k)

    def _by_class(self, counts: np.ndarray) -> np.ndarray:
        """The rows of each class, as the choice of rows sees them."""
        return counts.sum(axis=1, keepdims=True)

    def _decide_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> EngineDecision:
        rows = CodedRows.of(engine, roles.quasi, target=roles.target)
        refuse_marks(rows, roles)
        self._enough(rows.n_rows)
        coded = TreeRows.of(rows, k=self.k, cuts=self.cuts)
        nodes = self._grown(coded)
        node_of, counts = nodes.ends(coded.rows.codes)[coded.place], self._by_class(rows.counts)
        in_node = np.zeros((len(nodes), counts.shape[1]), dtype=np.int64)
        np.add.at(in_node, node_of, counts)
        moves = decide(nodes.children, [Stock(line) for line in in_node.tolist()], self._engine_rule())
        assert moves is not None  # only sensitive values can be too few
        grouping, pattern = _shown(rows, coded, nodes, moves, in_memory=False)
        drawn = DrawnMoves(RowLookup(rows.codes), moves, nodes.parent, node_of, counts, pattern, randomness)
        return MovedRows.of(rows, roles, grouping, moves, drawn, by_class=counts.shape[1] > 1)

    # -- tables ----------------------------------------------------------------------------------------------------

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
    """The pattern of each row, and which rows were swapped."""
    shown, pattern = _shown(rows, coded, nodes, moves, in_memory=True)
    group_of = np.where(batch >= 0, np.append(pattern, -1)[batch], -1)
    trace = [*shown.trace, *([{"swapped rows": swapped.tolist()}] if len(swapped) else [])]
    return replace(shown, group=group_of, trace=trace, of_single_rows=True, swapped=len(swapped))


def _shown(
    rows: CodedRows, coded: TreeRows, nodes: Nodes, moves: Moves, *, in_memory: bool
) -> tuple[Grouping, np.ndarray]:
    """What is published, and the pattern of each batch: rows published at one node show the cells of its path."""
    shown, pattern = np.unique([one.node for one in moves.batches], return_inverse=True)
    columns, cells = nodes.labels(coded.quasi, shown)
    shown_columns = {one.name for one in columns}
    hidden = [_suppressed(column) for column in rows.columns if column.name not in shown_columns]
    sizes = [sum(batch.stock.counts) for batch in moves.batches]
    n_swapped = sum(sum(counts) for _, to, counts in moves.given if moves.batches[to].swapped)
    trace: list[dict[str, Any]] = [
        {"nodes of the tree": len(nodes) - 1, "nodes published": len(shown)},
        {
            "rows given to fill up others": sum(sum(counts) for _, _, counts in moves.given) - n_swapped,
            "rows that show nothing": sum(n for n, one in zip(sizes, moves.batches, strict=True) if one.node == 0),
        },
    ]
    notes = []
    if n_swapped:
        notes.append(
            f"{n_swapped} of {sum(sizes)} rows show in one column a value that is not their own: the release is false"
            f" there. {'The trace says which rows they are; with' if in_memory else 'With'} swap=0 there are none."
        )
    grouping = Grouping(
        np.empty(0, dtype=np.int64),
        (*columns, *hidden),
        np.pad(cells, ((0, 0), (0, len(hidden)))),
        trace=trace,
        notes=notes,
        swapped=n_swapped,
    )
    return grouping, pattern.ravel()


@dataclass(frozen=True, eq=False)
class MovedRows(EngineDecision):
    """The decision about an engine's rows, some of which are drawn while they are published."""

    rows: CodedRows | None = None
    grouping: Grouping | None = None

    @classmethod
    def of(  # type: ignore[override]
        cls, rows: CodedRows, roles: Roles, grouping: Grouping, moves: Moves, drawn: DrawnMoves, *, by_class: bool
    ) -> MovedRows:
        plan = grouping.plan_for_new_rows
        return cls(
            drawn,
            grouping.columns(np.arange(len(grouping.codes))),
            Decision(plan, grouping.trace, grouping.notes),
            (),
            None,
            rows.n_rows,
            SourceGroups.of(rows),
            left_out=rows.n_rows - sum(sum(batch.stock.counts) for batch in moves.batches),
            swapped=grouping.swapped,
            beside=(str(roles.target),) if by_class else (),
            rows=rows,
            grouping=grouping,
        )

    def after_publishing(self) -> MovedRows:
        assert isinstance(self.lookup, DrawnMoves)
        assert self.rows is not None
        assert self.grouping is not None
        row, pattern, weights = self.lookup.published(self.rows.rows)
        written = self.grouping.columns(pattern)
        old = [Column(one.name, one.kind, one.values, one.codes[row]) for one in self.rows.columns]
        crossed = [Crossing(one, written[one.name], weights) for one in old]
        names, labellings = self.rows.names, self.grouping.labellings
        penalty = penalty_of(labellings, self.rows, written, names, self.left_out, weights)
        return replace(self, crossed=crossed, penalty=penalty)


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
