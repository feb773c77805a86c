# SPDX-License-Identifier: Apache-2.0
"""Categories as a matrix of zeros and ones, which is multiplied without SciPy: that takes longer to load than a small
table to learn. Sums are added in the order of a sparse matrix, so they are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.foundation.compiled_kernels import compiled


class HotCodes:
    """A one-hot block per feature, side by side; `places` are the columns of the ones, those of row i from ends[i] on.

    >>> X = HotCodes.of([np.array([0, 1, 2]), np.array([1, 0, 1])], [2, 2])
    >>> (X @ np.array([[1.0], [2.0], [10.0], [20.0]])).ravel().tolist()
    [21.0, 12.0, 20.0]
    >>> (X.T.tocsr() @ np.array([[1.0], [10.0], [100.0]])).ravel().tolist()
    [1.0, 10.0, 10.0, 101.0]
    """

    def __init__(self, places: np.ndarray, ends: np.ndarray, width: int):
        self.places, self.ends, self.shape = places, ends, (len(ends) - 1, width)

    @classmethod
    def of(cls, codes: Sequence[np.ndarray], widths: Sequence[int]) -> HotCodes:
        """From a code of each row per feature; codes that are not below the feature's width are all zeros."""
        starts = np.cumsum([0, *widths])
        cells = np.stack([one + start for one, start in zip(codes, starts.tolist(), strict=False)], axis=1)
        is_known = cells < starts[1:]
        ends = np.append(0, np.cumsum(is_known.sum(axis=1)))
        return cls(cells[is_known].astype(np.int32), ends, int(starts[-1]))

    def __matmul__(self, numbers: np.ndarray) -> np.ndarray:
        total = np.empty((self.shape[0], numbers.shape[1]))
        for place in range(numbers.shape[1]):
            total[:, place] = _sums(self.places, self.ends, np.ascontiguousarray(numbers[:, place]))
        return total

    @property
    def T(self) -> HotCodes:  # noqa: N802, as matrices have it
        order = np.argsort(self.places, kind="stable")
        rows = np.repeat(np.arange(self.shape[0], dtype=np.int32), np.diff(self.ends))
        ends = np.append(0, np.cumsum(np.bincount(self.places, minlength=self.shape[1])))
        return HotCodes(rows[order], ends, self.shape[0])

    def tocsr(self) -> HotCodes:
        """Itself, as a sparse matrix would be."""
        return self

    def power(self, exponent: float) -> HotCodes:
        """Itself: powers of zeros and ones are these."""
        return self


@compiled
def _sums(places, ends, numbers):
    """For each row the sum of the numbers at its ones."""
    sums = np.empty(len(ends) - 1)
    for row in range(len(sums)):
        total = 0.0
        for one in range(ends[row], ends[row + 1]):
            total += numbers[places[one]]
        sums[row] = total
    return sums
