# SPDX-License-Identifier: Apache-2.0
"""The laws of methods that release sketches. Files are read here without the library's readers."""

import json
import math
import stat
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from checks import published_bytes
from discreet import Baskets, CannotRelease, DataError, DeltaAnonymity, KVariance, PromiseBroken, RolesError, verify
from discreet.errors import DiscreetError
from discreet.release.certificate import Certificate, file_record
from discreet.sketching.component_limits import quarters
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches, sketch
from instances import ROLES, baskets, people


def published(folder) -> list[dict]:
    assert {path.name for path in folder.iterdir()} == {"data.parquet", "certificate.json"}
    return pq.read_table(folder / "data.parquet").to_pylist()


def owned(folder) -> tuple[list[dict], Signs]:
    """The records, as items with their counts, and the signs."""
    said = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    rows = pq.read_table(folder / "evidence.parquet").to_pylist()
    records = [dict(zip(row["items"], row["counts"], strict=True)) for row in rows]
    return records, Signs(bytes.fromhex(said["key"]), len(said["items"]))


def promise_by_the_book(promise, records: list[dict], counts: list[int]) -> bool:
    """The definitions, pair by pair and cell by cell."""
    if isinstance(promise, DeltaAnonymity):
        delta = Fraction(str(promise.delta))
        return all(
            sum(x * x for x in record.values()) - max(x * x for x in record.values()) >= m * delta
            for record, m in zip(records, counts, strict=True)
        )
    assert isinstance(promise, KVariance)
    vectors = np.array([[record.get(i, 0) for i in range(20)] for record in records], dtype=float)
    lengths = np.sqrt((vectors**2).sum(axis=1))
    cosine = vectors @ vectors.T / lengths / lengths[:, None]
    np.fill_diagonal(cosine, -1)
    for q in range(len(records)):
        nearest = np.sort(cosine[q])[::-1][promise.k - 1]
        for other in np.flatnonzero(cosine[q] > nearest + 1e-12):  # of those as near as the k-th any may be meant
            x, y = vectors[q], vectors[other]
            variance = (x @ x) * (y @ y) + (x @ y) ** 2 - 2 * (x**2) @ (y**2)
            gap = math.sqrt((x @ x) * (y @ y)) - x @ y
            if math.sqrt(variance / min(counts[q], counts[other])) < gap - 1e-9:
                return False
    return True


def sketches_keep_their_promise_on_the_saved_files(instance, tmp_path):
    for k in (2, 5, 20):
        method = instance.make(k)
        release = method.release(*baskets())
        folder = release.save(tmp_path / f"k{k}")
        rows, (records, signs) = published(folder / "release"), owned(folder / "owner")
        counts = [len(row["sketch"]) for row in rows]
        parts = getattr(method.promise, "promises", (method.promise,))
        assert all(promise_by_the_book(part, records, counts) for part in parts)
        for row, record in zip(rows, records, strict=True):
            each = signs.of(list(record), len(row["sketch"])).astype(int)
            assert row["sketch"] == (np.array(list(record.values())) @ each).tolist()
        assert len(rows) == len(baskets()[0]) - release.changes.rows_dropped
        assert verify(folder / "release").holds
        again = verify(folder / "release", owner=folder / "owner")
        assert again.holds, again.problems
        assert again.verdict == release.verdict
        assert release.certificate.verdict.kind == "owner"


def sketches_are_all_that_leaves(instance, tmp_path):
    X, y = baskets()
    named = Baskets.of(X, y, names=[f"item-8842-{j}" for j in range(X.shape[1])])
    release = instance.make(5, seed=77315533204961).release(named)
    folder = release.save(tmp_path / "out")
    content = published_bytes(folder / "release")
    for secret in (b"item-8842", b"77315533204961", release.owner.signs.key, release.owner.signs.key.hex().encode()):
        assert secret not in content
    assert all(set(row) == {"label", "sketch"} for row in published(folder / "release"))
    for path in (folder / "owner").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert release.owner.signs.key.hex() not in repr(release)
    assert release.owner.signs.key.hex() not in (folder / "owner" / "trace.json").read_text()


def sketches_have_public_numbers_of_components(instance, tmp_path):
    release = instance.make(5).release(*baskets())
    assert set(release.data.counts.tolist()) <= set(quarters(256))
    assert 0 not in release.data.counts


