# SPDX-License-Identifier: Apache-2.0
"""discreet advise: its command runs, it asks at a terminal only, and it prints no cell."""

import importlib
import json
import os
import shlex
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from checks import MARKERS, people
from discreet import verify
from discreet.cli.app import GOOD, WRONG, app
from discreet.foundation import system
from small_study import written_clinic

pytestmark = pytest.mark.usefixtures("patient")
TABLE = ["advise", "clinic.csv", "--target", "readmitted"]
ITEMS = ["advise", "shop.dat"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("advised")
    written_clinic(folder, 250, seed=4)
    shop = ["data", "write", "quest", "--rows", "150", "--seed", "3", "--set", "classes=2", "--set", "items=40"]
    assert run(*shop, "--quiet", "-o", folder / "shop.dat").exit_code == GOOD
    return folder


@pytest.fixture(autouse=True)
def _here(made, monkeypatch):
    monkeypatch.chdir(made)


def run(*arguments, **more):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **more)


def fails(*arguments):
    done = run(*arguments)
    assert done.exit_code == WRONG, (done.stdout, done.stderr, done.exception)
    return " ".join(done.stderr.split())


DOMAIN = """
age = {cuts = [40, 65]}
sex = ["f", "m"]
readmitted = ["no", "yes"]
"""
ROLES = ["--quasi", "age,sex"]
CASES = {
    "a table": ([*TABLE], "tree-ladder"),
    "its label is known": ([*TABLE, *ROLES, "--label-known"], "tree-ladder"),
    "questions": ([*TABLE, "--wants", "questions"], "mondrian"),
    "true cells": ([*TABLE, "--cells", "true"], "kactus2"),
    "hierarchies": ([*TABLE, "--cells", "hierarchies"], "tds"),
    "a model": ([*TABLE, "--wants", "model"], "kadet"),
    "weights": ([*TABLE, "--wants", "columns"], "private-fwell"),
    "a formal promise": ([*TABLE, *ROLES, "--formal"], "private-table"),
    "every year": ([*TABLE, *ROLES, "--formal", "--again"], "private-table"),
    "items": ([*ITEMS, "--k", "3"], "item-groups"),
    "few items are known": ([*ITEMS, "--known-items", "1"], "km"),
    "all items": ([*ITEMS, "--wants", "questions"], "maximal"),
    "similar ones": ([*ITEMS, "--wants", "similar"], "delta-sketch"),
    "wrong cells": ([*ITEMS, "--cells", "wrong"], "random-flip"),
    "names of items": ([*ITEMS, "--formal"], "exponential-select"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_command_at_the_end_makes_a_verified_release(case, tmp_path):
    asked, method = CASES[case]
    done = run(*asked, "--no-try")
    assert done.exit_code == GOOD, done.output
    assert f"\nTake {method}: " in done.stdout
    with open("domain.toml", "w", encoding="utf-8") as file:
        file.write(DOMAIN)
    before = [line.partition(": discreet ")[2] for line in done.stdout.splitlines() if ": discreet " in line]
    command = shlex.split(done.stdout.strip().splitlines()[-1])
    assert command[:2] == ["discreet", "release"]
    for one in (*map(shlex.split, before), [*command[1:-1], tmp_path / "out", "--no-report"]):
        made = run(*one)
        assert made.exit_code == GOOD, made.output
    kept = {"--owner": tmp_path / "out" / "owner"} if method in ("kadet", "delta-sketch") else {}
    assert verify(tmp_path / "out" / "release", owner=kept.get("--owner")).holds


def test_it_gives_reasons_what_speaks_against_it_and_what_it_tried():
    done = run(*TABLE)
    for word in ("because", "against", "tried", "mind", "Measured on"):
        assert word in done.stdout
    assert "5-anonymity and distinct 2-diversity hold" in done.stdout
    assert "Or mondrian" in done.stdout


def test_several_rows_for_a_person_are_noticed():
    assert "a table, a row for each person" in run(*TABLE, "--no-try").stdout
    done = run(*TABLE, *ROLES, "--person", "patient_id", "--no-try")
    assert "a table, several rows for some persons" in done.stdout
    assert "--person patient_id" in done.stdout.splitlines()[-1]


def test_what_fails_on_the_table_is_not_advised():
    done = run(*TABLE, "--k", "400")
    assert done.exit_code == WRONG
    assert "Not tree-ladder" in done.stdout
    assert "No method that was tried makes a release." in done.stdout
    assert "\nNext" not in done.stdout


def test_json_holds_the_same():
    answer = json.loads(run(*TABLE, "--json").stdout)
    first = answer["candidates"][0]
    assert answer["advice"] == first["method"] == "tree-ladder"
    assert answer["next"] == first["command"]
    assert first["tried"]["holds"]
    assert first["page"] == "docs/methods/tree_ladder.md"
    assert answer["situation"]["rows"] == 250
    assert answer["roles"]["target"] == "readmitted"


def test_it_asks_at_a_terminal_and_nowhere_else(monkeypatch):
    plain = run(*TABLE, "--no-try", input="questions\n")
    assert "Take tree-ladder" in plain.stdout
    monkeypatch.setattr(importlib.import_module("discreet.cli.advise"), "at_terminal", lambda: True)
    asked = run(*TABLE, "--no-try", input="questions\nn\ncoarser\ny\nn\n")
    assert asked.exit_code == GOOD, asked.output
    assert "Take mondrian" in asked.stdout
    assert "--label-known" in asked.stdout.splitlines()[-1]
    assert "What do recipients want" in asked.stderr
    answered = run(*TABLE, "--no-try", "--wants", "model", "--no-formal", "--once", input="")
    assert "Take kadet" in answered.stdout
    assert "What do recipients want" not in answered.stderr


def test_no_cell_is_printed(tmp_path):
    file = tmp_path / "people.csv"
    people(60).to_csv(file, index=False)
    for more in ([], ["--json"], ["--formal"], ["--k", "50"]):
        done = run("advise", file, *more)
        assert not [marker for marker in MARKERS if marker in done.output]


def test_rows_that_outgrow_memory_stay_in_their_file(monkeypatch):
    monkeypatch.setattr(system, "free_memory", lambda: 1000)
    done = run(*TABLE)
    assert done.exit_code == GOOD, done.output
    assert "clinic.csv: about 2" in done.stdout
    assert "tried" not in done.stdout
    assert "--engine duckdb" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", ["PEOPLE.CSV", "people.tsv", "people.txt", "people"])
def test_text_outgrows_memory_whatever_it_is_called(name, tmp_path, monkeypatch):
    shutil.copy("clinic.csv", tmp_path / name)
    monkeypatch.setattr(system, "free_memory", lambda: 1000)
    done = run("advise", tmp_path / name, "--target", "readmitted")
    assert done.exit_code == GOOD, done.output
    assert "--engine duckdb" in done.stdout.splitlines()[-1]


def words_in_bash(line):
    """What bash makes of a line, without running it."""
    found = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True).stdout
    return [os.fsdecode(word) for word in found.split(b"\0")[1:-1]]


def test_a_data_set_whose_name_looks_like_an_option_gets_its_account(tmp_path, monkeypatch):
    shutil.copy("clinic.csv", tmp_path / "-odd.csv")
    monkeypatch.chdir(tmp_path)
    done = run(
        "advise", "--target", "readmitted", *ROLES, "--formal", "--again", "--epsilon", "0.12345678", "--", "-odd.csv"
    )
    assert done.exit_code == GOOD, done.output
    (line,) = [line for line in done.stdout.splitlines() if "Open the account" in line]
    opened = run(*shlex.split(line.partition(": discreet ")[2]))
    assert opened.exit_code == GOOD, opened.output
    account = json.loads(run("ledger", "show", "ledger.sqlite", "--json").stdout)
    assert "-odd" in json.dumps(account)
    command = shlex.split(done.stdout.splitlines()[-1])
    assert command[command.index("--epsilon") + 1] == "0.12345678"
    assert "--epsilon 0.12345678" in line
    assert "--data-set=-odd" in command


def test_names_that_a_terminal_does_not_show_reach_the_command_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    odd = "zip\xa0co\x1bde's"
    rows = [f"{10100 + i % 4},{1950 + i % 3},{'no' if i % 2 else 'yes'}" for i in range(60)]
    (tmp_path / "people.csv").write_text("\n".join([f"{odd},born,ill", *rows]) + "\n", encoding="utf-8")
    for command in ("advise", "inspect"):
        done = run(command, "people.csv", "--target", "ill", "--quasi", f"{odd},born")
        assert done.exit_code == GOOD, done.output
        line = done.stdout.strip().splitlines()[-1]
        assert line.isprintable()
        released = run(*words_in_bash(line)[:-1], command)
        assert released.exit_code == GOOD, released.output
        assert odd in {column.name for column in verify(f"{command}/release").certificate.columns}


def test_files_whose_names_are_no_text_reach_the_command_whole(tmp_path, monkeypatch):
    for kind in ("dat", "labels"):
        shutil.copy(f"shop.{kind}", tmp_path / f"caf\udce9.{kind}")
    monkeypatch.chdir(tmp_path)
    for command in (["advise", "--known-items", "1"], ["inspect"]):
        line = run(*command, "caf\udce9.dat").stdout.strip().splitlines()[-1]
        words = words_in_bash(line)
        assert words[1] == "caf\udce9.dat"
        assert words[words.index("--labels") + 1] == "caf\udce9.labels"


def test_a_number_of_known_items_is_asked_for_until_it_can_be_one(monkeypatch):
    monkeypatch.setattr(importlib.import_module("discreet.cli.advise"), "at_terminal", lambda: True)
    given = ["--wants", "questions", "--no-formal", "--cells", "coarser", "--label-unknown", "--once", "--items"]
    asked = run(*ITEMS, "--no-try", *given, input="-1\n17\n1\n")
    assert asked.exit_code == GOOD, asked.output
    assert asked.stderr.count("A number from 0 to 16.") == 2
    assert "--m 1 " in asked.stdout.splitlines()[-1]


def test_a_file_of_items_without_labels_says_what_is_missing(tmp_path):
    (tmp_path / "visits.dat").write_text("tea bread\nmilk tea\n" * 40, encoding="utf-8")
    done = run("advise", tmp_path / "visits.dat", "--texts")
    assert "Write visits.labels" in done.stdout
    assert "Most single words are too rare" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([*TABLE, "--known-items", "2"], "the file is a table"),
        ([*TABLE, "--quasi", "nothing"], "There is no column 'nothing'"),
        ([*ITEMS, "--quasi", "age"], "Items have a label and no other columns"),
        ([*ITEMS, "--target", "age"], "Lines of items have no columns"),
        (["advise", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_what_is_wrong_is_said(arguments, words):
    assert words in fails(*arguments)
