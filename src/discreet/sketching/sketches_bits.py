# SPDX-License-Identifier: Apache-2.0
"""Sketches of rows of ones, 64 components at a time.

A component of such a row is the number of its items less twice the number of those whose sign is -1. The signs of an
item are bits of a few words, and they are counted in words: bit j of `planes[level]` is a binary digit of the count of
component j. Four items are added to all 64 counts at once, with carries, as in an adder.

With many items, their words lie all over memory: those of items further on are asked for while others are counted.
"""

from __future__ import annotations

import numpy as np

from discreet.counting.bitmaps import prefetch
from discreet.foundation.compiled_kernels import compiled

_MOST = 252  # items that are counted at a time, in four, so that a count fits in a byte
_AHEAD = 48  # items between the one that is counted and the one that is asked for: the time that memory takes
_LOW = 0x0101010101010101  # the lowest bit of every byte


@compiled
def add_bits(indptr, indices, words, offsets, values):
    """Add the sketches of rows of ones to `values`; those of row r are values[offsets[r]:offsets[r + 1]].

    Two words at a time: those of an item lie side by side in memory, and items lie far apart.
    """
    planes, packed = np.zeros((8, 2), dtype=np.uint64), np.zeros((2, 8), dtype=np.uint64)
    counts = packed.view(np.uint8).reshape(128)
    for row in range(len(indptr) - 1):
        for block in range(0, (offsets[row + 1] - offsets[row] + 63) // 64, 2):
            first = offsets[row] + 64 * block
            mine = values[first : min(first + 128, offsets[row + 1])]
            for start in range(indptr[row], indptr[row + 1], _MOST):
                stop = min(start + _MOST, indptr[row + 1])
                digits = _count(indices, words, block, min(block + 1, words.shape[1] - 1), start, stop, planes)
                _unpack(planes, digits, packed)
                n_items = np.int32(stop - start)
                for j in range(len(mine)):
                    mine[j] += n_items - np.int32(2) * np.int32(counts[j])


@compiled(inline="always")
def _count(indices, words, block, beside, start, stop, planes):
    """Count the ones of the items from start to stop. Returns how many binary digits the counts have at most."""
    ones = twos = other_ones = other_twos = np.uint64(0)
    digits, limit, last = 2, 4, len(indices) - 1
    whole = stop - (stop - start) % 4
    for place in range(start, whole, 4):
        for ahead in range(place + _AHEAD, place + _AHEAD + 4):
            prefetch(words, indices[min(ahead, last)])
        i, j, k, m = indices[place], indices[place + 1], indices[place + 2], indices[place + 3]
        ones, twos, carry = _add_four(ones, twos, words[i, block], words[j, block], words[k, block], words[m, block])
        other_ones, other_twos, other = _add_four(
            other_ones, other_twos, words[i, beside], words[j, beside], words[k, beside], words[m, beside]
        )
        if place - start + 4 == limit:  # the counts need a further digit
            planes[digits, 0] = planes[digits, 1] = 0
            digits += 1
            limit *= 2
        _carry(planes, 2, digits, carry, other)
    planes[0, 0], planes[1, 0], planes[0, 1], planes[1, 1] = ones, twos, other_ones, other_twos
    for place in range(whole, stop):
        if place - start + 1 == limit:
            planes[digits, 0] = planes[digits, 1] = 0
            digits += 1
        _carry(planes, 0, digits, words[indices[place], block], words[indices[place], beside])
    return digits


@compiled(inline="always")
def _add_four(ones, twos, a, b, c, d):
    """Counts of up to three and four words more: their digits, and what is carried to the third."""
    both = ones ^ a
    two = (ones & a) | (both & b)
    ones = both ^ b
    both = ones ^ c
    other = (ones & c) | (both & d)
    ones = both ^ d
    both = twos ^ two
    return ones, both ^ other, (twos & two) | (both & other)


@compiled(inline="always")
def _carry(planes, level, digits, carry, other):
    """Add to the digits from a level on."""
    for at in range(level, digits):
        both = planes[at, 0] & carry
        planes[at, 0] ^= carry
        carry = both
        both = planes[at, 1] & other
        planes[at, 1] ^= other
        other = both


@compiled(inline="always")
def _unpack(planes, digits, packed):
    """The counts of all components of both words, a byte each."""
    for side in range(2):
        top = planes[digits - 1, side]
        for i in range(8):
            packed[side, i] = (top >> np.uint64(i)) & np.uint64(_LOW)
        for level in range(digits - 2, -1, -1):
            plane = planes[level, side]
            for i in range(8):
                packed[side, i] = (packed[side, i] << np.uint64(1)) | ((plane >> np.uint64(i)) & np.uint64(_LOW))
