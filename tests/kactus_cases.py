# SPDX-License-Identifier: Apache-2.0
"""Random tables with random trees, for the twins and the invariants of kACTUS."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from discreet.learning.decision_tree import Branch


@dataclass
class Case:
    """Coded rows, their classes, an order of them, persons and a sensitive column, and a tree over the columns."""

    cells: np.ndarray
    labels: np.ndarray
    rank: np.ndarray
    persons: np.ndarray
    sensitive: np.ndarray
    levels: list
    branches: tuple


def random_case(rng, n=None, n_classes=None, thresholds=False) -> Case:
    n = int(rng.integers(1, 60)) if n is None else n
    levels = [int(rng.integers(2, 5)) for _ in range(int(rng.integers(1, 5)))]
    cells = np.column_stack([np.minimum(rng.geometric(0.45, n) - 1, level - 1) for level in levels])
    n_classes = int(rng.integers(1, 4)) if n_classes is None else n_classes
    labels = (cells.sum(axis=1) + rng.integers(0, 2, n)) % n_classes
    return Case(
        cells,
        labels,
        rng.permutation(n),
        rng.integers(0, max(n // 2, 1), n),
        rng.integers(0, 3, n),
        levels,
        thresholds_tree(rng, levels) if thresholds else multiway_tree(rng, levels),
    )


@st.composite
def cases(draw) -> Case:
    """The same of hypothesis's own choice; low codes are common, so that there are large groups and small ones."""
    n, levels = draw(st.integers(5, 80)), draw(st.lists(st.integers(2, 4), min_size=1, max_size=4))
    chance = np.frombuffer(draw(st.binary(min_size=4 * n, max_size=4 * n)), dtype=np.uint8).reshape(n, 4).astype(int)
    low = chance[:, 0] & chance[:, 1]
    cells = np.column_stack([(low >> 2 * column & 3) % level for column, level in enumerate(levels)])
    labels = (cells.sum(axis=1) + chance[:, 2] % 2) % draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tree = thresholds_tree if draw(st.booleans()) else multiway_tree
    persons, sensitive = chance[:, 3] % max(n // 2, 1), chance[:, 2] // 2 % 3
    return Case(cells, labels, rng.permutation(n), persons, sensitive, levels, tree(rng, levels))


def multiway_tree(rng, levels, free=None, depth=0) -> tuple:
    """Each column once on a path, a branch per code, some of them empty; pruned by chance."""
    free = list(range(len(levels))) if free is None else free
    if not free or (depth and rng.random() < 0.3):
        return ()
    column = int(rng.choice(free))
    rest = [other for other in free if other != column]
    codes = np.eye(levels[column], levels[column] + 1, dtype=bool)
    return tuple(Branch(column, accepts, multiway_tree(rng, levels, rest, depth + 1)) for accepts in codes)


def thresholds_tree(rng, levels, depth=0) -> tuple:
    """Two branches a test, columns asked about again and again, some codes that no branch accepts."""
    if depth > 4 or (depth and rng.random() < 0.25):
        return ()
    column = int(rng.integers(len(levels)))
    low = np.arange(levels[column] + 1) < rng.integers(1, levels[column] + 1)
    high = ~low
    if rng.random() < 0.2:
        high[rng.integers(levels[column])] = False
    return tuple(Branch(column, accepts, thresholds_tree(rng, levels, depth + 1)) for accepts in (low, high))
