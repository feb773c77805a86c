# SPDX-License-Identifier: Apache-2.0
"""Options for rows that stay where they are: which engine counts and publishes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.completion import complete_engines
from discreet.errors import DataError, PrivacyLeakWarning, listing

if TYPE_CHECKING:
    from discreet.cli.file_options import ReadingOptions
    from discreet.data.table import Table
    from discreet.engines import Engine


def _engine(help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="Rows beyond memory", **more)


_Memory = Annotated[str | None, _engine("Memory that the engine may use, such as 4GB.")]
_Threads = Annotated[int | None, _engine("Threads that the engine may use.")]
_Master = Annotated[
    str | None, _engine("The Spark cluster, such as spark://host:7077; all cores of this machine if not given.")
]


@dataclass(frozen=True)
class EngineOptions:
    """Where rows are counted and published, if not in memory."""

    engine: Annotated[
        str | None,
        _engine(
            "duckdb: rows never come whole into memory; FILE may be a pattern or a folder. spark: the same, on the"
            " workers of a cluster. postgres: the table that --source names.",
            autocompletion=complete_engines,
        ),
    ] = None
    source: Annotated[
        str | None, _engine("postgres: postgresql://user@host/database/table, or .../database/schema.table.")
    ] = None
    memory: _Memory = None
    threads: _Threads = None
    master: _Master = None

    def source_of(self, file: Path | None) -> Path | str:
        """What is read: the file, or what the engine names instead of one."""
        from discreet.engines.engine_names import named_source

        source = None if self.engine is None else named_source(self.engine, self._given)
        if source is not None and file is not None:
            raise DataError("Rows come from a file or from --source, not from both. Leave one of them out.")
        if source is None and file is None:
            raise DataError("Nothing says where the rows are. Name a table: CSV, Excel, Parquet, SPSS and others.")
        return file if source is None else source  # type: ignore[return-value]

    @property
    def _given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "engine" and value is not None}

    @property
    def is_used(self) -> bool:
        """Whether rows stay in an engine; DataError for options that only an engine has."""
        if self.engine is None and self._given:
            given = listing(f"--{name}" for name in self._given)
            raise DataError(f"{given}: only engines take this. Name one with --engine, or leave it out.")
        return self.engine is not None

    @contextmanager
    def opened(
        self, source: Path | str, reading: ReadingOptions, scratch: Path | None, **more: Any
    ) -> Iterator[Engine]:
        """The engine; rows that wait in between are in `scratch`, in folders that only this user can read.

        `more` says further how cells are read.
        """
        from discreet.engines.engine_names import open_engine

        assert self.engine is not None
        warn_of_password(source)
        engine: Any = open_engine(self.engine, source, options=self._given, reading=reading.arguments | more)
        engine.scratch = scratch
        with closing(engine):
            yield engine


@dataclass(frozen=True)
class CountingOptions:
    """What counts or reads the rows that a command looks at, if they are not read whole."""

    engine: Annotated[
        str | None,
        _engine("duckdb, spark or postgres: rows never come whole into memory.", autocompletion=complete_engines),
    ] = None
    memory: _Memory = None
    threads: _Threads = None
    master: _Master = None

    @property
    def given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "engine" and value is not None}

    @property
    def is_used(self) -> bool:
        """Whether an engine is named; DataError for options that only an engine has."""
        return EngineOptions(engine=self.engine, **self.given).is_used

    def with_source(self, source: str | None) -> dict[str, Any]:
        """The options of the engine, a table of a database among them; DataError for those that need an engine."""
        given = EngineOptions(engine=self.engine, source=source, **self.given)
        if given.is_used and source is not None:
            warn_of_password(source)
        return self.given | ({} if source is None else {"source": source})

    @contextmanager
    def opened(self, file: Path, reading: ReadingOptions) -> Iterator[Any]:
        """The engine on files, or on the table of a database that a URL names."""
        from discreet.data.read import url_in
        from discreet.engines.engine_names import check_place, open_engine

        assert self.engine is not None
        url = url_in(str(file), reading.table)
        check_place(self.engine, is_url=url is not None)
        source, options = (file, {}) if url is None else (url, {"source": url})
        warn_of_password(source)
        engine: Any = open_engine(self.engine, source, options={**self.given, **options}, reading=reading.arguments)
        with closing(engine):
            yield engine

    def sample(
        self, file: Path, reading: ReadingOptions, *, names: Sequence[str] | None, rows: int, seed: int
    ) -> tuple[Table, str]:
        """About so many random rows, and a sentence that says so; these columns, or all."""
        from discreet.cli.file_options import CELL_OPTIONS
        from discreet.data.table import Table
        from discreet.engines.drawn_rows import drawn_rows

        cells = {name: value for name, value in reading.arguments.items() if name in CELL_OPTIONS}
        with self.opened(file, reading) as engine:
            drawn = drawn_rows(engine, names or engine.names, rows=rows, random_state=seed)
            total = len(engine)
        if len(drawn) == total:
            return Table.of(drawn, **cells), ""
        return Table.of(drawn, **cells), f"a random sample of {len(drawn):,} of {total:,} rows"


def how_read(engine: Engine, names: Sequence[str]) -> list[str]:
    """What an engine left out of its files, and how it read the texts of these columns, a sentence each."""
    readings = (getattr(engine.coding(name), "reading", None) for name in names)
    return [*getattr(engine, "notes", ()), *(one.sentence for one in readings if one is not None and one.sentence)]


def warn_of_password(source: Path | str) -> None:
    """Warn if a URL holds a password: the list of processes shows it to all users of this machine."""
    from discreet.data.database_connection import holds_password

    if isinstance(source, str) and holds_password(source):
        warnings.warn(
            "The URL holds a password, which all users of this machine can see in the list of processes. A password"
            " file (PGPASSFILE) or a service (?service=) keeps it from them.",
            PrivacyLeakWarning,
            stacklevel=2,
        )
