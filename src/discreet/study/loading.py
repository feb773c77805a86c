# SPDX-License-Identifier: Apache-2.0
"""The data of a study, read as its recipe says; every process of a study reads it by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from discreet.data.baskets import Baskets
from discreet.data.dataset import Dataset
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.data.transactions import read_labels
from discreet.errors import RolesError, did_you_mean, shown
from discreet.study import located
from discreet.study.recipe import Problem, Recipe


def load_dataset(file: str, recipe: str, text: str = "", name: str = "") -> Dataset:
    """The data in a file, for a recipe in JSON. `text` is the recipe as somebody wrote it, in the file `name`; nothing,
    if nobody did: then errors name no line.
    """
    return _READERS[(parsed := Recipe.model_validate_json(recipe)).source.shape](Path(file), parsed, text, name)


def _transactions(path: Path, recipe: Recipe, text: str, name: str) -> Dataset:
    how = recipe.source
    if how.labels is None:
        raise _wrong(text, [(("source",), "transactions need labels: a file with one label per line.")], name)
    labels = read_labels(path.parent / how.labels)
    return Dataset.of(Baskets.from_transactions(path, labels, separator=how.separator))


def _table(path: Path, recipe: Recipe, text: str, name: str) -> Dataset:
    table = _read(path, recipe, text, name)
    try:
        return Dataset.of(table, Roles(**recipe.roles.decided))
    except RolesError as error:
        raise _wrong(text, [(("roles",), str(error))], name) from None


def _columns(path: Path, recipe: Recipe, text: str, name: str) -> Dataset:
    table = _read(path, recipe, text, name)
    try:
        roles = {role for role, value in recipe.roles.model_dump().items() if value}
        if roles != {"target"}:
            raise RolesError("Baskets of 0/1 columns take a target and no other role: every other column is an item.")
        return Dataset.of(Baskets.from_columns(table, target=recipe.roles.target))
    except RolesError as error:
        raise _wrong(text, [(("roles",), str(error))], name) from None


def _texts(path: Path, recipe: Recipe, text: str, name: str) -> Dataset:
    table = _read(path, recipe, text, name)
    column, target = recipe.source.text, recipe.roles.target
    if column is None or column not in table:
        raise _wrong(text, [(("source",), 'texts need the name of their column: text = "...".')], name)
    if {role for role, value in recipe.roles.model_dump().items() if value} != {"target"} or target == column:
        raise _wrong(text, [(("roles",), "Texts take a target, another column, and no other role.")], name)
    return Dataset.of(words_of(table, column, target))


_READERS = {"table": _table, "columns": _columns, "transactions": _transactions, "text": _texts}


def words_of(table: Table, text: str, target: str | None = None) -> Baskets:
    """The words of a column of texts, each an item; a missing text has none.

    >>> words_of(Table.of({"note": ["Tea, rye", "rye!"], "ill": ["no", "yes"]}), "note", "ill").items(0)
    ('rye', 'tea')
    """
    column = table.column(text)
    texts = [*column.texts, ""]
    labels = None if target is None else table.column(target).to_arrow().to_pylist()
    return Baskets.from_text([texts[code] for code in column.codes.tolist()], labels)


def _read(path: Path, recipe: Recipe, text: str, name: str) -> Table:
    table = Table.of(path, **recipe.source.reading)
    if problems := [*recipe.undecided(), *_unknown_columns(recipe, table)]:
        raise _wrong(text, problems, name)
    return table


def _unknown_columns(recipe: Recipe, table: Table) -> Iterator[Problem]:
    """Columns that have a role and are not in the table."""
    for role, value in recipe.roles.model_dump().items():
        for place, column in enumerate(value if isinstance(value, tuple) else [value]):
            if column is not None and column not in table:
                near = did_you_mean(column, table.names)
                yield ("roles", role, place), f"there is no column {shown(column)} in the table.{near}"


def _wrong(text: str, problems: list[Problem], name: str) -> RolesError:
    """What is wrong, with its lines, if there is a text to look at."""
    return RolesError(located(text, problems, name=name) if text else " ".join(what for _, what in problems))
