# SPDX-License-Identifier: Apache-2.0
"""What shows itself in a notebook. How, is written in one place, at the end of the flow: report/notebook.py.

A table is at the beginning of the flow and cannot import the report, so `later` finds such a function when it is
called. It is for what a user asks of an object, a display, a report or a plot, and for nothing that is computed with.
"""

from __future__ import annotations

import importlib
from typing import Any


def later(where: str) -> Any:
    """A function of a later folder, "folder.module:function", loaded when it is called."""
    module, _, name = where.partition(":")
    return getattr(importlib.import_module(f"discreet.{module}"), name)


class Displayed:
    """Has a display of its own in notebooks."""

    def _repr_html_(self) -> str:
        """As notebooks show it: names and counts, escaped, without scripts."""
        html: str = later("report.notebook:to_html")(self)
        return html
