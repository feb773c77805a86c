# SPDX-License-Identifier: Apache-2.0
"""A group of options is spelled out for the command line, and reaches the command as one object."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from discreet.cli.file_options import BasketOptions, BasketSource, ReadingOptions, RoleOptions, read_dataset
from discreet.cli.option_groups import with_groups
from discreet.errors import DataError, RolesError


@dataclass(frozen=True)
class Size:
    width: Annotated[int, typer.Option(help="How wide.")] = 3
    heights: Annotated[list[int] | None, typer.Option("--height")] = None


def test_fields_are_options_at_the_place_of_the_group():
    given = []

    @with_groups
    def command(name: Annotated[str, typer.Argument()], size: Size, loud: bool = False) -> None:
        """Say it."""
        given.append((name, size, loud))

    app = typer.Typer()
    app.command()(command)
    assert CliRunner().invoke(app, ["box", "--width", "5", "--height", "1", "--height", "2", "--loud"]).exit_code == 0
    assert CliRunner().invoke(app, ["box"]).exit_code == 0
    assert given == [("box", Size(5, [1, 2]), True), ("box", Size(), False)]
    assert [*command.__annotations__] == ["name", "width", "heights", "loud"]
    assert CliRunner().invoke(app, ["box", "--width", "wide"]).exit_code == 2


def test_how_a_file_is_read_in_the_words_of_a_table():
    said = ReadingOptions(delimiter="tab", names=["a,b"], missing=["-9"], kinds=["a=category"], header=False)
    assert said.arguments == {
        "delimiter": "\t",
        "names": ["a", "b"],
        "missing": ["-9"],
        "kinds": {"a": "category"},
        "header": False,
    }
    assert ReadingOptions().arguments == {}
    assert not ReadingOptions(encoding="latin-1").says_table


def test_what_a_file_holds_is_as_was_said_or_as_it_looks(tmp_path):
    transactions, table = tmp_path / "shop.dat", tmp_path / "people.csv"
    transactions.write_text("milk rye\ntea\n")
    table.write_text("age,ill\n31,flu\n")
    assert BasketOptions().shape(transactions) == "transactions"
    assert BasketOptions().shape(table) == "table"
    assert BasketOptions(labels=tmp_path / "labels").shape(table) == "transactions"
    assert BasketOptions(BasketSource.columns).shape(table) == "columns"
    with pytest.raises(DataError, match="looks like transactions"):
        ReadingOptions().read(transactions)


def test_baskets_take_a_label_and_no_other_role():
    with pytest.raises(RolesError, match="they take no '--quasi'"):
        read_dataset(Path("x"), RoleOptions(quasi=["a"]), BasketOptions(BasketSource.columns), ReadingOptions())
    with pytest.raises(RolesError, match="need --target"):
        read_dataset(Path("x"), RoleOptions(), BasketOptions(BasketSource.columns), ReadingOptions())
    with pytest.raises(RolesError, match="need --labels"):
        read_dataset(Path("x"), RoleOptions(), BasketOptions(BasketSource.transactions), ReadingOptions())
