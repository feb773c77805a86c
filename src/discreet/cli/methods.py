# SPDX-License-Identifier: Apache-2.0
"""discreet methods: which methods there are, what they promise and when to use them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.completion import complete_methods
from discreet.cli.options import Json, cell, console, emit, say
from discreet.errors import DataError, did_you_mean, listing

if TYPE_CHECKING:
    from discreet.methods import Guide


def methods(
    name: Annotated[
        str | None,
        typer.Argument(help="One of them: its parameters, with their defaults.", autocompletion=complete_methods),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the methods: what each promises, which data it takes, when to use it. With a name: its parameters."""
    from discreet.methods import METHODS, guide_of, guides

    if name is not None and name not in METHODS:
        known = listing(METHODS, most=99)
        raise DataError(f"There is no method {name!r}.{did_you_mean(name, METHODS)} They are {known}.")
    found = guides() if name is None else [guide_of(name)]
    if as_json:
        emit({"methods": [one.to_dict() for one in found]})
    elif name is None:
        _print_table(found)
    else:
        _print_one(found[0])


def _print_table(found: list[Guide]) -> None:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for title in ("method", "promise", "data", "use it if"):
        table.add_column(title, no_wrap=title == "method")
    for one in found:
        data = ", ".join(one.data)
        table.add_row(cell(one.name), cell(one.promise, 80), cell(data), cell(one.use_if, 120))
    console().print(table)
    say("With l and t: l-diversity and t-closeness on request. Baskets are 0/1 data: words, purchases, diagnoses.")
    say("`discreet methods NAME` lists the parameters of one with their defaults; `discreet compare FILE` tries all")
    say("that suit your table.")


def _print_one(one: Guide) -> None:
    target = "needs a target" if one.needs_target else "needs no target"
    say(f"{one.name} ({one.python} in Python): {one.promise}. Use it if {one.use_if}.")
    say(f"Data: {' or '.join(one.data)}; it {target}. It publishes {one.publishes}.")
    say("Parameters, by options of their own or by --set name=value:")
    width = max(len(parameter.name) for parameter in one.parameters)
    for parameter in one.parameters:
        default = "none" if parameter.default is None else json.dumps(parameter.default, default=str)
        say(f"  {parameter.name:<{width}}  {parameter.allowed or 'see its page'}  [default: {default}]")
