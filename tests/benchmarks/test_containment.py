# SPDX-License-Identifier: Apache-2.0
"""A quick slice of the containment benchmark: it runs."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_quick_run_prints_its_table():
    command = [sys.executable, "-m", "benchmarks.containment", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("| ")]
    found = {row[1].strip(): row for row in rows}
    full = float(found["all features"][4].split()[0])
    for column in (4, 5):
        assert float(found["Optimal, auc"][column].split()[0]) > full - 0.02


def test_the_quick_run_of_the_sizes_prints_its_tables():
    command = [sys.executable, "-m", "benchmarks.containment.sizes", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    tables = [table.splitlines() for table in done.stdout.strip().split("\n\n")]
    assert [len(table) - 2 for table in tables] == [5, 1, 2, 4, 4]
    assert all(line.count("|") == table[0].count("|") for table in tables for line in table)
    kept = [int(line.split("|")[4]) for line in tables[3][2:]]  # by absences; with none the most features fit
    assert kept[0] == max(kept)


def test_figure_1_runs_on_made_up_rows():
    command = [sys.executable, "-m", "benchmarks.containment.figure1", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("| ") and "AUC" in line]
    assert len(rows) == 4 * 3
    assert all(0 <= float(cell.split()[0]) <= 1 for row in rows for cell in row[2:6])
