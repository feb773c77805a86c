# SPDX-License-Identifier: Apache-2.0
"""Maximal: of the largest feature sets that may be published, the one that separates the classes best.

Paper: Zhang, Mohammed, Dave, Al Hasan, "Feature Selection for Classification under Anonymity Constraint",
Section 4.1, Algorithm 1 (Maximal).
Departures from the paper:
1. family="containment" (default) takes the candidates from the feature sets that keep k-anonymity by containment. The
   paper takes them from the itemsets of support k or more, family="frequent": all of them are feasible, but not every
   feasible set is one of them (its Lemma 3 holds in one direction only).
2. The maximal sets are not listed; only the r largest are looked for. Equal sizes are ordered by columns, where the
   paper's cut through them is arbitrary.
3. A time limit ends the search with the best sets found; `proven_` says whether they are the largest ones. The
   containment family of a table with many columns is not searched to the end: see `maximal_contained.py`.
4. More than two classes: pairs of rows of different classes take the place of (positive, negative) pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.class_separation import separated_pairs
from discreet.counting.partition import Partition
from discreet.data.baskets import Baskets
from discreet.errors import CannotRelease, ParameterError, Setting
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.containment.maximal_contained import largest_contained
from discreet.methods.containment.maximal_frequent import largest_frequent
from discreet.methods.containment.maximal_pool import Clock, MaximalSets
from discreet.methods.selector import Selector, check_labels
from discreet.privacy.containment import Containment
from discreet.privacy.promise import Promise

NOT_PROVEN = (
    "The search for the largest sets ended before all were looked at: there may be larger ones. {} The promise does not"
    " depend on it."
)


class MaximalSelector(Selector):
    """Keep the feature set that separates the classes best among the r largest that hide every person among k.

    Parameters
    ----------
    k : int in [2, inf)
    candidates : int in [1, inf)
        How many of the largest sets are compared; the paper's r.
    utility : "hamdist" or "distcnt"
        "hamdist": each feature counts by itself. "distcnt": pairs of rows of different classes that the set separates.
    family : "containment" or "frequent"
        "containment": the exact family, sets that no feature can join without breaking the promise. "frequent": the
        paper's, sets of features that k persons have all of.
    label_known : bool
        Whether k persons are left also to somebody who knows the label. Then sets are grown in a few orders only.
    time_limit : seconds, or None
        When it is reached the best sets found so far are compared.
    cuts : mapping of column name to cut points, for tables; other numbers are cut by MDL against the target
    random_state : int, RandomState, Generator or None
        Only the order of the released rows is random.

    Attributes
    ----------
    support_ : boolean mask of the selected columns
    order_ : the selected columns, lowest first
    scores_ : the pairs of rows of different classes that each separates, by itself or (distcnt) after those before it
    proven_ : whether the candidates are the largest sets there are
    bound_ : no set of the family has more features; None when that is not known
    trace_ : the candidates with size and utility, then the selected features

    Promise
    -------
    Containment(k) of the projection on the selected features. The promise covers the rows that were released, not
    later rows passed to `transform`.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 0, 1], [0, 1, 1]])
    >>> picked = MaximalSelector(k=2).fit(X, [1, 1, 1, 0, 0, 0])
    >>> picked.order_.tolist(), picked.proven_
    ([0, 1], True)
    """

    name = "maximal"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "candidates": [Interval(Integral, 1, None, closed="left")],
        "utility": [StrOptions({"hamdist", "distcnt"})],
        "family": [StrOptions({"containment", "frequent"})],
        "label_known": [bool],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "cuts": [dict, None],
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        candidates: int = 20,
        utility: str = "hamdist",
        family: str = "containment",
        label_known: bool = False,
        time_limit: float | None = None,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.candidates = candidates
        self.utility = utility
        self.family = family
        self.label_known = label_known
        self.time_limit = time_limit
        self.cuts = cuts
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return Containment(self.k, label_known=self.label_known)

    @property
    def decides_on_counts(self) -> bool:
        return True

    def _keep(self, baskets: Baskets, randomness: Randomness) -> tuple[list[int], list[dict[str, Any]]]:
        if self.label_known:
            if self.family == "frequent":
                raise ParameterError(
                    "Known labels are covered with ", Setting("family", "containment"), " only. Say so, or leave them."
                )
            check_labels(baskets, self.k)
        pairs = separated_pairs(baskets)
        largest = self._largest(baskets, pairs)  # Algorithm 1, line 1
        if not largest.sets:
            raise CannotRelease(f"No feature can be kept at k = {self.k}: fewer than {self.k} persons have any one.")
        self.proven_, self.bound_ = largest.proven, largest.bound
        self._largest_size = len(largest.sets[0])
        gains = [_gains(baskets, chosen, pairs, self.utility) for chosen in largest.sets]
        # Algorithm 1, line 2; of equals the first: the larger set, then by columns
        best = int(np.argmax([sum(gain) for gain in gains]))
        trace: list[dict[str, Any]] = [
            {
                "feature": None,
                "gain": sum(gain),
                "kept": False,
                "candidate": number + 1,
                "size": len(chosen),
                "chosen": number == best,
                "proven": largest.proven,
            }
            for number, (chosen, gain) in enumerate(zip(largest.sets, gains, strict=True))
        ]
        selected = list(largest.sets[best])
        trace += [
            {"feature": baskets.names[feature], "gain": gain, "kept": True}
            for feature, gain in zip(selected, gains[best], strict=True)
        ]
        return selected, trace

    def _largest(self, baskets: Baskets, pairs: np.ndarray) -> MaximalSets:
        """The candidates: the r largest maximal sets of the family."""
        with progress("Searching the largest feature sets") as bar:
            clock = Clock(self.time_limit, tick=bar.advance)
            if self.family == "frequent":
                return largest_frequent(baskets.matrix, self.k, self.candidates, persons=baskets.persons, clock=clock)
            by_worth = np.argsort(-pairs, kind="stable")
            return largest_contained(
                baskets.matrix,
                self.k,
                self.candidates,
                persons=baskets.persons,
                orders=[by_worth],
                clock=clock,
                known_labels=baskets.labels if self.label_known else None,
                weights=baskets.weights,
            )

    def _remarks(self) -> list[str]:
        if self.proven_:
            return []
        bound = "" if self.bound_ is None else f" No feasible set has more than {self.bound_}."
        return [NOT_PROVEN.format(f"Features in the largest set found: {self._largest_size}.{bound}")]


def _gains(baskets: Baskets, chosen: tuple[int, ...], pairs: np.ndarray, utility: str) -> list[int]:
    """Pairs of rows of different classes that each feature separates: by itself, or that those before it do not."""
    if utility == "hamdist":
        return pairs[list(chosen)].tolist()
    partition, gains, by_item = Partition(len(baskets)), [], baskets.columns
    for feature in chosen:
        gains.append(int(separated_pairs(baskets, partition, np.array([feature]))[0]))
        partition.refine(by_item.indices[by_item.indptr[feature] : by_item.indptr[feature + 1]])
    return gains
