# SPDX-License-Identifier: Apache-2.0
"""discreet release --engine: the same release and summary as of a file in memory, as far as counts tell."""

import json
import shlex
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from discreet.cli.app import GOOD, WRONG, app
from discreet.foundation import progress
from engine_cases import people

ROLES = "--target y --quasi age,job,born --sensitive ill --other pay --identifiers name"
METHOD = "--method mondrian --k 4 --seed 1"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a table in Parquet parts, in CSV parts, and in one file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "PATIENCE", 1000)
    table = people(400)
    for folder in ("parts", "texts"):
        (tmp_path / folder).mkdir()
    for name, part in (("a", table.slice(0, 150)), ("b", table.slice(150))):
        pq.write_table(part, f"parts/{name}.parquet")
        pacsv.write_csv(part, f"texts/{name}.csv")
    pq.write_table(table, "all.parquet")
    return tmp_path


def run(line):
    return CliRunner().invoke(app, shlex.split(line))


def test_it_says_what_is_left_out_and_how_texts_are_read(tmp_path, monkeypatch):
    """As a release in memory says it: a comment, a footer, a decimal comma."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{20 + i % 3};1.{i % 2:03d},5;{'no' if i % 3 else 'yes'}\n" for i in range(60))
    Path("one.csv").write_text(f"# made today\nage;pay;y\n{rows}\nSource: the office\n", encoding="utf-8")
    how = f"--target y --quasi age,pay {METHOD}"
    in_memory = run(f"release one.csv {how} -o memory")
    found = run(f"release one.csv --engine duckdb {how} -o out")
    assert (found.exit_code, in_memory.exit_code) == (GOOD, GOOD), found.output
    for sentence in ("1 line of comments (#) left out.", "1 line that is no row left out."):
        assert sentence in in_memory.stderr
        assert sentence in found.stderr
    assert "with a decimal comma" in found.stderr
    assert "left out" not in run(f"release one.csv --engine duckdb {how} -o quiet -q").stderr
    Path("texts").mkdir()
    for name in ("a", "b"):
        Path(f"texts/{name}.csv").write_text(
            ("# made\n" if name == "a" else "") + f"age;pay;y\n{rows}", encoding="utf-8"
        )
    found = run(f"release 'texts/*.csv' --engine duckdb {how} -o both")
    assert "1 line of comments (#) left out. This is so in 1 of 2 files." in found.stderr


def published(folder):
    return Counter(tuple(row.values()) for row in pq.read_table(folder).to_pylist())


@pytest.mark.parametrize("source", ["parts", "parts/*.parquet", "texts/*.csv"])
def test_the_same_rows_and_figures_as_of_a_file_in_memory(here, source):
    found = run(f"release '{source}' --engine duckdb --memory 500MB --threads 1 {ROLES} {METHOD} -o out --json")
    expected = run(f"release all.parquet {ROLES} {METHOD} -o memory --format parquet --json")
    assert (found.exit_code, expected.exit_code) == (GOOD, GOOD), found.output
    assert published("out/release/table") == published("memory/release/data.parquet")
    of_engine, of_file = (json.loads(one.stdout)["summary"] for one in (found, expected))
    assert of_engine["source"]["rows"] == 400
    averages = [risk.pop("average") for risk in (of_engine["risk_before"], of_file["risk_before"])]
    assert averages[0] == pytest.approx(averages[1])
    assert of_engine["risk_before"] == of_file["risk_before"]
    (one,), (other,) = of_engine["releases"], of_file["releases"]
    same = {
        "verdict",
        "changes",
        "losses",
        "column_changes",
        "risk_after",
        "promise",
        "columns_published",
        "certificate",
    }
    assert {key: one[key] for key in same} == {key: other[key] for key in same}
    assert one["kept"]["detail"] == other["kept"]["detail"]
    assert one["kept"]["content"] == other["kept"]["content"]
    assert one["warnings"] == []
    assert one["kept"]["tables"] is None
    assert any("not shown" in note for note in one["notes"])


def test_what_is_printed_and_what_is_left(here):
    answer = run(f"release parts --engine duckdb {ROLES} {METHOD} -o out")
    assert answer.exit_code == GOOD, answer.output
    assert "4-anonymity holds: 4 required" in answer.output
    assert "Not measured: the rows stay in the engine" in answer.output
    assert sorted(path.name for path in here.iterdir()) == ["all.parquet", "out", "parts", "texts"]
    assert {path.name for path in (here / "out/owner").iterdir()} == {"report.html", "summary.json", "trace.json"}
    assert "<h1" in (here / "out/owner/report.html").read_text()
    assert run("verify out/release --owner out/owner").exit_code == GOOD


def test_persons_are_counted_and_only_the_owner_has_them(here):
    line = f"release parts --engine duckdb --target y --quasi job,age --person who {METHOD} -o out"
    assert run(line).exit_code == GOOD
    assert (here / "out/owner/persons/part-00000.parquet").stat().st_mode & 0o777 == 0o600
    assert run("verify out/release --owner out/owner").exit_code == GOOD


@pytest.mark.parametrize(
    ("method", "asked"),
    [("private-table", ""), ("laplace-select", "--set n_features=2"), ("exponential-select", "--set n_features=2")],
)
def test_differential_privacy_reads_the_cells_of_an_engine(here, method, asked):
    domain = {"y": ["no", "yes"], "job": ["nurse", "clerk", "smith", "baker"], "ill": ["flu", "gout", "cold"]}
    (here / "domain.json").write_text(json.dumps(domain))
    line = f"release parts --engine duckdb --target y --quasi job,ill --method {method} {asked} -o out"
    answer = run(f"{line} --epsilon 2 --set domain=domain.json")
    assert answer.exit_code == GOOD, answer.output
    assert "Publish  out/release" in answer.output
    assert run("verify out/release").exit_code == GOOD
    assert sorted(path.name for path in here.iterdir()) == ["all.parquet", "domain.json", "out", "parts", "texts"]
    again = run(f"{line} --epsilon 2 --set domain=domain.json --json --overwrite")
    assert json.loads(again.stdout)["report"] == "out/owner/report.html"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"release parts --engine duckdb --item job --target y {METHOD} -o out --dry-run", "take no --dry-run"),
        (f"release parts --engine duckdb --item job --target y {METHOD} -o out --sink x", "take no --sink"),
        (f"release parts --engine duckdb {ROLES} {METHOD} -o out --evaluate", "--evaluate holds rows out"),
        (f"release parts --engine duckdb --baskets columns {METHOD} -o out", "--engine takes tables"),
        (f"release all.parquet --memory 1GB {ROLES} {METHOD} -o out", "only engines take this"),
        (f"release parts --engine duck {ROLES} {METHOD} -o out", "There is no engine 'duck'. Did you mean 'duckdb'?"),
        (f"release nothing --engine duckdb {ROLES} {METHOD} -o out", "no file 'nothing'"),
        (f"release --engine duckdb {ROLES} {METHOD} -o out", "Nothing says where the rows are"),
        (f"release {ROLES} {METHOD} -o out", "Nothing says where the rows are"),
        (f"release parts --engine duckdb --memory much {ROLES} {METHOD} -o out", "memory_limit is text such as '4GB'"),
        (f"release parts --engine duckdb --format csv {ROLES} {METHOD} -o out", "saved as Parquet"),
        (f"release parts --engine duckdb {ROLES} --method mondrian --set relaxed=true -o out", "in memory"),
        (f"release parts --engine duckdb --target y --quasi name,nobody {METHOD} -o out", "not in the table: 'nobody'"),
    ],
)
def test_what_is_refused(here, line, message):
    answer = run(line)
    assert answer.exit_code == WRONG
    assert message in " ".join(answer.output.split())
    assert not (here / "out").exists()
    assert sorted(path.name for path in here.iterdir()) == ["all.parquet", "parts", "texts"]


@pytest.mark.parametrize("method", ["private-table", "laplace-select --set n_features=1"])
def test_a_private_release_of_a_database_is_summarised(here, method):
    with closing(sqlite3.connect("rows.db")) as database:
        database.execute("CREATE TABLE rows (a, y)")
        database.executemany("INSERT INTO rows VALUES (?, ?)", [(str(i % 2), str(i % 3)) for i in range(500)])
        database.commit()
    Path("domain.json").write_text('{"a": ["0", "1"], "y": ["0", "1", "2"]}')
    asked = f"--target y --quasi a --method {method} --set epsilon=1 --set domain=domain.json"
    found = run(f"release rows.db --engine duckdb {asked} -o out")
    assert found.exit_code == GOOD, found.output
    assert "differential privacy holds" in found.output
    found = run(f"release rows.db --engine duckdb {asked} -o out --overwrite --json")
    summary = json.loads(found.stdout)["summary"]
    assert (summary["source"]["rows"], summary["risk_before"]["k"], summary["holds"]) == (500, 250, True)
