# SPDX-License-Identifier: Apache-2.0
"""Releases of rows that stay in an engine, beside those of the same table in memory."""

import json
import stat
import tempfile

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet import (
    BreachAwareSelector,
    CannotRelease,
    DataError,
    GreedySelector,
    KAdet,
    Mondrian,
    PromiseBroken,
    RandomFlip,
    Roles,
    RolesError,
    TopDownSpecialization,
    TreeLadder,
)
from discreet.data.storage import write_part
from discreet.data.table import Table
from discreet.engines import DuckDB, InMemory
from discreet.errors import LeftOutWarning
from discreet.release.data_subjects import DataSubjects
from discreet.samples import load
from engine_cases import (
    BY_PERSON,
    EACH,
    METHODS,
    ROLES,
    assert_same_release,
    method_of,
    method_of_adult,
    people,
    release_of_adult,
)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    table, folder = people(600), tmp_path_factory.mktemp("parts")
    pq.write_table(table.slice(0, 250), folder / "a.parquet", row_group_size=100)
    pq.write_table(table.slice(250), folder / "b.parquet")
    return table, folder


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("roles", [ROLES, BY_PERSON], ids=["rows", "persons"])
def test_the_same_release_as_in_memory(parts, name, roles):
    table, folder = parts
    expected = method_of(name).release(table, roles)
    with DuckDB(folder / "*.parquet") as engine:
        assert_same_release(method_of(name).release(engine, roles), expected)


def test_an_engine_in_memory_publishes_parts_too(parts):
    table, _ = parts
    expected = TreeLadder(k=4, random_state=2).release(table, ROLES)
    assert_same_release(TreeLadder(k=4, random_state=2).release(InMemory(Table.of(table)), ROLES), expected)


@settings(max_examples=12, deadline=None)
@given(st.integers(30, 250), st.integers(0, 10**6), st.sampled_from(sorted(METHODS)), st.booleans())
def test_random_tables(n, seed, name, by_person):
    table, roles = people(n, seed), BY_PERSON if by_person else ROLES
    expected, refusal = quietly_released(method_of(name), table, roles)
    with DuckDB(table) as engine:
        found, refused = quietly_released(method_of(name), engine, roles)
    assert refused == refusal
    if expected is not None:
        assert_same_release(found, expected)


def quietly_released(method, data, roles):
    """The release, or why there is none."""
    try:
        return method.release(data, roles), ""
    except CannotRelease as error:
        return None, str(error)


@pytest.mark.parametrize("roles", [ROLES, BY_PERSON], ids=["rows", "persons"])
def test_a_saved_release_verifies_and_names_its_parts(parts, tmp_path, roles):
    table, folder = parts
    with DuckDB(folder) as engine:
        release = Mondrian(k=3, random_state=1).release(engine, roles)
    release.save(tmp_path / "out")
    certificate = json.loads((tmp_path / "out/release/certificate.json").read_text())
    assert [name for name in certificate["files"] if name.startswith("table/")] == ["table/part-00000.parquet"]
    assert certificate["files"]["table/part-00000.parquet"]["bytes"] > 0
    assert discreet.verify(tmp_path / "out/release", owner=tmp_path / "out/owner").holds
    expected = Mondrian(k=3, random_state=1).release(table, roles)
    expected.save(tmp_path / "memory", format="parquet")
    of_table = json.loads((tmp_path / "memory/release/certificate.json").read_text())
    apart = {"files", "seal", "id", "created"}
    assert {k: v for k, v in certificate.items() if k not in apart} == {
        k: v for k, v in of_table.items() if k not in apart
    }
    assert "who" not in pq.read_schema(tmp_path / "out/release/table/part-00000.parquet").names


def test_parts_are_written_where_only_this_user_can_read_and_removed_with_the_release(parts, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with DuckDB(parts[0]) as engine:
        release = TreeLadder(k=3).release(engine, ROLES)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o700}
    assert {path.name for path in tmp_path.rglob("*.parquet")} == {"part-00000.parquet"}
    del release, engine
    assert not list(tmp_path.iterdir())


