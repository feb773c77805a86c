# SPDX-License-Identifier: Apache-2.0
"""The label and person of each row, found by its id, where they are kept beside the lines."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from discreet.data.baskets import one_per_row
from discreet.engines.sources import Source
from discreet.errors import DataError


@dataclass(frozen=True, eq=False)
class RowLabels:
    """Labels (indices into `classes`) and persons by row, in increasing order of the ids."""

    ids: np.ndarray
    labels: np.ndarray
    classes: np.ndarray
    persons: np.ndarray | None
    _places: dict[str, int] = field(default_factory=dict)  # of ids that are texts

    @classmethod
    def of(cls, source: Source, row: str, label: str, person: str | None) -> RowLabels:
        columns = {"r": row, "y": label, **({} if person is None else {"p": person})}
        cells = ", ".join(f"{source.cell(name)} AS {what}" for what, name in columns.items())
        table = source.scan(list(columns.values())).project(cells).order("r").to_arrow_table()
        rows = len(table)
        if table.column("r").null_count:
            raise DataError(f"{table.column('r').null_count} labels have no row id. Every label needs one.")
        texts = not pa.types.is_integer(table.column("r").type)
        ids = table.column("r").cast(pa.string()) if texts else table.column("r")
        ids = ids.to_numpy()
        again = int((ids[1:] == ids[:-1]).sum())
        if again or not rows:
            raise DataError(
                f"{again} row ids have several labels. There must be one for each." if rows else "No labels."
            )
        classes, labels = _numbered(table.column("y"), "labels")
        persons = None if person is None else _numbered(table.column("p"), "persons")[1].astype(np.int64)
        places = {value: place for place, value in enumerate(ids.tolist())} if texts else {}
        return cls(ids, labels.astype(np.int32), classes, persons, places)

    def numbers(self, ids: pa.Array) -> np.ndarray:
        """The place of the row with each id."""
        if self._places:
            places = np.array([self._places.get(value, -1) for value in ids.cast(pa.string()).to_pylist()], np.int64)
        elif not pa.types.is_integer(ids.type):
            raise DataError("Row ids are numbers in the labels and texts in the lines. Store them as one kind.")
        else:
            wanted = ids.to_numpy(zero_copy_only=False)
            places = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
            places = np.where(self.ids[places] == wanted, places, -1)
        unknown = int((places < 0).sum())
        if unknown:
            raise DataError(f"{unknown} or more rows have items and no label. Give each row a label.")
        return places


def _numbered(cells: pa.ChunkedArray, what: str) -> tuple[np.ndarray, np.ndarray]:
    """The different values in increasing order, and the place of each cell's among them."""
    coded = cells.combine_chunks().dictionary_encode()
    if coded.indices.null_count:
        raise DataError(f"{coded.indices.null_count} of {len(coded)} {what} are missing. Drop those rows first.")
    values = one_per_row(coded.dictionary, len(coded.dictionary), what)
    different, place = np.unique(values, return_inverse=True)
    return different, place[coded.indices.to_numpy()]
