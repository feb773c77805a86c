# SPDX-License-Identifier: Apache-2.0
import tempfile
import traceback
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

import discreet
from discreet import DataError, Mondrian, PromiseBroken, Roles
from discreet.data.database_connection import Connection
from discreet.engines import Postgres
from discreet.release.certificate import Certificate
from discreet.release.table_copy import check_sink, copy_to_table
from engine_cases import BY_PERSON, ROLES, people, rows_of

pytestmark = pytest.mark.postgres
OLDER = Path(__file__).parent / "older"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A saved release with texts, numbers, dates and missing cells."""
    folder = tmp_path_factory.mktemp("saved")
    release = Mondrian(k=3, random_state=1).release(people(200), ROLES)
    release.save(folder / "out", format="parquet")
    return release, folder / "out/release"


@pytest.fixture
def free(postgres):
    postgres.run("DROP TABLE IF EXISTS published")
    return postgres.url("published")


def stored_rows(postgres, columns):
    with Postgres(postgres.url("published")) as engine:
        rows = pa.Table.from_batches(engine._batches(columns))
    return Counter(tuple(row.values()) for row in rows.to_pylist())


def is_absent(postgres):
    return postgres.run("SELECT to_regclass('published') IS NULL") == [(True,)]


def test_the_table_holds_the_published_rows_and_names_the_release(postgres, saved, free):
    release, folder = saved
    assert copy_to_table(folder, free) == 200
    assert stored_rows(postgres, release.columns) == rows_of(release.content)
    [(comment,)] = postgres.run("SELECT obj_description('published'::regclass)")
    assert Certificate.read(folder).id in comment
    assert postgres.run("SELECT DISTINCT pg_typeof(pay)::text FROM published") == [("double precision",)]


@pytest.mark.parametrize("format", ["csv", "parts"])
def test_every_format_of_a_table_can_be_copied(postgres, free, tmp_path, format):
    table = people(150)
    if format == "csv":
        release = Mondrian(k=3, random_state=1).release(table, BY_PERSON)
        release.save(tmp_path / "out")
    else:
        with Postgres(postgres.store(table, "patients")) as engine:
            release = Mondrian(k=3, random_state=1).release(engine, BY_PERSON)
        release.save(tmp_path / "out")
    assert copy_to_table(tmp_path / "out/release", free) == 150
    assert stored_rows(postgres, release.columns) == rows_of(release.content)
    assert discreet.verify(tmp_path / "out/release").holds


def test_odd_names_are_names(postgres, tmp_path):
    table = {'a"b; DROP TABLE x': ["1", "2"] * 4, "Y": [0, 1] * 4}
    Mondrian(k=2).release(table, Roles(target="Y", quasi=['a"b; DROP TABLE x'])).save(tmp_path / "out")
    postgres.run('DROP TABLE IF EXISTS "odd; ""name"')
    assert copy_to_table(tmp_path / "out/release", postgres.url('"odd; ""name"')) == 8
    assert postgres.run('SELECT count("Y") FROM "odd; ""name"') == [(8,)]


def test_a_table_that_exists_is_not_replaced(postgres, saved):
    postgres.run("DROP TABLE IF EXISTS published", "CREATE TABLE published AS SELECT 7 AS seven")
    for attempt in (lambda url: copy_to_table(saved[1], url), check_sink):
        with pytest.raises(DataError, match="a table of that name exists already"):
            attempt(postgres.url("published"))
    assert postgres.run("SELECT seven FROM published") == [(7,)]


def test_a_place_is_tried_and_left_as_it_was(postgres, free):
    check_sink(free)
    assert is_absent(postgres)
    with pytest.raises(DataError, match="no such schema"):
        check_sink(postgres.url("nowhere.published"))
    postgres.run("DROP ROLE IF EXISTS reader", "CREATE ROLE reader LOGIN PASSWORD 'TOPSECRET'")
    url = f"postgresql://reader:TOPSECRET@/people/published?host={postgres.folder}"
    with pytest.raises(DataError, match="this user may not do that") as caught:
        check_sink(url)
    assert "TOPSECRET" not in "".join(traceback.format_exception(caught.value))


def test_rows_that_a_trigger_of_the_server_changes_are_not_committed(postgres, saved, free, monkeypatch):
    ingest = Connection.ingest

    def changed(self, place, rows):
        written = ingest(self, place, rows)
        self.run("UPDATE published SET job = 'other' WHERE ctid = (SELECT min(ctid) FROM published)")
        return written

    monkeypatch.setattr(Connection, "ingest", changed)
    with pytest.raises(DataError, match="not what was written; it was not committed"):
        copy_to_table(saved[1], free)
    assert is_absent(postgres)


def test_a_row_twice_is_another_table(postgres, saved, free, monkeypatch):
    ingest = Connection.ingest

    def doubled(self, place, rows):
        written = ingest(self, place, rows)
        self.run("INSERT INTO published SELECT * FROM published LIMIT 1")
        self.run("DELETE FROM published WHERE ctid = (SELECT ctid FROM published OFFSET 5 LIMIT 1)")
        return written

    monkeypatch.setattr(Connection, "ingest", doubled)
    with pytest.raises(DataError, match="not what was written"):
        copy_to_table(saved[1], free)
    assert is_absent(postgres)


@pytest.mark.parametrize("when", ["ingest", "batches", "commit"])
def test_a_connection_lost_on_the_way_leaves_no_table(postgres, saved, free, monkeypatch, when):
    work = getattr(Connection, when)

    def lost(self, *arguments):
        postgres.terminate_others()
        return work(self, *arguments)

    monkeypatch.setattr(Connection, when, lost)
    with pytest.raises(DataError, match=r"lost|ended|could not be read back"):
        copy_to_table(saved[1], free)
    monkeypatch.undo()
    assert is_absent(postgres)


def test_a_release_that_does_not_verify_is_not_copied(postgres, saved, free, tmp_path):
    Mondrian(k=3).release(people(60), ROLES).save(tmp_path / "out")
    with open(tmp_path / "out/release/data.csv", "a") as file:
        file.write("forged\n")
    with pytest.raises(PromiseBroken, match="Nothing was copied"):
        copy_to_table(tmp_path / "out/release", free)
    assert is_absent(postgres)


def test_a_model_is_no_table(free):
    with pytest.raises(DataError, match="A release of model is no table"):
        copy_to_table(OLDER / "kadet", free)


def test_what_is_compared_is_removed(saved, free, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    copy_to_table(saved[1], free)
    assert not list(tmp_path.iterdir())
