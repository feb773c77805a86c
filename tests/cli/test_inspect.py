# SPDX-License-Identifier: Apache-2.0
"""discreet inspect: what it says, that its last line runs, and that its recipe is taken by the others."""

import json
import shlex

import pytest
from typer.testing import CliRunner

from checks import MARKERS, people
from discreet import verify
from discreet.cli.app import GOOD, WRONG, app
from discreet.study import read_recipe
from small_study import written_clinic

pytestmark = pytest.mark.usefixtures("patient")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fails(*arguments):
    done = run(*arguments)
    assert done.exit_code == WRONG, (done.stdout, done.stderr, done.exception)
    return " ".join(done.stderr.split())


def last_command(done):
    """The last line, which is a command, without its first word."""
    assert done.exit_code == GOOD, done.output
    return shlex.split(done.stdout.strip().split("\n")[-1])[1:]


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written_clinic(tmp_path, 300, seed=4)
    return "clinic.csv"


def test_it_ends_with_a_command_that_can_be_copied(clinic):
    done = run("inspect", clinic)
    command = last_command(done)
    assert command[:2] == ["release", "clinic.csv"]
    assert run(*command).exit_code == GOOD
    assert verify("out/release").holds
    assert "Decide 1 column: 'stay_days'" in done.stdout


ROWS = "".join(f"{20 + i % 4};{'fm'[i % 2]};{'no' if i % 3 else 'yes'}\n" for i in range(24))


@pytest.mark.parametrize("above", ["# made today\n", "# made today, by hand\n# second remark\n", "sep=;\n"])
def test_a_comment_above_a_table_makes_it_no_transactions(above, tmp_path):
    (tmp_path / "people.csv").write_text(f"{above}age;sex;ill\n{ROWS}", encoding="utf-8")
    done = run("inspect", tmp_path / "people.csv")
    assert done.exit_code == GOOD, done.output
    assert "people.csv: 24 rows, 3 columns, cells separated by ';'" in done.stdout


def test_transactions_stay_transactions(tmp_path):
    (tmp_path / "shop.txt").write_text("# milk\nmilk bread\n\nbeer,wine tea\nrye\n", encoding="utf-8")
    done = run("inspect", tmp_path / "shop.txt")
    assert "shop.txt: transactions" in done.stdout, done.output


def test_the_delimiter_is_that_of_the_rows_below_a_title(tmp_path):
    title = "People, sick, or well, by age, and by sex\n\n"
    (tmp_path / "people.csv").write_text(f"{title}age;sex;ill\n{ROWS}", encoding="utf-8")
    assert "24 rows, 3 columns, cells separated by ';'" in run("inspect", tmp_path / "people.csv").stdout
    found = json.loads(run("inspect", tmp_path / "people.csv", "--json").stdout)
    assert found["dialect"] == {"delimiter": ";", "quote": '"'}


