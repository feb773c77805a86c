# SPDX-License-Identifier: Apache-2.0
"""What a study says of each release: every figure with its unit, on how many it was measured, and its interval."""

import copy

import numpy as np
import pytest
from typer.testing import CliRunner

from discreet import Baskets
from discreet.cli.app import GOOD, app
from discreet.data.dataset import Dataset
from discreet.report.study_page import summarise_study, to_page
from discreet.report.wording import score_interval
from discreet.study import recipe_from, run_study
from discreet.study.candidates import unfound
from small_study import load, written_clinic

RECIPE = """format = 1
attacks = ["prosecutor", "marketer"]
[roles]
target = "readmitted"
quasi = ["age", "sex"]
[promises]
k = 5
[[methods]]
name = "mondrian"
[evaluation]
folds = "2-fold"
classifiers = ["naive-bayes", "c45"]
[run]
seed = 3
"""
BASKETS = """format = 1
[source]
shape = "transactions"
[promises]
k = 5
[[methods]]
name = "greedy"
[[methods]]
name = "delta-sketch"
[evaluation]
folds = "2-fold"
classifiers = "3nn"
[run]
seed = 3
"""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    return written_clinic(tmp_path_factory.mktemp("clinic"), 200)


@pytest.fixture(scope="module")
def table(clinic, tmp_path_factory):
    return run_study(lambda: load(clinic, RECIPE), recipe_from(RECIPE), tmp_path_factory.mktemp("study") / "s")


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.random((120, 30)) < rng.uniform(0.05, 0.5, 30)
    X[0] |= ~X.any(axis=0)
    X[:, 0] |= ~X.any(axis=1)
    baskets = Baskets.of(X.astype(int), rng.integers(0, 2, 120))
    return run_study(lambda: Dataset.of(baskets), recipe_from(BASKETS), tmp_path_factory.mktemp("study") / "s")


def line_of(summary, name):
    return next(line for line in (*summary["lines"], *summary["candidates"]) if line["name"] == name)


def test_who_is_not_found_has_its_interval_and_says_by_what(table):
    result = table.results["mondrian-k5"]
    by_name = {found["attack"]: found for found in result["attacks"]}
    strongest = max((by_name["prosecutor"], by_name["marketer"]), key=lambda found: found["success"]["value"])
    line = line_of(summarise_study(table, name="clinic.csv"), "mondrian-k5")
    assert line["privacy"] == 100 * (1 - strongest["success"]["value"])
    assert strongest["success"]["low"] == strongest["success"]["high"]  # everybody was tried
    assert (line["unfound"]["low"], line["unfound"]["high"]) == (None, None)
    assert (line["unfound"]["by"], line["unfound"]["n"]) == (strongest["attack"], strongest["targets"])
    assert line["unfound"]["units"] == "persons"


def test_attacks_are_picked_by_what_they_get_at_and_not_by_their_titles():
    def finding(kind, value, **more):
        success = {"value": value, "low": value - 0.1, "high": value + 0.1}
        made = {"attack": f"{kind} by another name", "kind": kind, "beyond": False, "targets": 9, "units": "persons"}
        return made | {"success": success} | more

    found = [finding("row", 0.2), finding("row", 0.9, beyond=True), finding("value", 0.8), finding("record", 0.3)]
    said = unfound({"attacks": found, "facts": {"shape": "table"}})
    assert (said["value"], said["by"]) == (70.0, "record by another name")
    assert (said["low"], said["high"]) == pytest.approx((60.0, 80.0))


def test_what_is_counted_or_promised_has_no_interval(table):
    original = line_of(summarise_study(table, name="clinic.csv"), "original")["unfound"]
    assert (original["low"], original["by"], original["n"]) == (None, "mean chance in a group", 200)
    facts = {"shape": "table", "risk_after": {"average": 0.25}, "rows": 80}
    found = unfound({"attacks": [], "facts": facts})
    assert (found["value"], found["low"], found["n"], found["units"]) == (75.0, None, 80, "rows")
    noisy = unfound({"attacks": [], "facts": None, "picked_at_most": 0.1})
    assert (noisy["value"], noisy["high"], noisy["by"], noisy["n"]) == (90.0, None, "what is promised", None)
    model = unfound({"attacks": [], "facts": {"shape": "model"}})
    assert (model["value"], model["by"]) == (100.0, "no row of a person is published")
    assert unfound({"attacks": [], "facts": {"shape": "sketches"}}) is None


