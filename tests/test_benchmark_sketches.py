# SPDX-License-Identifier: Apache-2.0
"""The studies of the sketch paper: measured as it says, on small records whose answers are known."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.sketches import protocol

from discreet.data.records import Records

ROOT = Path(__file__).resolve().parent.parent


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
    good = protocol.sketched_accuracy(data, protocol.method("delta", 0.1, "paper"), 0)
    assert min(good.neighbours, good.linear) > 0.9
    assert good.suppressed == 0
    most = float(np.sort(data.spread)[-30])  # few records have as much to be blurred
    few = protocol.sketched_accuracy(data, protocol.method("delta", most, "paper"), 0)
    assert few.suppressed > 0.8
    assert 0.4 < few.neighbours < 0.65


@pytest.mark.parametrize(("promise", "level"), [("delta", 0.5), ("k", 3)])
def test_both_settings_keep_their_promises(promise, level):
    data = blocks()
    for setting in protocol.SETTINGS:
        by = protocol.method(promise, level, setting)
        counts = by.components(data)
        assert counts.max() <= protocol.CAP
        assert protocol.sketched_quality(data, by, 0) > 0


def test_statements_of_the_paper_name_their_place():
    for row in protocol.published()["statements"]:
        assert row["where"].startswith("Section 4.")
        assert row["says"]


def test_the_benchmark_runs_without_a_folder_of_data(monkeypatch):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    command = [sys.executable, "-m", "benchmarks.sketches", "--quick", "--rows", "300", "--studies", "clusters"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert "## 10-means, c20_i4" in done.stdout
    assert "Left out, since DISCREET_DATA is not set: text_fbis, basehock." in done.stdout
