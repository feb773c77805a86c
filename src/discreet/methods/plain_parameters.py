# SPDX-License-Identifier: Apache-2.0
"""Parameters of methods as certificates show them."""

from __future__ import annotations

import numpy as np

from discreet.prepare.hierarchy import Hierarchy


def plain(value: object) -> object:
    """A parameter as JSON can hold it."""
    if callable(value):
        return getattr(value, "__name__", "callable")
    if isinstance(value, Hierarchy):
        return f"hierarchy of {value.levels} levels"
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value
