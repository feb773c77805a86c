# SPDX-License-Identifier: Apache-2.0
"""A release through an engine as a job: what it will take is said first, and a killed one goes on where it was."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from discreet._version import __version__
from discreet.cli.options import emit, say

if TYPE_CHECKING:
    from discreet.data.roles import Roles
    from discreet.engines import Engine
    from discreet.engines.protocol import JobEngine
    from discreet.methods import Method


@dataclass(frozen=True)
class ReleaseJob:
    """How a release through an engine is made.

    out          the folder that it makes; what it keeps meanwhile lies beside it
    asked        everything that decides what is published: a job that was asked for the same goes on
    memory       what the engine may use, as text
    engine       its name
    until_saved  closed when the release is there
    """

    out: Path
    asked: dict[str, Any]
    memory: str | None
    dry_run: bool
    quiet: bool
    as_json: bool
    until_saved: ExitStack
    engine: str = "duckdb"

    def start(self, engine: Engine, method: Method, roles: Roles) -> Engine:
        """The engine of this job. It ends here if nothing is to be done, or if it cannot be."""
        from discreet.engines.protocol import JobEngine

        roles.check_names(engine)
        assert isinstance(engine, JobEngine)
        self._estimate(engine, method, roles)
        return self._resumable(engine, roles)

    def _estimate(self, engine: JobEngine, method: Method, roles: Roles) -> None:
        from discreet.engines.estimate import bytes_of, estimate

        kept = [name for name in roles.published if name not in roles.quasi]
        found = estimate(
            engine.sample([*roles.quasi, *kept]),
            n_quasi=len(roles.quasi),
            place=self.out.absolute().parent,
            engine=self.engine,
            engine_memory=bytes_of(self.memory) if self.engine == "duckdb" else 0,
            parts=method.decides_in_parts(roles),
        )
        if self.dry_run and self.as_json:
            emit({"format": 1, **asdict(found)})
        elif self.dry_run or not (self.quiet or self.as_json):
            say(*found.lines, err=not self.dry_run)
        found.refuse()
        if self.dry_run:
            raise typer.Exit

    def _resumable(self, engine: JobEngine, roles: Roles) -> Engine:
        """The engine with a folder for what is finished, where it can be told later that the rows are the same."""
        from discreet.engines.resumable import purpose_of, resumable
        from discreet.foundation.job_folder import job_folder

        rows = engine.identity([name for name in engine.names if name in roles.named])
        if rows is None:
            return engine
        purpose = purpose_of(rows, asked=self.asked, version=__version__)
        folder = self.until_saved.enter_context(job_folder(self.out, purpose))
        job = resumable(engine, folder)
        if job.has_begun and not (self.quiet or self.as_json):
            say("A job for the same release was interrupted: it goes on with what it has counted.", err=True)
        return job
