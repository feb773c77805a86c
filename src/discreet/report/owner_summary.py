# SPDX-License-Identifier: Apache-2.0
"""The summary of a release in the owner's folder, from which its report is made again, as with a policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from discreet.errors import DataError
from discreet.foundation.bounded_json import read_json
from discreet.foundation.plain_files import read_plain
from discreet.report.summary import FORMAT

SUMMARY = "summary.json"
_MOST_BYTES = 64 * 2**20
_KEYS = {"format", "name", "source", "risk_before", "releases", "holds", "discreet"}


def summary_file(summary: dict[str, Any]) -> dict[str, bytes]:
    """The file for the owner's folder."""
    return {SUMMARY: (json.dumps(summary, indent=1, allow_nan=False, ensure_ascii=False) + "\n").encode()}


def read_summary(owner: Path) -> dict[str, Any] | None:
    """The summary in an owner's folder; None if an earlier version of discreet wrote none, or one of another form."""
    path = owner / SUMMARY
    if not path.is_file():
        return None
    try:
        summary = read_json(read_plain(path, most=_MOST_BYTES))
    except ValueError:
        raise DataError(f"{SUMMARY} in the owner's folder is not readable. Release again, or remove it.") from None
    if not isinstance(summary, dict) or set(summary) != _KEYS or summary["format"] != FORMAT:
        return None
    return summary if isinstance(summary["releases"], list) and len(summary["releases"]) == 1 else None
