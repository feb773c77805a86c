# SPDX-License-Identifier: Apache-2.0
"""Modules of other libraries that are loaded when something of them is first used: a release of a small table in CSV
needs none of SciPy, and nothing about Parquet.

>>> special.expit(0.0)
np.float64(0.5)
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

__all__ = ["is_sparse", "linalg", "one_thread", "optimize", "parquet", "sparse", "sparse_linalg", "special", "stats"]

if TYPE_CHECKING:
    from pyarrow import parquet
    from scipy import linalg, optimize, sparse, special, stats
    from scipy.sparse import linalg as sparse_linalg
else:

    class LazyModule:
        """Stands for a module, and loads it on the first look at an attribute."""

        def __init__(self, name: str):
            self.__name__ = name

        def __getattr__(self, attribute: str) -> Any:
            return getattr(importlib.import_module(self.__name__), attribute)

    parquet = LazyModule("pyarrow.parquet")
    linalg, optimize, special = LazyModule("scipy.linalg"), LazyModule("scipy.optimize"), LazyModule("scipy.special")
    sparse, sparse_linalg, stats = (
        LazyModule("scipy.sparse"),
        LazyModule("scipy.sparse.linalg"),
        LazyModule("scipy.stats"),
    )


def one_thread() -> Any:
    """A context in which linear algebra uses one thread: on small matrices more cost more than they save, and round
    differently from machine to machine.
    """
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    assert linalg.cho_factor  # SciPy's library is loaded before its threads are limited
    return threadpool_limits(1)


def is_sparse(value: object) -> bool:
    """Whether this is a sparse matrix or array; nothing is one before SciPy was loaded.

    >>> is_sparse([[0, 1]])
    False
    """
    return "scipy.sparse" in sys.modules and bool(sparse.issparse(value))
