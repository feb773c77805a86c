# SPDX-License-Identifier: Apache-2.0
"""Which items go, so that no set of items is left that too few persons have.

Every rare set must lose an item. That is the weighted hitting set problem: the items that stay should be worth most
together. Three simple rules are tried, and the best result taken: remove the item with the most rare sets for its
worth, again and again; keep items in the order of their worth while no rare set is complete; or in the order of their
worth for each rare set. What was removed and could stay after all is put back, so no result can be enlarged.
"""

from __future__ import annotations

import numpy as np


class RareSets:
    """Sets of items, a line each, -1 where a set has fewer; and the worth of each item."""

    def __init__(self, sets: np.ndarray, worth: np.ndarray):
        line, place = np.nonzero(sets >= 0)
        item = sets[line, place]
        order = np.argsort(item, kind="stable")
        self.n_items, self.worth = len(worth), np.maximum(worth, 1e-12)
        self._line = line[order]
        self._start = np.searchsorted(item[order], np.arange(self.n_items + 1))
        self._sets = sets
        self._sizes = (sets >= 0).sum(axis=1)
        self.degree = np.diff(self._start)

    def of(self, item: int) -> np.ndarray:
        """The lines of the sets that have an item."""
        return self._line[self._start[item] : self._start[item + 1]]

    def best(self) -> np.ndarray:
        """Whether each item stays."""
        by_worth = np.lexsort((np.arange(self.n_items), -self.worth))
        by_share = np.lexsort((np.arange(self.n_items), -self.worth / (1 + self.degree)))
        nothing = np.zeros(self.n_items, dtype=bool)
        kept = [self._completed(self._after_removal(), by_worth)]
        kept += [self._completed(nothing, order) for order in (by_worth, by_share)]
        return max(kept, key=lambda stays: float(self.worth[stays].sum()))  # of equals the first

    def removed(self) -> np.ndarray:
        """The items that the first rule removes."""
        return np.flatnonzero(~self._after_removal())

    def _after_removal(self) -> np.ndarray:
        """Remove the item with the most rare sets for its worth until no set is left."""
        stays, degree = np.ones(self.n_items, dtype=bool), self.degree.copy()
        is_open = np.ones(len(self._sets), dtype=bool)
        while degree.any():
            item = int(np.argmax(degree / self.worth))
            hit = self.of(item)
            hit = hit[is_open[hit]]
            is_open[hit] = False
            members = self._sets[hit]
            degree -= np.bincount(members[members >= 0], minlength=self.n_items)
            stays[item] = False
        return stays

    def _completed(self, stays: np.ndarray, order: np.ndarray) -> np.ndarray:
        """Put items back, in this order, unless that completes a rare set."""
        stays = stays.copy()
        lacking = self._sizes.copy()
        for item in np.flatnonzero(stays).tolist():
            lacking[self.of(item)] -= 1
        for item in order[~stays[order]].tolist():
            mine = self.of(item)
            if not (lacking[mine] == 1).any():
                lacking[mine] -= 1
                stays[item] = True
        return stays
