# SPDX-License-Identifier: Apache-2.0
"""discreet choose: rankings of folders and files, plots, JSON, and errors that say what to do."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet.choose import Measure, Result, Results
from discreet.cli.app import BROKEN, GOOD, WRONG, app

ROWS = {"baseline": (0.80, 5, 9), "few": (0.79, 20, 3), "poor": (0.70, 4, 9), "unmeasured": (None, 50, 1)}
WEIGHTS = "utility=0.5,privacy=0.25,size=0.25"


pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study of four candidates, one of them without utility."""
    monkeypatch.chdir(tmp_path)
    found = [
        Result(name=name, measures={"privacy": p, "size": s} | ({} if u is None else {"utility": u}))
        for name, (u, p, s) in ROWS.items()
    ]
    (tmp_path / "study").mkdir()
    Results(candidates=found, baseline="baseline").write(tmp_path / "study" / "results.parquet")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fails(*arguments, status=WRONG):
    done = run("choose", *arguments)
    assert done.exit_code == status, (done.stdout, done.stderr, done.exception)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def test_it_names_best_second_front_and_knee(study):
    done = run("choose", "study", "--weights", WEIGHTS)
    assert done.exit_code == GOOD, done.output
    lines = dict(line.split(None, 1) for line in done.stdout.splitlines() if line[:1].isupper())
    assert lines["Best"] == "few"
    assert lines["Second"] == "best  baseline"
    assert lines["Front"] == "'few', 'baseline'"
    assert lines["Knee"] == "few"
    assert lines["Left"] == "out     'unmeasured': a measure with a weight is missing"
    assert "0.79 (2)" in done.stdout  # the value and its rank
    assert run("choose", "study", "--weights", WEIGHTS, "--quiet").stdout == "Best         few\n"


def test_weights_are_equal_if_none_are_given_and_fractions_are_exact(study):
    equal = json.loads(run("choose", "study", "--json").stdout)
    assert equal == json.loads(run("choose", "study", "--weights", "utility=1/3,privacy=1/3,size=1/3", "--json").stdout)
    assert equal["ranking"][0]["score"] == 8 / 3
    assert equal["format"] == 1


def test_a_weight_of_0_leaves_nobody_out(study):
    found = json.loads(run("choose", "study", "--weights", "utility=0,privacy=0.5,size=0.5", "--json").stdout)
    assert found["left_out"] == []
    assert found["best"] == "unmeasured"
    assert [criterion["name"] for criterion in found["criteria"]] == ["privacy", "size"]


def test_by_value_is_another_score(study):
    found = json.loads(run("choose", "study", "--weights", WEIGHTS, "--by", "value", "--json").stdout)
    assert found["by"] == "value"
    assert all(row["score"] == row["score_by_value"] <= 1 for row in found["ranking"])


def test_the_way_of_a_measure_can_be_said(study):
    frame = pd.DataFrame({"name": ["a", "b"], "seconds": [1.0, 2.0], "privacy": [0.1, 0.2]})
    frame.to_csv("times.csv", index=False)
    assert "more or less of 'seconds'" in fails("times.csv", "--weights", "seconds=1")
    for option, best in (("--lower", "a"), ("--higher", "b")):
        done = run("choose", "times.csv", "--weights", "seconds=0.5,privacy=0.5", option, "seconds,privacy", "--json")
        assert json.loads(done.stdout)["best"] == best
    assert "'size' has none" in fails("times.csv", "--weights", "seconds=1", "--lower", "size")
    both = ("--lower", "seconds", "--higher", "seconds")
    assert "cannot be in both --lower and --higher" in fails("times.csv", "--weights", "seconds=1", *both)


def test_a_way_that_is_said_overrules_the_file(study):
    meaning = Measure(title="Loss", unit="%", higher_is_better=False, scale=(100.0, 0.0))
    results = [Result(name=name, measures={"loss": value}) for name, value in (("a", 1), ("b", 2))]
    Results(candidates=results, measures={"loss": meaning}).write(study / "loss.json")
    assert json.loads(run("choose", "loss.json", "--weights", "loss=1", "--json").stdout)["best"] == "a"
    found = json.loads(run("choose", "loss.json", "--weights", "loss=1", "--higher", "loss", "--json").stdout)
    assert found["best"] == "b"
    assert found["criteria"][0] | {"weight": 1.0} == {
        "name": "loss",
        "title": "Loss",
        "unit": "%",
        "higher_is_better": True,
        "weight": 1.0,
    }


