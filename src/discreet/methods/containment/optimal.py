# SPDX-License-Identifier: Apache-2.0
"""Feature selection that searches for the best feasible set, exactly or heuristically.

Paper: Zhang, Mohammed, Dave, Al Hasan, "Feature Selection for Classification under Anonymity Constraint", Problem (1):
maximise a utility over the sets of features whose projection is k-anonymous by containment (Definition 6).
Departures from the paper:
1. The paper gives heuristics for Problem (1); this solves it for few columns, and searches for many.
2. The feasible sets are those of Definition 6, not the frequent itemsets of Algorithm 1, which are fewer.
3. Utilities based on classifiers complement HamDist and DistCnt; the default is cross-validated AUC.
4. Rows are searched as well as columns: the common items of k rows are feasible, which leads to large sets.
5. All simple orders (weights, chi-squared, mutual information, HamDist, DistCnt) are starts; adds and swaps improve.
6. A feature that is the same in all rows is not selected: it carries no information.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from discreet.data.baskets import Baskets
from discreet.errors import CannotRelease
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.containment.fixed_order import in_a_fixed_order
from discreet.methods.containment.optimal_best import Best
from discreet.methods.containment.optimal_bound import ceiling
from discreet.methods.containment.optimal_broad import broadly
from discreet.methods.containment.optimal_exact import exactly
from discreet.methods.containment.optimal_improve import improve
from discreet.methods.containment.optimal_measures import UTILITIES, worth_of
from discreet.methods.containment.optimal_starts import from_simple_orders
from discreet.methods.selector import Selector, check_labels
from discreet.privacy.containment import Containment
from discreet.privacy.promise import Promise

_BY_COUNTS = ("hamdist", "distcnt", "information", "cmi")  # utilities that no order of rows and no rare item changes
_FEW = 64  # columns up to which all maximal sets are looked for


class OptimalSelector(Selector):
    """Select the feasible set of features with the highest utility; every person stays hidden among k.

    Parameters
    ----------
    k : int in [2, inf)
    utility : "auc", "linear", "cmi", "information", "distcnt", "hamdist", or a callable
        "auc": area under the ROC curve of a linear model, cross-validated inside the given rows. "linear": the share of
        the label that a linear model explains. "cmi": joint information of pairs of features about the class, in bits.
        "information": information of all features together. "hamdist" and "distcnt": as in GreedySelector. A callable
        takes the baskets projected on a set of features and returns a number, higher is better.
    time_limit : seconds, or None
        The search then ends with the best set so far. Work is limited too, so this is a safety net. If it takes effect,
        `stopped_` and a note of the release say so, and the result depends on the speed of the machine.
    max_features : int or None
    cuts : mapping of column name to cut points, for tables; other numbers are cut by MDL against the target
    random_state : int, RandomState, Generator or None
        Only the order of the released rows is random; the search draws from a stream of its own.

    Attributes
    ----------
    support_ : boolean mask of the selected columns
    order_ : the selected columns, by falling score
    scores_ : the utility of each alone; with "auc" and "linear" its |w| in the model fitted on the selected set
    value_ : the utility of the selected set
    bound_ : a proven upper bound of the utility over all feasible sets, or None
    proven_ : whether the selected set is proven to be optimal
    starts_ : the utility of the set that each simple order leads to, if they were tried
    settled_ : whether no add and no swap of one feature improves the selected set
    stopped_ : whether the time limit ended the search
    trace_ : the simple orders, the bound, then the selected features

    Promise
    -------
    Containment(k) of the projection on the selected features. The promise covers the released rows, not later rows
    passed to `transform`. The choice of the set uses the labels and is not itself private.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 1, 1]])
    >>> picked = OptimalSelector(k=2, utility="hamdist").fit(X, [1, 1, 1, 0, 0, 0])
    >>> picked.order_.tolist(), picked.proven_
    ([0, 1], True)
    """

    name = "optimal"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "utility": [StrOptions(set(UTILITIES)), callable],
        "label_known": [bool],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "cuts": [dict, None],
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        utility: Any = "auc",
        label_known: bool = False,
        time_limit: float | None = 120.0,
        max_features: int | None = None,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.utility = utility
        self.label_known = label_known
        self.time_limit = time_limit
        self.max_features = max_features
        self.cuts = cuts
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return Containment(self.k, label_known=self.label_known)

    @property
    def keeps_items(self) -> bool:
        """Folds of a linear model depend on whole rows."""
        return self.utility in _BY_COUNTS

    @property
    def decides_on_counts(self) -> bool:
        return True  # rows are put into an order of their own first

    @property
    def most_alike(self) -> int | None:
        return None

    def _keep(self, baskets: Baskets, randomness: Randomness) -> tuple[list[int], list[dict[str, Any]]]:
        baskets = in_a_fixed_order(baskets)
        if self.label_known:
            check_labels(baskets, self.k)
        differs = baskets.support < len(baskets)
        items = np.flatnonzero(differs & (_persons_per_item(baskets) >= self.k)).tolist()
        if not items:
            raise CannotRelease(
                f"No feature can be kept at k = {self.k}: each of the {baskets.shape[1]} is held by fewer than {self.k}"
                f" persons, or is the same in all rows. Lower k, or merge rare values."
            )
        with threadpool_limits(1):  # many small systems: threads cost more than they save, and change the rounding
            worth = worth_of(self.utility, baskets)
            known_labels = baskets.labels if self.label_known else None
            best = Best(baskets, self.k, items, worth, self.time_limit, self.max_features, known_labels)
            _search(best)
            if not best.features:
                raise CannotRelease(
                    f"No feature can be kept at k = {self.k} with known labels: of the {len(items)} that {self.k}"
                    " persons have, each has fewer with some label. Lower k, or merge rare values."
                )
            alone = worth.alone(best.features)
        order = np.lexsort((np.array(best.features), -alone))
        selected = [best.features[place] for place in order]
        self.value_, self.bound_, self.stopped_ = best.value, best.bound, best.stopped
        self.proven_ = best.proven or (best.bound is not None and best.value >= best.bound)
        self.settled_, self.starts_ = best.settled or self.proven_, best.starts
        trace: list[dict[str, Any]] = [
            {"feature": None, "gain": value, "kept": False, "start": name} for name, value in best.starts.items()
        ]
        trace.append({"feature": None, "gain": best.bound, "kept": False, "bound": True})
        trace += [
            {"feature": baskets.names[best.features[place]], "gain": float(alone[place]), "kept": True}
            for place in order
        ]
        return selected, trace

    def _remarks(self) -> list[str]:
        name = self.utility if isinstance(self.utility, str) else "the utility"
        remark = f"The selected set has {name} = {self.value_:.4g}."
        if self.proven_:
            remark += " It is proven that no feasible set has more."
        elif self.bound_ is None:
            remark += " There is no bound: how much a better set could have is not known."
        else:
            remark += f" No feasible set has more than {self.bound_:.4g}; whether one has more than this is not known."
        if self.starts_ and not self.proven_:
            order = max(self.starts_, key=self.starts_.__getitem__)
            remark += f" Of the simple orders, {order} is best: {self.starts_[order]:.4g}."
            remark += " No add or swap of one feature improves the set." if self.settled_ else ""
        ended = f"The time limit of {self.time_limit} s ended the search: another run may select other features."
        return [remark, ended] if self.stopped_ else [remark]


def _search(best: Best) -> None:
    """Few columns: exactly. Else, or where that proves nothing: simple orders, rows in common, adds and swaps."""
    if len(best.items) <= _FEW and best.known_labels is None:
        exactly(best)
    if best.proven:
        return
    if best.bound is None:
        best.bound = ceiling(best)
    for step in (from_simple_orders, broadly, improve):
        if best.late() or (best.bound is not None and best.value >= best.bound):
            break
        step(best)
    best.prefer_more()


def _persons_per_item(baskets: Baskets) -> np.ndarray:
    if baskets.persons is None:
        return baskets.support
    rows = np.repeat(np.arange(len(baskets)), np.diff(baskets.matrix.indptr))
    where = (baskets.persons[rows], baskets.matrix.indices)
    shape = (int(baskets.persons.max()) + 1, baskets.shape[1])
    cells = sp.csr_array((np.ones(len(rows), dtype=np.int64), where), shape=shape)
    return np.asarray((cells > 0).sum(axis=0)).ravel()
