# SPDX-License-Identifier: Apache-2.0
"""The option --recipe: every command takes one file, options beat it and say so, undecided columns stop it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet import verify
from discreet.cli.app import GOOD, WRONG, app
from discreet.cli.file_options import ReadingOptions
from discreet.cli.given_recipe import GivenRecipe
from discreet.release.certificate import Certificate
from small_study import written_clinic

pytestmark = pytest.mark.usefixtures("patient")

ROLES = """format = 1
[source]
kinds = {zip = "category"}
[roles]
target = "readmitted"
quasi = ["age", "sex", "zip"]
sensitive = ["diagnosis"]
identifiers = ["patient_id", "name"]
"""
ONE = f"{ROLES}[promises]\nk = 5\n[[methods]]\nname = 'mondrian'\n"
SEVERAL = f"{ROLES}[promises]\nk = [5, 10]\n[[methods]]\nname = 'mondrian'\n[[methods]]\nname = 'tds'\n"


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fails(*arguments):
    done = run(*arguments)
    assert done.exit_code == WRONG, (done.stdout, done.stderr, done.exception)
    return " ".join(done.stderr.split())


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    place = tmp_path_factory.mktemp("clinic")
    written_clinic(place, 300, seed=4)
    return place / "clinic.csv"


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def written(text):
        (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
        return tmp_path / "recipe.toml"

    return written


def test_release_takes_roles_method_and_parameters_from_it(clinic, recipe):
    done = run("release", clinic, "--recipe", recipe(ONE), "-o", "out", "--seed", "1")
    assert done.exit_code == GOOD, done.output
    assert "From recipe.toml: mondrian, k = 5." in done.stderr
    certificate = Certificate.read(Path("out/release"))
    assert {column.name: column.role for column in certificate.columns} == {
        "age": "quasi",
        "sex": "quasi",
        "zip": "quasi",
        "diagnosis": "sensitive",
        "readmitted": "target",
    }
    assert verify("out/release").holds


def test_an_option_beats_it_and_a_line_says_so(clinic, recipe):
    options = ["--quasi", "age,diagnosis", "--k", "7"]
    done = run("release", clinic, "--recipe", recipe(ONE), *options, "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert "--quasi: as on the command line, not as in recipe.toml." in done.stderr
    assert "--k: as on the command line, not as in recipe.toml." in done.stderr
    roles = {column.name: column.role for column in Certificate.read(Path("out/release")).columns}
    assert roles == {
        "age": "quasi",
        "diagnosis": "quasi",
        "readmitted": "target",
    }
    assert "7-anonymity" in done.stdout
    assert "command line" not in run("release", clinic, "--recipe", "recipe.toml", *options, "-o", "b", "-q").stderr


def test_several_methods_are_asked_for(clinic, recipe):
    said = fails("release", clinic, "--recipe", recipe(SEVERAL), "-o", "out")
    assert "recipe.toml describes 4 releases, by 'mondrian', 'tds'; release makes one." in said
    assert "such as --method mondrian --k 5" in said
    assert "--method tds --k 5" in fails("release", clinic, "--recipe", "recipe.toml", "--method", "tds", "-o", "out")
    done = run("release", clinic, "--recipe", "recipe.toml", "--method", "tds", "--k", "10", "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert Certificate.read(Path("out/release")).method.name == "tds"
    assert "command line" not in done.stderr  # 10 is one of those in the recipe
    assert "names no method" in fails("release", clinic, "--recipe", recipe(ROLES), "-o", "other")
    assert "No method is named" in fails("release", clinic, "--target", "readmitted", "--quasi", "age", "-o", "other")


def test_what_is_to_be_decided_stops_every_command(clinic, recipe):
    path = recipe(ONE.replace("[promises]", 'decide = ["stay_days", "marital"]\n[promises]'))
    commands = [
        ["release", clinic, "-o", "out"],
        ["evaluate", clinic],
        ["compare", clinic, "-o", "study"],
        ["risk", clinic],
    ]
    for command in commands:
        said = fails(*command, "--recipe", path)
        assert "recipe.toml, line 9: roles.decide: 2 columns await your decision: 'stay_days', 'marital'." in said
        assert "without a role it is not published" in said
    assert "await your decision" in fails("recipe", "check", path)


def test_evaluate_attack_risk_and_compare_take_it(clinic, recipe):
    path = recipe(ONE)
    judged = "[evaluation]\nfolds = '2-fold'\nmeasure = 'brier'\nclassifiers = ['logistic', 'c45']\n"
    recipe(ONE + judged)
    done = run("evaluate", clinic, "--recipe", path, "--classifiers", "naive-bayes", "--no-detail", "--json")
    assert done.exit_code == GOOD, done.output
    found = json.loads(done.stdout)
    assert found["measure"] == "brier"
    assert "2-fold" in json.dumps(found)
    assert "naive-bayes" in done.stdout
    assert "c45" not in done.stdout  # an option beats the recipe
    recipe(ONE)
    assert "No method is named" in fails("evaluate", clinic, "--target", "readmitted")
    assert run("release", clinic, "--recipe", path, "-o", "out", "-q").exit_code == GOOD
    done = run("attack", "out/release", "--known", clinic, "--recipe", path, "--attacks", "prosecutor", "--json")
    assert done.exit_code == GOOD, done.output
    found = json.loads(run("risk", clinic, "--recipe", path, "--json").stdout)
    assert found["quasi"] == ["age", "sex", "zip"]
    assert "Two recipes were given" in fails("compare", clinic, "other.toml", "--recipe", path, "-o", "study")


def test_names_with_commas_and_kinds_reach_the_reader(recipe, tmp_path):
    rows = "\n".join(f"{20 + i % 4};{i % 3};{'yes' if i % 2 else 'no'}" for i in range(60))
    (tmp_path / "x.csv").write_text(rows + "\n", encoding="utf-8")
    path = recipe(
        'format = 1\n[source]\nnames = ["age, in years", "ward", "again"]\ndelimiter = ";"\nheader = false\n'
        'kinds = {ward = "number"}\n[roles]\ntarget = "again"\nquasi = ["age, in years", "ward"]\n'
        "[promises]\nk = 3\n[[methods]]\nname = 'mondrian'\n"
    )
    done = run("release", "x.csv", "--recipe", path, "--kind", "ward=category", "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert {column.name for column in Certificate.read(Path("out/release")).columns} == {
        "age, in years",
        "ward",
        "again",
    }
    reading = GivenRecipe(path, quiet=True).reading(ReadingOptions(kinds=["ward=category"])).arguments
    assert reading["kinds"] == {"ward": "category"}
    assert reading["names"] == ["age, in years", "ward", "again"]


def test_baskets_come_with_their_labels(recipe, tmp_path):
    (tmp_path / "data").mkdir()
    lines = ["tea milk", "tea", "milk bread", "bread"] * 10
    (tmp_path / "data" / "visits.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "data" / "visits.labels").write_text("a\nb\n" * 20, encoding="utf-8")
    path = recipe(
        'format = 1\n[source]\nshape = "transactions"\nlabels = "visits.labels"\n[promises]\nk = 5\n'
        "[[methods]]\nname = 'greedy'\n"
    )
    done = run("release", "data/visits.dat", "--recipe", path, "-o", "out")
    assert done.exit_code == GOOD, done.output
    assert verify("out/release").holds


def test_texts_are_released_and_measured_by_their_words(recipe, tmp_path):
    notes = ["Tea, with milk", "tea", "Milk and bread", "bread"]
    rows = [f'"{notes[row % 4]}",{"ab"[row % 2]}' for row in range(60)]
    (tmp_path / "notes.csv").write_text("\n".join(["note,class", *rows]) + "\n", encoding="utf-8")
    source = 'format = 1\n[source]\nshape = "text"\ntext = "note"\n[roles]\ntarget = "class"\n'
    path = recipe(f"{source}[promises]\nk = 5\n[[methods]]\nname = 'maximal'\n")
    done = run("release", "notes.csv", "--recipe", path, "-o", "out")
    assert done.exit_code == GOOD, done.output
    found = verify("out/release")
    assert found.holds
    assert "tea" in found.content.names
    assert run("evaluate", "notes.csv", "--recipe", path, "--folds", "2-fold").exit_code == GOOD
    assert "reads texts" in fails("risk", "notes.csv", "--recipe", path)
    assert "texts are read into memory" in fails(
        "release", "notes.csv", "--recipe", path, "--engine", "duckdb", "-o", "x"
    )
    noise = recipe(f"{source}[promises]\nepsilon = 1\n[[methods]]\nname = 'laplace-select'\n")
    assert "come from the rows themselves" in fails("release", "notes.csv", "--recipe", noise, "-o", "x")
    wrong = recipe(f"{source}[promises]\nk = 5\n[[methods]]\nname = 'maximal'\n".replace('"note"', '"nota"'))
    assert "There is no column 'nota'. Did you mean 'note'?" in fails(
        "release", "notes.csv", "--recipe", wrong, "-o", "x"
    )
