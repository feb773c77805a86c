# SPDX-License-Identifier: Apache-2.0
import bz2
import datetime
import gzip
import subprocess
import sys
import tempfile
import traceback
import uuid

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet.engines.duckdb as engine
from discreet.counting.tally import tally
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines import DuckDB
from discreet.errors import DataError
from discreet.methods import Mondrian
from discreet.privacy import KAnonymity, LDiversity, TCloseness, k_anonymity
from engine_cases import assert_same_tally


@pytest.fixture
def people():
    return pa.table(
        {
            "age": [31, 45, 31, None, 45, 31, 62, 62],
            "sex": ["f", "m", "f", "m", "m", "f", None, "f"],
            "zip": ["01067", "01069", "01067", "?", "01069", "01067", "01069", "01067"],
            "ill": ["flu", "flu", "cold", "cold", "gout", "flu", "gout", "flu"],
            "y": [1, 0, 1, 1, 0, 0, 1, 0],
            "who": [1, 2, 1, 3, 4, 5, 6, None],
        }
    )


@pytest.fixture(params=["arrow", "parquet", "csv", "relation"])
def source(request, tmp_path):
    """A way to hand a table to the engine."""

    def hand_over(table):
        if request.param == "arrow":
            return table
        if request.param == "relation":
            return duckdb.connect().from_arrow(table)
        path = tmp_path / f"table.{request.param}"
        if request.param == "parquet":
            pq.write_table(table, path)
        else:
            pacsv.write_csv(table, path)
        return path

    return hand_over


# -- equal to the tally in memory --------------------------------------------------------------------------------------

# Different spellings of one number, marks of a missing value, white space, truth values, dates, quotes.
texts = st.sampled_from(["1", "1.0", " 1", "01", "2", "?", "NA", "", "true", "TRUE", "2020-01-31", "a'b", 'a"b', "a,b"])
CELLS = {
    "text": (pa.string(), texts),
    "numbers as text": (pa.string(), st.sampled_from(["1", "1.0", "10", "9", "-0", "0", "?", "1e1"])),
    "whole": (pa.int64(), st.integers(-3, 3)),
    "small": (pa.uint8(), st.integers(0, 255)),
    "large": (pa.int64(), st.sampled_from([2**53, 2**60, -(2**60), 7])),
    "real": (pa.float64(), st.sampled_from([0.0, -0.0, float("nan"), 0.1, 1e300, 2.0])),
    "single": (pa.float32(), st.sampled_from([0.0, -0.0, float("nan"), 0.5, 3.0])),
    "truth": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.dates(datetime.date(2019, 12, 30), datetime.date(2020, 1, 2))),
    "moment": (
        pa.timestamp("us", "Europe/Berlin"),
        st.datetimes(datetime.datetime(2020, 3, 29), datetime.datetime(2020, 3, 30)),
    ),
    "nothing": (pa.string(), st.none()),
}
kinds_of_cells = st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4)


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 25))
    columns = {}
    for place, kind in enumerate([*draw(kinds_of_cells), "text", "text"]):
        arrow_type, cells = CELLS[kind]
        few = st.lists(st.one_of(st.none(), cells), min_size=1, max_size=4)
        column = draw(st.lists(st.sampled_from(draw(few)), min_size=n_rows, max_size=n_rows))
        columns[f"{kind} {place}"] = pa.array(column, arrow_type)
    return pa.table(columns)


