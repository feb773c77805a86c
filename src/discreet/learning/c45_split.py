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

import numpy as np

from discreet.counting.bitmaps import lowest_bit
from discreet.counting.entropy_kernel import n_log_n
from discreet.foundation.compiled_kernels import compiled

SMALL = 1e-6  # two weights, gains or ratios nearer than this are equal (Weka's Utils.SMALL)
_NEARLY = 1e-3  # gain that a test may lack to the average (Weka's C45ModelSelection)
_ROOMY = 4  # codes of a feature for each entry, up to which all codes are looked through
# Sums by class: both sides of a cut, n log2 n of both; the whole stretch, n log2 n of it.
_LEFT, _RIGHT, _PARTS, _ALL, _WHOLE = range(5)


@compiled(inline="always")
def _n_log_n(n, logs):
    whole = int(n)
    if whole == n and whole < len(logs):
        return logs[whole]
    return n_log_n(n) if n > SMALL else 0.0


# The two kernels below take arrays, not `Entries`, and no views of them, and allocate nothing: so references to arrays
# need not be counted (_nrt), which costs more than the work on a small node.


@compiled(_nrt=False)
def _occurring(f, base, unknown, items, weights, start, stop, codes, label, hist, bits, tops, met):
    """Count a feature of many codes in few entries; returns how many codes occur, listed in `met`, increasing."""
    for j in range(start, stop):
        code = codes[f, items[j]]
        if code != unknown:
            hist[base + code, label[items[j]]] += weights[j]
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
                met[n_met] = (word << 6) + int(lowest_bit(inside))
                n_met += 1
                inside &= inside - np.uint64(1)
    return n_met


@compiled(_nrt=False)
def _rate(
    f, base, unknown, is_number, has_unknown, n_met, items, weights, start, stop, total, known, before,
    least, mdl, codes, label, numbers, logs, hist, met, sums,
):  # fmt: skip
    """Gain, ratio and last code below the cut of the test of feature f. The gain is -1 if it is no test.

    A test needs two branches of weight `least`; a cut more on both sides: a tenth of the mean class, at most 25. The
    more cuts there are to choose from, the more the best must gain: log2 of their number, in bits. `hist` has the
    counts of the codes in `met`, or of all codes if `n_met` is -1; they are wiped on the way.
    """
    n_classes, counted = hist.shape[1], n_met < 0
    for c in range(n_classes):
        sums[_LEFT, c], sums[_RIGHT, c], sums[_PARTS, c] = 0.0, sums[_ALL, c], sums[_WHOLE, c]
    if has_unknown:
        known = 0.0
        for c in range(n_classes):
            sums[_RIGHT, c] = hist[base + unknown, c] = 0.0
        for j in range(start, stop):
            if codes[f, items[j]] != unknown:
                sums[_RIGHT, label[items[j]]] += weights[j]
                known += weights[j]
        before = _n_log_n(known, logs)
        for c in range(n_classes):
            sums[_PARTS, c] = _n_log_n(sums[_RIGHT, c], logs)
            before -= sums[_PARTS, c]
    least_side = max(least, min(0.1 * known / n_classes, 25.0)) - SMALL
    after, bags, n_enough = 0.0, 0.0, 0  # of a category: the sums over its branches
    gain, best, best_next, best_left = 0.0, -1, -1, 0.0
    n_cuts, n_left, last = 0, 0.0, -1
    for place in range(unknown if counted else n_met):
        code = place if counted else met[place]
        bag = 0.0
        for c in range(n_classes):
            bag += hist[base + code, c]
        if bag == 0.0:
            continue
        if bag == known:  # all entries have this code
            for c in range(n_classes):
                hist[base + code, c] = 0.0
            return -1.0, 0.0, -1
        if not is_number:
            for c in range(n_classes):
                if hist[base + code, c] > 0.0:
                    after -= _n_log_n(hist[base + code, c], logs)
                    hist[base + code, c] = 0.0
            after += _n_log_n(bag, logs)
            bags += _n_log_n(bag, logs)
            n_enough += bag >= least - SMALL
            continue
        n_right = known - n_left
        if n_left >= least_side and n_right >= least_side and numbers[f, last] < numbers[f, code]:
            n_cuts += 1
            after = _n_log_n(n_left, logs) + _n_log_n(n_right, logs)
            for c in range(n_classes):
                after -= sums[_PARTS, c]
            if (before - after) / total > gain + SMALL:
                gain, best, best_next, best_left = (before - after) / total, last, code, n_left
        for c in range(n_classes):
            count = hist[base + code, c]
            if count > 0.0:
                hist[base + code, c] = 0.0
                sums[_LEFT, c] += count
                sums[_RIGHT, c] -= count
                sums[_PARTS, c] = _n_log_n(sums[_LEFT, c], logs) + _n_log_n(sums[_RIGHT, c], logs)
        n_left += bag
        last = code
    limit = -1
    if is_number:
        if best < 0:
            return -1.0, 0.0, limit
        gain -= math.log2(n_cuts) / total if mdl else 0.0
        if gain <= SMALL:
            return -1.0, 0.0, limit
        bags = _n_log_n(best_left, logs) + _n_log_n(known - best_left, logs)
        # C4.5: the cut is at the last number of the whole table that is not above the middle of the two.
        limit, middle = best, numbers[f, best] + (numbers[f, best_next] - numbers[f, best]) / 2
        if not middle < numbers[f, best_next]:  # neighbouring doubles
            middle = numbers[f, best]
        while limit + 1 < best_next and numbers[f, limit + 1] <= middle:
            limit += 1
    else:
        if n_enough < 2:
            return -1.0, 0.0, limit
        gain = (before - after) / total if before - after > SMALL else 0.0
    split = _n_log_n(total, logs) - bags - _n_log_n(total - known, logs)
    return gain, (gain * total / split if split > SMALL else 0.0), limit


