# SPDX-License-Identifier: Apache-2.0
"""A recipe, checked without looking at the data.

A list among the parameters of a method is a grid: one release for each combination. Grids under [promises] serve all
methods that have a parameter of that name and do not set it themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature
from itertools import product
from math import isfinite
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from discreet.attacks import ATTACKS
from discreet.choose.weights import WEIGHTS
from discreet.errors import DiscreetError, ParameterError, PlainWords, did_you_mean, listing
from discreet.evaluate.folds import Folds
from discreet.foundation.parameters import check_parameters
from discreet.learning.classifiers import CLASSIFIERS
from discreet.learning.cross_validation import Measure
from discreet.methods import METHODS, Method
from discreet.release.older_names import renamed

AUTO: Literal["auto"] = "auto"  # the measure that tells releases apart
QUICK = tuple(name for name, attack in ATTACKS.items() if attack.quick)


def _listed(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else (value,)


Names = Annotated[tuple[str, ...], BeforeValidator(_listed, json_schema_input_type=str | list[str])]
Whole = Annotated[int, Field(strict=True)]  # neither '5' nor true
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Some = Field(min_length=1)
Count = Annotated[Whole, Field(ge=2)]
Counts = Annotated[
    tuple[Count, ...], Some, BeforeValidator(_listed, json_schema_input_type=Count | Annotated[list[Count], Some])
]
Cost = Annotated[Number, Field(gt=0)]
Costs = Annotated[
    tuple[Cost, ...], Some, BeforeValidator(_listed, json_schema_input_type=Cost | Annotated[list[Cost], Some])
]
Classifier = Annotated[str, Field(json_schema_extra={"enum": [*CLASSIFIERS]})]
Classifiers = Annotated[
    tuple[str, ...],
    Some,
    BeforeValidator(_listed, json_schema_input_type=Classifier | Annotated[list[Classifier], Some]),
]
Attack = Annotated[str, Field(json_schema_extra={"enum": [*ATTACKS, "all"]})]
Attacks = Annotated[tuple[str, ...], BeforeValidator(_listed, json_schema_input_type=Attack | list[Attack])]
Protocol = Literal["holdout", "recoded", "as-published"]
Protocols = Annotated[
    tuple[Protocol, ...],
    Some,
    BeforeValidator(_listed, json_schema_input_type=Protocol | Annotated[list[Protocol], Some]),
]
Problem = tuple[tuple[str | int, ...], str]  # where it is, and what


class Section(BaseModel):
    """A table of the file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SourceSection(Section):
    """Where the data is and how it is read."""

    file: str | None = Field(
        default=None, description="The name of the data file, for the reader; the command names the file that is read."
    )
    shape: Literal["table", "transactions", "columns", "text"] = Field(
        default="table",
        description="A table; or baskets: one transaction per line, 0/1 columns beside the target, or words of texts.",
    )
    text: str | None = Field(default=None, description="Text: the column with the texts, whose words are the items.")
    labels: str | None = Field(
        default=None, description="Transactions: the file with one label per line, beside the data."
    )
    separator: str | None = Field(
        default=None, description="Transactions: the separator of items; white space if not given."
    )
    delimiter: str | None = Field(default=None, description="CSV: the delimiter of cells.")
    quote: str | None = Field(default=None, description="CSV: what surrounds cells that hold the delimiter.")
    encoding: str | None = Field(default=None, description="CSV: the encoding of the file, such as latin-1.")
    header: bool | None = Field(default=None, description="CSV: whether the first line names the columns.")
    names: Names = Field(default=(), description="CSV: names of the columns, when the file has none.")
    missing: Names = Field(default=(), description="Texts that mean a missing cell.")
    kinds: dict[str, Literal["number", "date", "category"]] = Field(
        default={}, description="Kinds of columns, by name."
    )
    decimal: str | dict[str, str] | None = Field(
        default=None, description="The decimal mark in texts, of all columns or by name; recognised if not given."
    )
    thousands: str | dict[str, str] | None = Field(
        default=None, description="The mark between thousands in texts, of all columns or by name; 'none' for none."
    )
    date_format: str | dict[str, str] | None = Field(
        default=None, description="day-first, month-first, or a format such as %d.%m.%Y, of all columns or by name."
    )
    table: str | None = Field(default=None, description="SQLite or DuckDB: the table of the file, if it has several.")

    @property
    def reading(self) -> dict[str, Any]:
        """How a table is read, in the words of `Table.of`."""
        names = {"delimiter", "quote", "encoding", "header", "names", "missing", "kinds", "table"}
        names |= {"decimal", "thousands", "date_format"}
        return self.model_dump(mode="json", include=names, exclude_defaults=True)


