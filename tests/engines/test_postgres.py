# SPDX-License-Identifier: Apache-2.0
import datetime
import os
import traceback

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counting.tally import tally, values_of
from discreet.data.roles import Roles
from discreet.engines import Engine, Postgres
from discreet.errors import DataError
from discreet.privacy import KAnonymity, LDiversity
from engine_cases import assert_same_tally

pytestmark = pytest.mark.postgres

PEOPLE = pa.table(
    {
        "age": [31, 45, 31, None, 45, 31, 62, 62],
        "sex": ["f", "m", "f", "m", "m", "f", None, "f"],
        "zip": ["01067", "01069", "01067", "?", "01069", "01067", "01069", "01067"],
        "ill": ["flu", "flu", "cold", "cold", "gout", "flu", "gout", "flu"],
        "y": [1, 0, 1, 1, 0, 0, 1, 0],
        "who": [1, 2, 1, 3, 4, 5, 6, None],
    }
)


@pytest.fixture
def people(postgres):
    with Postgres(postgres.store(PEOPLE, "people")) as engine:
        yield engine


# -- equal to the tally in memory --------------------------------------------------------------------------------------

texts = st.sampled_from(["1", "1.0", " 1", "01", "2", "?", "NA", "", "true", "TRUE", "2020-01-31", "a'b", 'a"b', "é "])
numerics = st.sampled_from(["1", "1.0", "1.00", "10", "9", "0", "-0.5", "NaN", "12345678901234567890"])
moments = st.datetimes(datetime.datetime(2020, 3, 29), datetime.datetime(2020, 3, 30))
CELLS = {  # what is stored, and the type of PostgreSQL that it is turned into there
    "text": (pa.string(), texts, "text"),
    "spaced": (pa.string(), st.sampled_from(["a", "a ", " a", "A", "b\n", "1 ", "?"]), "varchar(9)"),
    "padded": (pa.string(), st.sampled_from(["a", "ab", "A", "1"]), "char(3)"),
    "numeric": (pa.string(), numerics, "numeric"),
    "whole": (pa.int64(), st.integers(-3, 3), "int4"),
    "small": (pa.int16(), st.integers(0, 255), "int2"),
    "large": (pa.int64(), st.sampled_from([2**53, 2**60, -(2**60), 7]), "int8"),
    "real": (pa.float64(), st.sampled_from([0.0, -0.0, float("nan"), 0.1, 1e300, 2.0]), "float8"),
    "single": (pa.float32(), st.sampled_from([0.0, -0.0, float("nan"), 0.5, 3.0, 0.1]), "float4"),
    "truth": (pa.bool_(), st.booleans(), "boolean"),
    "day": (pa.date32(), st.dates(datetime.date(2019, 12, 30), datetime.date(2020, 1, 2)), "date"),
    "moment": (pa.timestamp("us"), moments, "timestamp"),
    "zoned": (pa.timestamp("us", "UTC"), moments, "timestamptz"),
    "nothing": (pa.string(), st.none(), "text"),
}


@st.composite
def tables(draw):
    """A table, and the types of PostgreSQL for its columns."""
    n_rows = draw(st.integers(1, 25))
    columns, types = {}, {}
    chosen = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    for place, kind in enumerate([*chosen, "text", draw(st.sampled_from(["text", "whole", "numeric"]))]):
        arrow_type, cells, types[f"{kind} {place}"] = CELLS[kind]
        few = draw(st.lists(st.one_of(st.none(), cells), min_size=1, max_size=4))
        column = draw(st.lists(st.sampled_from(few), min_size=n_rows, max_size=n_rows))
        columns[f"{kind} {place}"] = pa.array(column, arrow_type)
    return pa.table(columns), types


def stored(postgres, table, types):
    """Store a table with these types; its URL."""
    postgres.store(table, "random_cells")
    cells = ", ".join(f'"{name}"::{type} AS "{name}"' for name, type in types.items())
    postgres.run("DROP TABLE IF EXISTS random", f"CREATE TABLE random AS SELECT {cells} FROM random_cells")
    return postgres.url("random")


@given(tables(), st.booleans(), st.booleans())
@settings(max_examples=30, deadline=None)
def test_equal_to_the_tally_in_memory(postgres, drawn, with_target, with_person):
    table, types = drawn
    *columns, target, person = table.column_names
    options = {"target": target if with_target else None, "person": person if with_person else None}
    with Postgres(stored(postgres, table, types)) as engine:
        assert isinstance(engine, Engine)
        assert_same_tally(engine.tally(columns, **options), tally(table, columns, **options))
        assert len(engine) == len(table)
        for name in columns:
            assert engine.values(name).equals(values_of(table, name))


