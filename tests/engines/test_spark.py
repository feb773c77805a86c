# SPDX-License-Identifier: Apache-2.0
"""Spark beside tables in memory, on a real cluster: a standalone master and two workers on loopback."""

import datetime
import itertools
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from discreet import DataError, KActus2, KAnonymity, Mondrian, Roles, Table, verify
from discreet.counting.coding import ListedCells
from discreet.counting.tally import tally
from discreet.data.column import from_labels
from discreet.engines import Engine, Spark, spark, spark_exchange
from discreet.engines.drawn_rows import drawn_rows
from discreet.engines.parts_sink import PartsSink
from discreet.engines.protocol import HistogramEngine
from discreet.engines.spark_counting import Packed
from discreet.engines.spark_exchange import Seal
from discreet.engines.spark_publish import row_numbers
from discreet.foundation.atomic_files import scratch_folder
from discreet.methods.apply_groups import ApplyGroups
from discreet.methods.trees import mondrian
from engine_cases import (
    BY_PERSON,
    EACH,
    METHODS,
    ROLES,
    adult,
    assert_private,
    assert_same_release,
    assert_same_tally,
    method_of,
    method_of_adult,
    people,
    release_of_adult,
    rows_of,
)
from instances import PERSON_ROLES as PATIENT_PERSONS
from instances import ROLES as PATIENT_ROLES
from instances import people as patients

spark_only = pytest.mark.spark


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    table, folder = people(600), tmp_path_factory.mktemp("parts")
    pq.write_table(table.slice(0, 250), folder / "a.parquet", row_group_size=100)
    pq.write_table(table.slice(250), folder / "b.parquet")
    return table, folder


def odd_cells(n, seed):
    """Cells of many types, with several spellings and marks of missing ones."""
    rng = np.random.default_rng(seed)
    texts = ["1", "1.0", " 1", "01", "2", "?", "NA", "", "true", "TRUE", "2020-01-31", "a'b", 'a"b', "a,b", None]
    moments = [datetime.datetime(2020, 3, 29, 0, 30) + datetime.timedelta(hours=h) for h in range(5)]
    return pa.table(
        {
            "a.b": pa.array(rng.choice(texts[:10], n)),
            "Age": pa.array([["1", "1.0", "10", "9", "-0", "0", "?", "1e1"][i] for i in rng.integers(0, 8, n)]),
            "age": pa.array(rng.integers(-3, 3, n), pa.int8()),
            "large": pa.array([[2**53, 2**60, -(2**60), 7][i] for i in rng.integers(0, 4, n)]),
            "unsigned": pa.array(rng.integers(0, 3, n), pa.uint64()),
            "real": pa.array([[0.0, -0.0, float("nan"), 0.1, 1e300, None][i] for i in rng.integers(0, 6, n)]),
            "single": pa.array(rng.integers(0, 3, n) / 2, pa.float32(), mask=rng.random(n) < 0.1),
            "truth": pa.array(rng.random(n) < 0.5),
            "day": pa.array(rng.integers(0, 3, n).astype("datetime64[D]")),
            "moment": pa.array([moments[i] for i in rng.integers(0, 5, n)], pa.timestamp("us", "Europe/Berlin")),
            "word": pa.array([texts[i] for i in rng.integers(0, len(texts), n)]).dictionary_encode(),
            "nothing": pa.nulls(n, pa.string()),
            "`odd` name": pa.array([texts[i] for i in rng.integers(0, len(texts), n)]),
        }
    )


# -- without a cluster -------------------------------------------------------------------------------------------------


def test_codes_are_packed_in_the_order_of_rows_in_as_many_words_as_needed():
    rng = np.random.default_rng(0)
    levels = [2, 1, 2**31, 2**20, 300, 7, 2**30]
    codes = [rng.integers(0, n, 200) for n in levels]
    packed = Packed.of(levels)
    words = packed.words(codes)
    assert len(words) == packed.n_words == 2
    assert packed.codes(words).tolist() == np.column_stack(codes).tolist()
    assert np.lexsort(words[::-1]).tolist() == np.lexsort(codes[::-1]).tolist()


