# SPDX-License-Identifier: Apache-2.0
"""Runs a recipe: every method with every combination of its parameters, each measured alike, each result a file."""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.study.run import Study, run_study

__all__ = ["Study", "run_study"]


def __getattr__(name: str):
    if name in __all__:
        return getattr(importlib.import_module("discreet.study.run"), name)
    raise AttributeError(f"module 'discreet.study' has no attribute {name!r}")
