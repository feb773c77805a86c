# SPDX-License-Identifier: Apache-2.0
"""Greedy selection of features under an anonymity constraint: GreedyHamDist, GreedyDistCnt, CM greedy.

Paper: Zhang, Mohammed, Dave, Al Hasan, "Feature Selection for Classification under Anonymity Constraint",
Algorithms 2 and 3 and the competitors of Section 5.2.
Departures from the paper:
1. on_infeasible="skip" (default) steps over a feature that does not fit and goes on; the pseudo-code's break is
   on_infeasible="stop". A feature that does not fit now never will (both constraints are downward closed), so each is
   tried once, and the HamDist result is inclusion-maximal.
2. Algorithm 3 loops while the set is feasible (it prints `until`), and ends when no feature gains anything.
3. Ties are broken by the lowest column.
4. A feature that is the same in all rows is not kept: it would be published and tell nothing.
5. More than two classes: pairs of rows of different classes take the place of (positive, negative) pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.bitmaps import Patterns
from discreet.counting.class_separation import misfits_removed, number_of, separated_pairs
from discreet.counting.partition import Partition
from discreet.counting.supersets import Distinct
from discreet.data.baskets import Baskets
from discreet.data.item_rows import ItemRows
from discreet.errors import CannotRelease
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.selector import Selector, check_labels
from discreet.privacy.containment import Containment
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Promise

_LAZY = 64  # stale gains brought up to date at a time


class GreedySelector(Selector):
    """Keep the features that separate the classes best while every person stays hidden among k.

    Parameters
    ----------
    k : int in [2, inf)
    utility : "hamdist", "distcnt", "cm", or a callable
        "hamdist": the columns in the order of HamDist, each counted by itself. "distcnt": at each step the feature that
        tells most further pairs of rows of different classes apart. "cm": the one that lowers the classification metric
        most. A callable takes the baskets projected on a set of features and returns a number, higher is better.
    constraint : "containment" or "k-anonymity"
    absences : int in [0, inf)
        Containment also against attackers who know up to so many items that a person lacks. It is slower, and keeps
        fewer features; k-anonymity holds against any number.
    label_known : bool
        Whether k persons are left also to somebody who knows the label.
    on_infeasible : "skip" or "stop"
    max_features : int or None
    cuts : mapping of column name to cut points, for tables; other numbers are cut by MDL against the target
    random_state : int, RandomState, Generator or None
        Only the order of the released rows is random.

    Attributes
    ----------
    support_ : boolean mask of the selected columns
    order_ : the selected columns, in the order they were chosen
    scores_ : the utility gained with each
    trace_ : every feature that was tried, whether it was kept

    Promise
    -------
    Containment(k) or KAnonymity(k) of the projection on the selected features. The promise covers the rows that were
    released, not later rows passed to `transform`.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 1, 1]])
    >>> picked = GreedySelector(k=2).fit(X, [1, 1, 1, 0, 0, 0])
    >>> picked.order_.tolist()
    [0, 1]
    """

    name = "greedy"
    tries_items = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "utility": [StrOptions({"hamdist", "distcnt", "cm"}), callable],
        "constraint": [StrOptions({"containment", "k-anonymity"})],
        "absences": [Interval(Integral, 0, None, closed="left")],
        "label_known": [bool],
        "on_infeasible": [StrOptions({"skip", "stop"})],
        "max_features": [Interval(Integral, 1, None, closed="left"), None],
        "cuts": [dict, None],
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        utility: str | Callable[[Baskets], float] = "hamdist",
        constraint: str = "containment",
        absences: int = 0,
        label_known: bool = False,
        on_infeasible: str = "skip",
        max_features: int | None = None,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.utility = utility
        self.constraint = constraint
        self.absences = absences
        self.label_known = label_known
        self.on_infeasible = on_infeasible
        self.max_features = max_features
        self.cuts = cuts
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        if self.constraint == "containment":
            return Containment(self.k, self.absences, self.label_known)
        return KAnonymity(self.k, label_known=self.label_known)

    @property
    def decides_on_counts(self) -> bool:
        return isinstance(self.utility, str)  # a callable looks at rows

    def _keep(self, baskets: ItemRows, randomness: Randomness) -> tuple[list[int], list[dict[str, Any]]]:
        if self.label_known:
            check_labels(baskets, self.k)
        search = _Search(baskets, self.k, self.constraint, self.absences, self.label_known)
        order = _ORDERS[self.utility] if isinstance(self.utility, str) else _by_callable(self.utility)
        selected: list[int] = []
        trace: list[dict[str, Any]] = []
        with progress("Selecting features", baskets.shape[1]) as bar:
            for feature, gain in order(search):
                fits = search.fits(feature)  # Algorithm 2, line 4; Algorithm 3, line 13
                trace.append({"feature": baskets.names[feature], "gain": gain, "kept": fits})
                bar.advance()
                if fits:
                    search.add(feature)  # Algorithm 2, line 5; Algorithm 3, line 12
                    selected.append(feature)
                    if len(selected) == self.max_features:
                        break
                elif self.on_infeasible == "stop":
                    break  # Algorithm 2, line 7
                else:
                    search.drop(feature)
        while self.absences and selected and not self.promise.check(baskets.keep(selected)).holds:
            selected.pop()  # the final check may be stricter than the search; fewer features never leave fewer persons
            next(step for step in reversed(trace) if step["kept"])["kept"] = False
        if not trace:
            raise CannotRelease(
                f"None of the {baskets.shape[1]} features gains anything by itself under {_name_of(self.utility)}."
                f" Name other quasi-identifiers, give cuts for the numbers, or choose another utility."
            )
        if not selected:
            raise CannotRelease(
                f"No feature can be kept at k = {self.k} under {self.constraint}: {len(trace)} of {baskets.shape[1]}"
                f" were tried. Lower k, or merge rare values{', or skip' if self.on_infeasible == 'stop' else ''}."
            )
        return selected, trace


class _Search:
    """The state of a greedy search: what is selected, what is still open."""

    def __init__(self, baskets: ItemRows, k: int, constraint: str, absences: int = 0, label_known: bool = False):
        self.baskets, self.k, self.absences = baskets, k, absences
        self.patterns = Patterns(len(baskets), baskets.persons, baskets.labels if label_known else None)
        self.partition = Partition(len(baskets)) if label_known else self.patterns.partition  # by what is selected
        if constraint == "k-anonymity":
            self._keeps = self.patterns.keeps_k_anonymity
        else:
            self._keeps = self._keeps_absences if absences else self.patterns.keeps_containment
        self.open = baskets.support > 0
        if baskets.persons is None:
            self.open &= baskets.support >= k
        self.selected: list[int] = []

    def rows(self, feature: int) -> np.ndarray:
        return self.baskets.rows_with(feature)

    def fits(self, feature: int) -> bool:
        return bool(self.open[feature]) and self._keeps(self.rows(feature), self.k)

    def _keeps_absences(self, rows: np.ndarray, k: int) -> bool:
        """Would k persons still be left after any `absences`, were the item of these rows added?

        Rows with the item meet attackers who know that they have it; rows without it, attackers who spend one absence
        on it. Attackers who do not speak of it gain nothing by it.
        """
        has = np.zeros(len(self.baskets), dtype=bool)
        has[rows] = True
        for side, absences in ((np.flatnonzero(has), self.absences), (np.flatnonzero(~has), self.absences - 1)):
            if len(side) == 0:
                continue
            if len(side) < k:
                return False
            number, sets = self.patterns.sets(side)
            persons = None if self.baskets.persons is None else self.baskets.persons[side]
            fewest, _ = Distinct.from_sets(number, sets, persons).fewest_left(k, absences, until_short=True)
            if fewest.min() < k:
                return False
        return True

    def add(self, feature: int) -> None:
        self.patterns.add(self.rows(feature))
        if self.partition is not self.patterns.partition:
            self.partition.refine(self.rows(feature))
        self.selected.append(feature)
        self.drop(feature)

    def drop(self, feature: int) -> None:
        self.open[feature] = False


def by_distcnt(baskets: Baskets, k: int, *, label_known: bool = False) -> list[int]:
    """The features that Algorithm 3 keeps under containment, in the order of choice.

    >>> X = [[1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 1, 1]]
    >>> by_distcnt(Baskets.of(X, [1, 1, 1, 0, 0, 0]), 2)
    [0]
    """
    search = _Search(baskets, k, "containment", label_known=label_known)
    for feature, _ in _by_distcnt(search):
        if search.fits(feature):
            search.add(feature)
        else:
            search.drop(feature)
    return search.selected


# Yields (feature, gain), best first, and is resumed after the feature was added to the search or dropped.
Order = Iterator[tuple[int, float]]


def _by_hamdist(search: _Search) -> Order:
    """Algorithm 2: one sort. Features that too few rows have are met in their place, so that "stop" stops there."""
    gains = separated_pairs(search.baskets)
    for feature in np.argsort(-gains, kind="stable"):  # lines 1 and 3
        if gains[feature] == 0:  # the same in all rows: it would be published and tell nothing
            return
        yield int(feature), int(gains[feature])


def _by_distcnt(search: _Search) -> Order:
    """Algorithm 3 with lazy gains: DistCnt is submodular, so a gain computed earlier bounds the gain now."""
    bounds = separated_pairs(search.baskets)
    computed = np.zeros(len(bounds), dtype=np.int64)  # how many features were selected when the gain was computed
    while True:
        best = int(np.argmax(bounds))  # lines 5 to 11
        if bounds[best] <= 0:
            return
        now, batch = len(search.selected), _LAZY
        while bounds[best] > 0 and computed[best] < now:
            stale = np.flatnonzero((computed < now) & (bounds > 0))
            if len(stale) > batch:
                stale = stale[np.argpartition(-bounds[stale], batch)[:batch]]
            bounds[stale] = separated_pairs(search.baskets, search.partition, stale)
            computed[stale] = now
            best, batch = int(np.argmax(bounds)), 4 * batch
        gain = int(bounds[best])
        if gain <= 0:
            return
        bounds[best] = -1  # kept or dropped, it does not come again
        yield best, gain


def _by_cm(search: _Search) -> Order:
    """As Algorithm 3 with the decrease of CM, which is not submodular: all gains anew at each step."""
    open_ = np.ones(search.baskets.shape[1], dtype=bool)
    gains, computed = np.zeros(len(open_)), -1
    while open_.any():
        if computed < len(search.selected):
            gains, computed = misfits_removed(search.baskets, search.partition), len(search.selected)
        best = int(np.argmax(np.where(open_, gains, -1)))
        if gains[best] <= 0:
            return
        open_[best] = False
        yield best, int(gains[best])


def _by_callable(utility: Callable[[Baskets], float]) -> Callable[[_Search], Order]:
    """At each step the open feature with the largest gain of `utility` over the features selected so far."""

    def order(search: _Search) -> Order:
        open_ = search.open.copy()
        gains, computed = np.zeros(len(open_)), -1
        while open_.any():
            if computed < len(search.selected):
                base = number_of(utility(search.baskets.keep(search.selected)))
                gains = np.full(len(open_), -np.inf)
                for feature in np.flatnonzero(open_).tolist():
                    gains[feature] = number_of(utility(search.baskets.keep([*search.selected, feature]))) - base
                computed = len(search.selected)
            best = int(np.argmax(np.where(open_, gains, -np.inf)))
            if not gains[best] > 0:
                return
            open_[best] = False
            yield best, float(gains[best])

    return order


def _name_of(utility: object) -> str:
    return f"utility={utility!r}" if isinstance(utility, str) else "the given utility"


_ORDERS = {"hamdist": _by_hamdist, "distcnt": _by_distcnt, "cm": _by_cm}
