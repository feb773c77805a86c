# SPDX-License-Identifier: Apache-2.0
"""What the models of population uniqueness are fitted to: how many groups of the sample have which size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


class CannotEstimate(Exception):  # noqa: N818  (a word of the field, not an Error)
    """A model cannot be fitted to these sizes; the message is the reason, in words."""


@dataclass(frozen=True, eq=False)
class GroupSizes:
    """Group sizes of a sample: `counts[i]` groups have `sizes[i]` persons; `fraction` of the population is sampled."""

    sizes: np.ndarray
    counts: np.ndarray
    fraction: float

    @classmethod
    def of(cls, sizes: np.ndarray, fraction: float) -> GroupSizes:
        distinct, counts = np.unique(sizes, return_counts=True)
        return cls(distinct.astype(np.float64), counts.astype(np.float64), float(fraction))

    @property
    def persons(self) -> int:
        """Persons of the sample, n."""
        return int((self.sizes * self.counts).sum())

    @property
    def population(self) -> float:
        """Persons of the population, N."""
        return self.persons / self.fraction

    @property
    def groups(self) -> int:
        """Groups of the sample, u."""
        return int(self.counts.sum())

    @property
    def ones(self) -> int:
        """Groups of one person: the sample uniques."""
        return self.of_size(1)

    def of_size(self, size: int) -> int:
        return int(self.counts[self.sizes == size].sum())
