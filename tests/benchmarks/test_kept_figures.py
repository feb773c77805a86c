# SPDX-License-Identifier: Apache-2.0
"""Kept figures know what they came from: hashes of code and data, marks on the page, figures in READMEs."""

import importlib
import itertools
import json
import re
import shutil
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from benchmarks.reproduction import datasets, kept, page, papers, readmes, run, source
from benchmarks.reproduction.kept import Origin, Store
from benchmarks.reproduction.run import Job, jobs, measured
from benchmarks.reproduction.units import Found, Row, Unit
from benchmarks.sketches import protocol as sketches_protocol

from benchmarks import reproduce
from discreet.data.records import Records
from discreet.errors import DataError

# -- the code ---------------------------------------------------------------------------------------------------------

MEASURE = """
from {package}.deep.tools import SCALE, Tool, helper


def run(n=3):
    return helper(n) * SCALE + Tool().use(n)
"""
TOOLS = """
import math

SCALE = 2
OTHER = 5


def helper(n):
    return inner(n) + 1


def inner(n):
    return math.sqrt(n)


def idle(n):
    return OTHER * n


class Base:
    def shared(self, n):
        return n


class Tool(Base):
    factor = 3

    def use(self, n):
        return self.shared(n) * self.factor

    def never_called(self):
        return 0
"""
_numbers = itertools.count()


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    """The hash of `run` in a package made of some files, with what is bound to it."""

    def make(files=None, where="measure", bind=lambda function: function):
        package = f"made_up_{next(_numbers)}"
        root = tmp_path / package
        files = {"measure.py": MEASURE, "deep/tools.py": TOOLS} if files is None else files
        for name, text in {"__init__.py": "", "deep/__init__.py": "", **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("{package}", package), encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        module = importlib.import_module(f"{package}.{where}")
        found = source.code_hash(bind(module.run), {package: root})
        for name in [name for name in sys.modules if name.startswith(package)]:
            monkeypatch.delitem(sys.modules, name)
        return found

    return make


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SCALE = 2", "SCALE = 2  # twice"),
        ("SCALE = 2", "SCALE   =   (2)"),
        ("def helper(n):", 'def helper(n):\n    """One more."""'),
        ("def helper(n):", "def helper(n: float) -> float:"),
        ("class Tool(Base):", 'class Tool(Base):\n    """A tool."""'),
        ("import math", "import json\nimport math"),
        ("OTHER * n", "OTHER * n * 7"),
        ("OTHER = 5", "OTHER = 6"),
        ("return 0", "return 1"),
        ("def idle", "def unused():\n    return 9\n\n\ndef idle"),
    ],
)
def test_what_a_figure_does_not_rest_on_changes_no_hash(hashed, old, new):
    assert old in TOOLS
    assert hashed({"measure.py": MEASURE, "deep/tools.py": TOOLS.replace(old, new)}) == hashed()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SCALE = 2", "SCALE = 3"),
        ("+ 1", "+ 2"),
        ("math.sqrt(n)", "math.sqrt(n + 1)"),
        ("        return n\n", "        return -n\n"),
        ("factor = 3", "factor = 4"),
        ("def helper(n):", "def helper(n, more=1):"),
        ("class Tool(Base):", "class Tool(Base):\n    def shared(self, n):\n        return 2 * n\n"),
        ("SCALE = 2", "SCALE = 2\nSCALE += 1"),
    ],
)
def test_what_a_figure_rests_on_changes_the_hash(hashed, old, new):
    assert old in TOOLS
    assert hashed({"measure.py": MEASURE, "deep/tools.py": TOOLS.replace(old, new)}) != hashed()


def test_modules_can_be_moved_renamed_and_parted(hashed):
    moved = {"other/place/it.py": MEASURE.replace("deep.tools", "kit"), "kit.py": TOOLS}
    moved |= {"other/__init__.py": "", "other/place/__init__.py": ""}
    assert hashed(moved, "other.place.it") == hashed()
    qualified = MEASURE.replace(
        "from {package}.deep.tools import SCALE, Tool, helper", "from {package} import kit as k"
    )
    for name in ("SCALE", "Tool", "helper"):
        qualified = re.sub(rf"\b{name}\b", f"k.{name}", qualified)
    assert hashed({"measure.py": qualified, "kit.py": TOOLS}) == hashed()
    first, second = TOOLS.split("\n\ndef helper")
    parted = {
        "measure.py": MEASURE.replace(
            "import SCALE, Tool, helper", "import Tool, helper\nfrom {package}.a import SCALE"
        ),
        "a.py": first,
        "deep/tools.py": f"import math\nfrom {{package}}.a import OTHER\n\n\ndef helper{second}",
    }
    assert hashed(parted) == hashed()


