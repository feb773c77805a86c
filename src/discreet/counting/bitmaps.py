# SPDX-License-Identifier: Apache-2.0
"""Containment on bitmaps: do at least k rows have at least these items?

`Patterns` stores, for each group of rows that are equal on the selected items, those items as bits. A further item x
keeps k-anonymity by containment if and only if every pattern that occurs together with x is contained in the patterns
of at least k rows with x. Only rows with x matter, only patterns with fewer than k rows of their own are counted,
through bitmaps over the patterns, and counting stops at k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.counting.partition import Partition, count_groups
from discreet.counting.tally import group
from discreet.foundation.compiled_kernels import compiled, intrinsic


@intrinsic
def popcount(typingctx: Any, word: Any) -> Any:
    """Number of ones in a 64-bit word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return word(word), codegen


@intrinsic
def lowest_bit(typingctx: Any, word: Any) -> Any:
    """Position of the lowest one in a non-zero 64-bit word."""
    from numba import types

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return word(word), codegen


@intrinsic
def prefetch(typingctx: Any, lines: Any, line: Any) -> Any:
    """Ask memory for a line of an array, which will soon be read."""
    from numba import types

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.core import cgutils

        array = context.make_array(signature.args[0])(context, builder, args[0])
        step = cgutils.unpack_tuple(builder, array.strides)[0]
        index = context.cast(builder, args[1], signature.args[1], types.intp)
        place = cgutils.pointer_add(builder, array.data, builder.mul(step, index), cgutils.voidptr_t)
        number = cgutils.int32_t
        kind = cgutils.ir.FunctionType(cgutils.ir.VoidType(), [place.type, number, number, number])
        ask = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(ask, [place, number(0), number(3), number(1)])  # to be read, kept close, data
        return context.get_dummy_value()

    return types.void(lines, line), codegen


