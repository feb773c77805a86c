# SPDX-License-Identifier: Apache-2.0
"""Notebooks, run in a real kernel that sees the tree under test and writes nothing into the home folder."""

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def run_in_kernel(path: Path, folder: Path) -> list:
    """The code cells of a notebook after a run in a folder."""
    notebook = nbformat.read(path, as_version=4)
    (folder / "jupyter").mkdir()
    places = {f"JUPYTER_{name}_DIR": str(folder / "jupyter" / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    before = {name: os.environ.get(name) for name in ("IPYTHONDIR", "PYTHONPATH", *places)}
    os.environ.update(
        places, IPYTHONDIR=str(folder / "jupyter" / "ipython"), PYTHONPATH=os.pathsep.join(filter(None, sys.path))
    )
    try:
        resources = {"metadata": {"path": str(folder)}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
    return [cell for cell in notebook.cells if cell.cell_type == "code"]