def test_what_is_bound_to_a_function_is_part_of_the_question(hashed):
    assert hashed(bind=lambda function: partial(function, 4)) != hashed(bind=lambda function: partial(function, 5))
    assert hashed(bind=lambda function: partial(function, n=4)) == hashed(bind=lambda function: partial(function, n=4))


def test_a_class_of_another_library_may_call_any_method(hashed):
    text = TOOLS.replace(
        "class Base:", "from http.server import BaseHTTPRequestHandler\n\n\nclass Base(BaseHTTPRequestHandler):"
    )
    changed = text.replace("return 0", "return 1")
    assert hashed({"measure.py": MEASURE.replace("Tool()", "Tool"), "deep/tools.py": text}) != hashed(
        {"measure.py": MEASURE.replace("Tool()", "Tool"), "deep/tools.py": changed}
    )


def test_units_rest_on_what_they_measure_and_not_on_their_sentences():
    code = source._code(tuple(sorted(source.ROOTS.items())))
    for job in jobs([paper.name for paper in papers.PAPERS]):
        reached = code.reached({item for each in source.functions_of(job.unit.measure) for item in code._start(each)})
        names = {(item.module.rpartition(".")[2], item.name) for item in reached}
        assert reached, job.unit.name
        assert not names & {("reproduce", "WHY"), ("reproduce", "HONEST"), ("reproduce", "derived")}, job.unit.name
        assert not any(item.module.startswith("discreet.cli.app") or ".report." in item.module for item in reached)
        if job.folder == "sketches":
            assert ("sketches", "sketch") in names or ("similar_records", "nearest") in names, job.unit.name


# -- the data ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "data"
    (place / "one").mkdir(parents=True)
    (place / "one" / "rows.csv").write_text("1,2\n")
    (place / "two").mkdir()
    (place / "two" / "rows.csv").write_text("3,4\n")
    monkeypatch.setenv("DISCREET_DATA", str(place))
    return place


def test_data_are_known_by_their_content(folder):
    before = datasets.digest("one")
    (folder / "one" / "rows.csv").rename(folder / "one" / "renamed.csv")
    assert datasets.digest("one") == before
    (folder / "one" / "renamed.csv").write_text("1,3\n")
    assert datasets.digest("one") != before
    with pytest.raises(DataError, match="'three'"):
        datasets.digest("three")


def test_a_unit_that_reads_what_it_does_not_name_is_an_error(folder):
    def measure(name):
        yield Row("Table 1", name, "value", (folder / name / "rows.csv").read_text())

    assert measured(Unit("Table 1", "one", partial(measure, "one"), data=("one",)))
    with pytest.raises(datasets.NotNamedError, match=r"two.rows\.csv is read, and the unit names one"):
        measured(Unit("Table 1", "two", partial(measure, "two"), data=("one",)))
    read = partial((papers.HERE / "sketches" / "measured.jsonl").read_text, encoding="utf-8")
    with pytest.raises(datasets.NotNamedError, match=r"measured\.jsonl"):
        measured(Unit("Table 1", "a file of results", read))


@pytest.mark.data
def test_the_noted_hashes_are_those_of_the_folders():
    names = {name for job in jobs([paper.name for paper in papers.PAPERS]) for name in job.unit.data}
    folders = {name for name in names if not name.endswith(".toml")}
    assert folders <= datasets.noted().keys()
    assert {name: datasets.digest(name) for name in datasets.noted()} == datasets.noted()


# -- what is measured again -------------------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path):
    (tmp_path / "choice").mkdir()
    return tmp_path


def test_stale_figures_are_measured_anew_and_again_measures_always(here, monkeypatch):
    done = []
    unit = Unit("Table 1", "a", lambda: done.append(1) or [Row("Table 1", "a", "value", len(done))])
    code = ["first"]
    monkeypatch.setattr(run, "code_hash", lambda measure: code[0])
    monkeypatch.setattr(kept, "code_hash", lambda measure: code[0])
    measure = partial(run.run, [Job("choice", unit)], here=here, say=lambda text: None)
    measure()
    measure()
    assert len(done) == 1
    code[0] = "second"
    assert run.state(unit, Store("choice", here).read()) == run.STALE
    measure()
    assert len(done) == 2
    assert run.state(unit, Store("choice", here).read()) == run.CURRENT
    measure(again=True)
    assert len(done) == 3
    assert Store("choice", here).read()[unit.key].versions.keys() >= {"discreet", "numpy", "scikit-learn"}


