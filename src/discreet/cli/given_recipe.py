# SPDX-License-Identifier: Apache-2.0
"""The option --recipe: roles, reading and methods from a file, which every command takes alike.

An option of the command line beats the recipe, and a line says so. Columns whose role is still to be decided stop every
command that would use them.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.file_options import BasketOptions, BasketSource, ReadingOptions, RoleOptions
from discreet.cli.method_options import MethodOptions, build
from discreet.cli.options import say, split
from discreet.cli.running import was_given
from discreet.errors import DataError, RolesError, listing, shown

if TYPE_CHECKING:
    from discreet.methods import Method
    from discreet.study import Recipe

RecipePath = Annotated[
    Path | None,
    typer.Option(
        "--recipe",
        help="Roles, reading and methods from this file, which `discreet inspect --recipe` writes; options beat it.",
    ),
]


@dataclass(frozen=True)
class Options:
    """The options of a command about its file: as given, or as given beside a recipe, which may name a column of
    texts."""

    roles: RoleOptions = field(default_factory=RoleOptions)
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    baskets: BasketOptions = field(default_factory=BasketOptions)
    text: str | None = None


class GivenRecipe:
    """The recipe that --recipe names, or none; it collects what options beat."""

    def __init__(self, path: Path | None, *, quiet: bool = False, undecided: bool = False):
        self.path, self.quiet = path, quiet
        self.recipe: Recipe | None = None
        if path is not None:
            from discreet.study import read_recipe

            self.recipe = read_recipe(path, undecided=undecided)

    @property
    def name(self) -> str:
        return "" if self.path is None else self.path.name

    def options(self, file: Path | None, options: Options, *, texts: bool = False) -> Options:
        """The options, and what the recipe says where an option is not given. `texts`: the command takes texts, too."""
        if self.recipe is None:
            return options
        if self._is_of_texts(options) and not texts:
            raise DataError(
                f"{self.name} reads texts. `discreet compare`, `release`, `evaluate` and `replay` take them; this"
                " command takes tables, transactions and 0/1 columns."
            )
        merged = Options(
            self._roles(options.roles),
            self._reading(options.reading),
            self._baskets(file, options),
            self.recipe.source.text if self._is_of_texts(options) else None,
        )
        self._say_beaten(options)
        return merged

    def roles(self, options: RoleOptions) -> RoleOptions:
        """The roles alone, for commands that read no raw table of their own."""
        return options if self.recipe is None else self._roles(options)

    def reading(self, options: ReadingOptions) -> ReadingOptions:
        """How a table is read."""
        return options if self.recipe is None else self._reading(options)

    # -- roles, reading, shape -----------------------------------------------------------------------------------------

    def _roles(self, given: RoleOptions) -> RoleOptions:
        """A role that an option names is taken from there; its columns lose the role that the recipe gives them."""
        assert self.recipe is not None
        listed = self.recipe.roles.decided
        known = tuple(
            name for value in listed.values() for name in ([value] if isinstance(value, str) else value or ())
        )
        taken = {
            name
            for role, value in asdict(given).items()
            if value and role != "allow_unique"
            for name in ([value] if isinstance(value, str) else split(value, known))
        }
        merged: dict[str, Any] = {}
        for role, value in listed.items():
            own = getattr(given, role)
            if own:
                merged[role] = own
            elif isinstance(value, str):
                merged[role] = None if value in taken else value
            elif value:
                kept = value if role == "allow_unique" else [name for name in value if name not in taken]
                merged[role] = [*kept] or None
        return replace(given, **merged)

    def _reading(self, given: ReadingOptions) -> ReadingOptions:
        assert self.recipe is not None
        said = _reading_of(self.recipe)
        merged = {one.name: said[one.name] for one in fields(given) if one.name in said}
        for name in {*merged}:
            own = getattr(given, name)
            if name == "kinds":
                columns = {one.rpartition("=")[0].strip() for one in own or ()}
                merged[name] = [one for one in merged[name] if one.rpartition("=")[0] not in columns] + [*(own or ())]
            elif own is not None:
                merged[name] = own
        return replace(given, **merged)

    def _is_of_texts(self, options: Options) -> bool:
        assert self.recipe is not None
        return self.recipe.source.shape == "text" and not options.baskets.is_given

    def _baskets(self, file: Path | None, options: Options) -> BasketOptions:
        assert self.recipe is not None
        source, given = self.recipe.source, options.baskets
        if source.shape in ("table", "text") or (given.held_as is not None and given.held_as.value != source.shape):
            return given
        labels = given.labels
        if labels is None and source.labels is not None and file is not None:
            labels = file.parent / source.labels
        return replace(
            given, held_as=BasketSource(source.shape), labels=labels, separator=given.separator or source.separator
        )

    def _say_beaten(self, options: Options) -> None:
        """One line that names the options that stand in place of what the recipe says."""
        assert self.recipe is not None
        said = {**self.recipe.roles.decided, **self.recipe.source.reading}
        if self.recipe.source.shape != "table":
            said |= {"labels": self.recipe.source.labels, "separator": self.recipe.source.separator}
        given = {**asdict(options.roles), **asdict(options.reading), **asdict(options.baskets)}
        typed = {name: value for name, value in given.items() if value not in (None, [], ()) and said.get(name)}
        self.say_beaten([name for name, value in typed.items() if not _is_same(value, said[name])])

    def say_beaten(self, names: list[str]) -> None:
        """Say that these options of the command line stand in place of what the recipe says."""
        if names and not self.quiet:
            options = ", ".join(f"--{_OPTIONS.get(name, name).replace('_', '-')}" for name in names)
            say(f"{options}: as on the command line, not as in {self.name}.", err=True)

    def evaluation(self, **typed: Any) -> dict[str, Any]:
        """How it is measured: protocol, folds, classifiers and measure, from the recipe unless they were typed."""
        if self.recipe is None:
            return typed
        from discreet.study.recipe import AUTO

        part = self.recipe.evaluation
        stated = {"protocol": part.protocols[0], "folds": part.folds, "classifiers": [*part.classifiers]}
        stated |= {"measure": part.measure}
        set_there = {one.removesuffix("s") if one == "protocols" else one for one in part.model_fields_set}
        if part.measure == AUTO:  # which depends on what a study finds
            set_there -= {"measure"}
        self.say_beaten([name for name in typed if name in set_there and was_given(name)])
        return {
            name: stated[name] if name in set_there and not was_given(name) else value for name, value in typed.items()
        }

    # -- methods -------------------------------------------------------------------------------------------------------

    def method(self, name: str | None, parameters: MethodOptions) -> tuple[str, dict[str, Any]]:
        """The one method that options and recipe describe together, with its parameters; DataError if it is not one."""
        if self.recipe is None:
            if name is None:
                raise DataError(
                    "No method is named. Name one with --method, such as mondrian, or give a recipe with --recipe."
                )
            return name, parameters.parameters
        names = [*dict.fromkeys(one.name for one in self.recipe.methods)]
        if name is None and not names:
            raise DataError(f"{self.name} names no method. Name one with --method, such as mondrian.")
        if name is not None:
            build(name, parameters.parameters)  # an unknown name or parameter is refused first
        given = parameters.parameters if name or len(names) == 1 else {}
        found = [(one, said, said | given) for one, said in self._described(name)]
        distinct = [one for place, one in enumerate(found) if all(one[::2] != other[::2] for other in found[:place])]
        if len(distinct) > 1:
            raise DataError(self._choose(distinct))
        chosen, said, wanted = distinct[0]
        self.say_beaten(
            [key for key, value in given.items() if all(one.get(key, value) != value for _, one, _ in found)]
        )
        if not self.quiet:
            details = "".join(f", {key} = {value}" for key, value in said.items() if key not in given)
            say(f"From {self.name}: {chosen}{details}.", err=True)
        return chosen, wanted

    def methods(self, **given: list[Any] | None) -> list[Method]:
        """Every method of the recipe with every combination of its parameters; those `given` are tried instead."""
        from discreet.study import default_methods
        from discreet.study.recipe import parameters_of

        if self.recipe is None:
            return []
        points = {name: values for name, values in given.items() if values}
        sections = self.recipe.methods or default_methods(self.recipe.source.shape)
        unused = [name for name in points if not any(name in parameters_of(one.name) for one in sections)]
        if unused:
            raise DataError(f"None of the methods has a parameter {listing(unused)}. Leave --{unused[0]} out.")
        self.say_beaten([*points])
        wanted = []
        for section in sections:
            own = {name: values for name, values in points.items() if name in parameters_of(section.name)}
            for said in section.grid(self.recipe.promises):
                wanted += [
                    (section.name, said | dict(zip(own, point, strict=True))) for point in product(*own.values())
                ]
        return [build(*one) for place, one in enumerate(wanted) if one not in wanted[:place]]

    def _described(self, name: str | None) -> list[tuple[str, dict[str, Any]]]:
        """Methods with parameters that the recipe states, of this name or of all; a default is no statement."""
        from discreet.study.recipe import MethodSection

        assert self.recipe is not None
        promises = self.recipe.promises
        sections = [one for one in self.recipe.methods if name in (None, one.name)]
        if not sections and name is not None:
            sections = [MethodSection(name=name)]
        described = []
        for section in sections:
            stated = {*promises.model_fields_set, *(section.model_extra or ())}
            described += [
                (section.name, {k: v for k, v in one.items() if k in stated}) for one in section.grid(promises)
            ]
        return described

    def _choose(self, found: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> str:
        names = [*dict.fromkeys(one for one, _, _ in found)]
        example, _, wanted = found[0]
        varying = [
            key for key in wanted if len({repr(other.get(key)) for one, _, other in found if one == example}) > 1
        ]
        options = " ".join([f"--method {example}", *(_option(key, wanted[key]) for key in varying)])
        return (
            f"{self.name} describes {len(found)} releases, by {listing(names, 99)}; release makes one. Choose it with"
            f" options, such as {options}, or make them all with discreet compare."
        )


_OPTIONS = {"kinds": "kind", "held_as": "baskets"}


def _option(name: str, value: Any) -> str:
    own = {one.name for one in fields(MethodOptions)} - {"settings", "seed", "max_suppressed"}
    return f"--{name.replace('_', '-')} {value}" if name in own else f"--set {name}={value}"


def _is_same(typed: Any, said: Any) -> bool:
    """Whether an option says what the recipe says; of one that is not plain names, no."""
    if isinstance(typed, list) and isinstance(said, tuple):
        return split(typed, said) == said
    return bool(typed == said)


def _as_typed(option: str, value: Any) -> Any:
    """A value of a recipe as the option of a command holds it."""
    if isinstance(value, dict):
        return [f"{name}={inner}" for name, inner in value.items()]
    return [value] if option in ("decimal", "thousands", "date_format") else value


def _reading_of(recipe: Recipe) -> dict[str, Any]:
    said = {name: _as_typed(name, value) for name, value in recipe.source.reading.items()}
    return said | ({"names": tuple(said["names"])} if "names" in said else {})  # none is cut at its commas


def recipe_or_refuse(recipe: Path | None, positional: Path | None) -> Path | None:
    """The recipe, named by --recipe or as an argument, not by both."""
    if recipe is not None and positional is not None and os.path.abspath(recipe) != os.path.abspath(positional):
        raise RolesError(f"Two recipes were given, {shown(positional.name)} and {shown(recipe.name)}. Leave one out.")
    return recipe if positional is None else positional
