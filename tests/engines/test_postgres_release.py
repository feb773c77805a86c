# SPDX-License-Identifier: Apache-2.0
"""Releases of a table in PostgreSQL, beside those of the same table in memory, and what is left after a failure."""

import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet import CannotRelease, DataError, Mondrian, Roles, TreeLadder
from discreet.data.table import Table
from discreet.engines import Postgres, raw_cells
from discreet.foundation.atomic_files import scratch_folder
from engine_cases import (
    BY_PERSON,
    EACH,
    METHODS,
    ROLES,
    adult,
    assert_private,
    assert_same_release,
    method_of,
    method_of_adult,
    people,
    release_of_adult,
)

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def stored(postgres):
    table = people(400)
    return table, postgres.store(table, "patients")


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """The temporary folder of this process."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("name", METHODS)
def test_the_same_release_as_in_memory(stored, name):
    table, url = stored
    with Postgres(url) as engine:
        for roles in (ROLES, BY_PERSON):
            assert_same_release(method_of(name).release(engine, roles), method_of(name).release(table, roles))


@pytest.mark.filterwarnings("ignore::discreet.PrivacyLeakWarning")
def test_private_methods_count_as_in_memory(stored):
    table, url = stored
    with Postgres(url) as engine:
        assert_private(engine, table)


@settings(max_examples=6, deadline=None)
@given(st.integers(30, 250), st.integers(0, 10**6), st.sampled_from(sorted(METHODS)), st.booleans())
def test_random_tables(postgres, n, seed, name, by_person):
    table, roles = people(n, seed), BY_PERSON if by_person else ROLES
    with Postgres(postgres.store(table, "random_people")) as engine:
        expected, refusal = outcome(name, table, roles)
        found, refused = outcome(name, engine, roles)
    assert refused == refusal
    if not refusal:
        assert_same_release(found, expected)


def outcome(name, data, roles):
    """The release, or why there is none."""
    try:
        return method_of(name).release(data, roles), ""
    except CannotRelease as error:
        return None, str(error)


def test_types_of_postgresql_are_published_as_in_memory(postgres):
    n = 60
    table = pa.table(
        {
            "age": pa.array([f"{20 + i % 7}.{'0' * (i % 3)}" for i in range(n)]),
            "ward": pa.array(["a ", "a", "b", None][i % 4] for i in range(n)),
            "pay": pa.array([None if i % 9 == 0 else i % 5 + 0.25 for i in range(n)], pa.float32()),
            "seen": pa.array(
                [1_600_000_000_000_000 + 3_600_000_000 * (i % 5) for i in range(n)], pa.timestamp("us", "UTC")
            ),
            "y": pa.array([i % 2 == 0 for i in range(n)]),
        }
    )
    postgres.store(table, "typed_cells")
    postgres.run(
        "DROP TABLE IF EXISTS typed",
        "CREATE TABLE typed AS SELECT age::numeric AS age, ward::char(2) AS ward, pay, seen, y FROM typed_cells",
    )
    roles = Roles(target="y", quasi=["age", "ward"], other=["pay", "seen"])
    with Postgres(postgres.url("typed")) as engine:
        assert_same_release(
            Mondrian(k=4, random_state=1).release(engine, roles), Mondrian(k=4, random_state=1).release(table, roles)
        )


def test_columns_with_too_many_values_to_list_are_published(stored, monkeypatch):
    table, url = stored
    monkeypatch.setattr(raw_cells, "MOST_LISTED", 5)
    with Postgres(url) as engine:
        release = Mondrian(k=3, random_state=1).release(engine, ROLES)
    assert_same_release(release, Mondrian(k=3, random_state=1).release(table, ROLES))


@pytest.mark.data
def test_adult(postgres):
    with Postgres(postgres.store(Table.of(adult().data).to_arrow(), "adult")) as engine:
        for name in EACH:
            assert_same_release(method_of_adult(name).release(engine, adult().roles), release_of_adult(name))


def test_a_saved_release_verifies_and_holds_no_secret(stored, tmp_path):
    from postgres_server import PASSWORD

    with Postgres(stored[1]) as engine:
        Mondrian(k=3).release(engine, BY_PERSON).save(tmp_path / "out")
    assert discreet.verify(tmp_path / "out/release", owner=tmp_path / "out/owner").holds
    for file in (path for path in (tmp_path / "out").rglob("*") if path.is_file()):
        assert PASSWORD[-16:].encode() not in file.read_bytes()


def test_rows_that_others_change_during_the_release_are_not_seen(postgres, monkeypatch):
    table = people(400)
    url = postgres.store(table, "changing")
    decide = Mondrian._decide

    def while_others_write(self, *arguments):
        postgres.run("DELETE FROM changing WHERE job = 'nurse'", "UPDATE changing SET age = '99'")
        return decide(self, *arguments)

    with monkeypatch.context() as patch, Postgres(url) as engine:
        patch.setattr(Mondrian, "_decide", while_others_write)
        release = Mondrian(k=3, random_state=1).release(engine, ROLES)
    assert_same_release(release, Mondrian(k=3, random_state=1).release(table, ROLES))
    assert postgres.run("SELECT count(*) FROM changing WHERE age <> '99'") == [(0,)]


# -- faults ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(postgres):
    """A table that is streamed in several batches."""
    postgres.run(
        "DROP TABLE IF EXISTS many",
        "CREATE TABLE many AS SELECT (i % 50)::text AS age, i % 7 AS town, i % 2 AS y, md5((i % 1000)::text) AS note"
        " FROM generate_series(1, 600000) AS i",
    )
    return postgres.url("many")


MANY = Roles(target="y", quasi=["age", "town"], other=["note"])


def files_in(folder):
    """All files but the marks of folders that are removed with the error."""
    return [path for path in folder.rglob("*") if path.is_file() and path.name != "mark.json"]


def failing_release(url, out):
    with Postgres(url) as engine, pytest.raises(DataError) as caught:
        TreeLadder(k=5).release(engine, MANY).save(out)
    said = "".join(traceback.format_exception(caught.value))
    assert "PostgreSQL failed at the table 'many': the" in said
    return said


class Interrupted:
    """Does something after the first batch of rows was published."""

    def __init__(self, monkeypatch, act):
        self.batches, stream = 0, Postgres._batches

        def batches(engine, names):
            for batch in stream(engine, names):
                yield batch
                self.batches += 1
                if self.batches == 1:
                    act()

        monkeypatch.setattr(Postgres, "_batches", batches)


def test_a_connection_lost_while_rows_are_published_leaves_nothing(postgres, many, scratch, tmp_path, monkeypatch):
    interrupted = Interrupted(monkeypatch, postgres.terminate_others)
    said = failing_release(many, tmp_path / "out")
    assert interrupted.batches >= 1
    assert "PGPASS" not in said
    assert not (tmp_path / "out").exists()
    assert not files_in(scratch)


def test_a_server_killed_while_rows_are_published_leaves_nothing(postgres, many, scratch, tmp_path, monkeypatch):
    interrupted = Interrupted(monkeypatch, postgres.kill)
    try:
        failing_release(many, tmp_path / "out")
    finally:
        postgres.start()
    assert interrupted.batches >= 1
    assert not (tmp_path / "out").exists()
    assert not files_in(scratch)
    monkeypatch.undo()
    with Postgres(many) as engine:
        TreeLadder(k=5).release(engine, MANY).save(tmp_path / "out")
    assert discreet.verify(tmp_path / "out/release").holds


KILLED = """
import os, sys, tempfile
from pathlib import Path
from discreet import Roles, TreeLadder
from discreet.engines import Postgres

