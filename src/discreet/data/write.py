# SPDX-License-Identifier: Apache-2.0
"""Writing a release, and reading it back exactly. Files are built from codes and used values; nothing else gets in.

CSV: UTF-8, comma, header line, an empty cell for missing, an apostrophe before what a spreadsheet would run as a
formula (`formulas.py`), names of columns included. Parquet: cells as they are, no metadata of the source, and not
compressed, so that what a file holds can be searched for in its bytes (dictionaries keep it small).
Baskets: Parquet with one row per basket, its label and the list of its items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import scipy.sparse as sp

from discreet.data.baskets import Baskets
from discreet.data.column import Column, Kind, encode
from discreet.data.formulas import neutral, neutral_cells, plain_cells
from discreet.data.table import Table
from discreet.errors import DataError, shown

FORMATS = ("csv", "parquet")
LABEL, ITEMS = "label", "items"  # the columns of published baskets


def write_table(table: Table, path: Path, format: str, *, input_again: bool = False) -> None:
    """The table as a file. `input_again`: cells as they are also in CSV, for files that are read as somebody's data."""
    arrow = table.to_arrow()
    if format == "csv":
        if not input_again:
            cells = [neutral_cells(column) for column in arrow.columns]
            arrow = pa.table(cells, names=[neutral(name) for name in arrow.column_names])
        pacsv.write_csv(arrow, path, pacsv.WriteOptions(quoting_style="needed"))
    elif format == "parquet":
        pq.write_table(arrow, path, compression="none", store_schema=False)
    else:
        raise DataError(f"{format!r} is not a format of a release; they are {' and '.join(FORMATS)}.")


def read_table(path: Path, kinds: Mapping[str, Kind]) -> Table:
    """The table in a published file, its columns of the kinds the certificate states; no mark but '' is missing."""
    names = list(kinds) if path.suffix == ".parquet" else [neutral(name) for name in kinds]
    try:
        if path.suffix == ".parquet":
            arrow = pq.read_table(path)
        else:
            arrow = pacsv.read_csv(
                path,
                parse_options=pacsv.ParseOptions(newlines_in_values=True),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=[""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{path.name!r} cannot be read back ({type(error).__name__}).") from None
    if arrow.column_names != names:
        raise DataError(f"{path.name!r} does not have the {len(kinds)} columns that the certificate names.")
    columns = dict(zip(kinds, arrow.columns, strict=True))
    if path.suffix != ".parquet":
        texts = (name for name, kind in kinds.items() if kind == "category")
        columns |= {name: plain_cells(name, columns[name]) for name in texts}
    return Table([_exact(name, columns[name], kind) for name, kind in kinds.items()])


def _exact(name: str, array: pa.ChunkedArray, kind: Kind) -> Column:
    """The column as any reader sees it. Two spellings of one value are refused: other readers keep them apart."""
    column = encode(name, array, kind=None if pa.types.is_boolean(array.type) else kind, missing=())
    different = pc.count_distinct(array, mode="only_valid").as_py()
    if different != len(column.values):
        raise DataError(
            f"Column {shown(name)} writes {len(column.values)} values in {different} ways. Releases are not written so."
        )
    return column


def write_baskets(baskets: Baskets, path: Path) -> None:
    assert baskets.classes is not None
    assert baskets.labels is not None
    matrix, names = baskets.matrix, pa.array(baskets.names, pa.string())
    items = pa.ListArray.from_arrays(pa.array(matrix.indptr, pa.int32()), names.take(pa.array(matrix.indices)))
    labels = pa.array([str(label) for label in baskets.classes.tolist()]).take(pa.array(baskets.labels))
    table = pa.table({LABEL: labels, ITEMS: items})
    pq.write_table(table, path, compression="none", store_schema=False)


def read_baskets(path: Path, names: Sequence[str]) -> Baskets:
    """The baskets in a published file; every item must be one of `names`."""
    try:
        table = pq.read_table(path)
        if table.column_names != [LABEL, ITEMS]:
            raise KeyError
        items, labels = table.column(ITEMS).combine_chunks(), table.column(LABEL).to_numpy(zero_copy_only=False)
        place = {name: j for j, name in enumerate(names)}
        coded = items.values.dictionary_encode()
        columns = np.array([place[name] for name in coded.dictionary.to_pylist()], dtype=np.int64)
        indices = columns[coded.indices.to_numpy()] if len(columns) else np.empty(0, np.int64)
        indptr = items.offsets.to_numpy()
    except (pa.ArrowException, OSError, KeyError, AttributeError, TypeError) as error:
        raise DataError(
            f"{path.name!r} does not hold baskets as the certificate says ({type(error).__name__})."
        ) from None
    shape = (len(labels), len(names))
    return Baskets.of(sp.csr_array((np.ones(len(indices)), indices, indptr), shape=shape), labels, names=names)
