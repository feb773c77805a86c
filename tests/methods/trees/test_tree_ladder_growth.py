# SPDX-License-Identifier: Apache-2.0
import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.methods.trees.tree_ladder_growth import grow


@st.composite
def tallies(draw):
    """Distinct rows in bins, in their order, and their rows per class."""
    n_columns, n_classes = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    rows = draw(st.sets(st.tuples(*[st.integers(0, 3)] * n_columns), min_size=2, max_size=20))
    counts = [draw(st.tuples(*[st.integers(0, 4)] * n_classes).filter(any)) for _ in rows]
    return np.array(sorted(rows)), np.array(counts)


def cost(counts, ahead):
    """Bits that the classes of some rows take: entropy, or the code length of Krichevsky and Trofimov."""
    if not ahead:
        return -sum(c * math.log2(c / sum(counts)) for c in counts if c)
    bits, met = 0.0, [0] * len(counts)
    for label, times in enumerate(counts):  # one row after the other, by what was met before
        for _ in range(times):
            bits -= math.log2((met[label] + 0.5) / (sum(met) + len(counts) / 2))
            met[label] += 1
    return bits


def slow_tree(bins, counts, least, ahead):
    """The leaf boxes of the tree, each with its rows, by trying every cut."""
    bins, counts = bins.tolist(), counts.tolist()

    def total(rows):
        return [sum(c) for c in zip(*(counts[r] for r in rows), strict=True)] if rows else [0] * len(counts[0])

    def cuts(rows, low, high):
        """Every cut with its gain, those that save most first; nearly equal ones in their order."""
        found = []
        for c in range(len(low)):
            for cut in range(low[c], high[c]):
                left = [r for r in rows if bins[r][c] <= cut]
                right = [r for r in rows if bins[r][c] > cut]
                if min(sum(total(left)), sum(total(right))) >= least and any(bins[r][c] == cut for r in rows):
                    gain = cost(total(rows), ahead) - cost(total(left), ahead) - cost(total(right), ahead)
                    found.append((round(gain, 6), c, cut, left, right))
        return sorted(found, key=lambda item: (-item[0], item[1], item[2]))

    leaves, waiting = set(), [(list(range(len(bins))), [0] * len(bins[0]), [max(c) for c in zip(*bins, strict=True)])]
    while waiting:
        rows, low, high = waiting.pop()
        best = (-math.inf, None)
        if sum(c > 0 for c in total(rows)) > 1:
            candidates = cuts(rows, low, high)[: 32 if ahead else 1]
            for gain, *cut in candidates:
                for side in cut[2:] if ahead and len(candidates) > 1 else ():
                    gain += max([0, *(further[0] for further in cuts(side, low, high))])
                if gain > best[0] + 1e-6:
                    best = (gain, cut)
        if best[1] is None or (not ahead and best[0] <= 1e-6):
            leaves.add((tuple(low), tuple(high), frozenset(rows)))
            continue
        c, cut, left, right = best[1]
        below, above = high.copy(), low.copy()
        below[c], above[c] = cut, cut + 1
        waiting += [(left, low, below), (right, above, high)]
    return leaves


@given(tally=tallies(), least=st.integers(2, 8), ahead=st.booleans())
def test_the_tree_equals_its_slow_twin(tally, least, ahead):
    bins, counts = tally
    tree = grow(bins, counts, least, ahead=ahead)
    leaves = {
        (tuple(tree.low[i]), tuple(tree.high[i]), frozenset(np.flatnonzero(tree.node_of == i).tolist()))
        for i in np.unique(tree.node_of)
    }
    assert leaves == slow_tree(bins, counts, least, ahead)
    assert (tree.locate(bins) == tree.node_of).all()
    for node in np.flatnonzero(tree.left >= 0):
        children = tree.left[node] + np.arange(2)
        assert (tree.counts[children].sum(axis=0) == tree.counts[node]).all()
        assert (tree.counts[children].sum(axis=1) >= least).all()


def slow_pruning(tree, z):
    """The leaves that are left, by the errors to be expected at every node."""

    def expected(counts):
        """The share of errors of which what was found is z standard deviations below, by halving."""
        rows = sum(counts)
        found, low, high = 1 - max(counts) / rows, 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            if middle - found <= z * math.sqrt(middle * (1 - middle) / rows):
                low = middle
            else:
                high = middle
        return rows * low

    def stand(node):
        own = expected(tree.counts[node].tolist())
        if tree.left[node] < 0:
            return own, {node}
        (a, below_a), (b, below_b) = stand(tree.left[node]), stand(tree.left[node] + 1)
        return (own, {node}) if own <= a + b + 1e-9 else (a + b, below_a | below_b)

    return stand(0)[1]


@given(tally=tallies(), ahead=st.booleans(), z=st.sampled_from([0.69, 1.5]))
def test_pruning_equals_its_slow_twin(tally, ahead, z):
    tree = grow(*tally, 2, ahead=ahead)
    assert set(tree.pruned(z)[tree.node_of].tolist()) == slow_pruning(tree, z)
    assert set(tree.pruned(0.0)[tree.node_of].tolist()) == set(tree.node_of.tolist())


@given(tally=tallies())
def test_stricter_pruning_never_leaves_more_groups(tally):
    tree = grow(*tally, 2, ahead=True)
    leaves = [len(np.unique(tree.pruned(z)[tree.node_of])) for z in (0.0, 0.69)]
    assert all(more >= fewer for more, fewer in pairwise(leaves))


@given(tally=tallies(), least=st.integers(2, 8), ahead=st.booleans())
def test_a_column_without_weight_is_cut_last(tally, least, ahead):
    """What cuts of it save counts nothing, so a greedy tree never cuts it, and all others as if it were not there."""
    bins, counts = tally
    weights = np.ones(bins.shape[1])
    weights[0] = 0
    tree = grow(bins, counts, least, ahead=ahead, weights=weights)
    if not ahead:
        assert (tree.column != 0).all()
    same = grow(bins, counts, least, ahead=ahead, weights=np.ones(bins.shape[1]))
    assert (same.column == grow(bins, counts, least, ahead=ahead).column).all()
