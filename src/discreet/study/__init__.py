# SPDX-License-Identifier: Apache-2.0
"""Studies: run every method of a recipe with every combination of its parameters, and measure all alike.

Names are loaded on first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.study.loading import load_dataset
    from discreet.study.recipe import Recipe
    from discreet.study.recipe_reader import located, read_recipe, recipe_from, text_of_recipe
    from discreet.study.recipe_schema import SCHEMA, schema
    from discreet.study.recipe_template import default_methods, first_recipe
    from discreet.study.run import Study, run_study

_WHERE = {
    "Recipe": "recipe",
    "SCHEMA": "recipe_schema",
    "Study": "run",
    "default_methods": "recipe_template",
    "first_recipe": "recipe_template",
    "load_dataset": "loading",
    "located": "recipe_reader",
    "read_recipe": "recipe_reader",
    "recipe_from": "recipe_reader",
    "run_study": "run",
    "schema": "recipe_schema",
    "text_of_recipe": "recipe_reader",
}

__all__ = [
    "SCHEMA",
    "Recipe",
    "Study",
    "default_methods",
    "first_recipe",
    "load_dataset",
    "located",
    "read_recipe",
    "recipe_from",
    "run_study",
    "schema",
    "text_of_recipe",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(importlib.import_module(f"discreet.study.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'discreet.study' has no attribute {name!r}")