def test_the_best_of_the_classifiers_counts_for_a_release_and_for_the_original(table):
    summary = summarise_study(table, name="clinic.csv")
    found = table.results["mondrian-k5"]["evaluations"][0]
    for name, side in (("mondrian-k5", "after"), ("original", "before")):
        cells = [cell["accuracy"] for cell in found[side].values()]
        best = max(cells, key=lambda cell: cell["value"])
        line = line_of(summary, name)
        assert (line["utility"], line["low"], line["high"]) == (best["value"], best["low"], best["high"])
        assert line["low"] < line["utility"] < line["high"]


def test_the_lines_are_the_original_no_quasi_identifiers_and_guessing(table, visits):
    summary, every = summarise_study(table, name="clinic.csv"), ["original", "no quasi-identifiers", "guessing"]
    assert [line["name"] for line in summary["lines"]] == every
    assert [line["name"] for line in summarise_study(visits, name="v")["lines"]] == every
    guessing, original = line_of(summary, "guessing"), line_of(summary, "original")
    without = line_of(summary, "no quasi-identifiers")  # all published columns are quasi: what is left is guessing
    assert {**without, "name": "guessing"} == guessing
    assert "nothing else is, so guessing is what is left" in to_page(summary)
    share = np.bincount(table.dataset.labels).max() / len(table.dataset)
    assert guessing["utility"] == pytest.approx(share, abs=0.01)
    assert (guessing["privacy"], guessing["detail"], guessing["size"]) == (100, 0, 0)
    assert (original["detail"], original["size"]) == (1, 2)
    assert {"original", "guessing"} & {line["name"] for line in summary["candidates"]} == set()


def test_a_published_column_that_tells_the_class_alone_is_said(table):
    """Utility then says nothing of what was done to the quasi-identifiers."""
    study = copy.deepcopy(table)
    assert not any(
        "add nothing" in text for line in summarise_study(study, name="c")["candidates"] for text in line["warnings"]
    )
    for result in study.results.values():
        found = result["evaluations"][0]
        found["lines"]["no quasi-identifiers"] = copy.deepcopy(found["before"])
        best = found["best"]["accuracy"]
        best["lines"]["no quasi-identifiers"] = best["lines"]["original"]
        best["differences"]["no quasi-identifiers"] = {"mean": 0.0, "low": -0.01, "high": 0.01}
    line = next(line for line in summarise_study(study, name="c")["candidates"] if line["best"])
    assert line["warnings"][-1].startswith(
        "Its quasi-identifiers add nothing to what the columns published as they are"
    )
    assert "quasi-identifiers add nothing" in to_page(summarise_study(study, name="c"))


def test_an_original_within_noise_of_guessing_is_no_scale(table):
    """The difference of two such figures is as small as chance, or rounding, makes it: scores would have no bound."""
    study = copy.deepcopy(table)
    found = study.results["mondrian-k5"]["evaluations"][0]
    classifier = found["best"]["accuracy"]["lines"]["original"]
    guessed = summarise_study(study, name="clinic.csv")["guess"]
    for value, low, high in ((guessed + 1e-16, None, None), (guessed + 0.001, guessed - 0.02, guessed + 0.022)):
        found["before"][classifier]["accuracy"] |= {"value": value, "low": low, "high": high}
        summary = summarise_study(study, name="clinic.csv")
        assert summary["utility_scale"] is None
        assert all(0 <= line["score"] <= 1 for line in summary["candidates"])
    found["before"][classifier]["accuracy"] |= {"value": guessed + 0.1, "low": guessed + 0.05, "high": guessed + 0.15}
    assert summarise_study(study, name="clinic.csv")["utility_scale"] == [guessed, guessed + 0.1]


