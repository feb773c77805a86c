# SPDX-License-Identifier: Apache-2.0
"""The examples as notebooks, and the page that lists them: both are made from the scripts, which are the one source.

A script is a docstring and cells that begin with `# %%` and a title. `python -m benchmarks.pages.examples` writes
examples/notebooks and docs/examples.md; with `pictures` it also runs every script and draws docs/_static/examples anew,
which needs the extra "plots".
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import runpy
import tempfile
from html import escape, unescape
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "examples"
NOTEBOOKS = SCRIPTS / "notebooks"
PAGE = ROOT / "docs" / "examples.md"
PICTURES = ROOT / "docs" / "_static" / "examples"
LAST = "Only as a script: a notebook shows the chart by itself"  # the cell that writes the picture
GROUPS = {
    "Before a release": (
        "how_identifiable_is_my_table",
        "would_my_sample_give_people_away",
        "does_it_matter_to_count_persons",
    ),
    "Choosing": (
        "which_k_should_i_choose",
        "which_method_keeps_most_for_my_classifier",
        "which_release_should_i_take",
        "select_words_under_containment",
    ),
    "What a promise leaves open": (
        "is_k_enough",
        "what_do_absences_reveal",
        "can_i_release_it_twice",
    ),
    "Noise and sketches": (
        "how_long_does_a_budget_last",
        "can_we_learn_from_what_was_never_collected",
    ),
    "If you received a release": (
        "can_a_model_from_a_release_predict_raw_rows",
        "does_cross_validation_on_a_release_flatter",
        "would_anyone_notice_a_change",
    ),
}
HEAD = """# Examples, by question

<!-- written by python -m benchmarks.pages.examples; change the scripts instead -->

Each is a script in `examples/` that runs as it stands, prints its answer and writes its plot beside it, and a notebook
in `examples/notebooks/` made from the same lines. They need no data of yours; the tables are small, so that each takes
seconds. Take one as a beginning: replace the sample by `ds.Table.of("mine.csv")`. Without the extra `plots` a script
says so and goes on.
"""


class Example(NamedTuple):
    """A script in parts: its question, what it does, and the title and code of each cell."""

    stem: str
    question: str
    text: str
    cells: list[tuple[str, str]]


def read(path: Path) -> Example:
    """Take a script apart."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    question, _, text = (ast.get_docstring(tree) or "").partition("\n")
    code = "".join(source.splitlines(keepends=True)[tree.body[0].end_lineno :])
    parts = re.split(r"^# %% (.+)\n", code, flags=re.MULTILINE)
    cells = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    return Example(path.stem, question, text.strip(), [(title, cell.strip("\n")) for title, cell in cells])


def notebook(example: Example) -> str:
    """The notebook of an example, without outputs: its last cell shows the chart, where the script writes it."""
    made = [_cell(0, "markdown", f"# {example.question}\n\n{example.text}")]
    for title, code in example.cells:
        if title == LAST:
            continue
        if title:
            made.append(_cell(len(made), "markdown", f"## {title}"))
        code = re.sub(r"^from discreet\.errors import DataError\n", "", code, flags=re.MULTILINE)
        code = code.replace(", DataError\n", "\n")  # only the last cell of the script needs it
        made.append(_cell(len(made), "code", code))
    made.append(_cell(len(made), "code", "chart"))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    content = {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cell(place: int, kind: str, source: str) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{place}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": source.splitlines(keepends=True)}


def page(examples: dict[str, Example]) -> str:
    """The list of all examples, by question, each with its picture."""
    parts = [HEAD]
    for heading, stems in GROUPS.items():
        parts.append(f"## {heading}\n")
        for stem in stems:
            example = examples[stem]
            text = example.text.replace("\n\n", "\n")
            names = f"[Script](../examples/{stem}.py), [notebook](../examples/notebooks/{stem}.ipynb)"
            picture = f"```{{image}} _static/examples/{stem}.svg\n:alt: {_description(stem)}\n```"
            parts.append(f"### {example.question}\n\n{text}\n\n{names}\n\n{picture}\n")
    return "\n".join(parts)


def _description(stem: str) -> str:
    """What a picture shows, in words, as the picture itself says it."""
    found = re.search(r"<desc>(.*?)</desc>", (PICTURES / f"{stem}.svg").read_text(encoding="utf-8"), re.DOTALL)
    return unescape(found[1]) if found else ""


def draw(path: Path) -> None:
    """Run a script in a folder of its own, and draw its chart with its description."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            chart = runpy.run_path(str(path), run_name="__main__")["chart"]
        finally:
            os.chdir(before)
    PICTURES.mkdir(parents=True, exist_ok=True)
    (PICTURES / f"{path.stem}.svg").write_text(picture(chart), encoding="utf-8", newline="\n")


def picture(chart: Any) -> str:
    """The chart of an example as the page shows it: with its title and its description.

    In hundredths of a pixel: what machines make of the last digits of a number would show otherwise.
    """
    rounded = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", chart.svg())
    first, end, rest = rounded.partition(">")
    return f"{first}{end}<title>{escape(chart.title)}</title><desc>{escape(chart.description)}</desc>{rest}\n"


def scripts() -> list[Path]:
    """All examples."""
    return sorted(SCRIPTS.glob("*.py"))


def main() -> None:
    """Write what is asked for."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.pages.examples", description=__doc__)
    options.add_argument("what", nargs="?", choices=("pictures",), help="draw the pictures, too")
    options.add_argument("--only", nargs="*", help="pictures of these examples alone")
    asked = options.parse_args()
    NOTEBOOKS.mkdir(exist_ok=True)
    for path in scripts():
        if asked.what and (asked.only is None or path.stem in asked.only):
            draw(path)
        (NOTEBOOKS / f"{path.stem}.ipynb").write_text(notebook(read(path)), encoding="utf-8", newline="\n")
    PAGE.write_text(page({path.stem: read(path) for path in scripts()}), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