@given(tables(), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_equal_to_the_tally_in_memory(tmp_path_factory, table, with_target, with_person):
    *columns, target, person = table.column_names
    options = {"target": target if with_target else None, "person": person if with_person else None}
    expected = tally(table, columns, **options)
    path = tmp_path_factory.mktemp("engine") / "table.parquet"
    pq.write_table(table, path)
    for data in (table, path):
        with DuckDB(data) as rows:
            assert_same_tally(rows.tally(columns, **options), expected)
            assert len(rows) == len(table)


@given(tables(), st.booleans())
@settings(max_examples=30, deadline=None)
def test_equal_to_the_tally_of_a_csv_file_in_memory(tmp_path_factory, table, with_person):
    *columns, target, person = table.column_names
    path = tmp_path_factory.mktemp("engine") / "table.csv"
    pacsv.write_csv(table, path)
    options = {"target": target, "person": person if with_person else None}
    expected = tally(Table.of(path, header=True), columns, **options)
    with DuckDB(path, header=True) as rows:
        assert_same_tally(rows.tally(columns, **options), expected)


@pytest.mark.parametrize("options", [{}, {"target": "y"}, {"person": "who"}, {"target": "y", "person": "who"}])
@pytest.mark.parametrize("columns", [["age", "sex", "zip"], ["zip"], ["y", "sex"], []])
def test_every_source_gives_the_tally_of_the_table(people, source, columns, options):
    assert_same_tally(DuckDB(source(people)).tally(columns, **options), tally(people, columns, **options))


def test_a_person_who_is_spelt_in_two_ways_counts_once(source):
    table = pa.table({"sex": ["f", "f", "m", "m"], "who": ["7", "7.0", "8", None]})
    assert DuckDB(source(table)).tally(["sex"], person="who").sizes.tolist() == [1, 2]


def test_a_person_in_two_spellings_of_a_group_counts_once(source):
    table = pa.table({"age": ["30", "30.0", "30", "31"], "who": [1, 1, 2, 1]})
    found = DuckDB(source(table)).tally(["age"], person="who")
    assert (found.counts.tolist(), found.sizes.tolist()) == ([[3], [1]], [2, 1])


def test_capitals_count_whatever_the_database_thinks_of_them():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (x VARCHAR COLLATE NOCASE, y VARCHAR, who VARCHAR)")
    connection.execute("INSERT INTO t VALUES ('A', 'B', 'C'), ('a', 'B', 'c'), ('A', 'b', 'c')")
    connection.execute("SET default_collation = 'NOCASE'")
    for columns in (["x"], ["y"], ["x", "y"]):
        for options in ({}, {"person": "who"}, {"target": "who"}):
            relation = connection.table("t")
            assert_same_tally(DuckDB(relation).tally(columns, **options), tally(relation, columns, **options))


def test_kinds_and_missing_marks_are_those_of_a_table(people, source):
    options = {"kinds": {"age": "category", "who": "category"}, "missing": ["?", "31", "6"]}
    rows, table = DuckDB(source(people), **options), Table.of(people, **options)
    for columns in (["age", "zip"], ["zip", "age"]):
        assert_same_tally(
            rows.tally(columns, target="sex", person="who"), tally(table, columns, target="sex", person="who")
        )


def test_whole_numbers_that_are_declared_categories_are_ordered_as_text(tmp_path):
    table = pa.table({"n": [10, 9, 100, None]})
    pq.write_table(table, tmp_path / "t.parquet")
    found = DuckDB(tmp_path / "t.parquet", kinds={"n": "category"}).tally(["n"])
    assert [found.column(name).texts for name in found.columns] == [["10", "100", "9"]]


@pytest.mark.parametrize("most", [0, 1, 2, 1000])
def test_it_does_not_matter_what_is_numbered_before_grouping(people, tmp_path, monkeypatch, most):
    monkeypatch.setattr(engine, "_MOST_TEXTS", most)
    pq.write_table(people, tmp_path / "t.parquet")
    columns = ["zip", "age", "sex", "ill"]
    for options in ({}, {"target": "y"}, {"person": "who"}):
        assert_same_tally(DuckDB(tmp_path / "t.parquet").tally(columns, **options), tally(people, columns, **options))


def test_more_values_than_one_whole_number_can_hold(tmp_path):
    rng = np.random.default_rng(5)
    table = pa.table({f"x{i}": rng.choice([0, 5, 1_000_000], 200) for i in range(6)})  # six times 20 bits
    pq.write_table(table, tmp_path / "t.parquet")
    assert_same_tally(DuckDB(tmp_path / "t.parquet").tally(table.column_names), tally(table, table.column_names))


def test_types_that_duckdb_changes_keep_their_meaning(tmp_path):
    moments = pa.array([0, 3_600_000_000, None], pa.timestamp("us"))
    table = pa.table(
        {
            "zoned": moments.cast(pa.timestamp("us", "UTC")).cast(pa.timestamp("us", "America/New_York")),
            "plain": moments,
            "seconds": pa.array([1, 2, None], pa.timestamp("s")),
            "time": pa.array([datetime.time(8, 30), None, datetime.time(8, 30)]),
            "id": pa.array([uuid.UUID(int=3).bytes, None, uuid.UUID(int=2).bytes], pa.binary(16)),
            "level": pa.array(["b", "a", "b"]).dictionary_encode(),
            "price": pa.array([1, 2, None], pa.int64()).cast(pa.decimal128(25, 2)),
            "long": pa.array(["x", None, "y"], pa.large_string()),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    for name in table.column_names:
        for data in (table, tmp_path / "t.parquet"):
            assert_same_tally(DuckDB(data).tally([name], target="level"), tally(data, [name], target="level"))


# -- files -------------------------------------------------------------------------------------------------------------


def test_patterns_and_folders_of_parquet_are_one_table(people, tmp_path):
    for part in range(3):
        (tmp_path / "all" / "deep").mkdir(parents=True, exist_ok=True)
        pq.write_table(people, tmp_path / "all" / ("deep" if part else "") / f"part{part}.parquet")
    (tmp_path / "all" / "_SUCCESS").touch()
    expected = tally(pa.concat_tables([people] * 3), ["age", "sex"], target="y")
    for data in (tmp_path / "all", tmp_path / "all" / "**" / "*.parquet"):
        rows = DuckDB(data)
        assert len(rows) == 24
        assert_same_tally(rows.tally(["age", "sex"], target="y"), expected)


def test_the_folders_of_a_partitioned_table_are_a_column(people, tmp_path):
    pq.write_to_dataset(people, tmp_path / "by_sex", partition_cols=["sex"])
    rows = DuckDB(tmp_path / "by_sex")
    assert set(rows.names) == set(people.column_names)
    assert_same_tally(rows.tally(["age", "sex"], target="y"), tally(people, ["age", "sex"], target="y"))


def test_a_folder_says_more_than_the_column_of_its_files(tmp_path):
    for sex in "fm":
        (tmp_path / f"sex={sex}").mkdir()
        rows = pa.table({"sex": ["x", "z"] * 3, "a": [1, 2] * 3, "y": ["n", "y"] * 3})
        pq.write_table(rows, tmp_path / f"sex={sex}" / "0.parquet")
    engine = DuckDB(tmp_path)
    assert engine.values("sex").values.to_pylist() == ["f", "m"]
    read = [text for batch in engine.cells(["sex"]) for text in batch["sex"].texts]
    assert sorted(set(read)) == ["f", "m"]
    assert Mondrian(k=2).release(engine, Roles(target="y", quasi=["sex", "a"])).verdict.holds


def test_files_of_other_types_or_columns_are_refused(people, tmp_path):
    first = pa.table({"a": pa.array([1, 2], pa.int32()), "y": ["n", "y"]})
    others = {
        "types": pa.table({"a": [1.4, 2.5], "y": ["n", "y"]}),
        "columns": pa.table({"a": pa.array([1, 2], pa.int32()), "z": ["n", "y"]}),
        "fewer": first.select(["a"]),
    }
    for name, other in others.items():
        (tmp_path / name).mkdir()
        pq.write_table(first, tmp_path / name / "0.parquet")
        pq.write_table(other, tmp_path / name / "1.parquet")
        with pytest.raises(DataError, match=r"1 of the 2 files .* other types"):
            DuckDB(tmp_path / name)
    (tmp_path / "same").mkdir()
    pq.write_table(first, tmp_path / "same" / "0.parquet")
    turned = first.select(["y", "a"])
    pq.write_table(turned.set_column(0, "y", turned.column("y").dictionary_encode()), tmp_path / "same" / "1.parquet")
    assert DuckDB(tmp_path / "same").tally(["a"], target="y").counts.tolist() == [[2, 0], [0, 2]]


def test_several_csv_files_are_one_table(people, tmp_path):
    for part in range(3):
        pacsv.write_csv(people, tmp_path / f"part{part}.csv")
    expected = tally(pa.concat_tables([people] * 3), ["age", "zip"], target="y", person="who")
    assert_same_tally(DuckDB(tmp_path / "part*.csv").tally(["age", "zip"], target="y", person="who"), expected)
    pacsv.write_csv(people.rename_columns([*people.column_names[:-1], "other"]), tmp_path / "part3.csv")
    with pytest.raises(DataError, match=r"1 of the 4 files .* other columns"):
        DuckDB(tmp_path / "part*.csv")


def test_an_index_that_pandas_stored_is_no_column(tmp_path):
    table = pa.table({"sex": ["f", "m"], "__index_level_0__": [5, 6]})
    pq.write_table(table, tmp_path / "t.parquet")
    assert DuckDB(tmp_path / "t.parquet").names == ("sex",)


@pytest.mark.parametrize("name", ["a [1].parquet", "what*.parquet", "it's.parquet", 'a "b".parquet'])
def test_odd_names_of_files(people, tmp_path, name):
    pq.write_table(people, tmp_path / name)
    pq.write_table(people, tmp_path / "what else.parquet")
    assert len(DuckDB(tmp_path / name)) == 8


def test_odd_names_of_columns(tmp_path):
    names = [
        'we"ird',
        "semi; colon",
        "it's",
        "c0",
        "n",
        "k",
        "p",
        "persons",
        "Ä ö",
        "select",
        "Age",
        "age",
        "AGE",
        "{c}",
    ]
    rng = np.random.default_rng(1)
    table = pa.table({name: rng.choice(["x", "y'", '"z', "{c}"], 30) for name in names})
    pq.write_table(table, tmp_path / "t.parquet")
    pacsv.write_csv(table, tmp_path / "t.csv")
    for data in (table, tmp_path / "t.parquet", tmp_path / "t.csv"):
        rows = DuckDB(data)
        assert rows.names == tuple(names)
        assert "AGE" in rows
        assert "agE" not in rows
        assert_same_tally(rows.tally(names, target="n", person="p"), tally(table, names, target="n", person="p"))


def test_compressed_csv(people, tmp_path):
    pacsv.write_csv(people, tmp_path / "t.csv")
    content = (tmp_path / "t.csv").read_bytes()
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "t.csv.bz2").write_bytes(bz2.compress(content))
    for name in ("t.csv.gz", "t.csv.bz2"):
        assert_same_tally(DuckDB(tmp_path / name).tally(["age", "zip"]), tally(people, ["age", "zip"]))


def test_csv_options_are_those_of_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("1;'a;b'\n2;'c'\n1;'a;b'\n", encoding="utf-8")
    options = {"delimiter": ";", "quote": "'", "names": ["x", "y"]}
    expected = tally(Table.of(tmp_path / "t.csv", **options), ["x", "y"])
    assert expected.n_rows == 3
    assert_same_tally(DuckDB(tmp_path / "t.csv", **options).tally(["x", "y"]), expected)


def test_another_encoding_is_found_however_late_it_shows(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"x,y\n" + b"plain,1\n" * 300_000 + "café,1\n".encode("cp1252"))
    assert DuckDB(tmp_path / "t.csv").tally(["x"]).column("x").texts == ["café", "plain"]


def test_odd_lines_are_cut_as_by_the_table(tmp_path):
    (tmp_path / "t.csv").write_bytes(b'a,b\r\n1,"x"y\n\n2,"l1\nl2"\r\n1,"say ""hi"""')
    assert_same_tally(DuckDB(tmp_path / "t.csv").tally(["a", "b"]), tally(tmp_path / "t.csv", ["a", "b"]))


# -- promises ----------------------------------------------------------------------------------------------------------

PROMISES = [
    KAnonymity(2),
    KAnonymity(2, sets=[["age"], ["sex", "zip"]]),
    LDiversity(2),
    LDiversity(1.5, measure="entropy"),
    LDiversity(2, measure="recursive", c=2.5),
    TCloseness(0.3),
    TCloseness(0.3) & KAnonymity(2),
]


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("target", [None, "y"])
@pytest.mark.parametrize("promise", PROMISES, ids=str)
def test_verdicts_are_those_of_the_table_in_memory(people, source, promise, target, person):
    roles = Roles(target=target, quasi=["age", "sex", "zip"], sensitive=["ill"], person=person)
    assert promise.check(DuckDB(source(people)), roles) == promise.check(people, roles)


def test_k_of_an_engine(people, source):
    assert k_anonymity(DuckDB(source(people)), ["sex"]) == k_anonymity(people, ["sex"]) == 1
    assert k_anonymity(DuckDB(source(people)), ["y"], person="who") == 3  # y = 1: the persons 1, 1, 3, 6


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_an_absent_column_is_named_with_the_nearest_one(people, source):
    rows = DuckDB(source(people))
    for arguments in ({"columns": ["zipp"]}, {"columns": ["age"], "target": "zipp"}, {"columns": [], "person": "zipp"}):
        with pytest.raises(DataError, match=r"no column 'zipp'\. Did you mean 'zip'"):
            rows.tally(**arguments)
    with pytest.raises(DataError, match="Kinds are set for columns that are not in the data: 'agee'"):
        DuckDB(source(people), kinds={"agee": "number"})


def test_what_duckdb_says_about_a_cell_is_not_passed_on():
    query = duckdb.connect().sql("SELECT CAST(x AS INTEGER) AS x FROM (VALUES ('1'), ('secret')) t(x)")
    with pytest.raises(DataError, match="could not count the rows of a DuckDB relation") as caught:
        DuckDB(query).tally(["x"])
    assert "secret" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"a,b\n1,2\n1,secret,3\n", "row 3 has 3 cells"),
        (b"a,b\n" + b"1,2\n" * 2_000_000 + b"1,secret,3\n", "row 2000002 has 3 cells"),
        (b'a,b\n1,2\n1,"secret\n', "never closed"),
        (b"", "empty"),
        (b"1.5,2.5\n1.5,3\n", "looks like data"),
        (b"a,a\n1,2\n", "more than once"),
        (b"a,b\n", "no rows"),
    ],
)
def test_broken_csv(tmp_path, content, problem):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(DataError, match=problem) as caught:
        DuckDB(tmp_path / "t.csv").tally(["a"])
    assert "secret" not in "".join(traceback.format_exception(caught.value))


