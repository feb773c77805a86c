# SPDX-License-Identifier: Apache-2.0
"""Learn scores of items: of each class, the points by which items speak for it; and the steps that are published.

A step says that a row reaches so many points or more. The steps of a score are nested: who reaches many points reaches
few. So a score of many steps splits rows into few different sets, and containment leaves far more of it than of as many
separate items. Members of a score are items, and beginnings of the names of items, such as the stem of a word or the
first digits of a code: a beginning is held by k persons where each of the items is rare.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from discreet.counting.tally import persons_per_group
from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.lazy_modules import sparse_linalg
from discreet.recoding.item_scores import ItemScore, has_one

POINTS = 20  # of the member that speaks most for a class
_ROWS = 3000  # up to which a linear model is fitted from products of all pairs of rows
_PASSES = 60  # beyond, it is fitted in so many passes
_PENALTY = 1.0  # of the linear model, in mean squared lengths of the rows


class Members(NamedTuple):
    """What may get points: for each row which of them it has, and their names; beginnings come after items."""

    matrix: sp.csr_array
    names: list[str]
    n_items: int

    def of_rows(self, rows: np.ndarray) -> Members:
        return self._replace(matrix=self.matrix[rows])

    def held_by(self, k: int, persons: np.ndarray | None, *, beginnings: bool) -> tuple[Members, np.ndarray]:
        """Only what k persons have, but not all rows, with or without beginnings; and the places of these."""
        matrix = self.matrix if beginnings else self.matrix[:, : self.n_items]
        support = np.bincount(matrix.indices, minlength=matrix.shape[1])
        n_persons = support
        if persons is not None:
            rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
            n_persons = persons_per_group(matrix.indices.astype(np.int64), matrix.shape[1], persons[rows])
        kept = np.flatnonzero((n_persons >= k) & (support < matrix.shape[0]))
        n_items = int((kept < self.n_items).sum())
        return Members(sp.csr_array(matrix[:, kept]), [self.names[place] for place in kept.tolist()], n_items), kept


def holders(baskets: Baskets) -> np.ndarray:
    """The number of persons that have each item."""
    if baskets.persons is None:
        return baskets.support
    items = np.repeat(np.arange(baskets.shape[1]), baskets.support)
    return persons_per_group(items, baskets.shape[1], baskets.persons[baskets.columns.indices])


def members_of(baskets: Baskets, k: int, *, beginnings: bool) -> Members:
    """All items, and the beginnings that several of them share and that tell only what k persons have."""
    shared = _told_by_enough(baskets, k) if beginnings else []
    matrix = sp.csr_array((baskets.matrix > 0).astype(np.float64))
    begun = has_one(baskets, [items for _, items in shared]).astype(np.float64)
    both = sp.csr_array(sp.hstack([matrix, begun], format="csr"))
    return Members(both, [*baskets.names, *(text for text, _ in shared)], baskets.shape[1])


def _told_by_enough(baskets: Baskets, k: int) -> list[tuple[str, list[int]]]:
    """Beginnings, but none that is the name of an item of fewer than k, and none that is there because of such items.

    A beginning says that something begins so beside what is named anyway, an item of k persons or a longer beginning.
    Where that is one thing only, k persons must have the rest.

    >>> rows = [["tea", "milk"], ["tea"], ["tent", "milk"], ["team", "mile"]]
    >>> [text for text, _ in _told_by_enough(Baskets.from_transactions(rows), 2)]
    ['te']
    """
    n_holders, columns = holders(baskets), baskets.columns
    whose = np.arange(len(baskets)) if baskets.persons is None else baskets.persons
    part = np.where(n_holders >= k, np.arange(baskets.shape[1]), -1)  # which item or longest beginning names it
    rare, found = {baskets.names[item] for item in np.flatnonzero(part < 0).tolist()}, []
    for number, (text, items) in enumerate(_beginnings(baskets.names), baskets.shape[1]):
        named = np.unique(part[items])
        if (named >= 0).sum() < 2:
            rows = [columns.indices[columns.indptr[i] : columns.indptr[i + 1]] for i in items if part[i] < 0]
            if not rows or len(np.unique(whose[np.concatenate(rows)])) < k:
                continue
        part[items] = number
        if text not in rare:
            found.append((text, items))
    return found


def _beginnings(names: tuple[str, ...]) -> list[tuple[str, list[int]]]:
    """Every set of names that have a beginning of their own in common, with the longest such beginning.

    >>> _beginnings(("tea", "team", "art", "tent"))
    [('tea', [0, 1]), ('te', [0, 1, 3])]
    """
    order = sorted(range(len(names)), key=names.__getitem__)
    texts = [names[item] for item in order]
    common = [_common_length(a, b) for a, b in pairwise(texts)] + [0]
    found, open_ = [], list[tuple[int, int]]()  # length of a beginning, and the first text that has it
    for place, length in enumerate(common):
        first = place
        while open_ and open_[-1][0] > length:
            longer, first = open_.pop()
            found.append((texts[place][:longer], order[first : place + 1]))
        if length and (not open_ or open_[-1][0] < length):
            open_.append((length, first))
    return found


def _common_length(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


# -- points ------------------------------------------------------------------------------------------------------------


def points_of(members: Members, labels: np.ndarray, n_classes: int, weights: str) -> np.ndarray:
    """The points of each member for each class: 0 where it does not speak for it."""
    found = (_odds if weights == "odds" else _ridge)(members.matrix, np.eye(n_classes)[labels])
    most = found.max(axis=0, initial=0)
    return np.round(POINTS * np.maximum(found, 0) / np.where(most > 0, most, 1)).astype(np.int64)


def _odds(matrix: sp.csr_array, one_hot: np.ndarray) -> np.ndarray:
    """The logarithm of the ratio of a member's shares in a class and outside, with one row added to each."""
    n, size = len(one_hot), one_hot.sum(axis=0)
    inside = matrix.T @ one_hot
    outside, share = inside.sum(axis=1, keepdims=True) - inside, size / n
    within = np.maximum(inside + share, 1e-9) / (size + 1)  # a class may be empty
    return np.log(within) - np.log(np.maximum(outside + 1 - share, 1e-9) / (n - size + 1))