class RolesSection(Section):
    """What each column is for; a column without a role is not published."""

    target: str | None = Field(default=None, description="What a classifier is to predict; published as it is.")
    quasi: Names = Field(default=(), description="What an attacker may know about a person; the promise covers these.")
    sensitive: Names = Field(default=(), description="What an attacker wants to learn; published as it is.")
    identifiers: Names = Field(default=(), description="Names and numbers; never published.")
    other: Names = Field(default=(), description="Published as it is, assumed unknown to an attacker.")
    person: str | None = Field(default=None, description="Identifies the person of a row: persons are counted.")
    allow_unique: Names = Field(default=(), description="Columns published although they differ in every row.")
    decide: Names = Field(
        default=(), description="Columns whose role nobody has decided yet: nothing is computed until none is left."
    )

    @property
    def decided(self) -> dict[str, Any]:
        """The roles, in the words of `Roles`."""
        return self.model_dump(exclude={"decide"})


class PromisesSection(Section):
    """Grids for all methods that have such a parameter, and what every release must keep besides."""

    k: Counts = Field(default=(5,), description="How many persons must be alike.")
    epsilon: Costs = Field(default=(1.0,), description="Differential privacy: the budget of a release.")
    delta: Costs = Field(default=(0.4,), description="Sketches: how uncertain a cell stays.")
    l: Whole | None = Field(default=None, ge=2, description="Every release of a table must also be l-diverse.")  # noqa: E741
    t: Number | None = Field(default=None, ge=0, le=1, description="Every release of a table must also be t-close.")


class MethodSection(BaseModel):
    """A method and its parameters; a list is a grid."""

    model_config = ConfigDict(extra="allow", frozen=True)

    name: str = Field(description="As `discreet release --method` knows it.", json_schema_extra={"enum": [*METHODS]})

    @model_validator(mode="before")
    @classmethod
    def _with_todays_names(cls, section: Any) -> Any:
        return renamed(str(section.get("name")), section) if isinstance(section, dict) else section

    @field_validator("name")
    @classmethod
    def _must_exist(cls, name: str) -> str:
        if name not in METHODS:
            raise ValueError(f"there is no such method.{did_you_mean(name, METHODS)} They are {listing(METHODS, 99)}")
        return name

    def grid(self, promises: PromisesSection) -> Iterator[dict[str, Any]]:
        """The parameters of each release, without a seed."""
        accepted = signature(METHODS[self.name]).parameters
        shared = {name: list(getattr(promises, name)) for name in ("k", "epsilon", "delta") if name in accepted}
        if self.name not in ("delta-sketch",):
            shared.pop("delta", None)  # elsewhere delta is another promise, or a second limit
        for name in ("l", "t"):  # asked of every release: methods that can make it do
            if name in accepted and getattr(promises, name) is not None:
                shared[name] = [getattr(promises, name)]
        wanted = shared | {name: self.values(name) for name in self.model_extra or ()}
        for values in product(*wanted.values()):
            yield dict(zip(wanted, values, strict=True))

    def values(self, parameter: str) -> list[Any]:
        """The values to try of a parameter."""
        value = (self.model_extra or {})[parameter]
        return value if isinstance(value, list) and not is_list(self.name, parameter) else [value]


def parameters_of(method: str) -> list[str]:
    """Parameters of a method that a recipe may set; the study sets the seed."""
    return [name for name in signature(METHODS[method]).parameters if name != "random_state"]


def is_list(method: str, parameter: str) -> bool:
    """Whether a value of the parameter is a list itself, and so no grid."""
    return list in METHODS[method]._parameter_constraints[parameter]