def test_a_release_that_is_hardly_better_than_guessing_is_not_recommended(table):
    """By rows: 200 of them, so 0.605 of guessing and 0.64 cannot be told apart, and 0.8 can."""
    study = copy.deepcopy(table)
    scores = study.results["mondrian-k5"]["evaluations"][0]
    scores["before"][scores["best"]["accuracy"]["lines"]["original"]]["accuracy"] |= {
        "value": 0.9,
        "low": 0.85,
        "high": 0.95,
    }
    found = scores["best"]["accuracy"]["differences"]["guessing"]
    found["low"] = -0.001
    summary = summarise_study(study, name="clinic.csv")
    assert summary["best"] is None
    assert summary["passed_over"] == {"mondrian-k5": "hardly better than guessing: the difference is within noise"}
    assert "can be recommended" in to_page(summary)
    found["low"] = 0.001
    assert summarise_study(study, name="clinic.csv")["best"] == "mondrian-k5"


def test_where_the_original_tells_nothing_no_release_does(table):
    """Of several releases some look better than guessing by chance: the original has all that they can tell."""
    study = copy.deepcopy(table)
    found = study.results["mondrian-k5"]["evaluations"][0]
    found["best"]["accuracy"]["differences"]["guessing"]["low"] = 0.001
    guessed = summarise_study(study, name="clinic.csv")["guess"]
    found["before"][found["best"]["accuracy"]["lines"]["original"]]["accuracy"] |= {
        "value": guessed + 0.01,
        "low": guessed - 0.02,
        "high": guessed + 0.04,
    }
    summary = summarise_study(study, name="clinic.csv")
    assert summary["best"] is None
    assert [*summary["passed_over"]] == ["mondrian-k5"]


def test_the_table_of_the_report_and_of_the_terminal_say_it(table, clinic, tmp_path):
    summary = summarise_study(table, name="clinic.csv")
    line = line_of(summary, "mondrian-k5")
    page = to_page(summary)
    rows = [row for row in page.split("<tr") if "mondrian-k5</td>" in row]
    assert any(f"><small>{line['unfound']['by']}, 160 persons</small>" in row for row in rows)  # counted: no interval
    assert f"{score_interval(line['low'], line['high'])}</td>" in page
    assert "by the best of the classifiers" in page
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    asked = ["compare", str(clinic), str(tmp_path / "recipe.toml"), "-o", str(table.folder)]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == GOOD, done.output
    assert f" {line['privacy']:.0f}" in done.stdout


def test_sketches_are_candidates_by_what_their_key_and_some_items_find(visits):
    """They have all measures, so they are weighed, ranked and drawn; the page says that the key was used."""
    summary = summarise_study(visits, name="visits")
    line = line_of(summary, "delta-sketch-delta0.4")
    found = {finding["attack"]: finding for finding in visits.results["delta-sketch-delta0.4"]["attacks"]}
    naming = found["sketches, known key and 8 items"], found["sketches, known key, records"]
    assert line["privacy"] == 100 * (1 - max(finding["success"]["value"] for finding in naming)) < 100
    assert line["unfound"]["by"] == max(naming, key=lambda finding: finding["success"]["value"])["attack"]
    assert line["score"] is not None
    first = next(picture for picture in summary["pictures"] if picture["place"] == "first")
    assert "delta-sketch-delta0.4" in {value.get("name") for value in first["spec"]["data"]["values"]}
    assert "attacked with their key" in first["text"]
    assert "Sketches are attacked with their key" in to_page(summary)


def test_rows_are_not_said_to_have_a_key(table):
    assert "with their key" not in to_page(summarise_study(table, name="clinic.csv"))


# -- ranks and values -----------------------------------------------------------------------------------------------

RIVALS = """format = 1
choice = "{choice}"
attacks = ["prosecutor"]
[roles]
target = "readmitted"
quasi = ["age", "sex"]
[promises]
k = [5, 60]
[[methods]]
name = "mondrian"
[evaluation]
folds = "2-fold"
classifiers = "naive-bayes"
[weights]
utility = 0.5
privacy = 0.5
[run]
seed = 3
"""


