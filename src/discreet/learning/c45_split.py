# SPDX-License-Identifier: Apache-2.0
"""How C4.5 chooses a test and grows a tree: gain ratio among the tests of at least average gain.

With n rows at a node, n_j of them known for a feature and b its branches, each with class counts n_bc:

    gain  = (Ent(known) - sum_b Ent(b)) / n,   Ent(S) = |S| log2 |S| - sum_c |S_c| log2 |S_c|
    ratio = gain / split,   split = (n log2 n - sum_b |b| log2 |b| - |unknown| log2 |unknown|) / n

Everything works on entries, that is, distinct rows of one class with a weight. The entries of a node are a stretch of
one long array, ordered by branch when the node is split. Where a tested value is unknown, the entry goes to every
branch with a part of its weight, and the stretches of the children stand at the end of the array instead.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numba
import numpy as np

from discreet.bitmaps import lowest_bit
from discreet.learning.examples import Examples

SMALL = 1e-6  # two weights, gains or ratios nearer than this are equal (Weka's Utils.SMALL)
_NEARLY = 1e-3  # gain that a test may lack to the average (Weka's C45ModelSelection)
_MOST_LOGS = 1 << 16  # n log2 n is looked up below this

# What is known of a node. LIMIT is the last code below the cut, -1 for a category; START and SIZE are its stretch.
TEST, LIMIT, FIRST, WIDTH, START, SIZE = range(6)

# codes[f, e] and label[e] of entry e; levels[f] is the code of unknown; numbers[f, code] where is_number[f]; in_average
# says whose gain counts in the average; the values of n log2 n; then scratch: counts by code and the codes that occur
# as bits of two levels, all zero between calls, and the class counts of both sides of a cut.
Entries = namedtuple("Entries", "codes label is_number levels numbers in_average logs hist bits tops sides")


def entries_of(examples: Examples) -> tuple[Entries, np.ndarray]:
    """The entries of examples, and their weights."""
    rows, label = np.nonzero(examples.counts)
    weight = examples.counts[rows, label]
    features, total = examples.features, float(weight.sum())
    levels = np.array([feature.unknown for feature in features], dtype=np.int64)
    is_number = np.array([feature.is_number for feature in features], dtype=np.bool_)
    numbers = np.zeros((len(levels), int(levels[is_number].max(initial=0)) + 1))
    for f, feature in enumerate(features):
        if feature.numbers is not None:
            numbers[f, : len(feature.numbers)] = feature.numbers
    few = is_number | (levels < 0.3 * total)  # Weka's C45ModelSelection: a category of many values gains too easily
    n = np.arange(1, min(int(total) + 2, _MOST_LOGS), dtype=np.float64)
    most = int(levels.max(initial=0)) + 1
    return Entries(
        codes=np.ascontiguousarray(examples.codes[rows].T, dtype=np.int32),
        label=label.astype(np.int32),
        is_number=is_number,
        levels=levels,
        numbers=numbers,
        in_average=few if few.any() else ~few,
        logs=np.append(0.0, n * np.log2(n)),
        hist=np.zeros((most, examples.counts.shape[1])),
        bits=np.zeros((most >> 6) + 1, dtype=np.uint64),
        tops=np.zeros((most >> 12) + 1, dtype=np.uint64),
        sides=np.zeros((2, examples.counts.shape[1])),
    ), weight


@numba.njit(cache=True, nogil=True)
def _n_log_n(n, logs):
    whole = int(n)
    if whole == n and whole < len(logs):
        return logs[whole]
    return n * math.log2(n) if n > SMALL else 0.0


@numba.njit(cache=True, nogil=True)
def _rate(entries, f, items, weights, start, stop, total, least, mdl):
    """Gain, ratio and last code below the cut of the test of feature f. The gain is -1 if it is no test.

    A test needs two branches of weight `least`; a cut more on both sides: a tenth of the mean class, at most 25. The
    more cuts there are to choose from, the more the best must gain: log2 of their number, in bits.
    """
    hist, bits, tops, label, logs = entries.hist, entries.bits, entries.tops, entries.label, entries.logs
    codes, unknown, is_number, numbers = entries.codes[f], entries.levels[f], entries.is_number[f], entries.numbers[f]
    n_classes = hist.shape[1]
    left, right, known = entries.sides[0], entries.sides[1], 0.0
    for c in range(n_classes):
        left[c] = right[c] = 0.0
    for j in range(start, stop):
        code = codes[items[j]]
        if code != unknown:
            c = label[items[j]]
            hist[code, c] += weights[j]
            right[c] += weights[j]
            known += weights[j]
            word = code >> 6
            bits[word] |= np.uint64(1) << np.uint64(code & 63)
            tops[word >> 6] |= np.uint64(1) << np.uint64(word & 63)
    before = _n_log_n(known, logs)
    for c in range(n_classes):
        before -= _n_log_n(right[c], logs)
    least_side = max(least, min(0.1 * known / n_classes, 25.0)) - SMALL
    after, bags, n_enough = 0.0, 0.0, 0  # of a category: the sums over its branches
    gain, best, best_next, best_left = 0.0, -1, -1, 0.0
    n_cuts, n_left, last = 0, 0.0, -1
    for top in range((unknown >> 12) + 1):  # the codes that occur, increasing; what was counted is wiped on the way
        words = tops[top]
        tops[top] = np.uint64(0)
        while words:
            word = (top << 6) + int(lowest_bit(words))
            words &= words - np.uint64(1)
            inside = bits[word]
            bits[word] = np.uint64(0)
            while inside:
                code = (word << 6) + int(lowest_bit(inside))
                inside &= inside - np.uint64(1)
                if is_number:
                    n_right = known - n_left
                    if n_left >= least_side and n_right >= least_side and numbers[last] < numbers[code]:
                        n_cuts += 1
                        after = _n_log_n(n_left, logs) + _n_log_n(n_right, logs)
                        for c in range(n_classes):
                            after -= _n_log_n(left[c], logs) + _n_log_n(right[c], logs)
                        if (before - after) / total > gain + SMALL:
                            gain, best, best_next, best_left = (before - after) / total, last, code, n_left
                    last = code
                bag = 0.0
                for c in range(n_classes):
                    count = hist[code, c]
                    hist[code, c] = 0.0
                    bag += count
                    if is_number:
                        left[c] += count
                        right[c] -= count
                    else:
                        after -= _n_log_n(count, logs)
                n_left += bag
                if not is_number:
                    after += _n_log_n(bag, logs)
                    bags += _n_log_n(bag, logs)
                    n_enough += bag >= least - SMALL
    limit = -1
    if is_number:
        if best < 0:
            return -1.0, 0.0, limit
        gain -= math.log2(n_cuts) / total if mdl else 0.0
        if gain <= SMALL:
            return -1.0, 0.0, limit
        bags = _n_log_n(best_left, logs) + _n_log_n(known - best_left, logs)
        # C4.5: the cut is at the last number of the whole table that is not above the middle of the two.
        limit, middle = best, numbers[best] + (numbers[best_next] - numbers[best]) / 2
        if not middle < numbers[best_next]:  # neighbouring doubles
            middle = numbers[best]
        while limit + 1 < best_next and numbers[limit + 1] <= middle:
            limit += 1
    else:
        if n_enough < 2:
            return -1.0, 0.0, limit
        gain = (before - after) / total if before - after > SMALL else 0.0
    split = _n_log_n(total, logs) - bags - _n_log_n(total - known, logs)
    return gain, (gain * total / split if split > SMALL else 0.0), limit


@numba.njit(cache=True, nogil=True)
def choose(entries, items, weights, start, stop, total, least, mdl):
    """The feature to split a stretch by, -1 if no test is worth it, and the last code below its cut."""
    n_features = len(entries.levels)
    gains = np.empty(n_features)
    ratios = np.empty(n_features)
    limits = np.empty(n_features, np.int64)
    mean, n_valid = 0.0, 0
    for f in range(n_features):
        gains[f], ratios[f], limits[f] = _rate(entries, f, items, weights, start, stop, total, least, mdl)
        if gains[f] >= 0 and entries.in_average[f]:
            mean += gains[f]
            n_valid += 1
    best, best_ratio = -1, 0.0
    for f in range(n_features):
        if n_valid and gains[f] >= max(mean / n_valid - _NEARLY, 0.0) and ratios[f] > best_ratio + SMALL:
            best, best_ratio = f, ratios[f]
    return best, limits[best]


@numba.njit(cache=True, nogil=True)
def longer(array, n):
    """The array with room for n, twice as long at least."""
    if n <= len(array):
        return array
    more = np.zeros(max(n, 2 * len(array)), array.dtype)
    for i in range(len(array)):
        more[i] = array[i]
    return more


@numba.njit(cache=True, nogil=True)
def part(entries, items, weights, end, start, size, f, limit, sizes, shares):
    """Order the entries of a stretch by the branch of the test that they take.

    Returns the items and weights, where they end, and where the stretch of the first branch starts: in place, or at
    the end if some value is unknown. `sizes` and `shares` receive the entries and the share of each branch.
    """
    codes, unknown, width = entries.codes[f], entries.levels[f], len(sizes)
    old = np.empty(size, np.int32)
    old_weights = np.empty(size)
    branch = np.empty(size, np.int32)
    for b in range(width):
        sizes[b] = 0
        shares[b] = 0.0
    n_unknown, known = 0, 0.0
    for j in range(size):
        old[j] = items[start + j]
        old_weights[j] = weights[start + j]
        code = codes[old[j]]
        if code == unknown:
            branch[j] = -1
            n_unknown += 1
            continue
        b = code if limit < 0 else (1 if code > limit else 0)
        branch[j] = b
        sizes[b] += 1
        shares[b] += old_weights[j]
        known += old_weights[j]
    room = 0
    for b in range(width):
        shares[b] = shares[b] / known if known > 0 else 1 / width
        if shares[b] > SMALL:
            sizes[b] += n_unknown
        room += sizes[b]
    if n_unknown:
        start = end
        end += room
        items, weights = longer(items, end), longer(weights, end)
    places = np.empty(width, np.int64)
    place = start
    for b in range(width):
        places[b] = place
        place += sizes[b]
    for j in range(size):
        b = branch[j]
        if b >= 0:
            items[places[b]] = old[j]
            weights[places[b]] = old_weights[j]
            places[b] += 1
            continue
        for b in range(width):
            if shares[b] > SMALL:
                items[places[b]] = old[j]
                weights[places[b]] = old_weights[j] * shares[b]
                places[b] += 1
    return items, weights, end, start


@numba.njit(cache=True, nogil=True)
def grow(entries, weight, least, mdl):
    """A whole tree, not pruned: its nodes and class counts, level by level; items and weights of entries; their end.

    A node is six numbers in a row, its class counts one number for each class.
    """
    end, n_classes = len(weight), entries.hist.shape[1]
    items, weights = np.empty(end, np.int32), np.empty(end)
    nodes, counts = np.zeros(6 * 64, np.int64), np.zeros(n_classes * 64)
    for e in range(end):
        items[e], weights[e] = e, weight[e]
        counts[entries.label[e]] += weight[e]
    nodes[TEST], nodes[SIZE] = -1, end
    node, n_nodes = 0, 1
    while node < n_nodes:
        here = 6 * node
        node += 1
        total, most = 0.0, 0.0
        for c in range(n_classes * (node - 1), n_classes * node):
            total += counts[c]
            most = max(most, counts[c])
        if total < 2 * least - SMALL or most >= total - SMALL:
            continue
        start, size = nodes[here + START], nodes[here + SIZE]
        f, limit = choose(entries, items, weights, start, start + size, total, least, mdl)
        if f < 0:
            continue
        width, first = entries.levels[f] if limit < 0 else 2, n_nodes
        n_nodes += width
        nodes, counts = longer(nodes, 6 * n_nodes), longer(counts, n_classes * n_nodes)
        nodes[here + TEST], nodes[here + LIMIT], nodes[here + FIRST], nodes[here + WIDTH] = f, limit, first, width
        sizes, shares = np.empty(width, np.int64), np.empty(width)
        items, weights, end, at = part(entries, items, weights, end, start, size, f, limit, sizes, shares)
        for child in range(first, n_nodes):
            nodes[6 * child + TEST] = -1
            nodes[6 * child + START] = at
            nodes[6 * child + SIZE] = sizes[child - first]
            for j in range(at, at + sizes[child - first]):
                counts[n_classes * child + entries.label[items[j]]] += weights[j]
            at += sizes[child - first]
    counts = counts[: n_classes * n_nodes].reshape(n_nodes, n_classes)
    return nodes[: 6 * n_nodes].reshape(n_nodes, 6), counts, items, weights, end
