# SPDX-License-Identifier: Apache-2.0
"""Number the values of a column in the order in which they are met, batch by batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_DIRECT = 1 << 22  # whole numbers from 0 up to here are looked up in an array


class Codes:
    """Codes of values; `values` are as they came, or as texts without white space around them, for items.

    >>> codes = Codes(as_items=True)
    >>> codes.of(pa.array(["tea", None, " milk", "tea ", ""])).tolist(), codes.values
    ([0, -1, 1, 0, -1], ['tea', 'milk'])
    """

    def __init__(self, *, as_items: bool = False):
        self.values: list[Any] = []
        self.missing = 0
        self._as_items = as_items
        self._code_of: dict[Any, int] = {}
        self._direct = np.full(0, -1, dtype=np.int32)
        self._dictionary: tuple[pa.Array, np.ndarray] | None = None

    def of(self, cells: pa.Array) -> np.ndarray:
        """The code of each cell, -1 where it is missing, or no number (or, for items, empty)."""
        if pa.types.is_integer(cells.type) and not cells.null_count and len(cells):
            ends = pc.min_max(cells)
            if ends["min"].as_py() >= 0 and ends["max"].as_py() < _DIRECT:
                return self._of_small(np.asarray(cells), ends["max"].as_py())
        coded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
        if self._dictionary is None or not coded.dictionary.equals(self._dictionary[0]):
            codes = [self._code(value) for value in coded.dictionary.to_pylist()]
            self._dictionary = coded.dictionary, np.array([*codes, -1], dtype=np.int32)
        places = coded.indices
        places = np.asarray(places.cast(pa.int64()).fill_null(-1) if places.null_count else places)
        self.missing += coded.indices.null_count
        return self._dictionary[1][places]

    def _of_small(self, numbers: np.ndarray, largest: int) -> np.ndarray:
        if largest >= len(self._direct):
            more = np.full(2 * largest + 1 - len(self._direct), -1, dtype=np.int32)
            self._direct = np.append(self._direct, more)
        codes = self._direct[numbers]
        if len(codes) and codes.min() < 0:
            for number in np.unique(numbers[codes < 0]).tolist():
                self._direct[number] = self._code(number)
            codes = self._direct[numbers]
        return codes

    def _code(self, value: Any) -> int:
        if value is None or value != value:
            return -1
        if self._as_items:
            value = str(value).strip()
            if not value:
                return -1
        code = self._code_of.setdefault(value, len(self.values))
        if code == len(self.values):
            self.values.append(value)
        return code