@pytest.mark.parametrize("options", [{}, {"target": "y"}, {"person": "who"}, {"target": "y", "person": "who"}])
@pytest.mark.parametrize("columns", [["age", "sex", "zip"], ["zip"], ["y", "sex"], []])
def test_every_selection_gives_the_tally_of_the_table(people, columns, options):
    assert_same_tally(people.tally(columns, **options), tally(PEOPLE, columns, **options))


def test_promises_are_checked_on_it(people):
    roles = Roles(target="y", quasi=["sex"], sensitive=["ill"])
    assert KAnonymity(2).check(people, roles) == KAnonymity(2).check(PEOPLE, roles)
    assert LDiversity(2).check(people, roles) == LDiversity(2).check(PEOPLE, roles)


def test_texts_are_compared_byte_by_byte_whatever_the_collation(postgres):
    postgres.run(
        "DROP TABLE IF EXISTS folded",
        "DROP COLLATION IF EXISTS any_case",
        "CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "CREATE TABLE folded (x text COLLATE any_case, y int)",
        "INSERT INTO folded VALUES ('a', 0), ('A', 1), ('á', 1), ('a', 1)",
    )
    with Postgres(postgres.url("folded")) as engine:
        assert engine.values("x").texts == ["A", "a", "á"]
        assert engine.tally(["x"]).sizes.tolist() == [1, 2, 1]


def test_a_database_in_another_encoding(postgres):
    database = "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
    postgres.run("DROP DATABASE IF EXISTS latin", database, database="postgres")
    postgres.run("CREATE TABLE names AS SELECT chr(233) || 'va' AS name, 1 AS y", database="latin")
    with Postgres(postgres.url("names", database="latin")) as engine:
        assert engine.values("name").texts == ["éva"]
        assert [batch.column("name").to_pylist() for batch in engine._batches(["name"])] == [["éva"]]


def test_other_types_are_read_as_their_text_or_number(postgres):
    postgres.run(
        "DROP TABLE IF EXISTS odd",
        "DROP DOMAIN IF EXISTS grade",
        "DROP DOMAIN IF EXISTS mark",
        "DROP TYPE IF EXISTS mood",
        "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE DOMAIN mark AS int",
        "CREATE DOMAIN grade AS mark CHECK (VALUE > 0)",
        "CREATE TABLE odd (u uuid, m mood, g grade, t time, p money, o oid, a inet, j jsonb, b bytea, l int[],"
        " i interval)",
        "INSERT INTO odd VALUES ('123e4567-e89b-12d3-a456-426614174000', 'sad', 3, '24:00', 3.5, 4000000000,"
        " '127.0.0.1', '{}', 'x', '{1}', '1 day')",
    )
    with Postgres(postgres.url("odd")) as engine:
        told = {name: engine.values(name) for name in "umgtpoaj"}
        assert {name: column.texts for name, column in told.items()} == {
            "u": ["123e4567-e89b-12d3-a456-426614174000"],
            "m": ["sad"],
            "g": ["3"],
            "t": ["24:00:00"],
            "p": ["3.5"],
            "o": ["4000000000"],
            "a": ["127.0.0.1/32"],
            "j": ["{}"],
        }
        assert [name for name, column in told.items() if column.kind == "number"] == ["g", "p", "o"]
        for name in "bli":
            with pytest.raises(DataError, match=f"'{name}' holds bytes, intervals, lists or structures"):
                engine.values(name)


@pytest.mark.parametrize("moment", ["'infinity'::date", "'-infinity'::timestamp", "'infinity'::timestamptz"])
def test_an_infinite_date_is_refused_and_not_misread(postgres, moment):
    postgres.run("DROP TABLE IF EXISTS forever", f"CREATE TABLE forever AS SELECT {moment} AS until, 1 AS y")
    with Postgres(postgres.url("forever")) as engine, pytest.raises(DataError, match="outside the years 1 to 9999"):
        engine.values("until")


# -- one snapshot ------------------------------------------------------------------------------------------------------


def test_rows_that_others_change_meanwhile_are_not_seen(postgres):
    with Postgres(postgres.store(PEOPLE, "busy")) as engine:
        before = engine.tally(["age", "sex"], target="y")
        postgres.run("DELETE FROM busy WHERE age = 31", "INSERT INTO busy (age, sex) VALUES (99, 'm'), (99, 'x')")
        assert_same_tally(engine.tally(["age", "sex"], target="y"), before)
        assert (len(engine), engine.values("age").texts) == (8, ["31", "45", "62"])
    with Postgres(postgres.url("busy")) as engine:
        assert len(engine) == 7


def test_the_table_cannot_be_emptied_or_dropped_meanwhile(postgres):
    with Postgres(postgres.store(PEOPLE, "locked")) as engine:
        for statement in ("TRUNCATE locked", "DROP TABLE locked", "ALTER TABLE locked DROP COLUMN age"):
            with pytest.raises(Exception, match="lock timeout"):
                postgres.run("SET lock_timeout = 50", statement)
        assert len(engine) == 8


