# SPDX-License-Identifier: Apache-2.0
"""What reconstruct.py finds is what the findings say."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from discreet import DataError, DeltaSketch, GreedySelector
from discreet import attack as attack_release
from discreet.cli import app
from discreet.reconstruct import TRIED, attack


def test_the_findings_say_what_the_attacks_found():
    X = (np.random.default_rng(3).random((60, 25)) < 0.3).astype(int)
    release = DeltaSketch(0.2, random_state=2).release(X)
    found = attack(release.records, release.sketches, release.signs)
    records, items, *signs = attack_release(release)
    assert records.success.value == found.with_key.exact / found.with_key.tried
    assert (records.targets, records.baseline) == (TRIED, 0.0)
    assert items.success.value == pytest.approx(found.with_key.items)
    assert items.baseline == found.with_key.baseline
    assert items.targets == int(release.records.matrix[:TRIED].sum())
    assert [s.success.value for s in signs] == pytest.approx([known.signs for known in found.with_records])
    assert all(s.baseline == 0.5 and s.bound is None and not s.breaks_promise for s in signs)
    assert signs[-1].success.value == 1.0  # as many known records as there are, and more than items
    numbers = [known.known for known in found.with_records]
    assert [s.attack for s in signs] == [f"sketches, {n} known records, signs" for n in numbers]


def test_a_saved_release_is_attacked_with_the_owners_folder(tmp_path):
    X = (np.random.default_rng(3).random((60, 25)) < 0.3).astype(int)
    release = DeltaSketch(0.2, random_state=2).release(X)
    release.save(tmp_path / "out")
    published, owner = tmp_path / "out" / "release", tmp_path / "out" / "owner"
    assert attack_release(published, owner=owner) == attack_release(release)
    done = CliRunner().invoke(app, ["attack", str(published), "--owner", str(owner), "--json"])
    assert done.exit_code == 0, done.output
    assert [found["units"] for found in json.loads(done.stdout)["findings"]][:3] == ["records", "items", "signs"]


def test_without_the_records_there_is_nothing_to_try(tmp_path):
    X = (np.random.default_rng(3).random((60, 8)) < 0.3).astype(int)
    DeltaSketch(0.2, random_state=2).release(X).save(tmp_path / "out")
    with pytest.raises(DataError, match="it needs 'records'"):
        attack_release(tmp_path / "out" / "release", attacks=["sketches"])
    with pytest.raises(DataError, match="it is about sketches"):
        attack_release(GreedySelector(3).release(X, np.arange(60) % 2), attacks=["sketches"])
