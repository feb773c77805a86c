# SPDX-License-Identifier: Apache-2.0
"""A quick slice of the FWELL benchmark: it runs, and what the paper prints is there."""

import subprocess
import sys
from pathlib import Path

from benchmarks.fwell import picture
from benchmarks.reproduction.published import read

ROOT = Path(__file__).resolve().parents[2]


def test_the_quick_run_prints_its_table():
    command = [sys.executable, "-m", "benchmarks.fwell", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split("|") for line in done.stdout.splitlines() if line.startswith("| ")]
    knn = {row[1].strip(): [float(cell.split()[0]) for cell in row[2:4]] for row in rows[2:]}
    assert knn["Fwell"][0] > 0.9
    assert knn["ranks"][0] > 0.9  # epsilon 1: both features are found
    assert knn["ranks"][1] < 0.7  # epsilon 0.01: nothing can be
    assert knn["as-published (not private)"][1] < 0.7


def test_what_the_paper_prints_is_there():
    published = read("fwell")
    assert len(published.of("Table I")) == 6
    assert len(published.statements) == 5


def test_the_picture_has_a_panel_and_lines_for_each_table():
    text = (ROOT / "benchmarks" / "fwell" / "README.md").read_text(encoding="utf-8")
    found = picture.tables(text)
    assert {"wdbc", "sonar", "soybean", "waveform", "basehock"} <= set(found)
    for name, (epsilons, panel) in found.items():
        assert epsilons == [10, 1, 0.1, 0.01, 1e-8], name
        assert {"Fwell", "reference", "blocks", "class statistics", "ranks"} <= set(panel), name
    drawn = (ROOT / "benchmarks" / "fwell" / "accuracy.svg").read_text(encoding="utf-8")
    assert drawn == picture.picture(found)
    assert drawn.count("<polyline") == len(found) * len(picture.LINES)
