# SPDX-License-Identifier: Apache-2.0
"""C4.5: a decision tree of multiway tests, grown by gain ratio and pruned by pessimistic errors, on distinct rows.

Paper: J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann 1993, with the changes for numbers of
*Improved use of continuous attributes in C4.5*, JAIR 4 (1996), which are those of release 8. Where these leave a thing
open it is done as in Weka's J48, the implementation that papers report.

Departures from the paper: 1. A cut lies in the middle between two neighbouring numbers of the table, not at the lower
one: the tests are the same, but a new number between the two may go the other way. 2. Of equally good tests the first
feature, of equally good cuts the lowest is taken. 3. All limits are limits of weight, so that equal rows are counted
instead of listed. 4. Two numbers are apart as soon as they differ; Weka wants them 0.00001 apart. 5. The part of a row
that goes down a branch because its value is unknown is rounded to a multiple of 2^-28.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.foundation.lazy_modules import special
from discreet.foundation.parameters import Interval, check_parameters
from discreet.learning.c45_entries import Entries, Memory, entries_of, memory_of
from discreet.learning.c45_grow import grow
from discreet.learning.c45_prune import collapse, prune, reached
from discreet.learning.decision_tree import DecisionTree
from discreet.learning.examples import Examples


class C45:
    """A C4.5 decision tree.

    Parameters
    ----------
    min_objects : the least weight of at least two branches of every test
    confidence : of the pessimistic errors; less prunes more
    prune : whether the tree is pruned at all
    subtree_raising : whether a subtree may be replaced by its largest branch, not only by a leaf
    collapse : whether subtrees that do not lessen the training errors are cut before pruning
    mdl_correction : whether the gain of a cut is lessened by the bits that name it

    Attributes
    ----------
    tree_ : DecisionTree
    classes_ : the classes, as texts

    Examples
    --------
    >>> days = {"sky": ["sun", "sun", "rain", "rain"], "wind": [2, 9, 3, 8], "play": ["yes", "yes", "yes", "no"]}
    >>> table = Table.of({name: cells * 3 for name, cells in days.items()})
    >>> learner = C45().fit(Examples.of(table, ["sky", "wind"], "play"))
    >>> print(learner.tree_.to_text())
    sky = rain
    |   wind < 5.5: yes (3)
    |   wind >= 5.5: no (3)
    sky = sun: yes (6)
    >>> learner.predict(Table.of({"sky": ["rain", None], "wind": [9, 2]})).tolist()
    ['no', 'yes']
    """

    missing: ClassVar[Literal["unknown", "value"]] = "unknown"
    suppressed: ClassVar[Literal["unknown", "value"]] = "unknown"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_objects": [Interval(Integral, 1, None, closed="left")],
        "confidence": [Interval(Real, 0, 0.5, closed="right")],
        "prune": [bool],
        "subtree_raising": [bool],
        "collapse": [bool],
        "mdl_correction": [bool],
    }

    tree_: DecisionTree
    classes_: tuple[str, ...]

    def __init__(
        self,
        *,
        min_objects: int = 2,
        confidence: float = 0.25,
        prune: bool = True,
        subtree_raising: bool = True,
        collapse: bool = True,
        mdl_correction: bool = True,
    ):
        self.min_objects = min_objects
        self.confidence = confidence
        self.prune = prune
        self.subtree_raising = subtree_raising
        self.collapse = collapse
        self.mdl_correction = mdl_correction

    def fit(self, examples: Examples) -> C45:
        if not examples.counts.sum() > 0:
            raise DataError("A classifier needs at least one row whose class is known, and there is none.")
        return self.fit_entries(examples, entries_of(examples), memory_of(len(examples.features), 0))

    def fit_entries(self, examples: Examples, entries: Entries, memory: Memory) -> C45:
        """Fit entries of examples. Trees of the same rows and parameters may share a memory."""
        check_parameters(self, self._parameter_constraints)
        nodes, counts, items, weights, end = grow(entries, memory, float(self.min_objects), self.mdl_correction)
        if self.collapse:
            collapse(nodes, counts)
        if self.prune:
            confidence, quantile = float(self.confidence), float(special.ndtri(1 - self.confidence))
            prune(entries, nodes, counts, items, weights, end, self.subtree_raising, confidence, quantile)
        node_of, first = reached(nodes)
        test, limit, _, width, *_ = nodes[node_of].T
        width, cut = np.where(test < 0, 0, width), examples.cuts(test, limit)
        self.tree_ = DecisionTree(examples.features, examples.classes, test, cut, first, width, counts[node_of])
        self.classes_ = examples.classes
        return self

    def predict(self, table: Table) -> np.ndarray:
        """The class of each row, as text."""
        return self.tree_.predict(table)

    def predict_proba(self, table: Table) -> np.ndarray:
        """The share of each class for each row."""
        return self.tree_.distribution(table)
