# SPDX-License-Identifier: Apache-2.0
"""Limits on the number of components of a sketch: from the variance of its cells (Figure 1), from the variance of its
similarity to another record (Figure 2), and from the bits that it may carry (ours).

With a = |x|^2, b = |y|^2, c = x.y and e = sum x_i^2 y_i^2, m components estimate x.y with the variance V/m, where
V = ab + c^2 - 2e. The limit of a pair is the largest m with sqrt(V/m) >= sqrt(ab) - c. It is at least 1: V is at least
(sqrt(ab) - c)^2 exactly when e <= c sqrt(ab), and e <= c max(x_i y_i) <= c sqrt(ab). Parallel records have no limit.

Limits of whole numbers are exact: a quotient decides only where it is clear of a whole number by far more than its
rounding; elsewhere whole numbers are compared. Of other numbers a limit is lowered by more than they may be off.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from discreet.data.records import Records
from discreet.errors import ParameterError
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import special

_CLEAR = 1e-9  # relative; sums of rounded numbers are off by less
_ROUNDING = 1e-14  # of a sum of products, relative to |x|^2 |y|^2
_EXACT = 2.0**51  # below it, sums of products of whole numbers are exact
UNLIMITED = 2**31 - 1


def variance_limits(records: Records, delta: float) -> np.ndarray:
    """For each record, the most components that leave every cell a variance of delta; 0 if even one leaves less.

    >>> variance_limits(Records.of([[1] * 20, [1] + [0] * 19]), 0.3).tolist()
    [63, 0]
    """
    spread = records.spread
    if not records.whole:
        return np.minimum(np.floor(spread * (1 - _CLEAR) / delta), UNLIMITED).astype(np.int64)
    # Figure 1: the largest r with (sum_i x_i^2 - x_k^2) / r >= delta for all k
    exact = Fraction(repr(float(delta)))  # the decimal as written: 19 / 0.2 is 95
    each, place = np.unique(spread, return_inverse=True)
    limits = [min(int(s) * exact.denominator // exact.numerator, UNLIMITED) for s in each.tolist()]
    return np.array(limits, dtype=np.int64)[place]


def component_bits(records: Records) -> np.ndarray:
    """The most bits that one component reveals about a record with a known number of items.

    A component is a sum of signs, so of l cells l bits at most; of whole numbers it is twice a whole number of variance
    |x|^2/4, up to a shift, whose entropy is at most that of a normal number of this variance and 1/12 more.
    """
    cells = records.ones.astype(np.float64)
    if not records.whole:
        return cells
    return np.minimum(cells, np.log2(2 * np.pi * np.e * (records.lengths / 4 + 1 / 12)) / 2)


def record_bits(records: Records) -> np.ndarray:
    """The bits of a record among all that have as many items: log2 of d over l.

    >>> record_bits(Records.of([[1] * 20 + [0] * 980])).round(1).tolist()
    [138.0]
    """
    d, cells = records.shape[1], records.ones
    return np.maximum(
        (special.gammaln(d + 1) - special.gammaln(cells + 1) - special.gammaln(d - cells + 1)) / np.log(2), 0.0
    )


def information_limits(records: Records, share: float) -> np.ndarray:
    """For each record, the most components that carry together no more than this share of its bits.

    >>> information_limits(Records.of([[1] * 20 + [0] * 980]), 1.0).tolist()
    [42]
    """
    return np.floor(share * record_bits(records) / np.maximum(component_bits(records), 1e-9)).astype(np.int64)


def determined(records: Records, counts: np.ndarray) -> np.ndarray:
    """Whether the sketch of each record, with the key, can carry all its bits: it may then determine the record."""
    return (counts > 0) & (counts * component_bits(records) >= record_bits(records))


# -- classes of counts -------------------------------------------------------------------------------------------------


def quarters(most: int) -> tuple[int, ...]:
    """The public numbers of components: up to 4 each, then four to an octave.

    >>> quarters(30)
    (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28)
    """
    return tuple(m for m in range(1, most + 1) if m % (1 << max(m.bit_length() - 3, 0)) == 0)


def rounded(counts: np.ndarray, classes: Sequence[int] | None) -> np.ndarray:
    """Each number lowered to the next class; None leaves them.

    >>> rounded(np.array([0, 3, 95]), (1, 2, 64)).tolist()
    [0, 2, 64]
    """
    if classes is None:
        return np.asarray(counts)
    steps = np.concatenate([[0], np.asarray(classes, dtype=np.int64)])
    if len(steps) < 2 or steps[1] != 1 or (np.diff(steps) <= 0).any():
        raise ParameterError("Classes of counts must be increasing whole numbers of at least 1.")
    return steps[np.searchsorted(steps, counts, side="right") - 1]


# -- pairs of records --------------------------------------------------------------------------------------------------


def pair_limits(records: Records, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The limit of each pair; UNLIMITED for parallel records.

    >>> pair_limits(Records.of([[1, 1, 0], [0, 1, 1], [2, 2, 0]]), np.array([0, 0]), np.array([1, 2])).tolist()
    [3, 2147483647]
    """
    product, c, e = pair_sums(records, rows, others)
    spread, across = product + c * c - 2 * e, product - c * c  # V, and zero when parallel
    if not records.whole or product.max(initial=0) > _EXACT:
        return _lowered(product, c, spread, across)
    parallel = across == 0
    exact = np.where(parallel, UNLIMITED, spread * ((np.sqrt(product) + c) / np.maximum(across, 1)) ** 2)
    exact = np.minimum(exact, UNLIMITED)
    limits = np.floor(exact).astype(np.int64)
    near = ~parallel & (np.abs(exact - np.rint(exact)) <= _CLEAR * exact)
    if near.any():
        sums = np.stack([product[near], c[near], e[near]], axis=1)
        each, place = np.unique(sums, axis=0, return_inverse=True)
        tried = np.rint(exact[near])[np.unique(place, return_index=True)[1]]
        settled = [
            _settled(int(x), int(y), int(z), int(m)) for (x, y, z), m in zip(each.tolist(), tried.tolist(), strict=True)
        ]
        limits[near] = np.array(settled, dtype=np.int64)[place]
    return limits


