# SPDX-License-Identifier: Apache-2.0
"""ItemGroups: publish groups of items instead of single ones, so that more of a basket can be kept among k.

A row has a group if it has one of its members. Groups are held by more persons than their members are, and few persons
have a combination of groups to themselves. So far more groups than items can be published under the same promise as
GreedySelector and OptimalSelector make, and each speaks for many items. Groups are given, such as the category of each
product or the stem of each word, or learnt: items that speak for the same class about as strongly go together.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.tally import persons_per_group
from discreet.data.baskets import Baskets
from discreet.errors import CannotRelease
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness, RandomState
from discreet.methods.base import Changed, Method
from discreet.methods.containment.item_groups_learn import GRID, fitting, grouped_matrix, held_out_auc, learnt_groups
from discreet.methods.containment.optimal import in_a_fixed_order
from discreet.prepare.given_groups import given_groups
from discreet.privacy.containment import Containment
from discreet.privacy.exclusive_items import one_hot_note
from discreet.privacy.promise import Promise
from discreet.recoding.grouped_items import GroupedItems
from discreet.release.release import Changes

_NAMED = 3  # members in the name of a learnt group


class ItemGroups(Method):
    """Publish groups of items, given or learnt, such that every person stays hidden among k.

    Parameters
    ----------
    k : int in [2, inf)
    groups : mapping of item to group, a CSV file with two columns (item, group), or None
        None learns groups from the labels. Given groups are published with all their members, whether or not anybody
        has them: make them without looking at the rows. Items without a group stay as they are.
    coverage : "auto", or a share in [0, 1)
        Learnt groups: items join a group until so large a share of the rows has one of them; 0 leaves every item by
        itself. "auto" takes the share at which a linear model predicts held-out rows best.
    random_state : int, RandomState, Generator or None
        Only the order of the released rows is random.

    Attributes
    ----------
    grouped_ : the published items with their members
    coverage_ : the coverage that was used, None if groups were given
    aucs_ : for "auto", the area under the ROC curve on held-out rows for each coverage that was tried

    Promise
    -------
    Containment(k) of the published groups and items. Whoever knows items of a person knows groups of the person, and k
    persons have all of these. The members of learnt groups, which are published, are items that k persons have. Which
    items go together is learnt from rows and labels and is not itself private.

    Examples
    --------
    >>> rows = [["pear", "tea"], ["apple", "milk"], ["plum"], ["fig"], ["milk"], ["tea", "milk"], ["tea"], ["tea"]]
    >>> kinds = {"pear": "fruit", "apple": "fruit", "plum": "fruit", "fig": "fruit", "milk": "drink", "tea": "drink"}
    >>> baskets = Baskets.from_transactions(rows, list("aaaabbbb"))
    >>> release = ItemGroups(k=2, groups=kinds, random_state=0).release(baskets)
    >>> release.columns, release.recode([["plum", "water"]]).matrix.toarray().tolist()
    (('fruit', 'drink'), [[1, 0]])
    """

    name = "item-groups"
    takes = frozenset({"baskets"})
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "groups": [Mapping, str, os.PathLike, None],
        "coverage": [StrOptions({"auto"}), Interval(Real, 0, 1, closed="left")],
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        groups: Mapping[str, str] | str | os.PathLike[str] | None = None,
        coverage: str | float = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.groups = groups
        self.coverage = coverage
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return Containment(self.k)

    def _change(self, baskets: Baskets, randomness: Randomness) -> Changed:
        source, baskets = baskets, in_a_fixed_order(baskets)
        self._mapping: dict[str, str] = {}
        self.coverage_: float | None = None
        self.aucs_: dict[float, float] = {}
        groups, names = self._given(baskets) if self.groups is not None else self._learnt(baskets)
        single = [[item] for item in self._common(baskets).tolist() if baskets.names[item] not in set(names)]
        candidates = groups + single
        kept = fitting(grouped_matrix(baskets, candidates), baskets, self.k, len(groups))
        if not kept:
            raise CannotRelease(
                f"No group and no item can be kept at k = {self.k}: each is held by fewer than {self.k} persons, or by"
                " all. Lower k, or give larger groups."
            )
        names += [baskets.names[item] for (item,) in single]
        self.grouped_ = self._members(baskets, candidates, names, kept)
        published = self.grouped_.apply(source)
        used = sorted({item for place in kept for item in candidates[place]})
        changes = Changes(quasi_cells=len(baskets) * len(kept), columns_dropped=baskets.shape[1] - len(used))
        trace = [
            {"feature": names[place], "gain": None, "kept": True, "members": len(candidates[place])} for place in kept
        ]
        notes = [*one_hot_note(published, 0, list(range(len(kept)))), *self._remarks(len(groups), kept)]
        return Changed(published, tuple(used), changes, trace, notes, self.grouped_)

    def _common(self, baskets: Baskets) -> np.ndarray:
        """The items that k persons have, but not all rows."""
        n_persons = baskets.support
        if baskets.persons is not None:
            items = np.repeat(np.arange(baskets.shape[1]), baskets.support)
            n_persons = persons_per_group(items, baskets.shape[1], baskets.persons[baskets.columns.indices])
        return np.flatnonzero((n_persons >= self.k) & (baskets.support < len(baskets)))

    # -- groups, as lists of columns, and their names ---------------------------------------------------------------

    def _given(self, baskets: Baskets) -> tuple[list[list[int]], list[str]]:
        assert self.groups is not None
        self._mapping = given_groups(self.groups)
        members: dict[str, list[int]] = {}
        for item, name in enumerate(baskets.names):
            if name in self._mapping:
                members.setdefault(self._mapping[name], []).append(item)
        return [members[name] for name in sorted(members)], sorted(members)

    def _learnt(self, baskets: Baskets) -> tuple[list[list[int]], list[str]]:
        coverage = self._best_coverage(baskets) if isinstance(self.coverage, str) else float(self.coverage)
        self.coverage_ = coverage
        groups = [group for group in learnt_groups(baskets, self._common(baskets), coverage) if len(group) > 1]
        support = baskets.support
        taken, names = set(baskets.names), []
        for group in groups:
            often = sorted(group, key=lambda item: (-support[item], item))[:_NAMED]
            more = f" + {len(group) - _NAMED} more" if len(group) > _NAMED else ""
            name = ", ".join(baskets.names[item] for item in often) + more
            while name in taken:
                name += " *"
            taken.add(name)
            names.append(name)
        return groups, names

    def _best_coverage(self, baskets: Baskets) -> float:
        """The coverage at which a linear model learnt from one part of the rows predicts the others best."""
        with progress("Choosing how large groups are", len(GRID)) as bar:
            for coverage in GRID:
                self.aucs_[coverage] = held_out_auc(baskets, self.k, coverage)
                bar.advance()
        return max(GRID, key=lambda coverage: (self.aucs_[coverage], -coverage))

    def _members(self, baskets: Baskets, groups: list[list[int]], names: list[str], kept: list[int]) -> GroupedItems:
        """The published items with their members: of given groups all, whether or not anybody has them."""
        given: dict[str, list[str]] = {}
        for item, name in self._mapping.items():
            given.setdefault(name, []).append(item)
        return GroupedItems.of(
            {names[p]: given.get(names[p]) or [baskets.names[item] for item in groups[p]] for p in kept}
        )

    def _remarks(self, n_groups: int, kept: list[int]) -> list[str]:
        n_kept = sum(place < n_groups for place in kept)
        remarks = [f"{n_kept} of {n_groups} groups are published, and {len(kept) - n_kept} single items."]
        if self.groups is None:
            remarks.append(
                "The groups were learnt from the rows and their labels. The promise covers what is published of a"
                " person; which items go together is not private."
            )
        else:
            remarks.append(
                "The groups were given; their members are published with them, whether or not anybody has them."
            )
        return remarks

    def _public_parameters(self) -> dict[str, Any]:
        return {"k": self.k, "groups": None if self.groups is None else "given", "coverage": self.coverage}
