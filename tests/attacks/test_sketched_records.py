# SPDX-License-Identifier: Apache-2.0
"""What reconstruction.py finds is what the findings say."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from discreet import DataError, DeltaSketch, GreedySelector
from discreet import attack as attack_release
from discreet.attacks.sketched_records import named
from discreet.cli.app import app
from discreet.data.records import Records
from discreet.sketching.reconstruction import TRIED, attack
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import sketch


def test_the_findings_say_what_the_attacks_found():
    X = (np.random.default_rng(3).random((60, 25)) < 0.3).astype(int)
    release = DeltaSketch(0.2, random_state=2).release(X)
    found = attack(release.owner.records, release.sketches, release.owner.signs)
    records, items, *signs, whose = attack_release(release)
    assert records.success.value == found.with_key.exact / found.with_key.tried
    assert (records.targets, records.baseline) == (TRIED, 0.0)
    assert items.success.value == pytest.approx(found.with_key.items)
    assert items.baseline == found.with_key.baseline
    assert items.targets == int(release.owner.records.matrix[:TRIED].sum())
    assert [s.success.value for s in signs] == pytest.approx([known.signs for known in found.with_records])
    assert all(s.baseline == 0.5 and s.bound is None and not s.breaks_promise for s in signs)
    assert signs[-1].success.value == 1.0  # as many known records as there are, and more than items
    numbers = [known.known for known in found.with_records]
    assert [s.attack for s in signs] == [f"sketches, {n} known records, signs" for n in numbers]
    assert whose.attack == "sketches, known key and 8 items"
    assert (whose.targets, whose.units, whose.bound) == (len(release.sketches), "persons", None)
    assert whose.baseline == 1 / len(release.sketches)
    assert whose.success.value == named(release.owner.records, release.sketches, release.owner.signs).mean()
    assert whose.success.value > 5 * whose.baseline


def likelihood(part, components, signs, empty=1e-300):
    """Of one sketch, in plain Python: is it of a record that has this part, {item: value}, or of another?"""
    m = len(components)
    theirs = [sum(value * int(signs.of([item], m)[0, j]) for item, value in part.items()) for j in range(m)]
    energy = sum(value**2 for value in part.values())
    least = energy / len(part)
    length = sum(float(s) ** 2 for s in components) / m if m else 0.0
    found = 0.0
    for s, t in zip(components, theirs, strict=True):
        with_it, without = max(length - energy, least), max(length, least)
        density_with = math.exp(-((s - t) ** 2) / (2 * with_it)) / math.sqrt(2 * math.pi * with_it)
        density_without = math.exp(-(s**2) / (2 * without)) / math.sqrt(2 * math.pi * without)
        found += math.log(max(density_with, empty)) - math.log(max(density_without, empty))
    return found


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=25)
def test_sketches_are_named_by_the_ratio_of_likelihoods(seed, counts):
    """The same chances as by plain densities; all items are known, so that which they are is no matter of chance."""
    rng = np.random.default_rng(seed)
    X = (rng.random((7, 6)) < 0.5).astype(int) * (rng.integers(1, 4, (7, 6)) if counts else 1)
    X[:, 0] = np.maximum(X[:, 0], 1)  # nobody has nothing
    records, signs = Records.of(X), Signs(rng.bytes(32), 6)
    sketches = sketch(records, signs, rng.integers(0, 9, 7))
    chances = []
    for i in range(7):
        part = {item: int(X[i, item]) for item in np.flatnonzero(X[i])}
        ratios = [likelihood(part, sketches.row(other), signs) for other in range(7)]
        best = [other for other in range(7) if ratios[other] >= max(ratios) - 1e-7]
        chances.append((i in best) / len(best))
    assert named(records, sketches, signs, known=6).tolist() == pytest.approx(chances)


def test_the_more_is_known_and_published_the_more_sketches_are_named():
    X = (np.random.default_rng(4).random((200, 60)) < 0.3).astype(int)
    records, signs = Records.of(X), Signs(bytes(32), 60)

    def share(components, known):
        return named(records, sketch(records, signs, components), signs, known=known).mean()

    assert share(2, 4) < 0.1 < share(40, 8) < share(40, 60)
    assert share(40, 60) == 1.0
    assert share(0, 8) == pytest.approx(1 / 200)  # nothing is published of anybody
    some = named(records, sketch(records, signs, 40), signs, targets=20, random_state=1)
    assert len(some) == 20


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
    with pytest.raises(DataError, match="it needs the owner's folder, which holds the records"):
        attack_release(tmp_path / "out" / "release", attacks=["sketches"])
    with pytest.raises(DataError, match="it applies to sketches"):
        attack_release(GreedySelector(3).release(X, np.arange(60) % 2), attacks=["sketches"])
