# SPDX-License-Identifier: Apache-2.0
"""How C4.5 chooses a test: gain ratio among the tests of at least average gain.

With n rows at a node, n_j of them known for a feature and b its branches, each with class counts n_bc:

    gain  = (Ent(known) - sum_b Ent(b)) / n,   Ent(S) = |S| log2 |S| - sum_c |S_c| log2 |S_c|
    ratio = gain / split,   split = (n log2 n - sum_b |b| log2 |b| - |unknown| log2 |unknown|) / n

The entries of a node are a stretch of one long array. One pass over them counts all features that have not many more
codes than there are entries.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from discreet.counting.bitmaps import lowest_bit
from discreet.counting.compiled_entropy import n_log_n
from discreet.foundation.compiled_kernels import compiled

SMALL = 1e-6  # two weights, gains or ratios nearer than this are equal (Weka's Utils.SMALL)
_NEARLY = 1e-3  # gain that a test may lack to the average (Weka's C45ModelSelection)
_ROOMY = 4  # codes of a feature for each entry, up to which all codes are looked through
# Entries of a node; and of a node the weight of all entries, that of the known ones and Ent of those, the least weight
# of a branch, and whether a choice among many cuts costs.
Stretch = namedtuple("Stretch", "items weights start stop")
Node = namedtuple("Node", "total known before least mdl")
# Sums by class: both sides of a cut, n log2 n of both; the whole stretch, n log2 n of it.
_LEFT, _RIGHT, _PARTS, _ALL, _WHOLE = range(5)
# Marks of features: not rated yet, counted with the others; the numbers of those that are counted now; the last code
# below the cut. Rated: gain and ratio.
_FRESH, _COUNTED, _TOGETHER, _LIMIT = range(4)
_GAIN, _RATIO = range(2)


@compiled(inline="always")
def _n_log_n(n, logs):
    whole = int(n)
    if whole == n and whole < len(logs):
        return logs[whole]
    return n_log_n(n) if n > SMALL else 0.0


# Kernels without _nrt take no views of arrays and allocate nothing: so references to arrays need not be counted, which
# costs more than the work on a small node.


@compiled(_nrt=False)
def _occurring(f, entries, stretch):
    """Count a feature of many codes in few entries; returns how many codes occur, listed in `met`, increasing."""
    base, unknown, codes, label = entries.base[f], entries.levels[f], entries.codes, entries.label
    hist, bits, tops, occurring = entries.hist, entries.bits, entries.tops, entries.met
    for j in range(stretch.start, stretch.stop):
        e = stretch.items[j]
        code = codes[f, e]
        if code != unknown:
            hist[base + code, label[e]] += stretch.weights[j]
            word = code >> 6
            bits[word] |= np.uint64(1) << np.uint64(code & 63)
            tops[word >> 6] |= np.uint64(1) << np.uint64(word & 63)
    n_met = 0
    for top in range((unknown >> 12) + 1):
        words = tops[top]
        tops[top] = np.uint64(0)
        while words:
            word = (top << 6) + int(lowest_bit(words))
            words &= words - np.uint64(1)
            inside = bits[word]
            bits[word] = np.uint64(0)
            while inside:
                occurring[n_met] = (word << 6) + int(lowest_bit(inside))
                n_met += 1
                inside &= inside - np.uint64(1)
    return n_met


@compiled(_nrt=False)
def _rate(f, n_met, entries, stretch, node):
    """Gain, ratio and last code below the cut of the test of feature f. The gain is -1 if it is no test.

    `hist` has the counts of the codes in `met`, or of all codes if `n_met` is -1; they are wiped on the way.
    """
    sums = entries.sums
    for c in range(sums.shape[1]):
        sums[_LEFT, c], sums[_RIGHT, c], sums[_PARTS, c] = 0.0, sums[_ALL, c], sums[_WHOLE, c]
    known_weight, before = node.known, node.before
    if entries.has_unknown[f]:
        known_weight, before = _without_unknown(f, entries, stretch)
    if entries.is_number[f]:
        gain, bags, limit = _rate_cuts(f, n_met, entries, known_weight, before, node)
    else:
        gain, bags = _rate_branches(f, n_met, entries, known_weight, before, node)
        limit = -1
    if gain < 0.0:
        return -1.0, 0.0, -1
    split = _n_log_n(node.total, entries.logs) - bags - _n_log_n(node.total - known_weight, entries.logs)
    return gain, (gain * node.total / split if split > SMALL else 0.0), limit


@compiled(_nrt=False)
def _without_unknown(f, entries, stretch):
    """The weight of the entries whose value is known, and Ent of them; their sums by class are left on the right."""
    sums, logs, unknown = entries.sums, entries.logs, entries.levels[f]
    for c in range(sums.shape[1]):
        sums[_RIGHT, c] = entries.hist[entries.base[f] + unknown, c] = 0.0
    known_weight = 0.0
    for j in range(stretch.start, stretch.stop):
        e = stretch.items[j]
        if entries.codes[f, e] != unknown:
            sums[_RIGHT, entries.label[e]] += stretch.weights[j]
            known_weight += stretch.weights[j]
    before = _n_log_n(known_weight, logs)
    for c in range(sums.shape[1]):
        sums[_PARTS, c] = _n_log_n(sums[_RIGHT, c], logs)
        before -= sums[_PARTS, c]
    return known_weight, before


@compiled(_nrt=False)
def _rate_branches(f, n_met, entries, known_weight, before, node):
    """The gain of a category, -1 if fewer than two branches have the weight `least`; sum of n log2 n of branches."""
    hist, logs, n_classes = entries.hist, entries.logs, entries.hist.shape[1]
    after, bags, n_enough = 0.0, 0.0, 0
    for place in range(entries.levels[f] if n_met < 0 else n_met):
        code = entries.base[f] + (place if n_met < 0 else entries.met[place])
        bag = 0.0
        for c in range(n_classes):
            bag += hist[code, c]
        if bag == 0.0:
            continue
        for c in range(n_classes):
            if hist[code, c] > 0.0:
                after -= _n_log_n(hist[code, c], logs)
                hist[code, c] = 0.0
        if bag == known_weight:  # all entries have this code
            return -1.0, 0.0
        after += _n_log_n(bag, logs)
        bags += _n_log_n(bag, logs)
        n_enough += bag >= node.least - SMALL
    if n_enough < 2:
        return -1.0, 0.0
    return ((before - after) / node.total if before - after > SMALL else 0.0), bags


@compiled(_nrt=False)
def _rate_cuts(f, n_met, entries, known_weight, before, node):
    """The gain of the best cut of a number, -1 if there is none; sum of n log2 n of both sides; last code below it.

    Both sides need a weight of `least`, and of a tenth of the mean class, at most 25. The more cuts there are to choose
    from, the more the best must gain: log2 of their number, in bits.
    """
    hist, sums, logs, numbers = entries.hist, entries.sums, entries.logs, entries.numbers
    n_classes = hist.shape[1]
    least_side = max(node.least, min(0.1 * known_weight / n_classes, 25.0)) - SMALL
    gain, best, best_next, best_left = 0.0, np.int64(-1), np.int64(-1), 0.0
    n_cuts, n_left, last = 0, 0.0, np.int64(-1)
    for place in range(entries.levels[f] if n_met < 0 else n_met):
        code = np.int64(place) if n_met < 0 else entries.met[place]
        line, bag = entries.base[f] + code, 0.0
        for c in range(n_classes):
            bag += hist[line, c]
        if bag == 0.0:
            continue
        n_right = known_weight - n_left
        if n_left >= least_side and n_right >= least_side and numbers[f, last] < numbers[f, code]:
            n_cuts += 1
            after = _n_log_n(n_left, logs) + _n_log_n(n_right, logs)
            for c in range(n_classes):
                after -= sums[_PARTS, c]
            if (before - after) / node.total > gain + SMALL:
                gain, best, best_next, best_left = (before - after) / node.total, last, code, n_left
        _move_left(line, hist, sums, logs)
        if bag == known_weight:  # all entries have this code
            break
        n_left += bag
        last = code
    if best < 0:
        return -1.0, 0.0, -1
    gain -= math.log2(n_cuts) / node.total if node.mdl else 0.0
    if gain <= SMALL:
        return -1.0, 0.0, -1
    bags = _n_log_n(best_left, logs) + _n_log_n(known_weight - best_left, logs)
    return gain, bags, _last_below(f, best, best_next, numbers)


@compiled(inline="always")
def _move_left(line, hist, sums, logs):
    """Move the counts of a code from the right of the cut to its left."""
    for c in range(hist.shape[1]):
        count = hist[line, c]
        if count > 0.0:
            hist[line, c] = 0.0
            sums[_LEFT, c] += count
            sums[_RIGHT, c] -= count
            sums[_PARTS, c] = _n_log_n(sums[_LEFT, c], logs) + _n_log_n(sums[_RIGHT, c], logs)


@compiled(_nrt=False)
def _last_below(f, code, next_code, numbers):
    """C4.5: the cut is at the last number of the whole table that is not above the middle of the two."""
    limit, middle = code, numbers[f, code] + (numbers[f, next_code] - numbers[f, code]) / 2
    if not middle < numbers[f, next_code]:  # neighbouring doubles
        middle = numbers[f, code]
    while limit + 1 < next_code and numbers[f, limit + 1] <= middle:
        limit += 1
    return limit


@compiled(_nrt=False)
def _count(stretch, label, slots, together, n_together, logs, hist, sums):
    """Count the entries of a stretch by class, and by the codes of some features; their weight, and Ent of them."""
    for c in range(sums.shape[1]):
        sums[_ALL, c] = 0.0
    known_weight = 0.0
    for j in range(stretch.start, stretch.stop):
        e, weight = stretch.items[j], stretch.weights[j]
        c = label[e]
        sums[_ALL, c] += weight
        known_weight += weight
        for i in range(n_together):
            hist[slots[e, together[_TOGETHER, i]], c] += weight
    before = _n_log_n(known_weight, logs)
    for c in range(sums.shape[1]):
        sums[_WHOLE, c] = _n_log_n(sums[_ALL, c], logs)
        before -= sums[_WHOLE, c]
    return known_weight, before


@compiled(_nrt=False)
def choose(entries, memory, row, stretch, total, least, mdl):
    """The feature to split a stretch by, -1 if no test is worth it, and the last code below its cut.

    Ratings that the memory has in its line `row` are taken from it, the others are left in it; -1 is no line.
    """
    use, marks, rated, hist, sums = entries.use, entries.marks, entries.rated, entries.hist, entries.sums
    n_together, n_fresh, known_weight, before = np.int64(0), np.int64(0), 0.0, 0.0
    for i in range(len(use)):
        f = use[i]
        marks[_FRESH, i] = row < 0 or math.isnan(memory.gains[row, f])
        marks[_COUNTED, i] = entries.levels[f] <= _ROOMY * (stretch.stop - stretch.start)
        n_fresh += marks[_FRESH, i]
        if marks[_FRESH, i] and marks[_COUNTED, i]:
            marks[_TOGETHER, n_together] = f
            n_together += 1
    if n_fresh:
        counted = (entries.label, entries.slots, marks, n_together, entries.logs, hist, sums)
        known_weight, before = _count(stretch, *counted)
    node = Node(total, known_weight, before, least, mdl)
    for i in range(len(use)):
        f = use[i]
        if marks[_FRESH, i]:
            n_met = -1 if marks[_COUNTED, i] else _occurring(f, entries, stretch)
            gain, ratio, limit = _rate(f, n_met, entries, stretch, node)
            if row >= 0:
                memory.gains[row, f], memory.ratios[row, f], memory.limits[row, f] = gain, ratio, limit
        else:
            gain, ratio, limit = memory.gains[row, f], memory.ratios[row, f], np.int64(memory.limits[row, f])
        rated[_GAIN, i], rated[_RATIO, i], marks[_LIMIT, i] = gain, ratio, limit
    best = _best_of(use, entries.in_average, rated)
    return (use[best], marks[_LIMIT, best]) if best >= 0 else (-1, -1)


@compiled(_nrt=False)
def _best_of(use, in_average, rated):
    """The place of the test with the largest ratio among those of about average gain or more, -1 if there is none."""
    mean, n_valid = 0.0, 0
    for i in range(len(use)):
        if rated[_GAIN, i] >= 0 and in_average[use[i]]:
            mean += rated[_GAIN, i]
            n_valid += 1
    best, best_ratio = -1, 0.0
    for i in range(len(use)):
        enough = n_valid > 0 and rated[_GAIN, i] >= max(mean / n_valid - _NEARLY, 0.0)
        if enough and rated[_RATIO, i] > best_ratio + SMALL:
            best, best_ratio = i, rated[_RATIO, i]
    return best
