# SPDX-License-Identifier: Apache-2.0
"""Runs a recipe: every method with every combination of its parameters, each measured alike, each result a file."""

from discreet.study.run import Study, run_study

__all__ = ["Study", "run_study"]