def test_the_random_number_of_a_row_depends_on_secret_file_and_row_alone():
    secret = bytes(range(32))
    numbers = row_numbers(secret, 3, 0, 20_000)
    again = [row_numbers(secret, 3, start, 777) for start in range(0, 19_000, 777)]
    assert np.concatenate(again).tolist() == numbers[: 777 * len(again)].tolist()
    assert len(set(numbers.tolist())) == 20_000
    assert abs(float((numbers >> np.uint64(63)).mean()) - 0.5) < 0.02
    assert not set(numbers.tolist()) & set(row_numbers(secret, 4, 0, 20_000).tolist())
    assert not set(numbers.tolist()) & set(row_numbers(secret[::-1], 3, 0, 20_000).tolist())
    assert len(row_numbers(secret, 3, 5, 0)) == 0


def test_what_is_missing_is_said_before_any_work(tmp_path, monkeypatch):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "t.parquet")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(DataError, match=r"Spark needs Java 17 or newer.*openjdk-17-jre-headless"):
        Spark(tmp_path / "t.parquet")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(DataError, match=r"pip install 'discreet\[spark\]'"):
        Spark(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="is not a source of the Spark engine"):
        Spark({"x": [1]})


class InThisProcess:
    """An exchange without Spark: the same tasks, sealed as on a cluster, one after another."""

    def __init__(self, _):
        self._seal = Seal.fresh()

    def each(self, pieces, work, shared=None):
        pieces, work, shared = self._sent((pieces, work, shared))
        return [self._sent(work(piece, shared)) for piece in pieces]

    stream = each

    def through(self, pieces, scatter, gather, *, n_buckets, shared=None):
        pieces, scatter, gather, shared = self._sent((pieces, scatter, gather, shared))
        buckets = [[] for _ in range(n_buckets)]
        for piece in reversed(pieces):  # no order is promised
            for bucket, part in scatter(piece, shared):
                buckets[bucket].append(part)
        return [self._sent(gather(place, iter(parts), shared)) for place, parts in enumerate(buckets)]

    def _sent(self, content):
        return self._seal.open_object(self._seal.close_object(content))


class NoSession:
    parallelism, context = 3, None

    def close(self):
        pass


@pytest.fixture
def in_process(monkeypatch):
    monkeypatch.setattr(spark, "check_installed", lambda: None)
    monkeypatch.setattr(spark.Session, "start", lambda *_: NoSession())
    monkeypatch.setattr(spark_exchange, "Exchange", InThisProcess)


@pytest.mark.parametrize("seed", range(len(METHODS)))
def test_tasks_count_and_publish_as_in_memory(tmp_path, in_process, monkeypatch, seed):
    monkeypatch.setattr(spark, "_SMALL_BUCKET", 7)
    monkeypatch.setattr(spark, "_BUCKET", 10 + seed)
    table, odd = people(60 + seed, seed), odd_cells(60 + seed, seed)
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=9)
    pq.write_table(odd, tmp_path / "odd.parquet", row_group_size=9)
    with Spark(tmp_path / "t.parquet") as engine:
        name = [*METHODS][seed]
        for roles in (ROLES, BY_PERSON):
            assert_same_release(method_of(name).release(engine, roles), method_of(name).release(table, roles))
    names = odd.column_names
    with Spark(tmp_path / "odd.parquet") as engine:
        seed %= len(names)
        for chosen in (names, names[seed : seed + 2], [names[seed], names[seed]]):
            for target, person in ((None, None), ("Age", None), (None, "word"), ("Age", "a.b")):
                expected = tally(odd, chosen, target=target, person=person)
                assert_same_tally(engine.tally(chosen, target=target, person=person), expected)


@pytest.mark.parametrize(
    "roles",
    [PATIENT_ROLES, PATIENT_PERSONS, Roles(target="again", quasi=PATIENT_ROLES.quasi)],
    ids=["rows", "persons", "nothing else"],
)
def test_kactus2_moves_the_rows_that_it_moves_in_memory(tmp_path, in_process, roles):
    """In two passes of the workers. Without other columns, rows are equal that lie in several pieces."""
    table = pa.Table.from_pandas(patients(300, 0).reset_index(drop=True), preserve_index=False)
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=31)
    method = KActus2(15, min_objects=1, confidence=0.5, random_state=4)
    expected = method.release(table, roles)
    assert expected.owner.trace[1]["rows given to fill up others"] > 15
    with Spark(tmp_path / "t.parquet") as engine:
        assert_same_release(method.release(engine, roles), expected)


