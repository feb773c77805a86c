# SPDX-License-Identifier: Apache-2.0
"""Every example answers the question in its title, as it stands, from a folder of its own, without a warning.

Scripts are the one source: notebooks and docs/examples.md are made from them (benchmarks/pages/examples.py).
"""

import json
import re
import runpy
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.pages.examples import GROUPS, LAST, NOTEBOOKS, PAGE, PICTURES, notebook, page, picture, read, scripts

from discreet.report.charts import VEGA_LITE

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = scripts()
IN_A_KERNEL = "how_long_does_a_budget_last"  # a real kernel for one of them: it takes seconds to start


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_a_question_and_says_what_it_does_before_it_does_it(example):
    found = read(example)
    assert found.question.endswith("?")
    assert found.text
    *_, (plot, code), (last, writing) = found.cells
    assert (plot, last) == ("The plot", LAST)
    assert re.search(r"^chart = Chart\(", code, re.MULTILINE)
    assert f'chart.save("{example.stem}.svg")' in writing


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_as_a_notebook_and_as_a_script_and_draws_what_its_page_shows(example, tmp_path, capfd):
    """The cells of the notebook, in IPython, then the one that only the script has: so one run shows both."""
    pytest.importorskip("IPython")
    from kernels import run_in_process

    cells = json.loads((NOTEBOOKS / f"{example.stem}.ipynb").read_text(encoding="utf-8"))["cells"]
    notebook_cells = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert notebook_cells[-1] == "chart"
    title, writing = read(example).cells[-1]
    assert title == LAST
    shown = run_in_process([*notebook_cells, f"from discreet.errors import DataError\n{writing}"], tmp_path)
    printed, wrong = capfd.readouterr()
    assert printed.strip()
    assert not wrong
    chart, displayed = shown[len(notebook_cells) - 1]
    assert VEGA_LITE in displayed, "the notebook ends with its chart"
    assert chart.description, "a plot can be read aloud"
    expected = [f"{example.stem}.svg"] if find_spec("vl_convert") else []
    assert [path.name for path in tmp_path.iterdir()] == expected, "an example leaves nothing else behind"
    if expected:
        stored = (PICTURES / f"{example.stem}.svg").read_text(encoding="utf-8")
        assert picture(chart) == stored, "python -m benchmarks.pages.examples pictures"
        drawing = ElementTree.fromstring((tmp_path / expected[0]).read_text(encoding="utf-8"))
        marks = [mark for mark in drawing.iter() if "mark-" in mark.get("class", "") and len(mark)]
        assert marks, "something is drawn"


def test_without_the_extra_an_example_says_so_and_goes_on(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    runpy.run_path(str(ROOT / "examples" / "how_identifiable_is_my_table.py"), run_name="__main__")
    printed, _ = capfd.readouterr()
    assert "Removing names is not enough" in printed
    assert 'No plot: Writing plots as files needs the extra "plots"' in printed
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_notebook_of_an_example_is_current(example):
    written = (NOTEBOOKS / f"{example.stem}.ipynb").read_text(encoding="utf-8")
    assert written == notebook(read(example)), "python -m benchmarks.pages.examples"
    assert not any(cell.get("outputs") for cell in json.loads(written)["cells"])


def test_the_page_of_the_examples_is_current_and_has_them_all():
    stems = [path.stem for path in EXAMPLES]
    assert sorted(stem for group in GROUPS.values() for stem in group) == stems
    assert sorted(path.stem for path in NOTEBOOKS.iterdir()) == stems
    assert sorted(path.stem for path in PICTURES.iterdir()) == stems
    written = PAGE.read_text(encoding="utf-8")
    assert written == page({path.stem: read(path) for path in EXAMPLES}), "python -m benchmarks.pages.examples"
    assert ":alt: \n" not in written, "a picture says what it shows"


def test_a_notebook_runs_in_a_real_kernel_and_shows_its_chart(tmp_path):
    pytest.importorskip("nbclient")
    from kernels import run_in_kernel

    cells = run_in_kernel(NOTEBOOKS / f"{IN_A_KERNEL}.ipynb", tmp_path)
    assert cells[-1].source == "chart"
    (shown,) = cells[-1].outputs
    assert VEGA_LITE in shown.data
    printed = "".join(output.text for cell in cells for output in cell.outputs if output.output_type == "stream")
    assert printed.strip()
    assert not [output for cell in cells for output in cell.outputs if output.get("name") == "stderr"]
