# SPDX-License-Identifier: Apache-2.0
"""Baskets that stay in an engine: the counts, the selection and the published rows are those in memory."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import discreet as ds
from basket_lines import METHODS, equal_releases, lines_of, rows_of
from discreet.cli.app import app
from discreet.counting.class_separation import separated_pairs
from discreet.data.baskets import Baskets
from discreet.engines import DuckDB, EngineBaskets, Postgres, Spark
from discreet.errors import DataError
from discreet.report.release_page import to_html
from discreet.report.summary import Outcome, summarise, summarise_items

TEXTS = {"kinds": {"item": "category", "row": "category"}, "missing": ()}
COLUMNS = {"row": "row", "item": "item", "label": "y"}
QUICK = [name for name in METHODS if not name.startswith("optimal ")]  # the others are tried on StoredBaskets


def baskets_in(engine, **more):
    return EngineBaskets(engine, **COLUMNS, **more)


def with_persons(lines, n_rows):
    persons = [f"p{p}" for p in np.random.default_rng(1).integers(0, n_rows // 3, n_rows)]
    return lines.append_column(
        "who", pa.array([persons[number] for number in lines.column("row").to_pylist()])
    ), persons


def shuffled(lines, seed):
    return lines.take(np.random.default_rng(seed).permutation(len(lines)))


def same_counts(found, baskets):
    assert found.names == baskets.names
    assert found.shape == baskets.shape
    assert found.classes.tolist() == baskets.classes.tolist()
    assert found.support.tolist() == baskets.support.tolist()
    assert separated_pairs(found).tolist() == separated_pairs(baskets).tolist()


@pytest.mark.parametrize("name", QUICK)
def test_the_same_release_as_in_memory(name):
    made = 0
    for seed in range(3):
        rows, labels = rows_of(100 + seed, n_rows=80, classes="ab" if seed % 2 else "abc")
        with DuckDB(shuffled(lines_of(rows, labels, seed=seed), seed), **TEXTS) as engine:
            in_memory = Baskets.from_transactions(rows, labels)
            same_counts(baskets_in(engine), in_memory)
            made += equal_releases(METHODS[name], in_memory, baskets_in(engine)) is not None
    assert made >= 1


@pytest.mark.parametrize("utility", ["hamdist", "distcnt"])
def test_ones_that_do_not_fit_are_brought_in_parts(utility):
    rows, labels = rows_of(3, n_rows=100, n_items=20)
    baskets = Baskets.from_transactions(rows, labels)
    with DuckDB(lines_of(rows, labels), **TEXTS) as engine:
        found = baskets_in(engine)
        found._most_ones = 100
        expected = ds.GreedySelector(3, utility=utility, max_features=1).release(baskets)
        assert ds.GreedySelector(3, utility=utility, max_features=1).release(found).columns == expected.columns
        with pytest.raises(DataError, match="memory_limit"):
            ds.MaximalSelector(3).release(found)


SAME = ("verdict", "changes", "losses", "risk_after", "distributions", "quasi_before", "columns_published")


@pytest.mark.parametrize("most_ones", [90, 10**6])
@pytest.mark.parametrize("by_person", [False, True])
def test_the_report_says_what_it_says_of_rows_in_memory(market, most_ones, by_person):
    """All of it but for tables of several items, however few ones are in memory at a time."""
    baskets = market[2] if by_person else market[1]
    expected = summarise(baskets, None, [Outcome(ds.GreedySelector(3).release(baskets))], name="market")
    with DuckDB(market[0], **TEXTS) as engine:
        stored = baskets_in(engine, person="who" if by_person else None)
        outcome = Outcome(ds.GreedySelector(3).release(stored))
        stored._most_ones = most_ones
        found = summarise_items(outcome, stored, name="market")
        stored._most_ones = 1
        assert summarise_items(outcome, stored, name="market") is None
    for name in ("source", "risk_before", "name", "holds", "format"):
        assert found[name] == expected[name]
    ours, theirs = (one["releases"][0] for one in (found, expected))
    assert ours.keys() == theirs.keys()
    assert {name: ours.get(name) for name in SAME} == {name: theirs.get(name) for name in SAME}
    assert ours["kept"]["detail"]["whole"] == pytest.approx(theirs["kept"]["detail"]["whole"])
    same = {"tables": None, "detail": None}  # the order of rows changes the last digit of the detail
    assert ours["kept"] | same == theirs["kept"] | same
    assert "tables of several items are not shown" in ours["notes"][-1]
    assert "tables of several items are not shown" in to_html(found)


def test_items_are_texts_as_they_stand_and_numbers_in_their_order():
    table = pa.table({"row": [1, 1, 2, 9, 9], "item": [10, 9, 9, 100, 9], "y": [0, 0, 1, 1, 1]})
    with DuckDB(table, **TEXTS) as engine:
        found = baskets_in(engine)
        assert (found.names, found.classes.tolist()) == (("9", "10", "100"), [0, 1])
        assert found.keep([0, 2]).matrix.toarray().tolist() == [[1, 0], [1, 0], [1, 1]]
    marks = pa.table({"row": ["1", "01", "1"], "item": ["?", "NA", ""], "y": ["u", "v", "u"]})
    with DuckDB(marks, **TEXTS) as engine:
        assert (baskets_in(engine).shape, baskets_in(engine).names) == ((2, 2), ("?", "NA"))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ({"row": [1, None], "item": ["secret", "b"], "y": ["u", "v"]}, "1 lines have no row id"),
        ({"row": [1, 1], "item": ["secret", "b"], "y": ["u", "secret"]}, "different labels or persons"),
        ({"row": [1, 2], "item": ["secret", "b"], "y": ["u", None]}, "1 of 2 labels are missing"),
        ({"row": [1, 2], "item": pa.nulls(2, pa.string()), "y": ["u", "v"]}, "The rows have no items"),
    ],
)
def test_what_cannot_be_counted_is_refused_without_a_cell(lines, said):
    with DuckDB(pa.table(lines), **TEXTS) as engine, pytest.raises(DataError, match=said) as error:
        baskets_in(engine).shape  # noqa: B018
    assert "secret" not in str(error.value)


def test_an_engine_that_was_opened_otherwise_is_refused():
    with DuckDB(lines_of(*rows_of(0))) as engine:
        with pytest.raises(DataError, match="Items and row ids are texts: open the engine with kinds="):
            baskets_in(engine)
        with pytest.raises(DataError, match=r"There is no column 'rov'.*Did you mean 'row'"):
            EngineBaskets(engine, row="rov", item="item", label="y")


# -- real engines ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def market():
    rows, labels = rows_of(11, n_rows=90)
    lines, persons = with_persons(lines_of(rows, labels), 90)
    baskets = Baskets.from_transactions(rows, labels)
    return shuffled(lines, 5), baskets, Baskets.of(baskets, persons=persons)


def same_releases(engine, market, names):
    _, baskets, of_persons = market
    same_counts(baskets_in(engine), baskets)
    for name in names:
        assert equal_releases(METHODS[name], baskets, baskets_in(engine)) is not None
    found = baskets_in(engine, person="who")
    assert equal_releases(METHODS["hamdist"], of_persons, found) is not None


def same_command(words, folder, market):
    """The command keeps the items that are kept in memory, and its release is verified."""
    asked = ["--item", "item", "--row", "row", "--target", "y", "--method", "greedy", "--k", "3"]
    done = CliRunner().invoke(app, ["release", *words, *asked, "-o", str(folder / "out")])
    assert done.exit_code == 0, done.output
    found, expected = ds.verify(folder / "out/release"), ds.GreedySelector(3).release(market[1]).columns
    assert found.holds
    assert found.content.names == expected
    assert f"{len(market[1].names) - len(expected):,} of {len(market[1].names)} items dropped" in done.output
    assert (folder / "out/owner/report.html").stat().st_size > 10_000


@pytest.mark.spark
def test_baskets_on_a_cluster(market, cluster, tmp_path):
    pq.write_table(market[0].slice(0, 170), tmp_path / "a.parquet", row_group_size=90)
    pq.write_table(market[0].slice(170), tmp_path / "b.parquet")
    with Spark(tmp_path / "*.parquet", **TEXTS) as engine:
        same_releases(engine, market, ["hamdist", "optimal"])
    same_command([str(tmp_path / "*.parquet"), "--engine", "spark", "--master", cluster.master], tmp_path, market)


@pytest.mark.postgres
def test_baskets_in_a_database(market, postgres, tmp_path):
    url = postgres.store(market[0], "lines")
    with Postgres(url, **TEXTS) as engine:
        same_releases(engine, market, QUICK)
    same_command(["--engine", "postgres", "--source", url], tmp_path, market)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--row", "row", "--labels", "x.parquet"], "labels are in the lines. Join them first"),
        ([], "name the column of row ids with --row"),
    ],
)
def test_what_an_engine_does_not_read_is_said_before_any_work(words, said, tmp_path):
    asked = ["--item", "item", "--target", "y", "--method", "greedy", "-o", str(tmp_path / "out")]
    source = ["--engine", "postgres", "--source", "postgresql://ann@nowhere/clinic/lines"]
    done = CliRunner().invoke(app, ["release", *source, *asked, *words])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
