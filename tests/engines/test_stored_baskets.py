# SPDX-License-Identifier: Apache-2.0
"""Baskets outside memory: the same counts, the same selection and the same published rows as in memory."""

from collections import Counter

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

import discreet as ds
from basket_lines import METHODS, equal_releases, lines_of, rows_of
from discreet.counting.class_separation import separated_pairs
from discreet.data.baskets import Baskets
from discreet.engines import StoredBaskets
from discreet.errors import DataError

FORMS = ("long", "text", "shuffled", "lists", "csv", "beside", "relation")


def stored(form, folder, rows, labels, *, seed=0, **options):
    """The same rows in one of several forms."""
    columns = {"row": "row", "item": "item", "label": "y"}
    lines = lines_of(rows, labels, seed=seed, text=form == "text")
    source: object = folder / "part-*.parquet"
    if form == "lists":
        lists = pa.table({"item": pa.array(rows, pa.list_(pa.string())), "y": labels})
        columns.pop("row")
        cut = len(rows) // 3
        pq.write_table(lists.slice(0, cut), folder / "part-0.parquet")
        pq.write_table(lists.slice(cut), folder / "part-1.parquet", row_group_size=7)
    elif form == "csv":
        source = folder / "lines.csv"
        pacsv.write_csv(lines, source)
    elif form == "relation":
        source = duckdb.connect().from_arrow(lines)
    else:
        if form == "shuffled":
            lines = lines.take(np.random.default_rng(seed).permutation(len(lines)))
        if form == "beside":
            ids = np.random.default_rng(seed).permutation(len(rows))
            pq.write_table(pa.table({"row": ids, "y": [labels[i] for i in ids]}), folder / "labels.parquet")
            lines = lines.filter(pa.compute.is_valid(lines.column("item"))).drop_columns(["y"])
            options["labels"] = folder / "labels.parquet"
        cut = len(lines) // 2  # in the middle of a row, mostly
        pq.write_table(lines.slice(0, cut), folder / "part-0.parquet", row_group_size=11)
        pq.write_table(lines.slice(cut), folder / "part-1.parquet")
    return StoredBaskets(source, **columns, **options)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_counts_and_ones_are_those_in_memory(form, seed, tmp_path):
    rows, labels = rows_of(seed, classes="ab" if seed else "abc")
    baskets = Baskets.from_transactions(rows, labels)
    found = stored(form, tmp_path, rows, labels, seed=seed)
    assert found.names == baskets.names
    assert found.shape == baskets.shape
    assert found.classes.tolist() == baskets.classes.tolist()
    assert found.support.tolist() == baskets.support.tolist()
    assert separated_pairs(found).tolist() == separated_pairs(baskets).tolist()
    everything = found.keep(range(len(found.names)))
    same = Counter(zip(map(everything.items, range(len(rows))), everything.label_values.tolist(), strict=True))
    assert same == Counter(zip(map(baskets.items, range(len(rows))), baskets.label_values.tolist(), strict=True))


@pytest.mark.parametrize("name", METHODS)
def test_the_same_release_as_in_memory(name, tmp_path):
    made = 0
    for seed, form in enumerate(FORMS):
        rows, labels = rows_of(100 + seed, n_rows=80, classes="ab" if seed % 2 else "abc")
        folder = tmp_path / form
        folder.mkdir()
        found = stored(form, folder, rows, labels, seed=seed)
        made += equal_releases(METHODS[name], Baskets.from_transactions(rows, labels), found) is not None
    assert made >= 3


@pytest.mark.parametrize("name", ["hamdist", "distcnt", "maximal"])
def test_rare_items_and_items_of_all_rows_change_nothing(name, tmp_path):
    rows, labels = rows_of(7)
    rows = [["everywhere", *row, *([f"rare{number}"] if number < 9 else [])] for number, row in enumerate(rows)]
    found = stored("long", tmp_path, rows, labels)
    assert equal_releases(METHODS[name], Baskets.from_transactions(rows, labels), found) is not None


@pytest.mark.parametrize("name", ["hamdist", "distcnt", "k-anonymity"])
def test_persons_are_counted_as_in_memory(name, tmp_path):
    rows, labels = rows_of(11, n_rows=90)
    persons = np.random.default_rng(1).integers(0, 30, len(rows))
    lines = lines_of(rows, labels)
    whose = pa.array([f"p{persons[number]}" for number in lines.column("row").to_pylist()])
    pq.write_table(lines.append_column("who", whose), tmp_path / "lines.parquet")
    found = StoredBaskets(tmp_path / "lines.parquet", row="row", item="item", label="y", person="who")
    in_memory = Baskets.of(Baskets.from_transactions(rows, labels), persons=[f"p{p}" for p in persons])
    assert equal_releases(METHODS[name], in_memory, found) is not None