tempfile.tempdir = sys.argv[2]
stream = Postgres._batches

def batches(engine, names):
    for batch in stream(engine, names):
        yield batch
        if len(names) > 1:
            Path(sys.argv[3]).touch()
            __import__("time").sleep(900)

Postgres._batches = batches
with Postgres(os.environ["URL"]) as engine:
    TreeLadder(k=5).release(engine, Roles(target="y", quasi=["age", "town"], other=["note"])).save(sys.argv[1])
"""


def test_a_client_that_is_killed_leaves_no_cell_behind(many, scratch, tmp_path):
    out, ready = tmp_path / "out", tmp_path / "ready"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(out), str(scratch), str(ready)], env={**os.environ, "URL": many}
    )
    try:
        end = time.monotonic() + 600
        while not ready.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        assert ready.exists(), f"the client ended with {process.poll()}"
        assert files_in(scratch)  # buckets, in a folder that only this user can read
        assert all(path.stat().st_mode & 0o077 == 0 for path in scratch.iterdir())
    finally:
        process.kill()
        process.wait()
    assert not out.exists()
    with scratch_folder():  # the next start removes them
        pass
    assert not files_in(scratch)


def test_the_order_of_rows_is_fresh_in_every_release(stored):
    orders = []
    for _ in range(2):
        with Postgres(stored[1]) as engine:
            release = TreeLadder(k=3, random_state=1).release(engine, ROLES)
        orders.append(
            [tuple(row.values()) for block, _ in release.content.blocks() for row in block.to_arrow().to_pylist()]
        )
    assert Counter(orders[0]) == Counter(orders[1])
    assert orders[0] != orders[1]
