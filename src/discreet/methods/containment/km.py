# SPDX-License-Identifier: Apache-2.0
"""KmSelector: suppress items until every set of at most m items that somebody has is had by k persons.

Paper: Terrovitis, Mamoulis, Kalnis, "Privacy-preserving Anonymization of Set-valued Data" (2008): its Apriori-based
anonymisation (AA) looks at sets of one item, then two, up to m, and treats those that fewer than k have.
Departures from the paper:
1. Items are suppressed in all rows, so that what a row shows is true and complete on what is kept.
2. Generalisation is by given groups, one level: a group is a further item, which a row has if it has a member. It is
   kept or goes like any other. Whoever knows m items of a person knows m items and groups that are published, at most;
   those that follow from these (the group of a kept item) rule out nobody. A group whose members all stay is left out.
3. What goes is decided over all rare sets together, and by what items tell about the class, not by how many leaves of a
   hierarchy they stand for (km_removal.py).
4. With persons, sets are counted in persons who have them in one row.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.class_separation import labels_of, separated_pairs
from discreet.counting.entropy import entropy_times_n
from discreet.counting.small_sets import persons_with, rare_sets
from discreet.data.baskets import Baskets
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import CannotRelease, DataError, ParameterError, listing
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.base import Changed
from discreet.methods.containment.km_removal import RareSets
from discreet.methods.grouping import Decision
from discreet.methods.selector import Selector
from discreet.prepare.given_groups import given_groups
from discreet.privacy.km_anonymity import MOST_ITEMS, KmAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.grouped_items import GroupedItems
from discreet.release.release import Changes

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
    groups : mapping of item to group, a CSV file with two columns (item, group), or None
        For baskets: items that cannot be kept may be shown as their group. Given groups are published with all their
        members, whether or not anybody has them: make them without looking at the rows.
    cuts : mapping of column name to cut points, for tables; other numbers are cut by MDL against the target
    random_state : int, RandomState, Generator or None
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
        "groups": [Mapping, str, os.PathLike, None],
        "cuts": [dict, None],
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        m: int = 2,
        utility: str = "information",
        groups: Mapping[str, str] | str | os.PathLike[str] | None = None,
        cuts: Mapping[str, Sequence[Any]] | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.m = m
        self.utility = utility
        self.groups = groups
        self.cuts = cuts
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KmAnonymity(self.k, self.m)

    @property
    def decides_on_counts(self) -> bool:
        return self.groups is None  # groups are for baskets

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

    def _change(self, baskets: Baskets, randomness: Randomness) -> Changed:
        if self.groups is None:
            return super()._change(baskets, randomness)
        members = members_of(given_groups(self.groups), baskets.names)
        every: dict[str, list[str]] = {name: [name] for name in baskets.names}
        whole = GroupedItems.of(every | members).apply(baskets)
        kept, trace = self._keep(whole, randomness)
        names = [whole.names[item] for item in sorted(kept)]
        names = [name for name in names if name not in members or not {*members[name]} <= {*names}]
        grouped = GroupedItems.of({name: members.get(name, [name]) for name in names})
        published = grouped.apply(baskets)
        shown = {member for name in names for member in members.get(name, [name])}
        used = tuple(item for item, name in enumerate(baskets.names) if name in shown)
        changes = Changes(quasi_cells=len(baskets) * len(names), columns_dropped=baskets.shape[1] - len(used))
        n_groups = sum(name in members for name in names)
        note = (
            f"{n_groups} of {len(members)} groups are published, and {len(names) - n_groups} single items. The groups"
            " were given; their members are published with them, whether or not anybody has them."
        )
        return Changed(published, used, changes, trace, [note], grouped)

    def _plan(self, table: Table, roles: Roles, randomness: Randomness) -> Decision:
        if self.groups is not None:
            raise ParameterError("KmSelector takes groups for baskets only; for tables, give Mondrian hierarchies.")
        return super()._plan(table, roles, randomness)

    def _public_parameters(self) -> dict[str, Any]:
        return super()._public_parameters() | {"groups": None if self.groups is None else "given"}

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


def members_of(groups: Mapping[str, str], names: Sequence[str]) -> dict[str, list[str]]:
    """All members of each group that has two of these items or more.

    >>> members_of({"pear": "fruit", "plum": "fruit", "fig": "fruit", "tea": "drink"}, ["pear", "fig", "tea"])
    {'fruit': ['pear', 'plum', 'fig']}
    """
    members: dict[str, list[str]] = {}
    for item, group in groups.items():
        members.setdefault(group, []).append(item)
    have = set(names)
    clash = sorted(have & set(members))
    if clash:
        raise DataError(f"Groups have the names of items: {listing(clash)}. Rename the groups.")
    return {group: items for group, items in members.items() if len(have.intersection(items)) > 1}


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
    weights = np.ones(len(baskets), dtype=np.int64) if baskets.weights is None else baskets.weights
    cells = item * n_classes + labels[by_item.indices]
    counts = np.bincount(cells, weights[by_item.indices], minlength=baskets.shape[1] * n_classes)
    has = counts.astype(np.int64).reshape(baskets.shape[1], n_classes)
    whole = np.bincount(labels, weights, minlength=n_classes).astype(np.int64)
    return np.maximum(entropy_times_n(whole) - entropy_times_n(has) - entropy_times_n(whole - has), 0.0)
