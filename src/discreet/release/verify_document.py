# SPDX-License-Identifier: Apache-2.0
"""Check a published document: by itself as far as possible, the rest with the owner's rows."""

from __future__ import annotations

from typing import cast

from discreet.data.document import Document
from discreet.errors import DataError
from discreet.release.certificate import VerdictRecord
from discreet.release.owner_evidence import with_evidence
from discreet.release.verify_case import OTHER_EVIDENCE, CheckedRelease
from discreet.release.verify_recount import no_change_problems
from discreet.release.verify_verdicts import model_problems


def check_document(case: CheckedRelease) -> None:
    """Check a document and what the certificate states about it."""
    certificate, owner, stated = case.certificate, case.owner, case.certificate.verdict
    document = cast(Document, case.content)
    if document.columns != tuple((column.name, column.role, column.kind) for column in certificate.columns):
        raise DataError("The certificate names other columns than the document.")
    if certificate.rows:
        raise DataError(f"The certificate states {certificate.rows} rows; a document has none.")
    if document.content.get("counted", "rows") != certificate.counted:
        raise DataError("The document and the certificate disagree on whether rows or persons are counted.")
    if owner is not None and stated.kind == "owner":
        document = with_evidence(document, owner, by_person=certificate.counted == "persons")
    verdict = case.promise.check(document)
    case.judge(verdict)
    if verdict.kind != stated.kind:
        case.add(OTHER_EVIDENCE)
    if verdict.kind != "owner" or owner is not None:  # otherwise the measurement rests on the owner's word
        case.compare(VerdictRecord.of(verdict))
    case.add(*model_problems(stated, case.promise, document))
    case.add(*no_change_problems(certificate))