def test_other_data_make_a_figure_stale(here, folder, monkeypatch):
    unit = Unit("Table 1", "a", lambda: [Row("Table 1", "a", "value", 1)], data=("one",))
    monkeypatch.setattr(datasets, "NOTED", here / "data.json")
    run.run([Job("choice", unit)], here=here, say=lambda text: None)
    datasets.note(["one"])
    assert run.state(unit, Store("choice", here).read()) == run.CURRENT
    (folder / "one" / "rows.csv").write_text("other\n")
    datasets.note(["one"])
    (found,) = Store("choice", here).read().values()
    assert found.stale(kept.origin(unit)) == "data"


def test_what_takes_long_can_be_left_out(here):
    done, said = [], []
    units = [Unit("Table 1", str(n), lambda n=n: done.append(n) or [], seconds=n) for n in (1, 100)]
    run.run([Job("choice", unit) for unit in units], under=50, here=here, say=said.append)
    assert done == [1]
    assert any("1 units that take 50 s or more" in text for text in said)


def test_the_curves_of_sketches_are_measured_and_not_read(monkeypatch):
    """With small records in the place of the text: each level is sketched, with the votes that the row names."""
    calls = []
    rng = np.random.default_rng(0)
    small = Records.of((rng.random((60, 30)) < 0.4).astype(int) | np.eye(60, 30, dtype=int), np.arange(60) % 2)
    monkeypatch.setattr(sketches_protocol, "records", lambda *_: small)
    original = sketches_protocol.sketched_accuracy
    monkeypatch.setattr(sketches_protocol, "sketched_accuracy", lambda *given: calls.append(given) or original(*given))
    (unit,) = (unit for unit in papers.module("sketches").units() if unit.table == "Figure 6")
    rows = list(unit.measure())
    papers.module("sketches")._records.cache_clear()
    assert len(calls) == 5 * 2 * 4  # levels, ours and honest, splits
    assert {row.row for row in rows} == {"text_fbis, 60 records, 5 nearest"}


def test_the_key_of_a_curve_covers_its_size_levels_and_votes():
    units = papers.module("sketches").units()
    for unit in units:
        if unit.table.startswith(("Figures 3", "Figure 6", "Figures 7", "Figure 10")):
            assert unit.parameters.keys() >= {"data", "records", "splits", "tested", "levels", "votes"}
    assert len({unit.key for unit in units}) == len(units)


def test_the_same_baseline_stands_under_k_and_under_delta():
    """5 nearest neighbours of the same records, splits and test records: one figure."""
    found = page.chapter(page.paper_of("sketches")).found
    row = "text_fbis, 2463 records, 5 nearest"
    assert found.ours("Figure 6", row, "records") == found.ours("Figures 3 to 5", row, "records")


# -- the page ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def copied(tmp_path):
    """The published and kept figures of all folders, to be changed."""
    for name in papers.folders():
        (tmp_path / name).mkdir()
        for file in ("published.toml", "measured.json", "README.md"):
            shutil.copy(papers.HERE / name / file, tmp_path / name / file)
    return tmp_path


def change(here: Path, folder: str, table: str, **fields) -> None:
    path = here / folder / "measured.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for each in content["units"].values():
        if each["table"] == table:
            each |= fields
    path.write_text(json.dumps(content), encoding="utf-8")


def current(here: Path, folder: str) -> None:
    """Write hashes as if everything had been measured now."""
    units = {unit.key: unit for unit in papers.module(folder).units()}
    store = Store(folder, here)
    for key, each in store.read().items():
        if key in units:
            store.keep(units[key], list(each.rows), each.seconds, Origin(*kept.origin(units[key])))


