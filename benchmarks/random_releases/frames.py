# SPDX-License-Identifier: Apache-2.0
"""The same cells as a mapping, an Arrow table or a pandas frame, with marked words where programs forget to look."""

from __future__ import annotations

from random import Random
from typing import Any

import pandas as pd
import pyarrow as pa

from benchmarks.random_releases.tables import RandomTable, marked


def as_frame(rng: Random, table: RandomTable) -> Any:
    kind = rng.choices(("mapping", "arrow", "pandas"), (4, 3, 3))[0]
    if kind == "mapping":
        return table.cells
    return _arrow(rng, table) if kind == "arrow" else _pandas(rng, table)


def _arrow(rng: Random, table: RandomTable) -> pa.Table:
    """Text as dictionaries with a level that nobody has; metadata of the table and of its fields."""
    unused, source = marked(rng, "unused"), marked(rng, "source")
    table.hidden |= {unused: "an unused level", source: "metadata"}
    arrays = {}
    for name, cells in table.cells.items():
        array = pa.array(cells)
        if pa.types.is_string(array.type) and rng.random() < 0.7:
            coded = array.dictionary_encode()
            levels = pa.concat_arrays([coded.dictionary, pa.array([unused])])
            array = pa.DictionaryArray.from_arrays(coded.indices, levels)
        arrays[name] = array
    fields = [pa.field(name, array.type, metadata={"note": source}) for name, array in arrays.items()]
    return pa.table(list(arrays.values()), schema=pa.schema(fields, metadata={"source": source}))


def _pandas(rng: Random, table: RandomTable) -> pd.DataFrame:
    """An index of marked words, attributes, and categories that nobody has."""
    index, unused = marked(rng, "index"), marked(rng, "unused")
    table.hidden |= {index: "the index", unused: "an unused level"}
    frame = pd.DataFrame(table.cells, index=pd.Index([f"{index}-{row}" for row in range(len(table))], name=index))
    for name in frame.columns:
        if all(isinstance(cell, str) for cell in table.cells[name]) and rng.random() < 0.4:
            levels = [*dict.fromkeys(table.cells[name]), unused]
            frame[name] = pd.Categorical(table.cells[name], categories=levels)
    frame.attrs["source"] = index
    return frame
