# SPDX-License-Identifier: Apache-2.0
"""Baskets of which items are counted first; the ones of some items are brought into memory when they are asked for."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from discreet.counting.class_separation import separated_pairs
from discreet.data.baskets import Baskets
from discreet.data.item_rows import ItemRows
from discreet.errors import DataError
from discreet.foundation.randomness import Randomness

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]i?)?B\s*", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class ItemColumns:
    """The rows of some items: those of the j-th are `indices[indptr[j]:indptr[j+1]]`."""

    indptr: np.ndarray
    indices: np.ndarray


class BasketsOutsideMemory(ItemRows):
    """Rows of items outside memory. Half of the memory limit is for the ones of items that are tried."""

    in_memory = False
    _loaded: tuple[np.ndarray, ItemColumns] | None = None  # the place of each item, -1 if not there; the ones

    def __init__(self, memory_limit: str):
        self._most_ones = bytes_of_limit(memory_limit) // 8

    @abstractmethod
    def _ones(self, items: np.ndarray, slot: np.ndarray) -> ItemColumns:
        """The rows of these items; `slot` is the place of each item among them, -1 for all others."""

    @property
    @abstractmethod
    def labels(self) -> np.ndarray: ...

    @property
    @abstractmethod
    def class_support(self) -> np.ndarray:  # type: ignore[override]
        """Rows of each class with each item: a line for each item."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.labels), len(self.names)

    @cached_property
    def support(self) -> np.ndarray:
        """Rows with each item."""
        return self.class_support.sum(axis=1)

    def columns_of(self, features: np.ndarray) -> tuple[ItemColumns, np.ndarray]:
        if self._loaded is None or (self._loaded[0][features] < 0).any():
            self._load(np.asarray(features))
        assert self._loaded is not None
        return self._loaded[1], self._loaded[0][features]

    def keep(self, features: Sequence[int] | np.ndarray) -> Baskets:
        chosen = np.asarray(features)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen.astype(np.int64)
        self.check_room(chosen)
        columns, places = self.columns_of(chosen)
        rows = [columns.indices[columns.indptr[place] : columns.indptr[place + 1]] for place in places.tolist()]
        starts = np.append(0, np.cumsum([*map(len, rows)])).astype(np.int32)
        indices = np.concatenate([*rows, np.zeros(0, np.int32)])
        by_item = sp.csc_array((np.ones(len(indices), np.uint8), indices, starts), shape=(len(self), len(chosen)))
        names = tuple(self.names[item] for item in chosen.tolist())
        return Baskets(by_item.tocsr(), names, self.labels, self.classes, persons=self.persons)

    def check_room(self, features: np.ndarray) -> None:
        """Refuse items whose ones do not fit into memory."""
        ones = int(self.support[features].sum())
        if ones > self._most_ones:
            raise DataError(
                f"The {len(features):,} items have {ones:,} ones; {self._most_ones:,} fit into half the memory limit."
                " Raise memory_limit, or k, or select with GreedySelector, which needs a part of them at a time."
            )

    def row_groups(self) -> np.ndarray | None:
        """The group of each row, those with the same items in one; None if the ones of an item have no room.

        Rows are told apart by a sum of random numbers of 64 bits, one for each item, drawn anew: two different rows of
        a hundred million have the same sum with a chance below one in a thousand.
        """
        if int(self.support.max()) > self._most_ones:
            return None
        number, found = Randomness(None).uint64(len(self.names)), np.zeros(len(self), dtype=np.uint64)
        start, ends = 0, np.cumsum(self.support)
        while start < len(ends):
            before = int(ends[start - 1]) if start else 0
            end = int(np.searchsorted(ends, before + self._most_ones, side="right"))
            columns, places = self.columns_of(np.arange(start, end))
            for item, place in zip(range(start, end), places.tolist(), strict=True):
                found[columns.indices[columns.indptr[place] : columns.indptr[place + 1]]] += number[item]
            start = end
        self.forget()
        return np.unique(found, return_inverse=True)[1].ravel()

    def forget(self) -> None:
        self._loaded = None

    def _load(self, features: np.ndarray) -> None:
        """Bring these items into memory, and with them as many of the others as have room: those that are next by what
        they separate, then those before.
        """
        self.check_room(features)
        order = np.argsort(-separated_pairs(self), kind="stable")
        asked = np.isin(order, features)
        order = np.concatenate(
            [order[asked], np.roll(order, -int(asked.argmax()))[~np.roll(asked, -int(asked.argmax()))]]
        )
        wanted = np.sort(order[np.cumsum(self.support[order]) <= self._most_ones])
        self._loaded = None  # before the next ones take their place
        slot = np.full(len(order), -1, dtype=np.int64)
        slot[wanted] = np.arange(len(wanted))
        self._loaded = slot, self._ones(wanted, slot)


def bytes_of_limit(memory: str) -> int:
    match = _SIZE.fullmatch(memory) if isinstance(memory, str) else None
    if match is None:
        raise DataError("memory_limit is a size such as '4GB' or '800MB'.")
    power = " KMGT".index((match[2] or " ")[0].upper())
    return int(float(match[1]) * (1024 if (match[2] or "").lower().endswith("i") else 1000) ** power)