def test_a_page_says_which_figures_are_stale_and_what_follows_from_them(copied):
    for name in ("breach", "choice"):
        current(copied, name)
    paper = page.paper_of("breach")
    assert not page.chapter(paper, copied).stale
    change(copied, "breach", "Table 2", code="another")
    change(copied, "choice", "Table 5", data={"choice/published.toml": "another"})
    found = page.chapter(paper, copied)
    text = dict(page.sections(found))
    assert text["Table 1"].count(page.MARK) == 0
    lines = [line for line in text["Table 2"].splitlines() if line.startswith("| ")][2:]
    assert all(line.endswith(f"{page.MARK} |") for line in lines)
    assert (
        'an earlier version of the code; `discreet reproduce breach --table "Table 2"` measures it' in text["Table 2"]
    )
    assert "an earlier version of the data; " in text["Table 5"]
    marked = [line for line in text["In words"].splitlines() if page.MARK in line and line.startswith("| ")]
    assert len(marked) == 1
    assert "elimination of the Plas attribute" in marked[0]
    counted = page._state([found], copied)
    in_table_2, in_table_5 = (len(page.lines(found)[table]) for table in ("Table 2", "Table 5"))
    assert f"| {in_table_2 + in_table_5 + 1} | 0 |" in counted


def test_a_page_lists_every_unit_without_a_measurement(copied, monkeypatch):
    path = copied / "fwell" / "measured.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    gone = [key for key, each in content["units"].items() if "basehock" in each["unit"] and each["table"] != "Table I"]
    assert len(gone) == 2
    for key in gone:
        del content["units"][key]
    path.write_text(json.dumps(content), encoding="utf-8")
    text = page._state([page.chapter(page.paper_of("fwell"), copied)], copied)
    for table in ("Figures 1 to 12", "Figures 13 to 24"):
        command = f'`discreet reproduce fwell --table "{table}"`'
        assert f"- fwell, {table}: basehock. {page.NO_RUN} {command} measures it." in text
    assert "Every unit" not in text
    monkeypatch.setattr(papers.module("fwell"), "NOT_RUN", {"*24: basehock": "It takes days."}, raising=False)
    text = page._state([page.chapter(page.paper_of("fwell"), copied)], copied)
    assert "- fwell, Figures 13 to 24: basehock. It takes days. `discreet" in text
    assert text.count(page.NO_RUN) == 1


@pytest.mark.parametrize("paper", papers.PAPERS, ids=lambda paper: paper.name)
def test_what_follows_from_a_part_of_the_figures_never_fails(paper):
    rows = page.chapter(paper).found.rows
    for table in {key.table for key in rows}:
        for of in (
            {k: r for k, r in rows.items() if k.table != table},
            {k: r for k, r in rows.items() if k.table == table},
        ):
            for name in paper.folders:
                page.derived(papers.module(name), Found(of.values()))


def test_sentences_take_their_figures_from_what_is_kept():
    text = reproduce.PAGE.read_text(encoding="utf-8")
    assert not re.search(r"\{[^}]*\|", text)
    assert page.filled("{Table 9|a|b|.1f} of it", Found([])) == "(not measured) of it"


# -- READMEs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", papers.folders())
def test_figures_in_a_readme_are_those_that_are_kept(name):
    assert readmes.path_of(name).read_text(encoding="utf-8") == readmes.written(name)


def test_a_readme_follows_when_a_kept_figure_changes(copied):
    path = copied / "containment" / "measured.json"
    text = path.read_text(encoding="utf-8")
    (old,) = re.findall(r'\["Table 6", "HamDist, skip", "k=5 AUC", ([0-9.]+), ', text)
    path.write_text(text.replace(f'"HamDist, skip", "k=5 AUC", {old},', '"HamDist, skip", "k=5 AUC", 0.1234,'))
    written = readmes.written("containment", copied)
    assert "| HamDist, skip | 5 |  | 0.1234 (" in written
    assert written != (copied / "containment" / "README.md").read_text(encoding="utf-8")


def test_the_worked_example_in_the_readme_of_breach_is_what_is_kept():
    found = page.chapter(page.paper_of("breach")).found
    text = (papers.HERE / "breach" / "README.md").read_text(encoding="utf-8").split("\n## ")[1]
    cells = [[cell.strip().strip("*") for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    rows = [row for row in cells if row and re.match("[A-K] [a-z_]+$", row[0])]
    assert len(rows) == 11
    for name, _, perf, _, p, _, pbi, _ in rows:
        table = "Table 1" if name[0] in "ABCDEF" else "Table 2"
        for column, digits, quoted in (("Perf", 2, perf), ("p-value", 4, p), ("PBI", 2, pbi)):
            assert quoted == f"{found.ours(table, name, column):.{digits}f}", (name, column)