@pytest.mark.parametrize("choice", ["rank", "value"])
def test_the_other_choice_is_named_where_it_differs(choice, clinic, tmp_path):
    """By rank, both releases are first once and second once; by value the one wins that is better by more."""
    text = RIVALS.format(choice=choice)
    study = run_study(lambda: load(clinic, text), recipe_from(text), tmp_path / "s")
    far = {"mondrian-k5": (0.70, 90.0), "mondrian-k60": (0.55, 91.0)}
    for name, (accuracy, unfound_of_100) in far.items():
        study.results[name]["evaluations"][0]["best"]["accuracy"]["differences"]["guessing"]["low"] = 0.01
        study.results[name]["kept"]["detail"]["whole"] = 0.5 + 0.01 * (name == "mondrian-k60")  # of equals, it has more
        study.results[name]["evaluations"][0]["after"]["naive-bayes"]["accuracy"]["value"] = accuracy
        original = study.results[name]["evaluations"][0]["before"]["naive-bayes"]["accuracy"]
        original |= {"value": 0.72, "low": 0.70, "high": 0.74}
        for found in study.results[name]["attacks"]:
            if found["attack"] == "prosecutor":
                found["success"]["value"] = 1 - unfound_of_100 / 100
    summary = summarise_study(study, name="clinic.csv")
    by_rank, by_value = "mondrian-k60", "mondrian-k5"
    assert (summary["best"], summary["otherwise"]) == ((by_rank, by_value) if choice == "rank" else (by_value, by_rank))
    line = next(row for row in summary["candidates"] if row["name"] == by_value)
    share = np.bincount(study.dataset.labels).max() / len(study.dataset)
    assert not summary["passed_over"]
    assert summary["guess"] == pytest.approx(share)
    assert line["value"] == pytest.approx(0.5 * (0.70 - share) / (0.72 - share) + 0.5 * 0.90)
    assert f"<b>{summary['otherwise']}</b> would be chosen" in to_page(summary)
    study.results["mondrian-k60"]["evaluations"][0]["after"]["naive-bayes"]["accuracy"]["value"] = 0.699
    assert summarise_study(study, name="clinic.csv")["otherwise"] is None  # they are about as good by value


def test_where_the_original_is_no_better_than_guessing_the_page_says_what_values_mean(clinic, tmp_path):
    text = RIVALS.format(choice="value")
    study = run_study(lambda: load(clinic, text), recipe_from(text), tmp_path / "s")
    said = "the worst release (0) to the best (1), since the original is not above guessing"
    for original, is_said in ((0.99, False), (0.01, True)):
        for result in study.results.values():
            ends = {"low": original - 0.01, "high": original + 0.01}
            result["evaluations"][0]["before"]["naive-bayes"]["accuracy"] |= {"value": original, **ends}
        summary = summarise_study(study, name="clinic.csv")
        assert summary["utility_scale"] == (None if is_said else [summary["guess"], original])
        assert (said in to_page(summary)) == is_said


def test_nothing_is_said_where_both_choose_the_same(table):
    summary = summarise_study(table, name="clinic.csv")
    assert summary["otherwise"] is None
    assert "would be chosen" not in to_page(summary)


def test_size_is_what_is_published_besides_the_label(table, visits):
    summary = summarise_study(visits, name="visits.dat")
    sizes = {row["name"]: row["size"] for row in summary["candidates"]}
    release = visits.results["greedy-k5"]["facts"]
    assert sizes["greedy-k5"] == len(release["columns_published"]) > 1
    assert next(size for name, size in sizes.items() if name.startswith("delta-sketch")) == 1
    assert {row["name"]: row["size"] for row in summarise_study(table, name="c")["candidates"]}["mondrian-k5"] == 2


def test_utilities_have_a_standard_error_of_the_tested_rows(table):
    line = line_of(summarise_study(table, name="clinic.csv"), "mondrian-k5")
    assert line["utility_error"] == pytest.approx((line["utility"] * (1 - line["utility"]) / 200) ** 0.5)


def test_other_measures_than_accuracy_have_the_error_of_the_folds(clinic, tmp_path):
    recipe = RECIPE.replace('folds = "2-fold"', 'folds = "5-fold"\nmeasure = "auc"')
    study = run_study(lambda: load(clinic, recipe), recipe_from(recipe), tmp_path / "s")
    line = line_of(summarise_study(study, name="clinic.csv"), "mondrian-k5")
    assert line["utility_error"] == pytest.approx((line["high"] - line["low"]) / 2 / 2.7764, rel=1e-4)
