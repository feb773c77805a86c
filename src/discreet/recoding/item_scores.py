# SPDX-License-Identifier: Apache-2.0
"""A score of items: points for items that a row has, and for beginnings of items. It is published in steps.

Points are whole and above 0, so a further item never lowers a score: whoever knows some of a person's items knows a
score that the person reaches at least. A beginning counts once for a row, however many of its items begin so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import sparse as sp

MOST_POINTS = 1000  # of one item
Points = tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ItemScore:
    """The points of items and of beginnings of items, each sorted by its text.

    >>> score = ItemScore((("milk", 2),), (("app", 3),))
    >>> score.of(Baskets.from_transactions([["apple", "apps"], ["milk", "app"], ["tea"]])).tolist()
    [3, 5, 0]
    """

    items: Points
    beginnings: Points = ()

    def of(self, baskets: Baskets) -> np.ndarray:
        """The score of each row."""
        names = baskets.names
        place = {name: item for item, name in enumerate(names)}
        points = np.zeros(len(names), dtype=np.int64)
        for name, worth in self.items:
            if name in place:
                points[place[name]] = worth
        total = baskets.matrix.astype(np.int64) @ points
        have = [items for _, items in begun(names, [text for text, _ in self.beginnings])]
        return total + has_one(baskets, have).astype(np.int64) @ np.array([worth for _, worth in self.beginnings], int)

    def places_in(self, baskets: Baskets) -> np.ndarray:
        """The items of the baskets that count."""
        place = {name: item for item, name in enumerate(baskets.names)}
        found = {place[name] for name, _ in self.items if name in place}
        for _, items in begun(baskets.names, [text for text, _ in self.beginnings]):
            found.update(items)
        return np.array(sorted(found), dtype=np.int64)

    def stated(self) -> dict[str, Any]:
        """As it stands in the record: for each number of points the items, and the beginnings, that have it."""
        return {"items": _by_points(self.items), "beginnings": _by_points(self.beginnings)}

    @classmethod
    def of_statement(cls, stated: Any) -> ItemScore:
        """The score that `stated` gives; ValueError unless it is one."""
        if not isinstance(stated, dict) or set(stated) != {"items", "beginnings"}:
            raise ValueError
        return cls(_from_points(stated["items"]), _from_points(stated["beginnings"]))

    def __len__(self) -> int:
        return len(self.items) + len(self.beginnings)


def begun(names: Sequence[str], beginnings: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """Each beginning with the places of the names that begin so.

    >>> dict(begun(["tea", "apple", "app"], ["app", "t", "x"]))
    {'app': [2, 1], 't': [0], 'x': []}
    """
    order = sorted(range(len(names)), key=names.__getitem__)
    texts = [names[item] for item in order]
    for beginning in beginnings:
        first = last = bisect_left(texts, beginning)
        while last < len(texts) and texts[last].startswith(beginning):
            last += 1
        yield beginning, order[first:last]


def has_one(baskets: Baskets, groups: Sequence[Sequence[int]]) -> sp.csr_array:
    """0/1 columns, one for each group of items: whether a row has one of them."""
    items = np.array([item for group in groups for item in group], dtype=np.int64)
    column = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    member = sp.csr_array((np.ones(len(items), np.int32), (items, column)), shape=(baskets.shape[1], len(groups)))
    return sp.csr_array((baskets.matrix.astype(np.int32) @ member) > 0)


def columns_of(rows: Sequence[np.ndarray], n_rows: int) -> sp.csr_array:
    """0/1 columns, each of these rows."""
    column = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
    place = np.concatenate([*rows, np.zeros(0, np.int64)]).astype(np.int64)
    return sp.csr_array((np.ones(len(place), dtype=bool), (place, column)), shape=(n_rows, len(rows)))


def _by_points(points: Points) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, worth in sorted(points, key=lambda one: (-one[1], one[0])):
        found.setdefault(str(worth), []).append(name)
    return found


def _from_points(stated: Any) -> Points:
    if not isinstance(stated, dict):
        raise ValueError
    found: dict[str, int] = {}
    for worth, names in stated.items():
        points = int(worth)
        if not 0 < points <= MOST_POINTS or not isinstance(names, list) or not names:
            raise ValueError
        for name in names:
            if not isinstance(name, str) or name in found:
                raise ValueError
            found[name] = points
    return tuple(sorted(found.items()))
