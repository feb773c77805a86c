# SPDX-License-Identifier: Apache-2.0
"""discreet risk: tables and releases, for a person and for a machine, as a page or a file, and no cell anywhere."""

import json

import pytest
from typer.testing import CliRunner

from discreet import Mondrian
from discreet.cli.app import GOOD, WRONG, app
from instances import MARKERS, PERSON_ROLES, ROLES, people

pytestmark = pytest.mark.usefixtures("patient")
QUASI = ",".join(ROLES.quasi)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table, the population it is from, and two releases of it."""
    folder = tmp_path_factory.mktemp("risk")
    frame = people(160)
    frame.assign(w=7.5).to_csv(folder / "table.csv", index=False)
    people(900).to_csv(folder / "population.csv", index=False)
    Mondrian(k=4, random_state=1).release(frame, ROLES).save(folder / "out")
    Mondrian(k=4, random_state=1).release(frame, PERSON_ROLES).save(folder / "persons")
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["risk", *(str(argument) for argument in arguments)])


def fails(*arguments):
    done = run(*arguments)
    assert done.exit_code == WRONG, (done.stdout, done.stderr, done.exception)
    assert done.stdout == ""
    return " ".join(done.stderr.split())


def found(*arguments):
    done = run(*arguments, "--json")
    assert done.exit_code == GOOD, (done.stdout, done.stderr, done.exception)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("known", "measured", "left_out"),
    [
        ([], ["attackers"], ["uniqueness", "individual", "k_map", "presence"]),
        (["--fraction", 0.05], ["uniqueness", "individual", "k_map"], ["presence", "population"]),
        (["--weights", "w"], ["uniqueness", "individual", "k_map"], ["presence", "population"]),
        (["--population", "population.csv"], ["individual", "k_map", "presence", "population"], ["uniqueness"]),
    ],
)
def test_what_is_known_of_the_population_decides_what_is_measured(made, known, measured, left_out):
    known = [made / word if str(word).endswith(".csv") else word for word in known]
    answer = found(made / "table.csv", "--quasi", QUASI, *known)
    assert (answer["file"], answer["format"], answer["sample"]["rows"]) == ("table.csv", 1, 160)
    assert all(answer[part] is not None for part in measured)
    assert all(answer[part] is None for part in left_out)


def test_a_person_reads_plain_words(made):
    done = run(made / "table.csv", "--quasi", QUASI, "--fraction", 0.1)
    words = " ".join(done.stdout.split())
    assert words.startswith("Risk of 160 rows on 'age', ")
    for word in (
        "share their values with nobody",
        "prosecutor knows who is in the table",
        "by Pitman",
        "SUDA",
        "HIPAA",
    ):
        assert word in words


@pytest.mark.parametrize("folder", ["out", "out/release"])
def test_a_release_is_measured_by_its_own_roles(made, folder):
    answer = found(made / folder, "--fraction", 0.1)
    assert answer["sample"]["k"] >= 4
    assert answer["sample"]["unique"] == 0


def test_persons_of_a_release_are_known_to_its_owner(made):
    rows = found(made / "persons")
    persons = found(made / "persons", "--owner", made / "persons/owner")
    assert persons["sample"]["persons"] < rows["sample"]["persons"] == persons["sample"]["rows"]
    assert persons["sample"]["k"] >= 4


def test_the_page_and_the_file(made, tmp_path):
    arguments = (made / "table.csv", "--quasi", QUASI, "--fraction", 0.1)
    assert "do not publish it" in run(*arguments, "-o", tmp_path / "risk.html").stdout
    assert run(*arguments, "-o", tmp_path / "risk.json", "--quiet").stdout == ""
    assert "<h1>How identifiable the rows of table.csv are</h1>" in (tmp_path / "risk.html").read_text("utf-8")
    assert json.loads((tmp_path / "risk.json").read_text("utf-8"))["uniqueness"]["fraction"] == 0.1
    assert (tmp_path / "risk.html").stat().st_mode & 0o077 == 0
    assert "exists already" in fails(*arguments, "-o", tmp_path / "risk.html")
    assert run(*arguments, "-o", tmp_path / "risk.html", "--overwrite", "--quiet").exit_code == GOOD


def test_no_cell_is_told(made, tmp_path):
    arguments = (made / "table.csv", "--quasi", QUASI, "--weights", "w")
    told = run(*arguments, "-o", tmp_path / "risk.html").output + run(*arguments, "--json").output
    told += (tmp_path / "risk.html").read_text("utf-8")
    assert not any(marker in told for marker in MARKERS)


def test_wrong_usage_is_one_sentence_of_names_and_counts(made, tmp_path):
    table = made / "table.csv"
    assert "`discreet inspect` suggests some" in fails(table)
    assert "not in the table: 'agee'. Did you mean 'age'?" in fails(table, "--quasi", "agee")
    assert "Give one of --population, --fraction and --weights" in fails(
        table, "--quasi", "age", "--weights", "w", "--fraction", 0.1
    )
    assert ".html or .json" in fails(table, "--quasi", "age", "-o", tmp_path / "risk.pdf")
    assert "A release has its own roles" in fails(made / "out", "--quasi", "age")
    assert "leave it out" in fails(table, "--quasi", "age", "--owner", made / "persons/owner")
    assert "--fraction is a share of the population: above 0, at most 1." in fails(
        table, "--quasi", "age", "--fraction", 3
    )
    assert not list(tmp_path.iterdir())