def test_mondrian_in_parts_cuts_the_same_tree_as_in_memory(tmp_path, in_process, monkeypatch):
    """Top cuts by histograms that the workers count, parts below them in memory."""
    table = people(400)
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=90)
    expected = Mondrian(k=3, random_state=1).release(table, ROLES)
    monkeypatch.setattr(mondrian, "outgrow_memory", lambda *_: True)
    monkeypatch.setattr(mondrian, "decided_in_parts", partial(mondrian.decided_in_parts, most=80))
    with Spark(tmp_path / "t.parquet") as engine:
        assert isinstance(engine, HistogramEngine)
        assert rows_of(Mondrian(k=3, random_state=1).release(engine, ROLES).content) == rows_of(expected.content)
        diverse = Mondrian(k=3, l=2, t=0.4, random_state=1)
        assert rows_of(diverse.release(engine, ROLES).content) == rows_of(diverse.release(table, ROLES).content)
        assert abs(engine.likely_distinct(ROLES.quasi) - len(engine.tally(ROLES.quasi))) <= 1
        coded = [np.concatenate(parts) for parts in zip(*engine.coded(["age", "y"]), strict=True)]
        codes = [Table.of(table).column(name).codes for name in ("age", "y")]
        assert sorted(zip(*coded, strict=True)) == sorted(zip(*codes, strict=True))


def test_workers_draw_every_row_with_the_same_probability(tmp_path, in_process):
    """A thousand of 4000 rows on average, with a standard deviation of 27: beyond 200 not once in a million."""
    pq.write_table(pa.table({"x": range(4000), "y": ["a", "b"] * 2000}), tmp_path / "t.parquet", row_group_size=900)
    with Spark(tmp_path / "t.parquet") as engine:
        drawn = drawn_rows(engine, ["x"], rows=1000, random_state=3)
        assert drawn.equals(drawn_rows(engine, ["x"], rows=1000, random_state=3))
        assert drawn_rows(engine, ["x"], rows=4000, random_state=3).column("x").to_pylist() == [*range(4000)]
        assert len(drawn_rows(engine, ["y", "x"], rows=0, random_state=3)) == 0
        with pytest.raises(DataError, match="There is no column 'z'"):
            drawn_rows(engine, ["z"], rows=10, random_state=0)
    cells = drawn.column("x").to_pylist()
    assert 800 < len(set(cells)) == len(cells) < 1200
    assert abs(sum(cells) / len(cells) - 2000) < 300


class OneGroup:
    def find(self, codes):
        return np.zeros(len(codes[0]), dtype=np.int64)


def test_the_order_of_published_rows_depends_on_the_secret_alone(tmp_path, in_process, monkeypatch):
    monkeypatch.setattr(spark, "_BUCKET", 50)
    table = people(300)
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=70)
    pq.write_table(table, tmp_path / "b.parquet", row_group_size=300)

    def names(file, secret):
        with Spark(tmp_path / file) as engine:
            label = from_labels("y", ["*"], np.array([0]))
            apply = ApplyGroups((engine.coding("y"),), OneGroup(), (label,), (engine.coding("name"),), ("name", "y"))
            with scratch_folder() as folder, PartsSink(folder / "t") as sink:
                assert engine.publish(apply.columns, apply, secret, sink) == 300
                return [name for file in sink.files for name in pq.read_table(file).column("name").to_pylist()]

    one = names("a.parquet", bytes(32))
    assert one == names("b.parquet", bytes(32))  # however the rows were divided among tasks
    assert sorted(one) == sorted(table.column("name").to_pylist())
    assert one != names("a.parquet", bytes(31) + b"1")
    before = {name: place for place, name in enumerate(table.column("name").to_pylist())}
    assert abs(np.corrcoef([before[name] for name in one], range(300))[0, 1]) < 0.2


# -- equal to memory ---------------------------------------------------------------------------------------------------