def _ridge(matrix: sp.csr_array, one_hot: np.ndarray) -> np.ndarray:
    """The weights of a linear model of the classes' indicators, in which members that repeat each other share."""
    middle = np.asarray(matrix.mean(axis=0)).ravel()
    if len(one_hot) > _ROWS:
        return _ridge_by_passes(matrix, middle, one_hot - one_hot.mean(axis=0))
    products = (matrix @ matrix.T).toarray()
    across = matrix @ middle
    products += middle @ middle - across[:, None] - across[None, :]  # of rows less their mean
    penalty = _PENALTY * max(float(np.trace(products)) / len(products), 1e-9)
    dual = np.linalg.solve(products + penalty * np.eye(len(products)), one_hot - one_hot.mean(axis=0))
    return matrix.T @ dual - np.outer(middle, dual.sum(axis=0))


def _ridge_by_passes(matrix: sp.csr_array, middle: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The same weights by conjugate gradients: passes over the ones, where products of all rows would be too many."""
    less_mean = sparse_linalg.LinearOperator(
        matrix.shape,
        matvec=lambda weights: matrix @ weights - middle @ weights,
        rmatvec=lambda rows: matrix.T @ rows - middle * rows.sum(),
        dtype=float,
    )
    squares = float(matrix.sum()) / matrix.shape[0] - float(middle @ middle)  # 0/1 cells: of a row less the mean
    damp = np.sqrt(_PENALTY * max(squares, 1e-9))
    fits = [sparse_linalg.lsqr(less_mean, target, damp=damp, iter_lim=_PASSES)[0] for target in targets.T]
    return np.column_stack(fits)


def scores_of(members: Members, points: np.ndarray) -> list[ItemScore]:
    """The score of each class, with the members that have points."""
    scores = []
    for column in points.T:
        worth = [(members.names[place], int(column[place]), place) for place in np.flatnonzero(column).tolist()]
        items = tuple(sorted((name, p) for name, p, place in worth if place < members.n_items))
        scores.append(
            ItemScore(items, tuple(sorted((name, p) for name, p, place in worth if place >= members.n_items)))
        )
    return scores


# -- steps -------------------------------------------------------------------------------------------------------------


def steps_of(reached: np.ndarray, k: int, share: float, persons: np.ndarray | None) -> list[int]:
    """Points, the most first, such that each step leaves a share of the rows, and k persons, that the one above lacks.

    >>> steps_of(np.array([5, 5, 5, 3, 3, 1, 1, 0, 0]), 2, 0.2, None)
    [5, 3, 1]
    """
    order = np.argsort(-reached, kind="stable")
    ends = np.flatnonzero(np.diff(reached[order], append=-1)) + 1  # of rows with as many points
    steps, start, least = list[int](), 0, max(1.0, share * len(reached))
    for end in ends.tolist():
        points = int(reached[order[end - 1]])
        if points <= 0:
            break
        if end - start >= least and _n_persons(order[start:end], persons) >= k:
            if _n_persons(order[end:], persons) < k:
                break
            steps.append(points)
            start = end
    return steps


def _n_persons(rows: np.ndarray, persons: np.ndarray | None) -> int:
    return len(rows) if persons is None else len(np.unique(persons[rows]))
