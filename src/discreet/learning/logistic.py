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
    held = int(counts.shape[1] == 2)
    parameters = np.zeros((X.shape[1] + 1, counts.shape[1] - held))
    problem = _Problem(X, counts, held)
    value = problem.at(parameters)
    for _ in range(_STEPS):
        slope = problem.slope(parameters)
        if np.abs(slope).max() <= _NEAR * counts.sum():
            break
        step, length = problem.direction(slope), 1.0
        while (there := problem.at(parameters - length * step)) > value and length > 1e-6:
            length /= 2
        parameters, value = parameters - length * step, min(there, value)
    parameters = np.hstack([np.zeros((len(parameters), held)), parameters])
    return parameters[:-1], parameters[-1]


class _Problem:
    """The loss with its derivatives, by the parameters of the classes after those held at zero; the last line of the
    parameters are the intercepts.
    """

    def __init__(self, X: Any, counts: np.ndarray, held: int):
        self.X, self.transposed, self.counts, self.held = X, X.T.tocsr(), counts, held
        self.rows = counts.sum(axis=1, keepdims=True)

    def at(self, parameters: np.ndarray) -> float:
        """The loss; the classes' probabilities are kept for the derivatives."""
        line = np.zeros(self.counts.shape)
        line[:, self.held :] = self.X @ parameters[:-1] + parameters[-1]
        line -= line.max(axis=1, keepdims=True)
        shares = np.exp(line)
        total = _across(shares)
        self.shares = shares[:, self.held :] / total
        self.weight = self.rows * self.shares
        return float((self.counts * (np.log(total) - line)).sum() + (parameters[:-1] ** 2).sum() / 2)

    def slope(self, parameters: np.ndarray) -> np.ndarray:
        slope = self._back(self.weight - self.counts[:, self.held :])
        slope[:-1] += parameters[:-1]
        return slope

    def curved(self, direction: np.ndarray) -> np.ndarray:
        """The matrix of second derivatives times a direction."""
        line = self.X @ direction[:-1] + direction[-1]
        line -= _across(self.shares * line)
        line *= self.weight
        product = self._back(line)
        product[:-1] += direction[:-1]
        return product

    def direction(self, slope: np.ndarray) -> np.ndarray:
        """Newton's step, by conjugate gradients that are scaled by the diagonal."""
        spread = self.weight * (1 - self.shares)
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
