# SPDX-License-Identifier: Apache-2.0
"""The studies of the sketch paper: measured as it says, on small records whose answers are known."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.sketches import curves, protocol, readings, tables

from discreet.data.records import Records
from discreet.sketching.component_limits import UNLIMITED

ROOT = Path(__file__).resolve().parents[2]


def blocks(n: int = 90) -> Records:
    """Two classes with words of their own."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = (rng.random((n, 60)) < np.where((np.arange(60) < 30) == (y[:, None] == 0), 0.5, 0.02)).astype(int)
    X[:, 0] = X[:, 59] = 1
    return Records.of(X, y)


def test_splits_are_two_to_one_and_apart():
    train, test = protocol.split(90, 3)
    assert (len(train), len(test)) == (60, 30)
    assert sorted([*train, *test]) == list(range(90))


def test_the_quality_is_the_mean_cosine_to_the_mean_of_the_cluster():
    data, labels = blocks(12), np.array([0, 1, 2] * 4)
    X = data.matrix.toarray()
    cosines = []
    for i, row in enumerate(X):
        centre = X[labels == labels[i]].mean(axis=0)
        cosines.append(row @ centre / np.sqrt((row @ row) * (centre @ centre)))
    assert np.isclose(protocol.cosine_to_centres(data, labels), np.mean(cosines))


def test_suppressed_records_join_clusters_in_proportion_to_their_sizes():
    labels = np.array([0] * 300 + [1] * 100 + [-1] * 4000)
    found = protocol.placed(labels, np.random.default_rng(0))
    assert np.array_equal(found[:400], labels[:400])
    assert np.allclose(np.bincount(found[400:]) / 4000, [0.75, 0.25], atol=0.03)


def test_suppressed_test_records_are_labelled_by_the_shares_of_the_classes():
    """With a delta that no record keeps after training, accuracy is chance; with many components it is not."""
    data = blocks(600)
    good = protocol.sketched_accuracy(data, protocol.counting("delta", 0.1, "paper"), 0)
    assert min(good.neighbours, good.linear) > 0.9
    assert good.suppressed == 0
    most = float(np.sort(data.spread)[-30])  # few records have as much to be blurred
    few = protocol.sketched_accuracy(data, protocol.counting("delta", most, "paper"), 0)
    assert few.suppressed > 0.8
    assert 0.4 < few.neighbours < 0.65


@pytest.mark.parametrize(("promise", "level"), [("delta", 0.5), ("k", 3)])
def test_both_settings_keep_their_promises(promise, level):
    data = blocks()
    for setting in protocol.SETTINGS:
        counting = protocol.counting(promise, level, setting, most=7)
        by = protocol.method(promise, level, setting)
        assert counting(data).tolist() == by.components(data).tolist()
        assert counting(data).max() <= protocol.CAP
        assert protocol.sketched_quality(data, counting, 0) > 0


def test_a_sample_of_the_test_records_is_asked():
    _, test = protocol.sides(blocks(600), 0)
    assert protocol.sample(test, None, 0).tolist() == list(range(200))
    chosen = protocol.sample(test, 50, 0)
    assert len(set(chosen.tolist())) == 50
    assert protocol.sketched_accuracy(blocks(600), protocol.counting("delta", 0.1, "paper"), 0, 50).neighbours > 0.9


def test_readings_of_definition_3_are_the_formulas_they_name():
    """8 and 8 ones, 5 common: 79 over 9 exactly, 39 over 9 by the printed variance, 39 over 3 with the printed root."""
    x, y = np.zeros((2, 16), int)
    x[:8], y[3:11] = 1, 1
    data = Records.of([x, y, x])
    limits = {name: of(data, np.array([0, 0]), np.array([1, 2])).tolist() for name, of in readings.READINGS.items()}
    assert limits == {
        "promise": [8, UNLIMITED],
        "printed variance": [4, UNLIMITED],
        "as printed": [13, UNLIMITED],
    }


def test_the_printed_root_depends_on_the_unit_of_counts():
    rng = np.random.default_rng(1)
    X = rng.poisson(1.0, (20, 12)) + 1
    rows, others = np.arange(10), np.arange(10, 20)
    for name, grows in (("promise", False), ("printed variance", False), ("as printed", True)):
        of = readings.READINGS[name]
        once, tenfold = (of(Records.of(times * X), rows, others) for times in (1, 10))
        assert (tenfold > 50 * once).all() == grows
        assert (tenfold == once).all() != grows


def test_statements_of_the_paper_name_their_place():
    for row in protocol.published()["statements"]:
        assert row["where"].startswith("Section 4.")
        assert row["says"]


def test_the_benchmark_runs_without_a_folder_of_data_and_its_results_are_drawn(monkeypatch, tmp_path, capsys):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    results = tmp_path / "measured.jsonl"
    more = ["--quick", "--rows", "300", "--studies", "clusters", "classes", "--test", "60", "--results", str(results)]
    command = [sys.executable, "-m", "benchmarks.sketches", *more, "--delta", "0.4", "1", "--k", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert "## 10-means, c20_i4" in done.stdout
    assert "Left out, since DISCREET_DATA is not set: text_fbis, basehock." in done.stdout
    cells = curves.read(results)
    assert len(cells) == 12
    tables.show(cells)
    assert "\n12 of 12 lines were measured with the code as it is" in capsys.readouterr().out
    assert curves.write(cells, tmp_path / "page.html") == 4
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(f'<h2 id="s{i}">' in page for i in (1, 2, 3, 4))
    specs = json.loads(re.search(r'id="specs">(.*?)</script>', page)[1])
    drawn = [(point["x"], round(point["y"], 9)) for spec in specs for point in spec["data"]["values"]]
    asked = {"classes": ("neighbours", "linear"), "clusters": ("cosine",)}
    wanted = [(cell["level"], round(cell[name], 9)) for cell in cells for name in asked[cell["study"]]]
    assert sorted(drawn) == sorted(wanted)


def test_what_was_measured_is_shown_and_drawn(capsys, tmp_path):
    """The file beside the benchmark: every study is in a table, and every table's study in a picture."""
    found = curves.read(curves.MEASURED)
    tables.show(found)
    shown = capsys.readouterr().out
    assert shown.count("\n### Accuracy") == len(
        {(c["set"], c["rows"], c["votes"]) for c in found if c["study"] == "classes"}
    )
    cells = [c for c in found if c["study"] in ("classes", "clusters")]
    assert sum(line.startswith(("| delta", "| k")) for line in shown.splitlines()) == len(cells)
    assert f"of {len(found)} lines were measured with the code as it is" in shown
    assert curves.write(found, tmp_path / "page.html") > 20


def test_of_a_cell_that_was_measured_twice_the_later_one_counts(tmp_path):
    cell = {"study": "neighbours", "size": 5, "exact": 1.0, "index": 2.0, "found": 0.9}
    path = tmp_path / "measured.jsonl"
    path.write_text("".join(json.dumps(c) + "\n" for c in (cell, cell | {"exact": 3.0}, cell | {"size": 6})))
    assert [(c["size"], c["exact"]) for c in curves.read(path)] == [(5, 3.0), (6, 1.0)]
