# SPDX-License-Identifier: Apache-2.0
"""The command line of discreet with its steps as stages; what an engine counts and publishes are stages within them.

python -m benchmarks.scale.command release ...
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from benchmarks.scale.watching import stage

_VERBS = ("tally", "publish", "histograms")
_open: list[str] = ["start"]


@contextmanager
def during(name: str) -> Iterator[None]:
    """A stage that ends with the block; the one around it goes on."""
    _open.append(name)
    stage(name)
    try:
        yield
    finally:
        _open.pop()
        stage(_open[-1])


def _staged(verb: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(verb)
    def call(*arguments: Any, **options: Any) -> Any:
        if _open[-1] == name:
            return verb(*arguments, **options)
        with during(name):
            return verb(*arguments, **options)

    return call


@contextmanager
def _step(what: str) -> Iterator[None]:
    first, *_ = what.lower().replace(",", " ").split()
    with during(first):
        yield


def main() -> None:
    import discreet.cli.file_options as file_options
    import discreet.cli.release as release
    from discreet.cli.app import app
    from discreet.engines import DuckDB

    file_options.step = release.step = _step
    for verb in _VERBS:
        setattr(DuckDB, verb, _staged(getattr(DuckDB, verb), verb))
    app(sys.argv[1:])


if __name__ == "__main__":
    main()
