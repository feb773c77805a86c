# SPDX-License-Identifier: Apache-2.0
"""The mean of the weights of blocks of rows, from clipped margins: one row moves the weights of its block alone.

Proofs: docs/methods/private_fwell.md.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np

from discreet.errors import DataError, quietly
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp
from discreet.mechanisms.euclidean import Euclidean
from discreet.methods.noise.margin_loss import minimiser
from discreet.methods.noise.margins import margins
from discreet.methods.noise.private_fwell_strategy import SLACK, Strategy
from discreet.methods.noise.private_rows import classes_of
from discreet.methods.noise.weighting import scaled

_BLOCK = 10  # rows of a block, unless the number of blocks is given


class BlockStrategy(Strategy):
    """Seek nearest hits and misses in blocks of rows, and average the weights of the blocks."""

    key = "blocks"

    def mechanism(self, rows: int, columns: int) -> Euclidean:
        s = self.settings
        sensitivity = 2 * longest(s.clip, s.regularization) / n_blocks(rows, s.blocks)
        return Euclidean(sensitivity=(1 + SLACK) * sensitivity, epsilon=s.epsilon, dimension=columns)

    def statistic(self, X: Any, labels: Any, names: list[str]) -> np.ndarray:
        classes, s = classes_of(labels), self.settings
        blocks = n_blocks(len(classes), s.blocks)
        return of_blocks(scaled(*self._within(X, names)), classes, blocks, s.regularization, s.clip)


def clipped(z: Any, clip: float) -> Any:
    """Margins whose norm is `clip` at most; longer ones are shortened.

    >>> clipped(np.array([[3.0, 4.0], [0.0, 0.5]]), 1.0).round(6).tolist()
    [[0.6, 0.8], [0.0, 0.5]]
    """
    squares = z.multiply(z).sum(axis=1) if is_sparse(z) else (z * z).sum(axis=1)
    norms = np.sqrt(squares)
    factor = np.divide(clip, norms, out=np.ones_like(norms), where=norms > clip)
    return sp.csr_array(sp.diags_array(factor) @ z) if is_sparse(z) else z * factor[:, None]


def longest(clip: float, regularization: float) -> float:
    """No minimiser of clipped margins is longer than this.

    >>> longest(1.0, 1.0), round(longest(1.0, 0.1), 4)
    (0.5, 2.6328)
    """
    return min(clip / (2 * regularization), sqrt(log(2) / regularization))


def n_blocks(rows: int, wanted: int | None) -> int:
    """How many blocks; never more than rows."""
    return min(rows, max(1, rows // _BLOCK) if wanted is None else int(wanted))


def of_blocks(X: Any, classes: np.ndarray, blocks: int, regularization: float, clip: float) -> np.ndarray:
    """The mean of the weights of blocks of rows. Which rows are a block depends on their number alone."""
    total, most = np.zeros(X.shape[1]), longest(clip, regularization)
    for block in np.array_split(np.arange(X.shape[0]), blocks):
        z = clipped(margins(X[block], classes[block]), clip)
        near, _ = quietly(minimiser, z, regularization, 1e-6 * clip, errors=(DataError,))
        if near is not None:  # else zero; no vector of a block is too far off for the proof
            total += clipped(near[0][None, :], most)[0]
    return total / blocks
