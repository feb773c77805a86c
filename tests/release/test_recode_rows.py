# SPDX-License-Identifier: Apache-2.0
"""New rows in Parquet files, recoded batch by batch."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from discreet import DataError, Mondrian, Table, recode
from discreet.cli.app import app
from discreet.release import recode_rows
from discreet.release.recode_rows import recoding_of
from instances import ROLES, people
from stored import stored_release


@pytest.fixture
def saved(tmp_path):
    release = Mondrian(k=3, random_state=1).release(people(), ROLES)
    return stored_release(release, tmp_path / "parts").save(tmp_path / "out") / "release"


@pytest.fixture
def new_rows(tmp_path):
    cells = Table.of(people()).to_arrow()
    (tmp_path / "new").mkdir()
    for number, start in enumerate(range(0, len(cells), 70)):
        pq.write_table(cells.slice(start, 70), tmp_path / "new" / f"{number}.parquet")
    return tmp_path / "new"


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_a_folder_of_files_is_recoded_as_one_table(saved, new_rows, tmp_path, monkeypatch, format):
    monkeypatch.setattr(recode_rows, "_BATCH", 13)
    out, expected = tmp_path / f"recoded.{format}", tmp_path / f"whole.{format}"
    done = CliRunner().invoke(app, ["recode", str(saved), str(new_rows), "-o", str(out)])
    assert done.exit_code == 0, done.output
    recode(saved, Table.of(people())).write(expected, format)
    assert Table.of(out).equals(Table.of(expected))
    assert len(Table.of(out)) == len(Table.of(people()))


def test_a_pattern_of_files(saved, new_rows, tmp_path):
    done = CliRunner().invoke(app, ["recode", str(saved), f"{new_rows}/*.parquet", "-o", str(tmp_path / "x.parquet")])
    assert done.exit_code == 0, done.output


def test_files_that_cannot_be_recoded(saved, tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(DataError, match="not readable as Parquet"):
        recoding_of(saved).files([tmp_path / "x.parquet"], print)
    pq.write_table(pa.table({"age": [31]}), tmp_path / "y.parquet")
    with pytest.raises(DataError, match="lack the columns"):
        recoding_of(saved).files([tmp_path / "y.parquet"], print)
    (tmp_path / "empty").mkdir()
    done = CliRunner().invoke(app, ["recode", str(saved), str(tmp_path / "empty"), "-o", str(tmp_path / "z.csv")])
    assert done.exit_code
    assert not (tmp_path / "z.csv").exists()
