# SPDX-License-Identifier: Apache-2.0
"""The two loops of the market-basket generator, compiled; see `quest.py` for what they do.

The caller makes the arrays, and random numbers are a few instructions of their own: both keep compiling short.
"""

from __future__ import annotations

import numpy as np

from discreet.foundation.compiled_kernels import compiled

TOO_OFTEN = 100  # draws in a row that may bring nothing before one gives up


@compiled
def _uniform(state):
    """A number in [0, 1) by SplitMix64 (Steele, Lea and Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@compiled
def _first_above(upto, low, high, value):
    """The first place in low..high-1 whose cumulative weight exceeds the value (the last one, if none does)."""
    high -= 1
    while low < high:
        middle = (low + high) // 2
        if upto[middle] > value:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def draw_itemsets(size, shared, popularity, hand, seen, items, start, state):
    """Itemsets of at most the given sizes; itemset p takes the share `shared[p]` of its items from itemset p - 1."""
    n_hand = 0  # the previous itemset, in hand
    for p in range(len(size)):
        end = start[p]
        from_previous = min(int(shared[p] * size[p] + 0.5), n_hand)
        for i in range(from_previous):  # a random part of it
            j = i + int(_uniform(state) * (n_hand - i))
            hand[i], hand[j] = hand[j], hand[i]
            items[end] = hand[i]
            seen[hand[i]] = p
            end += 1
        fruitless = 0
        while end - start[p] < size[p] and fruitless < TOO_OFTEN:
            item = _first_above(popularity, 0, len(popularity), _uniform(state))
            fruitless += 1
            if seen[item] != p:
                fruitless = 0
                items[end] = item
                seen[item] = p
                end += 1
        start[p + 1] = end
        n_hand = end - start[p]
        for i in range(n_hand):
            hand[i] = items[start[p] + i]


@compiled
def fill_baskets(
    first, last, labels, size, items, start, upto, corruption, put_off, hand, seen, indices, indptr, state
):
    """Fill the baskets first..last-1, items in no order; `put_off` and `seen` carry over to the next call."""
    per_class = len(upto) // len(put_off)
    for row in range(first, last):
        end = indptr[row]
        label = labels[row]
        low, high = label * per_class, (label + 1) * per_class
        below = upto[low - 1] if low > 0 else 0.0
        fruitless = 0
        p = low
        while end - indptr[row] < size[row] and fruitless < TOO_OFTEN:
            p = put_off[label]
            put_off[label] = -1
            if p < 0:  # the weighted coin with |L| sides
                p = _first_above(upto, low, high, below + _uniform(state) * (upto[high - 1] - below))
            size_left = start[p + 1] - start[p]
            for i in range(size_left):
                hand[i] = items[start[p] + i]
            while size_left > 0 and _uniform(state) < corruption[p]:  # drop one more
                size_left -= 1
                hand[int(_uniform(state) * (size_left + 1))] = hand[size_left]
            new = 0
            for i in range(size_left):
                if seen[hand[i]] != row:
                    hand[new] = hand[i]
                    new += 1
            fruitless += 1
            if new > 0:
                fruitless = 0
                # What does not fit goes in anyway in half the cases, and waits for the next basket in the others.
                have = end - indptr[row]
                if have + new > size[row] and have > 0 and _uniform(state) < 0.5:
                    put_off[label] = p
                    break
                for i in range(new):
                    seen[hand[i]] = row
                    indices[end] = hand[i]
                    end += 1
        if end == indptr[row]:  # corruption took everything, TOO_OFTEN times: save one item
            indices[end] = items[start[p] + int(_uniform(state) * (start[p + 1] - start[p]))]
            end += 1
        indptr[row + 1] = end