@spark_only
@pytest.mark.parametrize("seed", range(2))
def test_counts_of_odd_cells_equal_those_in_memory(tmp_path, cluster, seed):
    table = odd_cells(60, seed)
    for place in range(3):
        pq.write_table(table.slice(20 * place, 20), tmp_path / f"{place}.parquet", row_group_size=7)
    names = table.column_names
    with Spark(tmp_path / "*.parquet") as engine:
        assert isinstance(engine, Engine)
        assert (engine.names, len(engine)) == (tuple(names), 60)
        assert_same_tally(engine.tally(names[seed : seed + 7]), tally(table, names[seed : seed + 7]))
        for target, person in ((names[-1], None), (None, "word"), ("Age", "a.b")):
            expected = tally(table, ["age", "real", "moment"], target=target, person=person)
            assert_same_tally(engine.tally(["age", "real", "moment"], target=target, person=person), expected)
        memory = Table.of(table)
        for name in names:
            column = engine.values(name)
            assert (column.kind, column.texts) == (memory.column(name).kind, memory.column(name).texts)
            assert column.levels == memory.column(name).levels
        assert engine.tally([]).counts.tolist() == [[60]]
        with pytest.raises(DataError, match=r"There is no column 'agf'.*Did you mean 'age'"):
            engine.tally(["agf"])


@spark_only
def test_every_method_releases_the_rows_that_it_releases_in_memory(parts, cluster):
    """By rows and by persons in turn; the same tasks do both for every method above, in this process."""
    table, folder = parts
    with Spark(folder / "*.parquet") as engine:
        for name, roles in zip(METHODS, itertools.cycle((ROLES, BY_PERSON))):
            expected = method_of(name).release(table, roles)
            assert_same_release(method_of(name).release(engine, roles), expected)


@spark_only
@pytest.mark.filterwarnings("ignore::discreet.PrivacyLeakWarning")
def test_private_methods_count_as_in_memory(parts, cluster):
    table, folder = parts
    with Spark(folder / "*.parquet") as engine:
        assert_private(engine, table)


@spark_only
def test_random_tables(tmp_path, cluster):
    for seed in range(4):
        table, name = people(40 + 50 * seed, seed + 7), [*METHODS][2 * seed]
        pq.write_table(table, tmp_path / "t.parquet", row_group_size=11)
        with Spark(tmp_path / "t.parquet") as engine:
            expected = method_of(name).release(table, BY_PERSON)
            assert_same_release(method_of(name).release(engine, BY_PERSON), expected)


@spark_only
def test_csv_files_are_read_by_the_parser_that_reads_them_in_memory(tmp_path, cluster):
    table = people(90).drop_columns(["unused"])
    pacsv.write_csv(table.slice(0, 40), tmp_path / "a.csv")
    pacsv.write_csv(table.slice(40), tmp_path / "b.csv")
    text = (tmp_path / "b.csv").read_text().replace("baker", "bäcker")
    (tmp_path / "b.csv").write_bytes(text.encode("latin-1"))
    whole = (tmp_path / "a.csv").read_text() + text.partition("\n")[2]
    (tmp_path / "whole.csv").write_text(whole)
    with Spark(tmp_path / "[ab].csv") as engine:
        assert len(engine) == 90
        expected = method_of("mondrian").release(Table.of(tmp_path / "whole.csv"), ROLES)
        assert_same_release(method_of("mondrian").release(engine, ROLES), expected)


@spark_only
@pytest.mark.data
def test_adult(tmp_path, cluster):
    pq.write_table(Table.of(adult().data).to_arrow(), tmp_path / "adult.parquet", row_group_size=10_000)
    with Spark(tmp_path / "adult.parquet") as engine:
        for name in EACH:
            assert_same_release(method_of_adult(name).release(engine, adult().roles), release_of_adult(name))


# -- a DataFrame in, a DataFrame or a folder out -----------------------------------------------------------------------


