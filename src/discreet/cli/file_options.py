# SPDX-License-Identifier: Apache-2.0
"""Options for reading a data file: its shape, its dialect, and the roles of its columns."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.completion import complete_columns
from discreet.cli.engine_options import warn_of_password
from discreet.cli.options import pairs, remark, split, step
from discreet.cli.running import names_of, refuse_unused
from discreet.errors import DataError, RolesError, did_you_mean, listing, quietly

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets
    from discreet.data.dataset import Dataset
    from discreet.data.roles import Roles
    from discreet.data.table import Table


def _reading(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="Reading the file")


def _role(*names: str, help: str) -> Any:
    panel = "Roles of the columns"
    return typer.Option(*names, help=help, rich_help_panel=panel, autocompletion=complete_columns)


def _basket(help: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="Baskets (0/1 data)")


@dataclass(frozen=True)
class ReadingOptions:
    """How a table is parsed: delimiter, encoding, header, missing cells, kinds of columns; which one of a database."""

    delimiter: Annotated[
        str | None, _reading(help="The delimiter of cells, such as ';' or 'tab'; detected if not given.")
    ] = None
    quote: Annotated[str | None, _reading(help="The quote character; detected if not given.")] = None
    encoding: Annotated[str | None, _reading(help="Such as utf-8 or cp1252; detected if not given.")] = None
    names: Annotated[list[str] | None, _reading(help="Column names, a,b,c, of a file without a header line.")] = None
    header: Annotated[
        bool | None,
        _reading(
            "--header/--no-header", help="Whether the first line holds names; decided by its content if not given."
        ),
    ] = None
    missing: Annotated[
        list[str] | None, _reading(help="What marks a missing cell, instead of the usual marks; repeatable.")
    ] = None
    kinds: Annotated[
        list[str] | None, _reading("--kind", help="column=number, column=category or column=date; repeatable.")
    ] = None
    decimal: Annotated[
        list[str] | None,
        _reading(help="The decimal mark, a comma or a point; or column=MARK; else recognised."),
    ] = None
    thousands: Annotated[
        list[str] | None,
        _reading(help="The mark between thousands, or space, apostrophe, none; or column=MARK; else recognised."),
    ] = None
    date_format: Annotated[
        list[str] | None,
        _reading(help="day-first, month-first, year-first or such as DD.MM.YYYY; or column=FORMAT; else recognised."),
    ] = None
    table: Annotated[str | None, _reading(help="A table of a database, or a sheet of a workbook.")] = None

    @property
    def arguments(self) -> dict[str, Any]:
        """The options that were used, as arguments of `Table.of` and keys of a recipe."""
        names = list(self.names) if isinstance(self.names, tuple) else list(split(self.names))  # a recipe lists them
        arguments = asdict(self) | {"names": names, "kinds": pairs(self.kinds, "--kind")}
        arguments["delimiter"] = tab(self.delimiter)
        for option in ("decimal", "thousands", "date_format"):
            arguments[option] = _by_column(getattr(self, option), option)
        return {name: value for name, value in arguments.items() if value not in (None, [], {})}

    @property
    def says_table(self) -> bool:
        """Whether an option was used that only tables have."""
        return self.delimiter is not None or self.names is not None or self.header is not None

    @property
    def _named_columns(self) -> frozenset[str]:
        """The columns of which it was said how they are read."""
        arguments = self.arguments
        said = (arguments.get(option) for option in ("kinds", "decimal", "thousands", "date_format"))
        return frozenset(name for one in said if isinstance(one, dict) for name in one)

    def read(self, path: Path, *, by_cells: bool = False) -> Table:
        """Read a table; with `by_cells`, the parsing of a cell depends on no other row.

        Transactions are refused: their first row is not a header.
        """
        from discreet.data.column import KINDS
        from discreet.data.read import source_name, url_in
        from discreet.data.table import Table

        if not by_cells and not self.says_table and ShapeOptions().shape(path) == "transactions":
            raise DataError(
                f"{path.name!r} looks like transactions (items separated by white space), not like a table. Use"
                " --baskets transactions, or say how to read the table: --header or --no-header, --delimiter."
            )
        arguments = self.arguments
        for kind in arguments.get("kinds", {}).values():
            if kind not in KINDS:
                hint = did_you_mean(kind, KINDS)
                raise DataError(f"{kind!r} is not a kind of column.{hint} They are {listing(KINDS)}.")
        warn_of_password(url_in(str(path), self.table) or path)
        with step(f"Reading {source_name(path)}"):
            if not by_cells:
                table = Table.of(path, **arguments)
                for name in sorted(self._named_columns & set(table.names)):
                    table.column(name)  # what is said of a column must fit it, also where it is not used
                return table
            cells = {name: arguments.pop(name) for name in CELL_OPTIONS if name in arguments}
            return Table.by_cells(path, dialect=arguments, **cells)


CELL_OPTIONS = ("kinds", "missing", "decimal", "thousands", "date_format")  # as `Table.of` calls them


def _by_column(values: list[str] | None, option: str) -> str | dict[str, str] | None:
    """One value for all columns, or one for each of the named columns.

    >>> _by_column([","], "decimal"), _by_column(["born=day-first", "seen=%Y-%m"], "date_format")
    (',', {'born': 'day-first', 'seen': '%Y-%m'})
    """
    named = dict(pair.rpartition("=")[::2] for pair in values or () if "=" in pair)
    plain = [value for value in values or () if "=" not in value]
    if len(plain) > 1 or (plain and named):
        name = option.replace("_", "-")
        raise DataError(f"--{name} is given once for all columns, or as column=VALUE for each of them, not both.")
    return plain[0] if plain else named or None


class BasketSource(StrEnum):
    transactions = "transactions"
    columns = "columns"


@dataclass(frozen=True)
class ShapeOptions:
    """What a file holds."""

    held_as: Annotated[
        BasketSource | None, _basket("The file holds transactions, or 0/1 columns (with --target).", "--baskets")
    ] = None
    labels: Annotated[Path | None, _basket("Labels of the transactions, one per line.")] = None

    @property
    def is_given(self) -> bool:
        """Whether an option says that the file holds baskets."""
        return self.held_as is not None or self.labels is not None

    def shape(self, path: Path) -> str:
        """The file's shape, "table", "columns" of 0 and 1, or "transactions": by the options, else by its content."""
        from discreet.data.transactions import looks_like_transactions

        if self.held_as is not None:
            return self.held_as.value
        return "transactions" if self.labels is not None or looks_like_transactions(path) else "table"


