# SPDX-License-Identifier: Apache-2.0
"""Sketches of streams: those of the whole, in constant memory, with a key that is the owner's alone."""

import gzip
import io
import json
import os
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from discreet import DeltaSketch
from discreet.cli.app import GOOD, WRONG, app
from discreet.data.records import Records
from discreet.errors import CannotRelease, DataError, ParameterError, PromiseBroken
from discreet.methods.sketches import streaming
from discreet.methods.sketches.streaming import (
    StreamCounts,
    add_items,
    as_batch,
    line_batches,
    owners_key,
    records_of,
    sketch_stream,
)
from discreet.sketching.component_limits import variance_limits
from discreet.sketching.signs import Signs, read_key
from discreet.sketching.sketches import Sketches, sketch

KEY = bytes(range(32))
NAMES = tuple(f"w{i}" for i in range(40))
METHOD = DeltaSketch(0.5)


def baskets(n: int = 300, seed: int = 0) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [[NAMES[i] for i in np.flatnonzero(rng.random(40) < rng.choice([0.02, 0.3]))] for _ in range(n)]


def text_of(rows) -> bytes:
    return "".join(" ".join(row) + "\n" for row in rows).encode()


def matrix_of(rows, counts: bool = False) -> np.ndarray:
    matrix = np.zeros((len(rows), len(NAMES)), dtype=int)
    for i, row in enumerate(rows):
        for item in row:
            if item in NAMES:
                matrix[i, NAMES.index(item)] = matrix[i, NAMES.index(item)] + 1 if counts else 1
    return matrix


@given(
    rows=st.lists(st.lists(st.sampled_from([*NAMES[:6], "unknown"]), max_size=7), min_size=1, max_size=9),
    counts=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_records_equal_their_slow_twin(rows, counts):
    account = StreamCounts()
    batch = pa.table({"items": pa.array(rows, pa.list_(pa.string()))})
    found = records_of(batch, pa.array(NAMES, pa.large_string()), account, counts=counts)
    assert found.matrix.toarray().tolist() == matrix_of(rows, counts).tolist()
    assert account.unknown == sum(item == "unknown" for row in rows for item in row)


@pytest.mark.parametrize("block", [7, 64, 2**20])
def test_a_stream_gives_what_all_records_at_once_give(monkeypatch, block):
    monkeypatch.setattr(streaming, "BLOCK", block)
    rows, signs, account = baskets(), Signs(KEY, 40), StreamCounts()
    parts = list(sketch_stream(line_batches(io.BytesIO(text_of(rows))), METHOD, signs, NAMES, account))
    whole = METHOD.sketch(matrix_of(rows), signs)
    assert np.concatenate([part.counts for part in parts]).tolist() == whole.counts.tolist()
    assert np.concatenate([part.values for part in parts]).tolist() == whole.values.tolist()
    assert account == StreamCounts(300, int((whole.counts == 0).sum()), len(whole.values), 0)
    assert account.suppressed > 0


def test_lines_may_have_labels_separators_and_no_last_newline():
    batch = pa.concat_tables(line_batches(io.BytesIO(b"yes;w1; w2 \r\nno;w3"), ";", label_first=True))
    assert batch.column("label").to_pylist() == ["yes", "no"]
    found = records_of(batch, pa.array(NAMES, pa.large_string()), StreamCounts(), counts=False)
    assert found.matrix.toarray().tolist() == matrix_of([["w1", "w2"], ["w3"]]).tolist()
    assert found.classes[found.labels].tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        ({"item": [["a"]]}, "needs a column"),
        ({"items": ["a"]}, "must hold a list"),
        ({"items": [["a"], None]}, "1 records of a batch are missing"),
        ({"items": [["a"]], "label": pa.array([None], pa.string())}, "no label"),
    ],
)
def test_batches_that_hold_no_records_are_refused(batch, said):
    with pytest.raises(DataError, match=said):
        list(sketch_stream([pa.table(batch)], METHOD, Signs(KEY, 40), NAMES))


def test_lines_must_be_utf8():
    with pytest.raises(DataError, match="UTF-8"):
        list(line_batches(io.BytesIO(b"\xff\xfe\n")))


def test_names_must_fit_the_key():
    with pytest.raises(ParameterError, match="for 40 items; 2"):
        list(sketch_stream([], METHOD, Signs(KEY, 40), ["a", "b"]))


def test_sketches_that_can_carry_their_records_are_refused():
    method = DeltaSketch(0.01, information=None)
    with pytest.raises(CannotRelease, match="all the bits"):
        list(sketch_stream(line_batches(io.BytesIO(text_of(baskets()))), method, Signs(KEY, 40), NAMES))


def test_each_batch_is_checked_before_it_goes_out(monkeypatch):
    monkeypatch.setattr(DeltaSketch, "components", lambda self, X: np.full(len(X), 200))
    method = DeltaSketch(0.5, allow_determined=True)
    with pytest.raises(PromiseBroken, match="is broken"):
        list(sketch_stream(line_batches(io.BytesIO(text_of(baskets()))), method, Signs(KEY, 40), NAMES))


