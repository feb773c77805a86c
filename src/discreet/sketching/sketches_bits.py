# SPDX-License-Identifier: Apache-2.0
"""Sketches of rows of ones, 64 components at a time.

A component of such a row is the number of its items less twice the number of those whose sign is -1. The signs of an
item are bits of a few words, and they are counted in words: bit j of `planes[level]` is a binary digit of the count of
component j. An item is added to all 64 counts at once, with carries, as in an adder.
"""

from __future__ import annotations

import numpy as np

from discreet.foundation.compiled_kernels import compiled

_DIGITS = 32  # of a count: rows have fewer than 2**32 items


@compiled
def add_bits(indptr, indices, words, offsets, values):
    """The sketches of rows of ones; those of row r are values[offsets[r]:offsets[r + 1]].

    Two words at a time: those of an item lie side by side in memory, and items lie far apart.
    """
    planes, others = np.zeros(_DIGITS, dtype=np.uint64), np.zeros(_DIGITS, dtype=np.uint64)
    for row in range(len(indptr) - 1):
        start, stop, end = indptr[row], indptr[row + 1], offsets[row + 1]
        for first in range(offsets[row], end, 128):
            block = (first - offsets[row]) // 64
            beside = min(block + 1, words.shape[1] - 1)
            digits, limit = 0, 1
            for place in range(start, stop):
                if place - start + 1 == limit:  # the counts need a further digit
                    planes[digits] = others[digits] = 0
                    digits += 1
                    limit *= 2
                carry, other = words[indices[place], block], words[indices[place], beside]
                for level in range(digits):
                    both = planes[level] & carry
                    planes[level] ^= carry
                    carry = both
                    both = others[level] & other
                    others[level] ^= other
                    other = both
            _write(planes, digits, stop - start, values[first : min(first + 64, end)])
            _write(others, digits, stop - start, values[min(first + 64, end) : min(first + 128, end)])


@compiled
def _write(planes, digits, n_items, components):
    """Components from the counts of signs that are -1."""
    one = np.uint64(1)
    for j in range(len(components)):
        components[j] = n_items
    for level in range(digits):
        plane, weight = planes[level], 2 << level
        for j in range(len(components)):
            components[j] -= np.int32((plane >> np.uint64(j)) & one) * weight