def test_the_plots_are_one_file_that_is_not_overwritten_by_accident(study):
    done = run("choose", "study", "--weights", WEIGHTS, "--plot", "choice.html")
    assert done.stdout.endswith("Plots        choice.html\n")
    page = (study / "choice.html").read_text(encoding="utf-8")
    assert (study / "choice.html").stat().st_mode & 0o777 == 0o600
    assert "few is the best of 3 candidates" in page
    assert "Beside the baseline" in page
    assert "Left out, because a measure is missing: unmeasured." in page
    assert "exists already" in fails("study", "--weights", WEIGHTS, "--plot", "choice.html")
    again = run("choose", "study", "--weights", WEIGHTS, "--plot", "choice.html", "--overwrite", "--baseline", "poor")
    assert again.exit_code == GOOD
    assert (study / "choice.html").read_text(encoding="utf-8") != page
    assert "cannot be written" in fails("study", "--weights", WEIGHTS, "--plot", "nowhere/choice.html")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "no study 'nowhere'"),
        (["study", "--weights", "utility"], "--weights takes name=value"),
        (["study", "--weights", "utility=much"], "The weight of 'utility' is not a number"),
        (["study", "--weights", "utility=1/0"], "not a number"),
        (["study", "--weights", "utility=0.9"], "sum to 0.9"),
        (["study", "--weights", "utility=0"], "all of them are 0. Give one of them a weight."),
        (["study", "--weights", "utilty=1"], "Did you mean 'utility'?"),
        (["study", "--weights", "utility=0.5,size=0.5,utility=0.5"], "names a measure twice"),
        (["study", "--baseline", "baselin"], "There is no candidate 'baselin'. Did you mean 'baseline'?"),
    ],
)
def test_what_is_wrong_is_named(study, arguments, message):
    assert message in fails(*arguments)


def test_releases_that_were_measured_are_candidates(study, monkeypatch):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 300)
    label = np.where(age + rng.normal(0, 9, 300) > 50, "yes", "no")
    pd.DataFrame({"age": age, "sex": rng.choice(["f", "m"], 300), "y": label}).to_csv("people.csv", index=False)
    for k in (3, 30):
        options = ["--target", "y", "--quasi", "age,sex", "--method", "mondrian", "--k", k, "--evaluate"]
        assert run("release", "people.csv", *options, "-o", f"out/k{k}").exit_code == GOOD
    done = run("choose", "out", "--weights", "utility=0.1,privacy=0.9", "--json")
    found = json.loads(done.stdout)
    assert found["best"] == "k30"
    assert [criterion["title"] for criterion in found["criteria"]] == ["Accuracy on held-out rows", "k-anonymity"]
    alone = json.loads(run("choose", "out/k3", "--weights", "utility=1", "--json").stdout)
    assert alone["best"] == "k3"
    assert json.loads(run("choose", "out/k3/release", "--weights", "size=1", "--json").stdout)["best"] == "k3"
    monkeypatch.chdir(study / "out" / "k3")
    assert json.loads(run("choose", ".", "--weights", "size=1", "--json").stdout)["best"] == "k3"
    monkeypatch.chdir(study)
    data = study / "out" / "k3" / "release" / "data.csv"
    data.write_bytes(data.read_bytes() + b"\n")
    assert "'k3' is no candidate" in fails("out", status=BROKEN)


def test_the_subsets_that_a_selection_chose_among_are_candidates(study):
    rng = np.random.default_rng(0)
    y, ill = rng.choice(["no", "yes"], 200), rng.choice(["flu", "gout"], 200)
    job = np.where(rng.random(200) < 0.8, ill, "none")
    sex = np.where(rng.random(200) < 0.8, y, "none")
    pd.DataFrame({"job": job, "sex": sex, "ill": ill, "y": y}).to_csv("people.csv", index=False)
    roles = ["--target", "y", "--quasi", "job,sex", "--sensitive", "ill", "--method", "breach-aware", "--evaluate"]
    settings = ["--set", "attackers=c45,naive-bayes", "--set", "alpha=-0.1", "--set", "folds=5"]
    done = run("release", "people.csv", *roles, *settings, "-o", "out")
    assert done.exit_code == GOOD, done.output
    weights = "performance=0.5,pbi=0.25,size=0.25"
    asked = ("choose", "out/owner/candidates.json", "--weights", weights, "--json", "--plot", "subsets.html")
    found = json.loads(run(*asked).stdout)
    assert {row["name"] for row in found["ranking"]} == {"baseline", "sex"}
    assert found["best"] == "sex"
    assert "Beside the baseline" in (study / "subsets.html").read_text(encoding="utf-8")
    assert "candidates.json" not in {path.name for path in (study / "out" / "release").iterdir()}


def test_it_has_help():
    assert "--weights" in run("choose", "--help").stdout
    assert "choose" in run("--help").stdout
