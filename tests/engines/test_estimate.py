# SPDX-License-Identifier: Apache-2.0
"""Estimates before work: samples from all over the files, sorted or not, Parquet or CSV."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from discreet.engines import estimate as estimating
from discreet.engines.estimate import estimate, outgrow_memory
from discreet.engines.table_sample import sample_of
from discreet.errors import DataError

N = 300_000


def rows():
    """Skewed: some 20,000 distinct rows."""
    random = np.random.default_rng(2)
    return pa.table(
        {
            "a": (random.random(N) ** 3 * 50).astype(np.int64),
            "b": pa.array(np.array([f"town {place}" for place in range(40)])[(random.random(N) ** 4 * 40).astype(int)]),
            "c": (random.random(N) ** 2 * 30).astype(np.int64),
            "y": random.choice(["no", "yes"], N),
        }
    )


def parts(folder, table, n_parts=6, row_group=2000):
    folder.mkdir()
    size, files = len(table) // n_parts, []
    for part in range(n_parts):
        files.append(folder / f"{part}.parquet")
        pq.write_table(table.slice(part * size, size), files[-1], row_group_size=row_group)
    return files


@pytest.mark.parametrize("order", [[], ["y"], ["b"], ["a", "b", "c"]])
def test_distinct_rows_of_parquet_files_sorted_or_not(tmp_path, order):
    """The first rows of sorted files would tell very little: there are 150 row groups, of which 64 are read."""
    table = rows()
    true = len(table.select(["a", "b", "c"]).group_by(["a", "b", "c"]).aggregate([]))
    sorted_table = table.sort_by([(name, "ascending") for name in order]) if order else table
    found = sample_of(parts(tmp_path / "in", sorted_table), ["a", "b", "c"])
    assert found.n_rows == N
    assert found.n_places == 150
    assert 0.6 * true <= found.distinct().likely <= 1.6 * true


def test_rows_of_csv_files(tmp_path):
    files = []
    for part in range(3):
        files.append(tmp_path / f"{part}.csv")
        pacsv.write_csv(rows().slice(part * 100_000, 100_000), files[-1])
    found = sample_of(files, ["a", "b"])
    assert not found.is_exact
    assert 0.8 * N <= found.n_rows <= 1.25 * N


def test_a_file_that_is_cut_short_is_named_and_nothing_of_it(tmp_path):
    (file,) = parts(tmp_path / "in", rows().slice(0, 5000), n_parts=1)
    content = bytearray(file.read_bytes())
    content[4:3000] = bytes(2996)
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"'0\.parquet' cannot be read") as refused:
        sample_of([file], ["a", "b"])
    assert "town" not in str(refused.value)
    assert refused.value.__context__ is None


def test_what_does_not_fit_is_refused_with_what_to_do(tmp_path, monkeypatch):
    sample = sample_of(parts(tmp_path / "in", rows()), ["a", "b", "c", "y"])
    fits = estimate(sample, n_quasi=3, place=tmp_path)
    fits.refuse()
    assert fits.memory <= fits.available
    monkeypatch.setattr(estimating, "free_memory", lambda: 100 << 20)
    with pytest.raises(DataError, match="Take fewer quasi-identifiers"):
        estimate(sample, n_quasi=3, place=tmp_path).refuse()


def test_an_estimate_for_a_cluster_says_what_its_workers_need(tmp_path):
    sample = sample_of(parts(tmp_path / "in", rows()), ["a", "b", "c", "y"])
    here, there = (estimate(sample, n_quasi=3, place=tmp_path, engine=one) for one in ("duckdb", "spark"))
    assert there.seconds > here.seconds
    assert [line.split()[0] for line in there.lines] == ["rows", "distinct", "memory", "workers", "disk", "time"]
    assert "workers   about 1.0 GB of memory for each core" in there.lines
    assert here.workers == 0


def test_nearly_all_distinct_are_decided_on_in_parts():
    assert not outgrow_memory(1_000_000, 1_000_000)
    assert outgrow_memory(10_000_000, 9_000_000)
    assert not outgrow_memory(10_000_000, 2_000_000)
    assert outgrow_memory(10**9, 10**8)
