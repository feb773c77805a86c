# SPDX-License-Identifier: Apache-2.0
"""Which rows of an engine kACTUS moves, found in two passes by keyed hashes.

The walk decides on counts how many rows of a class a node gives away, and to which others; they leave in the order of
`kactus_ranks`. Of an entry that leaves whole, every row knows by its codes where it goes. Of an entry of which only
some rows leave, a first pass hashes the other cells of all rows, of which some are drawn; the second pass publishes.
Rows of equal hash are equal in all that is published. An engine that works on many pieces at once tells them apart by
hashes of their random numbers, which it draws alike in both passes: the order of the published rows, which is that of
the numbers themselves, does not say which of them moved. One that streams rows takes them as they come.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.coding import Coding, ListedCells, changed
from discreet.counting.row_lookup import RowLookup
from discreet.engines.protocol import ORDER, Engine
from discreet.methods.apply_groups import LEFT_OUT
from discreet.methods.trees.kactus_ranks import Alike, keys_of_cells, mixed, turn_keys
from discreet.methods.trees.kactus_walk import Moves, holders

_SPLIT = -3  # of an entry of which some rows leave
_FOUND = pa.schema({"entry": pa.int64(), "key": pa.uint64(), "number": pa.uint64()})
_TRIPLE = np.dtype([("entry", "<i8"), ("key", "<u8"), ("number", "<u8")])

Keys = Callable[[np.ndarray], np.ndarray]  # the hashes of the other cells of these rows


def allotted(
    moves: Moves, parent: np.ndarray, node_of: np.ndarray, label: np.ndarray, alike: Alike
) -> dict[int, list[tuple[int, int]]]:
    """Of each entry that gives rows away: the batches that they go to, in order, and how many go to each.

    `node_of` is the node where each entry ends, `label` its class, as the walk saw them.
    """
    holder, _ = holders(moves, parent)
    n_classes = int(label.max()) + 1 if len(label) else 1
    cell = holder[node_of] * n_classes + label
    gives = np.zeros(len(parent), dtype=bool)
    gives[[node for node, _, _ in moves.given]] = True
    asked = np.flatnonzero(gives[holder[node_of]])
    asked = asked[np.argsort(cell[asked], kind="stable")]
    wanted: dict[int, list[tuple[int, int]]] = {}  # of each node and class: the batches, and how many rows go to each
    for node, to, counts in moves.given:
        for one, n in enumerate(counts):
            if n:
                wanted.setdefault(node * n_classes + one, []).append((to, int(n)))
    found: dict[int, list[tuple[int, int]]] = {}
    for at, places in wanted.items():
        start, end = np.searchsorted(cell[asked], [at, at + 1])
        leaving = alike.first(asked[start:end], sum(n for _, n in places))
        used = 0
        for to, n in places:
            for entry, count in zip(*np.unique(leaving[used : used + n], return_counts=True), strict=True):
                found.setdefault(int(entry), []).append((to, int(count)))
            used += n
    return found


class KeyedMoves:
    """Finds the published pattern of rows, given the codes of their quasi-identifiers and of the columns that tell
    entries apart.

    lookup   finds the distinct row of coded rows
    stays    what the rows of each distinct row are published as, if they do not leave
    moved    where the rows of entries go that give some away, by `allotted`
    pattern  what each batch of the moves is published as
    """

    def __init__(
        self,
        lookup: RowLookup,
        stays: np.ndarray,
        alike: Alike,
        moved: dict[int, list[tuple[int, int]]],
        pattern: np.ndarray,
    ):
        self._lookup, self._stays = lookup, stays
        entries = np.array(sorted(moved), dtype=np.int64)
        self._gives = np.zeros(len(stays), dtype=bool)
        self._gives[alike.row[entries]] = True
        where = [[int(pattern[to]) for to, n in moved[entry] for _ in range(n)] for entry in entries.tolist()]
        whole = np.array([len(set(to)) == 1 and len(to) == alike.rows[e] for e, to in zip(entries, where, strict=True)])
        self._goes = np.array(
            [to[0] if all_ else _SPLIT for to, all_ in zip(where, whole, strict=True)], dtype=np.int64
        )
        self._of_entry = None
        if len(entries):
            distinct = np.column_stack([alike.row[entries], *(codes[entries] for codes in alike.codes)])
            self._of_entry = RowLookup(distinct)
        self._n_beside, self._where, self._number_of = len(alike.codes), where, entries
        self._triples, self._to = np.empty(0, dtype=_TRIPLE), np.empty(0, dtype=np.int64)
        self._used = np.zeros(0, dtype=np.int64)
        self.counts = _counts(alike, moved, pattern, stays)

    @property
    def arrays(self) -> list[np.ndarray]:
        """All that decides."""
        of_entry = [] if self._of_entry is None else self._of_entry.arrays
        return [*self._lookup.arrays, self._stays, *of_entry, self._goes, self._triples, self._to]

    def begin(self) -> None:
        """Rows are published from the first on: none of those that are equal has had its turn."""
        self._used = np.zeros(len(self._to), dtype=np.int64)

    # -- the first pass ----------------------------------------------------------------------------------------------

    def find_split(
        self, engine: Engine, columns: Sequence[ListedCells], keyed: Sequence[Coding], key: bytes, secret: bytes
    ) -> None:
        """Find the rows that leave of each entry of which only some do."""
        if self._goes.size == 0 or (self._goes != _SPLIT).all():
            return
        found = _FoundRows()
        probe = SplitRows(copy.copy(self), tuple(columns), tuple(keyed), key)
        engine.publish(probe.columns, probe, secret, found)
        rows = found.rows()
        triples, to = [], []
        rows = np.sort(rows)
        split = np.flatnonzero(self._goes == _SPLIT)
        starts, ends = (np.searchsorted(rows["entry"], split, side=side) for side in ("left", "right"))
        for entry, start, end in zip(split.tolist(), starts, ends, strict=True):
            mine = rows[start:end]
            if len(mine) < len(self._where[entry]):
                raise changed()
            order = np.argsort(turn_keys(self._number_of[mine["entry"]], mine["key"]))
            triples.append(mine[order[: len(self._where[entry])]])
            to += self._where[entry]
        leaving = np.concatenate(triples)
        order = np.argsort(leaving)
        self._triples, self._to = leaving[order], np.array(to, dtype=np.int64)[order]
        self._used = np.zeros(len(self._to), dtype=np.int64)

    def split(self, codes: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """The rows of entries of which only some leave, and their entries."""
        row = self._lookup.find(codes[: -self._n_beside])
        if len(row) and int(row.min()) < 0:
            raise changed()
        asked, entry = self._entries(row, codes)
        some = self._goes[entry] == _SPLIT
        return asked[some], entry[some]

    # -- the second pass ---------------------------------------------------------------------------------------------

    def find(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        raise TypeError("Rows that move are told apart by the hashes of their cells: ask find_moved.")

    def find_moved(self, codes: Sequence[np.ndarray], keys: Keys, numbers: np.ndarray | None) -> np.ndarray:
        """The pattern of each row, LEFT_OUT for rows that are not published, -1 for rows that were not counted."""
        row = self._lookup.find(codes[: -self._n_beside])
        if len(row) and int(row.min()) < 0:
            return np.where(row < 0, -1, 0)
        found = self._stays[row].astype(np.int64)
        asked, entry = self._entries(row, codes)
        goes = self._goes[entry]
        found[asked[goes != _SPLIT]] = goes[goes != _SPLIT]
        asked, entry = asked[goes == _SPLIT], entry[goes == _SPLIT]
        if len(asked):
            to = self._next(
                _triples(entry, keys(asked), None if numbers is None else mixed(numbers[asked])), numbers is None
            )
            found[asked[to >= 0]] = self._to[to[to >= 0]]
        return found

    def _entries(self, row: np.ndarray, codes: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """The rows of entries that give some away, and their entries."""
        asked = np.flatnonzero(self._gives[row]) if self._of_entry is not None else np.empty(0, dtype=np.int64)
        if not len(asked):
            return asked, asked
        assert self._of_entry is not None
        entry = self._of_entry.find([row[asked], *(code[asked] for code in codes[-self._n_beside :])])
        return asked[entry >= 0], entry[entry >= 0]

    def _next(self, rows: np.ndarray, in_turn: bool) -> np.ndarray:
        """The place of each row among those that leave, -1 for those that stay; equal rows leave in turn."""
        place = np.searchsorted(self._triples, rows)
        place[place == len(self._triples)] = 0
        place[self._triples[place] != rows] = -1
        for i in np.flatnonzero(place >= 0).tolist() if in_turn else ():
            first = int(place[i])
            now = first + int(self._used[first])
            self._used[first] += 1
            place[i] = now if now < len(self._triples) and self._triples[now] == rows[i] else -1
        return place


@dataclass(frozen=True, eq=False, repr=False)
class SplitRows:
    """What the first pass brings of raw rows: entry, hash and hashed number of those that may leave."""

    moves: KeyedMoves
    listed: tuple[ListedCells, ...]
    keyed: tuple[Coding, ...]
    key: bytes

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.name for one in (*self.listed, *self.keyed)))

    @property
    def schema(self) -> pa.Schema:
        return _FOUND

    compact_schema = schema

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return self.compact(batch)

    def compact(self, batch: pa.RecordBatch, numbers: np.ndarray | None = None) -> pa.RecordBatch:
        asked, entry = self.moves.split([one.codes(batch.column(one.name)) for one in self.listed])
        keys = keys_of_cells(self.key, self.keyed, batch.take(pa.array(asked)))
        found = {"entry": pa.array(entry, pa.int64()), "key": pa.array(keys)}
        if numbers is None:
            return pa.RecordBatch.from_pydict(found | {"number": pa.array(np.zeros(len(asked), dtype=np.uint64))})
        number = numbers[asked]
        return pa.RecordBatch.from_pydict(found | {"number": pa.array(mixed(number)), ORDER: pa.array(number)})

    def published(self, compact: pa.Table) -> pa.Table:
        return compact.select(_FOUND.names)


class _FoundRows:
    """A sink that keeps what it is given in memory."""

    def __init__(self) -> None:
        self._parts: list[pa.Table] = []

    def write(self, rows: pa.Table) -> None:
        self._parts.append(rows)

    def rows(self) -> np.ndarray:
        if not self._parts:
            return np.empty(0, dtype=_TRIPLE)
        rows = pa.concat_tables(self._parts)
        return _triples(*(rows.column(name).to_numpy() for name in _FOUND.names))


def _triples(entry: np.ndarray, key: np.ndarray, number: Any = None) -> np.ndarray:
    rows = np.zeros(len(entry), dtype=_TRIPLE)
    rows["entry"], rows["key"] = entry, key
    if number is not None:
        rows["number"] = number
    return rows


def _counts(
    alike: Alike, moved: dict[int, list[tuple[int, int]]], pattern: np.ndarray, stays: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct rows, what they are published as, and how many rows; those that are left out are not among them."""
    left = alike.rows.copy()
    row, shown, n = [], [], []
    for entry, places in moved.items():
        for to, count in places:
            row.append(int(alike.row[entry]))
            shown.append(int(pattern[to]))
            n.append(count)
            left[entry] -= count
    stay = np.bincount(alike.row, left, minlength=len(stays)).astype(np.int64)
    at = np.flatnonzero((stays != LEFT_OUT) & (stay > 0))
    return (
        np.concatenate([at, np.array(row, dtype=np.int64)]),
        np.concatenate([stays[at], np.array(shown, dtype=np.int64)]),
        np.concatenate([stay[at], np.array(n, dtype=np.int64)]),
    )
