# SPDX-License-Identifier: Apache-2.0
"""Pruning of C4.5 trees: which has the fewest expected errors, the subtree, a leaf, or its largest branch?

Whole numbers are passed on as np.int64, since a kernel is compiled anew for each mixture of kinds of numbers.

The expected errors of a leaf with n rows, e of them wrong, are e plus the `addErrs` of C4.5: the upper limit of a
binomial confidence interval, by the normal approximation with a continuity correction.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.learning.c45_entries import Entries
from discreet.learning.c45_grow import FIRST, LIMIT, SIZE, START, TEST, WIDTH, branch_room, longer, part, ways_of
from discreet.learning.c45_split import SMALL

FREE = 0.1  # errors that a smaller tree may cost more than the one it replaces (C4.5, Weka)
_NEARLY = 1e-3  # training errors that count as none when a tree is collapsed (Weka)


@compiled(_nrt=False)
def added_errors(n, errors, confidence, z):
    """What is added to the errors of a leaf; z is the normal quantile of 1 - confidence."""
    if errors < 1:
        none = n * (1 - confidence ** (1 / n))
        if errors == 0:
            return none
        one = max(n - 1, 0.0) if n <= 1.5 else _upper(n, 1.0, z) - 1
        return none + errors * (one - none)
    if errors + 0.5 >= n:
        return max(n - errors, 0.0)
    return _upper(n, errors, z) - errors


@compiled(_nrt=False)
def _upper(n, errors, z):
    share = (errors + 0.5) / n
    root = math.sqrt(share / n - share * share / n + z * z / (4 * n * n))
    return n * (share + z * z / (2 * n) + z * root) / (1 + z * z / n)


@compiled(_nrt=False)
def expected(counts, node, confidence, z):
    """Expected errors of a leaf with the class counts of a node."""
    n, most = 0.0, 0.0
    for c in range(counts.shape[1]):
        n += counts[node, c]
        most = max(most, counts[node, c])
    return n - most + added_errors(n, n - most, confidence, z) if n > SMALL else 0.0


def collapse(nodes: np.ndarray, counts: np.ndarray) -> None:
    """Replace subtrees that make no fewer training errors than a leaf."""
    _collapse(nodes, counts, *np.zeros((2, len(nodes))))


@compiled(_nrt=False)
def _collapse(nodes, counts, alone, errors):
    for node in range(len(nodes) - 1, -1, -1):
        most = 0.0
        for c in range(counts.shape[1]):
            alone[node] += counts[node, c]
            most = max(most, counts[node, c])
        alone[node] -= most
        if nodes[node, TEST] < 0:
            errors[node] = alone[node]
        else:
            for child in range(nodes[node, FIRST], nodes[node, FIRST] + nodes[node, WIDTH]):
                errors[node] += errors[child]
    for node in range(len(nodes)):
        if nodes[node, TEST] >= 0 and errors[node] >= alone[node] - _NEARLY:
            nodes[node, TEST] = -1


@compiled
def _pass_down(
    ways, nodes, counts, items, weights, end, node, start, size, keep, confidence, z, waiting, sizes, shares
):  # fmt: skip
    """Send the entries of a stretch down from a node; returns the items, the weights, where they end, and the errors
    to come. With `keep` the nodes below own these entries from now on. `waiting`, `sizes` and `shares` are scratch.
    """
    n_classes = counts.shape[1]
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = node, start, size
    n_waiting, errors, label = 1, 0.0, ways.label
    here = ways.sums  # its first line
    while n_waiting:
        n_waiting -= 1
        at, start, size = waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2]
        test, first, width = np.int64(nodes[at, TEST]), np.int64(nodes[at, FIRST]), np.int64(nodes[at, WIDTH])
        if keep or test < 0:
            for c in range(n_classes):
                here[0, c] = 0.0
            for j in range(start, start + size):
                here[0, label[items[j]]] += weights[j]
        if keep:
            nodes[at, START], nodes[at, SIZE] = start, size
            for c in range(n_classes):
                counts[at, c] = here[0, c]
        if test < 0:
            errors += expected(here, np.int64(0), confidence, z)
            continue
        limit = np.int64(nodes[at, LIMIT])
        items, weights, end, start = part(ways, items, weights, end, start, size, test, limit, width, sizes, shares)
        for b in range(width):
            if keep or sizes[b]:
                waiting[n_waiting, 0], waiting[n_waiting, 1], waiting[n_waiting, 2] = first + b, start, sizes[b]
                n_waiting += 1
            start += sizes[b]
    return items, weights, end, errors


@compiled(_nrt=False)
def _raised(codes, label, nodes, counts, items, weights, start, size, largest, confidence, z, more, waiting):
    """Errors to come if all entries of a stretch went down its largest branch, where no value is unknown.

    The branch has counted its own entries: only those of the others are sent down, and counted in `more`, which is all
    zero between calls. `waiting` is scratch.
    """
    own, n_own, n_classes = nodes[largest, START], nodes[largest, SIZE], counts.shape[1]
    for j in range(start, start + size):
        if own <= j < own + n_own:
            continue
        at, e = largest, items[j]
        while nodes[at, TEST] >= 0:
            code, limit = codes[nodes[at, TEST], e], nodes[at, LIMIT]
            at = np.int64(nodes[at, FIRST]) + (code if limit < 0 else (1 if code > limit else 0))
        more[at, label[e]] += weights[j]
    waiting[0, 0] = largest
    n_waiting, errors = 1, 0.0
    while n_waiting:
        n_waiting -= 1
        at = waiting[n_waiting, 0]
        if nodes[at, TEST] >= 0:
            for child in range(nodes[at, FIRST], nodes[at, FIRST] + nodes[at, WIDTH]):
                waiting[n_waiting, 0] = child
                n_waiting += 1
            continue
        for c in range(n_classes):
            more[at, c] += counts[at, c]
        errors += expected(more, at, confidence, z)
        for c in range(n_classes):
            more[at, c] = 0.0
    return errors


def prune(
    entries: Entries,
    nodes: np.ndarray,
    counts: np.ndarray,
    items: np.ndarray,
    weights: np.ndarray,
    end: int,
    raising: bool,
    confidence: float,
    z: float,
) -> None:
    """Replace subtrees, from below, by a leaf or (if `raising`) by their largest branch, which is then pruned anew."""
    all_known = not entries.has_unknown[entries.use].any()
    errors, more = np.zeros(len(nodes)), np.zeros(counts.shape if all_known else (0, 0))
    below, waiting = np.zeros((len(nodes), 3), dtype=np.int64), np.zeros((2 * len(nodes) + 2, 2), dtype=np.int64)
    room = (errors, more, below, waiting, *branch_room(entries))
    _prune(ways_of(entries), nodes, counts, items, weights, end, raising, bool(all_known), confidence, z, *room)


@compiled
def _prune(
    ways, nodes, counts, items, weights, end, raising, all_known, confidence, z, errors, more, below, waiting,
    sizes, shares,
):  # fmt: skip
    n_waiting = 1  # in `waiting` a node, and whether its children are done
    while n_waiting:
        n_waiting -= 1
        node, done = waiting[n_waiting, 0], waiting[n_waiting, 1]
        leaf = expected(counts, node, confidence, z)
        if nodes[node, TEST] < 0:
            errors[node] = leaf
            continue
        first, width = np.int64(nodes[node, FIRST]), np.int64(nodes[node, WIDTH])
        if not done:
            waiting[n_waiting, 1] = 1
            n_waiting += 1
            for child in range(first, first + width):
                if nodes[child, TEST] < 0:
                    errors[child] = expected(counts, child, confidence, z)
                    continue
                waiting[n_waiting, 0], waiting[n_waiting, 1] = child, 0
                n_waiting += 1
            continue
        tree, branch, largest, most = 0.0, np.inf, first, -1.0
        for child in range(first, first + width):
            tree += errors[child]
            weight = 0.0
            for c in range(counts.shape[1]):
                weight += counts[child, c]
            if weight >= most - SMALL:  # of equals the last, as Weka has it
                largest, most = np.int64(child), weight
        start, size = np.int64(nodes[node, START]), np.int64(nodes[node, SIZE])
        if raising and all_known:
            others = (items, weights, start, size, largest, confidence, z, more, below)
            branch = _raised(ways.codes, ways.label, nodes, counts, *others)
        elif raising:
            items, weights = longer(items, end + size), longer(weights, end + size)
            for j in range(size):  # a copy, to be ordered by the tests of the branch
                items[end + j], weights[end + j] = items[start + j], weights[start + j]
            rest = (end + size, largest, end, size, np.int64(0), confidence, z, below, sizes, shares)
            items, weights, _, branch = _pass_down(ways, nodes, counts, items, weights, *rest)
        if leaf <= tree + FREE and leaf <= branch + FREE:
            nodes[node, TEST] = -1
            errors[node] = leaf
        elif branch <= tree + FREE:
            for column in range(WIDTH + 1):
                nodes[node, column] = nodes[largest, column]
            items, weights, end, _ = _pass_down(
                ways, nodes, counts, items, weights, end, node, start, size, np.int64(1), confidence, z, below,
                sizes, shares,
            )  # fmt: skip
            waiting[n_waiting, 1] = 0
            n_waiting += 1
        else:
            errors[node] = tree


def reached(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nodes that the root still reaches, level by level, and the new place of the first child of each."""
    numbers, first = np.zeros((2, len(nodes)), dtype=np.int64)
    n = _reach(nodes, numbers, first)
    return numbers[:n], first[:n]


@compiled(_nrt=False)
def _reach(nodes, numbers, first):
    place, n = 0, 1
    while place < n:
        node = numbers[place]
        if nodes[node, TEST] >= 0:
            first[place] = n
            for child in range(nodes[node, FIRST], nodes[node, FIRST] + nodes[node, WIDTH]):
                numbers[n] = child
                n += 1
        place += 1
    return n