@compiled
def choose(entries, memory, node, items, weights, start, stop, total, least, mdl):
    """The feature to split a stretch by, -1 if no test is worth it, and the last code below its cut.

    Ratings that the memory has of the node are taken from it, the others are left in it; -1 is no node.
    """
    codes, slots, base, label, levels = entries.codes, entries.slots, entries.base, entries.label, entries.levels
    is_number, numbers, in_average = entries.is_number, entries.numbers, entries.in_average
    has_unknown, use, logs = entries.has_unknown, entries.use, entries.logs
    hist, bits, tops, met, sums = entries.hist, entries.bits, entries.tops, entries.met, entries.sums
    old_gains, old_ratios, old_limits = memory.gains, memory.ratios, memory.limits
    n, n_together, n_fresh = len(use), 0, 0
    fresh, counted, together = np.empty(n, np.bool_), np.empty(n, np.bool_), np.empty(n, np.int64)
    for i in range(n):
        f = use[i]
        fresh[i] = node < 0 or math.isnan(old_gains[node, f])
        counted[i] = levels[f] <= _ROOMY * (stop - start)
        n_fresh += fresh[i]
        if fresh[i] and counted[i]:
            together[n_together] = f
            n_together += 1
    for c in range(hist.shape[1]):
        sums[_ALL, c] = 0.0
    known = 0.0
    for j in range(start, stop if n_fresh else start):
        e, weight = items[j], weights[j]
        c = label[e]
        sums[_ALL, c] += weight
        known += weight
        for i in range(n_together):
            hist[slots[e, together[i]], c] += weight
    before = _n_log_n(known, logs)
    for c in range(hist.shape[1]):
        sums[_WHOLE, c] = _n_log_n(sums[_ALL, c], logs)
        before -= sums[_WHOLE, c]
    gains, ratios, limits = np.empty(n), np.empty(n), np.empty(n, np.int64)
    mean, n_valid = 0.0, 0
    for i in range(n):
        f = use[i]
        if fresh[i]:
            unknown, n_met = levels[f], -1
            if not counted[i]:
                n_met = _occurring(
                    f, base[f], unknown, items, weights, start, stop, codes, label, hist, bits, tops, met
                )
            gains[i], ratios[i], limits[i] = _rate(
                f, base[f], unknown, is_number[f], has_unknown[f], n_met, items, weights, start, stop, total, known,
                before, least, mdl, codes, label, numbers, logs, hist, met, sums,
            )  # fmt: skip
            if node >= 0:
                old_gains[node, f], old_ratios[node, f] = gains[i], ratios[i]
                old_limits[node, f] = limits[i]
        else:
            gains[i], ratios[i] = old_gains[node, f], old_ratios[node, f]
            limits[i] = old_limits[node, f]
        if gains[i] >= 0 and in_average[f]:
            mean += gains[i]
            n_valid += 1
    best, best_ratio = -1, 0.0
    for i in range(n):
        if n_valid and gains[i] >= max(mean / n_valid - _NEARLY, 0.0) and ratios[i] > best_ratio + SMALL:
            best, best_ratio = i, ratios[i]
    return (use[best], limits[best]) if best >= 0 else (-1, -1)