def test_memory_does_not_grow_with_the_stream(monkeypatch):
    monkeypatch.setattr(streaming, "BLOCK", 2**14)
    part, signs = text_of(baskets(500)), Signs(KEY, 40)

    class Endless(io.RawIOBase):
        def __init__(self, times):
            self.left = times

        def read(self, size=-1):
            self.left -= 1
            return part if self.left >= 0 else b""

    def peak(times: int) -> int:
        tracemalloc.start()
        for _ in sketch_stream(line_batches(Endless(times)), METHOD, signs, NAMES):
            pass
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(2)  # compiles
    assert peak(60) < 1.5 * peak(6)


# -- records that gain items -------------------------------------------------------------------------------------------


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_record_that_gains_items_has_the_sketch_of_the_grown_record(data):
    d = data.draw(st.integers(1, 8))
    rows = data.draw(st.lists(st.lists(st.integers(0, 3), min_size=d, max_size=d), min_size=1, max_size=5))
    counts = data.draw(st.lists(st.integers(0, 12), min_size=len(rows), max_size=len(rows)))
    gains = data.draw(
        st.lists(st.tuples(st.integers(0, len(rows) - 1), st.integers(0, d - 1), st.integers(1, 3)), max_size=6)
    )
    signs, X = Signs(KEY, d), np.array(rows)
    before = variance_limits(Records.of(X), 0.3)
    made = sketch(X, signs, counts)
    if gains:
        made = add_items(made, *zip(*[(r, i) for r, i, _ in gains], strict=True), signs, [a for _, _, a in gains])
    for row, item, amount in gains:
        X[row, item] += amount
    assert made.values.tolist() == sketch(X, signs, counts).values.tolist()
    assert (variance_limits(Records.of(X), 0.3) >= before).all()


def test_items_are_gained_not_lost():
    with pytest.raises(ParameterError, match="below zero"):
        add_items(sketch([[1, 1]], Signs(KEY, 2), 3), 0, 1, Signs(KEY, 2), -1)


# -- the key -----------------------------------------------------------------------------------------------------------


def test_the_key_is_made_once_for_the_owner_alone(tmp_path):
    signs, names = owners_key(tmp_path / "owner", ["a", "b"])
    path = tmp_path / "owner" / "key.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    again, _ = owners_key(tmp_path / "owner")
    assert (again.key, names) == (signs.key, ("a", "b"))
    assert read_key(path)[0].key == signs.key
    assert owners_key(tmp_path / "other", ["a", "b"])[0].key != signs.key
    with pytest.raises(DataError, match="key is for 2 items"):
        owners_key(tmp_path / "owner", ["a", "c"])
    os.chmod(path, 0o644)
    with pytest.raises(DataError, match="read by others"):
        owners_key(tmp_path / "owner")


def test_a_key_needs_different_items(tmp_path):
    with pytest.raises(DataError, match="Give a list of items"):
        owners_key(tmp_path)
    for wrong in ([], ["a", "a"]):
        with pytest.raises(DataError, match="different items"):
            owners_key(tmp_path / "owner", wrong)
    assert not (tmp_path / "owner").exists()


# -- the command -------------------------------------------------------------------------------------------------------


def run(*arguments, input=None):
    return CliRunner().invoke(app, ["sketch", *map(str, arguments)], input=input)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "names.txt").write_text("\n".join(NAMES))
    (tmp_path / "rows.txt").write_bytes(text_of(baskets()))
    return tmp_path


def expected(here) -> Sketches:
    signs, _ = read_key(here / "owner" / "key.json")
    return METHOD.sketch(matrix_of(baskets()), signs)


def test_lines_become_a_parquet_file_of_sketches(here):
    done = run("--stream", "rows.txt", "--items", "names.txt", "--owner", "owner", "-o", "out.parquet", "--json")
    assert done.exit_code == GOOD, done.output
    said, whole = json.loads(done.stdout), expected(here)
    assert (said["records"], said["suppressed"], said["unknown_items"]) == (300, (whole.counts == 0).sum(), 0)
    assert Sketches.read(here / "out.parquet").equals(whole)
    assert (here / "owner" / "key.json").stat().st_mode & 0o777 == 0o600


def test_lines_on_standard_input_become_lines(here):
    owners_key(here / "owner", NAMES)
    done = run("--stream", "-", "--owner", "owner", "-o", "-", input=text_of(baskets()))
    assert done.exit_code == GOOD, done.output
    whole = expected(here)
    assert done.stdout == "".join(" ".join(map(str, whole.row(i))) + "\n" for i in range(300))
    assert "300 records" in done.stderr


