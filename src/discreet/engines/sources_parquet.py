# SPDX-License-Identifier: Apache-2.0
"""Read Parquet files in batches, texts as the dictionaries that the files hold: each entry is then coded once, not
each cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.read import PANDAS_INDEX
from discreet.errors import quietly

_BATCH = 2**17
_SAME = (  # types that Arrow reads as DuckDB does
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_integer,
    pa.types.is_float64,
    pa.types.is_float32,
    pa.types.is_boolean,
    pa.types.is_date32,
)


def parquet_batches(
    files: Sequence[Path], names: Sequence[str], dictionaries: Sequence[str]
) -> Iterator[pa.RecordBatch] | None:
    """The rows of all files, in order; None if a type is not simple or if files differ, which DuckDB resolves."""
    schemas = [quietly(pq.read_schema, file)[0] for file in files]
    if not all(_is_simple(schema, schemas[0], names) for schema in schemas):
        return None
    texts = [name for name in dictionaries if _is_text(_inner(schemas[0].field(name).type))]
    return _read(files, names, texts)


def n_other_types(files: Sequence[Path]) -> int:
    """How many files have other columns, or other types of them, than the first; DuckDB would cast their cells."""
    types = [quietly(lambda file=file: _types_of(pq.read_schema(file)))[0] for file in files]
    return sum(one is not None and one != types[0] for one in types)


def _types_of(schema: pa.Schema) -> dict[str, pa.DataType]:
    inner = {name: _inner(schema.field(place).type) for place, name in enumerate(schema.names)}
    kept = {name: t for name, t in inner.items() if not PANDAS_INDEX.fullmatch(name)}
    return {name: pa.string() if _is_text(t) else t for name, t in kept.items()}


def _read(files: Sequence[Path], names: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for path in files:
        with pq.ParquetFile(path, read_dictionary=list(texts)) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=list(names)):
                yield batch.select(list(names))


def _is_simple(schema: pa.Schema | None, first: pa.Schema | None, names: Sequence[str]) -> bool:
    if schema is None or first is None:
        return False
    for name in names:
        if schema.names.count(name) != 1 or schema.field(name).type != first.field(name).type:
            return False
        if not any(is_type(_inner(schema.field(name).type)) for is_type in _SAME):
            return False
    return True


def _inner(t: pa.DataType) -> pa.DataType:
    return t.value_type if pa.types.is_dictionary(t) else t


def _is_text(t: pa.DataType) -> bool:
    return pa.types.is_string(t) or pa.types.is_large_string(t)


Batches = Callable[[list[str], list[str]], Iterator[pa.RecordBatch] | None]