@dataclass(frozen=True)
class BasketOptions(ShapeOptions):
    """What a file holds, and how transactions are read."""

    separator: Annotated[str | None, _basket("The separator of items; white space if not given.")] = None

    def transactions(self, path: Path) -> Baskets:
        """Read transactions, with labels if --labels names a file of them."""
        from discreet.data.baskets import Baskets
        from discreet.data.transactions import read_labels

        with step(f"Reading {path.name}"):
            labels = None if self.labels is None else read_labels(self.labels)
            return Baskets.from_transactions(path, labels, separator=tab(self.separator))


@dataclass(frozen=True)
class RoleOptions:
    """What the columns are for."""

    target: Annotated[str | None, _role(help="The column a classifier is to predict; published as it is.")] = None
    quasi: Annotated[list[str] | None, _role(help="What an attacker may know, a,b,c; the promise covers these.")] = None
    sensitive: Annotated[list[str] | None, _role(help="What an attacker wants to learn; published as it is.")] = None
    identifiers: Annotated[
        list[str] | None, _role("--identifiers", "--identifier", help="Names and numbers; never published.")
    ] = None
    other: Annotated[list[str] | None, _role(help="Published as it is, assumed unknown to an attacker.")] = None
    person: Annotated[str | None, _role(help="Identifies the person of a row: persons are counted, not rows.")] = None
    allow_unique: Annotated[
        list[str] | None, _role(help="Columns to publish as they are although every row has its own value.")
    ] = None

    def dataset(self, table: Table) -> Dataset:
        """The table with its roles."""
        from discreet.data.dataset import Dataset

        return Dataset.unchecked(table, self.roles(table.names))

    def by_cells(self, table: Table) -> Dataset:
        """The same for a method that reads each cell by itself: all rows as they are."""
        from discreet.data.dataset import TableDataset

        return TableDataset(table, self.roles(table.names))

    def roles(self, names: tuple[str, ...]) -> Roles:
        """The roles of columns with these names."""
        from discreet.data.roles import Roles

        listed = ("quasi", "sensitive", "identifiers", "other", "allow_unique")
        by_role = {role: split(getattr(self, role), names) for role in listed}
        return Roles(target=self.target, person=self.person, **by_role)


def read_dataset(
    file: Path,
    roles: RoleOptions,
    baskets: BasketOptions,
    reading: ReadingOptions,
    *,
    by_cells: bool = False,
    text: str | None = None,
) -> Dataset:
    """Read the file, with the roles of its columns (baskets have none); `text` is a column whose words are items. The
    method checks the roles."""
    if text is not None:
        return _of_texts(file, text, roles, reading, by_cells)
    if baskets.held_as is None:
        refuse_unused("labels", "separator", because="the file is read as a table; add --baskets transactions")
        table = reading.read(file, by_cells=by_cells)
        dataset = roles.by_cells(table) if by_cells else roles.dataset(table)
        _check_allowed(dataset.roles)
        if not by_cells and dataset.roles is not None:
            for name in dataset.roles.named:
                quietly(table.column, name, errors=(DataError,))  # what cannot be read says so when it is used
            remark(*table.reading.sentences(), *dataset.notes)
        return dataset
    _check_label_alone(roles)
    return _LABELLED[baskets.held_as](file, roles.target, baskets, reading, by_cells)


def _check_allowed(roles: Roles | None) -> None:
    """Refuse --allow-unique of columns that are not published as they are."""
    idle = [] if roles is None else [name for name in roles.allow_unique if name not in roles.published]
    if idle:
        refuse_unused("allow_unique", because=f"no role publishes {listing(idle)}")


def _check_label_alone(roles: RoleOptions) -> None:
    unfit = [role for role, names in asdict(roles).items() if names and role != "target"]
    if unfit:
        named = listing(f"--{role.replace('_', '-')}" for role in unfit)
        raise RolesError(f"Baskets have a label and items; they take no {named}. Leave it out.")


def _of_texts(file: Path, text: str, roles: RoleOptions, reading: ReadingOptions, by_cells: bool) -> Dataset:
    from discreet.data.dataset import Dataset
    from discreet.study.loading import words_of

    if by_cells:
        raise DataError(
            "A release with noise names items that are public, and the words of texts come from the rows themselves."
            " Choose a method that counts persons, or bring baskets whose items everybody knows."
        )
    _check_label_alone(roles)
    refuse_unused("labels", "separator", because="the recipe reads texts, whose words are the items")
    table = reading.read(file)
    for name in (text, roles.target):
        if name is None or name not in table:
            raise RolesError(
                "Texts need a column that holds them and a target, another column."
                + ("" if name is None else f" There is no column {name!r}.{did_you_mean(name, table.names)}")
            )
    return Dataset.unchecked(words_of(table, text, roles.target))


def _of_columns(
    file: Path, target: str | None, baskets: BasketOptions, reading: ReadingOptions, cells: bool
) -> Dataset:
    from discreet.data.baskets import Baskets
    from discreet.data.dataset import Dataset

    refuse_unused("labels", "separator", because="--baskets columns are 0/1 columns of a table, no transactions")
    if target is None:
        raise RolesError("Baskets of 0/1 columns need --target, the column that holds the labels.")
    table = reading.read(file, by_cells=cells)
    if target not in table:
        raise RolesError(f"There is no column {target!r} to predict.{did_you_mean(target, table.names)}")
    return Dataset.unchecked(Baskets.from_columns(table, target=target))


def _of_transactions(
    file: Path, target: str | None, baskets: BasketOptions, reading: ReadingOptions, cells: bool
) -> Dataset:
    from discreet.data.dataset import Dataset

    refuse_unused("target", because="transactions have no columns; --labels names a file of labels")
    refuse_unused(*names_of(ReadingOptions), because="transactions are lines of items, not a table")
    if baskets.labels is None:
        raise RolesError("Baskets of transactions need --labels, a file with one label per line.")
    return Dataset.unchecked(baskets.transactions(file))


_LABELLED = {BasketSource.columns: _of_columns, BasketSource.transactions: _of_transactions}


def tab(text: str | None) -> str | None:
    """A separator as typed on a command line, where "tab" stands for a tab."""
    return "\t" if text in ("tab", "\\t") else text