@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows", "feather", "-", "gz"])
def test_batches_and_packed_lines_are_read(here, kind):
    """An .arrow file may have Arrow's format of files or that of streams; a stream may come on standard input."""
    table = pa.table({"items": baskets(), "label": [str(i % 2) for i in range(300)]})
    labelled, source = kind != "gz", f"rows.{kind}"
    if kind == "parquet":
        pq.write_table(table, source, row_group_size=70)
    elif kind == "gz":
        (here / source).write_bytes(gzip.compress(text_of(baskets())))
    else:
        make = pa.ipc.new_file if kind in ("arrow", "feather") else pa.ipc.new_stream
        with pa.OSFile(source, "wb") as file, make(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=70)
    given = (here / source).read_bytes() if kind == "-" else None
    source = "-" if kind == "-" else source
    done = run("--stream", source, "--items", "names.txt", "--owner", "owner", "-o", "out.parquet", input=given)
    assert done.exit_code == GOOD, done.output
    found, whole = Sketches.read(here / "out.parquet"), expected(here)
    assert found.values.tolist() == whole.values.tolist()
    assert (found.labels is not None) == labelled
    if labelled:
        assert found.classes[found.labels].tolist() == [str(i % 2) for i in range(300)]


def test_sketches_that_can_carry_their_records_need_a_word_on_the_command_line(here):
    asked = ["--stream", "rows.txt", "--items", "names.txt", "--owner", "owner", "-o", "out.parquet"]
    full = ["--delta", "0.01", "--information", "5"]
    done = run(*asked, *full)
    assert done.exit_code == WRONG
    assert "--allow-determined" in " ".join(done.stderr.split())
    assert not (here / "out.parquet").exists()
    assert run(*asked, *full, "--allow-determined").exit_code == GOOD


def test_labelled_lines_are_written_with_their_labels(here):
    (here / "two.txt").write_text("good " + " ".join(NAMES[:20]) + "\nbad " + " ".join(NAMES[20:]) + "\n")
    done = run("--stream", "two.txt", "--label-first", "--items", "names.txt", "--owner", "owner", "-o", "out.txt")
    assert done.exit_code == GOOD, done.output
    assert [line.split("\t")[0] for line in (here / "out.txt").read_text().splitlines()] == ["good", "bad"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--stream none.txt --items names.txt -o out.parquet", "no file 'none.txt'"),
        ("--stream rows.txt -o out.parquet", "Give a list of items"),
        ("--stream rows.txt --items none.txt -o out.parquet", "no file 'none.txt'"),
        ("--stream rows.txt --items names.txt -o names.txt", "exists already"),
        ("--stream rows.txt --items names.txt -o - --json", "cannot both go"),
        ("--stream rows.txt --items names.txt -o out.parquet --delta 0", "--delta must be"),
        ("--stream wrong.parquet --items names.txt -o out.parquet", "cannot be read"),
        ("--stream empty.txt --items names.txt -o out.parquet", "no records"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(here, arguments, said):
    (here / "wrong.parquet").write_text("no parquet")
    (here / "empty.txt").write_text("")
    done = run(*arguments.split(), "--owner", "owner")
    assert done.exit_code == WRONG, done.output
    assert said in " ".join(done.stderr.split())
    assert not (here / "out.parquet").exists()
    assert not list(here.glob(".discreet-partial-*"))


def test_as_batch_has_the_columns_of_published_files(tmp_path):
    made = sketch(np.eye(3, dtype=int) + 1, Signs(KEY, 3), [2, 0, 3]).labelled(
        np.array([0, 1, 0]), np.array(["a", "b"])
    )
    pq.write_table(as_batch(made), tmp_path / "data.parquet")
    assert Sketches.read(tmp_path / "data.parquet").equals(made)


def test_baskets_are_released_as_sketches_on_the_command_line(tmp_path, monkeypatch):
    """Released, verified by a recipient and by the owner; refused when sketches determine records, unless allowed."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    rows = [" ".join(f"w{j}" for j in sorted(rng.choice(200, 15, replace=False).tolist())) for _ in range(60)]
    (tmp_path / "rows.txt").write_text("\n".join(rows) + "\n")
    (tmp_path / "rows.labels").write_text("\n".join("ab"[i % 2] for i in range(60)) + "\n")

    def release(*more: str):
        asked = ["release", "rows.txt", "--baskets", "transactions", "--labels", "rows.labels", "--quiet", *more]
        return CliRunner().invoke(app, asked)

    done = release("--method", "variance-sketch", "--k", "3", "--set", "delta=0.5", "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert (tmp_path / "out/owner/key.json").stat().st_mode & 0o777 == 0o600
    for owner in ([], ["--owner", "out/owner"]):
        seen = CliRunner().invoke(app, ["verify", "out/release", *owner])
        assert seen.exit_code == GOOD, seen.output
    full = ["--method", "delta-sketch", "--set", "delta=0.1", "--set", "information=null", "-o", "full"]
    refused = release(*full)
    assert refused.exit_code == WRONG
    assert "can carry all the bits" in " ".join(refused.stderr.split())
    assert not (tmp_path / "full").exists()
    assert release(*full, "--set", "allow_determined=true").exit_code == GOOD
