# SPDX-License-Identifier: Apache-2.0
"""The release of a project is made again, from the same file and no other."""

import pytest
from typer.testing import CliRunner

from discreet import DataError, verify
from discreet.cli.app import app
from discreet.study.replay import ProjectFile, hash_of
from small_study import written_clinic

RECIPE = """format = 1
[roles]
target = "readmitted"
quasi = ["age", "sex", "marital"]
identifiers = ["name", "patient_id"]
[promises]
k = [5, 7]
[[methods]]
name = "mondrian"
[[methods]]
name = "tds"
hierarchies = {"marital" = "/nowhere/marital.csv"}
[run]
seed = 11
"""
MARITAL = "single;alone 🙂;*\nwidowed;alone 🙂;*\ndivorced;alone 🙂;*\nmarried;together;*\n?;together;*\n"


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    return written_clinic(tmp_path_factory.mktemp("clinic"), 300, seed=4)


def project(clinic, folder, **other):
    said = {"data": "clinic.csv", "sha256": hash_of(clinic), "chosen": "mondrian-k7", "recipe": RECIPE} | other
    (folder / "project.toml").write_text(ProjectFile(format=1, **said).text(), encoding="utf-8")
    return folder / "project.toml"


def replayed(path, clinic, out):
    return CliRunner().invoke(app, ["replay", str(path), str(clinic), "-o", str(out), "--quiet"])


def test_the_same_bytes_come_again(clinic, tmp_path):
    path = project(clinic, tmp_path)
    for name in ("one", "two"):
        done = replayed(path, clinic, tmp_path / name)
        assert done.exit_code == 0, done.output
    assert verify(tmp_path / "one" / "release").holds
    for file in ("data.csv", "recoding.json"):
        assert (tmp_path / "one/release" / file).read_bytes() == (tmp_path / "two/release" / file).read_bytes()


def test_hierarchies_made_by_hand_are_in_the_file(clinic, tmp_path):
    path = project(clinic, tmp_path, chosen="tds-k5-hierarchies", hierarchies={"marital": MARITAL})
    done = replayed(path, clinic, tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert verify(tmp_path / "out" / "release").holds


def test_a_policy_of_the_project_holds_for_it_too(clinic, tmp_path):
    done = replayed(project(clinic, tmp_path, policy="format = 1\nleast_k = 500\n"), clinic, tmp_path / "out")
    assert done.exit_code == 1
    assert "least_k" in done.stderr
    assert not (tmp_path / "out").exists()


def test_another_file_is_refused(clinic, tmp_path):
    other = written_clinic(tmp_path, 310, seed=5)
    done = replayed(project(clinic, tmp_path), other, tmp_path / "out")
    assert done.exit_code == 2
    assert "its bytes differ" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not a project file"),
        ("format = 2", "not a project file"),
        ("x = [", "not TOML"),
        ('format = 1\ndata = "a"\nsha256 = "0"\nchosen = "b"\nrecipe = ""\nmore = 1', "see 'more'"),
    ],
)
def test_what_is_no_project_file_is_refused(tmp_path, text, why):
    (tmp_path / "project.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=why):
        ProjectFile.read(tmp_path / "project.toml")


def test_a_release_that_the_recipe_does_not_make_is_refused(clinic, tmp_path):
    done = replayed(project(clinic, tmp_path, chosen="mondrian-k8"), clinic, tmp_path / "out")
    assert done.exit_code == 2
    assert "makes no release" in done.stderr
