# SPDX-License-Identifier: Apache-2.0
"""Jobs that go on: what was counted and published is taken from the folder of the job, if it still fits."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import instances
from discreet import KActus2, Mondrian, Roles
from discreet.counting.tally import is_engine
from discreet.engines import DuckDB
from discreet.engines.resumable import identity_of_files, purpose_of, resumable
from discreet.errors import DataError

ROLES = Roles(target="y", quasi=["age", "job"], sensitive=["ill"], other=["pay"])


@pytest.fixture
def source(tmp_path):
    random = np.random.default_rng(5)
    n = 3000
    table = pa.table(
        {
            "age": random.integers(20, 60, n),
            "job": pa.array(random.choice(["nurse", "clerk", "smith", None], n), pa.string()),
            "ill": random.choice(["flu", "gout"], n),
            "pay": random.integers(0, 900, n) / 2,
            "y": random.choice(["no", "yes"], n),
            "who": random.integers(0, 2000, n),
        }
    )
    (tmp_path / "source").mkdir()
    pq.write_table(table, tmp_path / "source" / "people.parquet")
    return tmp_path / "source" / "people.parquet"


class Watched:
    """An engine that notes which verbs were called."""

    def __init__(self, engine):
        self.engine, self.called = engine, []

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def __len__(self):
        return len(self.engine)

    def tally(self, columns, **options):
        self.called.append("tally")
        return self.engine.tally(columns, **options)

    def publish(self, *arguments):
        self.called.append("publish")
        return self.engine.publish(*arguments)


def job(tmp_path):
    folder = tmp_path / "job"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def test_it_is_an_engine(source, tmp_path):
    engine = resumable(DuckDB(source), job(tmp_path))
    assert is_engine(engine)
    assert len(engine) == 3000
    assert "age" in engine
    assert engine.names == ("age", "job", "ill", "pay", "y", "who")
    assert engine.values("ill").values.to_pylist() == ["flu", "gout"]


@pytest.mark.parametrize("options", [{}, {"target": "y"}, {"person": "who"}, {"target": "y", "person": "who"}])
def test_a_tally_is_counted_once(source, tmp_path, options):
    first = Watched(DuckDB(source))
    true = first.engine.tally(["job", "age"], **options)
    for engine in (first, Watched(DuckDB(source))):
        found = resumable(engine, job(tmp_path)).tally(["job", "age"], **options)
        for name in ("codes", "counts", "sizes"):
            assert np.array_equal(getattr(found, name), getattr(true, name))
        assert [values.equals(other) for values, other in zip(found.values, true.values, strict=True)] == [True, True]
    assert first.called == ["tally"]
    assert engine.called == []


def test_other_columns_are_counted_anew(source, tmp_path):
    for columns in (["job", "age"], ["age", "job"], ["job"]):
        engine = Watched(DuckDB(source))
        resumable(engine, job(tmp_path)).tally(columns)
        assert engine.called == ["tally"]


def test_a_tally_that_was_cut_short_is_counted_anew(source, tmp_path):
    resumable(DuckDB(source), job(tmp_path)).tally(["job"])
    (codes,) = job(tmp_path).glob("tally-*/codes.npy")
    codes.write_bytes(codes.read_bytes()[:40])
    engine = Watched(DuckDB(source))
    assert resumable(engine, job(tmp_path)).tally(["job"]).sizes.sum() == 3000
    assert engine.called == ["tally"]


@pytest.mark.parametrize("roles", [ROLES, Roles(target="y", quasi=["age", "job"], other=["pay"], person="who")])
def test_published_parts_are_taken(source, tmp_path, roles):
    first, second = Watched(DuckDB(source)), Watched(DuckDB(source))
    for number, engine in enumerate((first, second)):
        released = Mondrian(k=5).release(resumable(engine, job(tmp_path)), roles)
        released.save(tmp_path / f"out-{number}")
    assert "publish" in first.called
    assert second.called == []
    one, other = (tmp_path / f"out-{number}" / "release" / "table" / "part-00000.parquet" for number in range(2))
    assert one.read_bytes() == other.read_bytes()


def test_rows_that_move_are_published_once(tmp_path):
    table = pa.Table.from_pandas(instances.people(300, 0).reset_index(drop=True), preserve_index=False)
    method = KActus2(15, swap=0.9, min_objects=1, confidence=0.5, random_state=1)
    parts = []
    for _ in range(2):
        release = method.release(resumable(DuckDB(table), job(tmp_path)), instances.ROLES)
        assert release.changes.swapped_cells == 18
        assert release.verdict.holds
        parts.append([file.read_bytes() for file in release.content.files])
    assert parts[0] == parts[1]  # in the same order, which would be another one if they were published again


def test_parts_of_another_decision_are_not_taken(source, tmp_path):
    Mondrian(k=5).release(resumable(DuckDB(source), job(tmp_path)), ROLES)
    engine = Watched(DuckDB(source))
    released = Mondrian(k=50).release(resumable(engine, job(tmp_path)), ROLES)
    assert engine.called == ["publish"]
    assert released.verdict.holds


def test_half_of_the_parts_are_not_taken(source, tmp_path):
    class Full(Watched):
        def publish(self, columns, apply, secret, sink):
            super().publish(columns, apply, secret, sink)
            raise DataError("full")

    with pytest.raises(DataError, match="full"):
        Mondrian(k=5).release(resumable(Full(DuckDB(source)), job(tmp_path)), ROLES)
    assert not list(job(tmp_path).rglob("part-*"))
    engine = Watched(DuckDB(source))
    assert Mondrian(k=5).release(resumable(engine, job(tmp_path)), ROLES).verdict.holds
    assert engine.called[0] == "publish"  # the tally on which it was decided was kept


def test_a_purpose_changes_with_the_files(source):
    before = purpose_of(identity_of_files([source]), k=5)
    assert before == purpose_of(identity_of_files([source]), k=5) != purpose_of(identity_of_files([source]), k=6)
    content = source.read_bytes()
    source.write_bytes(content[:-9] + b"x" + content[-8:])
    assert purpose_of(identity_of_files([source]), k=5) != before
