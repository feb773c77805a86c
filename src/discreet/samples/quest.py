# SPDX-License-Identifier: Apache-2.0
"""Quest: made-up market baskets, by the generator of the Apriori paper.

Paper: R. Agrawal and R. Srikant, Fast Algorithms for Mining Association Rules in Large Databases, VLDB 1994, section
on the generation of synthetic data.   Symbols: |T| mean basket, |I| mean itemset, |L| itemsets, N items, |D| baskets.

People buy sets of items together. There are |L| such itemsets, each with a weight and a corruption level; a basket is
filled with itemsets drawn by weight, each of which loses some of its items on the way.

Departures from the paper:
1. Sizes are one plus a Poisson number of mean |T| - 1 (or |I| - 1), so that no basket and no itemset is meant empty;
   IBM's program does the same.
2. A basket that is still empty takes the itemset that does not fit instead of putting it off.
3. A basket stops after TOO_OFTEN itemsets in a row that brought nothing new: with few items or itemsets it would
   otherwise never be full. If it is empty even then, it takes one item of the last itemset.
4. Some items are more popular than others. The paper draws the items of an itemset all alike (`skew=0`); IBM's program
   gives them exponential weights, and only with these do the baskets resemble its T10I4D100K (the default). With
   `skew` above 0 popularity falls as a power of the rank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.baskets import Baskets, binary_csr
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness, RandomState
from discreet.samples.sample import Sample, real, whole

_BLOCK = 1 << 16  # rows between two looks at the progress bar


@dataclass(frozen=True)
class _Itemsets:
    """Itemset p holds items[start[p]:start[p+1]]; `upto` are cumulative weights; class c has those from c |L| on."""

    items: np.ndarray
    start: np.ndarray
    upto: np.ndarray
    corruption: np.ndarray


def quest(
    rows: int = 100_000,
    items: int = 1000,
    mean_length: float = 10,
    mean_pattern: float = 4,
    patterns: int = 2000,
    random_state: RandomState = 0,
    *,
    classes: int = 1,
    correlation: float = 0.5,
    corruption: float = 0.5,
    skew: float | None = None,
) -> Sample:
    """Market baskets by the Apriori generator: `quest(mean_length=20, mean_pattern=4)` is T20.I4.D100K.

    Parameters
    ----------
    rows : |D|, baskets in all classes together
    items : N; all of them are columns, also those that nobody bought
    mean_length : |T|, items in a basket; the mean that comes out is near it, not equal to it
    mean_pattern : |I|, items in an itemset
    patterns : |L|, itemsets of each class
    random_state : the same number gives the same baskets; None draws new ones each time
    classes : 1 gives baskets without labels. With 2, each class has itemsets of its own, as if the generator had run
        twice, and the rows are mixed: `quest(200_000, mean_length=20, classes=2)` is C20.I4.D200K of the sketch
        paper (Aggarwal and Yu 2007). The classes share the items and their popularity.
    correlation : mean share of an itemset's items that the itemset before it has too
    corruption : mean chance that an itemset on its way to a basket loses one more item
    skew : how much more popular some items are than others when itemsets are made. None gives exponential weights, as
        IBM's program does; 0 makes all items alike, as the paper does. Above 0, the r-th most popular item has the
        weight r ** -skew: with 0.5 the hundred most popular of 10,000 items fill a tenth of the places in all baskets,
        with 1 about half of them. Which items are popular is drawn at random.

    Examples
    --------
    >>> sample = quest(2000, items=100, mean_length=5, patterns=50, classes=2)
    >>> sample.data.shape, sample.data.classes.tolist(), np.bincount(sample.data.labels).tolist()
    ((2000, 100), ['A', 'B'], [1000, 1000])
    """
    classes = whole("quest", "classes", classes, 1, 26)
    rows = whole("quest", "rows", rows, classes)
    items = whole("quest", "items", items, 1)
    patterns = whole("quest", "patterns", patterns, 1)
    mean_length = real("quest", "mean_length", mean_length, 1)
    mean_pattern = real("quest", "mean_pattern", mean_pattern, 1)
    correlation = real("quest", "correlation", correlation, 0)
    corruption = real("quest", "corruption", corruption, 0, 1)
    rng = Randomness(random_state).numpy()
    popularity = _popularity(items, None if skew is None else real("quest", "skew", skew, 0), rng)
    itemsets = _itemsets(patterns * classes, mean_pattern, correlation, corruption, popularity, rng)
    labels = rng.permutation(np.arange(rows, dtype=np.int32) % classes)
    size = np.minimum(1 + rng.poisson(mean_length - 1, rows), items).astype(np.int32)
    matrix = _fill(itemsets, labels, size, items, rng)
    baskets = Baskets(matrix, tuple(f"item{j}" for j in range(items)))
    if classes > 1:
        baskets = Baskets(matrix, baskets.names, labels, np.array([chr(ord("A") + c) for c in range(classes)]))
    letter = "T" if classes == 1 else "C"
    return Sample(
        "quest",
        baskets,
        description=f"Made-up market baskets {letter}{mean_length:g}.I{mean_pattern:g}.D{rows} of {items} items.",
        source="generated by discreet after Agrawal and Srikant, VLDB 1994",
        licence="free to use",
    )


def _popularity(items: int, skew: float | None, rng: np.random.Generator) -> np.ndarray:
    """Cumulative chances of the items; which of them are popular is random."""
    if skew is None:
        weight = rng.exponential(1.0, items)
    else:
        weight = rng.permutation(np.arange(1, items + 1, dtype=np.float64) ** -skew)
    return np.cumsum(weight) / weight.sum()


def _itemsets(
    n: int, mean: float, correlation: float, corruption: float, popularity: np.ndarray, rng: np.random.Generator
) -> _Itemsets:
    """The sets of items that are bought together."""
    from discreet.samples.quest_kernels import draw_itemsets

    size = np.minimum(1 + rng.poisson(mean - 1, n), len(popularity)).astype(np.int64)
    shared = np.minimum(rng.exponential(correlation, n), 1.0)
    start, items = np.zeros(n + 1, dtype=np.int64), np.empty(int(size.sum()), dtype=np.int32)
    hand, seen = np.empty(int(size.max()), dtype=np.int32), np.full(len(popularity), -1, dtype=np.int64)
    draw_itemsets(size, shared, popularity, hand, seen, items, start, _state(rng))
    weight = rng.exponential(1.0, n)
    # A level drawn outside 0..1 (normal, variance 0.1) is the nearest end of it.
    level = np.clip(rng.normal(corruption, np.sqrt(0.1), n), 0.0, 1.0) if corruption > 0 else np.zeros(n)
    return _Itemsets(items[: start[-1]], start, np.cumsum(weight), level)


def _fill(
    itemsets: _Itemsets, labels: np.ndarray, size: np.ndarray, items: int, rng: np.random.Generator
) -> sp.csr_array:
    """Baskets as a CSR matrix of ones, block by block of rows: memory is the result and little more."""
    from discreet.samples.quest_kernels import fill_baskets

    rows, longest = len(size), int(np.diff(itemsets.start).max())
    indptr = np.zeros(rows + 1, dtype=np.int64)
    put_off = np.full(int(labels.max()) + 1, -1, dtype=np.int64)  # the itemset that waits for its class's next basket
    hand = np.empty(longest, dtype=np.int32)
    seen = np.full(items, -1, dtype=np.int64)  # last row that has the item
    indices, state = np.empty(0, dtype=np.int32), _state(rng)
    with progress("Filling baskets", rows) as bar:
        for first in range(0, rows, _BLOCK):
            last, used = min(first + _BLOCK, rows), int(indptr[first])
            room = used + int(size[first:last].sum()) + (last - first) * longest
            if room > len(indices):  # grow by what the rows so far suggest, in place
                ahead = int(size[last:].sum() * 1.1)
                indices.resize(room + ahead, refcheck=False)
            fill_baskets(
                first, last, labels, size, itemsets.items, itemsets.start, itemsets.upto, itemsets.corruption,
                put_off, hand, seen, indices, indptr, state,
            )  # fmt: skip
            bar.advance(last - first)
    indices.resize(int(indptr[-1]), refcheck=False)
    index_type = binary_csr([[1]]).indices.dtype  # as Baskets.of has it: compiled functions meet one type only
    fits = indptr[-1] <= np.iinfo(index_type).max
    cells = (
        np.ones(len(indices), np.uint8),
        indices.astype(index_type, copy=False),
        indptr.astype(index_type if fits else np.int64),
    )
    matrix = sp.csr_array(cells, shape=(rows, items))
    matrix.sort_indices()
    return matrix


def _state(rng: np.random.Generator) -> np.ndarray:
    """Where the compiled functions' own random numbers begin."""
    return rng.integers(2**64, size=1, dtype=np.uint64)
