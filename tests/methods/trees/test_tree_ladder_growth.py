# SPDX-License-Identifier: Apache-2.0
import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counting.coded_rows import RowEntries
from discreet.foundation.randomness import Randomness
from discreet.methods.trees.tree_ladder_choice import STRICTNESS, PersonRows, _right, chosen_tree, utilities
from discreet.methods.trees.tree_ladder_growth import grow


def entries(row, label, person):
    return RowEntries(row, label, np.ones(len(row), dtype=int), person)


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
            candidates = cuts(rows, low, high)[: 16 if ahead else 1]
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
        assert (tree.parent[children] == node).all()


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


def test_columns_that_matter_together_are_found_by_looking_ahead():
    bins = np.array(list(product(range(2), repeat=5)))
    odd = bins[:, 1] ^ bins[:, 4]
    counts = np.column_stack([(4 + bins[:, 2]) * (1 - odd), 4 * odd])  # the third column tells a little by itself
    tree, stands, told = chosen_tree(bins, counts, 5)
    assert told["looks ahead"]
    leaves = np.unique(stands[tree.node_of])
    assert ((tree.counts[leaves] > 0).sum(axis=1) == 1).all()


def test_a_class_of_chance_is_left_in_large_groups():
    random = np.random.default_rng(3)
    bins = np.unique(random.integers(0, 8, (300, 4)), axis=0)
    label = random.integers(0, 4, len(bins)) > 0
    tree, stands, told = chosen_tree(bins, np.column_stack([label, ~label]).astype(int), 5)
    assert told["strictness of pruning"] == max(STRICTNESS)
    assert len(np.unique(stands[tree.node_of])) < len(np.unique(tree.node_of)) / 2


def test_a_utility_is_an_accuracy_and_the_order_of_rows_does_not_matter():
    random = np.random.default_rng(5)
    bins = np.unique(random.integers(0, 4, (200, 3)), axis=0)
    counts = random.integers(1, 4, (len(bins), 2))
    found = utilities(bins, counts, 4)
    assert found.shape == (2 * len(STRICTNESS),)
    assert ((found > 0) & (found < 1)).all()
    assert (utilities(bins, counts, 4) == found).all()


def test_the_utility_is_the_mean_of_the_tree_and_of_naive_bayes():
    """Two leaves, told apart by one column: both predict the same, so rows that are right count once."""
    bins, counts = np.array([[0], [1]]), np.array([[8, 2], [1, 9]])
    tree = grow(bins, counts, 3, ahead=False)
    held_out = np.array([[3, 1], [2, 4]])
    assert _right(tree, tree.pruned(0.0), tree.locate(bins), held_out) == pytest.approx(7)


def test_a_persons_rows_are_in_one_fold_whatever_their_order():
    random = np.random.default_rng(7)
    person, row, label = random.integers(0, 40, 300), random.integers(0, 9, 300), random.integers(0, 2, 300)
    shuffled = random.permutation(300)
    folds = []
    for order in (np.arange(300), shuffled):
        members = PersonRows.of_persons(entries(row[order], label[order], person[order]))
        owner = np.repeat(np.unique(person), np.diff(members.starts))
        found = members.folds(Randomness(0))
        owners = [set(owner[fold].tolist()) for fold in found]
        assert sorted(np.concatenate(found).tolist()) == list(range(300))
        assert sum(map(len, owners)) == len(set(person.tolist()))
        folds.append([sorted(zip(owner[f], members.row[f], members.label[f], strict=True)) for f in found])
    assert folds[0] == folds[1]
    assert sorted(member for fold in folds[0] for member in fold) == sorted(zip(person, row, label, strict=True))


def test_a_class_that_persons_repeat_is_not_taken_for_one_that_bins_tell():
    """Everybody has one row ten times and a class by chance: in several folds they would tell each other's class."""
    random = np.random.default_rng(9)
    row, label = np.repeat(np.arange(300), 10), np.repeat(random.integers(0, 2, 300), 10)
    bins = np.column_stack([np.arange(300) // 18, np.arange(300) % 18])
    counts = np.zeros((300, 2), dtype=int)
    np.add.at(counts, (row, label), 1)
    apart = utilities(bins, counts, 10)
    together = utilities(bins, counts, 10, PersonRows.of_persons(entries(row, label, row)))
    assert not utilities(bins[:1], counts[:1], 2, PersonRows.of_persons(entries(row[:10], label[:10], row[:10]))).any()
    assert apart.max() > 0.8
    assert together.max() < 0.6