@pytest.mark.parametrize("utility", ["hamdist", "distcnt"])
def test_ones_that_do_not_fit_are_brought_in_parts(utility, tmp_path):
    """800 bytes of memory are 100 ones; all items together have several times that."""
    rows, labels = rows_of(3, n_rows=100, n_items=20)
    baskets = Baskets.from_transactions(rows, labels)
    found = stored("long", tmp_path, rows, labels)
    found._most_ones = 100
    assert baskets.matrix.nnz > 400
    assert baskets.support.max() <= 100
    expected = ds.GreedySelector(3, utility=utility, max_features=1).release(baskets)
    assert ds.GreedySelector(3, utility=utility, max_features=1).release(found).columns == expected.columns
    with pytest.raises(DataError, match="memory_limit"):
        ds.MaximalSelector(3).release(found)


def test_numbers_as_items_are_in_the_order_of_numbers(tmp_path):
    table = pa.table({"row": [1, 1, 2, 9, 9], "item": [10, 9, 9, 100, 9], "y": [0, 0, 1, 1, 1]})
    pq.write_table(table, tmp_path / "n.parquet")
    found = StoredBaskets(tmp_path / "n.parquet", row="row", item="item", label="y")
    assert found.names == ("9", "10", "100")
    assert found.classes.tolist() == [0, 1]
    assert found.keep([0, 2]).matrix.toarray().tolist() == [[1, 0], [1, 0], [1, 1]]


def refused(lines, match, **columns):
    columns = {"row": "row", "item": "item", "label": "y"} | columns
    with pytest.raises(DataError, match=match) as error:
        StoredBaskets(pa.table(lines), **columns).shape  # noqa: B018
    assert "secret" not in str(error.value)
    assert error.value.__context__ is None


def test_what_cannot_be_counted_is_refused_without_a_cell():
    good = {"row": [1, 1, 2], "item": ["a", "secret", "a"], "y": ["u", "u", "secret"]}
    refused(good, "no column 'rows'", row="rows")
    refused(good, "need row=", row=None)
    refused(good | {"y": ["u", "secret", "v"]}, "1 lines state another label")
    refused(good | {"y": ["u", "u", None]}, "1 of 2 labels are missing")
    nan = float("nan")
    refused(good | {"p": [1.0, 1.0, nan]}, "1 of 2 persons are missing", person="p")
    refused(good | {"y": [1.0, 1.0, nan]}, "1 of 2 labels are missing")
    refused(good | {"row": [1.0, 1.0, nan]}, "1 lines have no row id")
    refused(good | {"row": [1, None, 2]}, "1 lines have no row id")
    refused(good | {"item": ["", " ", None]}, "no items")
    refused({"item": [["secret", None]], "y": ["u"]}, "1 items of the lists are missing", row=None)
    lists = {"item": [["a"], ["secret"], ["a"]], "y": ["u", "u", "v"]}
    refused(lists | {"row": ["r", "secret", "secret"]}, "1 row ids come again")
    refused(lists | {"row": [1, None, 2]}, "1 lines have no row id")
    refused(lists | {"row": [1.0, nan, 2.0]}, "1 lines have no row id")
    labels = pa.table({"row": [1], "y": ["u"]})
    refused({"row": [1, 2], "item": ["a", "b"]}, "no label", labels=labels)
    twice = pa.table({"row": [1, 1], "y": ["u", "secret"]})
    refused({"row": [1], "item": ["a"]}, "several labels", labels=twice)
    nobody = pa.table({"row": [1, 2], "y": ["u", "secret"], "p": [1.0, nan]})
    refused({"row": [1], "item": ["a"]}, "1 of 2 persons are missing", labels=nobody, person="p")


def test_a_list_for_each_row_id_is_a_row(tmp_path):
    lists = pa.table({"row": [3, 1, 2], "item": [["a"], ["b"], ["a"]], "y": ["u", "u", "v"]})
    pq.write_table(lists, tmp_path / "lists.parquet")
    for source in (lists, tmp_path / "lists.parquet", duckdb.from_arrow(lists)):
        found = StoredBaskets(source, row="row", item="item", label="y")
        assert found.shape == (3, 2)
        assert found.support.tolist() == [2, 1]


