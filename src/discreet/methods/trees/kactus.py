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

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from discreet.counting.coded_rows import CodedRows
from discreet.counting.coding import Coding
from discreet.counting.row_lookup import RowLookup
from discreet.data.column import SUPPRESSED, Column
from discreet.data.roles import Roles
from discreet.engines.protocol import Engine
from discreet.errors import CannotRelease
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness, RandomState
from discreet.learning.c45 import C45
from discreet.learning.sklearn_tree import sklearn_branches
from discreet.methods.apply_groups import LEFT_OUT
from discreet.methods.base import Method
from discreet.methods.engine_release import EngineDecision, listed_cells
from discreet.methods.grouping import Decision, Grouping
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.methods.published_rows import refuse_marks
from discreet.methods.trees.kactus_columns import TreeRows
from discreet.methods.trees.kactus_moves import KeyedMoves, allotted
from discreet.methods.trees.kactus_ranks import Alike, RowRanks, keyed_names, keys_of_cells, slot_keys
from discreet.methods.trees.kactus_rows import Stock, stocks_of
from discreet.methods.trees.kactus_tree import Nodes
from discreet.methods.trees.kactus_walk import Moves, WalkRule, carry_out, decide, holders
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.labels import EVERYTHING, Labelling
from discreet.release.counted_source import SourceGroups
from discreet.release.losses import Crossing, penalty_of


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

    def _rule(self, rows: CodedRows, roles: Roles) -> tuple[WalkRule, Sequence[str]]:
        """What is asked of rows that are published together, and the columns whose values count for it."""
        return WalkRule(self.k), ()

    def _classes(self, labels: np.ndarray) -> np.ndarray:
        """The class of each row, as the choice of rows sees it: all the same, so that they are drawn at random."""
        return np.zeros(len(labels), dtype=np.int64)

    def _walked(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> _Walked:
        """What becomes of the rows, decided on counts."""
        coded = TreeRows.of(rows, k=self.k, cuts=self.cuts)
        nodes = self._grown(coded)
        node_of = nodes.ends(coded.rows.codes)[coded.place]
        rule, valued = self._rule(rows, roles)
        assert roles.target is not None
        told = dict.fromkeys([roles.target, *valued, *([] if roles.person is None else [roles.person])])
        alike = Alike.of(rows, tuple(told), randomness)
        label = self._classes(alike.codes[0])
        person = None if roles.person is None else alike.codes[alike.names.index(roles.person)]
        sensitive = [alike.codes[alike.names.index(name)] for name in valued]
        if person is None and not valued:
            in_node = np.zeros((len(nodes), int(label.max()) + 1), dtype=np.int64)
            np.add.at(in_node, (node_of[alike.row], label), alike.rows)
            stocks = [Stock(line) for line in in_node.tolist()]
        else:
            each = np.repeat(np.arange(len(alike.row)), alike.rows)  # the rows of each entry, one by one
            rank = np.empty(len(each), dtype=np.int64)
            turn = np.arange(len(each)) - np.repeat(np.cumsum(alike.rows) - alike.rows, alike.rows)
            rank[np.lexsort((each, slot_keys(alike.key, each, turn)))] = np.arange(len(each))
            whose = None if person is None else person[each]
            values = [codes[each] for codes in sensitive]
            stocks = stocks_of(node_of[alike.row[each]], label[each], len(nodes), rank.take, whose, values)
        moves = decide(nodes.children, stocks, rule)
        if moves is None:
            raise CannotRelease(
                f"All {rows.n_rows} rows together do not keep {self.promise}: a sensitive column has too few different"
                f" values. Ask for less, or name other sensitive columns."
            )
        return _Walked(coded, nodes, node_of, alike, label, moves)

    # -- engines ---------------------------------------------------------------------------------------------------

    def _decide_engine(self, engine: Engine, roles: Roles, randomness: Randomness) -> EngineDecision:
        rows = CodedRows.of(engine, roles.quasi, target=roles.target, person=roles.person)
        refuse_marks(rows, roles)
        self._enough(rows.n_persons)
        walked = self._walked(rows, roles, randomness)
        moves, alike, parent = walked.moves, walked.alike, walked.nodes.parent
        grouping, pattern = _shown(rows, walked.coded, walked.nodes, moves, in_memory=False)
        holder, batch_of = holders(moves, parent)
        stays = np.append(pattern, LEFT_OUT)[batch_of[holder[walked.node_of]]]
        moved = allotted(moves, parent, walked.node_of[alike.row], walked.label, alike)
        lookup = KeyedMoves(RowLookup(rows.codes), stays, alike, moved, pattern)
        listed = [listed_cells(engine, name) for name in (*roles.quasi, *alike.names)]
        keyed = tuple(engine.coding(name) for name in keyed_names(roles, alike.names))
        secret = secrets.token_bytes(32)
        lookup.find_split(engine, listed, keyed, alike.key, secret)
        return MovedRows.of_moves(rows, roles, grouping, lookup, alike, secret)

    # -- tables ----------------------------------------------------------------------------------------------------

    def _decide(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Grouping:
        walked = self._walked(rows, roles, randomness)
        ends = walked.node_of[rows.group_of_row]
        labels = self._classes(rows.table.column(str(roles.target)).codes)
        rank = RowRanks(rows, roles, walked.alike)
        batch, swapped = carry_out(walked.moves, walked.nodes.parent, ends, labels, rank)
        return _grouping(rows, walked.coded, walked.nodes, walked.moves, batch, swapped)

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
class _Walked:
    """What the walk decided: node_of is where each distinct row ends, label the class of each entry."""

    coded: TreeRows
    nodes: Nodes
    node_of: np.ndarray
    alike: Alike
    label: np.ndarray
    moves: Moves


@dataclass(frozen=True, eq=False)
class MovedRows(EngineDecision):
    """The decision about an engine's rows, some of which are told apart by a hash of their other cells."""

    alike: Alike | None = None
    keyed: tuple[str, ...] = ()

    @classmethod
    def of_moves(
        cls, rows: CodedRows, roles: Roles, grouping: Grouping, lookup: KeyedMoves, alike: Alike, secret: bytes
    ) -> MovedRows:
        row, pattern, weights = lookup.counts
        written = grouping.columns(pattern)
        old = [Column(one.name, one.kind, one.values, one.codes[row]) for one in rows.columns]
        left_out = rows.n_rows - int(weights.sum())
        return cls(
            lookup,
            grouping.columns(np.arange(len(grouping.codes))),
            Decision(grouping.plan_for_new_rows, grouping.trace, grouping.notes),
            [Crossing(one, written[one.name], weights) for one in old],
            penalty_of(grouping.labellings, rows, written, rows.names, left_out, weights),
            rows.n_rows,
            SourceGroups.of(rows),
            left_out=left_out,
            swapped=grouping.swapped,
            beside=alike.names,
            secret=secret,
            alike=alike,
            keyed=tuple(keyed_names(roles, alike.names)),
        )

    def keys(self, codings: Sequence[Coding]) -> Callable[[pa.RecordBatch], np.ndarray]:
        assert self.alike is not None
        by_name = {one.name: one for one in codings}
        return partial(keys_of_cells, self.alike.key, tuple(by_name[name] for name in self.keyed))


def _suppressed(column: Column) -> Labelling:
    """The labelling of a column that is suppressed everywhere."""
    return Labelling(column.name, column.kind, (SUPPRESSED,), (EVERYTHING,))
