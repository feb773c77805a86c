# SPDX-License-Identifier: Apache-2.0
"""A release under verification: its content, and the findings so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.privacy.promise import Promise, Verdict
from discreet.release.certificate import Certificate, VerdictRecord
from discreet.release.older_names import with_todays_page
from discreet.release.verify_folder import OpenFolder

OTHER_EVIDENCE = "The certificate states the wrong kind of evidence for this promise."


@dataclass
class Findings:
    """Problems and remarks collected by the checks, with the content and the verdict."""

    content: Content | None = None
    verdict: Verdict | None = None
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CheckedRelease:
    """An open release with its content; `owner` is the owner's folder, if the owner verifies."""

    release: OpenFolder
    certificate: Certificate
    promise: Promise
    content: Content
    roles: Roles | None
    owner: Path | None
    patient: bool
    findings: Findings

    def add(self, *problems: str) -> None:
        self.findings.problems += problems

    def judge(self, verdict: Verdict) -> None:
        """Keep the verdict; a broken promise is a problem."""
        self.findings.verdict = verdict
        if not verdict.holds:
            self.add(verdict.sentence())

    def compare(self, measured: VerdictRecord) -> None:
        """Add a problem unless the certificate states exactly this verdict."""
        if measured != _in_todays_words(self.certificate.verdict):
            self.add("What is measured now differs from what the certificate states.")


def _in_todays_words(stated: VerdictRecord) -> VerdictRecord:
    """A stated verdict, with the page of proofs by its present name."""
    notes, parts = tuple(map(with_todays_page, stated.notes)), tuple(map(_in_todays_words, stated.parts))
    return stated.model_copy(update={"notes": notes, "parts": parts})
