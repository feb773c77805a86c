# SPDX-License-Identifier: Apache-2.0
"""The tasks of a study, one for each release, and why some cannot run on this data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from typing import Any

from discreet.data.dataset import Dataset
from discreet.methods import METHODS, Method
from discreet.study import default_methods
from discreet.study.recipe import Recipe

_WORDS = {"table": "a table", "baskets": "baskets"}

_FILES = ("domain",)  # parameters that may be the path of a file, which is no part of a name


@dataclass(frozen=True)
class Task:
    """A release to make and to measure. The name is that of its files, too."""

    name: str
    method: str
    parameters: dict[str, Any]

    def make(self, random_state: int | None = None) -> Method:
        """The method; one that draws noise for differential privacy takes no seed."""
        made_by = METHODS[self.method]
        seed = {} if random_state is None else {"random_state": random_state}
        return made_by(**self.parameters, **seed)


def tasks_of(recipe: Recipe, dataset: Dataset) -> tuple[list[Task], dict[str, str]]:
    """The tasks of a recipe for a dataset; and the reasons, by name, why others cannot run."""
    return planned(recipe, dataset.shape, dataset.n_persons)


def planned(recipe: Recipe, shape: str, persons: int) -> tuple[list[Task], dict[str, str]]:
    """The tasks of a recipe for data of a shape, table or baskets, about so many persons."""
    tasks: list[Task] = []
    skipped: dict[str, str] = {}
    for method in recipe.methods or default_methods(shape):
        for parameters in method.grid(recipe.promises):
            task = Task(_name(method.name, parameters), method.name, parameters)
            why = _why_not(task, shape, persons)
            if why:
                skipped[task.name] = why
            elif task not in tasks:
                tasks.append(task)
    return _numbered(tasks), skipped


def _why_not(task: Task, shape: str, persons: int) -> str:
    made_by = METHODS[task.method]
    if shape not in made_by.takes:
        taken = " and ".join(sorted(_WORDS[one] for one in made_by.takes))
        return f"{task.method} takes {taken}; this data is {_WORDS[shape]}."
    absent = [
        name
        for name, parameter in signature(made_by).parameters.items()
        if parameter.default is Parameter.empty and name not in task.parameters
    ]
    if shape == "table" and "domain" in signature(made_by).parameters and "domain" not in task.parameters:
        absent.append("domain")  # public knowledge; read off the data it would leak
    if absent:
        return f"{task.method} needs {' and '.join(absent)}, which the recipe does not give."
    k = task.parameters.get("k")
    if k is not None and persons < k:
        return f"k = {k}, but there are {persons} persons."
    return ""


def _name(method: str, parameters: dict[str, Any]) -> str:
    """A name that can be a file's: the method and those of its parameters that say something.

    >>> _name("mondrian", {"k": 5, "split": "information"}), _name("kactus2", {"k": 20, "swap": 0.5})
    ('mondrian-k5-information', 'kactus2-k20-swap0.5')
    >>> _name("private-table", {"epsilon": 1.0, "domain": "here/domain.toml"})
    'private-table-epsilon1-domain'
    """
    parts = [method]
    for name, value in parameters.items():
        if isinstance(value, bool):
            parts += [name] if value else []
        elif isinstance(value, (int, float)):
            parts.append(f"{name}{value:g}")
        elif isinstance(value, str) and name not in _FILES:
            parts.append(value)
        else:
            parts.append(name)
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", "-".join(parts))[:120]


def _numbered(tasks: Sequence[Task]) -> list[Task]:
    """The tasks, each under a name of its own: what differs in a parameter that a name cannot show is numbered."""
    seen: dict[str, int] = {}
    numbered = []
    for task in tasks:
        seen[task.name] = seen.get(task.name, 0) + 1
        name = task.name if seen[task.name] == 1 else f"{task.name}-{seen[task.name]}"
        numbered.append(Task(name, task.method, task.parameters))
    return numbered