def test_names_that_need_quotes_reach_the_next_command_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["zip, code;birth year;ill"] + [
        f"{10100 + i % 4};{1950 + i % 3};{'no' if i % 2 else 'yes'}" for i in range(60)
    ]
    (tmp_path / "my table.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("inspect", "my table.csv", "--target", "ill", "--delimiter", ";", "--kind", "zip, code=category")
    command = last_command(done)
    assert "'my table.csv'" in done.stdout
    assert command[4:8] == ["--quasi", "zip, code", "--quasi", "birth year"]
    assert run(*command).exit_code == GOOD
    assert {"zip, code", "birth year", "ill"} == {column.name for column in verify("out/release").certificate.columns}


def test_a_recipe_is_written_refused_until_decided_and_then_taken(clinic, tmp_path):
    done = run("inspect", clinic, "--recipe", "recipe.toml")
    assert "Written  recipe.toml: a role for each of 11 columns, 1 of them to decide." in done.stdout
    command = last_command(done)
    assert command == shlex.split("release clinic.csv --recipe recipe.toml --method tree-ladder --k 5 -o out")
    said = fails(*command)
    assert "roles.decide: 1 column awaits your decision: 'stay_days'." in said
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    decided = text.replace('decide = ["stay_days"]', 'other = ["stay_days"]')
    assert decided != text
    (tmp_path / "recipe.toml").write_text(decided, encoding="utf-8")
    assert run(*command).exit_code == GOOD
    assert "stay_days" in {column.name for column in verify("out/release").certificate.columns}


def test_a_recipe_that_exists_is_inspected_with_and_left_as_it_is(clinic, tmp_path):
    run("inspect", clinic, "--recipe", "recipe.toml")
    before = (tmp_path / "recipe.toml").read_bytes()
    again = json.loads(run("inspect", clinic, "--recipe", "recipe.toml", "--json").stdout)
    assert (tmp_path / "recipe.toml").read_bytes() == before
    assert again["undecided"] == ["stay_days"]
    assert again["quasi"] == ["age", "sex", "zip", "occupation", "marital", "admitted"]
    assert {one["reason"] for one in again["columns"]} == {"as you decided"}
    fewer = run("inspect", clinic, "--recipe", "recipe.toml", "--quasi", "age,sex")
    assert "--quasi: as on the command line, not as in recipe.toml." in fewer.stderr
    assert "On the quasi-identifiers 'age', 'sex':" in fewer.stdout
    replaced = run("inspect", clinic, "--quasi", "age,sex", "--recipe", "recipe.toml", "--overwrite")
    assert replaced.exit_code == GOOD, replaced.output
    assert read_recipe("recipe.toml", undecided=True).roles.quasi == ("age", "sex")
    assert "leave it out" in fails("inspect", clinic, "--overwrite")
    (tmp_path / "folder").mkdir()
    assert "is no file" in fails("inspect", clinic, "--recipe", "folder")


def test_json_holds_all_of_it_and_no_cell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    done = run("inspect", "people.csv", "--target", "again", "--json")
    found = json.loads(done.stdout)
    assert {"columns", "risk", "together", "singling_out", "changes", "known_besides", "undecided", "next"} <= set(
        found
    )
    assert {"distinction", "separation", "alone", "rare_values", "rare_rows"} <= set(found["columns"][0])
    assert found["next"].startswith("discreet release people.csv ")
    assert not [marker for marker in MARKERS if marker in done.stdout]


def test_how_cells_were_read_is_said(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["age;income;ill"] + [f"{20 + i};1.{100 + i},50;{'no' if i % 2 else 'yes'}" for i in range(40)]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "Column 'income': 40 cells with a decimal comma" in run("inspect", "x.csv").stdout


def test_without_known_columns_all_are_looked_at(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["glucose,insulin,ill"] + [f"{i % 3},{i % 4},{'no' if i % 2 else 'yes'}" for i in range(60)]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("inspect", "x.csv")
    assert "Decide 2 columns: 'glucose', 'insulin'." in done.stdout
    assert "On the suggested quasi-identifiers 'glucose', 'insulin':" in done.stdout
    assert run(*last_command(done)).exit_code == GOOD


def test_baskets_end_with_a_command_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["tea milk", "tea", "milk bread", "bread tea"] * 10 + ["rare tea"]
    (tmp_path / "visits.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("inspect", "visits.dat")
    assert "one item singles out  1 row\n" in done.stdout
    assert "Labels   a release needs a label for each row" in done.stdout
    (tmp_path / "visits.labels").write_text("a\nb\n" * 20 + "a\n", encoding="utf-8")
    done = run("inspect", "visits.dat", "--labels", "visits.labels", "--recipe", "recipe.toml")
    command = last_command(done)
    assert command[:2] == ["release", "visits.dat"]
    assert run(*command).exit_code == GOOD
    assert verify("out/release").holds
    assert read_recipe("recipe.toml").source.labels == "visits.labels"
    assert "rare" not in done.stdout.replace("rare items", "")
