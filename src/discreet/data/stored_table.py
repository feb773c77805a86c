# SPDX-License-Identifier: Apache-2.0
"""A published table that lies in Parquet parts and is never read whole, only in blocks of rows.

Parts are written by `storage.write_part`, all with the same columns and types. A block is a group of rows of a part, as
a table in memory; what is counted over all of them is counted in `counting/block_tally.py`.
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.column import Column, Kind, encode
from discreet.data.content import Columns, Content, File, PublishedColumn, columns_with_roles
from discreet.data.joined_values import JoinedValues
from discreet.data.parquet import with_used_texts
from discreet.data.storage import columns_of, write_part
from discreet.data.table import PERSON, Table, is_bit
from discreet.errors import DataError, quietly, shown
from discreet.foundation import system
from discreet.foundation.lazy_modules import parquet as pq
from discreet.foundation.plain_files import opened

if TYPE_CHECKING:
    from discreet.data.roles import Roles

PART = "part-{:05d}.parquet"
FOLDER = "table"  # of the parts in a release
MOST_CELLS = 2**29  # that are read into memory at once
_Stamp = tuple[int, ...]


class Block(NamedTuple):
    """Some of the rows, and the persons behind them if persons are counted."""

    table: Table
    persons: np.ndarray | None


def part_names(n_parts: int) -> tuple[str, ...]:
    """The names of the parts in a release.

    >>> part_names(2)
    ('table/part-00000.parquet', 'table/part-00001.parquet')
    """
    return tuple(f"{FOLDER}/{PART.format(number)}" for number in range(n_parts))


class StoredTable(Content):
    """A table in the files of a folder, counted block by block.

    files    Parquet parts, in the order of their rows
    kinds    of the published columns, in their order
    persons  files parallel to the parts with one column, "person": a whole number from 0 on for the person of each row
    keep     whatever must live as long as the table, such as a folder that is removed with it
    """

    has_cells = True
    is_stored = True
    names: tuple[str, ...]

    def __init__(
        self,
        files: Sequence[str | os.PathLike[str]],
        kinds: Mapping[str, Kind],
        *,
        persons: Sequence[str | os.PathLike[str]] = (),
        keep: object = None,
    ):
        self.files, self.persons = tuple(map(Path, files)), tuple(map(Path, persons))
        self.names, self.kinds, self._keep = tuple(kinds), dict(kinds), keep
        self._stamps: dict[Path, _Stamp] = {}
        self._values: dict[str, Column] = {}
        if not self.files:
            raise DataError("A stored table has at least one part.")
        if self.persons and len(self.persons) != len(self.files):
            raise DataError(f"There are {len(self.persons)} parts of persons for {len(self.files)} parts of rows.")

    def __len__(self) -> int:
        return self.n_rows

    def __contains__(self, name: object) -> bool:
        return name in self.kinds or (bool(self.persons) and name == PERSON)

    def __repr__(self) -> str:
        return f"StoredTable({self.n_rows} rows in {len(self.files)} parts, {len(self.names)} columns)"

    # -- rows ------------------------------------------------------------------------------------------------------

    def fix(self, path: Path, file: BinaryIO) -> None:
        """The part at this path must from now on stay the file that is open: reading another raises DataError."""
        self._stamps[path] = _stamp(file)

    @cached_property
    def part_rows(self) -> tuple[int, ...]:
        """The number of rows of each part."""
        return tuple(self._footer(path).num_rows for path in self.files)

    @property
    def n_rows(self) -> int:
        return sum(self.part_rows)

    def _footer(self, path: Path) -> pq.FileMetaData:
        with self.open(path) as file:
            footer, failure = quietly(lambda: pq.ParquetFile(file).metadata)
            if footer is None:
                raise DataError(f"{shown(path.name)} cannot be read ({failure}).")
            return footer

    def open(self, path: Path) -> BinaryIO:
        """A part, open for reading; DataError if it is no longer the file that it was."""
        file = opened(path)
        if path in self._stamps and _stamp(file) != self._stamps[path]:
            file.close()
            raise DataError(f"{shown(path.name)} changed while it was read. Try again when nobody writes to it.")
        return file

    def arrow_blocks(self, names: Sequence[str] | None = None) -> Iterator[tuple[int, pa.Table]]:
        """The cells block by block, with the number of the part; texts as dictionaries."""
        chosen = list(dict.fromkeys(self.names if names is None else names)) or list(self.names[:1])
        for number, path in enumerate(self.files):
            with self.open(path) as file:
                parquet, failure = quietly(lambda file=file: pq.ParquetFile(file, read_dictionary=_texts(file)))
                if parquet is None or parquet.schema_arrow.names != list(self.names):
                    raise DataError(f"{shown(path.name)} does not have the stated columns ({failure or 'others'}).")
                for group in range(parquet.num_row_groups):
                    block, failure = quietly(lambda p=parquet, g=group: p.read_row_group(g, columns=chosen))
                    if block is None:
                        raise DataError(f"{shown(path.name)} cannot be read ({failure}).")
                    yield number, block.select(chosen)
                self.open(path).close()  # unchanged to the end

    def blocks(self, names: Sequence[str] | None = None) -> Iterator[Block]:
        """The rows block by block, with these columns or all; persons where they are counted."""
        chosen = list(dict.fromkeys(self.names if names is None else names)) or list(self.names[:1])
        part, row, persons = -1, 0, None
        for number, cells in self.arrow_blocks(chosen):
            if number != part:
                part, row = number, 0
                persons = self._persons_of(number) if self.persons else None
            rows = slice(row, row + len(cells))
            table = Table(columns_of(cells, {name: self.kinds[name] for name in chosen}))
            yield Block(table, None if persons is None else persons[rows])
            row += len(cells)

    def _persons_of(self, number: int) -> np.ndarray:
        path = self.persons[number]
        with self.open(path) as file:
            column, failure = quietly(lambda: pq.ParquetFile(file).read(["person"]).column(0).to_numpy())
        if column is None or column.dtype.kind not in "iu" or len(column) != self.part_rows[number]:
            raise DataError(f"{shown(path.name)} does not hold the persons of its part ({failure or 'other rows'}).")
        if len(column) and int(column.min()) < 0:
            raise DataError(f"{shown(path.name)} does not number persons from 0 on.")
        return column.astype(np.int64, copy=False)

    def in_memory(self, names: Sequence[str] | None = None) -> Table:
        """All rows of these columns, persons among them, for what cannot be counted block by block.

        DataError if that would be too much.
        """
        names = self.names if names is None else tuple(dict.fromkeys(names))
        if self.n_rows * len(names) > MOST_CELLS:
            raise DataError(
                f"{self.n_rows:,} rows of {len(names)} columns in parts would have to be read into memory, more than"
                f" {MOST_CELLS:,} cells. What is asked for cannot be counted part by part."
            )
        blocks = list(self.blocks([name for name in names if name != PERSON]))
        cells = pa.concat_tables([table.to_arrow() for table, _ in blocks], promote_options="permissive")
        columns = columns_of(cells, {name: self.kinds[name] for name in cells.column_names})
        if PERSON in names:
            whose = np.concatenate([persons for _, persons in blocks if persons is not None])
            columns.append(encode(PERSON, pa.array(whose), kind="number"))
        return Table(columns)

    # -- published -------------------------------------------------------------------------------------------------

    @property
    def shape_name(self) -> str:
        return "table"

    @property
    def data(self) -> Any:
        """A PyArrow dataset, which reads what is asked for."""
        import pyarrow.dataset as ds

        return ds.dataset([str(path) for path in self.files], format="parquet")

    def to_arrow(self) -> pa.Table:
        """All rows at once: they must fit into memory."""
        return self.data.to_table()

    def equals(self, other: Content) -> bool:
        """Whether the other table has the same parts, byte by byte."""
        return (
            isinstance(other, StoredTable)
            and self.kinds == other.kinds
            and len(self.files) == len(other.files)
            and all(
                mine.samefile(theirs) or filecmp.cmp(mine, theirs, shallow=False)
                for mine, theirs in zip(self.files, other.files, strict=True)
            )
        )

    def published_columns(self, roles: Roles | None) -> tuple[PublishedColumn, ...]:
        return columns_with_roles(self.kinds, roles)

    @classmethod
    def fits(cls, columns: Columns) -> bool:
        return Table.fits(columns)

    def value_columns(self, names: Sequence[str]) -> list[Column]:
        """The different values of these columns, one row each; found in one pass for all that are not yet known."""
        unknown = [name for name in dict.fromkeys(names) if name not in self._values]
        if unknown:
            joined, missing = {name: JoinedValues(name) for name in unknown}, set()
            for table, _ in self.blocks(unknown):
                for column in table.columns():
                    joined[column.name].codes_of(column)
                    missing |= {column.name} if column.has_missing else set()
            self.remember({name: one.every(missing=name in missing) for name, one in joined.items()})
        return [self._values[name] for name in names]

    def remember(self, values: Mapping[str, Column]) -> None:
        """Keep the values of columns that were found while rows were counted."""
        self._values.update(values)

    def with_persons(self, persons: Any, roles: Roles | None) -> tuple[StoredTable, Roles | None]:
        """With the files that number the persons of each part."""
        if persons is None or roles is None:
            return self, roles
        table = StoredTable(self.files, self.kinds, persons=persons, keep=self)
        table._stamps, table._values = dict(self._stamps), self._values
        return table, replace(roles, person=PERSON)

    def n_items(self, quasi: Sequence[str]) -> int:
        return len(quasi) if all(map(is_bit, self.value_columns(quasi))) else 0

    # -- files -----------------------------------------------------------------------------------------------------

    @classmethod
    def file_names(cls, shape: str) -> tuple[str, ...]:
        return (f"{FOLDER}/{PART}",)

    def file_name(self, format: str) -> str:
        return FOLDER

    def write(self, target: File, format: str = "parquet") -> None:
        """Put the parts into a new folder: the first time as further names of the same files, later as copies."""
        place_files(self.files, Path(target), mode=0o666)  # type: ignore[arg-type]

    def write_part(self, path: Path, target: BinaryIO, *, most_text: int) -> bool:
        """Write the cells of a part again, as they were read; False, and nothing, if they have more bytes of text.

        DataError if a dictionary has entries that no cell of its group of rows has.
        """
        with self.open(path) as file:
            groups, failure = quietly(lambda: list(_groups(pq.ParquetFile(file, read_dictionary=_texts(file)))))
        if groups is None:
            raise DataError(f"{shown(path.name)} cannot be read ({failure}).")
        for group in groups:
            for column in group.columns:
                with_used_texts(column)
        cells = pa.concat_tables(groups)
        if sum(map(_text_size, cells.columns)) > most_text:
            return False
        write_part(cells, target)
        return True

    @classmethod
    def read(cls, source: File, columns: Columns = (), *, shape: str = "", rows: int | None = None) -> StoredTable:
        """The parts in a folder; see release/verify_parts.py for folders from elsewhere."""
        files = sorted(Path(source).glob("part-*.parquet"))  # type: ignore[arg-type]
        table = cls(files, {column.name: column.kind for column in columns})  # type: ignore[misc]
        if rows is not None and table.n_rows != rows:
            raise DataError(f"{rows} rows were stated; the data has {table.n_rows}.")
        return table


def place_files(files: Sequence[Path], folder: Path, *, mode: int) -> None:
    """Put parts into a new folder, under their numbers: as further names of files that have no other yet, or else as
    copies, so that no two folders share a file. What the umask takes away is left out of the mode.
    """
    folder.mkdir()
    mode &= ~system.umask()
    for number, path in enumerate(files):
        place = folder / PART.format(number)
        if path.stat().st_nlink > 1:
            shutil.copyfile(path, place)
        else:
            system.link_or_copy(path, place)
        system.set_mode(place, mode)


def _groups(parquet: pq.ParquetFile) -> Iterator[pa.Table]:
    return (parquet.read_row_group(group) for group in range(parquet.num_row_groups))


def _texts(file: BinaryIO) -> list[str]:
    """The columns of texts, which are read as dictionaries."""
    file.seek(0)
    schema = pq.read_schema(file)
    file.seek(0)
    return [field.name for field in schema if pa.types.is_string(field.type)]


def _text_size(column: pa.ChunkedArray) -> int:
    """Bytes of the texts of all cells; in a dictionary one long text may stand for a million."""
    if not pa.types.is_dictionary(column.type):
        return 0
    total = 0
    for chunk in column.chunks:
        lengths = pc.binary_length(chunk.dictionary).to_numpy(zero_copy_only=False).astype(np.int64)
        total += int(lengths @ np.bincount(chunk.indices.drop_null().to_numpy(), minlength=len(lengths)))
    return total


def _stamp(file: BinaryIO) -> _Stamp:
    """What tells that a file is the same, and unchanged."""
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
