# SPDX-License-Identifier: Apache-2.0
"""Notebooks, run in a real kernel, or without one in this process: quicker, by the same shell.

Either sees the tree under test and writes nothing into the home folder.
"""

import contextlib
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

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


def run_in_process(cells: list[str], folder: Path) -> list[tuple[Any, dict[str, Any]]]:
    """The value of each cell, and what a notebook shows of it; a cell that fails raises."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    settings = Config(HistoryManager={"enabled": False}, InteractiveShell={"colors": "nocolor", "xmode": "Plain"})
    shown = []
    before = sys.modules["__main__"], sys.displayhook, sys.excepthook
    with contextlib.chdir(folder), tempfile.TemporaryDirectory() as own:
        shell = InteractiveShell(config=settings, user_module=ModuleType("__main__"), ipython_dir=own)
        try:
            for cell in cells:
                done = shell.run_cell(cell)
                done.raise_error()
                shown.append((done.result, shell.display_formatter.format(done.result)[0]))
        finally:
            shell.restore_sys_module_state()
            sys.modules["__main__"], sys.displayhook, sys.excepthook = before
    return shown
