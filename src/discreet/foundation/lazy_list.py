# SPDX-License-Identifier: Apache-2.0
"""A lazy list, computed on first access."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any


class LazyList(Sequence[Any]):
    """The items that `make` returns; it is called once, on first access.

    >>> notes = LazyList(lambda: ["a note"])
    >>> "_items" in vars(notes), notes[0], "_items" in vars(notes)
    (False, 'a note', True)
    """

    def __init__(self, make: Callable[[], Iterable[Any]]):
        self._make = make

    @cached_property
    def _items(self) -> list[Any]:
        return list(self._make())

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)
