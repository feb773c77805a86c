# SPDX-License-Identifier: Apache-2.0
"""A hash of everything a result depends on: the content of data and parameters, and the source code that computes it.

Equal content gives equal hashes whatever frame it came from; nothing is hashed by its address or its name alone. What
cannot be told by its content, such as a function, is refused: a result must not be taken for that of another question.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import importlib.metadata
import inspect
import json
import os
import platform
import threading
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import discreet.learning.classifiers as classifiers
from discreet._version import __version__
from discreet.data.baskets import Baskets
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.errors import ParameterError, quietly, shown
from discreet.foundation.estimators import is_estimator
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp

_PACKAGE = Path(classifiers.__file__).parent.parent
_PARSING = threading.Lock()  # parsing in two threads at once corrupts Python 3.11's recursion counter
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pyarrow")


def digest(*parts: Any) -> str:
    """The SHA-256 of some content, in hexadecimal digits.

    >>> digest({"k": 5}) == digest({"k": 5}), digest(5) == digest("5")
    (True, False)
    """
    sha = hashlib.sha256()
    _add(sha.update, parts)
    return sha.hexdigest()


def _add(add: Callable[[bytes], None], value: Any) -> None:
    """Feed a value with its type and length, so that different contents never give the same bytes."""
    if value is None or isinstance(value, (bool, int, float, str)):
        _frame(add, type(value).__name__, json.dumps(value).encode())
    elif isinstance(value, bytes):
        _frame(add, "bytes", value)
    elif isinstance(value, np.generic):
        _add(add, value.item())
    elif isinstance(value, np.ndarray):
        if value.dtype == object:
            _add(add, ["array", value.shape, value.ravel().tolist()])
        else:
            _add(add, ["array", value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes()])
    elif isinstance(value, Mapping):
        _frame(add, "mapping", b"%d" % len(value))
        for key in sorted(value, key=lambda key: (type(key).__name__, str(key))):
            _add(add, [key, value[key]])
    elif isinstance(value, (list, tuple)) and len(value) and all(type(part) is str for part in value):
        _frame(add, "texts", json.dumps(value).encode())
    elif isinstance(value, (list, tuple)):
        _frame(add, "list", b"%d" % len(value))
        for part in value:
            _add(add, part)
    elif isinstance(value, (set, frozenset)):
        _add(add, ["set", sorted(digest(part) for part in value)])
    else:
        _add_object(add, value)


_PARTS: dict[type, Callable[[Any], list[Any]]] = {
    Column: lambda column: ["column", column.name, column.kind, column.texts, column.codes.astype(np.int64)],
    Table: lambda table: ["table", table.columns()],
    Baskets: lambda baskets: [
        "baskets",
        *(baskets.matrix, baskets.names, baskets.labels, baskets.classes, baskets.persons),
    ],
}


def _add_object(add: Callable[[bytes], None], value: Any) -> None:
    if type(value) in _PARTS:
        _add(add, _PARTS[type(value)](value))
    elif is_sparse(value):
        csr = sp.csr_array(value)
        csr.sum_duplicates()
        _add(add, ["matrix", csr.shape, csr.indptr.astype(np.int64), csr.indices.astype(np.int64), csr.data])
    elif isinstance(value, os.PathLike):
        _add(add, ["file", Path(value).read_bytes()])
    elif is_estimator(value):
        _add(add, [_class(value), value.get_params(deep=False)])
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        _add(add, [_class(value), {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}])
    else:
        raise ParameterError(
            f"A {type(value).__name__} is among the parameters. What it does cannot be told by its content, so results"
            " cannot be kept for it. Evaluate without a cache, or choose the parameter by its name."
        )


def _frame(add: Callable[[bytes], None], kind: str, content: bytes) -> None:
    add(f"{kind} {len(content)} ".encode())
    add(content)


def _class(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


# -- source --------------------------------------------------------------------------------------------------------


@cache
def source_of(cls: type | None) -> str:
    """The hash of the code that a score rests on: the learners, the protocols, the class of a method, and all files of
    discreet that they import, directly or not; with the versions of discreet and of the libraries below it.
    """
    start = [Path(classifiers.__file__), Path(__file__).with_name("protocols.py")]
    if cls is not None:
        file, _ = quietly(inspect.getfile, cls, errors=(TypeError, OSError))
        if file is None or not Path(file).is_file():
            raise ParameterError(
                f"The class {shown(cls.__name__)} is in no file. Whether it changed cannot be told, so results cannot"
                " be kept for it. Put it into a file, or evaluate without a cache."
            )
        start.append(Path(file))
    sources = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(imported(start))]
    libraries = [importlib.metadata.version(name) for name in _LIBRARIES]
    return digest(__version__, platform.python_version(), libraries, sources)


def imported(start: list[Path]) -> set[Path]:
    """These files, and the files of discreet that they import, anywhere in them."""
    modules, queue = set(start), list(start)
    while queue:
        for name in _names(queue.pop().read_text(encoding="utf-8")):
            parts = name.split(".")[1:]
            for path in (_PACKAGE.joinpath(*parts).with_suffix(".py"), _PACKAGE.joinpath(*parts, "__init__.py")):
                if parts and path.is_file() and path not in modules:
                    modules.add(path)
                    queue.append(path)
    return modules


@cache
def _names(source: str) -> set[str]:
    """What a file imports from discreet: modules, and what may be a module of a package. Classes share most files."""
    names: set[str] = set()
    with _PARSING:
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("discreet.")}
