# SPDX-License-Identifier: Apache-2.0
"""discreet evaluate and discreet cache."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet import Mondrian, ParameterError, Roles, Table, TreeLadder
from discreet.cli.app import GOOD, WRONG, app
from discreet.cli.evaluate import MeasureName, ProtocolName, _methods
from discreet.cli.given_recipe import GivenRecipe
from discreet.evaluate.cross_evaluation import evaluate_utility, label
from discreet.evaluate.evaluation import MEASURES
from discreet.evaluate.protocols import PROTOCOLS
from instances import RARE, baskets, people

ROLES = ["--target", "again", "--quasi", "age,sex,town,job"]
QUICK = ["--folds", "3-fold", "--classifiers", "naive-bayes,tree"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, patient):
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)


def test_the_table_is_that_of_the_library():
    methods = ["--method", "tree-ladder", "--method", "mondrian:split=information", "--k", 5]
    done = run("evaluate", "people.csv", *ROLES, *methods, *QUICK, "--seed", 3)
    assert done.exit_code == GOOD, done.output
    roles = Roles(target="again", quasi=("age", "sex", "town", "job"))
    asked = {"folds": "3-fold", "classifiers": ["naive-bayes", "tree"], "random_state": 3}
    found = evaluate_utility([TreeLadder(5), Mondrian(5, split="information")], Table.of("people.csv"), roles, **asked)
    assert done.stdout.startswith(found.table() + "\n\nWhat a release of seven rows in ten holds")
    bare = run("evaluate", "people.csv", *ROLES, *methods, *QUICK, "--seed", 3, "--no-detail")
    assert bare.stdout == found.table() + "\n"
    assert "Protocol holdout, 3-fold (160 rows)" in done.stdout
    assert RARE not in done.output


def test_json_holds_everything_and_nothing_else_is_printed():
    done = run("evaluate", "people.csv", *ROLES, "--method", "mondrian", "--k", 5, "--k", 150, *QUICK, "--json")
    said = json.loads(done.stdout)
    assert (said["protocol"], said["folds"], said["rows"]) == ("holdout", "3-fold", 160)
    by_name = {(cell["method"], cell["classifier"]): cell for cell in said["results"]}
    assert len(by_name) == 10  # the original, no quasi-identifiers, guessing and two methods, by two classifiers
    assert 0 <= said["kept"]["mondrian(k=5)"]["detail"]["whole"] <= 1
    assert set(said["kept"]) == {"mondrian(k=5)"}  # the other could not release
    assert by_name["mondrian(k=5)", "tree"]["refused"] is None
    assert "k = 150 was asked" in by_name["mondrian(k=150)", "tree"]["refused"]


def test_a_cache_is_kept_shown_and_purged():
    asked = ["evaluate", "people.csv", *ROLES, "--method", "mondrian", "--k", 5, *QUICK, "--cache", "kept", "--jobs", 2]
    first, again = run(*asked), run(*asked)
    assert first.stdout == again.stdout
    shown = run("cache", "show", "kept")
    assert shown.stdout.startswith("12 scores, ")
    assert "       3  mondrian, holdout, tree" in shown.stdout
    assert json.loads(run("cache", "show", "kept", "--json").stdout)["scores"] == 12
    assert run("cache", "purge", "kept").stdout == "12 scores removed. The folder is gone.\n"
    gone = run("cache", "purge", "kept")
    assert gone.exit_code == WRONG
    assert "'kept' is not a cache of discreet" in gone.stderr


def test_a_folder_that_is_no_cache_is_left_alone(tmp_path):
    for command in ("show", "purge"):
        done = run("cache", command, tmp_path)
        assert done.exit_code == WRONG
        assert "Nothing was done." in done.stderr
    done = run("evaluate", "people.csv", *ROLES, "--method", "mondrian", *QUICK, "--cache", tmp_path)
    assert done.exit_code == WRONG
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_what_stays_beside_the_cache_is_said(tmp_path):
    run("evaluate", "people.csv", *ROLES, "--method", "mondrian", *QUICK, "--cache", "kept")
    (tmp_path / "kept" / "mine.txt").write_text("x")
    assert "The folder stays" in run("cache", "purge", "kept").stdout
    said = json.loads(run("cache", "purge", "kept", "--json").stdout)
    assert said == {"format": 1, "removed": 0, "folder_removed": False}


def test_baskets_and_other_measures():
    X, y = baskets()
    pd.DataFrame(X, columns=[f"word {j}" for j in range(X.shape[1])]).assign(label=y).to_csv("words.csv", index=False)
    asked = ["evaluate", "words.csv", "--baskets", "columns", "--target", "label", "--method", "greedy", "--k", 5]
    done = run(*asked, "--folds", "3-fold", "--classifiers", "naive-bayes", "--measure", "auc", "--protocol", "recoded")
    assert done.exit_code == GOOD, done.output
    assert done.stdout.startswith("Protocol recoded, 3-fold (150 rows)")
    assert done.stdout.splitlines()[2].split()[2] == "auc"
    unfit = run(*asked, "--quasi", "a", "--person", "b")
    assert unfit.exit_code == WRONG
    assert "take no '--quasi', '--person'" in unfit.stderr


def test_methods_get_what_they_take():
    named = ["mondrian:split=information", "kadet", "laplace-select:n_features=3"]
    made = _methods(named, [5, 7], [0.5], None, GivenRecipe(None))
    assert [label(method) for method in made] == [
        "mondrian(k=5, split=information)",
        "mondrian(k=7, split=information)",
        "kadet(k=5)",
        "kadet(k=7)",
        "laplace-select(epsilon=0.5, n_features=3)",
    ]
    own, other = _methods(["mondrian:k=9", "mondrian"], [5], None, ["relaxed=true"], GivenRecipe(None))
    assert (own.k, own.relaxed, other.k) == (9, True, 5)
    with pytest.raises(ParameterError, match="None of the methods takes 'k'"):
        _methods(["mondrian:k=9"], [5], None, None, GivenRecipe(None))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (["--method", "mondrain"], "Did you mean 'mondrian'"),
        (["--method", "mondrian", "--set", "swap=0.1"], "None of the methods takes --set swap. It is for kactus2."),
        (["--method", "mondrian:slit=median"], "does not take --set slit: no method has it. Did you mean 'split'?"),
        (["--method", "mondrian", "--classifiers", "c4.5"], "Did you mean 'c45'"),
        (["--method", "mondrian", "--folds", "10"], "--folds must be"),
        (["--method", "mondrian", "--jobs", "0"], "--jobs takes a whole number of at least 1"),
    ],
)
def test_mistakes_are_named(change, said):
    done = run("evaluate", "people.csv", *ROLES, *change)
    assert done.exit_code == WRONG
    assert said in done.stderr


def test_the_options_name_what_the_library_has():
    assert tuple(name.value for name in ProtocolName) == PROTOCOLS
    assert tuple(name.value for name in MeasureName) == MEASURES


def test_cache_compiles_the_kernels_of_all_methods(monkeypatch):
    compiled = []
    monkeypatch.setattr("discreet.cli.cache_kernels.compile_kernels", lambda: compiled.append(1))  # takes minutes
    assert set(json.loads(run("cache", "--json").stdout)) == {"format", "compiled", "loaded", "folder"}
    assert "kernels compiled" in run("cache").stdout
    assert len(compiled) == 2
    misplaced = run("cache", "--json", "show", "kept")
    assert misplaced.exit_code == WRONG
    assert "discreet cache show ... --json" in misplaced.stderr
    assert len(compiled) == 2
