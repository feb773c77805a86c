# SPDX-License-Identifier: Apache-2.0
"""Learn scores of items: of each class, the points by which items speak for it; and the steps that are published.

A step says that a row reaches so many points or more. The steps of a score are nested: who reaches many points reaches
few. So a score of many steps splits rows into few different sets, and containment leaves far more of it than of as many
separate items. Members of a score are items, and beginnings of the names of items, such as the stem of a word or the
first digits of a code: a beginning is held by k persons where each of the items is rare. Points do not depend
on items of too few persons for a beginning to tell of.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from discreet.counting.tally import persons_per_group
from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.lazy_modules import sparse_linalg
from discreet.recoding.item_scores import ItemScore, begun, has_one

POINTS = 20  # of the member that speaks most for a class
_LEAST_LENGTH = 3  # of a beginning that a common item's name has by rule; it is half of the name at least
_MOST_RULED = 3  # lengths of such beginnings of one name; they are evenly spaced
_ROWS = 3000  # up to which a linear model is fitted from products of all pairs of rows
_PASSES = 60  # beyond, it is fitted in so many passes
_PENALTY = 1.0  # of the linear model, in mean squared lengths of the rows


class Members(NamedTuple):
    """What may get points: for each row which of them it has, and their names; beginnings come after items.

    `told` is what points are learnt from. It lacks what begins so but is held by too few persons to be told of: points
    are the same whether or not anybody has it.
    """

    matrix: sp.csr_array
    told: sp.csr_array
    names: list[str]
    n_items: int

    def of_rows(self, rows: np.ndarray) -> Members:
        return self._replace(matrix=self.matrix[rows], told=self.told[rows])

    def held_by(self, k: int, persons: np.ndarray | None, *, beginnings: bool) -> tuple[Members, np.ndarray]:
        """Only what k persons have, but not all rows, with or without beginnings; and the places of these."""
        told = self.told if beginnings else self.told[:, : self.n_items]
        support = np.bincount(told.indices, minlength=told.shape[1])
        n_persons = support
        if persons is not None:
            rows = np.repeat(np.arange(told.shape[0]), np.diff(told.indptr))
            n_persons = persons_per_group(told.indices.astype(np.int64), told.shape[1], persons[rows])
        kept = np.flatnonzero((n_persons >= k) & (support < told.shape[0]))
        n_items = int((kept < self.n_items).sum())
        names = [self.names[place] for place in kept.tolist()]
        return Members(sp.csr_array(self.matrix[:, kept]), sp.csr_array(told[:, kept]), names, n_items), kept


class Beginning(NamedTuple):
    """A beginning of names, the items that begin so, and those of them that it may tell of."""

    text: str
    items: list[int]
    told: list[int]


def holders(baskets: Baskets) -> np.ndarray:
    """The number of persons that have each item."""
    if baskets.persons is None:
        return baskets.support
    items = np.repeat(np.arange(baskets.shape[1]), baskets.support)
    return persons_per_group(items, baskets.shape[1], baskets.persons[baskets.columns.indices])


def members_of(baskets: Baskets, k: int, *, beginnings: bool) -> Members:
    """All items, and the beginnings that tell only what k persons have."""
    found = told_beginnings(baskets, k) if beginnings else []
    matrix = sp.csr_array((baskets.matrix > 0).astype(np.float64))
    begun, told = (has_one(baskets, groups) for groups in ([b.items for b in found], [b.told for b in found]))
    both, learnt = (sp.csr_array(sp.hstack([matrix, m.astype(np.float64)], format="csr")) for m in (begun, told))
    return Members(both, learnt, [*baskets.names, *(one.text for one in found)], baskets.shape[1])


def told_beginnings(baskets: Baskets, k: int) -> list[Beginning]:
    """Beginnings of the names of common items, whatever else begins so, and those that k persons have beside these.

    What a beginning tells of are items of k persons, longer beginnings, and the rest if k persons have it. It is found
    if a common item's name has it by rule, if it tells of the rest, or if it is the longest that two others share.

    >>> rows = [["tea", "milk"], ["tea"], ["tent", "milk"], ["team", "mile"]]
    >>> [(one.text, one.items, one.told) for one in told_beginnings(Baskets.from_transactions(rows), 2)]
    [('milk', [1], [1]), ('mil', [0, 1], [1]), ('tea', [2, 3], [2]), ('te', [2, 3, 4], [2, 3, 4])]
    """
    names, columns = baskets.names, baskets.columns
    part = np.where(holders(baskets) >= k, np.arange(len(names)), -1)  # which item or longest beginning tells of it
    is_common = part >= 0
    rare = {names[item] for item in np.flatnonzero(~is_common).tolist()}
    ruled = {text for item in np.flatnonzero(is_common).tolist() for text in _ruled(names[item])}
    shared = dict(_beginnings(names))
    everything = shared | dict(begun(names, sorted(ruled - shared.keys())))
    whose, found = np.arange(len(baskets)) if baskets.persons is None else baskets.persons, []
    for number, text in enumerate(sorted(everything, key=lambda text: (-len(text), text)), len(names)):
        items = np.array(everything[text])
        parts = part[items]
        rest = [columns.indices[columns.indptr[i] : columns.indptr[i + 1]] for i in items[parts < 0].tolist()]
        tells_rest = len(rest) > 0 and len(np.unique(whose[np.concatenate(rest)])) >= k
        stays = text in ruled or len(np.unique(parts[parts >= 0])) > 1
        if tells_rest or stays:
            told = items if tells_rest else items[parts >= 0]
            part[told] = number
            if stays or text not in rare:
                found.append(Beginning(text, items.tolist(), told.tolist()))
    return found


def _ruled(name: str) -> list[str]:
    """The beginnings of a common item's name that may have points whether or not anything else begins so.

    >>> _ruled("of"), _ruled("tea"), _ruled("match"), _ruled("matching")
    ([], ['tea'], ['match', 'matc', 'mat'], ['matching', 'matchi', 'matc'])
    """
    least = max(_LEAST_LENGTH, -(-len(name) // 2))
    every = -(-(len(name) + 1 - least) // _MOST_RULED)
    return [name[:length] for length in range(len(name), least - 1, -every)] if every else []


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
    found = (_odds if weights == "odds" else _ridge)(members.told, np.eye(n_classes)[labels])
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
