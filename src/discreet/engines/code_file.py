# SPDX-License-Identifier: Apache-2.0
"""Batches of coded rows in a file: a few bytes a row, read back a batch at a time or whole.

Codes are no cells, but whoever knows the values can read them, so the files lie in a scratch folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np


class CodeFile:
    """Rows of some columns of codes; a batch is one array for each column.

    >>> from discreet.foundation.atomic_files import scratch_folder
    >>> with scratch_folder() as folder:
    ...     file = CodeFile(folder / "codes")
    ...     file.append([np.array([1, 2], dtype=np.uint8), np.array([7, 8], dtype=np.uint16)])
    ...     file.append([np.array([3], dtype=np.uint8), np.array([9], dtype=np.uint16)])
    ...     len(file), [column.tolist() for column in file.whole()]
    (3, [[1, 2, 3], [7, 8, 9]])
    """

    def __init__(self, path: Path):
        self._path, self._sizes = path, list[int]()
        self._types: list[np.dtype] = []

    def __len__(self) -> int:
        return sum(self._sizes)

    def append(self, codes: Sequence[np.ndarray]) -> None:
        self._types = [column.dtype for column in codes]
        with self._path.open("ab") as file:
            for column in codes:
                file.write(np.ascontiguousarray(column).data)
        self._sizes.append(len(codes[0]))

    def batches(self, places: Sequence[int] | None = None) -> Iterator[list[np.ndarray]]:
        """The batches as they were appended: of all columns, or of those at these places."""
        if not self._sizes:
            return
        chosen = range(len(self._types)) if places is None else places
        starts = np.cumsum([0, *(one.itemsize for one in self._types)]).tolist()  # bytes of a row before each column
        begin = 0
        with self._path.open("rb") as file:
            for size in self._sizes:
                columns = {}
                for place in sorted(set(chosen)):
                    file.seek(begin + starts[place] * size)
                    columns[place] = np.fromfile(file, self._types[place], size)
                yield [columns[place] for place in chosen]
                begin += starts[-1] * size

    def whole(self) -> list[np.ndarray]:
        """All rows at once."""
        columns = [np.empty(len(self), one) for one in self._types]
        start = 0
        for batch in self.batches():
            for column, codes in zip(columns, batch, strict=True):
                column[start : start + len(codes)] = codes
            start += len(batch[0])
        return columns

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)
