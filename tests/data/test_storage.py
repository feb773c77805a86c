# SPDX-License-Identifier: Apache-2.0
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import Baskets, DataError, Table
from discreet.data import storage
from discreet.data.content import PublishedColumn

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)


def columns(kinds):
    return [PublishedColumn(name, "other", kind) for name, kind in kinds.items()]


@st.composite
def tables(draw):
    n = draw(st.integers(1, 12))

    def column(cells):
        return draw(st.lists(st.one_of(st.none(), cells), min_size=n, max_size=n))

    return Table.of(
        {
            "text": column(texts),
            'star, "quoted"': column(st.sampled_from(["*", "a,b", 'say "x"', "two\nlines", "?", "NA"])),
            "number": column(st.integers(-(10**6), 10**6)),
            "real": column(st.floats(allow_nan=False, allow_infinity=False, width=32)),
            "flag": column(st.booleans()),
            "day": column(st.dates()),
        },
        missing=(),
    )


@pytest.mark.parametrize("format", ["csv", "parquet"])
@given(table=tables())
def test_what_is_read_back_is_what_was_written(format, table, tmp_path_factory):
    path = tmp_path_factory.mktemp("w") / f"data.{format}"
    table.write(path, format)
    back = Table.read(path, columns({column.name: column.kind for column in table.columns()}))
    assert back.equals(table)
    for mine, theirs in zip(table.columns(), back.columns(), strict=True):
        assert mine.texts == theirs.texts
        assert mine.codes.tolist() == theirs.codes.tolist()


def test_many_rows_are_written_in_groups_to_the_same_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "ROW_GROUP", 40)
    n = 150
    cells = {
        "x": [None if i % 7 == 0 else f"t{i % 11}" for i in range(n)],
        "y": list(range(n)),
        "z": [i % 2 for i in range(n)],
    }
    table = Table.of({**cells, "late": ["a"] * 90 + [f"b{i}" for i in range(60)], "y.z": [i / 4 for i in range(n)]})
    whole = pa.table({column.name: column.to_dictionary() for column in table.columns()})
    storage.write_cells(whole, tmp_path / "whole.parquet", "parquet")
    storage.write_columns(table.columns(), tmp_path / "groups.parquet")
    assert (tmp_path / "groups.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    kinds = {column.name: column.kind for column in table.columns()}
    back = storage.read_cells(tmp_path / "groups.parquet", kinds, rows=n)
    assert all(one.equals(other) for one, other in zip(back, table.columns(), strict=True))


def test_files_with_other_columns_are_refused(tmp_path):
    Table.of({"a": [1]}).write(tmp_path / "data.csv", "csv")
    with pytest.raises(DataError, match="does not have the 2 columns"):
        Table.read(tmp_path / "data.csv", columns({"a": "number", "b": "number"}))
    (tmp_path / "data.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(DataError, match="not laid out as discreet writes them"):
        Table.read(tmp_path / "data.parquet", columns({"a": "number"}))


def test_parquet_has_no_metadata_of_the_source(tmp_path):
    Table.of({"a": ["x", "y"]}).write(tmp_path / "data.parquet")
    assert not pq.read_schema(tmp_path / "data.parquet").metadata
    assert pq.read_metadata(tmp_path / "data.parquet").metadata in (None, {})


@given(st.lists(st.sets(st.sampled_from(["milk", "rye bread", "Ä, ö"])), min_size=2, max_size=8))
def test_baskets_survive(rows):
    import tempfile
    from pathlib import Path

    import numpy as np

    names = ["milk", "rye bread", "Ä, ö"]
    labels = np.array(["no", "yes"] * len(rows))[: len(rows)]
    baskets = Baskets.of([[name in row for name in names] for row in rows], labels, names=names)
    with tempfile.TemporaryDirectory() as folder:
        baskets.write(Path(folder) / "data.parquet")
        back = Baskets.read(Path(folder) / "data.parquet", baskets.published_columns(None))
    assert back.equals(baskets)
    assert (back.matrix.toarray() == baskets.matrix.toarray()).all()
    assert back.classes[back.labels].tolist() == labels.tolist()
