# SPDX-License-Identifier: Apache-2.0
"""What methods share that weigh features: the scikit-learn side, and numbers scaled to bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from discreet.errors import DataError, ParameterError, listing
from discreet.foundation.estimators import SelectorFace, check_is_fitted
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.parameters import Interval
from discreet.methods.selector import mask_of, numeric

N_FEATURES = [None, Interval(Integral, 1, None, closed="left")]
BOUNDS = [None, tuple, list, Mapping]


class Weighter(SelectorFace):
    """A scikit-learn selector of the features with the largest `weights_`. Its parameter `n_features` says how many;
    None stands for a tenth of them, as in the paper, and one at least."""

    n_features: int | None
    weights_: np.ndarray

    def _rows(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """scikit-learn's checks: numbers, dense or CSR, and labels."""
        from sklearn.utils.multiclass import check_classification_targets

        X, y = numeric(self, X, y, "numbers", dtype=np.float64)
        check_classification_targets(y)
        if self.n_features is not None and self.n_features > X.shape[1]:
            raise ParameterError(f"{self.n_features} features were asked of {X.shape[1]}. Ask for fewer.")
        return (sp.csr_array(X) if is_sparse(X) else X), y

    @property
    def order_(self) -> np.ndarray:
        """The features that are kept, largest weight first."""
        check_is_fitted(self)
        return heaviest(self.weights_, self.n_features)

    @property
    def support_(self) -> np.ndarray:
        """True for each feature that is kept."""
        return mask_of(self.order_, len(self.weights_))

    def _get_support_mask(self) -> np.ndarray:
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def heaviest(weights: np.ndarray, n_features: int | None) -> np.ndarray:
    """The places of the largest weights, largest first; equal ones in the order of their places.

    >>> heaviest(np.array([0.1, 0.5, 0.5]), 2).tolist()
    [1, 2]
    """
    return np.argsort(-weights, kind="stable")[: n_kept(len(weights), n_features)]


def n_kept(columns: int, n_features: int | None) -> int:
    """How many features are kept: a tenth, and one at least, unless a number is asked for."""
    return max(1, columns // 10) if n_features is None else int(n_features)


def limits(bounds: Any, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The lower and upper bound of every column: from a pair of numbers, or of one number for each column, or from a
    mapping of names to pairs.

    >>> [ends.tolist() for ends in limits({"age": (0, 100), "stay": (0, 7)}, ["stay", "age"])]
    [[0.0, 0.0], [7.0, 100.0]]
    """
    if isinstance(bounds, Mapping):
        lacking = [name for name in names if name not in bounds]
        if lacking:
            raise ParameterError(f"Bounds are needed for every column; there are none for {listing(lacking)}.")
        bounds = tuple(zip(*(bounds[name] for name in names), strict=True))
    wrong = ParameterError(
        "Bounds are a pair (low, high), of numbers or of one number for each column, low below high."
    )
    try:
        low, high = (np.array(np.broadcast_to(np.asarray(end, dtype=float), len(names))) for end in bounds)
    except (TypeError, ValueError):
        raise wrong from None
    if not (np.isfinite(low) & np.isfinite(high) & (low < high)).all():
        raise wrong
    return low, high


def spread(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest number of every column: bounds that are read from the data."""
    if is_sparse(X):
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    return X.min(axis=0), X.max(axis=0)


def scaled(X: Any, low: np.ndarray, high: np.ndarray) -> Any:
    """X in units of high - low, after its cells were brought between the bounds. Zeros between them stay zeros, so
    sparse rows stay sparse; distances do not ask where the zero lies. A column without a width becomes zero.

    >>> scaled(np.array([[0.0, 5.0], [4.0, 9.0]]), np.array([-1.0, 5.0]), np.array([3.0, 7.0])).tolist()
    [[0.0, 0.0], [0.75, 1.0]]
    """
    width = high - low
    factor = np.divide(1.0, width, out=np.zeros_like(width), where=width > 0)
    zero = np.clip(0.0, low, high)
    if not is_sparse(X):
        return (np.clip(X, low, high) - zero) * factor
    full = np.bincount(X.indices, minlength=len(zero)) == X.shape[0]
    apart = np.count_nonzero((zero != 0) & ~full)
    if apart:
        raise DataError(
            f"{apart} columns have bounds without the zero between them. Sparse rows have zeros: give bounds around it,"
            " or dense rows."
        )
    cells = (np.clip(X.data, low[X.indices], high[X.indices]) - zero[X.indices]) * factor[X.indices]
    return sp.csr_array((cells, X.indices, X.indptr), shape=X.shape)
