# SPDX-License-Identifier: Apache-2.0
"""Verifying the parts of a release by an engine: what it counts is what is counted block by block."""

import shutil
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet
from discreet import DataError, GreedySelector, KActus2, Mondrian, TreeLadder
from discreet.data.storage import write_part
from discreet.engines import DuckDB
from discreet.release.certificate import Certificate, file_record
from engine_cases import BY_PERSON, ROLES, people

TABLE = people(300)


@pytest.fixture(scope="module", params=["mondrian", "persons", "items", "moved"])
def saved(request, tmp_path_factory):
    method, roles = {
        "mondrian": (Mondrian(k=3, l=2), ROLES),
        "persons": (TreeLadder(k=3), BY_PERSON),
        "items": (GreedySelector(k=3), ROLES),
        "moved": (KActus2(k=3, min_objects=1, confidence=0.5), ROLES),
    }[request.param]
    folder = tmp_path_factory.mktemp(request.param) / "out"
    with DuckDB(TABLE) as rows:
        method.release(rows, roles).save(folder)
    return folder


def test_what_is_found_is_what_is_found_block_by_block(saved):
    expected = discreet.verify(saved / "release", owner=saved / "owner")
    found = discreet.verify(
        saved / "release", owner=saved / "owner", engine="duckdb", engine_options={"memory": "500MB", "threads": 1}
    )
    assert found.holds
    assert found == expected


def test_parts_that_were_changed_are_not_verified(saved, tmp_path):
    shutil.copytree(saved, tmp_path / "out")
    part = tmp_path / "out/release/table/part-00000.parquet"
    write_part(pq.read_table(part).slice(1), part)
    found = discreet.verify(tmp_path / "out/release", engine="duckdb")
    assert not found.holds
    assert found.problems == discreet.verify(tmp_path / "out/release").problems


def test_an_engine_that_takes_different_values_for_one_is_not_believed(saved, monkeypatch):
    tally = DuckDB.tally

    def merging(self, columns, **options):
        counted = tally(self, columns, **options)
        return replace(counted, codes=counted.codes * (np.arange(len(columns)) > 0))

    monkeypatch.setattr(DuckDB, "tally", merging)
    found = discreet.verify(saved / "release", engine="duckdb")
    assert not found.holds
    assert "The engine finds other values in the parts than they have: " in found.problems[0]


@pytest.mark.parametrize("kind", ["quasi", "other"])
def test_cells_that_are_not_written_as_their_values_are_found_beside_the_engine(kind, tmp_path):
    table = people(60)
    odd = table.append_column("note", pa.array(["x", "y", "z"] * (len(table) // 3)))
    roles = replace(ROLES, other=[*ROLES.other, "note"]) if kind == "other" else replace(ROLES, quasi=["note"])
    with DuckDB(odd) as rows:
        Mondrian(k=3).release(rows, roles).save(tmp_path / "out")
    folder = tmp_path / "out/release"
    assert discreet.verify(folder, engine="duckdb").holds
    part = folder / "table/part-00000.parquet"
    cells = pq.read_table(part)
    spaced = pa.array([f"{text} " for text in cells.column("note").to_pylist()])
    part.unlink()
    write_part(cells.set_column(cells.column_names.index("note"), "note", spaced), part)
    certificate = Certificate.read(folder)
    sealed = certificate.sealed(certificate.files | {"table/part-00000.parquet": file_record(part)})
    (folder / "certificate.json").write_bytes(sealed.to_bytes())
    found = discreet.verify(folder, engine="duckdb")
    assert not found.holds
    assert "'note' does not write" in found.problems[0]


def test_a_release_in_one_file_says_that_no_engine_counts_it(tmp_path):
    Mondrian(k=3).release(TABLE, ROLES).save(tmp_path / "out")
    found = discreet.verify(tmp_path / "out/release", engine="duckdb")
    assert not found.holds
    assert "leave out the engine" in found.problems[0]


def test_an_engine_and_its_options_are_checked_before_any_work(tmp_path):
    with pytest.raises(DataError, match="There is no engine 'duck'"):
        discreet.verify(tmp_path, engine="duck")
    with pytest.raises(DataError, match="does not take '--master'"):
        discreet.verify(tmp_path, engine="duckdb", engine_options={"master": "spark://x"})
