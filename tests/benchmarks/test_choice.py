# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the choice runs and finds what its README says."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def printed():
    command = [sys.executable, "-m", "benchmarks.choice"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_all_figures_of_tables_4_to_6_agree(printed):
    assert "Table 4: 14 of 14 categories agree. Table 5: 42 of 42 ranks agree." in printed
    assert "Table 6: 42 of 42 values agree." in printed


def test_the_readme_holds_the_tables_that_are_printed(printed):
    readme = (ROOT / "benchmarks" / "choice" / "README.md").read_text(encoding="utf-8")
    rows = [line for line in printed.splitlines() if line.startswith("| ")]
    assert len(rows) == 5 + 10
    assert all(row in readme for row in rows)


def test_two_rows_of_table_7_are_solved_by_their_exchange_alone(printed):
    rows = [line.split("|") for line in printed.splitlines() if line.startswith("| 11 attributes")]
    found = {row[3].strip(): row[4].strip() for row in rows[:2]}
    assert found == {"as printed": "none", "exchanged": "(1, 20, 6)"}
