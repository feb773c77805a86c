# SPDX-License-Identifier: Apache-2.0
"""The papers' figures: all are there, quick slices run, differences are explained, and the page is what is made."""

import doctest
import importlib
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from benchmarks.reproduction import page, papers
from benchmarks.reproduction.kept import Origin, Store
from benchmarks.reproduction.published import half_a_digit, read
from benchmarks.reproduction.run import Job, jobs, measured, run, tidy
from benchmarks.reproduction.units import IN_WORDS, Row, Unit, Why, why
from typer.testing import CliRunner

from benchmarks import reproduce
from discreet.cli.app import app
from discreet.cli.reproduce import checkout
from discreet.errors import DataError

ROOT = Path(__file__).resolve().parents[2]

# Every table with numbers, and figures of which the text gives some: how many figures each has.
PRINTED = {
    "containment": {"Table 1": 9, "Table 2": 5, "Table 3": 15, "Table 4": 47, "Table 5": 47, "Table 6": 47,
                    "Figure 1": 2},
    "trees": {"Table 1": 85, "Table 2": 128, "Figures 1 to 5": 5},
    "fwell": {"Table I": 18},
    "breach": {"Table 1": 18, "Table 2": 17, "Table 3": 24, "Table 4": 56, "Table 5": 42, "Table 6": 42, "Table 7": 11,
               "Table 8": 7, "Figure 9": 3, "Figure 10": 4},
    "sketches": {},
}  # fmt: skip


def printed(paper: papers.Paper) -> dict:
    return {key: value for folder in paper.folders for key, value in read(folder).figures.items()}


@pytest.mark.parametrize("paper", papers.PAPERS, ids=lambda paper: paper.name)
def test_every_table_of_a_paper_is_there_with_all_its_figures(paper):
    found = printed(paper)
    for table, count in PRINTED[paper.name].items():
        assert sum(key.table == table for key in found) == count, table
    assert sum(len(read(folder).statements) for folder in paper.folders) >= 5


def test_some_figures_are_those_that_the_papers_print():
    figures = {key: value for paper in papers.PAPERS for key, value in printed(paper).items()}
    assert figures["Table 5", "DistCnt", "k=11 AUC"] == Decimal("0.76")
    assert figures["Table 4", "RF", "k=8 flipped %"] == Decimal("14.03")
    assert figures["Table 1", "Glass, Naïve Bayes", "kACTUS-2"] == Decimal("1463.15")
    assert figures["Table 2", "German Credit, k=80", "TDR"] == Decimal("0.37")
    assert figures["Table I", "basehock", "features"] == 4863
    assert half_a_digit(figures["Table 5", "HamDist", "k=5 AUC"]) == pytest.approx(0.005)


# -- quick slices -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", papers.folders())
def test_the_quick_slice_of_a_folder_runs_without_a_folder_of_data(folder, monkeypatch, capsys):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    units = papers.module(folder).quick()
    titles = set(papers_titles(folder))
    assert {unit.table for unit in units} & titles
    rows = [row for unit in units for row in measured(unit)]
    assert rows
    assert all(row.ours is not None for row in rows)
    text = page.plain([folder], rows)
    assert text.count("\n") == len(rows) + 1


def papers_titles(folder):
    return [table for each in page.paper_of(folder).folders for table in read(each).titles]


def test_the_toy_data_and_the_arithmetic_of_e_agree_with_the_papers_to_the_last_digit():
    """What needs no data must come out exactly."""
    for folder in ("containment", "choice"):
        module, figures = papers.module(folder), printed(page.paper_of(folder))
        units = [unit for unit in module.units() if folder == "choice" or unit.table in ("Table 1", "Table 2")]
        for row in (row for unit in units for row in unit.measure() if row.table != IN_WORDS):
            assert not page.Line(row.key, figures[row.key], row, None).differs, row


# -- sentences and the page -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", papers.PAPERS, ids=lambda paper: paper.name)
def test_every_difference_has_a_sentence(paper):
    for table, found in page.lines(page.chapter(paper)).items():
        for line in found:
            assert not line.differs or line.why is not None, f"{table}: {line.key}"


def test_the_first_sentence_that_fits_is_taken():
    sentences = (Why("Table 5", "of RF", "RF"), Why("Table *", "of all"))
    assert why(sentences, Row("Table 5", "RF", "k=5 AUC", 1).key).sentence == "of RF"
    assert why(sentences, Row("Table 6", "RF", "k=5 AUC", 1).key).sentence == "of all"
    assert why(sentences, Row("Figure 1", "RF", "k=5 AUC", 1).key) is None


def test_the_page_is_what_is_made_from_the_files(monkeypatch):
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    assert reproduce.PAGE.read_text(encoding="utf-8") == page.page()