class EvaluationSection(Section):
    """How well classifiers learn from the releases."""

    protocols: Protocols = Field(
        default=("recoded",),
        description="recoded: tested on held-out rows, recoded to its labels; holdout: read cell by cell.",
    )
    folds: str = Field(default="5-fold", description="5-fold, 10-fold, 5x2, 3x10-fold.")
    classifiers: Classifiers = Field(default=("logistic",), description="The classifiers to train.")
    measure: Measure | Literal["auto"] = Field(
        default=AUTO, description="The measure that decides; auto: accuracy, or AUC where accuracy tells little."
    )

    @field_validator("folds")
    @classmethod
    def _folds(cls, text: str) -> str:
        try:
            return str(Folds.of(text))
        except ParameterError as error:
            raise ValueError(str(error)) from None

    @field_validator("classifiers")
    @classmethod
    def _classifiers(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [name for name in names if name not in CLASSIFIERS]:
            raise ValueError(
                f"there is no classifier {listing(unknown)}.{did_you_mean(unknown[0], CLASSIFIERS)} They are"
                f" {listing(CLASSIFIERS, 99)}"
            )
        return names


class RunSection(Section):
    """How the study runs."""

    seed: Whole | None = Field(
        default=None,
        ge=0,
        description="Makes the study repeatable. Keep it secret: with it, random choices of a release can be undone.",
    )
    jobs: Whole = Field(default=1, ge=1, le=256, description="How many cores to use.")
    minutes: Number | None = Field(default=None, gt=0, description="Start no further release after this time.")
    memory_gb: Number | None = Field(
        default=None, gt=0, description="Refuse what would need more, by the size of the data."
    )


class Recipe(Section):
    """A study."""

    format: Literal[1] = Field(description="The version of this file's format.")
    source: SourceSection = SourceSection()
    roles: RolesSection = RolesSection()
    promises: PromisesSection = PromisesSection()
    methods: tuple[MethodSection, ...] = Field(default=(), description="None: those that suit the shape of the data.")
    evaluation: EvaluationSection = EvaluationSection()
    attacks: Attacks = Field(
        default=QUICK, description="Attacks to try, where they apply; all of them, which takes longer: 'all'."
    )
    weights: dict[
        Literal["utility", "privacy", "detail", "size", "inference"], Annotated[Number, Field(ge=0, le=1)]
    ] = Field(
        default={name: float(weight) for name, weight in WEIGHTS.items()},  # type: ignore[misc]
        description="What the choice weighs; they sum to 1.",
    )
    choice: Literal["rank", "value"] = Field(
        default="value",
        description="Whether the choice adds values on a scale that does not depend on the others, or ranks as E(S).",
    )
    run: RunSection = RunSection()

    @field_validator("attacks")
    @classmethod
    def _attacks(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [name for name in names if name not in ATTACKS and name != "all"]:
            raise ValueError(
                f"there is no attack {listing(unknown)}.{did_you_mean(unknown[0], ATTACKS)} They are"
                f" {listing([*ATTACKS, 'all'], 99)}"
            )
        return names

    @model_validator(mode="after")
    def _weights(self) -> Recipe:
        if abs(sum(self.weights.values()) - 1) > 1e-6:
            raise ValueError(f"weights: they sum to {sum(self.weights.values()):g}, and must sum to 1")
        return self

    @model_validator(mode="after")
    def _besides(self) -> Recipe:
        asks = self.promises.l is not None or self.promises.t is not None
        if asks and self.source.shape == "table" and not self.roles.sensitive:
            raise ValueError("promises: l and t are about sensitive columns, and the roles name none")
        return self

    def undecided(self) -> list[Problem]:
        """The columns that await a decision, as a problem: where, and what."""
        if not self.roles.decide:
            return []
        columns = self.roles.decide
        many = f"{len(columns)} columns await" if len(columns) > 1 else "1 column awaits"
        what = (
            f"{many} your decision: {listing(columns)}. Move a column to quasi if somebody outside may know it about a"
            " person, to other if nobody can, or take it out of the list: without a role it is not published"
        )
        return [(("roles", "decide"), what)]

    def problems(self) -> list[Problem]:
        """What is wrong with the parameters of the methods: where, and what."""
        return [
            problem for place, method in enumerate(self.methods) for problem in _problems(place, method, self.promises)
        ]


def misplaced(key: str) -> str:
    """A hint where a misplaced key belongs, or an empty text."""
    if key in Recipe.model_fields:
        return f" {key!r} stands at the top of the file, before the first table."
    parts: tuple[type[Section], ...] = (SourceSection, RolesSection, PromisesSection, EvaluationSection, RunSection)
    names = ("source", "roles", "promises", "evaluation", "run")
    sections = [name for name, part in zip(names, parts, strict=True) if key in part.model_fields]
    return f" {key!r} stands under [{sections[0]}]." if sections else ""


def _problems(place: int, method: MethodSection, promises: PromisesSection) -> Iterator[Problem]:
    made_by = METHODS[method.name]
    settings = method.model_extra or {}
    accepted = parameters_of(method.name)
    unknown = [name for name in settings if name not in accepted]
    for name in unknown:
        hint = did_you_mean(name, accepted) or misplaced(name)
        message = f"the method {method.name!r} has no parameter {name!r}.{hint} It has {listing(accepted, 99)}"
        yield ("methods", place, name), message
    empty = [name for name in settings if name in accepted and not method.values(name)]
    for name in empty:
        yield ("methods", place, name), "an empty list makes no release. Give a value, or leave it out"
    endless = [name for name, value in settings.items() if not _is_finite(value)]
    for name in endless:
        yield ("methods", place, name), "inf and nan are no numbers to release by. Give a number"
    if unknown or empty or endless:
        return
    for parameters in method.grid(promises):
        if problem := _refused(made_by, parameters):
            named = next((name for name in parameters if f"'{name}'" in problem), None)
            yield ("methods", place) if named is None else ("methods", place, named), problem
            return


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    return all(map(_is_finite, value)) if isinstance(value, list) else not isinstance(value, float) or isfinite(value)


def _refused(made_by: type[Method], parameters: dict[str, Any]) -> str | None:
    try:
        method = made_by(**parameters)
        check_parameters(method, method._parameter_constraints)
    except (DiscreetError, TypeError) as error:
        return error.told(PlainWords()) if isinstance(error, DiscreetError) else str(error)
    return None
