# SPDX-License-Identifier: Apache-2.0
"""The script that measures the tree runs on it, and finds what is planted in a small one."""

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.architecture.graph import Graph, flow
from benchmarks.architecture.picture import panel, picture
from benchmarks.architecture.twice import twice
from benchmarks.architecture.unused import unused

ROOT = Path(__file__).parents[2]

BODY = """
    total = 0
    for one in rows:
        if one > limit:
            total += one
        else:
            total -= 1
    return total
"""


@pytest.fixture
def small(tmp_path):
    """A package of two folders: `low` copies itself, `high` imports from it, `dead` is for nobody."""
    package = tmp_path / "src" / "toy"
    files = {
        "__init__.py": "",
        "low/__init__.py": "",
        "low/sums.py": f"def add(rows, limit):{BODY}\n\ndef join(cells, most):{BODY.replace('one', 'cell')}".replace(
            "cell in rows", "cell in cells"
        ).replace("cell > limit", "cell > most"),
        "high/__init__.py": "",
        "high/use.py": "from toy.low.sums import add, join\n\nUSED = add, join\n\n\ndef dead():\n    return USED\n",
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    return Graph(package)


def test_the_graph_has_an_edge_where_one_folder_imports_from_another(small):
    assert small.edges == {("high", "low"): 1}
    assert small.layers() == ["low", "high"]
    assert small.apart() == [("low.sums", "high.use")]


def test_what_is_written_twice_is_found_whatever_its_names(small):
    assert twice(small) == ["8 lines: low/sums.py:1-8, low/sums.py:11-18"]


def test_what_nothing_uses_is_found(small, tmp_path):
    assert unused(small, tmp_path) == ["high/use.py:6 dead, used by nothing"]


def test_an_import_against_the_order_is_drawn_in_red(small):
    kept = picture([panel("kept", ["low", "high"], small.edges)])
    broken = picture([panel("broken", ["high", "low"], small.edges)])
    assert "against the order" not in kept
    assert "1 edges, 1 against the order" in broken


def test_the_figures_are_printed():
    command = [sys.executable, "-m", "benchmarks.architecture"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    lines = dict(line.split("  ", 1) for line in done.stdout.splitlines() if "  " in line)
    assert lines["folders that `import discreet` does not reach"].strip() == "0"
    page = (ROOT / "docs" / "flow.md").read_text(encoding="utf-8")
    assert all(f"\n| {name} | " in page for name in (line[:54].strip() for line in done.stdout.splitlines()))


def test_the_picture_in_the_docs_has_a_box_for_every_folder():
    text = (ROOT / "docs" / "_static" / "imports.svg").read_text(encoding="utf-8")
    assert all(f"<title>{folder}</title>" in text for folder in flow())
    assert "against the order" not in text
