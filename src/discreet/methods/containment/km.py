# SPDX-License-Identifier: Apache-2.0
"""KmSelector: suppress items until every set of at most m items that somebody has is had by k persons.

Paper: Terrovitis, Mamoulis, Kalnis, "Privacy-preserving Anonymization of Set-valued Data" (2008): its Apriori-based
anonymisation (AA) looks at sets of one item, then two, up to m, and treats those that fewer than k have.
Departures from the paper:
1. Items are suppressed, not generalised: in all rows, so that what a row shows is true and complete on what is kept.
2. What goes is decided over all rare sets together, and by what items tell about the class, not by how many leaves of a
   hierarchy they stand for (km_removal.py).
3. With persons, sets are counted in persons who have them in one row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.class_separation import labels_of, separated_pairs
from discreet.counting.entropy import entropy_times_n
from discreet.counting.small_sets import persons_with, rare_sets
from discreet.data.baskets import Baskets
from discreet.errors import CannotRelease
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness
from discreet.methods.containment.km_removal import RareSets
from discreet.methods.selector import Selector
from discreet.privacy.km_anonymity import MOST_ITEMS, KmAnonymity
from discreet.privacy.promise import Promise

_MOST_SETS = 1 << 21  # rare sets that are weighed together


class KmSelector(Selector):
    """Keep items such that whoever knows any m items of a person is left with k persons.

    Parameters
    ----------
    k : int in [2, inf)
    m : int in [1, 16]
        Number of items of a person that an attacker may know.
    utility : "information" or "hamdist"
        What an item is worth: the bits it tells about the class, or the pairs of rows of different classes it tells
        apart.
    cuts : mapping of column name to cut points, for tables; other numbers are cut by MDL against the target
    random_state : int or None
        Only the order of the released rows is random.

    Attributes
    ----------
    support_ : boolean mask of the selected columns
    order_ : the selected columns, those of most worth first
    scores_ : the worth of each
    trace_ : every item that at least k persons have, its worth, whether it was kept

    Promise
    -------
    KmAnonymity(k, m) of the projection on the selected items. It is weaker than Containment(k), which is about
    attackers who know any number of items, and keeps far more of them.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 1, 1]])
    >>> KmSelector(k=2, m=2).fit(X, [1, 1, 1, 0, 0, 0]).order_.tolist()
    [0, 1]
    """

    name = "km"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "m": [Interval(Integral, 1, MOST_ITEMS, closed="both")],
        "utility": [StrOptions({"information", "hamdist"})],
        "cuts": [dict, None],
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        m: int = 2,
        utility: str = "information",
        cuts: Mapping[str, Sequence[Any]] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.m = m
        self.utility = utility
        self.cuts = cuts
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KmAnonymity(self.k, self.m)

    def _keep(self, baskets: Baskets, randomness: Randomness) -> tuple[list[int], list[dict[str, Any]]]:
        worth = _information(baskets) if self.utility == "information" else separated_pairs(baskets).astype(float)
        common = np.flatnonzero((persons_with(baskets) >= self.k) & (baskets.support < len(baskets)))
        if len(common) == 0:
            raise CannotRelease(
                f"No item can be kept at k = {self.k}: each of the {baskets.shape[1]} items is held by fewer than"
                f" {self.k} persons, or by all. Lower k, or merge rare items."
            )
        kept = self._largest(baskets, common, worth)
        order = sorted(common.tolist(), key=lambda item: (-worth[item], item))
        trace = [{"feature": baskets.names[i], "gain": float(worth[i]), "kept": bool(kept[i])} for i in order]
        return [item for item in order if kept[item]], trace

    def _largest(self, baskets: Baskets, common: np.ndarray, worth: np.ndarray) -> np.ndarray:
        """Whether each item stays: those of most worth such that no rare set is left."""
        pool = common
        with progress("Looking for rare sets of items") as bar:
            while True:
                sets, complete = rare_sets(baskets.keep(pool.tolist()), self.k, self.m, most=_MOST_SETS)
                rare = RareSets(sets, worth[pool])
                bar.advance()
                if complete:
                    break
                pool = np.delete(pool, _given_up(rare))
        kept = np.zeros(baskets.shape[1], dtype=bool)
        kept[pool[rare.best()]] = True
        return kept


def _given_up(rare: RareSets) -> np.ndarray:
    """Items that go before all rare sets are known, as these are too many: those of the sets found, or, if looking at
    all sets takes too long, a tenth of the items, those of least worth.
    """
    removed = rare.removed()
    return removed if len(removed) else np.argsort(rare.worth, kind="stable")[: -(-rare.n_items // 10)]


def _information(baskets: Baskets) -> np.ndarray:
    """The bits that each item tells about the classes of all rows."""
    labels, n_classes = labels_of(baskets), baskets.n_classes
    by_item = baskets.columns
    item = np.repeat(np.arange(baskets.shape[1]), np.diff(by_item.indptr))
    counts = np.bincount(item * n_classes + labels[by_item.indices], minlength=baskets.shape[1] * n_classes)
    has = counts.reshape(baskets.shape[1], n_classes)
    whole = np.bincount(labels, minlength=n_classes)
    return np.maximum(entropy_times_n(whole) - entropy_times_n(has) - entropy_times_n(whole - has), 0.0)
