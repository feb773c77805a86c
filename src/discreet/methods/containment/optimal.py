# SPDX-License-Identifier: Apache-2.0
"""Feature selection that searches for the best feasible set, exactly or heuristically.

Paper: Zhang, Mohammed, Dave, Al Hasan, "Feature Selection for Classification under Anonymity Constraint", Problem (1):
maximise a utility over the sets of features whose projection is k-anonymous by containment (Definition 6).
Departures from the paper:
1. The paper gives heuristics for Problem (1); this solves it for few columns, and searches for many.
2. The feasible sets are those of Definition 6, not the frequent itemsets of Algorithm 1, which are fewer.
3. Utilities based on classifiers complement HamDist and DistCnt; the default is cross-validated AUC.
4. Rows are searched as well as columns: the common items of k rows are feasible, which leads to large sets.
5. A feature that is the same in all rows is not selected: it carries no information.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from discreet.data.baskets import Baskets
from discreet.errors import CannotRelease
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness
from discreet.methods.containment.optimal_measures import UTILITIES, Worth, guides, worth_of
from discreet.methods.containment.optimal_search import CommonItems, Maximal, fill
from discreet.methods.selector import Selector

# Limits on work, not on time, so that results do not depend on the machine unless time_limit ends the search first.
_FEW = 64  # columns up to which all maximal sets are looked for
_SETS = 500  # maximal sets that are evaluated
_SUBSETS = 2000  # subsets that are all evaluated, when there are no more
_STARTS = 10  # row searches per guide
_EVALUATED = 24  # of the sets they find
_SWAPS = 30  # rows exchanged, evaluations in all
_ROW_WORK = 4e9  # ones that the row searches may look at: with large k or many rows there are fewer of them
_WIDTH = 3  # sets in the beam
_FORCED = 12  # features forced into each of them, one at a time
_TRIED = 5  # of the sets that gives, evaluated in a round
_ROUNDS = 4
_SCREEN = "weight x hamdist"  # the guide whose sum over a set follows its AUC best


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
    random_state : int or None
        Only the order of the released rows is random; the search draws from a stream of its own.

    Attributes
    ----------
    support_ : boolean mask of the selected columns
    order_ : the selected columns, by falling score
    scores_ : the utility of each alone; with "auc" and "linear" its |w| in the model fitted on the selected set
    value_ : the utility of the selected set
    bound_ : a proven upper bound of the utility over all feasible sets, or None
    proven_ : whether the selected set is proven to be optimal
    stopped_ : whether the time limit ended the search
    trace_ : the selected features

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
        time_limit: float | None = 120.0,
        max_features: int | None = None,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.utility = utility
        self.time_limit = time_limit
        self.max_features = max_features
        self.cuts = cuts
        self.random_state = random_state

    def _keep(self, baskets: Baskets, randomness: Randomness) -> tuple[list[int], list[dict[str, Any]]]:
        baskets = in_a_fixed_order(baskets)
        differs = baskets.support < len(baskets)
        items = np.flatnonzero(differs & (_persons_per_item(baskets) >= self.k)).tolist()
        if not items:
            raise CannotRelease(
                f"No feature can be kept at k = {self.k}: each of the {baskets.shape[1]} is held by fewer than {self.k}"
                f" persons, or is the same in all rows. Lower k, or merge rare values."
            )
        with threadpool_limits(1):  # many small systems: threads cost more than they save, and change the rounding
            worth = worth_of(self.utility, baskets)
            search = _Search(baskets, self.k, items, worth, self.time_limit, self.max_features)
            if not (len(items) <= _FEW and search.exactly()):
                search.broadly()
            alone = worth.alone(search.best)
        order = np.lexsort((np.array(search.best), -alone))
        selected = [search.best[place] for place in order]
        self.value_, self.bound_, self.stopped_ = search.value, search.bound, search.stopped
        self.proven_ = search.proven or (search.bound is not None and search.value >= search.bound)
        return selected, [
            {"feature": baskets.names[search.best[place]], "gain": float(alone[place]), "kept": True} for place in order
        ]

    def _remarks(self) -> list[str]:
        name = self.utility if isinstance(self.utility, str) else "the utility"
        remark = f"The selected set has {name} = {self.value_:.4g}."
        if self.proven_:
            remark += " It is proven that no feasible set has more."
        elif self.bound_ is None:
            remark += " There is no bound: how much a better set could have is not known."
        else:
            remark += f" No feasible set has more than {self.bound_:.4g}; whether one has more than this is not known."
        ended = f"The time limit of {self.time_limit} s ended the search: another run may select other features."
        return [remark, ended] if self.stopped_ else [remark]


class _Search:
    """The best set so far, a bound of the optimum, and two ways to search Problem (1): exactly and broadly."""

    def __init__(
        self, baskets: Baskets, k: int, items: list[int], worth: Worth, time_limit: float | None, limit: int | None
    ):
        self.baskets, self.k, self.items, self.worth, self.limit = baskets, k, items, worth, limit
        self.deadline = np.inf if time_limit is None else time.monotonic() + time_limit
        self.best: list[int] = []
        self.value = -np.inf
        self.bound: float | None = None
        self.proven = self.stopped = False
        self._values: dict[frozenset[int], float] = {}

    def late(self) -> bool:
        """Whether the time is over and a set was found."""
        self.stopped |= time.monotonic() > self.deadline
        return self.stopped and bool(self.best)

    def consider(self, features: Sequence[int]) -> bool:
        """Evaluate a feasible set, trimmed to `limit` features; True if it is the best so far."""
        chosen = self.trimmed(features)
        key = frozenset(chosen)
        if not chosen or key in self._values:
            return False
        self._values[key] = value = self.worth.value(chosen)
        if value > self.value or not self.best:
            self.best, self.value = chosen, value
            return True
        return False

    def trimmed(self, features: Sequence[int]) -> list[int]:
        """At most `limit` of the features: drop the least valuable fifth of the surplus, score again, repeat."""
        chosen = sorted(int(f) for f in features)
        while self.limit is not None and len(chosen) > self.limit:
            surplus = len(chosen) - self.limit
            gone = surplus if self.worth.modular else -(-surplus // 5)
            order = np.argsort(-self.worth.alone(chosen), kind="stable")[: len(chosen) - gone]
            chosen = sorted(chosen[place] for place in order)
        return chosen

    # -- few columns ---------------------------------------------------------------------------------------------------

    def exactly(self) -> bool:
        """Solve Problem (1) over the AC-maximal sets; False if they are too many, or the time is over."""
        maximal = Maximal(self.baskets, self.k, self.items)
        bounded = self.worth.monotone and (self.limit is None or self.worth.modular)
        value = self._bound_by(maximal) if bounded else int.bit_count
        with progress("Searching the maximal sets") as bar:
            while maximal.open and not (bounded and maximal.feasible):
                self.late()
                if maximal.exhausted or self.stopped:
                    self.bound = value(max(maximal.open, key=value)) if bounded else self._ceiling()
                    return False
                maximal.step(value)
                bar.advance()
        sets = [maximal.columns(c) for c in maximal.feasible]
        if bounded:
            self.consider(sets[0])
            self.bound, self.proven = self.value, True
        else:
            self._evaluate(sets)
        return True

    def _bound_by(self, maximal: Maximal) -> Callable[[int], float]:
        """The value of a candidate, feasible or not: an upper bound for its subsets (Theorems 1 and 2)."""
        bounds: dict[int, float] = {}

        def value(candidate: int) -> float:
            if candidate not in bounds:
                bounds[candidate] = self.worth.value(self.trimmed(maximal.columns(candidate)))
            return bounds[candidate]

        return value

    def _evaluate(self, sets: list[list[int]]) -> None:
        """Without a bound: try the maximal sets, and all their subsets if these are few."""
        self.bound = self._ceiling()
        subsets = self._subsets(sets)
        if subsets is not None:
            with progress("Evaluating sets of features", len(subsets)) as bar:
                for subset in subsets:
                    if self.late():
                        return
                    self.consider(subset)
                    bar.advance()
            self.bound, self.proven = self.value, True
            return
        weights = guides(self.baskets)[_SCREEN]
        with progress("Evaluating sets of features", min(len(sets), _SETS)) as bar:
            for features in sorted(sets, key=lambda s: (-weights[s].sum(), s))[:_SETS]:
                if self.late():
                    return
                self.consider(features)
                bar.advance()
        while not self.late() and any(self.consider([f for f in self.best if f != out]) for out in list(self.best)):
            pass  # drop features while that helps

    def _subsets(self, sets: list[list[int]]) -> list[tuple[int, ...]] | None:
        """All subsets that may be best, for a monotone utility the largest; None if there are too many."""
        subsets: set[tuple[int, ...]] = set()
        for features in sets:
            most = len(features) if self.limit is None else min(self.limit, len(features))
            sizes = range(most if self.worth.monotone else 1, most + 1)
            if max(math.comb(len(features), size) for size in sizes) > _SUBSETS:
                return None
            subsets.update(chain.from_iterable(combinations(features, size) for size in sizes))
            if len(subsets) > _SUBSETS:
                return None
        return sorted(subsets, key=lambda s: (len(s), s))  # ties go to the smallest

    def _ceiling(self) -> float | None:
        return self.worth.value(self.trimmed(self.items)) if self.worth.modular else self.worth.ceiling(self.items)

    # -- many columns --------------------------------------------------------------------------------------------------

    def broadly(self) -> None:
        """Greedy (Algorithm 2, in several orders), then rows with many common items, then local search."""
        if self.bound is None:
            self.bound = self._ceiling()
        ways = guides(self.baskets)
        rows_of: dict[tuple[int, ...], list[int]] = {}
        common = CommonItems(self.baskets, self.k, Randomness(0))
        with progress("Searching sets of features") as bar:
            for weights in ways.values():
                if self.late():
                    return
                self.consider(self.filled([], weights))
                bar.advance()
            for features, rows in self._sets_of_rows(common, ways):
                if self.late():
                    return
                chosen = self.filled(features, ways[_SCREEN])
                if self.consider(chosen):
                    rows_of[tuple(self.best)] = rows
                bar.advance()
            if tuple(self.best) in rows_of:
                self._swap_rows(common, rows_of[tuple(self.best)], ways[_SCREEN])
            self._beam(ways[_SCREEN], bar.advance)

    def filled(self, chosen: Sequence[int], weights: np.ndarray) -> list[int]:
        """The chosen features and all further ones that stay feasible, by weight (Algorithm 2, lines 3 to 9)."""
        return fill(self.baskets, self.k, list(chosen), _by_weight(self.items, weights))

    def _sets_of_rows(self, common: CommonItems, ways: dict[str, np.ndarray]) -> Iterator[tuple[list[int], list[int]]]:
        """Common items of k rows, the most promising first, with the rows."""
        by_rows: dict[tuple[int, ...], list[int]] = {}
        pass_ = self.k * max(self.baskets.matrix.nnz, 1)
        work = _ROW_WORK - _WIDTH * pass_
        sets = common.beam(ways[_SCREEN], _WIDTH) if work > 0 else []
        for weights in [*ways.values()] * _STARTS:
            work -= 3 * pass_  # roughly: rows are added one by one, then swapped one by one
            if work < 0 or self.late():
                break
            sets.append(common.search(weights))
        for rows in sets:
            features = common.common(rows)
            if len(features):
                by_rows.setdefault(tuple(features.tolist()), rows)
        promising = sorted(by_rows, key=lambda s: (-ways[_SCREEN][list(s)].sum(), s))[:_EVALUATED]
        return ((list(features), by_rows[features]) for features in promising)

    def _swap_rows(self, common: CommonItems, rows: list[int], weights: np.ndarray) -> None:
        """Swap one of the k rows for one that keeps nearly as many common items, while that improves the set."""
        tried = place = unchanged = 0
        while tried < _SWAPS and unchanged < self.k and not self.late():
            others = rows[:place] + rows[place + 1 :]
            gains = common.gains(others, weights)
            gains[rows[place]] = -1
            unchanged += 1
            for row in np.argsort(-gains, kind="stable")[:2].tolist():
                tried += 1
                if gains[row] >= 0 and self.consider(self.filled(common.common([*others, row]).tolist(), weights)):
                    rows, unchanged = [*others[:place], row, *others[place:]], 0
                    break
            place = (place + 1) % self.k

    def _beam(self, weights: np.ndarray, tick: Callable[[], None]) -> None:
        """Beam search: force a feature into one of the best sets, drop what no longer fits, fill up, keep the best."""
        beam: list[tuple[int, ...]] = []
        for _ in range(_ROUNDS):
            before, beam = beam, [tuple(sorted(s)) for s in sorted(self._values, key=self._rank)[:_WIDTH]]
            if beam == before:
                return
            grown: dict[tuple[int, ...], float] = {}
            for features in beam:
                mine = _by_weight(features, weights)
                for forced in _by_weight(set(self.items) - set(features), weights)[:_FORCED]:
                    chosen = fill(self.baskets, self.k, [], [forced, *mine])
                    grown[tuple(chosen)] = float(weights[chosen].sum())
            for chosen_ in sorted(grown, key=lambda s: (-grown[s], s))[:_TRIED]:
                if self.late():
                    return
                self.consider(self.filled(chosen_, weights))
                tick()

    def _rank(self, features: frozenset[int]) -> tuple[float, list[int]]:
        return -self._values[features], sorted(features)


def _by_weight(features: Iterable[int], weights: np.ndarray) -> list[int]:
    """The heaviest first, of equals the first column."""
    return sorted(features, key=lambda feature: (-weights[feature], feature))


def in_a_fixed_order(baskets: Baskets) -> Baskets:
    """The same rows, ordered by their content: nothing that follows depends on the order they came in."""
    indptr, indices = baskets.matrix.indptr, baskets.matrix.indices
    persons = np.zeros(len(baskets), dtype=np.int64) if baskets.persons is None else baskets.persons
    keys = [
        (indices[indptr[row] : indptr[row + 1]].tobytes(), int(baskets.labels[row]), int(persons[row]))  # type: ignore[index]
        for row in range(len(baskets))
    ]
    return baskets.take(np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64))


def _persons_per_item(baskets: Baskets) -> np.ndarray:
    if baskets.persons is None:
        return baskets.support
    rows = np.repeat(np.arange(len(baskets)), np.diff(baskets.matrix.indptr))
    where = (baskets.persons[rows], baskets.matrix.indices)
    shape = (int(baskets.persons.max()) + 1, baskets.shape[1])
    cells = sp.csr_array((np.ones(len(rows), dtype=np.int64), where), shape=shape)
    return np.asarray((cells > 0).sum(axis=0)).ravel()
