# SPDX-License-Identifier: Apache-2.0
"""Tables in parts: blocks, values, files that change, and what a part is written as."""

import io
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import DataError, Table
from discreet.data.storage import write_cells, write_part
from discreet.data.stored_table import StoredTable
from instances import people
from stored import stored


def test_blocks_hold_the_rows_in_their_order(tmp_path):
    table = Table.of(people())
    parts, _ = stored(table, tmp_path / "p", parts=4)
    assert (parts.n_rows, len(parts), parts.names) == (len(table), len(table), table.names)
    assert parts.in_memory().equals(table)
    blocks = [block.table for block in parts.blocks(["age"])]
    assert [len(block) for block in blocks] == list(parts.part_rows)
    joined = pa.concat_tables([block.to_arrow() for block in blocks]).column("age").to_pylist()
    assert joined == table.column("age").to_arrow().to_pylist()


def test_values_are_those_of_the_whole_table(tmp_path):
    """A part of whole numbers, or of missing cells alone, beside one with fractions."""
    table = Table.of({"x": [1, 2, 2.5, None, None, None], "y": ["b", "a", None, "c", "a", "b"]})
    parts, _ = stored(table, tmp_path / "p", parts=3)
    for mine, theirs in zip(parts.value_columns(["x", "y"]), table.value_columns(["x", "y"]), strict=True):
        assert mine.equals(theirs)


def test_a_part_that_changes_while_it_is_read_is_refused(tmp_path):
    parts, _ = stored(Table.of({"x": [1, 2, 3]}), tmp_path / "p", parts=1)
    (path,) = parts.files
    with parts.open(path) as file:
        parts.fix(path, file)
    os.utime(path, ns=(1, 1))
    with pytest.raises(DataError, match="changed while it was read"):
        list(parts.blocks())


def test_copies_of_a_table_are_files_of_their_own(tmp_path):
    """The first takes the files as they are, and whoever changes one later does not change the other."""
    parts, _ = stored(Table.of({"x": [1, 2, 3]}), tmp_path / "p", parts=2)
    for copy in ("a", "b", "c"):
        parts.write(tmp_path / copy)
    for part in parts.files:
        same = [(tmp_path / copy / part.name).samefile(part) for copy in ("a", "b", "c")]
        assert same == [True, False, False]
        assert not (tmp_path / "b" / part.name).samefile(tmp_path / "c" / part.name)
        assert (tmp_path / "c" / part.name).read_bytes() == part.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
def test_parts_are_as_readable_as_other_files(tmp_path):
    parts, _ = stored(Table.of({"x": [1, 2, 3]}), tmp_path / "p", parts=1)
    mask = os.umask(0o027)
    try:
        parts.write(tmp_path / "a")
        parts.write(tmp_path / "b")
        (tmp_path / "other").write_text("")
    finally:
        os.umask(mask)
    for copy in ("a", "b"):
        assert (tmp_path / copy / parts.files[0].name).stat().st_mode == (tmp_path / "other").stat().st_mode


def test_persons_must_belong_to_the_part(tmp_path):
    table = Table.of({"x": [1, 2, 3]})
    parts, persons = stored(table, tmp_path / "p", parts=1, persons=np.array([0, 0, 1]))
    write_part(pa.table({"person": [0, 1]}), persons[0])
    with pytest.raises(DataError, match="does not hold the persons of its part"):
        list(StoredTable(parts.files, parts.kinds, persons=persons).blocks())
    write_part(pa.table({"person": [0, -1, 1]}), persons[0])
    with pytest.raises(DataError, match="from 0 on"):
        list(StoredTable(parts.files, parts.kinds, persons=persons).blocks())
    with pytest.raises(DataError, match="2 parts of persons for 1 parts of rows"):
        StoredTable(parts.files, parts.kinds, persons=persons * 2)
    with pytest.raises(DataError, match="at least one part"):
        StoredTable([], parts.kinds)


@pytest.mark.parametrize("levels", [1, 2, 3, 33, 20_000])
@pytest.mark.parametrize("rows", [0, 5, 20_001, 50_000])
@pytest.mark.parametrize("missing", [0.0, 0.2, 1.0])
def test_dictionaries_are_written_as_arrow_writes_their_texts(levels, rows, missing):
    """Whatever order dictionaries have, and however late their entries first occur."""
    rng = np.random.default_rng(levels + rows)
    texts = pa.array([f"v{place}" for place in rng.permutation(levels)])
    for power in (1, 12):
        codes = (rng.random(rows) ** power * levels).astype(np.int32)
        cells = pa.DictionaryArray.from_arrays(pa.array(codes, mask=rng.random(rows) < missing), texts)
        mine, plain = io.BytesIO(), io.BytesIO()
        write_cells(pa.table({"x": cells}), mine, "parquet")
        pq.write_table(pa.table({"x": cells.cast(pa.string())}), plain, compression="none", store_schema=False)
        assert mine.getvalue() == plain.getvalue()
