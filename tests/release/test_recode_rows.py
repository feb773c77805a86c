# SPDX-License-Identifier: Apache-2.0
"""New rows in Parquet files, recoded batch by batch."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from discreet import DataError, Mondrian, Recoder, Roles, Table, UnknownValuesWarning, recode
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


@pytest.fixture
def towns(tmp_path):
    """A release of zip codes, half of them with a leading zero, and of words."""
    rows = {"zip": ["01067", "10115"] * 20, "sex": ["weiblich", "maennlich"] * 20, "y": [0, 0, 1, 1] * 10}
    roles = Roles(target="y", quasi=["zip", "sex"])
    return Mondrian(k=5, random_state=1).release(rows, roles).save(tmp_path / "towns") / "release"


def test_values_that_the_release_does_not_know_are_told_by_names_and_counts(towns):
    new = {"zip": ["1067", "10115"] * 5, "sex": ["weiblich", "maennlich"] * 5, "y": [0] * 10}
    for recoding in (lambda: recode(towns, new), lambda: Recoder(towns).transform(new)):
        with pytest.warns(UnknownValuesWarning) as told:
            recoding()
        (text,) = (str(one.message) for one in told)
        assert text.startswith("'zip': 5 of 10 cells hold values that the release does not know; they are written `*`")
        assert text.endswith("Were leading zeros lost?")
        assert re.findall(r"\d+", text) == ["5", "10"]  # counts, and no cell
    with pytest.warns(UnknownValuesWarning, match="^'sex': 10 of 10 cells .*nearest row.$"):
        recode(towns, new | {"zip": ["10115"] * 10, "sex": ["w", "m"] * 5})
    recode(towns, new | {"zip": ["10115", "01067"] * 5})  # all known, so that nothing is said


def test_the_command_tells_unknown_values_too(towns, tmp_path):
    cells = pa.table({"zip": ["1067", "10115"] * 5, "sex": ["weiblich", "maennlich"] * 5})
    pq.write_table(cells, tmp_path / "new.parquet")
    (tmp_path / "more").mkdir()
    for name in ("a", "b"):
        pq.write_table(cells, tmp_path / "more" / f"{name}.parquet")
    for given, counts in (("new.parquet", "5 of 10"), ("more", "10 of 20")):
        asked = ["recode", str(towns), str(tmp_path / given), "--overwrite", "-o", str(tmp_path / "x.csv"), "--json"]
        done = CliRunner().invoke(app, asked)
        assert done.exit_code == 0, done.output
        (text,) = json.loads(done.stdout)["warnings"]
        assert text.startswith(f"'zip': {counts} cells")
        assert f"Warning: {text}" in done.stderr


def test_nothing_is_written_into_a_published_folder(towns, tmp_path):
    rows = tmp_path / "new.csv"
    rows.write_text("zip,sex\n10115,weiblich\n")
    before = sorted(towns.iterdir())
    for asked in (
        ["recode", str(towns), str(rows), "-o", str(towns / "x.csv")],
        ["recode", str(towns), str(rows), "-o", str(towns / "more" / "x.csv")],
        ["report", str(towns), "--public", "-o", str(towns / "p.html")],
        ["inspect", str(rows), "--recipe", str(towns / "x.toml")],
    ):
        done = CliRunner().invoke(app, asked)
        assert done.exit_code == 2, asked
        assert "into the published folder 'release'" in done.stderr
    assert sorted(towns.iterdir()) == before