def test_every_table_has_a_section_and_the_command_of_a_section_is_understood():
    text = reproduce.PAGE.read_text(encoding="utf-8")
    for paper in papers.PAPERS:
        chapter = text.split(f"\n## {paper.name}\n")[1].split("\n## ")[0]
        for table in PRINTED[paper.name]:
            assert f"### {table}: " in chapter, table
        for asked in re.findall(rf'^\$ discreet reproduce {paper.name} --table "(.+)"$', chapter, re.MULTILINE):
            assert jobs([paper.name], asked), asked
    assert "not measured" not in text.split("\n## trees\n")[0].split("### Table 5: ")[1].split("### ")[0]


def test_the_claim_of_kactus_2_is_answered():
    found = page.lines(page.chapter(page.paper_of("trees")))[IN_WORDS]
    answers = {line.key.row: line.measured for line in found}
    own = answers["beats all at 95 %, by its own areas"]
    assert str(own.ours).startswith("no: ")
    assert "kACTUS-2 1.2; critical difference 2.50; beaten: TDS, TDR" in str(own.ours)


@pytest.mark.parametrize("folder", papers.folders())
def test_what_is_kept_is_what_units_ask_for(folder):
    """No unit twice, none that is no longer there, and no row that stands in two of them."""
    units = papers.module(folder).units()
    keys = [unit.key for unit in units]
    assert len(set(keys)) == len(keys)
    kept = Store(folder).read()
    assert kept.keys() <= set(keys)
    rows = [row.key for each in kept.values() for row in each.rows]
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize(
    "name", ["datasets", "kept", "page", "papers", "published", "readmes", "run", "source", "units"]
)
def test_the_examples_of_the_modules_hold(name):
    module = importlib.import_module(f"benchmarks.reproduction.{name}")
    assert doctest.testmod(module).failed == 0


# -- running ----------------------------------------------------------------------------------------------------------


def unit(name, done, fails=False):
    def measure():
        if fails:
            raise DataError("no data here")
        done.append(name)
        yield Row("Table 1", name, "value", 1 / 3, None, 0.123456)

    return Unit("Table 1", name, measure, {"n": 3}, 1.0)


@pytest.fixture
def here(tmp_path):
    (tmp_path / "choice").mkdir()
    return tmp_path


def test_a_run_goes_on_where_it_was(here):
    done, said = [], []
    first, second = unit("a", done), unit("b", done)

    def stop():
        raise KeyboardInterrupt

    stopped = Unit("Table 1", "b", stop, {"n": 3})
    with pytest.raises(KeyboardInterrupt):
        run([Job("choice", first), Job("choice", stopped)], here=here, say=said.append)
    assert done == ["a"]
    assert run([Job("choice", first), Job("choice", second)], here=here, say=said.append) == 0
    assert done == ["a", "b"]
    assert any("1 of 2 units are kept and current" in text for text in said)
    run([Job("choice", first)], again=True, here=here, say=said.append)
    assert done == ["a", "b", "a"]
    kept = Store("choice", here).read()
    assert kept[first.key].rows == (Row("Table 1", "a", "value", 0.333333, None, 0.1235),)
    assert kept[first.key].versions["discreet"]
    assert not list((here / "choice").glob(".partial-*"))


def test_a_unit_whose_data_are_missing_stops_no_other(here):
    done, said = [], []
    assert run([Job("choice", unit("a", done, True)), Job("choice", unit("b", done))], here=here, say=said.append) == 1
    assert done == ["b"]
    assert any("no data here" in text for text in said)


def test_other_parameters_are_another_unit_and_what_nobody_asks_for_goes(here):
    one, other = Unit("Table 1", "a", list, {"k": 5}), Unit("Table 1", "a", list, {"k": 8})
    assert one.key != other.key
    Store("choice", here).keep(one, [], 1.0, Origin("0", {}))
    tidy(["choice"], here)
    assert Store("choice", here).read() == {}


def test_unknown_names_are_answered_with_the_nearest(capsys):
    assert reproduce.main(["contanment"]) == 2
    assert "Did you mean 'containment'?" in capsys.readouterr().out
    assert reproduce.main(["choice", "--table", "99"]) == 2
    assert "Table 5" in capsys.readouterr().out


def test_without_a_name_the_papers_are_listed(capsys):
    assert reproduce.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [paper.name for paper in papers.PAPERS]


def test_a_quick_slice_is_printed_and_nothing_is_written(capsys, monkeypatch):
    monkeypatch.setattr(Store, "_write", lambda *_: pytest.fail("written"))
    assert reproduce.main(["choice", "--quick", "--table", "6"]) == 0
    assert "| Table 6 | plas | w1 = w2 = w3 | 9.324 | 9.3240 |" in capsys.readouterr().out


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command_finds_a_checkout_from_a_folder_within_it(monkeypatch):
    monkeypatch.chdir(ROOT / "docs")
    assert checkout(Path.cwd()) == ROOT
    done = subprocess.run(
        [sys.executable, "-m", "discreet", "reproduce", "contanment"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    assert "Did you mean 'containment'?" in done.stdout


def test_elsewhere_the_command_says_where_the_benchmarks_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["reproduce", "containment"])
    assert done.exit_code == 2
    assert "not in the installed package" in " ".join(done.output.split())
    assert "git clone" in done.output
