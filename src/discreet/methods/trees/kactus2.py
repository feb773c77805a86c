# SPDX-License-Identifier: Apache-2.0
"""kACTUS-2: as kACTUS, but rows that fill up a leaf are chosen so that the classes stay pure, and may be swapped in.

Paper: Kisilevich, Elovici, Shapira, Rokach, "kACTUS 2: Privacy Preserving in Classification Tasks Using k-Anonymity".
Departures from the paper:
1. As printed the release is not k-anonymous: lines 3.20 and 3.21 publish a leaf and swap rows into it afterwards. Here
   rows are swapped first and published together.
2. A leaf that was filled up is done; the printed loops meet it again, empty, and fill it up once more.
3. A root node with enough rows is published and removed, one with fewer goes to the pool; the printed loop adds both to
   the pool, and does not end at the latter.
4. The class is never altered (the paper's helper text swaps it, its Definition 8 does not).
5. Rows that fill up a leaf by suppression are those whose loss leaves the giver with the least class entropy; the paper
   announces a criterion and does not give it.
6. Leaves that nobody can fill up belong to their parent afterwards. The paper does not say what becomes of them.
7. Of the rows of a class those first in a keyed hash order are taken; the order of the table would leak.
8. swap=0 by default: swapping makes the release false.
9. pool=True fills up the short leaves of one parent once, together; the paper fills up each by itself.
10. l, t and label_known (group_promise.py) are asked of the rows at every node that is published. With t no row is
    left out: that would change the whole table, which the groups are compared with.
11. Cells outside the path are suppressed, numbers are binned first, rare categories are "other" (see kactus.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import pair_counts
from discreet.data.roles import Roles
from discreet.foundation.parameters import Interval
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.group_needs import GroupNeeds
from discreet.methods.trees.kactus import KActus
from discreet.methods.trees.kactus_needs import stock_needs
from discreet.methods.trees.kactus_walk import WalkRule
from discreet.privacy.group_promise import GROUP_NEEDS, promise_of, stated_needs
from discreet.privacy.promise import Promise


class KActus2(KActus):
    """Show of each row the cells on its way down a decision tree, as far as k persons share them; suppress the others.

    Parameters
    ----------
    k : int in [2, inf)
    swap : float in [0, 1]
        Up to swap * k rows of a sibling may be published as if they were a leaf's, to fill it up. They are false.
    pool : bool
        Whether the short leaves of one parent are filled up together, which takes fewer rows from their siblings.
    l, diversity, c : float above 1 or None; "distinct", "entropy" or "recursive"; float above 0 or None
        How many values each sensitive column has at least among the rows that look alike, and how they are counted: see
        `discreet.privacy.group_promise`.
    t, distance : float in [0, 1] or None; "equal" or "ordered"
        How far the sensitive values of rows that look alike may be distributed from those of the whole table.
    label_known : bool
        Whether k persons are left also to somebody who knows the label.
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
        Which rows of a class fill up a leaf, and the order of the released rows.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, with LDiversity(l) and TCloseness(t) of the sensitive columns where l and t
    are given; counted in persons when the roles name a person column. Rows of k - 1 persons at most may be left out.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = KActus2(k=3, cuts={"age": [40]}).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist())), set(release.data.column("sex").to_pylist())
    (['< 40', '>= 40'], {'*'})
    """

    name = "kactus2"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KActus._parameter_constraints,
        "swap": [Interval(Real, 0, 1, closed="both")],
        "pool": [bool],
        **GROUP_NEEDS,
    }

    def __init__(
        self,
        k: int = 5,
        *,
        swap: float = 0.0,
        pool: bool = False,
        l: float | None = None,  # noqa: E741  (the field's own letter)
        diversity: str = "distinct",
        c: float | None = None,
        t: float | None = None,
        distance: str = "equal",
        label_known: bool = False,
        inducer: Any = "c45",
        min_objects: int = 2,
        confidence: float = 0.25,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        max_suppressed: float | Mapping[str, float] | None = None,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            k,
            inducer=inducer,
            min_objects=min_objects,
            confidence=confidence,
            cuts=cuts,
            max_suppressed=max_suppressed,
            random_state=random_state,
        )
        self.swap = swap
        self.pool = pool
        self.l = l
        self.diversity = diversity
        self.c = c
        self.t = t
        self.distance = distance
        self.label_known = label_known

    @property
    def promise(self) -> Promise:
        return promise_of(self.k, **stated_needs(self))

    def _rule(self, rows: CodedRows, roles: Roles) -> tuple[WalkRule, Sequence[str]]:
        if self.t is None and not self.label_known and self.diversity == "distinct":
            return WalkRule(self.k, self.l or 0, self.swap, self.pool), roles.sensitive if self.l else ()
        needs, keep_all = stock_needs(self.promise, roles, lambda name: _persons_with(rows, roles, name))
        columns = tuple(dict.fromkeys(need.column for need in needs))
        placed = [(columns.index(need.column), need) for need in needs]
        return WalkRule(self.k, 0, self.swap, self.pool, placed, keep_all), columns

    def _classes(self, labels: np.ndarray) -> np.ndarray:
        return labels.astype(np.int64)

    def _walked(self, rows: CodedRows, roles: Roles, randomness: Randomness) -> Any:
        GroupNeeds.of(rows, roles, self.promise).check_possible()
        return super()._walked(rows, roles, randomness)


def _persons_with(rows: CodedRows, roles: Roles, name: str) -> Counter[int]:
    """How many persons, or rows, have each value of a column."""
    if roles.person is None:
        _, (codes,), n = rows.split_by([name])
        met = np.bincount(codes, n).astype(np.int64)
    else:
        _, (codes, person), _ = rows.split_by([name, roles.person])
        met = np.bincount(pair_counts(codes, person)[0])
    return Counter({code: n for code, n in enumerate(met.tolist()) if n})
