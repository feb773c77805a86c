# SPDX-License-Identifier: Apache-2.0
"""The summary of a release in the owner's folder, from which its report is made again, as with a policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jinja2 import UndefinedError

from discreet.errors import DataError
from discreet.foundation.bounded_json import read_json
from discreet.foundation.plain_files import read_plain
from discreet.release.certificate import Certificate
from discreet.report.release_page import to_html
from discreet.report.summary import FORMAT

SUMMARY = "summary.json"
_MOST_BYTES = 64 * 2**20
_KEYS = {"format", "name", "source", "risk_before", "releases", "holds", "discreet"}


def summary_file(summary: dict[str, Any]) -> dict[str, bytes]:
    """The file for the owner's folder."""
    return {SUMMARY: (json.dumps(summary, indent=1, allow_nan=False, ensure_ascii=False) + "\n").encode()}


def read_summary(owner: Path, certificate: Certificate) -> dict[str, Any] | None:
    """The summary in an owner's folder, which must be about the release of this certificate.

    None if an earlier version of discreet wrote none, or one of another form.
    """
    path = owner / SUMMARY
    if not path.is_file():
        return None
    try:
        summary = read_json(read_plain(path, most=_MOST_BYTES))
    except ValueError:
        raise DataError(f"{SUMMARY} in the owner's folder is not readable. Release again, or remove it.") from None
    if not isinstance(summary, dict) or set(summary) != _KEYS or summary["format"] != FORMAT:
        return None
    releases = summary["releases"]
    stated = certificate.model_dump(mode="json", exclude={"files", "seal", "copies"})  # what is known before saving
    if not isinstance(releases, list) or len(releases) != 1 or releases[0].get("certificate") != stated:
        raise DataError(f"{SUMMARY} in the owner's folder is about another release than the one beside it.")
    return summary


def page_of(summary: dict[str, Any]) -> str:
    """The owner's report of a summary that was read from a file, which may have been edited."""
    try:
        return to_html(summary)
    except (UndefinedError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise DataError(
            f"{SUMMARY} in the owner's folder was edited ({type(error).__name__}). Release again."
        ) from None