def sketches_of_one_seed_are_the_same_and_of_none_are_not(instance, tmp_path):
    folders = [
        instance.make(5, seed=seed).release(*baskets()).save(tmp_path / str(place)) / "release"
        for place, seed in enumerate([3, 3, 4, None, None])
    ]
    one, again, other, fresh, fresher = map(published_bytes, folders)
    assert one == again
    assert len({one, other, fresh, fresher}) == 4


def sketches_tell_nothing_by_their_order(instance, tmp_path):
    X, y = baskets()
    X[10:30] = X[40:60]  # equal records, some with other labels
    order = np.random.default_rng(1).permutation(len(X))
    one = instance.make(5, seed=3).release(X, y).save(tmp_path / "one")
    other = instance.make(5, seed=3).release(X[order], y[order]).save(tmp_path / "other")
    assert published_bytes(one / "release") == published_bytes(other / "release")


def sketches_are_the_same_for_every_kind_of_matrix(instance, tmp_path):
    X, y = baskets()
    before = X.copy()
    contents = set()
    for place, data in enumerate((X, sp.csr_array(X), sp.csc_matrix(X), X.astype(float), Baskets.of(X, y))):
        release = instance.make(5, seed=3).release(data, None if isinstance(data, Baskets) else y)
        contents.add(published_bytes(release.save(tmp_path / str(place)) / "release"))
    assert len(contents) == 1
    assert (before == X).all()


def sketches_need_no_labels(instance, tmp_path):
    release = instance.make(5).release(baskets()[0])
    folder = release.save(tmp_path / "out")
    assert release.columns == ("sketch",)
    assert verify(folder / "release", owner=folder / "owner").holds


def sketches_that_were_edited_do_not_verify(instance, tmp_path):
    release = instance.make(5).release(*baskets())
    made = release.sketches
    values = made.values.copy()
    values[0] += 2
    changed = Sketches(values, made.offsets, made.labels, made.classes)
    folder = release.save(tmp_path / "out")
    changed.write(folder / "release" / "data.parquet")
    assert not verify(folder / "release").holds
    resealed = Certificate.read(folder / "release").sealed(
        {"data.parquet": file_record(folder / "release/data.parquet")}
    )
    (folder / "release" / "certificate.json").write_bytes(resealed.to_bytes())
    assert verify(folder / "release").holds  # an honest owner's word is all that a recipient has
    found = verify(folder / "release", owner=folder / "owner")
    assert "not those of the owner's records" in found.problems[0]


def sketches_with_too_many_components_are_not_saved(instance, tmp_path):
    release = instance.make(5).release(*baskets())
    longer = sketch(release.owner.records, release.owner.signs, 200).labelled(
        release.sketches.labels, release.sketches.classes
    )
    wrong = replace(release, content=longer)
    with pytest.raises(PromiseBroken):
        wrong.save(tmp_path / "wrong")
    assert not (tmp_path / "wrong").exists()


def sketches_are_refused_where_the_promise_would_not_cover_a_person(instance, tmp_path):
    X, y = baskets()
    with pytest.raises(DataError, match="several rows"):
        instance.make(5).release(Baskets.of(X, y, persons=[0, 0, *range(len(X) - 2)]))
    with pytest.raises(DataError, match="not table"):
        instance.make(5).release(people(), ROLES)
    with pytest.raises(RolesError):
        instance.make(5).release(people())
    with pytest.raises(CannotRelease):
        instance.make(5).release(np.eye(8, dtype=int)[:, :4], list("abababab"))


def sketches_are_refused_without_a_word_about_cells(instance, tmp_path):
    X, y = baskets()
    for wrong in (X * -8842.5, np.where(X, 8842.0**3, 0), np.where(X, np.nan, 8842)):
        with pytest.raises(DiscreetError) as raised:
            instance.make(5).release(wrong, y)
        assert "8842" not in str(raised.value)


def sketches_come_with_the_attacks_for_the_owner(instance, tmp_path):
    release = instance.make(5).release(*baskets())
    attacks = [step for step in release.owner.trace if "attack" in step]
    assert {step["attack"] for step in attacks} == {"key is known", "records are known"}
    assert any("An attacker with the key" in note for note in release.owner.notes)
    stated = release.certificate.to_bytes().decode()
    assert not any(note in stated for note in release.owner.notes)
    assert not any(word in stated for word in ("baseline", "largest_share", "tried"))


SKETCH_LAWS = [law for name, law in sorted(globals().items()) if name.startswith("sketches_")]
