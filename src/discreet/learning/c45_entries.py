# SPDX-License-Identifier: Apache-2.0
"""The data of the C4.5 kernels: entries, i.e. distinct rows of one class with a weight, and a cache of rated tests.

The rating of a test depends on the rows of a node alone, not on which other features there are. So trees of several
sets of features over the same rows share it: a node is known by the tests and branches that lead to it. Nodes of few
rows are not remembered.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from discreet.counting.entropy import n_log_n
from discreet.counting.tally import order_of
from discreet.learning.examples import Examples

_MOST_LOGS = 1 << 16  # n log2 n is looked up below this
_WIDE = 1 << 12  # codes of a feature whose counts are more than a cache holds
_ROOM = 1 << 21  # ratings that are remembered for one set of rows

# codes[f, e], label[e] and weight[e] of entry e; levels[f] is the code of unknown; slots[e, f] is the line of `hist`
# that counts the code, base[f] that of code 0; numbers[f, code] where is_number[f]; in_average says whose gain counts
# in the average, has_unknown where a value is unknown; `use` lists the features that may be tested; the values of
# n log2 n; then scratch: counts by code and the codes that occur as bits of two levels, all zero between calls; the
# codes that occur as a list; sums by class; of each feature in `use` whole numbers (marks) and numbers (rated); of a
# stretch its items with their branches, and its weights. Kernels make no arrays: compiling that takes long.
Entries = namedtuple(
    "Entries",
    "codes slots base label weight is_number levels numbers in_average has_unknown use logs hist bits tops met sums"
    " marks rated moved moved_weights",
)

# Ratings of tests by node and feature: gains (NaN where not rated yet), ratios and limits; below[node, feature] is
# where the nodes of its branches stand in `nodes`, -1 if nowhere, and -1 there is a branch that is not remembered; how
# many nodes are in use, and how many branches.
Memory = namedtuple("Memory", "gains ratios limits below nodes used")


def entries_of(examples: Examples) -> Entries:
    """The entries of examples; any of the features may be tested."""
    features = examples.features
    levels = np.array([feature.unknown for feature in features], dtype=np.int64)
    rows, label = np.nonzero(examples.counts)
    if levels.max(initial=0) > _WIDE:  # sums are the same in any order; in this one the widest counts are met in turn
        order = order_of(examples.codes[rows, int(levels.argmax())].astype(np.int64))
        rows, label = rows[order], label[order]
    weight = examples.counts[rows, label]
    is_number = np.array([feature.is_number for feature in features], dtype=np.bool_)
    numbers = np.zeros((len(levels), int(levels[is_number].max(initial=0)) + 1))
    for f, feature in enumerate(features):
        if feature.numbers is not None:
            numbers[f, : len(feature.numbers)] = feature.numbers
    n_classes, most = examples.counts.shape[1], int(levels.max(initial=0)) + 1
    base = np.append(0, np.cumsum(levels + 1))
    slots = np.ascontiguousarray(examples.codes[rows], dtype=np.int32)
    codes = np.ascontiguousarray(slots.T)
    slots += base[:-1].astype(np.int32)
    use = np.arange(len(levels))
    entries = Entries(
        codes=codes,
        slots=slots,
        base=base,
        label=label.astype(np.int32),
        weight=weight,
        is_number=is_number,
        levels=levels,
        numbers=numbers,
        in_average=is_number,
        has_unknown=(codes == levels[:, None]).any(axis=1),
        use=use,
        logs=_logs(min(int(weight.sum()) + 2, _MOST_LOGS)),
        hist=np.zeros((int(base[-1]), n_classes)),
        bits=np.zeros((most >> 6) + 1, dtype=np.uint64),
        tops=np.zeros((most >> 12) + 1, dtype=np.uint64),
        met=np.zeros(max(most, 2), dtype=np.int64),
        sums=np.zeros((5, n_classes)),
        marks=np.zeros((4, len(levels)), dtype=np.int64),
        rated=np.zeros((2, len(levels))),
        moved=np.zeros((2, len(weight)), dtype=np.int32),
        moved_weights=np.zeros(len(weight)),
    )
    return using(entries, use)


def using(entries: Entries, features: Sequence[int] | np.ndarray) -> Entries:
    """The same entries, of which only some features may be tested."""
    use = np.array(features, dtype=np.int64)
    few = entries.is_number | (entries.levels < 0.3 * float(entries.weight.sum()))
    # Weka's C45ModelSelection: a category of many values gains too easily
    return entries._replace(use=use, in_average=few if few[use].any() else ~few)


def memory_of(n_features: int, room: int = _ROOM) -> Memory:
    """An empty memory, with room for so many ratings; without room nothing is remembered."""
    n = room // max(n_features, 1)
    shape = (n, n_features)
    return Memory(
        gains=np.empty(shape),
        ratios=np.empty(shape),
        limits=np.empty(shape, dtype=np.int32),
        below=np.empty(shape, dtype=np.int32),
        nodes=np.empty(4 * room, dtype=np.int32),
        used=np.zeros(2, dtype=np.int64),
    )


@lru_cache(maxsize=8)
def _logs(n: int) -> np.ndarray:
    """k log2 k of the k below n."""
    return n_log_n(np.arange(n, dtype=np.float64))
