# SPDX-License-Identifier: Apache-2.0
"""Labelled rows of items, wherever they are: what a selector of items asks of them.

`Baskets` hold all their ones in memory. Others count first, and bring the ones of a few items into memory when they are
asked for (`discreet.engines.StoredBaskets`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet.errors import RolesError

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets


class ItemRows(ABC):
    """Rows of items with a label each.

    names, labels, classes, persons   as in `Baskets`
    support                           rows with each item
    class_support                     rows of each class with each item, where they were counted beforehand
    in_memory                         whether all ones are in memory
    weights                           rows that each row stands for where worth is counted; None for one each
    """

    in_memory: ClassVar[bool] = True
    class_support: np.ndarray | None = None
    weights: np.ndarray | None = None

    if TYPE_CHECKING:

        @property
        def names(self) -> tuple[str, ...]: ...
        @property
        def labels(self) -> np.ndarray | None: ...
        @property
        def classes(self) -> np.ndarray | None: ...
        @property
        def persons(self) -> np.ndarray | None: ...
        @property
        def support(self) -> np.ndarray: ...

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    @abstractmethod
    def columns_of(self, features: np.ndarray) -> tuple[Any, np.ndarray]:
        """A matrix by columns in which these items are, and their places in it."""

    @abstractmethod
    def keep(self, features: Sequence[int] | np.ndarray) -> Baskets:
        """The projection on these items, in memory."""

    def rows_with(self, feature: int) -> np.ndarray:
        """The rows that have the item."""
        columns, places = self.columns_of(np.array([feature]))
        return columns.indices[columns.indptr[places[0]] : columns.indptr[places[0] + 1]]

    def forget(self) -> None:  # noqa: B027  (baskets in memory have nothing to forget)
        """Give up ones that were brought into memory and may be brought again."""

    def check_for_release(self) -> None:
        """Raise RolesError unless there are labels of at least two classes."""
        if self.labels is None:
            raise RolesError("A release of baskets needs labels: release(X, y).")
        if len(np.unique(self.labels)) < 2:
            raise RolesError("The labels have one class only: there is nothing to learn from them.")