def test_text_that_is_in_no_encoding(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\n" + b"1,2\n" * 3_000_000 + b"\xff,2\n")
    with pytest.raises(DataError, match="not encoded in utf-8"):
        DuckDB(tmp_path / "t.csv", encoding="utf-8").tally(["a"])


def test_no_rows(tmp_path):
    nothing = pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int64())})
    pq.write_table(nothing, tmp_path / "t.parquet")
    for data in (nothing, tmp_path / "t.parquet"):
        for columns in (["a", "b"], ["b"], []):
            with pytest.raises(DataError, match="2 columns and no rows"):
                DuckDB(data).tally(columns)


def test_sources_that_are_none(people, tmp_path):
    with pytest.raises(DataError, match=r"There is no file 'absent\.parquet'"):
        DuckDB(tmp_path / "absent.parquet")
    with pytest.raises(DataError, match=r"There are no files 'absent\*'"):
        DuckDB(tmp_path / "absent*")
    with pytest.raises(DataError, match="is not a source of the DuckDB engine"):
        DuckDB({"a": [1]})
    with pytest.raises(DataError, match="are for CSV files"):
        DuckDB(people, delimiter=";")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match="not readable as Parquet"):
        DuckDB(tmp_path / "t.parquet")
    pq.write_table(people, tmp_path / "good.parquet")
    (tmp_path / "text.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.raises(DataError, match="not Parquet"):
        DuckDB(tmp_path)


def test_lists_are_refused_only_when_asked_for(tmp_path):
    table = pa.table({"a": [1, 2], "deep": [[1], [2]], "half": pa.array([1.5, 2.5], pa.float16())})
    rows = DuckDB(table)
    assert len(rows.tally(["a"])) == 2
    with pytest.raises(DataError, match="'deep' holds values of the Arrow type list"):
        rows.tally(["deep"])
    with pytest.raises(DataError, match="could not count"):
        rows.tally(["half"])


def test_options(people):
    assert len(DuckDB(people, memory_limit="200MB", threads=1).tally(["age"])) == 4
    for options in ({"memory_limit": "much"}, {"threads": 0}, {"threads": "secret"}):
        with pytest.raises(DataError, match="does not accept these options") as caught:
            DuckDB(people, **options)
        assert "secret" not in "".join(traceback.format_exception(caught.value))
    with pytest.raises(DataError, match="'threads' belong to the connection of a relation"):
        DuckDB(duckdb.connect().from_arrow(people), threads=1)


def test_too_little_memory_says_so(tmp_path):
    table = pa.table({"x": np.arange(3_000_000), "y": np.arange(3_000_000) * 1e-3})
    (tmp_path / "no room").write_text("a file, not a folder", encoding="utf-8")
    rows = DuckDB(table, memory_limit="20MB", temp_directory=tmp_path / "no room")
    with pytest.raises(DataError, match=r"ran out of memory|could not count"):
        rows.tally(["x", "y"])


def test_rows_beyond_the_memory_limit_are_counted(tmp_path):
    rng = np.random.default_rng(3)
    table = pa.table({"x": rng.integers(0, 2**60, 1_500_000), "y": rng.random(1_500_000)})
    pq.write_table(table, tmp_path / "t.parquet")
    with DuckDB(tmp_path / "t.parquet", memory_limit="60MB", threads=1, temp_directory=tmp_path / "spill") as rows:
        assert len(rows.tally(["x", "y"])) == 1_500_000


def test_the_temporary_folder_goes_with_the_engine(people, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rows = DuckDB(people)
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    rows.close()
    del rows
    assert not list(tmp_path.iterdir())


KILLED = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
import pyarrow as pa
from discreet.engines import DuckDB
rows = DuckDB(pa.table({"x": [1, 2]}))
(rows_folder,) = __import__("pathlib").Path(sys.argv[1]).iterdir()
(rows_folder / "new" / "spilled").write_text("a clear cell")
print("ready", flush=True)
sys.stdin.read()
"""


def test_what_a_killed_engine_spilled_is_removed_by_the_next(people, monkeypatch, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"ready\n"
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rows = DuckDB(people)  # the other one is at work: its folder stays
    assert list(tmp_path.glob("*/new/spilled"))
    rows.close()
    process.kill()
    process.communicate()
    DuckDB(people).close()
    assert not list(tmp_path.glob("*/new/spilled"))


def test_files_that_change_while_they_are_counted_are_noticed(people, tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    pq.write_table(people, path)
    rows = DuckDB(path)
    counted = rows.tally(["age", "zip"])
    grouped = rows._grouped
    monkeypatch.setattr(rows, "_grouped", lambda *given: (pq.write_table(people.slice(1), path), grouped(*given))[1])
    with pytest.raises(DataError, match="changed while they were counted"):
        rows.tally(["age", "zip"])
    monkeypatch.undo()
    assert rows.tally(["age", "zip"]).n_rows == counted.n_rows - 1


def test_files_that_changed_between_two_tallies_are_counted_anew(people, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(people, path)
    rows = DuckDB(path)
    assert_same_tally(rows.tally(["age", "zip"]), tally(people, ["age", "zip"]))
    other = people.set_column(0, "age", pa.array([99, *people.column("age").to_pylist()[1:]]))
    other = other.set_column(2, "zip", pa.array(["99999", *people.column("zip").to_pylist()[1:]]))
    pq.write_table(other, path)
    assert_same_tally(rows.tally(["age", "zip"]), tally(other, ["age", "zip"]))


def test_no_cell_is_shown(people):
    assert repr(DuckDB(people)) == "DuckDB(an Arrow table, columns 'age', 'sex', 'zip', 'ill', 'y', 'who')"
