# SPDX-License-Identifier: Apache-2.0
"""A list that is made when somebody reads it: for what takes long, and most releases of a study are not asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any


class Later(Sequence[Any]):
    """What `make` gives, made once, at the first look.

    >>> notes = Later(lambda: ["looked at"])
    >>> "_made" in vars(notes), notes[0], "_made" in vars(notes)
    (False, 'looked at', True)
    """

    def __init__(self, make: Callable[[], Iterable[Any]]):
        self._make = make

    @cached_property
    def _made(self) -> list[Any]:
        return list(self._make())

    def __getitem__(self, place: Any) -> Any:
        return self._made[place]

    def __len__(self) -> int:
        return len(self._made)
