# SPDX-License-Identifier: Apache-2.0
"""The page of all commands is what the commands say now."""

from dataclasses import fields
from pathlib import Path

import pytest
import typer

from discreet.choose.weights import in_words
from discreet.cli.app import app
from discreet.cli.method_options import MethodOptions
from discreet.cli.reference import commands, reference
from discreet.methods import METHODS, guides, parameters_of

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_current():
    written = (DOCS / "command-reference.md").read_text(encoding="utf-8")
    assert written == reference(), "python -m discreet.cli.reference docs/command-reference.md"


def test_every_command_and_option_is_on_it():
    page = (DOCS / "command-reference.md").read_text(encoding="utf-8")
    for name, command in commands(typer.main.get_command(app)):
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        for param in command.params:
            assert all(f"`{one}`" in section for one in (*param.opts, *param.secondary_opts) if one[0] == "-")


def test_the_page_of_the_command_line_names_every_command():
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    names = {name.split()[0] for name, _ in commands(typer.main.get_command(app))}
    assert not [name for name in names if f"discreet {name}" not in page and f"`{name}`" not in page]


SPELT = {"None": "none", "False": "off"}


@pytest.mark.parametrize("name", [one.name for one in fields(MethodOptions) if one.name not in ("settings", "seed")])
def test_the_defaults_in_the_help_are_those_of_the_methods(name):
    command = dict(commands(typer.main.get_command(app)))["release"]
    (option,) = [param for param in command.params if param.name == name]
    found = {parameters_of(method)[name] for method in METHODS if name in parameters_of(method)}
    assert found
    for default in found:
        text = f"{default:g}" if isinstance(default, float) else str(default)
        assert SPELT.get(text, text) in option.show_default


def test_every_method_says_what_it_promises_and_when_to_use_it():
    assert {one.name for one in guides()} == set(METHODS)
    for one in guides():
        assert one.promise != "see its page", one.name
        assert set(one.data) == METHODS[one.name].takes
        assert one.use_if


def test_the_weights_that_hold_if_none_are_given_are_those_of_every_choice():
    assert f"If not given, {in_words()}." in reference()