def test_a_person_who_is_no_number_is_missing_in_every_file(tmp_path):
    for part in range(3):
        lines = {"row": [10 * part, 10 * part + 1], "item": ["a", "b"], "y": ["u", "v"], "p": [1.0, float("nan")]}
        pq.write_table(pa.table(lines), tmp_path / f"{part}.parquet")
    with pytest.raises(DataError, match="3 of 6 persons are missing"):
        StoredBaskets(tmp_path, row="row", item="item", label="y", person="p").shape  # noqa: B018


@pytest.mark.parametrize(
    "method",
    [
        ds.RandomFlip(3),
        ds.ItemGroups(3),
        ds.OptimalSelector(3),
        ds.OptimalSelector(3, utility="linear"),
        ds.LaplaceSelector(1.0, 2),
        ds.DeltaSketch(0.1),
    ],
)
def test_methods_that_need_rows_say_so_before_any_work(method, tmp_path):
    rows, labels = rows_of(1)
    found = stored("long", tmp_path, rows, labels)
    with pytest.raises(DataError, match="whole rows"):
        method.release(found)
    assert "_counts" not in vars(found)


def test_a_file_that_changes_between_passes_is_noticed(tmp_path):
    rows, labels = rows_of(2)
    found = stored("long", tmp_path, rows, labels)
    assert len(found) == len(rows)
    stored("long", tmp_path, [*rows[:-1], ["i0"]], labels)
    with pytest.raises(DataError, match="changed"):
        found.keep([0])
    stored("long", tmp_path, rows[::-1] * 5, labels[::-1] * 5)
    with pytest.raises(DataError, match="changed"):
        found.keep([0])


@pytest.mark.parametrize("more", ["n // 2, 'i' || n % 4", "n, 'new' || n", "n, NULL"])
def test_rows_that_come_between_passes_are_noticed_where_no_file_tells(more, tmp_path):
    """More rows of an item than there is room for, items that were not there, and rows beyond the last."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT n AS row, 'i' || n % 4 AS item, n % 2 AS y FROM range(40) r(n)")
    found = StoredBaskets(connection.table("t"), row="row", item="item", label="y")
    assert found.support.tolist() == [10] * 4
    connection.execute(f"INSERT INTO t SELECT {more}, 0 FROM range(40, 1000) r(n)")
    with pytest.raises(DataError, match="changed"):
        found.keep([0, 1])


@pytest.mark.parametrize("form", ["long", "lists", "beside"])
def test_the_command_releases_and_the_files_verify(form, tmp_path):
    from typer.testing import CliRunner

    from discreet.cli.app import app

    rows, labels = rows_of(5)
    stored(form, tmp_path, rows, labels)
    asked = [
        "--engine",
        "duckdb",
        "--memory",
        "1GB",
        "--item",
        "item",
        "--target",
        "y",
        "--method",
        "greedy",
        "--k",
        "3",
    ]
    asked += [] if form == "lists" else ["--row", "row"]
    asked += ["--labels", str(tmp_path / "labels.parquet")] if form == "beside" else []
    done = CliRunner().invoke(app, ["release", str(tmp_path / "part-*.parquet"), *asked, "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    verified = ds.verify(tmp_path / "out" / "release")
    expected = ds.GreedySelector(3).release(Baskets.from_transactions(rows, labels))
    assert verified.holds
    assert verified.content.names == expected.columns


@pytest.mark.parametrize(
    "option",
    [
        "--missing=?",
        "--kind=y=number",
        "--quasi=y",
        "--other=row",
        "--separator=;",
        "--evaluate",
        "--dry-run",
        "--sink=db",
    ],
)
def test_options_without_effect_on_items_are_refused(option, tmp_path):
    from typer.testing import CliRunner

    from discreet.cli.app import app

    rows, labels = rows_of(5)
    stored("long", tmp_path, rows, labels)
    asked = ["--engine=duckdb", "--item=item", "--row=row", "--target=y", "--method=greedy", "--k=3"]
    source, out = tmp_path / "part-*.parquet", tmp_path / "out"
    done = CliRunner().invoke(app, ["release", str(source), *asked, option, "-o", str(out)])
    said = " ".join(done.output.split())
    assert done.exit_code != 0
    assert f"Baskets in files (--item) take no {option.partition('=')[0]}." in said, said
    assert not out.exists()
