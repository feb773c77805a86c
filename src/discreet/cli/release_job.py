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
from discreet.errors import DataError

if TYPE_CHECKING:
    from discreet.data.roles import Roles
    from discreet.engines import Engine
    from discreet.methods import Method


@dataclass(frozen=True)
class ReleaseJob:
    """How a release through an engine is made.

    out          the folder that it makes; what it keeps meanwhile lies beside it
    asked        everything that decides what is published: a job that was asked for the same goes on
    memory       what the engine may use, as text
    until_saved  closed when the release is there
    """

    out: Path
    asked: dict[str, Any]
    memory: str | None
    dry_run: bool
    quiet: bool
    as_json: bool
    until_saved: ExitStack

    def start(self, engine: Engine, method: Method, roles: Roles) -> Engine:
        """The engine of this job. It ends here if nothing is to be done, or if it cannot be."""
        from discreet.engines.protocol import CellEngine

        files: tuple[Path, ...] = getattr(engine, "files", ())
        roles.check_names(engine)
        if not files or not isinstance(engine, CellEngine):
            if self.dry_run:
                raise DataError("--dry-run has no effect: this engine gives no estimate, only duckdb on files does.")
            return engine
        self._estimate(files, method, roles)
        return self._resumable(engine, files)

    def _estimate(self, files: tuple[Path, ...], method: Method, roles: Roles) -> None:
        from discreet.engines.estimate import bytes_of, estimate

        found = estimate(
            files,
            quasi=roles.quasi,
            kept=[name for name in roles.published if name not in roles.quasi],
            place=self.out.absolute().parent,
            engine_memory=bytes_of(self.memory),
            parts=method.decides_in_parts(roles),
        )
        if self.dry_run and self.as_json:
            emit({"format": 1, **asdict(found)})
        elif self.dry_run or not (self.quiet or self.as_json):
            say(*found.lines, err=not self.dry_run)
        found.refuse()
        if self.dry_run:
            raise typer.Exit

    def _resumable(self, engine: Any, files: tuple[Path, ...]) -> Engine:
        from discreet.engines.resumable import Resumable, purpose_of
        from discreet.foundation.job_folder import job_folder

        purpose = purpose_of(files, asked=self.asked, version=__version__)
        folder = self.until_saved.enter_context(job_folder(self.out, purpose))
        job = Resumable(engine, folder)
        if job.has_begun and not (self.quiet or self.as_json):
            say("A job for the same release was interrupted: it goes on with what it has counted.", err=True)
        return job
