# SPDX-License-Identifier: Apache-2.0
"""Spark when something dies, and what can be read in what it leaves behind. A release is whole, or it is not there."""

import base64
import gc
import signal
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet import DataError, Mondrian, Roles
from discreet.counting.coded_rows import CodedRows
from discreet.engines import Spark, spark
from discreet.engines.parts_sink import PartsSink
from discreet.engines.spark_exchange import Seal
from discreet.foundation.atomic_files import PARTIAL, scratch_folder
from discreet.foundation.randomness import Randomness
from discreet.methods.apply_groups import ApplyGroups
from engine_cases import people

pytestmark = pytest.mark.spark

SECRET = b"thirty-two bytes of a secret 789"
WORDS = ["Zwiebelkuchenbäcker", "Quittenpflückerin", "Xylophonstimmerin"]  # cells that nothing else holds
ROLES = Roles(target="y", quasi=["age", "job"], other=["pay"])


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    rows = people(4000, 3)
    jobs = pa.array([WORDS[place % 3] for place in range(len(rows))])
    rows = rows.set_column(rows.column_names.index("job"), "job", jobs)
    for place in range(4):
        pq.write_table(rows.slice(1000 * place, 1000), folder / f"{place}.parquet")
    return folder / "*.parquet"


def decided(engine):
    rows = CodedRows.of(engine, ROLES.quasi, target="y")
    grouping = Mondrian(k=5)._decide(rows, ROLES, Randomness(0))
    quasi = [engine.coding(name, listed=True) for name in ROLES.quasi]
    return ApplyGroups.of(grouping, rows, quasi, kept=[engine.coding("y"), engine.coding("pay")], order=engine.names)


def published(engine, apply, folder):
    with PartsSink(folder) as sink:
        assert engine.publish(apply.columns, apply, SECRET, sink) == 4000
    return [row for file in sink.files for row in pq.read_table(file).to_pylist()]


def wait_until(happened, seconds=600):
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def processes(marks):
    """The processes that left marks."""
    return {mark.name.partition("-")[0] for mark in marks.iterdir()}


@pytest.mark.parametrize("victim", ["python", "executor", "worker"])
def test_what_is_killed_while_rows_are_written_changes_nothing(table, tmp_path, cluster, monkeypatch, victim):
    """Not even the order, which the secret alone decides."""
    from spark_cluster import Slowly

    monkeypatch.setattr(spark, "_SMALL_BUCKET", 1000)
    monkeypatch.setattr(spark, "_BUCKET", 1000)  # four tasks
    (tmp_path / "marks").mkdir()
    with Spark(table) as engine:
        apply = decided(engine)
        expected = published(engine, apply, tmp_path / "undisturbed")
        rows = []
        slow = Slowly(apply, tmp_path / "marks", 1.5)
        thread = threading.Thread(target=lambda: rows.extend(published(engine, slow, tmp_path / "disturbed")))
        thread.start()
        wait_until(lambda: len(processes(tmp_path / "marks")) == 2 or not thread.is_alive())
        killed = getattr(cluster, f"kill_{victim}")("worker-1")
        killed += cluster.kill_python("worker-0") if victim == "python" else 0
        thread.join()
    if victim == "worker":
        cluster.start_workers("worker-1")
    assert killed >= {"python": 1, "executor": 1, "worker": 3}[victim]
    assert len(list((tmp_path / "marks").iterdir())) > 4  # something was done again
    assert rows == expected
    assert {path.name for path in tmp_path.iterdir()} == {"marks", "undisturbed", "disturbed"}


def test_nothing_is_left_when_the_disk_is_full(table, tmp_path, cluster):
    from spark_cluster import OnAFullDisk

    with Spark(table) as engine:
        apply = decided(engine)
        with pytest.raises(DataError, match="A worker of Spark could not read or write a file"):
            published(engine, OnAFullDisk(apply, 500), tmp_path / "out")
        assert list(tmp_path.iterdir()) == []
        assert cluster.kill_python("worker-0") + cluster.kill_python("worker-1") >= 1  # they could not write any more
        assert len(published(engine, apply, tmp_path / "out")) == 4000


def test_a_file_that_changes_is_noticed(tmp_path, cluster):
    rows = people(200)
    pq.write_table(rows, tmp_path / "t.parquet")
    with Spark(tmp_path / "t.parquet") as engine:
        apply = decided(engine)
        pq.write_table(rows.slice(1), tmp_path / "t.parquet")
        with pytest.raises(DataError, match="changed while they were counted"):
            published(engine, apply, tmp_path / "out")
        with pytest.raises(DataError, match="changed while they were counted"):
            engine.tally(["age"])
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]


def holding(files, *sought):
    """The files in which one of these can be read."""
    return [path for path in files if any(one in path.read_bytes() for one in sought)]


