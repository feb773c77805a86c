# SPDX-License-Identifier: Apache-2.0
"""discreet recipe, compare and report, as a person types them."""

import json
import re
import shutil

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from checks import MARKERS, ROLES, people
from discreet import Mondrian, verify
from discreet.choose import read_study
from discreet.cli.app import GOOD, WRONG, app
from discreet.study import load_dataset, read_recipe
from small_study import RECIPE, written_clinic

pytestmark = pytest.mark.usefixtures("patient")


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def fails(*arguments):
    done = run(*arguments)
    assert done.exit_code == WRONG, (done.stdout, done.stderr, done.exception)
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with data, a recipe, and the study of it."""
    place = tmp_path_factory.mktemp("compare")
    written_clinic(place, 250, seed=4)
    (place / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    done = run("compare", place / "clinic.csv", place / "recipe.toml", "-o", place / "study")
    assert done.exit_code == GOOD, done.output
    (place / "said.txt").write_text(done.stdout, encoding="utf-8")
    return place


@pytest.fixture
def here(folder, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return folder


def test_it_ends_with_a_table_a_choice_and_files(here):
    said = (here / "said.txt").read_text(encoding="utf-8")
    assert {"mondrian-k5", "tds-k5", "original"} <= set(re.findall(r"^\s(\S+)", said, re.MULTILINE))
    chosen = re.search(r"^Chosen\s+(\S+)", said, re.MULTILINE)[1]
    assert verify(here / "study" / "releases" / chosen / "release").holds
    assert {"report.html", "results.parquet", "summary.json", "recipe.toml"} <= {
        path.name for path in (here / "study").iterdir()
    }


def test_the_table_fits_a_terminal_and_tells_names_apart(here, tmp_path):
    """A name that is too long goes on below; figures are never broken."""
    text = RECIPE.replace('"mondrian"', '"mondrian"\nmax_suppressed = [0.123456, 0.123457]\nrelaxed = true')
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    done = run("compare", here / "clinic.csv", tmp_path / "r.toml", "-o", tmp_path / "s")
    assert done.exit_code == GOOD, done.output
    assert max(map(len, re.split("Never|Chosen", done.stdout)[0].splitlines())) <= 80
    words = re.sub(r"\s+", " ", done.stdout)
    names = [path.name for path in (tmp_path / "s" / "releases").iterdir()]
    assert len(names) == 3
    for name in names:
        score = json.loads((tmp_path / "s/results" / f"{name}.json").read_bytes())["evaluations"][0]["after"]
        assert f" {score['naive-bayes']['accuracy']['value']:.3f} ±" in words
        assert name[:24] in words
    assert "…" not in done.stdout


def test_its_results_are_what_choose_reads(here):
    columns = pq.read_schema(here / "study" / "results.parquet").names  # as docs/compare.md says, inference or not
    measures = ["utility", "privacy", "size", "detail", "inference", "raw", "utility_error", "above_guessing"]
    assert columns == ["name", "method", "parameters", *measures]
    candidates, lines, baseline = read_study(here / "study" / "results.parquet")
    assert {candidate.name for candidate in candidates} == {"mondrian-k5", "tds-k5"}
    assert (list(lines), baseline) == (["original", "no quasi-identifiers", "guessing"], None)
    done = run("choose", here / "study", "--weights", "utility=1", "--json")
    assert done.exit_code == GOOD, done.output
    assert {row["name"] for row in json.loads(done.stdout)["ranking"]} == {"mondrian-k5", "tds-k5"}


def test_the_same_command_again_gives_the_same(here):
    done = run("compare", here / "clinic.csv", here / "recipe.toml", "-o", here / "study", "--json")
    assert done.exit_code == GOOD, done.output
    found = json.loads(done.stdout)
    assert found["best"] in (here / "said.txt").read_text(encoding="utf-8")
    assert {row["name"] for row in found["candidates"]} == {"mondrian-k5", "tds-k5"}
    assert [row["name"] for row in found["lines"]] == ["original", "no quasi-identifiers", "guessing"]
    assert found["guessed_roles"] is None


@pytest.fixture(scope="module")
def guessed(folder):
    """A command without a recipe, and what it said; given again, it finds all releases measured."""
    command = ("compare", folder / "clinic.csv", "--target", "readmitted", "-o", folder / "guessed", "--jobs", "1")
    done = run(*command)
    assert done.exit_code == GOOD, done.output
    return command, done.stdout


def test_guessed_roles_are_said_before_a_recommendation_that_depends_on_them(guessed):
    """Which column got which role and why, what to decide, and the command that writes them down."""
    first, rest = guessed[1].split("\n", 1)
    assert first == "No recipe was given, so the roles of the 11 columns are guessed:"
    assert re.search(r"^  quasi +'zip' +outsiders may know the place of a person", rest, re.M)
    assert re.search(r"^  decide +'stay_days' +nothing says whether outsiders know it", rest, re.M)
    assert "Decide   1 column nobody has decided on, so not published: 'stay_days'." in rest
    assert re.search(r"^  identifiers +'name' ", rest, re.M)
    after = rest.index("Roles    guessed, not given")
    assert after < rest.index("Chosen   ")
    assert "--target readmitted --recipe recipe.toml; edit it; discreet compare" in rest[after:]
    if "Publish" in rest:
        assert "Chosen   If these roles are right: " in rest
        assert "(only if these roles are right)" in rest


def test_where_undecided_columns_hold_the_class_the_command_says_to_decide(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [(f"{20 + 7 * i % 60}", "AB"[i % 7 % 2], i % 5, "yn"[i % 5 > 2]) for i in range(150)]
    text = "age,sex,dose,ill\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    (tmp_path / "doses.csv").write_text(text, encoding="utf-8")
    result = run("compare", "doses.csv", "--target", "ill", "--jobs", "1")
    assert result.exit_code == GOOD, result.output
    assert "Decide   1 column nobody has decided on, so not published: 'dose'." in result.output
    said = " ".join(result.output.split())
    assert "Without the column to decide on, the original is within noise of guessing, too: decide" in said
    assert "No quasi-identifiers: nothing else is published, so guessing is what is left." in said


def test_errors_say_what_to_do(here, tmp_path):
    assert "discreet recipe init" in fails("compare", here / "clinic.csv", "none.toml", "-o", tmp_path / "s")
    assert "There is no" in fails("compare", tmp_path / "none.csv", here / "recipe.toml", "-o", tmp_path / "s")
    assert "Give one" in fails("compare", here / "clinic.csv", "--target", "x", "--labels", "y", "-o", tmp_path / "s")
    assert "recipe describes the data" in fails(
        "compare", here / "clinic.csv", here / "recipe.toml", "--target", "x", "-o", tmp_path / "s"
    )
    assert not (tmp_path / "s").exists()
    assert "is not a finished study" in fails("report", tmp_path, "--plots", "svg")
    assert "neither a study nor a release" in fails("report", tmp_path)
    said = fails("report", here / "study", "--public", "--release", "mondrian-k6")
    assert "Did you mean 'mondrian-k5'?" in said
    (tmp_path / "mine").touch()
    assert "'.' exists and is not a study" in fails("compare", here / "clinic.csv", here / "recipe.toml", "-o", ".")


def test_without_a_recipe_no_line_of_one_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("age,ill\n" + "".join(f"{20 + i % 9},yes\n" for i in range(40)), encoding="utf-8")
    assert fails("compare", "a.csv", "--target", "ill").startswith("The target 'ill' has one class only")


def test_what_a_recipe_says_of_columns_is_named_with_its_line(here, tmp_path):
    def said_of(old, new):
        (tmp_path / "r.toml").write_text(RECIPE.replace(old, new), encoding="utf-8")
        return fails("compare", here / "clinic.csv", tmp_path / "r.toml", "-o", tmp_path / "s")

    said = said_of('"age", "sex"', '"aeg",\n"sxe"')
    assert "line 5: roles.quasi: there is no column 'aeg' in the table. Did you mean 'age'?" in said
    assert "line 6: roles.quasi: there is no column 'sxe' in the table. Did you mean 'sex'?" in said
    assert "line 4: roles.target: there is no column 'readmited'" in said_of("readmitted", "readmited")
    assert "r.toml, line 3: roles: Column 'age' has two roles" in said_of("quasi =", 'sensitive = "age"\nquasi =')
    assert "r.toml, line 3: roles: A release needs a target" in said_of("target =", "person =")
    assert "line 3: source: transactions need labels" in said_of("[roles]", "[source]\nshape = 'transactions'\n[roles]")
    assert not (tmp_path / "s").exists()


def test_a_study_without_any_release_says_why_and_ends_so(here, tmp_path):
    text = RECIPE.replace("k = 5", "k = 5\nl = 300").replace("quasi =", 'sensitive = "diagnosis"\nquasi =')
    (tmp_path / "r.toml").write_text(text, encoding="utf-8")
    done = run("compare", here / "clinic.csv", tmp_path / "r.toml", "-o", tmp_path / "s")
    assert done.exit_code == WRONG, done.output
    assert "Skipped  mondrian-k5-l300: " in done.stdout
    assert "Chosen   none: no release was made" in done.stdout
    assert "Accuracy" not in done.stdout  # no table of nothing
    assert (tmp_path / "s" / "report.html").is_file()


def test_a_study_of_another_version_is_summed_up_again(here, tmp_path):
    study = tmp_path / "study"
    shutil.copytree(here / "study", study)
    summary = json.loads((study / "summary.json").read_bytes())
    (study / "summary.json").write_text(json.dumps({"format": summary["format"] - 1}), encoding="utf-8")
    for options in ([], ["--public"], ["--plots", "svg"]):
        assert "from another version of discreet" in fails("report", study, *options)
    done = run("compare", here / "clinic.csv", here / "recipe.toml", "-o", study)
    assert done.exit_code == GOOD, done.output
    assert run("report", study).exit_code == GOOD


def test_baskets_are_compared_without_a_recipe(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("data", "write", "quest", "--rows", "120", "--set", "classes=2", "-o", "visits.dat").exit_code == GOOD
    done = run("compare", "visits.dat", "--labels", "visits.labels", "--jobs", "1", "--json")
    assert done.exit_code == GOOD, done.output
    found = json.loads(done.stdout)
    assert found["source"]["shape"] == "baskets"
    assert {line["shape"] for line in found["candidates"]} == {"baskets"}  # sketches are asked for by name
    assert found["guessed_roles"] is None
    assert any(line["method"] == "greedy" for line in found["candidates"])


def test_recipes_are_written_and_checked(here, tmp_path):
    out = tmp_path / "mine.toml"
    done = run("recipe", "init", here / "clinic.csv", "-o", out, "--target", "readmitted", "--k", "5,50")
    assert done.exit_code == GOOD, done.output
    assert (tmp_path / "recipe.schema.json").is_file()
    assert "roles.decide: 1 column awaits your decision: 'stay_days'" in fails("recipe", "check", out)
    out.write_text(out.read_text(encoding="utf-8").replace("decide =", "other ="), encoding="utf-8")
    checked = run("recipe", "check", out, "--json")
    assert json.loads(checked.stdout)["releases"] == 2 * len(json.loads(checked.stdout)["methods"])
    assert "exists already" in fails("recipe", "init", here / "clinic.csv", "-o", out)
    out.write_text(out.read_text(encoding="utf-8").replace("quasi =", "qasi ="), encoding="utf-8")
    assert "Did you mean 'quasi'?" in fails("recipe", "check", out)


def test_recipes_say_how_the_file_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 7}\t'{i % 3}'\t{'?' if i % 9 == 0 else i % 5}\t{'ill' if i % 2 else 'well'}" for i in range(60)]
    (tmp_path / "odd.txt").write_text("\n".join(rows), encoding="utf-16")
    reading = ["--delimiter", "tab", "--quote", "'", "--names", "a=b,#c,[run],klass", "--encoding", "utf-16"]
    reading += ["--missing", "?", "--kind", "[run]=category"]
    done = run("recipe", "init", "odd.txt", "--target", "klass", *reading)
    assert done.exit_code == GOOD, done.output
    text = (tmp_path / "recipe.toml").read_text(encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(text.replace("decide =", "quasi ="), encoding="utf-8")
    recipe = read_recipe("recipe.toml")
    assert (recipe.source.delimiter, recipe.source.kinds) == ("\t", {"[run]": "category"})
    found = load_dataset("odd.txt", recipe.model_dump_json())
    assert set(found.table.names) == {"a=b", "#c", "[run]", "klass"}
    assert found.table.column("[run]").has_missing


def test_recipes_of_baskets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.dat").write_text("a b\nb c\n", encoding="utf-8")
    assert run("recipe", "init", "visits.dat", "--labels", "more/visits.txt").exit_code == GOOD
    recipe = read_recipe("recipe.toml").source
    assert (recipe.shape, recipe.labels) == ("transactions", "more/visits.txt")
    assert "have no columns" in fails("recipe", "init", "visits.dat", "--labels", "x", "--target", "a", "-o", "b.toml")
    (tmp_path / "bits.csv").write_text("a,b,ill\n0,1,yes\n1,0,no\n1,1,no\n", encoding="utf-8")
    done = run("recipe", "init", "bits.csv", "--baskets", "columns", "--target", "ill", "-o", "bits.toml")
    assert done.exit_code == GOOD, done.output
    assert len(load_dataset("bits.csv", read_recipe("bits.toml").model_dump_json()).data.names) == 2


def test_a_table_without_a_target_asks_for_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("a,b\n" + "".join(f"{i}.5,p{i}\n" for i in range(50)), encoding="utf-8")
    assert "Name it with --target" in fails("compare", "x.csv")
    done = run("recipe", "init", "x.csv")
    assert done.exit_code == GOOD, done.output
    assert "name it under [roles]" in done.stderr


@pytest.mark.browser
def test_reports_again_on_paper(here, tmp_path):
    done = run("report", here / "study", "--pdf", "-o", "again.pdf")
    assert done.exit_code == GOOD, done.output
    assert (tmp_path / "again.pdf").read_bytes().startswith(b"%PDF")


def test_without_a_browser_nothing_is_printed(here, tmp_path):
    assert "Install Chromium" in fails("report", here / "study", "--pdf", "-o", "again.pdf")
    assert not (tmp_path / "again.pdf").exists()


def test_reports_again_and_as_pictures(here, tmp_path):
    for options in (["-o", "again.html"], ["--public", "-o", "public.html"]):
        done = run("report", here / "study", *options)
        assert done.exit_code == GOOD, done.output
    assert (tmp_path / "again.html").read_bytes() == (here / "study" / "report.html").read_bytes()
    assert "exists already" in fails("report", here / "study", "-o", "again.html")
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        done = run("report", here / "study", "--plots", kind, "-o", f"plots-{kind}")
        assert done.exit_code == GOOD, done.output
        made = [*(tmp_path / f"plots-{kind}").iterdir()]
        assert len(made) == len(json.loads((here / "study" / "summary.json").read_bytes())["pictures"])
        assert all(path.read_bytes().startswith(start) for path in made)


def test_the_public_edition_tells_what_the_published_folder_tells(tmp_path, monkeypatch):
    """Nothing hidden survives in any byte, the owner's folder is not needed, and no seed shows."""
    monkeypatch.chdir(tmp_path)
    pages = []
    for seed in (1, 2):
        Mondrian(k=5, random_state=77315533204960 + seed).release(people(), ROLES).save(tmp_path / f"out{seed}")
        shutil.rmtree(tmp_path / f"out{seed}" / "owner")
        done = run("report", f"out{seed}", "--public", "-o", f"public{seed}.html")
        assert done.exit_code == GOOD, done.output
        pages.append((tmp_path / f"public{seed}.html").read_text(encoding="utf-8"))
    assert not any(marker in page for marker in MARKERS for page in pages)
    assert "7731553320496" not in pages[0]
    assert "hidden_column" not in pages[0]
    # The rows are in another order, so the files have other hashes, which the page states.
    one, other = (re.sub("[0-9a-f]{32,64}", "", page) for page in pages)
    assert one == other


def test_a_choice_within_noise_says_why(guessed):
    """The line is there exactly if the chosen release is less useful than another, by no more than its error."""
    done = run(*guessed[0], "--json")
    assert done.exit_code == GOOD, done.output
    found = json.loads(done.stdout)
    lines = [line for line in found["candidates"] if line["name"] not in found["passed_over"]]
    best = next((line for line in lines if line["best"]), None)
    if best is None:
        assert found["why"] is None
        return
    useful = max(lines, key=lambda line: line["utility"])
    expected = 0 < useful["utility"] - best["utility"] <= useful["utility_error"]
    assert (found["why"] is not None) == expected
    assert found["why"] is None or useful["name"] in found["why"]
