# SPDX-License-Identifier: Apache-2.0
"""discreet choose: rankings of folders and files, plots, JSON, and errors that say what to do."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet.choose import WEIGHTS as WEIGHTS_OF_ALL
from discreet.choose import Measure, Result, Results
from discreet.choose.weights import in_words
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


def test_the_default_weights_are_those_of_all_commands_and_fractions_are_exact(study):
    measured = {"a": (0.8, 90, 0.1), "b": (0.7, 95, 0.5)}
    found = [
        Result(name=name, method="mondrian", measures=dict(zip(("utility", "privacy", "detail"), values, strict=True)))
        for name, values in measured.items()
    ]
    Results(candidates=found).write(study / "three.json")
    asked = "utility=1/2,privacy=1/4,detail=1/4"
    assert {name: str(weight) for name, weight in WEIGHTS_OF_ALL.items()} == dict(
        p.split("=") for p in asked.split(",")
    )
    by_default = json.loads(run("choose", "three.json", "--json").stdout)
    assert by_default == json.loads(run("choose", "three.json", "--weights", asked, "--json").stdout)
    assert by_default["by"] == "value"
    assert (by_default["format"], by_default["choice_format"]) == (1, 2)
    ranked = json.loads(run("choose", "three.json", "--by", "rank", "--json").stdout)
    assert [row["score"] for row in ranked["ranking"]] == [1.5, 1.5]


def test_without_any_detail_the_default_weights_are_the_others(study):
    done = run("choose", "study", "--json")
    asked = ("choose", "study", "--weights", "utility=2/3,privacy=1/3", "--json")
    assert json.loads(done.stdout) == json.loads(run(*asked).stdout)
    assert "No candidate has a detail" in done.stderr


def test_the_original_is_never_a_candidate(study):
    """Whatever it is called: a table that no method made is a line beside the releases, and never the best."""
    for called in ("original", "baseline"):
        rows = {called: ("", 0.9, 1, 1.0), "guessing": ("", 0.5, 100, 0.0), "k5": ("tds", 0.7, 80, 0.3)}
        found = [
            Result(name=name, method=method, measures={"utility": u, "privacy": p, "detail": d})
            for name, (method, u, p, d) in rows.items()
        ]
        Results(candidates=found).write(study / "lines.parquet")
        for weights in ("utility=1", "utility=0.5,privacy=0.25,detail=0.25"):
            summary = json.loads(run("choose", "lines.parquet", "--weights", weights, "--json").stdout)
            assert (summary["best"], [row["name"] for row in summary["ranking"]]) == ("k5", ["k5"])
            assert [line["name"] for line in summary["lines"]] == ["original", "guessing"]
        shown = run("choose", "lines.parquet").stdout
        assert [line.split()[0] for line in shown.splitlines() if "no candidate" in line] == ["original", "guessing"]


def test_none_is_recommended_where_all_are_hardly_better_than_guessing(study):
    found = [
        Result(name=name, method="tds", measures={"utility": 0.61, "privacy": 90, "detail": 0.2, "above_guessing": low})
        for name, low in (("a", -0.01), ("b", 0.0))
    ]
    Results(candidates=found).write(study / "poor.json")
    done = run("choose", "poor.json", "--plot", "poor.html")
    assert "Best         none can be recommended" in done.stdout
    assert done.stdout.count("hardly better than guessing") == 2
    assert "None can be recommended of 2 candidates" in (study / "poor.html").read_text(encoding="utf-8")


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
        (
            ["study", "--baseline", "baselin", "--plot", "p.html"],
            "no candidate 'baselin'. Did you mean 'baseline'?",
        ),
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
    assert in_words() in "".join(run("choose", "--help").stdout.replace("│", " ").split())
    assert "choose" in run("--help").stdout
