# SPDX-License-Identifier: Apache-2.0
"""The sign-off edition: one page on which a privacy officer approves a release, with its date, hashes and open lines.

It is made from the published folder, and from the owner's folder beside it, if it is there. It is the only edition with
a date: it records a decision, and is kept by the holder.
"""

from __future__ import annotations

import datetime
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jinja2 import UndefinedError

from discreet.errors import DataError
from discreet.release.verify import verify
from discreet.report.owner_summary import read_summary
from discreet.report.policy import Policy
from discreet.report.public_page import summarise_verified
from discreet.report.release_page import environment

_LONGEST = 400  # characters of a field


@dataclass(frozen=True)
class SignOff:
    """Who prepares, approves and receives a release, what for, and when; empty fields become lines to write on."""

    prepared_by: str = ""
    approver: str = ""
    recipient: str = ""
    purpose: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        for name, text in asdict(self).items():
            if len(text) > _LONGEST:
                raise DataError(f"{name} has {len(text):,} characters; a field has at most {_LONGEST}.")
        try:
            day = datetime.date.fromisoformat(self.date) if self.date else datetime.date.today()
        except ValueError:
            raise DataError("The date must be a day such as 2026-03-31.") from None
        object.__setattr__(self, "date", day.isoformat())


def summarise_signoff(folder: Path, fields: SignOff, policy: Policy | None = None) -> dict[str, Any]:
    """Verify a release, with the owner's files if they are beside it, and collect what has to be decided.

    `folder` holds release/ and owner/, or is a published folder.
    """
    published, owner = folder / "release", folder / "owner"
    if not published.is_dir():
        published, owner = folder, folder.parent / "owner"
    with_owner = owner.is_dir() and published != folder
    verification = verify(published, owner=owner if with_owner else None)
    summary = summarise_verified(published, verification, policy)
    owned = read_summary(owner, verification.certificate) if with_owner and verification.certificate else None
    release = None if owned is None else owned["releases"][0]
    return summary | {
        "edition": "sign-off",
        "name": "" if owned is None else owned["name"],
        "fields": asdict(fields),
        "with_owner": with_owner,
        "approvable": summary["holds"] and (summary["policy"] is None or summary["policy"]["passed"]),
        "cautions": (release or {}).get("cautions", summary["cautions"]),
        "owner": None
        if owned is None
        else {"release": release, "risk_before": owned["risk_before"], "source": owned["source"]},
    }


def to_signoff_page(summary: dict[str, Any]) -> str:
    """The summary as one HTML file without scripts and requests."""
    try:
        return environment().get_template("signoff.html").render(report=summary)
    except (UndefinedError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"The owner's summary was edited ({type(error).__name__}). Release again.") from None
