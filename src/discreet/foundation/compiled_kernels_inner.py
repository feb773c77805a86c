# SPDX-License-Identifier: Apache-2.0
"""Kernels that only other kernels call: numba need not make machine code of them, nor optimise them by themselves.

The code of a kernel is linked into each kernel that calls it and optimised there. By itself numba would optimise every
kernel on the way, and make machine code of it that nobody runs, which took a fifth of the time to compile.
"""

from __future__ import annotations

from functools import cache
from typing import Any

_TRIED = ("0.68",)  # versions of numba whose internals are known to work in this way


@cache
def inner_pipeline() -> Any:
    """A pipeline for `njit`; numba's own in versions that were not tried."""
    import numba
    from numba.core import codegen, compiler

    if not numba.__version__.startswith(tuple(f"{one}." for one in _TRIED)):
        return compiler.Compiler

    class Inner(codegen.JITCodeLibrary):
        """Code to be linked into other code."""

        @property
        def codegen(self) -> Any:
            return _WithoutEnvironments(self._codegen)

        def get_pointer_to_function(self, name: str) -> int:
            return 0  # there is none

        def _optimize_final_module(self) -> None:
            pass

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

    class InnerCompiler(compiler.Compiler):
        def __init__(self, typing: Any, target: Any, library: Any, *others: Any):
            super().__init__(typing, target, library or Inner(target.codegen(), "kernel"), *others)

    return InnerCompiler


class _WithoutEnvironments:
    """numba's code generator, for code that has no address at which its environment could be set; kernels that are
    loaded from the cache do without it, too.
    """

    def __init__(self, generator: Any):
        self._generator = generator

    def __getattr__(self, name: str) -> Any:
        return getattr(self._generator, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass
