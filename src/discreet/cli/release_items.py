# SPDX-License-Identifier: Apache-2.0
"""A release of baskets that stay in files: lines of one item each, or lists of items."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.engine_options import EngineOptions
from discreet.cli.file_options import BasketOptions, ReadingOptions, RoleOptions
from discreet.cli.options import step
from discreet.errors import DataError, RolesError

if TYPE_CHECKING:
    from discreet.methods import Method
    from discreet.report.summary import Outcome


def _items(help: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="Rows beyond memory")


@dataclass(frozen=True)
class ItemOptions:
    """Which columns hold baskets; with --engine, --target and, if a person has several rows, --person."""

    item: Annotated[
        str | None,
        _items("Baskets in an engine: the column of items, one a line; with duckdb also a list in each line."),
    ] = None
    row: Annotated[str | None, _items("With --item: the column of row ids; lists need none.")] = None

    @property
    def is_given(self) -> bool:
        if self.row is not None and self.item is None:
            raise DataError("--row says to which row an item belongs. Name the column of items with --item, too.")
        return self.item is not None

    def check(self, roles: RoleOptions, reading: ReadingOptions, baskets: BasketOptions, **others: object) -> None:
        """Refuse options that have no effect on baskets in files."""
        used = {
            **{name: value for name, value in asdict(roles).items() if name not in ("target", "person")},
            "missing": reading.missing,
            "kind": reading.kinds,
            "decimal": reading.decimal,
            "thousands": reading.thousands,
            "date_format": reading.date_format,
            "baskets": baskets.held_as,
            "separator": baskets.separator,
            **others,
        }
        unfit = [f"--{name.replace('_', '-')}" for name, value in used.items() if value]
        if unfit:
            raise DataError(f"Baskets in files (--item) take no {', '.join(unfit)}. Leave it out.")

    def release(
        self,
        method: Method,
        source: Path | str,
        rows: EngineOptions,
        roles: RoleOptions,
        reading: ReadingOptions,
        labels: Path | None,
    ) -> tuple[Outcome, dict[str, Any] | None]:
        """The release of the items that the method keeps, and what the report says about it."""
        from discreet.engines import StoredBaskets

        if not rows.is_used:
            raise DataError("Baskets in files (--item) are read through an engine. Name one with --engine.")
        if roles.target is None:
            raise RolesError("A release of baskets needs labels: name their column with --target.")
        assert self.item is not None
        if rows.engine != "duckdb":
            return self._of_engine(method, source, rows, roles, reading, labels)
        options: dict[str, Any] = {"memory_limit": rows.memory, "threads": rows.threads}
        stored = StoredBaskets(
            source,
            item=self.item,
            row=self.row,
            label=roles.target,
            person=roles.person,
            labels=labels,
            **{name: value for name, value in options.items() if value is not None},
            **reading.arguments,
        )
        return _released(method, stored, source)

    def _of_engine(
        self,
        method: Method,
        source: Path | str,
        rows: EngineOptions,
        roles: RoleOptions,
        reading: ReadingOptions,
        labels: Path | None,
    ) -> tuple[Outcome, dict[str, Any] | None]:
        """The release of lines that are counted by Spark or PostgreSQL."""
        from discreet.engines import EngineBaskets

        if labels is not None:
            raise DataError(f"With --engine {rows.engine} labels are in the lines. Join them first, or take duckdb.")
        if self.row is None:
            raise DataError(
                f"With --engine {rows.engine} baskets are lines of one item: name the column of row ids with --row."
                " Lists of items are read by duckdb."
            )
        assert self.item is not None
        assert roles.target is not None
        texts = {"kinds": dict.fromkeys((self.item, self.row), "category"), "missing": ()}
        with replace(rows, memory=None).opened(source, reading, None, **texts) as engine:
            stored = EngineBaskets(
                engine,
                item=self.item,
                row=self.row,
                label=roles.target,
                person=roles.person,
                memory_limit=rows.memory or "1GB",
            )
            return _released(method, stored, source)


def _released(method: Method, stored: Any, source: Path | str) -> tuple[Outcome, dict[str, Any] | None]:
    from discreet.report.summary import Outcome, summarise_items

    with step(f"Releasing baskets with {method.name}"):
        outcome = Outcome(method.release(stored), no_utility="Not measured: the rows stay in the engine.")
    with step("Counting rows that are alike"):
        return outcome, summarise_items(outcome, stored, name=source.name if isinstance(source, Path) else "table")