def test_the_transaction_is_read_only(people):
    with pytest.raises(DataError, match="the connection is read-only"):
        people._connection.run("CREATE TABLE other AS SELECT 1")


def test_views_and_materialized_views_are_tables(postgres):
    postgres.store(PEOPLE, "base")
    postgres.run(
        "DROP VIEW IF EXISTS women",
        "DROP MATERIALIZED VIEW IF EXISTS women_then",
        "CREATE VIEW women AS SELECT age, y FROM base WHERE sex = 'f'",
        "CREATE MATERIALIZED VIEW women_then AS SELECT * FROM women",
    )
    expected = tally({"age": [31, 31, 31, 62], "y": [1, 1, 0, 0]}, ["age"], target="y")
    for name in ("women", "women_then"):
        with Postgres(postgres.url(name)) as engine:
            assert_same_tally(engine.tally(["age"], target="y"), expected)


# -- names -------------------------------------------------------------------------------------------------------------

HOSTILE = ['a"b', "x'; DROP TABLE treasure; --", '"; DROP TABLE treasure; --', "sel ect", "$1", "%s", "é\t", "C0", "c0"]


def test_no_name_is_run_as_sql(postgres):
    postgres.run("DROP TABLE IF EXISTS treasure", "CREATE TABLE treasure (gold int)")
    table = pa.table({name: ["a", "b", "a"] for name in HOSTILE})
    for name in HOSTILE[:6]:
        postgres.store(table, name)
        quoted = '"' + name.replace('"', '""') + '"'
        for url, named in ((postgres.url(quoted), None), (postgres.url(), quoted)):
            with Postgres(url, table=named) as engine:
                assert engine.names == tuple(HOSTILE)
                assert_same_tally(
                    engine.tally(HOSTILE, target="c0", person="$1"), tally(table, HOSTILE, target="c0", person="$1")
                )
    assert postgres.run("SELECT count(*) FROM treasure") == [(0,)]


def test_a_function_of_the_database_does_not_replace_one_of_postgresql(postgres):
    postgres.store(PEOPLE, "shadowed")
    postgres.run(
        "CREATE SCHEMA IF NOT EXISTS sly",
        "CREATE OR REPLACE FUNCTION sly.isfinite(date) RETURNS boolean LANGUAGE sql AS 'SELECT false'",
        "ALTER ROLE owner SET search_path = sly, public, pg_catalog",
    )
    try:
        postgres.run("DROP TABLE IF EXISTS days", "CREATE TABLE public.days AS SELECT date '2020-01-31' AS day")
        with Postgres(postgres.url("days")) as engine:
            assert engine.values("day").texts == ["2020-01-31"]
    finally:
        postgres.run("ALTER ROLE owner RESET search_path", "DROP SCHEMA sly CASCADE")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("peopel", "no table 'peopel', or this user may not see it"),
        ("clinic.people", "no table 'clinic.people'"),
        ('"public.people"', "no table 'public.people'"),
        ('people"; --', "not the name of a table"),
        ("a.b.c", "not the name of a table"),
    ],
)
def test_a_table_that_is_not_there(postgres, people, table, message):
    with pytest.raises(DataError, match=message):
        Postgres(postgres.url(), table=table)


def test_a_schema_is_named_before_a_dot(postgres):
    postgres.run(
        "DROP SCHEMA IF EXISTS ward CASCADE", "CREATE SCHEMA ward", "CREATE TABLE ward.people AS SELECT 1 AS bed"
    )
    with Postgres(postgres.url("ward.people")) as engine, Postgres(postgres.url(), table="ward.people") as other:
        assert engine.names == other.names == ("bed",)


def test_unknown_columns_and_kinds(postgres, people):
    with pytest.raises(DataError, match=r"no column 'sey'\. Did you mean 'sex'"):
        people.values("sey")
    with pytest.raises(DataError, match="Kinds are set for columns that are not in the data: 'agee'"):
        Postgres(postgres.url("people"), kinds={"agee": "category"})
    with Postgres(postgres.url("people"), kinds={"age": "category"}, missing=["f"]) as engine:
        assert (engine.values("age").kind, engine.values("sex").texts) == ("category", ["m"])


def test_the_memory_of_the_server(postgres, people):
    with Postgres(postgres.url("people"), memory_limit="7 MB") as engine:
        assert engine._connection.run("SELECT current_setting('work_mem') AS m").to_pylist() == [{"m": "7MB"}]
    for memory in ("7", "lots", "7MB'; --", "-1MB"):
        with pytest.raises(DataError, match="The memory limit is text such as '256MB'"):
            Postgres(postgres.url("people"), memory_limit=memory)


# -- connections and secrets -------------------------------------------------------------------------------------------