def spellings(content):
    return [content, content.hex().encode(), base64.b64encode(content), repr(content).encode()[2:-1]]


def test_neither_secret_nor_cells_are_in_plans_logs_events_or_temporary_files(table, tmp_path, cluster):
    from pyspark import SparkContext
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import lit

    from spark_cluster import Slowly

    session = SparkSession(SparkContext._active_spark_context)
    (tmp_path / "marks").mkdir()
    with Spark(table) as engine:
        apply = decided(engine)
        slow = Slowly(apply, tmp_path / "marks", 1.0)
        thread = threading.Thread(target=lambda: published(engine, slow, tmp_path / "out"))
        thread.start()
        wait_until(lambda: any((tmp_path / "marks").iterdir()) or not thread.is_alive())
        during = [path.read_bytes() for path in cluster.written() if path.exists()]  # shuffled rows among them
        thread.join()
    control = session.createDataFrame([("a word of control",)] * 8, "word string").repartition(2)
    control.select("word", lit("a word in a plan")).collect()
    assert holding(cluster.written(), b"a word of control")  # what is shuffled in clear would be found
    sought = [*spellings(SECRET), *(word.encode() for word in WORDS)]
    assert sum(len(content) for content in during) > 10_000
    assert not [content for content in during if any(one in content for one in sought)]
    driver = [path for path in Path(session.conf.get("spark.local.dir")).rglob("*") if path.is_file()]
    assert not holding([*cluster.written(), *driver], *sought)
    cluster.disconnect()  # all events are written
    events = [path for path in cluster.events.rglob("*") if path.is_file()]
    assert holding(events, b"a word in a plan")  # what stands in a plan would be found
    assert not holding(events, *sought)


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # of pyspark, through which it encrypts
@pytest.mark.parametrize("encrypted", [False, True], ids=["without", "as started here"])
def test_the_key_of_a_job_is_in_no_temporary_file(encrypted, table, tmp_path, lonely_cluster, monkeypatch):
    """It travels with the code of the tasks, and code may go through a file: here all of it does."""
    from spark_cluster import OPTIONS

    monkeypatch.setattr(Seal, "fresh", classmethod(lambda cls: cls(SECRET)))
    options = {**OPTIONS, "spark.broadcast.UDFCompressionThreshold": "1"}
    if encrypted:
        options.pop("spark.io.encryption.enabled")
    with Spark(table, master=lonely_cluster.master, options=options) as engine:
        before = set(lonely_cluster.written())
        assert len(published(engine, decided(engine), tmp_path / "out")) == 4000
        driver = Path(engine._session.spark.conf.get("spark.local.dir"))
        files = [path for path in [*driver.rglob("*"), *lonely_cluster.written()] if path.is_file()]
        found = holding([path for path in files if path not in before], SECRET)
    gc.collect()  # pyspark's sockets
    assert bool(found) != encrypted  # what is not encrypted would be found


DRIVER = """
import os, sys
from pathlib import Path
from spark_cluster import OPTIONS, Slowly
from discreet import Mondrian, Roles
from discreet.engines import Spark

rows, out, marks = sys.argv[1:]
publish = Spark.publish
Spark.publish = lambda self, columns, apply, *more: publish(self, columns, Slowly(apply, Path(marks), 60.0), *more)
with Spark(rows, master=os.environ["MASTER"], options=OPTIONS) as engine:
    roles = Roles(target="y", quasi=["age", "job"], other=["pay"])
    Mondrian(k=5).release(engine, roles).save(out)
"""


def test_a_killed_driver_leaves_no_release_and_no_cell_after_the_next_start(table, tmp_path, lonely_cluster):
    from spark_cluster import run_driver

    cluster = lonely_cluster

    temporary, marks = tmp_path / "tmp", tmp_path / "marks"
    temporary.mkdir()
    marks.mkdir()
    driver = run_driver(cluster, DRIVER, str(table), str(tmp_path / "out"), str(marks), env={"TMPDIR": str(temporary)})
    try:
        wait_until(lambda: list(marks.iterdir()) or driver.poll() is not None)
        assert driver.poll() is None
        assert [path.name for path in temporary.iterdir() if path.name.startswith(PARTIAL)]
    finally:
        driver.send_signal(signal.SIGKILL)
        driver.wait()
    assert not (tmp_path / "out").exists()
    wait_until(lambda: not cluster.is_busy())
    with scratch_folder(temporary):
        pass
    assert not [path for path in temporary.iterdir() if path.name.startswith(PARTIAL)]
    left = [path for path in [*temporary.rglob("*"), *cluster.written()] if path.is_file()]
    assert not holding(left, *(word.encode() for word in WORDS))
