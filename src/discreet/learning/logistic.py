# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on distinct rows with weights, by Newton's method with conjugate gradients.

It minimises the sum over rows of -log p(class) plus half the squared weights; the intercept is free. That is what
scikit-learn's LogisticRegression minimises by default. Few distinct rows stand for many rows of a release, and
scikit-learn need not be loaded for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_STEPS = 30
_INNER = 60  # steps of conjugate gradients for one step of Newton's
_NEAR = 1e-5  # the largest derivative of the mean loss at which the search ends; scikit-learn ends at 1e-4


def fit_logistic(X: Any, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights (column x class) and intercepts, from a sparse matrix of distinct rows and the rows of each class.

    Of two classes the first is held at zero: with both free the penalty would be another one.
    """
    free = slice(1, None) if counts.shape[1] == 2 else slice(None)
    parameters = np.zeros((X.shape[1] + 1, counts.shape[1]))
    problem = _Problem(X, counts, free)
    value = problem.at(parameters)
    for _ in range(_STEPS):
        slope = problem.slope(parameters)
        if np.abs(slope).max() <= _NEAR * counts.sum():
            break
        step, length = problem.direction(slope), 1.0
        while (there := problem.at(parameters - length * step)) > value and length > 1e-6:
            length /= 2
        parameters, value = parameters - length * step, min(there, value)
    return parameters[:-1], parameters[-1]


class _Problem:
    """The loss with its derivatives; the last line of the parameters are the intercepts."""

    def __init__(self, X: Any, counts: np.ndarray, free: slice):
        self.X, self.transposed, self.counts = X, X.T.tocsr(), counts
        self.rows = counts.sum(axis=1, keepdims=True)
        self.is_free = np.zeros(counts.shape[1])
        self.is_free[free] = 1.0

    def at(self, parameters: np.ndarray) -> float:
        """The loss; the classes' probabilities are kept for the derivatives."""
        line = self.X @ parameters[:-1] + parameters[-1]
        line -= line.max(axis=1, keepdims=True)
        self.shares = np.exp(line)
        total = _across(self.shares)
        self.shares /= total
        return float((self.counts * (np.log(total) - line)).sum() + (parameters[:-1] ** 2).sum() / 2)

    def slope(self, parameters: np.ndarray) -> np.ndarray:
        slope = self._back(self.rows * self.shares - self.counts)
        slope[:-1] += parameters[:-1]
        return slope * self.is_free

    def curved(self, direction: np.ndarray) -> np.ndarray:
        """The matrix of second derivatives times a direction."""
        line = self.X @ direction[:-1] + direction[-1]
        line -= _across(self.shares * line)
        product = self._back(self.rows * self.shares * line)
        product[:-1] += direction[:-1]
        return product * self.is_free

    def direction(self, slope: np.ndarray) -> np.ndarray:
        """Newton's step, by conjugate gradients that are scaled by the diagonal."""
        spread = self.rows * self.shares * (1 - self.shares)
        scale = np.vstack([self.transposed.power(2) @ spread + 1.0, spread.sum(axis=0) + 1e-9])
        step, rest = np.zeros_like(slope), slope.copy()
        towards = scaled = rest / scale
        size = float((rest * scaled).sum())
        enough = size * 1e-2
        for _ in range(_INNER):
            if size <= enough:
                break
            product = self.curved(towards)
            length = size / float((towards * product).sum())
            step += length * towards
            rest -= length * product
            scaled = rest / scale
            before, size = size, float((rest * scaled).sum())
            towards = scaled + size / before * towards
        return step

    def _back(self, line: np.ndarray) -> np.ndarray:
        return np.vstack([self.transposed @ line, line.sum(axis=0)])


def _across(numbers: np.ndarray) -> np.ndarray:
    """The sum of each row. NumPy's own takes several times longer where rows are as short as there are classes."""
    total = numbers[:, :1].copy()
    for place in range(1, numbers.shape[1]):
        total += numbers[:, place : place + 1]
    return total