def failing(url, **options):
    """The error of a connection, with everything that a log would hold of it."""
    with pytest.raises(DataError) as caught:
        Postgres(url, **options)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://ann:TOPSECRET@127.0.0.1:1/clinic/people", "no server answers there"),
        ("postgresql://ann:TOPSECRET@[::1/clinic/people", "the URL cannot be read"),
        ("postgresql://ann:TOPSECRET%zz@h/clinic/people", "the URL cannot be read"),
        ("postgresql://ann:TOP SECRET@h/clinic/people", "the URL cannot be read"),
        ("postgresql://ann:TOPSECRET@h.invalid/clinic/people", "no host of that name"),
        ("postgresql://ann:TOPSECRET@h/clinic/people?service=TOPSECRET", "no such service"),
        ("postgresql://ann:TOPSECRET@h/clinic", "The URL names no table"),
        ("postgresql://ann:TOPSECRET@h/clinic/ward/people", "The URL names no table"),
        ("postgresql://ann:TOPSECRET@h/clinic/", "The URL names no table"),
        ("mysql://ann:TOPSECRET@h/clinic/people", "begins with postgresql://"),
    ],
)
def test_a_connection_that_fails_says_why_and_not_the_password(url, message):
    said = failing(url)
    assert message in said
    assert "TOPSECRET" not in said


def test_the_server_refuses_users_passwords_databases_and_tables(postgres):
    postgres.run(
        "DROP ROLE IF EXISTS guest",
        "CREATE ROLE guest LOGIN PASSWORD 'TOPSECRET'",
        "CREATE TABLE IF NOT EXISTS closed AS SELECT 1 AS x",
    )
    for url, message in [
        (postgres.url("closed", password="TOPSECRET"), "did not accept the user or the password"),
        (postgres.url("closed", database="TOPSECRET"), "no database of that name"),
        (f"postgresql://owner@/people/closed?host={postgres.folder}", "asks for a password"),
        (f"postgresql://guest:TOPSECRET@/people/closed?host={postgres.folder}", "this user may not do that"),
    ]:
        said = failing(url)
        assert message in said
        assert "TOPSECRET" not in said


def test_password_files_and_services(postgres, people, tmp_path, monkeypatch):
    from postgres_server import PASSWORD

    pass_file = tmp_path / "pgpass"
    pass_file.write_text("*:*:*:owner:" + PASSWORD.replace("\\", "\\\\").replace(":", "\\:"), encoding="utf-8")
    pass_file.chmod(0o600)
    services = tmp_path / "services.conf"
    services.write_text(f"[clinic]\nhost={postgres.folder}\ndbname=people\nuser=owner\n", encoding="utf-8")
    monkeypatch.setenv("PGPASSFILE", str(pass_file))
    monkeypatch.setenv("PGSERVICEFILE", str(services))
    for url, table in [
        (f"postgresql://owner@/people/people?host={postgres.folder}", None),
        ("postgresql:///?service=clinic", "people"),
        ("postgresql:////people?service=clinic", None),
    ]:
        with Postgres(url, table=table) as engine:
            assert len(engine) == 8


def test_neither_repr_nor_attributes_nor_the_log_of_the_server_hold_secrets_or_cells(postgres, people):
    from postgres_server import PASSWORD

    postgres.run("ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()")
    try:
        with Postgres(postgres.url("people")) as engine:
            engine.tally(["zip", "ill"], target="y", person="who")
            list(engine._batches(["zip", "ill"]))
            told = repr(engine) + repr(vars(engine)) + repr(vars(engine._connection))
    finally:
        postgres.run("ALTER SYSTEM RESET log_statement", "SELECT pg_reload_conf()")
    assert repr(engine) == "Postgres(table 'people', columns 'age', 'sex', 'zip', 'ill', 'y', 'who')"
    assert PASSWORD[-16:] not in told + postgres.log()
    assert "GROUP BY" in postgres.log()
    assert not any(cell in postgres.log() for cell in ("01067", "gout"))


def test_a_lost_connection_is_said_plainly_and_quotes_nothing(postgres):
    with Postgres(postgres.store(PEOPLE, "lost")) as engine:
        postgres.terminate_others()
        with pytest.raises(DataError, match=r"the connection was lost|the server ended the connection") as caught:
            engine.tally(["zip"])
    said = "".join(traceback.format_exception(caught.value))
    assert not any(cell in said for cell in ("01067", "01069"))


def test_without_the_driver_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(DataError, match=r"discreet\[postgres\]"):
        Postgres("postgresql://h/clinic/people")


def test_the_server_of_these_tests_is_reached_by_no_network(postgres):
    assert postgres.run("SELECT current_setting('listen_addresses')") == [("",)]
    assert os.path.exists(postgres.folder / ".s.PGSQL.5432")