def test_parts_that_are_not_what_was_decided_are_not_saved(parts, tmp_path):
    with DuckDB(parts[1]) as engine:
        release = Mondrian(k=3, random_state=1).release(engine, ROLES)
    assert release.verdict.holds  # by what was decided
    (file,) = release.content.files
    rows = pq.read_table(file)
    cells = rows.column("age").to_pylist()
    other = next(place for place, cell in enumerate(cells) if cell != cells[0])
    places = [other, *range(1, len(cells))]  # one row is published in the place of another, of another group
    write_part(rows.take(places), file)
    with pytest.raises(PromiseBroken, match="could not be verified"):
        release.save(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def two_groups(n, m):
    return pa.table({"a": [1] * n + [90] * m, "y": ["n", "y"] * ((n + m) // 2)})


def test_rows_that_change_between_decision_and_publishing_are_refused(tmp_path):
    class Changing(DuckDB):
        def publish(self, *arguments):
            pq.write_table(two_groups(19, 1), tmp_path / "rows.parquet")
            return super().publish(*arguments)

    pq.write_table(two_groups(10, 10), tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="changed"):
        Mondrian(k=5).release(Changing(tmp_path / "rows.parquet"), Roles(target="y", quasi=["a"]))


def test_parts_are_counted_where_nobody_knows_whether_rows_change():
    connection = duckdb.connect()
    connection.register("before", two_groups(10, 10))
    connection.register("after", two_groups(19, 1))
    connection.execute("CREATE TABLE rows AS SELECT * FROM before")

    class Changing(DuckDB):
        def publish(self, *arguments):
            connection.execute("CREATE OR REPLACE TABLE rows AS SELECT * FROM after")
            return super().publish(*arguments)

    with pytest.raises(PromiseBroken):
        Mondrian(k=5).release(Changing(connection.table("rows")), Roles(target="y", quasi=["a"]))


def test_nothing_is_left_when_a_release_fails(parts, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with DuckDB(parts[0]) as engine, pytest.raises(CannotRelease):
        TreeLadder(k=40, max_suppressed={"cells": 0.0}).release(engine, ROLES)
    del engine
    assert not list(tmp_path.iterdir())


# -- what is refused -------------------------------------------------------------------------------------------------


class Untouched:
    """An engine that must not be asked for anything."""

    names = ("age", "y")

    def __len__(self):
        raise AssertionError

    def tally(self, *_, **__):
        raise AssertionError

    values = coding = publish = tally


@pytest.mark.parametrize(
    "method", [Mondrian(k=3, relaxed=True), RandomFlip(k=3), BreachAwareSelector(), GreedySelector(k=3, utility=len)]
)
def test_methods_that_need_rows_say_so_before_any_work(method):
    with pytest.raises(DataError, match="needs all of them in memory"):
        method.release(Untouched(), Roles(target="y", quasi=["age"]))


@pytest.mark.parametrize(
    "change",
    [
        {"quasi": []},
        {"target": "name", "identifiers": []},
        {"other": ["pay", "nothing"]},
        {"other": ["name"], "identifiers": []},
        {"other": ["pay", "unused"]},
    ],
)
def test_roles_are_refused_as_for_a_table(parts, change):
    roles = Roles(**{"target": "y", "quasi": ROLES.quasi, "other": ["pay"], "identifiers": ["name"], **change})
    with pytest.raises(RolesError) as expected:
        TreeLadder(k=3).release(parts[0], roles)
    with DuckDB(parts[1]) as engine, pytest.raises(RolesError) as found:
        TreeLadder(k=3).release(engine, roles)
    assert str(found.value) == str(expected.value)


def without_some_labels(table):
    labels = [None if place % 7 == 3 else label for place, label in enumerate(table.column("y").to_pylist())]
    return table.set_column(table.column_names.index("y"), "y", pa.array(labels))


def test_an_engine_refuses_rows_without_a_label_and_says_what_to_do(parts):
    table = without_some_labels(parts[0])
    with DuckDB(table) as engine, pytest.raises(RolesError, match=r"in 86 of 600 rows\. Leave these rows out of"):
        TreeLadder(k=3).release(engine, ROLES)


@pytest.mark.parametrize("name", ["Mondrian", "TreeLadder"])
@pytest.mark.parametrize("roles", [ROLES, BY_PERSON], ids=["rows", "persons"])
def test_a_source_without_these_rows_publishes_what_a_table_in_memory_does(parts, name, roles):
    table = without_some_labels(parts[0])
    method = getattr(discreet, name)(k=3, random_state=1)
    with pytest.warns(LeftOutWarning, match="86 of 600 rows have no 'y' and are left out"):
        expected = method.release(table, roles)
    with DuckDB(duckdb.from_arrow(table).filter("y IS NOT NULL")) as engine:
        assert_same_release(method.release(engine, roles), expected)


@pytest.mark.parametrize("k", [700, 5])
def test_too_few_persons_and_marks_are_refused_as_for_a_table(parts, k):
    table = parts[0]
    if k == 5:
        table = table.set_column(3, "job", pa.array(["*", *table.column("job").to_pylist()[1:]]))
    with pytest.raises((CannotRelease, DataError)) as expected:
        TopDownSpecialization(k=k).release(table, ROLES)
    with DuckDB(table) as engine, pytest.raises((CannotRelease, DataError)) as found:
        TopDownSpecialization(k=k).release(engine, ROLES)
    assert str(found.value) == str(expected.value)


def test_a_population_is_counted_as_in_memory(parts):
    table = parts[0]
    population = Table.of(table.select(ROLES.quasi))
    expected = Mondrian(k=3, population=population, random_state=1).release(table, ROLES)
    with DuckDB(table) as engine:
        assert_same_release(Mondrian(k=3, population=population, random_state=1).release(engine, ROLES), expected)


@pytest.mark.parametrize("roles", [ROLES, BY_PERSON], ids=["rows", "persons"])
def test_the_same_model_as_in_memory(parts, tmp_path, roles):
    expected = KAdet(k=5).release(parts[0], roles)
    with DuckDB(parts[1]) as engine:
        found = KAdet(k=5).release(engine, roles)
    assert found.document.data == expected.document.data
    assert found.certificate == expected.certificate
    found.save(tmp_path / "out")
    assert discreet.verify(tmp_path / "out/release", owner=tmp_path / "out/owner").holds


@pytest.mark.parametrize("roles", [ROLES, BY_PERSON], ids=["rows", "persons"])
def test_a_ledger_recognises_the_people_of_an_engine(parts, roles):
    in_memory = {one.kind: one for one in DataSubjects(parts[0], roles).likenesses(bytes(32))}
    with DuckDB(parts[1]) as engine:
        found = {one.kind: one for one in DataSubjects(engine, roles).likenesses(bytes(32))}
    assert set(found) == {"ids", "quasi"}
    for kind, likeness in found.items():
        assert np.array_equal(likeness.hashes, in_memory[kind].hashes)
        assert (likeness.units, likeness.chance) == (in_memory[kind].units, in_memory[kind].chance)


@pytest.fixture(scope="module")
def adult(tmp_path_factory):
    sample = load("adult")
    file = tmp_path_factory.mktemp("adult") / "adult.parquet"
    pq.write_table(Table.of(sample.data).to_arrow(), file)
    return sample, file


@pytest.mark.data
@pytest.mark.parametrize("name", EACH)
def test_adult(name, adult):
    sample, file = adult
    with DuckDB(file) as engine:
        assert_same_release(method_of_adult(name).release(engine, sample.roles), release_of_adult(name))
