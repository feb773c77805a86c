# SPDX-License-Identifier: Apache-2.0
"""A release that is being verified: what was read of it, and what was found so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from discreet.data.content import Content
from discreet.data.roles import Roles
from discreet.privacy.promise import Promise, Verdict
from discreet.release.certificate import Certificate, VerdictRecord
from discreet.release.verify_folder import OpenFolder

OTHER_EVIDENCE = "The certificate states another kind of evidence than this promise has."


@dataclass
class Findings:
    """What a check came upon on its way."""

    verdict: Verdict | None = None
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class CheckedRelease:
    """An open release with its content; `owner` is the owner's folder, where the owner verifies."""

    release: OpenFolder
    certificate: Certificate
    promise: Promise
    content: Content
    roles: Roles | None
    owner: Path | None
    patient: bool
    found: Findings

    def add(self, *problems: str) -> None:
        self.found.problems += problems

    def judge(self, verdict: Verdict) -> None:
        """Keep a verdict; a promise that does not hold is a problem."""
        self.found.verdict = verdict
        if not verdict.holds:
            self.add(verdict.sentence())

    def compare(self, measured: VerdictRecord) -> None:
        """What was measured must be what the certificate states."""
        if measured != self.certificate.verdict:
            self.add("What is measured now differs from what the certificate states.")
