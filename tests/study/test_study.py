# SPDX-License-Identifier: Apache-2.0
"""A study makes and measures every release of a recipe, and goes on after a kill with the same results."""

import json
import shutil
import stat
from functools import partial

import pytest

from discreet import verify
from discreet.errors import DataError
from discreet.report.study_page import summarise_study, write_study
from discreet.study import recipe_from, run, run_study
from discreet.study.folder import StudyFolder
from discreet.study.tasks import tasks_of
from small_study import load, written_clinic

RECIPE = """format = 1
attacks = ["prosecutor", "homogeneity"]
[roles]
target = "readmitted"
quasi = ["age", "sex", "zip"]
sensitive = ["diagnosis"]
[promises]
k = [5, 20]
[[methods]]
name = "mondrian"
[[methods]]
name = "kactus2"
swap = 0.5
[evaluation]
folds = "3-fold"
classifiers = ["naive-bayes"]
[run]
seed = 3
"""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    return written_clinic(tmp_path_factory.mktemp("clinic"), 300)


def study_of(clinic, folder, text=RECIPE):
    return run_study(partial(load, clinic, text), recipe_from(text), folder, text=text)


def without_time(results):
    return {name: {key: value for key, value in found.items() if key != "seconds"} for name, found in results.items()}


@pytest.fixture(scope="module")
def whole(clinic, tmp_path_factory):
    return study_of(clinic, tmp_path_factory.mktemp("whole") / "study")


def test_every_release_is_made_verified_and_measured(whole):
    assert set(whole.results) == {"mondrian-k5", "mondrian-k20", "kactus2-k5-swap0.5", "kactus2-k20-swap0.5"}
    for found in whole.results.values():
        assert found["refused"] is None
        assert verify(whole.folder / found["folder"] / "release").holds
        assert {finding["attack"] for finding in found["attacks"]} >= {"prosecutor"}
        scores = found["evaluations"][0]["after"]["naive-bayes"]["accuracy"]
        assert 0 <= scores["low"] <= scores["value"] <= scores["high"] <= 1


def test_the_folder_is_the_owners_alone(whole):
    assert stat.S_IMODE(whole.folder.stat().st_mode) == 0o700
    for path in whole.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path.name


def test_a_study_that_is_done_is_read_not_run(clinic, whole, monkeypatch):
    monkeypatch.setattr("discreet.study.run.measured", lambda *_: pytest.fail("it ran again"))
    assert study_of(clinic, whole.folder).results == whole.results


def test_other_data_or_another_recipe_is_another_study(clinic, whole, tmp_path):
    for old, new in (("k = [5, 20]", "k = [5, 20]\nl = 2"), (', "zip"', "")):
        with pytest.raises(DataError, match=r"a study of another recipe\."):
            study_of(clinic, whole.folder, RECIPE.replace(old, new))
    other = written_clinic(tmp_path, 310)
    with pytest.raises(DataError, match="a study of other data"):
        study_of(other, whole.folder)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(DataError, match="is not a study"):
        study_of(clinic, tmp_path / "mine")


def test_releases_can_be_added_to_a_study(clinic, whole, tmp_path, monkeypatch):
    """What is known is not measured again, and the others come out as if they had been there from the start."""
    copy = tmp_path / "s"
    shutil.copytree(whole.folder, copy)
    ran, measured = [], run.measured
    monkeypatch.setattr(run, "measured", lambda task, *rest: ran.append(task.name) or measured(task, *rest))
    more = study_of(clinic, copy, RECIPE.replace("k = [5, 20]", "k = [5, 10, 20]"))
    assert ran
    assert set(ran).isdisjoint(whole.results)
    assert set(more.results) == set(whole.results) | set(ran)
    assert {name: more.results[name] for name in whole.results} == whole.results
    few = study_of(clinic, copy, RECIPE.replace("k = [5, 20]", "k = 5"))
    assert few.results == {name: found for name, found in whole.results.items() if "k5" in name}


def test_a_result_of_another_task_of_that_name_does_not_count(clinic, whole, tmp_path):
    copy = tmp_path / "s"
    shutil.copytree(whole.folder, copy)
    name = next(iter(whole.results))
    path = copy / "results" / f"{name}.json"
    kept = json.loads(path.read_bytes())
    path.write_text(json.dumps(kept | {"parameters": kept["parameters"] | {"swap": 0.25}}), encoding="utf-8")
    again = study_of(clinic, copy).results[name]
    assert again["parameters"] == whole.results[name]["parameters"]


def test_a_study_of_another_version_does_not_go_on(clinic, whole, monkeypatch):
    monkeypatch.setattr("discreet.study.folder.__version__", "9.9.9")
    with pytest.raises(DataError, match=r"another version of discreet; this is 9\.9\.9"):
        study_of(clinic, whole.folder)