@spark_only
def test_a_frame_in_and_a_folder_and_a_frame_out(tmp_path, cluster):
    """The copy of the DataFrame is where it was asked for, for this user alone, and is gone afterwards."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    session, table = SparkSession(SparkContext._active_spark_context), people(300)
    table = table.drop_columns(["unused"])
    pq.write_table(table, tmp_path / "t.parquet")
    (tmp_path / "scratch").mkdir()
    frame = session.read.parquet(str(tmp_path / "t.parquet")).repartition(3)
    with Spark(frame, scratch=tmp_path / "scratch") as engine:
        (copy,) = (tmp_path / "scratch").iterdir()
        assert copy.stat().st_mode & 0o777 == 0o700
        release = method_of("ladder").release(engine, BY_PERSON)
        assert_same_release(release, method_of("ladder").release(table, BY_PERSON))
        release.save(tmp_path / "out")
        assert verify(tmp_path / "out" / "release").holds
        published = engine.to_spark(release)
        assert published.columns == list(release.columns)
        in_order = [row for block, _ in release.content.blocks() for row in block.to_arrow().to_pylist()]
        assert [row.asDict() for row in published.collect()] == in_order
        del release
    assert list((tmp_path / "scratch").iterdir()) == []
    parts = sorted((tmp_path / "out" / "release" / "table").iterdir())
    assert [part.name for part in parts] == ["part-00000.parquet"]
    assert pq.read_metadata(parts[0]).metadata is None


@spark_only
def test_promises_are_checked_where_the_rows_are(parts, cluster):
    table, folder = parts
    with Spark(folder) as engine:
        found = KAnonymity(3).check(engine, ROLES)
        assert found.sentence() == KAnonymity(3).check(Table.of(table), ROLES).sentence()


@spark_only
def test_a_column_of_too_many_cells_is_published_as_in_memory(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr(spark, "MOST_LISTED", 20)
    table = people(200)
    codes = pa.array([f"{place}.50" if place % 7 else "?" for place in range(200)])
    table = table.set_column(table.column_names.index("pay"), "pay", codes)
    pq.write_table(table, tmp_path / "t.parquet", row_group_size=15)
    with Spark(tmp_path / "t.parquet") as engine:
        assert not isinstance(engine.coding("pay"), ListedCells)
        assert engine.coding("pay").levels == len(codes.unique())
        expected = method_of("mondrian").release(table, ROLES)
        assert_same_release(method_of("mondrian").release(engine, ROLES), expected)


@spark_only
def test_errors_say_what_to_do_and_quote_no_cell(tmp_path, cluster):
    pq.write_table(pa.table({"x": ["secret"], "y": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [1], "y": [1]}), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"1 of the 2 files .* have other columns, or other types"):
        Spark(tmp_path / "*.parquet")
    (tmp_path / "c.csv").write_text("x,y\n1,2\nsecret,2,3\n")
    with pytest.raises(DataError, match="is ragged: row 3 has 3 cells") as refused:
        Spark(tmp_path / "c.csv")
    assert "secret" not in str(refused.value)
    assert refused.value.__context__ is None
    with pytest.raises(DataError, match="Spark runs in this process already"):
        Spark(tmp_path / "a.parquet", master="local[1]")
    with pytest.raises(DataError, match="Kinds are set for columns that are not in the data"):
        Spark(tmp_path / "a.parquet", kinds={"z": "number"})


@spark_only
def test_the_command_releases_on_the_cluster(parts, tmp_path, cluster):
    from typer.testing import CliRunner

    from discreet.cli.app import app

    _, folder = parts
    asked = ["--target", "y", "--quasi", "age,job,born", "--sensitive", "ill", "--method", "mondrian", "--k", "3"]
    command = ["release", str(folder / "*.parquet"), *asked, "--engine", "spark", "--master", cluster.master]
    done = CliRunner().invoke(app, [*command, "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert verify(tmp_path / "out" / "release").holds


@spark_only
def test_the_code_of_the_page_about_clusters_runs_and_prints_what_it_says(tmp_path, cluster, capsys):
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    page = (Path(__file__).parents[2] / "docs" / "scale-cluster.md").read_text(encoding="utf-8")
    code = page.partition("```python spark\n")[2].partition("```")[0]
    visits = {"age": [20 + row % 40 for row in range(120)], "zip": ["a", "b"] * 60, "ill": ["flu", "gout", "no"] * 40}
    (tmp_path / "visits").mkdir()
    pq.write_table(pa.table(visits), tmp_path / "visits" / "a.parquet")
    names = {"spark": SparkSession(SparkContext._active_spark_context), "folder": str(tmp_path)}
    exec(compile(code, "docs/scale-cluster.md", "exec"), names)
    assert capsys.readouterr().out == page.partition("```text\n")[2].partition("```")[0]
