# SPDX-License-Identifier: Apache-2.0
"""The order in which kACTUS gives rows away: by chance, yet the same wherever the rows are.

Rows that are alike to the walk, in their quasi-identifiers, their class and whatever else is asked of them, are
entries: an engine counts them. Every row of an entry has a slot, a keyed hash of the entry and of a number, and slots
of all entries go in the order of their hashes: any rows of a node are as likely to go as any others, alike or not. The
slots of one entry are taken by its rows in the order of a keyed hash of the entry, of their other cells and of their
turn among the rows of the entry with the same cells. Those are equal in all that is published, so it does not matter
which of them goes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa

from discreet.counting.coded_rows import CodedRows
from discreet.counting.coding import Coding, ListedCells
from discreet.counting.row_lookup import RowLookup
from discreet.data.roles import Roles
from discreet.foundation.randomness import Randomness

_SLOTS = 1 << 20  # slots that are looked at together


@dataclass(frozen=True, eq=False)
class Alike:
    """Rows that are alike to the walk: `rows[i]` rows have the quasi-identifiers `row[i]` and these codes.

    names   the columns of `codes`, the target first
    key     of the hashes of slots and of all other cells
    """

    names: tuple[str, ...]
    row: np.ndarray
    codes: tuple[np.ndarray, ...]
    rows: np.ndarray
    key: bytes = field(repr=False)

    @classmethod
    def of(cls, rows: CodedRows, names: Sequence[str], randomness: Randomness) -> Alike:
        """The entries of coded rows; `names` are the target and the columns that are asked about beside it."""
        codes: Sequence[np.ndarray]
        if len(names) == 1:
            row, label = np.nonzero(rows.counts)
            codes, n = [label], rows.counts[row, label]
        else:
            row, codes, n = rows.split_by(names)
        return cls(tuple(names), row, tuple(codes), n, randomness.bytes(32))

    def first(self, entries: np.ndarray, n: int) -> np.ndarray:
        """The first n rows of some entries in the order in which rows go: the entry of each.

        A large node gives few rows away, so few slots are kept at a time.
        """
        ends = np.cumsum(self.rows[entries])
        slots, best = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
        for start in range(0, int(ends[-1]) if len(ends) else 0, _SLOTS):
            number = np.arange(start, min(start + _SLOTS, int(ends[-1])))
            place = np.searchsorted(ends, number, side="right")
            each, turn = entries[place], number - (ends - self.rows[entries])[place]
            slots, best = np.append(slots, slot_keys(self.key, each, turn)), np.append(best, each)
            order = np.lexsort((best, slots))[:n]
            slots, best = slots[order], best[order]
        return best

    @cached_property
    def lookup(self) -> RowLookup:
        """Finds the entry of coded rows."""
        return RowLookup(np.column_stack([self.row, *self.codes]))


def keyed_names(roles: Roles, names: Sequence[str]) -> list[str]:
    """The published columns whose cells are hashed: all that tell no entries apart."""
    every = dict.fromkeys((*([] if roles.target is None else [roles.target]), *roles.sensitive, *roles.other))
    return [name for name in every if name not in names]


class RowRanks:
    """The place of rows of a table in memory in the order in which they are given away."""

    def __init__(self, rows: CodedRows, roles: Roles, alike: Alike):
        self._rows, self._alike, self._keyed = rows, alike, keyed_names(roles, alike.names)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        """Of each of these rows the place in their order."""
        table, alike = self._rows.table, self._alike
        told = [self._rows.group_of_row, *(column.codes for column in table.columns(alike.names))]
        entry = alike.lookup.find([codes[rows] for codes in told])
        each = [value_keys(alike.key, column.values)[column.codes[rows]] for column in table.columns(self._keyed)]
        in_entries = np.lexsort((turn_keys(entry, joined_keys(each, len(rows))), entry))
        of_slot = entry[in_entries]
        first = np.searchsorted(of_slot, of_slot)  # the first row of the same entry
        slots = slot_keys(alike.key, of_slot, np.arange(len(rows)) - first)
        taken = np.empty(len(rows), dtype=np.uint64)
        taken[in_entries] = slots[np.lexsort((slots, of_slot))]
        order = np.lexsort((entry, taken))
        rank = np.empty(len(rows), dtype=np.int64)
        rank[order] = np.arange(len(rows))
        return rank


def slot_keys(key: bytes, entry: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """The hash of the slot of each row of an entry, of which `turn` is the number.

    >>> len(set(slot_keys(b"k" * 32, np.array([0, 0, 1]), np.array([0, 1, 0])).tolist()))
    3
    """
    secret = np.frombuffer(hashlib.blake2b(key, digest_size=16, person=b"slots").digest(), dtype="<u8")
    parts = [mixed(entry.astype(np.uint64) ^ secret[0]), mixed(turn.astype(np.uint64) ^ secret[1])]
    return joined_keys(parts, len(entry))


def turn_keys(entry: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """What orders the rows of an entry: a hash of the entry, of their cells' `keys`, and of the turn among equal ones.

    >>> len(set(turn_keys(np.array([0, 0, 1]), np.array([5, 5, 5], dtype=np.uint64)).tolist()))
    3
    """
    order = np.lexsort((keys, entry))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(entry[order]) != 0) | (keys[order][1:] != keys[order][:-1])
    starts = np.flatnonzero(first)
    turn = np.empty(len(order), dtype=np.uint64)
    turn[order] = (np.arange(len(order)) - np.repeat(starts, np.diff(np.append(starts, len(order))))).astype(np.uint64)
    return joined_keys([keys, mixed(entry.astype(np.uint64)), mixed(turn)], len(keys))


def keys_of_cells(key: bytes, codings: Iterable[Coding], batch: pa.RecordBatch) -> np.ndarray:
    """The keyed hash of the cells of each row of a batch."""
    each = []
    for coding in codings:
        cells = coding.compact(batch.column(coding.name))
        if isinstance(coding, ListedCells):
            each.append(value_keys(key, coding.values)[cells.to_numpy(zero_copy_only=False)])
        else:
            keys = value_keys(key, cells)
            each.append(np.where(cells.is_null().to_numpy(zero_copy_only=False), keys[-1], keys[:-1]))
    return joined_keys(each, len(batch))


def value_keys(key: bytes, values: pa.Array) -> np.ndarray:
    """The keyed hash of each value, and of missing at the end.

    >>> keys = value_keys(b"k" * 32, pa.array(["b", "a", "b"]))
    >>> bool(keys[0] == keys[2]), len(set(keys.tolist()))
    (True, 3)
    """
    secret = np.frombuffer(hashlib.blake2b(key, digest_size=16).digest(), dtype="<u8")
    if pa.types.is_floating(values.type):
        bits = values.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False).view(np.uint64)
    elif pa.types.is_integer(values.type) or pa.types.is_temporal(values.type) or pa.types.is_boolean(values.type):
        whole = values.cast(pa.int8()) if pa.types.is_boolean(values.type) else values
        whole = whole.cast(pa.int32()) if pa.types.is_date32(values.type) else whole
        bits = whole.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False).view(np.uint64)
    else:
        texts = values.cast(pa.string()).fill_null("").dictionary_encode()
        hashes = [
            hashlib.blake2b(text.encode(), digest_size=8, key=key).digest() for text in texts.dictionary.to_pylist()
        ]
        of_text = np.frombuffer(b"".join(hashes), dtype="<u8")
        bits = of_text[texts.indices.to_numpy(zero_copy_only=False)] if len(texts) else np.empty(0, np.uint64)
    return np.append(mixed(bits ^ secret[0]), secret[1])


def joined_keys(each: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """One hash of the cells of each row, from those of all columns in their order."""
    joined = np.zeros(n_rows, dtype=np.uint64)
    for keys in each:
        joined = mixed(joined * np.uint64(0x9E3779B97F4A7C15) + keys)
    return joined


def mixed(bits: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64: one to one, and every bit depends on all others.

    >>> mixed(np.array([1, 2], dtype=np.uint64)).tolist() == [1, 2]
    False
    """
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
