# SPDX-License-Identifier: Apache-2.0
"""Any frame, file or query as an Arrow table with sound column names."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.csv import read_csv
from discreet.errors import DataError, listing


@dataclass(frozen=True)
class ArrowSource:
    """An Arrow table and the kind of frame to give back: pandas, polars, duckdb or arrow."""

    table: pa.Table
    frame: str


def read(data: object, **csv_options) -> ArrowSource:
    """Read `data`, or say what would have been understood."""
    if isinstance(data, (str, os.PathLike)):
        source = ArrowSource(read_file(Path(data), **csv_options), "arrow")
    elif csv_options:
        raise DataError(f"The options {listing(csv_options)} are for CSV files; {_type(data)} was given.")
    elif isinstance(data, Mapping):
        source = ArrowSource(_guarded(lambda: pa.table(dict(data)), data), "arrow")
    elif isinstance(data, pa.Table):
        source = ArrowSource(data, "arrow")
    elif isinstance(data, pa.RecordBatch):
        source = ArrowSource(pa.Table.from_batches([data]), "arrow")
    else:
        source = _from_frame(data)
    check_names(source.table.column_names, quote=not isinstance(data, (str, os.PathLike)))
    if source.table.num_rows == 0:
        raise DataError(f"The table has {source.table.num_columns} columns and no rows: there is nothing to release.")
    return source


def read_file(path: Path, **csv_options) -> pa.Table:
    if not path.exists():
        raise DataError(f"There is no file {path.name!r} in {_folder(path)}. Check the path.")
    if path.is_file():
        if path.stat().st_size == 0:
            raise DataError(f"{path.name!r} is empty (0 bytes). A table needs a header line and rows.")
        with path.open("rb") as file:
            is_parquet = file.read(4) == b"PAR1"
        if not is_parquet:
            return read_csv(path, **csv_options)
    try:
        return pq.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path.name!r} is not a readable Parquet file ({type(error).__name__}).") from None


def check_names(names: Iterable[object], *, quote: bool = True) -> None:
    """Every column has a name of its own; nameless and repeated columns cannot be given a role.

    Without `quote` the message gives places only: the first line of a file without a header is data.
    """
    names = list(names)
    if not names:
        raise DataError("The table has no columns.")
    nameless = sum(not str(name).strip() for name in names)
    if nameless:
        raise DataError(f"{nameless} of the {len(names)} columns have no name. Give every column a name of its own.")
    repeated = [name for name, times in Counter(str(name) for name in names).items() if times > 1]
    if repeated:
        places = [i for i, name in enumerate(names, start=1) if str(name) in repeated]
        which = listing(repeated) if quote else f"columns {listing_of_places(places)}"
        raise DataError(
            f"Column names occur more than once: {which}. Rename them; if the file has no header line,"
            f" pass the names (names=[...], or --names on the command line)."
        )


def listing_of_places(places: list[int]) -> str:
    shown = ", ".join(map(str, places[:8]))
    return shown if len(places) <= 8 else f"{shown} and {len(places) - 8} more"


def _from_frame(data: object) -> ArrowSource:
    import narwhals as nw

    native_names = getattr(data, "columns", None)  # pandas allows what Arrow does not: numbers, repeated names
    if native_names is not None:
        check_names(native_names)
    if type(data).__module__.startswith("pandas") and hasattr(data, "set_axis"):
        data = data.set_axis([str(name) for name in data.columns], axis=1)
    try:
        frame = nw.from_native(data)
    except TypeError:
        raise DataError(
            f"{_type(data)} is not a table. Pass a pandas, polars or Arrow frame, a DuckDB relation, a mapping of"
            f" columns, or the path of a CSV or Parquet file."
        ) from None
    kind = str(nw.get_native_namespace(frame).__name__)
    eager = frame.collect(backend="pyarrow") if isinstance(frame, nw.LazyFrame) else frame
    table = _guarded(eager.to_arrow, data)
    return ArrowSource(table.replace_schema_metadata(None), kind if kind in ("pandas", "polars", "duckdb") else "arrow")


def _guarded(build, data: object) -> pa.Table:
    """Arrow's own messages quote cells; ours must not."""
    try:
        return build()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(
            f"{_type(data)} cannot be turned into typed columns ({type(error).__name__}): a column mixes kinds of"
            f" values, or the columns have different lengths. Give every column one type."
        ) from None


def _type(data: object) -> str:
    return f"A {type(data).__module__.split('.')[0]}.{type(data).__name__}"


def _folder(path: Path) -> str:
    return "the folder given" if str(path.parent) == "." else repr(str(path.parent))
