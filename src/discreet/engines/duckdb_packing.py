# SPDX-License-Identifier: Apache-2.0
"""Number values before rows are grouped, and pack the numbers of all columns into one integer per distinct row, in the
order of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from discreet.counting.tally import Tally, order_of, tally_of_sorted
from discreet.data.column import Column, Kind, encode
from discreet.foundation.compiled_kernels import compiled


@dataclass(frozen=True, eq=False)
class Numbering:
    """Values of a column as whole numbers below `levels`, in the order of their codes; `levels` itself is missing.

    cell      the column in SQL, before rows are grouped
    number    the number in SQL of a cell {c}
    code_of   the code of each number, and `values` the values behind the codes; computed later for whole numbers
    in_order  whether numbers have distinct codes; otherwise equal rows may be apart in the order of keys
    """

    cell: str
    number: str
    levels: int
    low: int = 0
    code_of: np.ndarray | None = None
    values: pa.Array | None = None
    in_order: bool = True

    @property
    def bits(self) -> int:
        return self.levels.bit_length()

    def unpacked(self, name: str, key: np.ndarray, shift: int, codes: np.ndarray) -> pa.Array:
        """Write the codes of the numbers at these bits of the keys, and return the values behind the codes."""
        code_of, values = self.code_of, self.values
        if code_of is None:
            is_met = np.zeros(1 << self.bits, dtype=np.bool_)
            _mark(key, shift, self.bits, is_met)
            code_of = np.cumsum(is_met) - is_met
            values = encode(name, pa.array(np.flatnonzero(is_met[: self.levels]) + self.low, pa.int64())).values
        _unpack(key, shift, self.bits, np.resize(code_of, 1 << self.bits).astype(np.int32), codes)
        return values


@dataclass(frozen=True)
class Packing:
    """Columns packed into one integer, the first in the highest bits."""

    numberings: dict[str, Numbering]

    @property
    def shifts(self) -> list[int]:
        """The total number of bits, followed by the lowest bit of each column."""
        ends = np.cumsum([0, *(numbering.bits for numbering in self.numberings.values())])
        return (ends[-1] - ends).tolist()

    @property
    def in_order(self) -> bool:
        """Whether the order of keys is the order of rows."""
        return all(numbering.in_order for numbering in self.numberings.values())

    @property
    def key(self) -> str:
        terms = []
        for place, numbering in enumerate(self.numberings.values()):
            number = numbering.number.format(c=f"k{place}")
            terms.append(f"coalesce({number}::BIGINT, {numbering.levels}) * {1 << self.shifts[place + 1]}")
        return " + ".join(terms) or "0::BIGINT"

    def coded(self, key: np.ndarray) -> dict[str, Column]:
        """The packed columns of these groups, in their order."""
        codes = np.empty((len(key), len(self.numberings)), dtype=np.int32, order="F")
        values = self._unpacked(key.copy(), codes)  # Arrow's array is read-only, which is another type to the kernels
        kind: Kind = "category"  # does not matter for counting
        return {name: Column(name, kind, values[place], codes[:, place]) for place, name in enumerate(self.numberings)}

    def tally(
        self, columns: Sequence[str], target: str | None, key: np.ndarray, rows: np.ndarray, persons: np.ndarray | None
    ) -> Tally:
        """The tally of groups whose columns are all packed."""
        order = order_of(key)
        key, rows = key[order], rows[order]
        if target is not None and persons is None and [*self.numberings] == [*columns, target]:
            return self._tally_by_class(columns, target, key, rows)
        codes = np.empty((len(key), len(self.numberings)), dtype=np.int32, order="F")
        values = self._unpacked(key, codes)
        place_of = {name: place for place, name in enumerate(self.numberings)}
        chosen = [place_of[name] for name in columns]
        labels = None if target is None else codes[:, place_of[target]]
        return tally_of_sorted(
            columns,
            [values[place] for place in chosen],
            codes[:, : len(chosen)] if chosen == [*range(len(chosen))] else codes[:, chosen],
            rows,
            labels=labels,
            n_classes=1 if labels is None else int(labels.max()) + 1,
            persons=None if persons is None else persons[order],
        )

    def _tally_by_class(self, columns: Sequence[str], target: str, key: np.ndarray, rows: np.ndarray) -> Tally:
        """Of keys in order that end with the class: rows of equal cells lie together."""
        bits = self.numberings[target].bits
        is_new = np.ones(len(key), dtype=bool)
        is_new[1:] = key[1:] >> bits != key[:-1] >> bits
        labels = np.empty(len(key), dtype=np.int32)
        self.numberings[target].unpacked(target, key, 0, labels)
        n_classes = int(labels.max()) + 1
        counts = np.zeros((int(is_new.sum()), n_classes), dtype=np.int64)
        np.add.at(counts.ravel(), (np.cumsum(is_new) - 1) * n_classes + labels, rows)  # exact, as doubles are not
        key = key[is_new]
        codes = np.empty((len(key), len(columns)), dtype=np.int32, order="F")
        values = Packing({name: self.numberings[name] for name in columns})._unpacked(key >> bits, codes)
        return Tally(tuple(columns), codes, counts, counts.sum(axis=1), None, tuple(values))

    def _unpacked(self, key: np.ndarray, codes: np.ndarray) -> list[pa.Array]:
        return [
            numbering.unpacked(name, key, self.shifts[place + 1], codes[:, place])
            for place, (name, numbering) in enumerate(self.numberings.items())
        ]


@compiled
def _mark(key, shift, bits, is_met):
    for i in range(len(key)):
        is_met[(key[i] >> shift) & ((1 << bits) - 1)] = True


@compiled
def _unpack(key, shift, bits, code_of, codes):
    for i in range(len(key)):
        codes[i] = code_of[(key[i] >> shift) & ((1 << bits) - 1)]
