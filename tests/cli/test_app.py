# SPDX-License-Identifier: Apache-2.0
"""The command line: exit statuses, one-paragraph errors without cell values, JSON, and runs that are killed."""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet import __version__
from discreet.cli.app import BROKEN, BUG, GOOD, STOPPED, TERMINATED, WRONG, app
from discreet.errors import PrivacyLeakWarning, PromiseBroken
from discreet.foundation import progress
from discreet.methods import METHODS, Mondrian
from discreet.release.certificate import CERTIFICATE

MARKER = "Quux-7319"  # stands in cells; no message may repeat it
ROLES = ["--target", "again", "--quasi", "age,sex,town", "--sensitive", "ill", "--identifiers", "name"]
RELEASE = [*ROLES, "--method", "mondrian", "--k", "4"]


def people(n=120, seed=0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, n)
    town = rng.choice(["North", "South", "West"], n).astype(object)
    town[5] = f"{MARKER}-town"
    return pd.DataFrame(
        {
            "name": [f"{MARKER}-{i}" for i in range(n)],
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "town": town,
            "ill": rng.choice(["flu", "gout", "cold"], n),
            "again": np.where(age + rng.normal(0, 10, n) > 50, "yes", "no"),
        }
    )


pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, with people.csv."""
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fails(done, status=WRONG):
    """The run ended with this status and one paragraph on standard error that repeats no cell."""
    assert done.exit_code == status, (done.exit_code, done.stdout, done.stderr, done.exception)
    assert done.stdout == ""
    message = done.stderr.strip()
    assert message
    assert "Traceback" not in message
    assert "\n\n" not in message
    assert MARKER not in done.output
    return " ".join(message.split())


def nothing_written(folder: Path, *, beside=("people.csv",)):
    assert sorted(path.name for path in folder.iterdir()) == sorted(beside)


# -- good ----------------------------------------------------------------------------------------------------------


def test_version_and_help():
    assert run("--version").stdout == f"discreet {__version__}\n"
    text = run("--help").stdout
    for command in ("demo", "data", "inspect", "release", "verify", "key"):
        assert command in text


@pytest.mark.parametrize(
    "command", [["demo"], ["data", "list"], ["data", "write"], ["inspect"], ["release"], ["verify"], ["key", "new"]]
)
def test_every_command_has_help_and_json(command):
    text = re.sub(r"\x1b\[[0-9;]*m", "", run(*command, "--help").stdout)
    assert "--json" in text


@pytest.mark.parametrize(("population", "promised"), [("people.csv", "4-map"), ("0.5", "estimated 4-map")])
def test_a_population_is_a_file_or_the_share_that_was_sampled(here, population, promised):
    done = run("release", "people.csv", *RELEASE, "--population", population, "-o", "out")
    assert done.stdout.startswith(f"{promised} holds: 4 required")
    assert run("verify", "out/release", "--owner", "out/owner").exit_code == GOOD


def test_an_unknown_method_lists_them_all(here):
    message = fails(run("release", "people.csv", *ROLES, "--method", "?", "-o", "out"))
    assert all(f"'{name}'" in message for name in METHODS)


def test_the_command_line_loads_nothing_heavy_before_a_command_runs():
    code = (
        "import sys, discreet.cli.app; print([m for m in ('numpy', 'pyarrow', 'sklearn', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_release_then_verify(here):
    done = run("release", "people.csv", *RELEASE, "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert "4-anonymity holds" in done.stdout
    assert MARKER not in done.output
    files = sorted(path.name for path in (here / "out" / "release").iterdir())
    assert files == [CERTIFICATE, "data.csv", "recoding.json"]
    kept = sorted(path.name for path in (here / "out" / "owner").iterdir())
    assert kept == ["report.html", "summary.json", "trace.json"]
    published = pd.read_csv(here / "out" / "release" / "data.csv")
    assert list(published.columns) == ["age", "sex", "town", "ill", "again"]
    assert len(published) == 120
    assert MARKER not in (here / "out" / "owner" / "report.html").read_text(encoding="utf-8")
    assert "Did you mean out/release?" in run("verify", "out/owner").stderr
    checked = run("verify", "out/release")
    assert checked.exit_code == GOOD
    assert "Verified. 4-anonymity holds" in checked.stdout
    assert "detects accidents, not forgery" in checked.stdout
    assert run("verify", "out/release", "--owner", "out/owner", "--quiet").stdout.count("\n") == 1


def test_signing_and_checking_the_key(here):
    keys = json.loads(run("key", "new", "keys", "--json").stdout)
    assert Path(keys["private"]).stat().st_mode & 0o777 == 0o600
    assert run("release", "people.csv", *RELEASE, "-o", "out", "--sign", keys["private"]).exit_code == GOOD
    assert run("verify", "out/release", "--key", keys["public"]).exit_code == GOOD
    other = json.loads(run("key", "new", "other", "--json").stdout)
    done = run("verify", "out/release", "--key", other["public"])
    assert done.exit_code == BROKEN
    assert "a different key" in done.stderr
    assert "never overwritten" in fails(run("key", "new", "keys"))


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_the_same_seed_gives_the_same_bytes(here, format):
    for out in ("one", "two"):
        assert run("release", "people.csv", *RELEASE, "-o", out, "--seed", 3, "--format", format).exit_code == GOOD
    for name in (f"data.{format}", CERTIFICATE):
        assert (here / "one/release" / name).read_bytes() == (here / "two/release" / name).read_bytes()
    assert "3" in json.dumps(json.loads((here / "one/owner/trace.json").read_text())["seed"])


def test_evaluate_measures_and_without_it_the_report_says_so(here):
    plain = run("release", "people.csv", *RELEASE, "-o", "plain")
    assert "--evaluate" in plain.stdout
    assert "--evaluate" in (here / "plain/owner/report.html").read_text(encoding="utf-8")
    done = run("release", "people.csv", *RELEASE, "-o", "out", "--evaluate")
    assert "held-out rows" in done.stdout
    assert "Accuracy on" in (here / "out/owner/report.html").read_text(encoding="utf-8")


def test_a_release_that_cannot_be_evaluated_is_made_and_says_why(here):
    done = run("release", "people.csv", *ROLES, "--method", "mondrian", "--k", 100, "-o", "out", "--evaluate")
    assert done.exit_code == GOOD, done.output
    assert "Could not be measured" in done.stdout


def test_parameters_of_the_method_by_option_and_by_set(here):
    done = run("release", "people.csv", *RELEASE, "--split", "information", "-o", "one", "--json", "--no-report")
    found = json.loads(done.stdout)["summary"]["releases"][0]["parameters"]
    assert (found["k"], found["split"]) == (4, "information")
    assert not (here / "one/owner/report.html").exists()
    done = run("release", "people.csv", *RELEASE, "--max-suppressed", "rows=0.1,cells=1", "-o", "limited", "--json")
    found = json.loads(done.stdout)["summary"]["releases"][0]["parameters"]
    assert found["max_suppressed"] == {"rows": 0.1, "cells": 1}
    message = fails(run("release", "people.csv", *RELEASE, "--max-suppressed", "few", "-o", "three"))
    assert "--max-suppressed takes a share" in message
    options = ["--method", "greedy", "--set", "k=6", "--set", "utility=distcnt", "--set", 'cuts={"age": [40, 60]}']
    done = run("release", "people.csv", *ROLES, *options, "--constraint", "k-anonymity", "-o", "two", "--json")
    found = json.loads(done.stdout)["summary"]["releases"][0]
    assert found["promise"] == "6-anonymity"
    assert found["parameters"]["cuts"] == {"age": [40, 60]}


def test_overwrite_replaces_a_release_and_nothing_else(here):
    assert run("release", "people.csv", *RELEASE, "-o", "out").exit_code == GOOD
    assert "exists already" in fails(run("release", "people.csv", *RELEASE, "-o", "out"))
    assert run("release", "people.csv", *RELEASE, "-o", "out", "--overwrite").exit_code == GOOD
    fails(run("release", "people.csv", *RELEASE, "-o", ".", "--overwrite"))
    assert (here / "people.csv").exists()


def test_names_with_commas_and_brackets_are_names(here):
    people().rename(columns={"age": "age, years", "sex": "[red]sex"}).to_csv("odd.csv", index=False)
    roles = ["--target", "again", "--quasi", "age, years", "--quasi", "[red]sex,town"]
    done = run("release", "odd.csv", *roles, "--method", "mondrian", "-o", "out")
    assert done.exit_code == GOOD, done.output
    seen = run("inspect", "odd.csv", "--target", "again")
    assert "[red]sex" in seen.stdout


def test_persons_are_counted_and_verified_by_the_owner(here):
    frame = pd.concat([people(), people()]).assign(who=lambda f: f["name"])
    frame.to_csv("visits.csv", index=False)
    done = run("release", "visits.csv", *RELEASE, "--person", "who", "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert run("verify", "out/release", "--owner", "out/owner").exit_code == GOOD
    alone = run("verify", "out/release")
    assert alone.exit_code == GOOD
    assert "counted in persons" in alone.stdout


def test_baskets_from_transactions_and_from_columns(here):
    assert run("data", "write", "quest", "--rows", 300, "--set", "classes=2", "-o", "shop.dat").exit_code == GOOD
    options = ["--method", "greedy", "--k", 3]
    transactions = ["--baskets", "transactions", "--labels", "shop.labels"]
    done = run("release", "shop.dat", *transactions, *options, "-o", "out", "--evaluate")
    assert done.exit_code == GOOD, done.output
    assert run("verify", "out/release").exit_code == GOOD
    rng = np.random.default_rng(0)
    flags = pd.DataFrame(rng.integers(0, 2, (80, 4)), columns=list("abcd")).assign(label=rng.choice(["p", "n"], 80))
    flags.to_csv("flags.csv", index=False)
    done = run("release", "flags.csv", "--baskets", "columns", "--target", "label", *options, "-o", "two")
    assert done.exit_code == GOOD, done.output
    assert "labels" in fails(run("release", "shop.dat", "--baskets", "transactions", *options, "-o", "three"))
    assert "--quasi" in fails(run("release", "shop.dat", *transactions, "--quasi", "a", *options, "-o", "three"))
    flags.assign(a=[MARKER] * 80).to_csv("flags.csv", index=False)
    bad = run("release", "flags.csv", "--baskets", "columns", "--target", "label", *options, "-o", "three")
    assert "0/1" in fails(bad)


# -- inspect and data ------------------------------------------------------------------------------------------------


def test_inspect_shows_names_counts_and_risk_but_no_cell(here):
    done = run("inspect", "people.csv", "--target", "again")
    assert done.exit_code == GOOD
    assert MARKER not in done.output
    for text in ("age", "quasi", "identifiers", "k = 1", "unique rows", "rows in groups < 5", "separated by ','"):
        assert text in done.stdout, text
    for cell in ("North", "gout", "yes"):
        assert cell not in done.output


def test_inspect_json_is_what_counting_gives(here):
    found = json.loads(run("inspect", "people.csv", "--quasi", "sex,town", "--json").stdout)
    sizes = people().groupby(["sex", "town"]).size()
    assert found["rows"] == 120
    assert found["risk"]["k"] == sizes.min() == 1
    assert found["risk"]["unique"] == (sizes == 1).sum()
    assert found["dialect"] == {"delimiter": ",", "quote": '"'}
    assert {c["name"]: c["role"] for c in found["columns"]}["name"] == "identifiers"
    assert MARKER not in json.dumps(found)


FIRST = "patient4711 insulin metformin"


@pytest.mark.parametrize("more", [[], ["--baskets", "transactions"], ["--labels", "visits.labels"]])
@pytest.mark.parametrize("lines", [f"{FIRST}\n7 9\n\n7 9 11\n7 9\n", "milk\nmilk rye\ntea\nmilk rye\ntea\n"])
def test_inspect_describes_transactions_by_counts_alone(here, lines, more):
    (here / "visits.dat").write_text(lines)
    (here / "visits.labels").write_text("a\nb\na\nb\na\n")
    done = run("inspect", "visits.dat", *more)
    assert done.exit_code == GOOD, done.output
    assert done.stdout.startswith("visits.dat: transactions, 5 rows, ")
    for item in ("4711", "insulin", "metformin", "milk", "rye", "tea"):
        assert item not in str(done.stdout + done.stderr)
    found = json.loads(run("inspect", "visits.dat", *more, "--json").stdout)
    rows = [frozenset(line.split()) for line in lines.split("\n")[:5]]
    items = {item for row in rows for item in row}
    assert (found["rows"], found["items"], found["ones"]) == (5, len(items), sum(map(len, rows)))
    assert found["risk"]["unique"] == sum(rows.count(row) == 1 for row in rows)
    assert found["items_of_one_row"] == sum(sum(item in row for row in rows) == 1 for item in items)
    assert not items & {word for word in json.dumps(found).replace('"', " ").split() if not word[0].isdigit()}


@pytest.mark.parametrize(
    "command",
    [
        ["release", "visits.dat", "--target", FIRST[:-2], "--quasi", "y", "--method", "mondrian", "-o", "out"],
        ["evaluate", "visits.dat", "--target", FIRST[:-2], "--quasi", "y", "--method", "mondrian"],
        ["recipe", "init", "visits.dat", "--target", FIRST[:-2], "-o", "recipe.toml"],
        ["compare", "visits.dat", "--target", FIRST[:-2]],
        ["inspect", "visits.dat", "--quasi", FIRST[:-2]],
    ],
)
def test_the_first_row_of_transactions_is_no_column_name_in_any_command(here, command):
    (here / "visits.dat").write_text(f"{FIRST}\n7 9\n7 9 11\n")
    assert "metformin" not in fails(run(*command))  # which was not asked for


def test_inspect_reads_a_table_of_one_column_when_it_is_told_to(here):
    (here / "notes.csv").write_text("what was said\nall is well\nnot so well\nall is well\n")
    assert "transactions" in run("inspect", "notes.csv").stdout
    assert "what was said" in run("inspect", "notes.csv", "--header").stdout


def test_inspect_describes_columns_of_baskets(here):
    (here / "items.csv").write_text("milk,tea,y\n1,0,a\n1,1,b\n1,0,a\n")
    done = run("inspect", "items.csv", "--baskets", "columns", "--target", "y")
    assert done.stdout.startswith("items.csv: baskets of 0/1 columns, 3 rows, 2 items, 2 classes\n")
    assert "take no --quasi" in fails(run("inspect", "items.csv", "--baskets", "columns", "--quasi", "tea"))


def test_inspect_takes_options_of_the_file(here):
    people().drop(columns="name").to_csv("raw.txt", sep="|", index=False, header=False, encoding="utf-16")
    names = ["--names", "age,sex,town,ill,again", "--delimiter", "|", "--encoding", "utf-16"]
    found = json.loads(
        run("inspect", "raw.txt", *names, "--kind", "age=category", "--missing", "gout", "--json").stdout
    )
    columns = {column["name"]: column for column in found["columns"]}
    assert columns["age"]["kind"] == "category"
    assert columns["ill"]["missing"] == (people()["ill"] == "gout").sum()


def test_data_list_names_every_set():
    from discreet.samples import names

    found = json.loads(run("data", "list", "--json").stdout)["data"]
    assert [line["name"] for line in found] == list(names())
    assert all(line["about"] for line in found)
    shown = run("data", "list").stdout
    assert all(name in shown for name in names())


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_data_write_gives_a_file_and_a_command_that_works(here, suffix):
    out = f"clinic.{suffix}"
    written = json.loads(run("data", "write", "clinic", "--rows", 200, "--seed", 4, "-o", out, "--json").stdout)
    assert (written["rows"], written["files"]) == (200, [out])
    command = written["release"].split()
    assert command[0] == "discreet"
    if suffix == "parquet":
        assert run(*command[1:]).exit_code == GOOD
        assert run("verify", "out/release").exit_code == GOOD
    assert "exists already" in fails(run("data", "write", "clinic", "-o", out))
    assert run("data", "write", "clinic", "--rows", 50, "-o", out, "--overwrite").exit_code == GOOD


def test_data_write_refuses_what_it_cannot_do(here):
    assert "'clinic'" in fails(run("data", "write", "clinik", "-o", "x.csv"))
    assert ".parquet" in fails(run("data", "write", "clinic", "-o", "x.docx"))
    assert ".dat" in fails(run("data", "write", "quest", "--rows", 50, "-o", "x.csv"))
    assert "option" in fails(run("data", "write", "tic_tac_toe", "--rows", 50, "-o", "x.csv"))
    assert "cannot be written" in fails(run("data", "write", "clinic", "-o", "people.csv/x.csv"))
    nothing_written(here)


# -- bad input -----------------------------------------------------------------------------------------------------


def csv(text):
    return lambda: Path("bad.csv").write_text(text, encoding="utf-8")


def table(change):
    return lambda: change(people()).to_csv("bad.csv", index=False)


BAD_FILES = {
    "no file": (lambda: None, "no file"),
    "empty file": (csv(""), "empty"),
    "header line only": (csv("name,age,sex,town,ill,again\n"), "no rows"),
    "ragged": (csv(f"age,sex,town,ill,again\n1,{MARKER},a,b,yes\n1,{MARKER},no\n"), "ragged: row 3"),
    "repeated name": (csv(f"age,age,town,ill,again\n1,{MARKER},a,b,yes\n"), "more than once"),
    "column without a name": (csv(f"age,,town,ill,again\n1,{MARKER},a,b,yes\n"), "no name"),
    "no header": (csv(f"31,{MARKER},0.5,1999-01-01,-3\n" * 3), "no header line"),
    "open quote": (csv(f'age,again\n1,"{MARKER}\n2,no\n3,yes\n'), "quote"),
    "one class": (table(lambda f: f.assign(again="yes")), "one class only"),
    "fewer than k rows": (table(lambda f: f.head(3)), "only 3 persons"),
    "absent columns": (table(lambda f: f.rename(columns={"town": "towns"})), "Did you mean 'towns'?"),
    "not text": (lambda: Path("bad.csv").write_bytes(b"\x00\x01\x02" * 50), "zero bytes"),
    "broken Parquet": (lambda: Path("bad.csv").write_bytes(b"PAR1" + b"x" * 30), "not a readable Parquet"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_in_one_paragraph(here, case):
    make, expected = BAD_FILES[case]
    make()
    beside = [path.name for path in here.iterdir()]
    assert expected in fails(run("release", "bad.csv", *RELEASE, "-o", "out"))
    nothing_written(here, beside=beside)


def test_rows_without_a_label_are_left_out_and_said(here):
    table(lambda f: f.assign(again=f["again"].where(f.index > 3)))()
    done = run("release", "bad.csv", *RELEASE, "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert "4 of 120 rows have no 'again' and are left out." in done.stderr
    assert MARKER not in done.output
    assert len(pd.read_csv(here / "out" / "release" / "data.csv")) == 116


def test_noise_does_not_show_who_has_a_label(here):
    """All rows are counted; the figures for the owner are of those with a label."""
    table(lambda f: f.assign(again=f["again"].where(f.index > 3)))()
    domain = 'domain={"sex": ["f", "m"], "age": {"cuts": [40, 60]}, "again": ["no", "yes"]}'
    asked = ["--target", "again", "--quasi", "age,sex", "--method", "private-table", "--epsilon", "1", "--set", domain]
    for out, more in (("out", []), ("measured", ["--evaluate"])):
        done = run("release", "bad.csv", *asked, *more, "-o", out)
        assert done.exit_code == GOOD, done.output
        assert "are left out" not in done.output
        assert len(pd.read_csv(here / out / "release" / "data.csv")) == 120


BAD_OPTIONS = {
    "no target": (["--quasi", "age", "--method", "tds"], "needs a target"),
    "no target to cut for": (["--quasi", "age", "--method", "mondrian", "--split", "information"], "need a target"),
    "no target to predict": (["--quasi", "age", "--method", "mondrian", "--evaluate"], "Name it with --target"),
    "no quasi-identifiers": (["--target", "again", "--method", "mondrian"], "needs quasi-identifiers"),
    "absent target": (["--target", "agian", "--quasi", "age", "--method", "mondrian"], "Did you mean 'again'?"),
    "two roles": ([*RELEASE, "--other", "age"], "two roles"),
    "name published": (
        ["--target", "again", "--quasi", "age", "--other", "name", "--method", "mondrian"],
        "like a name",
    ),
    "k of 1": ([*ROLES, "--method", "mondrian", "--k", "1"], "--k must be a whole number of at least 2. Got 1."),
    "unknown method": ([*ROLES, "--method", "mondrain"], "Did you mean 'mondrian'?"),
    "parameter of another method": (
        [*RELEASE, "--utility", "cm"],
        "does not take --utility: it is for greedy, km, maximal or optimal",
    ),
    "unknown parameter": ([*RELEASE, "--set", "splitt=median"], "no method has it. Did you mean 'split'?"),
    "value out of range": ([*RELEASE, "--split", "best"], '--split must be information or median. Got "best".'),
    "set without value": ([*RELEASE, "--set", "split"], "name=value"),
    "unknown kind": ([*RELEASE, "--kind", "age=numbr"], "Did you mean 'number'?"),
    "kind of an absent column": ([*RELEASE, "--kind", "agee=number"], "Did you mean 'age'?"),
    "unknown encoding": ([*RELEASE, "--encoding", "utf-99"], "not an encoding"),
    "long delimiter": ([*RELEASE, "--delimiter", "::"], "one ASCII character"),
    "no key": ([*RELEASE, "--sign", "no.pem"], "not a readable private key"),
    "impossible": ([*ROLES, "--method", "greedy", "--k", "119"], "No feature can be kept"),
    "person who is few": ([*RELEASE, "--person", "sex"], "two roles"),
}


@pytest.mark.parametrize("method", ["mondrian", "tree-ladder"])
@pytest.mark.parametrize("more", [[], ["--sensitive", "ill"]], ids=["quasi alone", "sensitive"])
def test_a_method_that_needs_no_target_releases_without_one(here, method, more):
    done = run("release", "people.csv", "--quasi", "age,sex,town", *more, "--method", method, "--k", "4", "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert "None" not in done.output
    assert "of one class" not in done.output
    assert run("verify", "out/release").exit_code == GOOD
    assert run("report", "out/release", "--public", "-o", "page.html").exit_code == GOOD


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options_are_refused_in_one_paragraph(here, case):
    options, expected = BAD_OPTIONS[case]
    assert expected in fails(run("release", "people.csv", *options, "-o", "out"))
    nothing_written(here)


@pytest.mark.parametrize(
    "arguments",
    [
        ["releas"],
        ["release"],
        ["release", "people.csv"],
        ["verify"],
        ["inspect", "x", "--nonsense"],
        ["demo", "--k", "x"],
    ],
)
def test_wrong_usage_is_status_2(here, arguments):
    done = run(*arguments)
    assert done.exit_code == WRONG
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_folder_that_cannot_be_written_is_refused(here):
    assert "cannot be written" in fails(run("release", "people.csv", *RELEASE, "-o", "people.csv/below"))
    assert "exists already" in fails(run("release", "people.csv", *RELEASE, "-o", "people.csv"))
    nothing_written(here)


def test_a_disk_that_fills_up_leaves_nothing(here, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device", MARKER)

    monkeypatch.setattr("discreet.data.table.Table.write", full)
    assert "No space left" in fails(run("release", "people.csv", *RELEASE, "-o", "out"))
    nothing_written(here)


def test_inspect_refuses_what_is_not_there(here):
    assert "Did you mean 'age'?" in fails(run("inspect", "people.csv", "--quasi", "agee"))
    assert "Did you mean 'again'?" in fails(run("inspect", "people.csv", "--target", "agian"))
    assert "no file" in fails(run("inspect", "people.cvs"))


# -- verify fails --------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(here):
    assert run("release", "people.csv", *RELEASE, "-o", "out").exit_code == GOOD
    return here / "out" / "release"


def test_one_changed_byte_is_found(saved):
    data = bytearray((saved / "data.csv").read_bytes())
    data[len(data) // 2] ^= 1
    (saved / "data.csv").write_bytes(data)
    assert "changed after they were certified" in fails(run("verify", saved), BROKEN)


@pytest.mark.parametrize("field", ["rows", "promise", "measured"])
def test_a_certificate_edited_by_hand_is_found(saved, field):
    path = saved / CERTIFICATE
    statement = json.loads(path.read_text())
    if field == "rows":
        statement["rows"] += 1
    elif field == "promise":
        statement["promise"]["k"] = 40
    else:
        statement["verdict"]["measured"] = 40.0
    path.write_text(json.dumps(statement, indent=2, ensure_ascii=False) + "\n")
    assert "changed after it was sealed" in fails(run("verify", saved), BROKEN)
    path.write_text(json.dumps(statement))
    assert "it was edited" in fails(run("verify", saved), BROKEN)


def test_a_certificate_that_is_none_is_found(saved):
    (saved / CERTIFICATE).write_text(f'{{"format": 1, "note": "{MARKER}"}}')
    assert "reads format 2" in fails(run("verify", saved), BROKEN)


def test_an_extra_file_and_a_missing_file_are_found(saved):
    (saved / "notes.txt").write_text(MARKER)
    assert "1 entry in the folder is not a file that the certificate names" in fails(run("verify", saved), BROKEN)
    (saved / "notes.txt").unlink()
    assert run("verify", saved).exit_code == GOOD
    (saved / "data.csv").unlink()
    assert "are missing" in fails(run("verify", saved), BROKEN)


def test_a_folder_without_a_certificate_cannot_be_verified(saved):
    assert "Did you mean" in fails(run("verify", saved.parent), BROKEN)
    assert "no release folder" in fails(run("verify", saved.parent / "nowhere"), WRONG)


def test_verify_says_in_json_what_is_wrong_and_still_ends_with_1(saved):
    (saved / "notes.txt").write_text(MARKER)
    done = run("verify", saved, "--json")
    assert done.exit_code == BROKEN
    found = json.loads(done.stdout)
    assert found["holds"] is False
    assert len(found["problems"]) == 1
    assert done.stderr == ""


# -- what else may happen -------------------------------------------------------------------------------------------


def test_json_is_all_there_is_on_standard_output(here):
    for arguments in (
        ["release", "people.csv", *RELEASE, "-o", "out", "--evaluate", "--json"],
        ["verify", "out/release", "--json"],
        ["inspect", "people.csv", "--json"],
        ["data", "list", "--json"],
        ["data", "write", "clinic", "--rows", "20", "-o", "c.csv", "--json"],
        ["key", "new", "keys", "--json"],
    ):
        done = run(*arguments)
        assert done.exit_code == GOOD, done.output
        assert json.loads(done.stdout)
        assert done.stderr == ""
        assert MARKER not in done.stdout


def raising(error):
    def release(self, *_, **__):
        raise error

    return release


def test_a_broken_promise_is_status_1(here, monkeypatch):
    monkeypatch.setattr(Mondrian, "release", raising(PromiseBroken("4-anonymity is broken.")))
    assert "broken" in fails(run("release", "people.csv", *RELEASE, "-o", "out"), BROKEN)


def test_an_error_of_our_own_shows_a_place_and_no_value(here, monkeypatch):
    monkeypatch.setattr(Mondrian, "release", raising(KeyError(MARKER)))
    message = fails(run("release", "people.csv", *RELEASE, "-o", "out"), BUG)
    assert "KeyError in discreet.cli.release, line" in message
    assert "--debug" in message


def test_debug_shows_the_traceback_with_a_warning(here, monkeypatch):
    monkeypatch.setattr(Mondrian, "release", raising(KeyError(MARKER)))
    done = run("--debug", "release", "people.csv", *RELEASE, "-o", "out")
    assert done.exit_code == BUG
    assert "may contain private values" in done.stderr
    assert "Traceback" in done.stderr


def test_ctrl_c_is_status_130(here, monkeypatch):
    monkeypatch.setattr(Mondrian, "release", raising(KeyboardInterrupt()))
    assert "Stopped" in fails(run("release", "people.csv", *RELEASE, "-o", "out"), STOPPED)
    nothing_written(here)


def test_only_warnings_about_privacy_are_shown(here, monkeypatch):
    import warnings

    original = Mondrian.release

    def release(self, *arguments, **options):
        warnings.warn(f"{MARKER} overflow", RuntimeWarning, stacklevel=1)
        warnings.warn("the seed is fixed", PrivacyLeakWarning, stacklevel=1)
        return original(self, *arguments, **options)

    monkeypatch.setattr(Mondrian, "release", release)
    done = run("release", "people.csv", *RELEASE, "-o", "out")
    assert done.exit_code == GOOD
    assert done.stderr == "Warning: the seed is fixed\n"


def test_what_lasts_is_announced_unless_nobody_looks(here, monkeypatch):
    original = Mondrian.release

    def release(self, *arguments, **options):
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):  # what it waits for has come, however busy the machine is
                thread.join()
        return original(self, *arguments, **options)

    monkeypatch.setattr(Mondrian, "release", release)
    monkeypatch.setattr(progress, "PATIENCE", 0.1)
    assert "Releasing 120 rows with mondrian ...\n" in run("release", "people.csv", *RELEASE, "-o", "a").stderr
    assert run("release", "people.csv", *RELEASE, "-o", "b", "--quiet").stderr == ""
    assert run("release", "people.csv", *RELEASE, "-o", "c", "--json").stderr == ""


# -- killed ---------------------------------------------------------------------------------------------------------

SLOW = """
import sys, time
from discreet.release.owner_files import OwnerFiles
write = OwnerFiles.write
def slow(self, folder, *rest):
    write(self, folder, *rest)
    time.sleep(600)