def test_what_cannot_be_done_at_all_makes_no_folder(clinic, tmp_path):
    """So that the same folder takes the recipe that is put right."""
    with pytest.raises(DataError, match=r"this data\. k = 5000, but there are 300 persons\.$"):
        study_of(clinic, tmp_path / "s", RECIPE.replace("k = [5, 20]", "k = 5000"))
    with pytest.raises(DataError, match=r"line 15: evaluation\.folds: .* between 2 and the 300 rows"):
        study_of(clinic, tmp_path / "s", RECIPE.replace("3-fold", "400-fold"))
    assert not (tmp_path / "s").exists()


def test_cores_and_weights_may_change(clinic, whole):
    text = RECIPE.replace("[run]", "[weights]\nutility = 1.0\n[run]\njobs = 2")
    assert study_of(clinic, whole.folder, text).results == whole.results


def test_two_processes_find_what_one_finds(clinic, whole, tmp_path):
    found = study_of(clinic, tmp_path / "study", RECIPE + "jobs = 2\n")
    assert without_time(found.results) == without_time(whole.results)


def test_a_study_that_was_killed_as_it_began_can_begin(clinic, whole, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "lock").touch()
    (tmp_path / "study" / ".partial-abc").write_text("{", encoding="utf-8")
    assert without_time(study_of(clinic, tmp_path / "study").results) == without_time(whole.results)
    assert not (tmp_path / "study" / ".partial-abc").exists()


def test_nobody_runs_a_study_twice_at_once(clinic, whole):
    with StudyFolder(whole.folder).alone(), pytest.raises(DataError, match="is running already"):
        study_of(clinic, whole.folder)


def test_an_attack_with_nothing_to_work_with_is_left_out_by_name(clinic, tmp_path):
    """One quasi-identifier cannot be shared by two parties."""
    text = RECIPE.replace('"age", "sex", "zip"', '"age"').replace(
        '["prosecutor", "homogeneity"]', '["prosecutor", "linkability"]'
    )
    found = study_of(clinic, tmp_path / "study", text.replace("k = [5, 20]", "k = 5"))
    for result in found.results.values():
        assert result["refused"] is None
        assert "linkability" in result["attacks_left_out"]


def test_without_attacks_a_choice_is_made_by_groups(clinic, tmp_path):
    text = RECIPE.replace('attacks = ["prosecutor", "homogeneity"]', "attacks = []").replace("k = [5, 20]", "k = 5")
    found = study_of(clinic, tmp_path / "study", text)
    summary = summarise_study(found, name="clinic.csv")
    assert summary["best"] in found.results
    taken = found.results[summary["best"]]["facts"]["risk_after"]["average"]
    line = next(line for line in summary["candidates"] if line["best"])
    assert line["privacy"] == pytest.approx(100 * (1 - taken))


def test_what_cannot_work_is_said_and_skipped(clinic):
    text = RECIPE.replace(
        "[evaluation]", '[[methods]]\nname = "delta-sketch"\n[[methods]]\nname = "private-table"\n[evaluation]'
    )
    tasks, skipped = tasks_of(recipe_from(text.replace("k = [5, 20]", "k = [5, 1000]")), load(clinic, RECIPE))
    assert [task.name for task in tasks] == ["mondrian-k5", "kactus2-k5-swap0.5"]
    assert skipped["delta-sketch-delta0.4"] == "delta-sketch takes baskets; this data is a table."
    assert "needs domain" in skipped["private-table-epsilon1"]
    assert skipped["mondrian-k1000"] == "k = 1000, but there are 300 persons."


def test_a_promise_that_the_recipe_asks_besides_is_kept_or_the_release_is_none(clinic, tmp_path):
    found = study_of(clinic, tmp_path / "study", RECIPE.replace("k = [5, 20]", "k = 5\nl = 200"))
    refused = [result["refused"] for result in found.results.values()]
    assert all("200-diversity" in text or "l = 200 was asked" in text for text in refused)
    assert not [*(tmp_path / "study" / "releases").iterdir()]


def test_the_summary_names_no_cell_and_chooses(clinic, whole):
    summary = summarise_study(whole, name="clinic.csv")
    assert summary["best"] in whole.results
    assert summary["lines"][0]["name"] == "original"
    assert [line["name"] for line in summary["candidates"]] == [
        name
        for name, _ in sorted(
            ((line["name"], line["score"]) for line in summary["candidates"]), key=lambda one: -one[1]
        )
    ]
    written = write_study(whole, summary)
    assert written["report"].stat().st_size < 3_000_000
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
