# SPDX-License-Identifier: Apache-2.0
"""Codes of a column that comes in blocks, whose values are not all known before the last block.

Blocks get preliminary codes, numbered as values first occur, with 0 for missing. When all blocks were seen, `column`
turns preliminary codes into those that the whole column would have in memory.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.column import Column, Kind
from discreet.errors import DataError, shown

_WIDE = (pa.float64(), pa.timestamp("us"))
_ALIKE = ({pa.int64(), pa.float64()}, {pa.date32(), pa.timestamp("us")})


class JoinedValues:
    """The values of one column, joined block by block.

    >>> from discreet.data.table import Table
    >>> values = JoinedValues("x")
    >>> [values.add(Table.of({"x": cells}).column("x")).tolist() for cells in (["b", None], ["a", "b"])]
    [[1, 0], [2, 1]]
    >>> values.column(np.array([1, 0, 2, 1])).to_arrow().to_pylist()
    ['b', None, 'a', 'b']
    """

    def __init__(self, name: str):
        self.name = name
        self._values: pa.Array | None = None
        self._kind: Kind = "category"

    def __len__(self) -> int:
        """Number of different preliminary codes, missing included."""
        return 1 + (0 if self._values is None else len(self._values))

    def add(self, block: Column) -> np.ndarray:
        """The preliminary codes of a block of the column."""
        return self.codes_of(block).take(block.codes)

    def codes_of(self, block: Column) -> np.ndarray:
        """The preliminary code of each code of the block; the last one, of missing cells, is 0."""
        if not len(block.values):  # nothing but missing cells, whose type says nothing
            return np.zeros(1, dtype=np.int32)
        if self._values is None:
            self._values, self._kind = block.values, block.kind
            return np.append(np.arange(1, len(block.values) + 1, dtype=np.int32), np.int32(0))
        values = self._with_type_of(block)
        places = pc.index_in(values, value_set=self._values)
        known = places.is_valid().to_numpy(zero_copy_only=False)
        codes = np.zeros(len(values) + 1, dtype=np.int32)
        codes[:-1][known] = places.drop_null().to_numpy() + 1
        codes[:-1][~known] = np.arange(len(self), len(self) + int((~known).sum()))
        if not known.all():
            self._values = pa.concat_arrays([self._values, values.filter(pa.array(~known))])
        return codes

    def _with_type_of(self, block: Column) -> pa.Array:
        """The block's values in the type of all: a block of whole numbers, or of days, may be followed by others."""
        assert self._values is not None
        mine, theirs = self._values.type, block.values.type
        if self._kind != block.kind or (mine != theirs and {mine, theirs} not in _ALIKE):
            raise DataError(f"Column {shown(self.name)} has cells of another type in some parts of the data.")
        wide = mine if mine in _WIDE else theirs
        self._values = self._values.cast(wide)
        return block.values.cast(wide)

    def column(self, codes: np.ndarray) -> Column:
        """The column with these preliminary codes, its values in increasing order."""
        if self._values is None:
            return Column(self.name, self._kind, pa.array([], pa.string()), np.zeros(len(codes), dtype=np.int32))
        order = pc.sort_indices(self._values).to_numpy().astype(np.int64)
        code_of = np.empty(len(order) + 1, dtype=np.int32)
        code_of[0] = len(order)
        code_of[order + 1] = np.arange(len(order))
        return Column(self.name, self._kind, self._values.take(pa.array(order)), code_of.take(codes))

    def every(self, *, missing: bool) -> Column:
        """All values, one row each, and a last row for missing cells if there are any."""
        codes = np.arange(1, len(self), dtype=np.int32)
        column = self.column(np.append(codes, np.int32(0)) if missing else codes)
        return Column(column.name, column.kind, column.values, np.sort(column.codes))
