# SPDX-License-Identifier: Apache-2.0
"""Search of the feasible sets of features: those whose projection is k-anonymous by containment (Definition 6).

Two facts carry the search. A set is infeasible iff it contains an itemset that some row, but fewer than k persons,
have; the smallest such itemsets are called circuits here. And the common items of k persons are always feasible. Few
columns: all maximal sets, from circuits. Many columns: k rows whose common items weigh the most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from discreet.counting.bitmaps import Patterns, contained_rows
from discreet.counting.partition import refine
from discreet.data.baskets import Baskets
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.randomness import Randomness
from discreet.methods.containment.optimal_models import csr

_CANDIDATES = 4000  # candidates at which the exact search gives up
_BEST = 60  # rows among which a row search draws its start
_CHOICES = 3  # rows among which it draws each next one


# -- one set: filling it up ----------------------------------------------------------------------------------------


def fill(
    baskets: Baskets,
    k: int,
    chosen: Sequence[int],
    order: Iterable[int],
    limit: int | None = None,
    *,
    known_labels: np.ndarray | None = None,
) -> list[int]:
    """The feasible set `chosen`, extended by each of `order` that fits, up to `limit` (Algorithm 2, lines 3 to 9).

    Where labels are known to everybody, `chosen` need not be feasible: what of it does not fit is left out.

    >>> fill(Baskets.of([[1, 1, 0], [1, 0, 1], [1, 1, 0]]), 2, [], [0, 2, 1])
    [0, 1]
    """
    have = set(chosen)
    rest = [int(item) for item in order if item not in have]
    if known_labels is not None:
        return _fill_slowly(baskets, k, [], [*chosen, *rest], limit, known_labels)
    if baskets.persons is not None:
        return _fill_slowly(baskets, k, list(chosen), rest, limit)
    queue = np.array([*chosen, *rest], dtype=np.int64)
    n, columns = len(baskets), baskets.columns
    groups, sizes = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int64)
    sizes[0] = n
    state = (groups, sizes, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64))
    bits = np.zeros((64, 1), dtype=np.uint64)
    taken = np.empty(len(queue), dtype=np.int64)
    most = len(queue) if limit is None else limit
    at, n_groups, n_taken = 0, 1, 0
    while at < len(queue) and n_taken < most:
        at, n_groups, n_taken = _fill(
            queue, at, len(chosen), columns.indptr, columns.indices, k, state, bits, n_groups, taken, n_taken, most
        )
        wider = np.zeros((2 * len(bits) if 2 * n_groups > len(bits) else len(bits), n_taken // 64 + 1), dtype=np.uint64)
        wider[: len(bits), : bits.shape[1]] = bits[:, : wider.shape[1]]
        bits = wider
    return taken[:n_taken].tolist()


@compiled
def _fill(queue, at, forced, indptr, indices, k, state, bits, n_groups, taken, n_taken, most):
    """Go on until the queue ends, enough are taken, or `bits` has no room (a line per group, a bit per taken item)."""
    groups, sizes, inside, count = state
    while at < len(queue) and n_taken < most:
        item = queue[at]
        rows = indices[indptr[item] : indptr[item + 1]]
        if n_taken == bits.shape[1] * 64 or n_groups + min(len(rows), n_groups) > len(bits):
            break
        at += 1
        if at > forced and (len(rows) == 0 or not contained_rows(rows, groups, bits, n_taken, k, count)):
            continue
        origins, whole, n_after = refine(rows, groups, sizes, inside, n_groups)
        word = n_taken >> 6
        mine = np.uint64(1) << np.uint64(n_taken & 63)
        for i in range(len(origins)):
            bits[n_groups + i] = bits[origins[i]]
            bits[n_groups + i, word] |= mine
        for g in whole:
            bits[g, word] |= mine
        n_groups = n_after
        taken[n_taken] = item
        n_taken += 1
    return at, n_groups, n_taken


def _fill_slowly(
    baskets: Baskets,
    k: int,
    chosen: list[int],
    rest: list[int],
    limit: int | None,
    known_labels: np.ndarray | None = None,
) -> list[int]:
    """`_fill` where persons are counted instead of rows, or labels are known."""
    patterns = Patterns(len(baskets), baskets.persons, known_labels)
    taken: list[int] = []
    columns = baskets.columns
    for place, item in enumerate([*chosen, *rest]):
        if len(taken) == limit:
            break
        rows = columns.indices[columns.indptr[item] : columns.indptr[item + 1]]
        if place < len(chosen) or (len(rows) and patterns.keeps_containment(rows, k)):
            patterns.add(rows)
            taken.append(item)
    return taken


# -- few columns: every maximal set --------------------------------------------------------------------------------


class Maximal:
    """The AC-maximal sets, by elimination: every feasible set lies inside one of the candidates at any time.

    At first there is one candidate, all items. A candidate that contains a circuit is replaced by itself less one item
    of the circuit, for each of them. When no candidate contains a circuit, the candidates are the maximal sets.
    Sets are ints, a bit per item.
    """

    def __init__(self, baskets: Baskets, k: int, items: Sequence[int]):
        self.items, self.k = list(items), k
        matrix = baskets.keep(self.items)
        by_item = matrix.columns
        self._cover = [_bits(by_item.indices[a:b]) for a, b in zip(by_item.indptr, by_item.indptr[1:], strict=False)]
        self._rows = sorted({_bits(matrix.matrix.indices[a:b]) for a, b in _spans(matrix.matrix.indptr)})
        self._person_rows = _rows_of_persons(baskets.persons)
        self._persons = baskets.persons
        self._everyone = (1 << len(baskets)) - 1
        self._enough: dict[int, bool] = {}
        self.open = {(1 << len(self.items)) - 1}  # candidates that may contain a circuit
        self.feasible: set[int] = set()
        self.exhausted = False  # too many candidates: the search gave up

    def columns(self, candidate: int) -> list[int]:
        """The columns of the baskets that a candidate stands for."""
        return [self.items[place] for place in _places(candidate)]

    def step(self, value: Callable[[int], float]) -> bool:
        """Process the most valuable open candidate; True if it is feasible."""
        candidate = max(self.open, key=lambda c: (value(c), c))
        circuit = self._circuit(candidate)
        if circuit is None:
            self.open.discard(candidate)
            self.feasible.add(candidate)
            return True
        self._cut(circuit)
        self.exhausted = len(self.open) + len(self.feasible) > _CANDIDATES
        return False

    def _cut(self, circuit: int) -> None:
        hit = [c for c in self.open if c & circuit == circuit]
        self.open.difference_update(hit)
        stay = [*self.open, *self.feasible]
        less = sorted({c & ~(1 << place) for c in hit for place in _places(circuit)}, key=int.bit_count, reverse=True)
        new: list[int] = []
        for c in less:
            if not any(c & other == c for other in stay) and not any(c & other == c for other in new):
                new.append(c)
        self.open.update(new)

    def _circuit(self, candidate: int) -> int | None:
        """A smallest itemset inside the candidate that a row, but fewer than k persons, have."""
        for itemset in sorted({row & candidate for row in self._rows}, key=int.bit_count, reverse=True):
            if not self._have_k(itemset):
                for place in _places(itemset):
                    if not self._have_k(itemset & ~(1 << place)):
                        itemset &= ~(1 << place)
                return itemset
        return None

    def _have_k(self, itemset: int) -> bool:
        """Whether k persons have the itemset."""
        enough = self._enough.get(itemset)
        if enough is None:
            cover = self._everyone
            for place in _places(itemset):
                cover &= self._cover[place]
            enough = self._enough[itemset] = self._persons_in(cover) >= self.k
        return enough

    def _persons_in(self, cover: int) -> int:
        """Rows in the cover, or persons, counted up to k."""
        if self._persons is None:
            return cover.bit_count()
        n_persons = 0
        while cover and n_persons < self.k:
            row = (cover & -cover).bit_length() - 1
            cover &= ~self._person_rows[self._persons[row]]
            n_persons += 1
        return n_persons


def _bits(places: np.ndarray) -> int:
    """An int with ones at these places."""
    if len(places) == 0:
        return 0
    flags = np.zeros(int(places.max()) + 1, dtype=np.uint8)
    flags[places] = 1
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _places(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _spans(indptr: np.ndarray) -> Iterable[tuple[int, int]]:
    return zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)


def _rows_of_persons(persons: np.ndarray | None) -> list[int]:
    if persons is None:
        return []
    return [_bits(np.flatnonzero(persons == person)) for person in range(int(persons.max()) + 1)]


# -- many columns: rows with much in common ------------------------------------------------------------------------


class CommonItems:
    """k rows, of k persons, whose common items weigh the most: greedy with a random start, then swaps of rows."""

    def __init__(self, baskets: Baskets, k: int, randomness: Randomness):
        self.matrix, self.k, self.randomness = csr(baskets), k, randomness
        self.persons = baskets.persons
        self.differs = baskets.support < len(baskets)  # what all rows have tells nothing

    def search(self, weights: np.ndarray) -> list[int]:
        """Rows at a local optimum of the weight of their common items. There must be rows of k persons."""
        rows: list[int] = []
        while len(rows) < self.k:
            gains = self.gains(rows, weights)
            best = np.argsort(-gains, kind="stable")[: _CHOICES if rows else _BEST]
            best = best[gains[best] >= 0]  # not the rows of persons that are there already
            rows.append(int(best[int(self.randomness.uint64(1)[0] % np.uint64(len(best)))]))
        value, place, unchanged = float(weights[self.common(rows)].sum()), 0, 0
        while unchanged < self.k:
            others = rows[:place] + rows[place + 1 :]
            gains = self.gains(others, weights)
            best_row = int(np.argmax(gains))
            unchanged += 1
            if gains[best_row] > value + 1e-9:
                rows[place], value, unchanged = best_row, float(gains[best_row]), 0
            place = (place + 1) % self.k
        return rows

    def beam(self, weights: np.ndarray, width: int) -> list[list[int]]:
        """Beam search for sets of k rows: row by row, extend the sets with the heaviest common items."""
        states: list[list[int]] = [[]]
        for _ in range(self.k):
            grown: dict[frozenset[int], float] = {}
            for rows in states:
                gains = self.gains(rows, weights)
                for row in np.argsort(-gains, kind="stable")[:width].tolist():
                    if gains[row] >= 0:
                        grown.setdefault(frozenset([*rows, row]), float(gains[row]))
            states = [sorted(rows) for rows in sorted(grown, key=lambda rows: (-grown[rows], sorted(rows)))[:width]]
        return states

    def gains(self, rows: Sequence[int], weights: np.ndarray) -> np.ndarray:
        """For every row, the weight of the items that it has in common with `rows`; -1 for the same persons' rows."""
        shared = np.zeros(len(self.differs))
        shared[self.common(rows)] = 1
        gains = self.matrix @ (weights * shared)
        if len(rows):
            gains[rows if self.persons is None else np.isin(self.persons, self.persons[rows])] = -1
        return gains

    def common(self, rows: Sequence[int]) -> np.ndarray:
        """The items that these rows all have, but not all rows."""
        if not len(rows):
            return np.flatnonzero(self.differs)
        n_having = np.bincount(self.matrix[list(rows)].indices, minlength=len(self.differs))
        return np.flatnonzero((n_having == len(rows)) & self.differs)
