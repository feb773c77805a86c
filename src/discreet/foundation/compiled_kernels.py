# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels, and where their machine code is cached: use `@compiled` instead of numba's decorators.

numba is loaded, and a kernel compiled, when it is first called: importing a module of kernels costs nothing.

Machine code is cached in the package's folder if that is writable, else in the user's cache folder, else in a private
folder among the temporary files, which is often the only choice in containers and service accounts. Without any of
them, kernels are compiled again in each process: slower, but never an error.

Anyone who can write to such a folder can run code as its user, since numba loads what it finds there. So a folder
outside the package is used only if nobody else can write to it or replace it. NUMBA_CACHE_DIR is respected if it names
a writable folder.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache, cached_property, partial, update_wrapper
from pathlib import Path
from typing import Any

from discreet.errors import quietly
from discreet.foundation import system
from discreet.foundation.compiled_kernels_inner import inner_pipeline

_VARIABLE = "NUMBA_CACHE_DIR"  # read by numba, also in processes started from here
_PACKAGE = Path(__file__).parent


KERNELS: list[Kernel] = []  # of all modules that are loaded


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """The function as machine code that releases the interpreter's lock, cached between runs if possible.

    `options` are passed on to numba.

    >>> double = compiled(lambda number: 2 * number)
    >>> double(21)
    42
    """
    return partial(compiled, **options) if function is None else Kernel(function, options)


class Kernel:
    """A function that is compiled when it is first called, or when a kernel that calls it is.

    numba asks a global of a kernel for its `_numba_type_`, and for `targetoptions` and `py_func` if it may be inlined.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]):
        self.py_func, self.targetoptions = function, options
        self._dispatcher: Any = None
        self._inner: Any = None
        update_wrapper(self, function)
        KERNELS.append(self)

    def __call__(self, *arguments: Any) -> Any:
        return (self._dispatcher or self.dispatcher)(*arguments)

    @property
    def dispatcher(self) -> Any:
        """The function as numba compiles it."""
        if self._dispatcher is None:
            njit = partial(_numba().njit, nogil=True, no_cfunc_wrapper=True, **self.targetoptions)
            kept, failure = quietly(njit(cache=True), self.py_func, errors=(RuntimeError, OSError))
            self._dispatcher = _quick_to_compile(njit()(self.py_func) if failure else _quick_to_load(kept))
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """How a kernel that calls this one sees it: without what Python needs to call it, which takes longer to compile
        than many a kernel, and not cached, since the machine code of the caller includes it.
        """
        if self._inner is None:
            alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
            njit = partial(_numba().njit, nogil=True, pipeline_class=inner_pipeline(), **alone)
            self._inner = self._dispatcher or njit(**self.targetoptions)(self.py_func)
        return self._inner._numba_type_


def intrinsic(function: Callable[..., Any]) -> Any:
    """A function for kernels that emits machine instructions, registered with numba when a kernel first calls it."""
    return Intrinsic(function)


class Intrinsic:
    """What `intrinsic` makes of a function."""

    def __init__(self, function: Callable[..., Any]):
        self._function = function
        self.__doc__ = function.__doc__

    @cached_property
    def _numba_type_(self) -> Any:
        _numba()
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic as register

        self._registered = register(self._function)
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(self._registered)


def cache_of_kernels() -> tuple[int, int, str]:
    """How many kernels this process compiled, how many it found compiled, and the folder of the cache, "" for none."""
    used = {id(one): one for kernel in KERNELS for one in (kernel._dispatcher, kernel._inner) if one is not None}
    stats = [dispatcher.stats for dispatcher in used.values()]
    compiled = sum(sum(one.cache_misses.values()) for one in stats)
    folders = [str(Path(one.cache_path)) for one in stats if one.cache_path]
    return compiled, sum(sum(one.cache_hits.values()) for one in stats), os.path.commonpath(folders) if folders else ""


def kernels_are_loaded() -> bool:
    """Whether numba is loaded, which takes longer than a little work without kernels."""
    return "numba" in sys.modules


def _quick_to_compile(dispatcher: Any) -> Any:
    """The dispatcher, which compiles without looking for garbage: compiling makes many objects that stay."""
    compile_it = dispatcher.compile

    def undisturbed(signature: Any) -> Any:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return compile_it(signature)
        finally:
            if was_enabled:
                if not gc.get_freeze_count():
                    gc.freeze()  # and back: what there is now counts as old and is not looked through at once
                    gc.unfreeze()
                gc.enable()

    dispatcher.compile = undisturbed
    return dispatcher


def _quick_to_load(dispatcher: Any) -> Any:
    """The dispatcher, with a cache that finds machine code without preparing numba to compile.

    numba would first load all that it knows about types and functions, which takes longer than importing numba. Only
    compiling needs it, and compiling prepares itself; machine code needs the runtime that counts references.
    """
    kept = dispatcher._cache
    if hasattr(kept, "_load_overload"):  # in another version of numba, its own way is taken

        def load_overload(signature: Any, target: Any) -> Any:
            from numba.core.runtime import rtsys

            rtsys.initialize(target)
            return kept._load_overload(signature, target)

        kept.load_overload = load_overload
        # A kernel has no types of others, for which numba would look through all installed packages.
        dispatcher._compilation_chain_init_hook = lambda: None
    return dispatcher


@cache
def _numba() -> Any:
    """numba, with its cache folder set before the first kernel is compiled."""
    import numba

    if folder := choose_folder():
        os.environ[_VARIABLE] = folder
        numba.config.CACHE_DIR = folder
    return numba


def choose_folder() -> str:
    """The cache folder to set for numba; empty if its own choice is fine, or if there is no safe folder."""
    from numba.misc.appdirs import AppDirs

    configured = os.environ.get(_VARIABLE, "")
    if (configured and _writable(Path(configured))) or _writable(_PACKAGE / "__pycache__"):
        return ""
    users = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    temporary, _ = quietly(tempfile.gettempdir, errors=(OSError,))
    own = () if temporary is None else (Path(temporary) / f"discreet-kernels-{system.user_number()}",)
    return next((str(folder) for folder in (users, *own) if _private(folder)), "")


def folder_for_code(package: Path) -> Path | None:
    """Where a folder of the package may keep code that was made from its files: beside them, or in a private folder.

    None if there is no safe folder.
    """
    if _writable(package / "__pycache__"):
        return package / "__pycache__"
    temporary, _ = quietly(tempfile.gettempdir, errors=(OSError,))
    own = None if temporary is None else Path(temporary) / f"discreet-kernels-{system.user_number()}"
    return own if own is not None and _private(own) else None


def _writable(folder: Path) -> bool:
    def attempt() -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()

    return not quietly(attempt, errors=(OSError, ValueError))[1]


def _private(folder: Path) -> bool:
    """Is this a writable folder of this user that no other user can write to, rename or replace by a link?"""
    return _writable(folder) and bool(quietly(system.is_safe_from_others, folder, errors=(OSError,))[0])
