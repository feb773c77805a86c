# SPDX-License-Identifier: Apache-2.0
"""RandomFlip: cluster rows of at least k persons, and give all rows of a cluster the same items.

Paper: the competitor RF of Zhang, Mohammed, Dave, Al Hasan, "Feature Selection for Classification under Anonymity
Constraint", Section 5.2, which describes it in two sentences and has no pseudocode; clustered by greedy k-member.
Departures from the paper:
1. The paper does not say which items the rows of a cluster get. vector="majority" (default) gives those that most of
   them have, by lot where half of them do; vector="member" gives all of them the items of one of them, drawn by lot.
2. Equal rows stay together. Those that k persons have are a cluster from the start, and flip nothing; the others join a
   cluster whole, at the fewest flips for each row of theirs, so a cluster may have more than k.
3. Persons are counted where rows say whose they are: a cluster grows by rows that bring a person it does not have yet,
   until it has k of them.
4. An item that no row has after flipping, or that fewer than k persons had, is not published: its name would reveal
   that somebody had it.
5. Ties go to the row that comes first by its items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.partition import Partition
from discreet.counting.tally import pair_counts, persons_per_group
from discreet.data.baskets import Baskets
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import CannotRelease, Setting
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness
from discreet.methods.base import Changed, Method
from discreet.methods.containment.random_flip_clusters import RowIndex
from discreet.methods.grouping import Decision
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.promise import Promise
from discreet.recoding.plan import KeepItems, item_columns
from discreet.release.release import Changes


class RandomFlip(Method):
    """Make rows equal in clusters of k persons or more by flipping cells of the 0/1 matrix.

    Parameters
    ----------
    k : int in [2, inf)
    vector : "majority" or "member"
        What the rows of a cluster get: the items that most of them have, by lot where half of them do; or the items
        of one of them, drawn by lot.
    cuts : mapping of column name to cut points, for tables; other numbers are cut by MDL against the target
    random_state : int or None
        Seeds the first row to start from, random choices, and the order of the released rows.

    Promise
    -------
    KAnonymity(k) of the items, and so Containment(k), with any number of absences. The cells are no longer true: the
    share that was flipped is in the certificate (`changed_cells` of `quasi_cells`).

    Notes
    -----
    A release does not recode new rows: flips belong to a cluster, and a new row is in none.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 1]])
    >>> release = RandomFlip(k=3, random_state=0).release(X, [1, 1, 1, 0, 0, 0])
    >>> sorted(release.data.toarray().tolist())
    [[0, 0, 1], [0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [1, 1, 0]]
    >>> release.changes.changed_cells, release.changes.quasi_cells
    (2, 18)
    """

    name = "random-flip"
    takes = frozenset({"table", "baskets"})
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "vector": [StrOptions({"majority", "member"})],
        "cuts": [dict, None],
        "random_state": [Integral, None],
    }

    def __init__(
        self,
        k: int = 5,
        *,
        vector: str = "majority",
        cuts: Mapping[str, Sequence[Any]] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.vector = vector
        self.cuts = cuts
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KAnonymity(self.k)

    def _change(self, baskets: Baskets, randomness: Randomness) -> Changed:
        rows = _Rows.of(baskets)
        cluster = _clusters(rows, self.k, randomness)
        counts, size = _counts(rows, cluster)
        choose = _majority if self.vector == "majority" else _member
        common = _persons_with(baskets) >= self.k
        vectors = sp.csr_array(choose(rows, cluster, counts, size, randomness)[cluster].multiply(common))
        vectors.eliminate_zeros()  # one for each distinct row
        flips = (
            np.diff(rows.items.indptr) + np.diff(vectors.indptr) - 2 * rows.items.multiply(vectors).sum(axis=1)
        ) * rows.weight
        flipped = replace(baskets, matrix=sp.csr_array(vectors[rows.of_row], dtype=np.uint8))
        occurring = np.flatnonzero(flipped.support)
        if not len(occurring):
            raise CannotRelease(
                f"No item is left at k = {self.k}: each of the {baskets.shape[1]} items is absent in most rows of every"
                f" cluster, or held by fewer than {self.k} persons. Lower k, merge rare items, or use ",
                Setting("vector", "member"),
                ".",
            )
        flips_of = np.bincount(cluster, weights=flips).astype(np.int64)
        return Changed(
            flipped.keep(occurring),
            features=tuple(occurring.tolist()),
            changes=Changes(
                quasi_cells=len(baskets) * baskets.shape[1],
                changed_cells=int(flips.sum()),
                columns_dropped=baskets.shape[1] - len(occurring),
            ),
            trace=[
                {"cluster": number, "rows": int(n), "flipped": int(f)}
                for number, (n, f) in enumerate(zip(size, flips_of, strict=True))
            ],
        )

    def _plan(self, table: Table, roles: Roles, randomness: Randomness) -> Decision:
        # The name of an item that fewer than k persons have would identify them: no such item is created.
        items = KeepItems.fit(table, roles, cuts=self.cuts, k=self.k)
        baskets = items.baskets(table, target=roles.target, person=roles.person)
        changed = self._change(baskets, randomness)
        published = item_columns(changed.baskets)
        changes = replace(changed.changes, columns_dropped=len(roles.quasi) - len(published))
        return Decision(None, changed.trace, published=published, changes=changes)


def _persons_with(baskets: Baskets) -> np.ndarray:
    """How many persons have each item."""
    if baskets.persons is None:
        return baskets.support
    items = np.repeat(np.arange(baskets.shape[1]), baskets.support)
    return persons_per_group(items, baskets.shape[1], baskets.persons[baskets.columns.indices])


@dataclass(frozen=True)
class _Rows:
    """The distinct rows, ordered by their items, so that results do not depend on the order of the input."""

    items: sp.csr_array
    weight: np.ndarray  # number of equal rows
    start: np.ndarray  # the persons behind row i, each once: persons[start[i]:start[i + 1]]
    persons: np.ndarray
    of_row: np.ndarray  # the distinct row of each row

    @classmethod
    def of(cls, baskets: Baskets) -> _Rows:
        partition = Partition.of(baskets)
        items = baskets.matrix[partition.first_rows()]
        place = items.indices.astype(">u4")
        keys = [place[a:b].tobytes() for a, b in zip(items.indptr[:-1], items.indptr[1:], strict=True)]
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__))
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order))
        of_row = rank[partition.group_of_row]
        persons = np.arange(len(baskets)) if baskets.persons is None else baskets.persons.astype(np.int64)
        row, who, _ = pair_counts(of_row, persons)  # each person once per distinct row
        start = np.concatenate([[0], np.cumsum(np.bincount(row))]).astype(np.int64)
        return cls(items[order].astype(np.int64), np.bincount(of_row), start, who, of_row)

    def __len__(self) -> int:
        return len(self.weight)


def _clusters(rows: _Rows, k: int, randomness: Randomness) -> np.ndarray:
    """The cluster of each distinct row by greedy k-member; all have at least k persons (Section 5.2)."""
    many = np.diff(rows.start) >= k
    cluster = np.where(many, np.cumsum(many) - 1, -1)
    index = RowIndex.of(rows.items, rows.weight, rows.start, rows.persons, ~many)
    number, n_open = int(many.sum()), int((~many).sum())
    with progress("Clustering rows", len(rows)) as bar:
        bar.advance(number)
        seed = int(np.flatnonzero(~many)[_drawn(n_open, randomness)]) if n_open else -1
        while seed >= 0:
            members = index.grow(seed, k, number)
            if not len(members):
                break  # fewer than k persons are left
            cluster[members] = number
            number += 1
            bar.advance(len(members))
            seed = index.farthest(seed)
            n_open -= len(members)
            if 2 * n_open < len(index.long):
                index = index.without_closed()
    return _with_leftovers(rows, cluster)


def _with_leftovers(rows: _Rows, cluster: np.ndarray) -> np.ndarray:
    """Put leftover rows into the finished cluster where they cost the fewest flips."""
    leftovers = np.flatnonzero(cluster < 0)
    if not len(leftovers):
        return cluster
    counts, size = _counts(rows, cluster)
    number = np.repeat(np.arange(len(size)), np.diff(counts.indptr))
    joined = cluster.copy()
    for row in leftovers:
        m, has = int(rows.weight[row]), np.zeros(counts.shape[1], dtype=np.int64)
        has[rows.items.indices[rows.items.indptr[row] : rows.items.indptr[row + 1]]] = 1
        ones, n, mine = counts.data, size[number], has[counts.indices]
        added = np.minimum(ones + m * mine, n + m - ones - m * mine) - np.minimum(ones, n - ones)
        new = has.sum() - np.bincount(number, weights=mine, minlength=len(size))  # items new to the cluster
        cost = np.bincount(number, weights=added, minlength=len(size)) + new * np.minimum(m, size)
        joined[row] = int(np.argmin(cost))
    return joined


def _counts(rows: _Rows, cluster: np.ndarray) -> tuple[sp.csr_array, np.ndarray]:
    """Rows of each cluster that have each item, and the size of each cluster."""
    placed = np.flatnonzero(cluster >= 0)
    shape = (int(cluster.max()) + 1, len(rows))
    belongs = sp.csr_array((rows.weight[placed], (cluster[placed], placed)), shape=shape)
    counts = sp.csr_array(belongs @ rows.items)
    counts.sort_indices()
    return counts, np.bincount(cluster[placed], weights=rows.weight[placed]).astype(np.int64)


def _majority(rows: Any, cluster: Any, counts: Any, size: Any, randomness: Randomness) -> sp.csr_array:
    """The majority items of each cluster, ties at random (departure 1; RF "flips the feature value", Section 5.2)."""
    n = np.repeat(size, np.diff(counts.indptr))
    half = np.flatnonzero(2 * counts.data == n)
    has = 2 * counts.data > n
    has[half] = (randomness.uint64(len(half)) & np.uint64(1)).astype(bool)
    vectors = sp.csr_array((has.astype(np.int64), counts.indices, counts.indptr), shape=counts.shape)
    vectors.eliminate_zeros()
    return vectors


def _member(rows: Any, cluster: Any, counts: Any, size: Any, randomness: Randomness) -> sp.csr_array:
    """The items of one random row of each cluster (departure 1)."""
    order = np.argsort(cluster, kind="stable")
    reached = np.cumsum(rows.weight[order])
    drawn = (randomness.uint64(len(size)) % size.astype(np.uint64)).astype(np.int64)
    return rows.items[order[np.searchsorted(reached, np.cumsum(size) - size + drawn, side="right")]]


def _drawn(n: int, randomness: Randomness) -> int:
    return int(randomness.uint64(1)[0] % np.uint64(n))