OwnerFiles.write = slow
from discreet.cli.app import main
sys.argv[0] = "discreet"
main()
"""


def start(folder, script):
    command = [sys.executable, "-c", script, "release", "people.csv", *RELEASE, "-o", "out"]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(condition, process, seconds=300):
    until = time.monotonic() + seconds
    while not condition():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            pytest.fail(f"it did not come to that: {process.communicate()}")
        time.sleep(0.02)


def partial(folder):
    return [path for path in folder.iterdir() if path.name.startswith(".discreet-partial-")]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("sent", "status"),
    [(signal.SIGTERM, TERMINATED), (signal.SIGINT, STOPPED), (signal.SIGHUP, 129)],
    ids=["term", "int", "hup"],
)
def test_a_run_that_is_told_to_stop_while_writing_leaves_nothing(here, sent, status):
    people(20_000).to_csv("people.csv", index=False)
    process = start(here, SLOW)
    wait_until(lambda: any((path / "new" / "owner" / "trace.json").exists() for path in partial(here)), process)
    process.send_signal(sent)
    out, error = process.communicate(timeout=300)
    assert process.returncode == status
    assert out == ""
    assert "Traceback" not in error
    assert MARKER not in error
    nothing_written(here)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_run_that_is_killed_leaves_no_release_and_the_next_one_cleans_up(here):
    process = start(here, SLOW)
    wait_until(lambda: any((path / "new" / "release" / CERTIFICATE).exists() for path in partial(here)), process)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (here / "out").exists()
    assert run("release", "people.csv", *RELEASE, "-o", "out").exit_code == GOOD
    nothing_written(here, beside=("people.csv", "out"))
    assert run("verify", "out/release").exit_code == GOOD


def test_the_installed_command_answers(here):
    command = Path(sys.executable).with_name("discreet")
    if not command.exists():
        command = shutil.which("discreet") or pytest.skip("the command is not installed beside this Python")
    for way in ([command], [sys.executable, "-m", "discreet"]):
        done = subprocess.run([*way, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout == f"discreet {__version__}\n"
    assert done.stderr == ""
    narrow = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([command, "--help"], capture_output=True, text=True, check=False, env=narrow)
    assert done.returncode == GOOD, done.stderr


def test_an_id_and_a_key_are_asked_for_on_the_command_line(saved, here):
    keys = json.loads(run("key", "new", "keys", "--json").stdout)
    assert run("key", "show", keys["public"]).stdout.strip() == keys["key"]
    answer = json.loads(run("verify", saved, "--json").stdout)
    assert len(answer["id"]) == 32
    assert answer["remarks"]
    assert f"id         {answer['id']}" in run("verify", saved, "--id", answer["id"]).stdout
    assert "not the expected release" in fails(run("verify", saved, "--id", "0" * 32), BROKEN)