class Patterns:
    """The selected items of each group of rows, with checks whether another item may be added.

    Where the labels of the rows are known to everybody, each is an item that is selected from the start.
    """

    def __init__(self, n_rows: int, persons: np.ndarray | None = None, known_labels: np.ndarray | None = None):
        self.partition = Partition(n_rows)
        self.persons = persons
        self.n_items = 0
        self._bits = np.zeros((1, 1), dtype=np.uint64)  # a line per group, a bit per selected item
        self._count = np.zeros(max(n_rows, 1), dtype=np.int64)
        self._met = np.zeros(0 if persons is None else int(persons.max(initial=-1)) + 1, dtype=np.int64)
        for label in [] if known_labels is None else np.unique(known_labels):
            self.add(np.flatnonzero(known_labels == label))

    def add(self, rows: np.ndarray) -> None:
        """Select an item; `rows` are the rows that have it."""
        partition = self.partition
        partition.refine(rows)
        word, bit = divmod(self.n_items, 64)
        self._make_room(partition.n_groups, word + 1)
        new = np.arange(partition.n_groups - len(partition.split_from), partition.n_groups)
        self._bits[new] = self._bits[partition.split_from]
        mine = np.uint64(1) << np.uint64(bit)
        self._bits[new, word] |= mine
        self._bits[partition.whole, word] |= mine
        self.n_items += 1

    def keeps_containment(self, rows: np.ndarray, k: int) -> bool:
        """Whether k-anonymity by containment still holds with the item that these rows have."""
        if len(rows) == 0:
            return True
        groups, bits = self.partition.group_of_row, self._bits
        if self.persons is None:
            return contained_rows(rows, groups, bits, self.n_items, k, self._count)
        return _contained_persons(rows, groups, self.persons, bits, k, self._count, self._met)

    def keeps_k_anonymity(self, rows: np.ndarray, k: int) -> bool:
        """Whether k-anonymity still holds with the item that these rows have."""
        groups, sizes = self.partition.group_of_row, self.partition.sizes
        if self.persons is None:
            return _equal_rows(rows, groups, sizes, k, self._count)
        has = np.zeros(len(groups), dtype=np.int64)
        has[rows] = 1
        cell = groups * 2 + has
        _, first = group([cell, self.persons], len(groups), ordered=False)
        persons = np.bincount(cell[first])
        return int(persons[persons > 0].min()) >= k

    def sets(self, rows: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
        """The distinct patterns of these rows: the number of each row's, and their items by pattern and by item."""
        patterns, number = np.unique(self.partition.group_of_row[rows], return_inverse=True)
        has = np.unpackbits(self._bits[patterns].view(np.uint8), axis=1, bitorder="little")[:, : self.n_items]
        sets: list[np.ndarray] = []
        for cells in (has, has.T):
            sets += [np.concatenate([[0], np.cumsum(cells.sum(axis=1, dtype=np.int64))]), np.nonzero(cells)[1]]
        return number, tuple(sets)

    def _make_room(self, n_groups: int, n_words: int) -> None:
        have_groups, have_words = self._bits.shape
        if n_groups > have_groups or n_words > have_words:
            bits = np.zeros((max(n_groups, 2 * have_groups), n_words), dtype=np.uint64)
            bits[:have_groups, :have_words] = self._bits
            self._bits = bits


@compiled
def contained_rows(rows, group_of_row, bits, n_items, k, count):
    if len(rows) < k:
        return False
    seen = np.empty(len(rows), dtype=np.int64)
    n_seen = count_groups(rows, group_of_row, count, seen)
    # Counting sort of the patterns by their own rows up to k, largest first, so that k is reached early.
    room = np.empty(k + 2, dtype=np.int64)
    for c in range(k + 2):
        room[c] = 0
    for i in range(n_seen):
        room[k - min(count[seen[i]], k) + 1] += 1
    if room[1] == n_seen:  # all have k rows of their own
        for i in range(n_seen):
            count[seen[i]] = 0
        return True
    for c in range(1, k + 2):
        room[c] += room[c - 1]
    pattern = np.empty(n_seen, dtype=np.int64)
    own = np.empty(n_seen, dtype=np.int64)
    for i in range(n_seen):
        c = k - min(count[seen[i]], k)
        pattern[room[c]] = seen[i]
        own[room[c]] = k - c
        room[c] += 1
    for i in range(n_seen):
        count[seen[i]] = 0
    # Bit i of cover[item] says whether pattern i has the item.
    n_words = (n_seen + 63) // 64
    cover = np.empty((n_items, n_words), dtype=np.uint64)
    for item in range(n_items):
        for w in range(n_words):
            cover[item, w] = np.uint64(0)
    for i in range(n_seen):
        mark = np.uint64(1) << np.uint64(i & 63)
        for w in range(bits.shape[1]):
            rest = bits[pattern[i], w]
            while rest:
                cover[w * 64 + np.int64(lowest_bit(rest)), i >> 6] |= mark
                rest &= rest - np.uint64(1)
    items = np.empty(n_items, dtype=np.int64)
    for i in range(n_seen - 1, -1, -1):  # rare ones first, since they fail first
        if own[i] >= k:
            break
        n_mine = 0
        for w in range(bits.shape[1]):
            rest = bits[pattern[i], w]
            while rest:
                items[n_mine] = w * 64 + np.int64(lowest_bit(rest))
                n_mine += 1
                rest &= rest - np.uint64(1)
        total = 0
        for w in range(n_words):
            here = ~np.uint64(0)
            for j in range(n_mine):
                here &= cover[items[j], w]
                if here == 0:
                    break
            if w == n_words - 1 and n_seen & 63:
                here &= (np.uint64(1) << np.uint64(n_seen & 63)) - np.uint64(1)
            while here:
                total += own[w * 64 + np.int64(lowest_bit(here))]
                here &= here - np.uint64(1)
                if total >= k:
                    break
            if total >= k:
                break
        if total < k:
            return False
    return True


@compiled
def _contained_persons(rows, group_of_row, persons, bits, k, count, met):
    """As `contained_rows`; a person counts once, however many rows contain a pattern. `met` is initially zero."""
    if len(rows) < k:
        return False
    seen = np.empty(len(rows), dtype=np.int64)
    n_seen = count_groups(rows, group_of_row, count, seen)
    starts = np.zeros(n_seen + 1, dtype=np.int64)  # of the rows of each pattern, put side by side
    for i in range(n_seen):
        starts[i + 1] = starts[i] + count[seen[i]]
        count[seen[i]] = starts[i]
    whose = np.empty(len(rows), dtype=np.int64)
    for row in rows:
        g = group_of_row[row]
        whose[count[g]] = persons[row]
        count[g] += 1
    for i in range(n_seen):
        count[seen[i]] = 0
    fine = True
    for a in range(n_seen):
        total = 0
        for step in range(-1, n_seen):
            b = a if step < 0 else step  # a pattern's own rows first
            contains = True
            for w in range(bits.shape[1]):
                if bits[seen[a], w] & ~bits[seen[b], w]:
                    contains = False
                    break
            if contains:
                for i in range(starts[b], starts[b + 1]):
                    if met[whose[i]] != a + 1:
                        met[whose[i]] = a + 1
                        total += 1
                if total >= k:
                    break
        if total < k:
            fine = False
            break
    for person in whose:
        met[person] = 0
    return fine


@compiled
def _equal_rows(rows, group_of_row, sizes, k, count):
    seen = np.empty(len(rows), dtype=np.int64)
    n_seen = count_groups(rows, group_of_row, count, seen)
    fine = True
    for i in range(n_seen):
        inside = count[seen[i]]
        outside = sizes[seen[i]] - inside
        if inside < k or 0 < outside < k:
            fine = False
        count[seen[i]] = 0
    return fine
