# SPDX-License-Identifier: Apache-2.0
"""The file that states a study: which data, which roles, which promises and methods, how they are judged."""

from discreet.recipe.model import Recipe
from discreet.recipe.read import read_recipe, recipe_from

__all__ = ["Recipe", "read_recipe", "recipe_from"]
