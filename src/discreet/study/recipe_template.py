# SPDX-License-Identifier: Apache-2.0
"""A recipe to begin with, for a table or baskets, with a comment beside each line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet.choose.weights import WEIGHTS
from discreet.data.role_suggestions import DECIDE, Suggestion, suggested_roles
from discreet.errors import DataError
from discreet.foundation.toml_values import toml_value
from discreet.study.recipe import QUICK, MethodSection
from discreet.study.recipe_schema import SCHEMA

# What suits a shape of data. Methods that publish a model, names, weights or sketches give no rows that can be read, so
# they are asked for by name. So is private-table: its domain is public knowledge that only the holder has.
TABLE = (
    {"name": "tree-ladder"},
    {"name": "mondrian", "split": "information"},
    {"name": "mondrian", "split": "median"},
    {"name": "kactus2"},
    {"name": "tds"},
)
BASKETS = (
    {"name": "greedy", "utility": ["hamdist", "distcnt"]},
    {"name": "maximal"},
    {"name": "item-groups"},
    {"name": "km", "m": 2},
    {"name": "random-flip"},
)


def default_methods(shape: str) -> tuple[MethodSection, ...]:
    """The methods of a recipe that names none."""
    return tuple(MethodSection.model_validate(method) for method in (TABLE if shape == "table" else BASKETS))


def first_recipe(
    file: str,
    suggestions: Sequence[Suggestion],
    shape: str = "table",
    k: Sequence[int] = (5, 20),
    labels: str | None = None,
    reading: Mapping[str, Any] | None = None,
) -> str:
    """A recipe with suggested roles, for a person to read and correct; `reading` says how the file was read.

    >>> print(first_recipe("clinic.csv", [Suggestion("ill", "target", "2 classes")]).splitlines()[1])
    # What to compare, and how. A list among the parameters of a method is a grid: a release for each value.
    """
    lines = [
        f"#:schema ./{SCHEMA}",
        "# What to compare, and how. A list among the parameters of a method is a grid: a release for each value.",
        "format = 1",
        f'attacks = {json.dumps(QUICK)}  # "all" tries every one, which takes longer',
        'choice = "value"  # by how much one release is better than another; "rank" adds their ranks, as E(S) does',
        "",
        "[source]",
        f"file = {toml_value(Path(file).name)}",
    ]
    if shape != "table":
        lines.append(f'shape = "{shape}"')
    if shape == "transactions":
        labels = labels or Path(file).with_suffix(".labels").name
        lines.append(f"labels = {toml_value(labels)}  # seen from the data, one label per line")
    lines += [f"{name} = {toml_value(value)}" for name, value in (reading or {}).items()]
    lines += ["", *_roles(suggestions, shape)]
    lines += [
        "[promises]",
        f"k = {toml_value(list(k))}  # how many persons must be alike",
        "epsilon = [1.0]  # differential privacy: the budget of a release",
        "# l = 2  # every release of a table must also be l-diverse",
        "",
    ]
    for method in TABLE if shape == "table" else BASKETS:
        lines += ["[[methods]]", *(f"{name} = {toml_value(value)}" for name, value in method.items()), ""]
    lines += [
        "[evaluation]",
        'protocols = ["recoded"]  # the first decides; "holdout", "as-published" (flatters who looks at the label)',
        'folds = "5-fold"  # "10-fold", "5x2", "3x10-fold"',
        'classifiers = ["logistic"]  # "c45", "part", "naive-bayes", "svm", "3nn", "forest", "boosting", "tree"',
        'measure = "auto"  # "accuracy", or "auc" where accuracy tells little; "balanced_accuracy", "brier"',
        "",
        "[weights]  # importance of each measure in the choice",
        *(f"{name} = {float(weight):g}" for name, weight in WEIGHTS.items()),
        "",
        "[run]",
        "jobs = 2",
        "# seed = 7  # makes the study repeatable; anyone who knows it can undo random choices of a release",
        "# minutes = 10  # start no further release after this time",
        "",
    ]
    text = "\n".join(lines)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError("The name of a file is not UTF-8, as recipes are, so they cannot name it. Rename it.") from None
    return text


def _roles(suggestions: Sequence[Suggestion], shape: str) -> list[str]:
    roles = suggested_roles([one for one in suggestions if one.role != DECIDE])
    if shape != "table":
        return ["[roles]", f"target = {toml_value(roles.target)}", ""] if shape == "columns" and roles.target else []
    lines = ["# Suggested, with the reasons below. A wrong role makes a promise worthless: read each.", "[roles]"]
    for role in ("target", "quasi", "sensitive", "identifiers", "other", "person"):
        value = getattr(roles, role)
        if value:
            lines.append(f"{role} = {toml_value(list(value) if isinstance(value, tuple) else value)}")
    if undecided := [one.column for one in suggestions if one.role == DECIDE]:
        lines += [
            "# Move each of these to quasi if somebody outside may know it about a person, to sensitive or other if"
        ]
        lines += ["# nobody can, or take it out: without a role it is not published. Nothing is computed before."]
        lines.append(f"decide = {toml_value(undecided)}")
    named = [(toml_value(one.column), one) for one in suggestions]
    width = max((len(name) for name, _ in named), default=0)
    lines += [f"#   {name:<{width}}  {one.role}: {toml_value(one.reason)[1:-1]}" for name, one in named]
    return [*lines, ""]
