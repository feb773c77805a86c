# SPDX-License-Identifier: Apache-2.0
"""The file of a study: what is written is read again, in three formats; what is wrong is named."""

import json

import numpy as np
import pandas as pd
import pytest

from discreet import Mondrian, Roles, Table
from discreet.choose import Candidate, Measure, Result, Results, choose, owner_measures, read_study
from discreet.errors import DataError, PromiseBroken

SECONDS = Measure(title="Time", unit="s", higher_is_better=False)
STUDY = Results(
    candidates=(
        Result(name="original", measures={"utility": 0.1 + 0.2, "size": 8}),
        Result(name="a, b", method="mondrian", parameters={"k": 5}, measures={"utility": 0.7, "size": 2, "seconds": 3}),
    ),
    measures={"seconds": SECONDS, "size": Measure(title="Size", unit="columns", higher_is_better=False)},
)


@pytest.mark.parametrize("name", ["results.json", "results.parquet"])
def test_what_is_written_is_read(tmp_path, name):
    STUDY.write(tmp_path / name)
    assert Results.read(tmp_path / name) == STUDY
    candidates, lines, baseline = read_study(tmp_path)
    assert candidates == STUDY.to_candidates()
    assert [candidate.name for candidate in candidates] == ["a, b"]
    assert (list(lines), lines["original"].measures["size"], baseline) == (["original"], 8, None)
    assert Results.of((*lines.values(), *candidates)) == STUDY
    assert read_study(tmp_path / name)[0] == candidates


def test_csv_holds_the_numbers_and_not_what_they_mean(tmp_path):
    STUDY.write(tmp_path / "results.csv")
    found = Results.read(tmp_path / "results.csv")
    assert found.candidates == STUDY.candidates
    assert found.measures == {}
    assert list(read_study(tmp_path).lines) == ["original"]  # known by its name


def test_studies_of_earlier_versions_called_the_original_baseline(tmp_path):
    made = {"name": "k5", "method": "mondrian", "measures": {"utility": 0.7}}
    old = {"candidates": [{"name": "baseline", "measures": {"utility": 0.9}}, made], "baseline": "baseline"}
    (tmp_path / "results.json").write_text(json.dumps(old), encoding="utf-8")
    found = read_study(tmp_path)
    assert ([c.name for c in found.candidates], list(found.lines), found.baseline) == (["k5"], ["original"], None)
    subsets = {"candidates": [{"name": "baseline"}, {"name": "a + b"}], "baseline": "baseline"}
    (tmp_path / "results.json").write_text(json.dumps(subsets), encoding="utf-8")
    found = read_study(tmp_path)  # a subset of attributes among subsets
    assert ([c.name for c in found.candidates], found.baseline) == (["baseline", "a + b"], "baseline")


def test_files_of_others_are_read(tmp_path):
    frame = pd.DataFrame(
        {"name": ["a", "b"], "utility": [0.7, np.nan], "size": [1, 2], "remark": ["x", "y"], "verified": [True, False]}
    )
    frame.to_parquet(tmp_path / "results.parquet")
    found = Results.read(tmp_path / "results.parquet").candidates
    assert [result.measures for result in found] == [{"utility": 0.7, "size": 1}, {"size": 2}]
    (tmp_path / "bom.csv").write_text("\ufeffname,utility,why\na,0.5,because\nb,,3\n", encoding="utf-8")
    found = Results.read(tmp_path / "bom.csv").candidates
    assert [result.measures for result in found] == [{"utility": 0.5}, {}]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "id,utility\n1,2\n", "no column 'name'. It has 'id', 'utility'"),
        ("a.csv", "name,utility\na,1,2\n", "more cells than the first line"),
        ("a.csv", "name,size,size\na,1,2\n", "two columns of the same name"),
        ("a.csv", "name,size\na,1\na,2\n", "is not a file of results: several candidates have the same name: 'a'"),
        ("a.csv", "name,size\n,1\n", "candidates.0.name"),
        ("a.csv", "name,size\na,inf\n", "finite number"),
        ("a.csv", "name,parameters\na,{\n", r"cannot be read as results \(JSONDecodeError\)"),
        ("a.json", "[]", "not a file of results"),
        ("a.json", "{", "JSONDecodeError"),
        ("a.json", '{"candidates": [], "baseline": "x"}', "the baseline 'x' is no candidate"),
        ("a.json", '{"candidates": [{"name": "a", "mesures": {}}]}', "candidates.0.mesures: Extra"),
        ("a.json", '{"format": 2, "candidates": []}', "format"),
        ("a.parquet", "text", "ArrowInvalid"),
        ("a.txt", "", "ends otherwise"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path, name, text, message):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        Results.read(tmp_path / name)


def test_a_measure_cannot_take_the_name_of_another_column(tmp_path):
    study = Results(candidates=(Result(name="a", measures={"method": 1}),))
    for name in ("results.csv", "results.parquet"):
        with pytest.raises(DataError, match="cannot be called 'method'"):
            study.write(tmp_path / name)
    with pytest.raises(DataError, match="ends otherwise"):
        STUDY.write(tmp_path / "results.txt")
    assert not list(tmp_path.iterdir())


def test_candidates_that_mean_different_things_are_not_written_together():
    one = Candidate("a", {"seconds": 1}, meanings={"seconds": SECONDS})
    other = Candidate("b", {"seconds": 1}, meanings={"seconds": Measure()})
    with pytest.raises(DataError, match="do not mean the same by the measure 'seconds'"):
        Results.of([one, other])


# -- folders -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A study of two saved releases, one of them deeper."""
    rng = np.random.default_rng(0)
    table = Table.of({"age": rng.integers(20, 60, 200), "y": rng.choice(["a", "b"], 200)})
    folder = tmp_path_factory.mktemp("study")
    for k, place in ((3, "three"), (20, "more/twenty")):
        release = Mondrian(k=k).release(table, Roles(target="y", quasi=["age"]))
        release.save(folder / place, owner_files=owner_measures(release, k / 100))
    return folder


def test_a_study_is_a_folder_of_releases(saved):
    candidates, lines, baseline = read_study(saved)
    assert not lines
    assert [candidate.name for candidate in candidates] == ["more/twenty", "three"]
    assert baseline is None
    assert choose(candidates, {"utility": 0.5, "privacy": 0.5}).best.name == "more/twenty"
    assert [c.name for c in read_study(saved / "three")[0]] == ["three"]


def test_a_study_is_a_folder_of_releases_and_a_file_that_speaks_for_some(saved, tmp_path):
    import shutil

    shutil.copytree(saved, tmp_path / "study")
    broken = tmp_path / "study" / "three" / "release" / "data.csv"
    broken.write_bytes(broken.read_bytes() + b"\n")
    with pytest.raises(PromiseBroken, match="'three' is no candidate"):
        read_study(tmp_path / "study")
    (tmp_path / "study" / "results.json").write_text(
        json.dumps({"candidates": [{"name": "three", "measures": {"utility": 0.5}}]}), encoding="utf-8"
    )
    candidates = read_study(tmp_path / "study").candidates
    assert [candidate.measures["utility"] for candidate in candidates] == [0.5, 0.2]


def test_what_is_no_study_is_refused(tmp_path):
    with pytest.raises(DataError, match="no study 'nowhere'"):
        read_study(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds no candidates"):
        read_study(tmp_path)
    for name in ("results.csv", "results.json"):
        STUDY.write(tmp_path / name)
    with pytest.raises(DataError, match="several files of results"):
        read_study(tmp_path)