def _lowered(product: np.ndarray, c: np.ndarray, spread: np.ndarray, across: np.ndarray) -> np.ndarray:
    """The limits of numbers that are rounded, never too large."""
    parallel = across <= _ROUNDING * product
    spread, across = spread - 4 * _ROUNDING * product, across + _ROUNDING * product
    limits = np.floor(spread * ((np.sqrt(product) + c) / np.where(parallel, 1.0, across)) ** 2 * (1 - _CLEAR))
    return np.where(parallel, UNLIMITED, np.clip(limits, 1, UNLIMITED)).astype(np.int64)


def _settled(ab: int, c: int, e: int, m: int) -> int:
    """m when the pair allows m components, m - 1 else, by whole numbers: V >= m (sqrt(ab) - c)^2."""
    short = m * (ab + c * c) - (ab + c * c - 2 * e)
    return m if short <= 0 or 4 * m * m * c * c * ab >= short * short else m - 1


def pair_sums(records: Records, rows: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """ab, c and e of each pair."""
    matrix, lengths = records.matrix, records.lengths
    cells = matrix.data.astype(np.float64)
    c, e = _sums(matrix.indptr, matrix.indices, cells, rows.astype(np.int64), others.astype(np.int64))
    return lengths[rows].astype(np.float64) * lengths[others], c, e


@compiled
def _sums(indptr, indices, cells, rows, others):
    """The sum of x_i y_i and of their squares, for each pair."""
    c, e = np.zeros(len(rows)), np.zeros(len(rows))
    for pair in range(len(rows)):
        p, p_end = indptr[rows[pair]], indptr[rows[pair] + 1]
        o, o_end = indptr[others[pair]], indptr[others[pair] + 1]
        while p < p_end and o < o_end:
            if indices[p] < indices[o]:
                p += 1
            elif indices[p] > indices[o]:
                o += 1
            else:
                product = cells[p] * cells[o]
                c[pair] += product
                e[pair] += product * product
                p += 1
                o += 1
    return c, e
