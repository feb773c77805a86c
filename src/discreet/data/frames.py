# SPDX-License-Identifier: Apache-2.0
"""Data frames and queries as Arrow columns, without their index, attributes and metadata.

A column that cannot be converted is recorded with the reason and refused only when it is accessed, so that a column
without a role does not prevent a release.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.errors import DataError, Setting, listing, quietly, shown

_MOST_DIGITS = 76  # of a decimal number in Arrow


@dataclass(frozen=True, repr=False)
class ArrowSource:
    """An Arrow table, the kind of frame to return (pandas, polars, duckdb or arrow), and why columns are unusable.

    `objects` are the cells of columns whose type Arrow infers from all cells, or that Arrow cannot hold. `encoding` is
    the detected encoding of a text file.
    """

    table: pa.Table
    frame: str
    unusable: dict[str, str] = field(default_factory=dict)
    objects: dict[str, Any] = field(default_factory=dict)
    encoding: str | None = None
    delimiter: str | None = None  # of a text file
    notes: tuple[str, ...] = ()  # what was done to the file, in sentences
    recognise: bool = True  # whether texts may be numbers and dates in other than plain form: not those of a release
    labels: Mapping[str, str] = field(default_factory=dict)  # what its program says of columns
    texts: tuple[str, ...] = ()  # columns that are categories, whatever their cells look like

    def __repr__(self) -> str:
        return f"ArrowSource({self.table.num_rows} rows, {self.table.num_columns} columns, {self.frame})"


def from_mapping(data: Mapping[Any, Any]) -> ArrowSource:
    """Lists, arrays or series by name."""
    check_names(data)
    columns = {str(name): values for name, values in data.items()}
    sizes = {name: quietly(len, values)[0] for name, values in columns.items()}
    scalar = [name for name, size in sizes.items() if size is None or isinstance(columns[name], (str, bytes))]
    if scalar:
        raise DataError(f"A mapping must hold a list or an array for every column; these are none: {listing(scalar)}.")
    if len(set(sizes.values())) > 1:
        raise DataError(f"The columns have different lengths, from {min(sizes.values())} to {max(sizes.values())}.")
    return _gathered(columns.items(), _array, next(iter(sizes.values())), "arrow")


def from_frame(data: Any) -> ArrowSource:
    """A pandas or polars frame, a DuckDB relation, and whatever else narwhals knows."""
    libraries = [base.__module__.split(".")[0] for base in type(data).__mro__]  # a subclass of a frame is one, too
    if "pandas" in libraries and hasattr(data, "columns"):
        return _from_pandas(data)
    import narwhals as nw

    frame, failure = quietly(nw.from_native, data)
    if failure:
        raise DataError(
            f"{type_of(data)} is not a table. Pass a pandas, polars or Arrow frame, a DuckDB relation, a mapping of"
            f" columns, or the path of a CSV or Parquet file."
        )
    library = next((name.lstrip("_") for name in libraries if name.lstrip("_") in ("polars", "duckdb")), "arrow")
    if library == "polars":
        eager, failure = quietly(lambda: data.collect() if hasattr(data, "collect") else data)
        if not failure:
            check_names(eager.columns)
            return _gathered(zip(eager.columns, eager.get_columns(), strict=True), _series, eager.height, "polars")
    else:
        lazy = isinstance(frame, nw.LazyFrame)
        native = (lambda: frame.collect(backend="pyarrow").to_arrow()) if lazy else (lambda: frame.to_arrow())
        table, failure = quietly(native)
        if not failure:
            check_names(table.column_names)
            return ArrowSource(table, library)
    raise DataError(f"The query behind {type_of(data)} could not be run ({failure}). Run it on its own to see why.")


def check_names(names: Iterable[Any], *, quote: bool = True) -> None:
    """DataError unless all columns have distinct names.

    Without `quote` the message gives positions only, since the first line of a file without a header is data.
    """
    names = list(names)
    if not names:
        raise DataError("The table has no columns. Pass one with named columns and rows.")
    nameless = [place for place, name in enumerate(names, start=1) if _is_nameless(name)]
    if nameless:
        raise DataError(
            f"{len(nameless)} of the {len(names)} columns have no name (column {listing_of_places(nameless)}). Give"
            f" every column a name of its own; pandas leaves out its index if it is told to write none."
        )
    repeated = {name for name, times in Counter(str(name) for name in names).items() if times > 1}
    if repeated:
        places = [place for place, name in enumerate(names, start=1) if str(name) in repeated]
        which = listing(sorted(repeated)) if quote else f"columns {listing_of_places(places)}"
        raise DataError(
            f"Column names occur more than once: {which}. Rename them; if the file has no header line,"
            f" give the names: ",
            Setting("names", [...]),
            ".",
        )


def listing_of_places(places: list[int]) -> str:
    """Numbers for a message, at most eight.

    >>> listing_of_places([1, 4])
    '1, 4'
    """
    first = ", ".join(map(str, places[:8]))
    return first if len(places) <= 8 else f"{first} and {len(places) - 8} more"


def type_of(data: object) -> str:
    return f"A {type(data).__module__.split('.')[0]}.{type(data).__name__}"


def _is_nameless(name: Any) -> bool:
    return name is None or (isinstance(name, float) and name != name) or not str(name).strip()


def _from_pandas(data: Any) -> ArrowSource:
    if getattr(data.columns, "nlevels", 1) > 1:
        raise DataError(
            f"The columns have names of {data.columns.nlevels} levels (a pandas MultiIndex). Give every column one"
            f" name, for example by joining the levels."
        )
    check_names(data.columns)
    return _gathered(((str(name), column) for name, column in data.items()), _pandas_array, len(data), "pandas")


def _gathered(
    columns: Iterable[tuple[str, Any]], convert: Callable[[Any], pa.Array | pa.ChunkedArray], n_rows: int, frame: str
) -> ArrowSource:
    arrays: dict[str, pa.Array | pa.ChunkedArray] = {}
    unusable: dict[str, str] = {}
    objects: dict[str, Any] = {}
    for name, column in columns:
        of_objects = _is_of_objects(column)
        array, failure = (
            quietly(convert, column) if not of_objects or not _unfit(column) else (pa.nulls(0), "TypeError")
        )
        if of_objects or failure or len(array) != n_rows:
            cells, _ = quietly(lambda column=column: column if isinstance(column, np.ndarray) else list(column))
            objects[name] = cells if cells is not None and len(cells) == n_rows else [None] * n_rows
        if failure or len(array) != n_rows:
            array = pa.nulls(n_rows)
            unusable[name] = (
                f"Column {shown(name)} cannot be turned into values of one type ({failure or 'nested'}). If it mixes"
                f" text and numbers, turn all of it into text; if it holds lists or objects, leave it without a role."
            )
        arrays[name] = array
    return ArrowSource(pa.table(arrays), frame, unusable, objects)


def _is_of_objects(column: Any) -> bool:
    """Whether the cells may be of other types than the column."""
    library = type(column).__module__.split(".")[0]
    if library in ("pandas", "polars"):
        levels = getattr(column.dtype, "categories", None)
        kind = str(getattr(levels, "dtype", column.dtype)).lower()
        return kind.startswith(("object", "interval", "period", "complex", "timedelta"))
    if isinstance(column, np.ndarray):
        return column.dtype.kind not in "biufM"
    return not isinstance(column, (pa.Array, pa.ChunkedArray))


def _unfit(column: Any) -> bool:
    """Objects that Arrow cannot take: it crashes on NumPy timestamps among other types, and hangs on huge decimals."""
    kinds = set(map(type, column)) - {type(None)}
    if len(kinds) > 1 and any(issubclass(kind, (np.datetime64, np.timedelta64)) for kind in kinds):
        return True
    return Decimal in kinds and any(
        type(cell) is Decimal and (not cell.is_finite() or abs(cell.adjusted()) > _MOST_DIGITS) for cell in column
    )


def _array(values: Any) -> pa.Array | pa.ChunkedArray:
    """A list, NumPy array or series as Arrow; NaN and similar marks become null."""
    if type(values).__module__.split(".")[0] == "polars":
        return _series(values)
    if type(values).__module__.split(".")[0] == "pandas":
        return _pandas_array(values)
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    array, failure = quietly(lambda: pa.array(values, from_pandas=True), errors=(OverflowError,))
    if failure:  # whole numbers beyond 64 bits are names, not quantities
        return pa.array([None if value is None else str(int(value)) for value in values])
    return array


def _pandas_array(series: Any) -> pa.Array | pa.ChunkedArray:
    dtype = series.dtype
    levels = getattr(dtype, "categories", None)
    kind = str(getattr(levels, "dtype", dtype)).lower()
    if kind.startswith(("interval", "period")):  # as they are written in a CSV file
        series = series.astype(object).map(str, na_action="ignore")
    elif kind.startswith("sparse"):
        series = series.astype(dtype.subtype)
    array, failure = quietly(lambda: pa.array(series, from_pandas=True), errors=(OverflowError,))
    return _array(series.to_list()) if failure else array


def _series(series: Any) -> pa.Array | pa.ChunkedArray:
    if str(series.dtype) in ("Int128", "UInt128"):
        series = series.cast(str)
    return series.to_arrow()
