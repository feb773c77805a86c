# SPDX-License-Identifier: Apache-2.0
"""The weights that minimise the logistic loss of margins z_i, with a quadratic penalty:

    L(w) = (1/n) sum_i log(1 + exp(-w.z_i)) + regularization |w|^2.

L is 2*regularization-strongly convex. So a gradient of norm t at w says that w is within t/(2*regularization) of the
minimiser, whatever way w was found. `minimiser` is Newton's method; its linear systems are solved by conjugate
gradients, which need z only as a factor, so sparse margins stay sparse. `one_pass` is the paper's Algorithm 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.errors import DataError
from discreet.foundation.lazy_modules import is_sparse, special
from discreet.foundation.lazy_modules import sparse as sp

_STEPS = 100  # of Newton's method; it takes about ten
_HALVINGS = 40


def loss(z: Any, regularization: float, w: np.ndarray) -> float:
    """L at w, equation (3).

    >>> round(loss(np.array([[1.0]]), 1.0, np.zeros(1)), 6)
    0.693147
    """
    return float(np.logaddexp(0, -(z @ w)).mean() + regularization * (w @ w))


def gradient(z: Any, regularization: float, w: np.ndarray) -> np.ndarray:
    return 2 * regularization * w - z.T @ special.expit(-(z @ w)) / z.shape[0]


def minimiser(z: Any, regularization: float, tolerance: float) -> tuple[np.ndarray, float]:
    """Weights whose gradient has a norm of at most `tolerance`, and that norm.

    >>> w, norm = minimiser(np.ones((8, 1)), 1.0, 1e-12)
    >>> round(float(w[0]), 6), norm <= 1e-12
    (0.222323, True)
    """
    w = np.zeros(z.shape[1])
    g = gradient(z, regularization, w)
    for _ in range(_STEPS):
        norm = float(np.linalg.norm(g))
        if norm <= tolerance:
            return w, norm
        slope = special.expit(z @ w)
        step = _solved(z, slope * (1 - slope), regularization, -g, min(0.1, norm) * norm)
        w, g = _along(z, regularization, w, g, step)
    raise DataError(
        f"The minimiser was not found to a gradient of {tolerance:g}: {norm:.3g} was reached. Raise the tolerance or"
        " the regularization."
    )


def _solved(z: Any, curvature: np.ndarray, regularization: float, b: np.ndarray, enough: float) -> np.ndarray:
    """x with (z' diag(curvature) z / n + 2 regularization) x = b, up to a residual of norm `enough`."""
    x, residual = np.zeros_like(b), b.copy()
    direction, square = residual, float(residual @ residual)
    for _ in range(10 * len(b) + 100):
        if square <= enough**2:
            break
        turned = z.T @ (curvature * (z @ direction)) / len(curvature) + 2 * regularization * direction
        length = square / float(direction @ turned)
        x, residual = x + length * direction, residual - length * turned
        square, before = float(residual @ residual), square
        direction = residual + square / before * direction
    return x


def _along(
    z: Any, regularization: float, w: np.ndarray, g: np.ndarray, step: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first of w + step, w + step/2, ... that lowers the loss, or, near the end, the norm of the gradient."""
    here, slope, norm = loss(z, regularization, w), float(g @ step), np.linalg.norm(g)
    for _ in range(_HALVINGS):
        there = w + step
        then = gradient(z, regularization, there)
        if loss(z, regularization, there) <= here + 1e-4 * slope or np.linalg.norm(then) <= norm / 2:
            return there, then
        step, slope = step / 2, slope / 2
    return there, then


def one_pass(z: Any, regularization: float) -> np.ndarray:
    """Algorithm 1 as printed: from (1, ..., 1), one step of length 1 for each row in turn. It does not converge.

    Where the gradient is zero, the printed division has no result; no step is made.

    >>> one_pass(np.array([[0.0, 1.0]]), 0.5).round(3).tolist()
    [0.193, 0.41]
    """
    n, d = z.shape
    w = np.ones(d)  # step 2
    z = sp.csr_array(z) if is_sparse(z) else z
    for i in range(n):
        row = z[[i]].toarray().ravel() if is_sparse(z) else z[i]
        g = 2 * regularization * w - row * special.expit(-(row @ w)) / n  # step 3(c)
        length = np.linalg.norm(g)
        if length > 0:
            w -= g / length  # step 3(d)
    return w
