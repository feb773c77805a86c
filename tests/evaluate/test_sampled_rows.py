# SPDX-License-Identifier: Apache-2.0
"""A sample of rows in Parquet files, which the command says."""

import pyarrow as pa
import pyarrow.parquet as pq
from typer.testing import CliRunner

from discreet import Table
from discreet.cli.app import app
from discreet.evaluate.sampled_rows import sampled_rows
from instances import people


def test_rows_come_from_all_files(tmp_path):
    files = [tmp_path / f"{number}.parquet" for number in range(3)]
    for number, file in enumerate(files):
        pq.write_table(pa.table({"x": [number] * 4000}), file, row_group_size=1500)
    sample, total = sampled_rows(files, rows=3000, random_state=1)
    assert total == 12_000
    assert 2700 < len(sample) < 3300
    counts = sample.column("x").value_counts().to_pylist()
    assert all(800 < one["counts"] < 1200 for one in counts)
    assert len(counts) == 3
    assert sampled_rows(files, rows=3000, random_state=1)[0].equals(sample)
    assert len(sampled_rows(files, rows=10**6, random_state=1)[0]) == 12_000


def test_the_command_says_that_it_measured_a_sample(tmp_path):
    cells = Table.of(people()).to_arrow()
    for number in range(2):
        pq.write_table(cells, tmp_path / f"{number}.parquet")
    command = ["evaluate", str(tmp_path), "--method", "mondrian", "--k", "3", "--target", "again", "--quasi", "age,sex"]
    command += ["--folds", "5-fold", "--classifiers", "naive-bayes", "--no-detail", "--sample", "200"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert f"of {2 * len(cells):,} rows" in done.output
    assert "Measured on a random sample" in done.output
